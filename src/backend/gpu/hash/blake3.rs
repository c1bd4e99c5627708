//! BLAKE3: `kernels/blake3.cl`, which contains its few constants.

use super::DeviceHash;
use crate::backend::gpu::program::Program;
use crate::hash::Blake3;

static BLAKE3: Program = Program {
    name: "blake3",
    kernels: &[include_str!("../../../../kernels/row.h"), include_str!("../../../../kernels/blake3.cl")],
    ..Program::EMPTY
};

impl DeviceHash for Blake3 {
    const PROGRAM: &'static Program = &BLAKE3;
    const APPROACHES: bool = false;

    fn row_kernel(width: usize) -> &'static str {
        // A row of one chunk needs no stack of subtrees.
        if width <= 128 { "hash_rows" } else { "hash_rows_wide" }
    }
}
