//! Columns of a block that are copied to contiguous memory on the way to a device and from it.

use std::ops::Range;

use rayon::prelude::*;

use crate::backend::AcceleratedField;
use crate::error::Error;

/// Nanoseconds to copy a word of a column to such memory and from it, at a few GB/s.
pub(super) const COPY: f64 = 1.0;

/// The fewest rows that a thread copies.
const ROWS: usize = 1 << 10;

/// Copies some columns of a block, side by side.
pub(super) fn take<F: AcceleratedField>(
    block: &[F],
    width: usize,
    columns: Range<usize>,
) -> Result<Vec<F>, Error> {
    let mut taken = F::zeros(block.len() / width * columns.len())?;
    let rows = taken.par_chunks_exact_mut(columns.len()).zip(block.par_chunks_exact(width));
    rows.with_min_len(ROWS).for_each(|(taken, row)| taken.copy_from_slice(&row[columns.clone()]));
    Ok(taken)
}

/// Copies columns into a block.
pub(super) fn put<F: AcceleratedField>(block: &mut [F], width: usize, columns: Range<usize>, taken: &[F]) {
    let rows = block.par_chunks_exact_mut(width).zip(taken.par_chunks_exact(columns.len()));
    rows.with_min_len(ROWS).for_each(|(row, taken)| row[columns.clone()].copy_from_slice(taken));
}
