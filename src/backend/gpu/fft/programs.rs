//! The programs of transforms over BN254's scalars: down the tree, up, and the roots.

use super::super::fields;
use super::super::program::Program;
use super::plan::LOG_TILE;

/// The kernels of passes.
const PASS: &[&str] =
    &[include_str!("../../../../kernels/fft_root.h"), include_str!("../../../../kernels/fft_pass.cl")];

/// The largest groups that registers allow on a multiprocessor: 80 registers an item, and none spilled.
const GROUPS: u32 = 6;

/// Registers of an item that leave room for so many.
const REGISTERS: u32 = (65536 >> (LOG_TILE - 2)) / GROUPS / 8 * 8;

/// Passes from coefficients to values.
pub(super) static FORTH: Program = Program {
    name: "fft_forth",
    constants: fields::scalars,
    kernels: PASS,
    parameters: &[("FFT_BACK", 0), ("FFT_TILE", 1 << LOG_TILE), ("FFT_GROUPS", GROUPS)],
    registers: Some(REGISTERS),
};

/// Passes back.
pub(super) static BACK: Program = Program {
    name: "fft_back",
    constants: fields::scalars,
    kernels: PASS,
    parameters: &[("FFT_BACK", 1), ("FFT_TILE", 1 << LOG_TILE), ("FFT_GROUPS", GROUPS)],
    registers: Some(REGISTERS),
};

/// Roots.
pub(super) static TABLES: Program = Program {
    name: "fft_tables",
    constants: fields::scalars,
    kernels: &[include_str!("../../../../kernels/fft_tables.cl")],
    ..Program::EMPTY
};

/// Every program.
pub(in super::super) static ALL: [&Program; 3] = [&FORTH, &BACK, &TABLES];
