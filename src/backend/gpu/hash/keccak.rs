//! Keccak-256 and SHA3-256: their programs, and the constants of their kernels as text.

use super::DeviceHash;
use super::text::{array, define};
use crate::backend::gpu::program::Program;
use crate::hash::keccak::{Keccak, LAST_PADDING, MOVES, RATE, ROUND_CONSTANTS, ROUNDS};
use crate::hash::{Keccak256, Sha3_256};

const KERNELS: &[&str] =
    &[include_str!("../../../../kernels/row.h"), include_str!("../../../../kernels/keccak.cl")];

device_hashes! {
    Keccak256, constants::<Keccak256>, KERNELS, false, 1;
    Sha3_256, constants::<Sha3_256>, KERNELS, false, 1;
}

fn constants<H: Keccak>() -> String {
    let mut text = String::new();
    define(&mut text, "KECCAK_RATE", RATE);
    define(&mut text, "KECCAK_ROUNDS", ROUNDS);
    define(&mut text, "KECCAK_FIRST_PADDING", format_args!("{:#x}UL", H::FIRST_PADDING));
    define(&mut text, "KECCAK_LAST_PADDING", format_args!("{LAST_PADDING:#x}UL"));
    let moves = MOVES.iter().enumerate();
    let moves = moves.map(|(i, (target, count))| format!(" X({i}, {}, {target}, {count})", i % 5));
    define(&mut text, "KECCAK_MOVES(X)", moves.collect::<String>().trim());
    text + &array("u64", "KECCAK_ROUND", &ROUND_CONSTANTS)
}
