//! Linear combinations of the columns of a matrix, and of its rows: products with a matrix of a few columns.
//!
//! Both are one product. For coefficients c, combination k of row i of a matrix M is the sum of M(i, j) c(j, k); for weights w, combination k of
//! column j is the sum of w(i, k) M(i, j), which is the same of the transpose of M. So backends have *items*, rows or columns, of
//! *terms* each.

use std::ops::Range;

use super::{Extent, Memory};
use crate::error::Error;

/// A matrix in host memory, or a run of its rows: entry (i, j) is element `row_step` i + `column_step` j, and one of the steps is 1.
#[derive(Debug)]
pub struct MatrixView<'a, F> {
    /// The elements, from entry (0, 0) to the last entry or further.
    pub elements: &'a [F],
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Elements from an entry to the one below.
    pub row_step: usize,
    /// Elements from an entry to the next of its row.
    pub column_step: usize,
}

// Not derived, because that would ask for the same of F.
impl<F> Clone for MatrixView<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<F> Copy for MatrixView<'_, F> {}

impl<F: Copy> MatrixView<'_, F> {
    /// An entry.
    #[inline(always)]
    pub fn get(&self, row: usize, column: usize) -> F {
        self.elements[row * self.row_step + column * self.column_step]
    }

    /// A run of its rows.
    pub fn range(self, rows: Range<usize>) -> Self {
        let elements = &self.elements[(rows.start * self.row_step).min(self.elements.len())..];
        Self { elements, rows: rows.len(), ..self }
    }

    /// The transpose.
    pub fn transposed(self) -> Self {
        let Self { elements, rows, columns, row_step, column_step } = self;
        Self { elements, rows: columns, columns: rows, row_step: column_step, column_step: row_step }
    }
}

/// Combinations of columns and of rows over a field.
pub trait Combinations<F>: Send + Sync {
    /// Combinations of the columns: combination k of row i of n rows is element k n + i of `combined`. There are as many rows of
    /// coefficients as columns of the matrix, and as many columns of them as combinations. The contents of `combined` are unspecified before.
    fn combine_columns(
        &self,
        matrix: MatrixView<'_, F>,
        coefficients: MatrixView<'_, F>,
        combined: &mut [F],
    ) -> Result<(), Error>;

    /// Combinations of the rows: combination k, of d, of column j is element j d + k of `sums`. There are as many rows of weights as of the matrix,
    /// and as many columns of them as combinations. The contents of `sums` are unspecified before.
    fn combine_rows(
        &self,
        weights: MatrixView<'_, F>,
        matrix: MatrixView<'_, F>,
        sums: &mut [F],
    ) -> Result<(), Error>;
}

/// The same of matrices in a device's memory.
pub trait ResidentCombinations<F>: Send + Sync {
    /// The combinations of the columns in the first `rows` rows, with coefficients in host memory, in new memory.
    fn combine_columns(
        &self,
        matrix: (&Memory, Extent),
        rows: usize,
        coefficients: MatrixView<'_, F>,
    ) -> Result<Memory, Error>;

    /// The combinations of the rows, of which there are as many as weights or more; only the first count.
    fn combine_rows(
        &self,
        weights: (&Memory, Extent),
        matrix: (&Memory, Extent),
        sums: &mut [F],
    ) -> Result<(), Error>;
}
