//! Poseidon2: programs, and the constants of their kernels as text.

use super::DeviceHash;
use super::sponge::mode;
use super::text::{array, define};
use crate::backend::gpu::program::Program;
use crate::hash::poseidon2::{Constants, OF_8, OF_12};
use crate::hash::poseidon2_constants::{HALF_FULL_ROUNDS, PARTIAL_ROUNDS};
use crate::hash::{Poseidon2_8, Poseidon2_12};

const KERNELS: &[&str] = &[
    include_str!("../../../../kernels/montgomery.h"),
    include_str!("../../../../kernels/power_maps.h"),
    include_str!("../../../../kernels/poseidon2.h"),
    include_str!("../../../../kernels/sponge.cl"),
];

device_hashes! {
    Poseidon2_8, || mode::<Poseidon2_8>() + &constants(&OF_8), KERNELS, false;
    Poseidon2_12, || mode::<Poseidon2_12>() + &constants(&OF_12), KERNELS, false;
}

fn constants<const N: usize>(constants: &Constants<N>) -> String {
    let mut text = String::new();
    define(&mut text, "POSEIDON2_HALF_FULL_ROUNDS", HALF_FULL_ROUNDS);
    define(&mut text, "POSEIDON2_PARTIAL_ROUNDS", PARTIAL_ROUNDS);
    let diagonal = constants.diagonal.iter().enumerate().map(|(i, &(factor, shift))| {
        format!(" X({i}, {}, {}, {shift})", u32::from(factor < 0), factor.unsigned_abs())
    });
    define(&mut text, "POSEIDON2_DIAGONAL(X)", diagonal.collect::<String>().trim());
    text + &array("u64", "POSEIDON2_INITIAL", constants.initial.as_flattened())
        + &array("u64", "POSEIDON2_PARTIAL", &constants.partial)
        + &array("u64", "POSEIDON2_TERMINAL", constants.terminal.as_flattened())
}
