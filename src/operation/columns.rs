//! Operations on the columns of blocks: the columns of one block are independent of each other, and so are blocks.

use std::ops::Range;

use super::exchange;
use crate::backend::{AcceleratedField, Element};
use crate::dispatch::{Call, Member, Share};
use crate::error::Error;
use crate::memory::{Strided, StridedMut};
use crate::meter::Meter;
use crate::parallel::for_each_chunk;
use crate::work::Size;

/// Nanoseconds to copy a word of a column to such memory and from it, at a few GB/s.
const COPY: f64 = 1.0;

/// Rows that a thread copies at a time.
const ROWS: usize = 1 << 10;

/// Columns that a thread transposes together, so that it reads whole cache lines.
const TOGETHER: usize = 8;

/// An operation by its effect on a column.
pub(super) trait Columnwise<F>: Copy + Send + Sync {
    /// The size of the operation on so many elements.
    fn size(&self, elements: usize) -> Size;

    /// The results for some columns side by side, which are consumed.
    fn run(self, columns: Vec<F>, width: usize, unchecked: bool, device: &Member) -> Result<Vec<F>, Error>;
}

/// The part of an operation on one device.
pub(crate) enum Part<'a, F, K, B> {
    /// Whole blocks, where they lie.
    Blocks(B),
    /// Columns of the only block, in memory of their own.
    Columns { kind: K, block: &'a [F], width: usize, columns: Range<usize>, unchecked: bool },
}

impl<'a, F, K: Copy, B> Part<'a, F, K, B> {
    /// The parts of a block, a part for each share of its columns.
    pub(super) fn of_columns(
        kind: K,
        block: &'a [F],
        width: usize,
        unchecked: bool,
        shares: &[Share],
    ) -> Vec<Self> {
        let columns = shares.iter().map(|share| share.items.clone());
        columns.map(|columns| Self::Columns { kind, block, width, columns, unchecked }).collect()
    }
}

impl<F: AcceleratedField, K: Columnwise<F>, B: Call<Output = ()>> Call for Part<'_, F, K, B> {
    /// The resulting columns, if they are in memory of their own.
    type Output = Vec<F>;

    fn size(&self, device: &Member) -> Size {
        match self {
            Self::Blocks(blocks) => blocks.size(device),
            Self::Columns { kind, block, width, columns, .. } => {
                kind.size(block.len() / width * columns.len())
            }
        }
    }

    fn run(self, device: &Member) -> Result<Vec<F>, Error> {
        self.run_metered(device, &Meter::silent())
    }

    fn run_metered(self, device: &Member, meter: &Meter<'_>) -> Result<Vec<F>, Error> {
        match self {
            Self::Blocks(blocks) => blocks.run_metered(device, meter).map(|()| Vec::new()),
            Self::Columns { kind, block, width, columns, unchecked } => {
                kind.run(take(block, width, columns.clone())?, columns.len(), unchecked, device)
            }
        }
    }
}

/// The number of independent items: blocks, or the columns of the only one.
pub(super) fn items(blocks: usize, width: usize) -> usize {
    if blocks == 1 { width } else { blocks }
}

/// Nanoseconds to bring so many words of columns to devices and back, which only those of a single block need: in memory of their own, or by an exchange.
pub(super) fn overhead<F: AcceleratedField>(devices: &[Member], blocks: usize, words: usize) -> f64 {
    match blocks {
        1 if F::ROW_MAJOR && devices.iter().all(Member::reads_peers) => {
            exchange::overhead(words, devices.len())
        }
        1 => COPY * words as f64,
        _ => 0.0,
    }
}

/// Copies the columns of shares into a block.
pub(super) fn put_all<F: AcceleratedField>(
    block: &mut [F],
    width: usize,
    shares: &[Share],
    taken: &[Vec<F>],
) {
    shares
        .iter()
        .zip(taken)
        .for_each(|(share, taken)| StridedMut::new(block, width, share.items.clone()).put(taken));
}

/// Copies some columns of a block, side by side.
fn take<F: AcceleratedField>(block: &[F], width: usize, columns: Range<usize>) -> Result<Vec<F>, Error> {
    let mut taken = F::zeros(block.len() / width * columns.len())?;
    Strided::new(block, width, columns).take(&mut taken);
    Ok(taken)
}

/// Whether columns have to be copied, one after another, before a backend can transform them.
pub(super) fn must_be_apart<F: AcceleratedField>(width: usize) -> bool {
    width > 1 && !F::ROW_MAJOR
}

/// The columns of a block, one after another.
pub(crate) fn apart<F: Element>(block: &[F], width: usize) -> Result<Vec<F>, Error> {
    let (rows, mut columns) = (block.len() / width, F::zeros(block.len())?);
    for_each_chunk(&mut columns, TOGETHER * rows, |number, columns| {
        for (i, row) in block.chunks_exact(width).enumerate() {
            let row = &row[number * TOGETHER..];
            columns.iter_mut().skip(i).step_by(rows).zip(row).for_each(|(to, from)| *to = *from);
        }
    });
    Ok(columns)
}

/// Copies columns that lie one after another into a block.
pub(super) fn together<F: Element>(block: &mut [F], width: usize, columns: &[F]) {
    let rows = block.len() / width;
    for_each_chunk(block, ROWS * width, |number, block| {
        for (i, row) in block.chunks_exact_mut(width).enumerate() {
            let column = columns.iter().skip(number * ROWS + i).step_by(rows);
            row.iter_mut().zip(column).for_each(|(to, from)| *to = *from);
        }
    });
}
