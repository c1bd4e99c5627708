//! SHA-256: its program, and the constants of its kernels as text.

use super::DeviceHash;
use super::text::array;
use crate::backend::gpu::program::Program;
use crate::hash::Sha256;
use crate::hash::sha256::{INITIAL, ROUND_CONSTANTS, ROUNDS_OF_PADDING};

const KERNELS: &[&str] =
    &[include_str!("../../../../kernels/row.h"), include_str!("../../../../kernels/sha256.cl")];

device_hashes!(Sha256, constants, KERNELS, false, 1;);

fn constants() -> String {
    let array = |name: &str, values: &[u32]| {
        array("u32", name, &values.iter().map(|&value| u64::from(value)).collect::<Vec<_>>())
    };
    array("SHA256_INITIAL", &INITIAL)
        + &array("SHA256_K", &ROUND_CONSTANTS)
        + &array("SHA256_PADDING", &ROUNDS_OF_PADDING)
}
