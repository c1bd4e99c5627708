//! Products of sparse matrices with vectors over prime fields.
//!
//! Rows are halved by their numbers of entries until a run is small, so that all threads have as much to do; a row that is long by itself is
//! halved as well, and its parts are added. Most entries are 1 or -1, and take an addition and no product; which of the two they are
//! is not predicted but selected. Elements of the vector lie anywhere, so they are prefetched.

use std::ops::Range;

use super::Cpu;
use crate::backend::{Entry, Memory, Sparse, SparseView};
use crate::error::Error;
use crate::field::MontgomeryField;
use crate::field::montgomery::{Modulus, Residue};
use crate::field::prime::{residues, residues_mut};
use crate::memory::prefetch;
use crate::parallel::join;

/// Entries and rows of a run that one thread does: about a tenth of a millisecond.
const RUN: usize = 1 << 13;

impl<F: MontgomeryField> Sparse<F> for Cpu {
    fn sparse_product(
        &self,
        matrix: SparseView<'_, F>,
        _: Option<&Memory>,
        vector: &[F],
        product: &mut [F],
    ) -> Result<(), Error> {
        let factors = Factors { values: residues(matrix.values), vector: residues(vector) };
        factors.rows(matrix, residues_mut(product));
        Ok(())
    }
}

/// Entries ahead of the present one, whose elements are prefetched: enough to hide a miss of all caches.
const AHEAD: usize = 24;

/// What entries name.
#[derive(Clone, Copy)]
struct Factors<'a, F: Modulus> {
    values: &'a [Residue<F>],
    vector: &'a [Residue<F>],
}

impl<F: MontgomeryField> Factors<'_, F> {
    fn rows(self, matrix: SparseView<'_, F>, product: &mut [Residue<F>]) {
        let rows = matrix.rows();
        let begins = |row: usize| matrix.starts[row] - matrix.starts[0] + row;
        if rows <= 1 || begins(rows) <= RUN {
            for (row, element) in product.iter_mut().enumerate() {
                let sum = self.sum(matrix.entries, matrix.starts[row]..matrix.starts[row + 1]);
                *element = Residue::from_montgomery(sum.canonical());
            }
            return;
        }
        // The row in which the middle lies goes to the second half, unless it is the first row.
        let (mut low, mut high) = (1, rows - 1);
        while low < high {
            let middle = low.midpoint(high);
            if begins(middle + 1) <= begins(rows) / 2 { low = middle + 1 } else { high = middle }
        }
        let (first, second) = product.split_at_mut(low);
        join(|| self.rows(matrix.range(0..low), first), || self.rows(matrix.range(low..rows), second));
    }

    /// The sum of a range of entries, those of a row.
    fn sum(self, entries: &[Entry], range: Range<usize>) -> Residue<F> {
        if range.len() > RUN {
            let middle = range.start.midpoint(range.end);
            let (first, second) =
                join(|| self.sum(entries, range.start..middle), || self.sum(entries, middle..range.end));
            return first.add(second);
        }
        let mut sum = Residue::ZERO;
        for number in range {
            if let Some(ahead) = entries.get(number + AHEAD) {
                prefetch(self.vector.as_ptr().wrapping_add(ahead.column as usize));
            }
            let Entry { column, value } = entries[number];
            let element = self.vector[column as usize];
            let term = match value {
                Entry::ONE | Entry::MINUS_ONE => element.negated_if(value == Entry::MINUS_ONE),
                _ => element.mul(self.values[value as usize]),
            };
            sum = sum.add(term);
        }
        sum
    }
}
