//! Columns of a block of rows: a piece of each row.
//!
//! Different columns of one block may be in use at the same time, so these are no slices of it.

use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;

use crate::parallel::{for_each_chunk, for_each_number};

/// Rows that a thread copies columns of at a time.
const ROWS: usize = 1 << 10;

/// Some columns of every row of a block.
#[derive(Clone, Copy)]
pub struct Strided<'a, T> {
    /// The first of them in the first row.
    start: NonNull<T>,
    rows: usize,
    /// Elements from a row to the next.
    pitch: usize,
    width: usize,
    block: PhantomData<&'a [T]>,
}

/// The same, to be changed.
pub struct StridedMut<'a, T> {
    columns: Strided<'a, T>,
    block: PhantomData<&'a mut [T]>,
}

// SAFETY: they stand for slices of the block, which are as safe to send and to share.
unsafe impl<T: Sync> Send for Strided<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Strided<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for StridedMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for StridedMut<'_, T> {}

impl<'a, T: Copy + Send + Sync> Strided<'a, T> {
    /// Those of a block whose rows have `pitch` elements. It may end with the last of these columns.
    pub(crate) fn new(block: &'a [T], pitch: usize, columns: Range<usize>) -> Self {
        Self::within(NonNull::from(block), pitch, columns)
    }

    fn within(block: NonNull<[T]>, pitch: usize, columns: Range<usize>) -> Self {
        let Range { start, end } = columns;
        assert!(start < end && end <= pitch, "columns of a row");
        // The last row may have no further columns.
        let rows = (block.len() + pitch - end) / pitch;
        let start = match rows {
            0 => NonNull::dangling(),
            // SAFETY: the first row has these columns.
            _ => unsafe { block.cast().add(start) },
        };
        Self { start, rows, pitch, width: end - columns.start, block: PhantomData }
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Elements from a row to the next.
    #[cfg(feature = "cuda")]
    pub(crate) fn pitch(&self) -> usize {
        self.pitch
    }

    /// The first of them, and the number of elements of the block from there to the last.
    #[cfg(feature = "cuda")]
    pub(crate) fn span(&self) -> (*const T, usize) {
        (self.start.as_ptr(), self.rows.checked_sub(1).map_or(0, |rows| rows * self.pitch + self.width))
    }

    /// Runs of all rows, each of at most `most` elements, or of one row.
    pub(crate) fn runs(&self, most: usize) -> impl Iterator<Item = Range<usize>> + Clone + use<T> {
        let (rows, run) = (self.rows, (most / self.width).max(1));
        (0..rows).step_by(run).map(move |start| start..rows.min(start + run))
    }

    /// So many columns after one another, and at the end those that are left.
    pub(crate) fn split(self, together: usize) -> impl Iterator<Item = Self> + Send + use<'a, T> {
        let starts = (0..self.width).step_by(together);
        starts.map(move |start| self.of_columns(start..self.width.min(start + together)))
    }

    /// Some of them.
    fn of_columns(self, columns: Range<usize>) -> Self {
        assert!(columns.start <= columns.end && columns.end <= self.width, "columns of a block");
        let start = match self.rows {
            0 => NonNull::dangling(),
            // SAFETY: the first row has these columns.
            _ => unsafe { self.start.add(columns.start) },
        };
        Self { start, width: columns.len(), ..self }
    }

    /// Those of some rows.
    pub(crate) fn of_rows(self, rows: Range<usize>) -> Self {
        assert!(rows.start <= rows.end && rows.end <= self.rows, "rows of a block");
        let start = match rows.is_empty() {
            true => NonNull::dangling(),
            // SAFETY: the block has the first of these rows, and that has these columns.
            false => unsafe { self.start.add(rows.start * self.pitch) },
        };
        Self { start, rows: rows.len(), ..self }
    }

    /// Those of a row.
    fn row(&self, row: usize) -> NonNull<[T]> {
        assert!(row < self.rows, "a row of a block");
        // SAFETY: the block has this row, and that has these columns.
        NonNull::slice_from_raw_parts(unsafe { self.start.add(row * self.pitch) }, self.width)
    }

    /// Copies them, side by side.
    pub(crate) fn take(self, taken: &mut [T]) {
        assert!(taken.len() == self.rows * self.width, "room for the columns");
        for_each_chunk(taken, ROWS * self.width, |number, taken| {
            for (row, taken) in (number * ROWS..).zip(taken.chunks_exact_mut(self.width)) {
                // SAFETY: elements of a block that is borrowed: whoever may write does not.
                taken.copy_from_slice(unsafe { self.row(row).as_ref() });
            }
        });
    }
}

impl<'a, T: Copy + Send + Sync> StridedMut<'a, T> {
    /// As [`Strided::new`].
    pub(crate) fn new(block: &'a mut [T], pitch: usize, columns: Range<usize>) -> Self {
        Self { columns: Strided::within(NonNull::from(block), pitch, columns), block: PhantomData }
    }

    /// So many columns each, after one another.
    pub(crate) fn cut(self, widths: impl Iterator<Item = usize>) -> impl Iterator<Item = Self> {
        let mut end = 0;
        widths.map(move |width| {
            end += width;
            Self { columns: self.columns.of_columns(end - width..end), block: PhantomData }
        })
    }

    /// The same, for a while.
    pub(crate) fn reborrow(&mut self) -> StridedMut<'_, T> {
        StridedMut { columns: self.columns, block: PhantomData }
    }

    /// As [`Strided::split`].
    pub(crate) fn split(self, together: usize) -> impl Iterator<Item = Self> + Send + use<'a, T> {
        self.columns.split(together).map(|columns| Self { columns, block: PhantomData })
    }

    /// Those of some rows.
    pub(crate) fn of_rows(&mut self, rows: Range<usize>) -> StridedMut<'_, T> {
        StridedMut { columns: self.columns.of_rows(rows), block: PhantomData }
    }

    /// The same, to be read.
    pub(crate) fn as_columns(&self) -> Strided<'_, T> {
        self.columns
    }

    /// Copies these elements, which lie side by side, into them.
    pub(crate) fn put(self, taken: &[T]) {
        let Strided { rows, width, .. } = self.columns;
        assert!(taken.len() == rows * width, "as much as the columns hold");
        for_each_number(rows.div_ceil(ROWS), &|number| {
            let taken = taken[number * ROWS * width..].chunks_exact(width).take(ROWS);
            for (row, taken) in (number * ROWS..).zip(taken) {
                // SAFETY: elements that are borrowed by this value alone, and the row is this thread's.
                unsafe { self.columns.row(row).as_mut() }.copy_from_slice(taken);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{ROWS, Strided, StridedMut};

    /// Of rows for several threads, and of a block that ends with the last of the columns.
    #[test]
    fn columns_are_taken_and_put() {
        let (rows, width, columns) = (2 * ROWS + 5, 5, 1..4);
        let block: Vec<u64> = (1..=(rows * width - 1) as u64).collect();
        let mut taken = vec![0; rows * 3];
        let of_block = Strided::new(&block, width, columns.clone());
        assert_eq!((of_block.rows(), of_block.width()), (rows, 3));
        of_block.take(&mut taken);
        for (row, taken) in taken.chunks(3).enumerate() {
            assert_eq!(*taken, block[row * width..][columns.clone()], "row {row}");
        }
        let mut put = vec![0; block.len()];
        StridedMut::new(&mut put, width, columns.clone()).put(&taken);
        for (i, &entry) in put.iter().enumerate() {
            let expected = if columns.contains(&(i % width)) { block[i] } else { 0 };
            assert_eq!(entry, expected, "entry {i}");
        }
        let mut some = vec![0; 6];
        of_block.of_rows(ROWS..ROWS + 2).take(&mut some);
        assert_eq!(some, taken[3 * ROWS..][..6]);
    }

    /// All columns in parts, which are changed side by side; no part, and a block without rows.
    #[test]
    fn parts_of_a_block() {
        for (rows, pitch, together, count) in [(7, 5, 2, 3), (4, 6, 3, 2), (3, 4, 9, 1), (0, 3, 2, 2)] {
            let before: Vec<u64> = (0..rows * pitch).collect();
            let mut block = before.clone();
            let pitch = pitch as usize;
            let parts: Vec<_> = StridedMut::new(&mut block, pitch, 0..pitch).split(together).collect();
            assert_eq!(parts.len(), count);
            std::thread::scope(|scope| {
                for mut part in parts {
                    scope.spawn(move || {
                        let (rows, width) = (part.as_columns().rows(), part.as_columns().width());
                        assert!(part.as_columns().runs(2 * width).flatten().eq(0..rows));
                        assert!(part.as_columns().runs(2 * width).all(|run| (1..=2).contains(&run.len())));
                        for run in part.as_columns().runs(width.saturating_sub(1)) {
                            assert_eq!(run.len(), 1);
                            let mut taken = vec![0; width];
                            part.as_columns().of_rows(run.clone()).take(&mut taken);
                            taken.iter_mut().for_each(|entry| *entry += 100);
                            part.of_rows(run).put(&taken);
                        }
                    });
                }
            });
            assert!(block.iter().zip(before).all(|(&after, before)| after == before + 100));
        }
    }

    #[test]
    fn parts_of_different_widths() {
        let mut block: Vec<u64> = (0..12).collect();
        for (number, part) in StridedMut::new(&mut block, 6, 0..6).cut([1, 3, 2].into_iter()).enumerate() {
            let mut taken = vec![0; 2 * part.as_columns().width()];
            part.as_columns().take(&mut taken);
            taken.iter_mut().for_each(|entry| *entry += 100 * number as u64);
            part.put(&taken);
        }
        assert_eq!(block, [0, 101, 102, 103, 204, 205, 6, 107, 108, 109, 210, 211]);
    }

    #[test]
    #[should_panic(expected = "rows of a block")]
    fn rows_that_a_block_does_not_have() {
        Strided::new(&[0; 10], 5, 0..5).of_rows(1..3);
    }

    #[test]
    #[should_panic(expected = "as much as the columns hold")]
    fn more_than_the_columns_hold() {
        StridedMut::new(&mut [0; 10], 5, 0..2).put(&[0; 5]);
    }
}
