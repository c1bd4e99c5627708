//! Poseidon2: programs, and the constants of their kernels as text.

use super::DeviceHash;
use super::sponge::mode;
use super::text::{array, define};
use crate::backend::gpu::program::Program;
use crate::field::{Field, Goldilocks};
use crate::hash::poseidon2::{Constants, OF_8, OF_12};
use crate::hash::poseidon2_constants::{HALF_FULL_ROUNDS, PARTIAL_ROUNDS};
use crate::hash::{Poseidon2_8, Poseidon2_12};

const KERNELS: &[&str] = &[
    include_str!("../../../../kernels/montgomery.h"),
    include_str!("../../../../kernels/power_maps.h"),
    include_str!("../../../../kernels/poseidon2.h"),
    include_str!("../../../../kernels/sponge.cl"),
    include_str!("../../../../kernels/team.h"),
    include_str!("../../../../kernels/poseidon2_team.cl"),
];

/// Items that share a hash in `poseidon2_team.cl`.
const TEAM: usize = 4;

device_hashes! {
    Poseidon2_8, || mode::<Poseidon2_8>() + &constants(&OF_8), KERNELS, false, TEAM;
    Poseidon2_12, || mode::<Poseidon2_12>() + &constants(&OF_12), KERNELS, false, TEAM;
}

fn constants<const N: usize>(constants: &Constants<N>) -> String {
    let mut text = String::new();
    define(&mut text, "POSEIDON2_HALF_FULL_ROUNDS", HALF_FULL_ROUNDS);
    define(&mut text, "POSEIDON2_PARTIAL_ROUNDS", PARTIAL_ROUNDS);
    let diagonal = constants.diagonal.iter().enumerate().map(|(i, &(factor, shift))| {
        format!(" X({i}, {}, {}, {shift})", u32::from(factor < 0), factor.unsigned_abs())
    });
    define(&mut text, "POSEIDON2_DIAGONAL(X)", diagonal.collect::<String>().trim());
    // Times R = 2^64 = 2^32 - 1, for products that divide by R.
    let scaled = constants.diagonal.map(|(factor, shift)| {
        let size = Goldilocks::from(factor.unsigned_abs()) * Goldilocks::from(u32::MAX);
        let part = size * Goldilocks::from(1 << shift).inverse().expect("a power of two");
        if factor < 0 { (-part).as_u64() } else { part.as_u64() }
    });
    text + &array("u64", "POSEIDON2_DIAGONAL_R", &scaled)
        + &array("u64", "POSEIDON2_INITIAL", constants.initial.as_flattened())
        + &array("u64", "POSEIDON2_PARTIAL", &constants.partial)
        + &array("u64", "POSEIDON2_TERMINAL", constants.terminal.as_flattened())
}
