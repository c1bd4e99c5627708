//! Sparse matrices of scalars, by rows.

use halo2curves::ff::Field;
use rayon::prelude::*;
use zkaccel::bn254::Fr;

/// Rows that one thread multiplies at once, at least.
const ROWS: usize = 1 << 8;

/// A matrix of scalars most of which are zero: for each row its entries, one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparseMatrix {
    /// Where each row's entries begin; at the end, their number.
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<Fr>,
    /// More than any column's index.
    width: usize,
}

impl SparseMatrix {
    /// The matrix of entries (row, column, value) in any order; those in the same place add up.
    ///
    /// # Panics
    /// When an entry is in row `rows` or below it.
    pub fn new<E: Iterator<Item = (u32, u32, Fr)>>(rows: usize, entries: impl Fn() -> E) -> Self {
        let row_numbers = entries().map(|(row, ..)| row);
        Self::from_rows(rows, row_numbers, entries())
    }

    /// The same of entries and the numbers of their rows, which are cheaper to find than the entries.
    pub(crate) fn from_rows(
        rows: usize,
        row_numbers: impl Iterator<Item = u32>,
        entries: impl Iterator<Item = (u32, u32, Fr)>,
    ) -> Self {
        let mut starts = vec![0; rows + 1];
        for row in row_numbers {
            starts[row as usize + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut columns = vec![0; starts[rows]];
        let mut values = vec![Fr::ZERO; starts[rows]];
        for (row, column, value) in entries {
            let at = &mut next[row as usize];
            (columns[*at], values[*at]) = (column, value);
            *at += 1;
        }
        let width = columns.iter().max().map_or(0, |&column| column as usize + 1);
        Self { starts, columns, values, width }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of entries.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// The least number of columns that the entries call for.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The entries of a row: column and value.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (u32, Fr)> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        self.columns[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// The product with a vector, into as many elements as there are rows.
    pub(crate) fn multiply(&self, vector: &[Fr], product: &mut [Fr]) {
        let rows = product.par_iter_mut().enumerate().with_min_len(ROWS);
        rows.for_each(|(row, sum)| {
            *sum = self.row(row).map(|(column, value)| value * vector[column as usize]).sum();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products() {
        let entries = [(2, 1, 5), (0, 0, 1), (2, 0, 3), (0, 2, 4), (2, 1, 7)];
        let matrix = SparseMatrix::new(4, || {
            entries.iter().map(|&(row, column, value)| (row, column, Fr::from(value)))
        });
        assert_eq!((matrix.rows(), matrix.entries(), matrix.width()), (4, 5, 3));
        let mut product = [Fr::ONE; 4];
        matrix.multiply(&[10, 100, 1000].map(Fr::from), &mut product);
        assert_eq!(product, [4010, 0, 1230, 0].map(Fr::from));
        let empty = SparseMatrix::new(2, std::iter::empty);
        empty.multiply(&[], &mut product[..2]);
        assert_eq!((product[..2].to_vec(), empty.width()), (vec![Fr::ZERO; 2], 0));
    }
}
