//! Keccak-256: its program, and the constants of its kernels as text.

use super::DeviceHash;
use super::text::{array, define};
use crate::backend::gpu::program::Program;
use crate::hash::Keccak256;
use crate::hash::keccak::{FIRST_PADDING, LAST_PADDING, MOVES, RATE, ROUND_CONSTANTS, ROUNDS};

static KECCAK256: Program = Program {
    name: "keccak256",
    constants,
    kernels: &[include_str!("../../../../kernels/row.h"), include_str!("../../../../kernels/keccak.cl")],
    ..Program::EMPTY
};

impl DeviceHash for Keccak256 {
    const PROGRAM: &'static Program = &KECCAK256;
    const APPROACHES: bool = false;
}

fn constants() -> String {
    let mut text = String::new();
    define(&mut text, "KECCAK_RATE", RATE);
    define(&mut text, "KECCAK_ROUNDS", ROUNDS);
    define(&mut text, "KECCAK_FIRST_PADDING", format_args!("{FIRST_PADDING:#x}UL"));
    define(&mut text, "KECCAK_LAST_PADDING", format_args!("{LAST_PADDING:#x}UL"));
    let moves = MOVES.iter().enumerate();
    let moves = moves.map(|(i, (target, count))| format!(" X({i}, {}, {target}, {count})", i % 5));
    define(&mut text, "KECCAK_MOVES(X)", moves.collect::<String>().trim());
    text + &array("u64", "KECCAK_ROUND", &ROUND_CONSTANTS)
}
