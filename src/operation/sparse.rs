//! Products of sparse matrices with vectors: a product is divided into those of runs of rows, of which each device keeps its own.
//!
//! Rows have unequal numbers of entries, so items are units of work: an entry is one, and so is a row, for its element of the product. Row i
//! begins at unit `starts[i]` + i, and a range of units stands for the rows that begin in it.

use std::ops::Range;

use super::keep::KeptRange;
use super::{cut, random_word};
use crate::backend::{AcceleratedPrime, Backend, Entry, Memory, SparseView};
use crate::dispatch::{
    Call, Cost, Dispatcher, Divisible, Home, Kind, Measured, Member, Operation, Share, Stored, Untested,
    timed,
};
use crate::error::Error;
use crate::work::{Activity, Size};

/// The units of a matrix.
fn units<F>(matrix: &SparseView<'_, F>) -> usize {
    matrix.entries_of(0..matrix.rows()).len() + matrix.rows()
}

/// The rows that begin in a range of units.
fn rows_in<F>(matrix: &SparseView<'_, F>, units: &Range<usize>) -> Range<usize> {
    let first = matrix.starts[0];
    let begins = |row: usize| matrix.starts[row] - first + row;
    // The first row that begins at a unit or after it.
    let row_at = |unit: usize| {
        let (mut low, mut high) = (0, matrix.rows());
        while low < high {
            let middle = low.midpoint(high);
            if begins(middle) < unit { low = middle + 1 } else { high = middle }
        }
        low
    };
    row_at(units.start)..row_at(units.end)
}

/// The kind of products with sparse matrices.
pub(super) const fn kind<F: AcceleratedPrime>() -> Kind {
    Kind { name: Activity::SPARSE.name, variant: F::NAME, sample: sample::<F> }
}

fn costs<F: AcceleratedPrime>(units: usize) -> Vec<Cost> {
    vec![Cost { kind: kind::<F>(), work: [units as f64; 2] }]
}

/// Three entries a row, two of which are 1; the matrix is kept beforehand.
fn sample<F: AcceleratedPrime>(backend: &dyn Backend, log: u32) -> Measured {
    let rows = 1_usize << log;
    let starts: Vec<usize> = (0..=rows).map(|row| 3 * row).collect();
    let column = |i: usize| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16) % rows;
    let entry = |i: usize| Entry { column: column(i) as u32, value: if i.is_multiple_of(3) { 2 } else { 0 } };
    let entries: Vec<Entry> = (0..3 * rows).map(entry).collect();
    let values = [F::ONE, -F::ONE, F::from(8)];
    let matrix = SparseView { columns: rows, starts: &starts, entries: &entries, values: &values };
    let sparse = F::sparse(backend);
    let kept = sparse.keep_sparse(matrix)?;
    let vector: Vec<F> = (0..rows as u64).map(F::from).collect();
    let mut product = vector.clone();
    let work = [units(&matrix) as f64; 2];
    timed(|| sparse.sparse_product(matrix, kept.as_ref(), &vector, &mut product), work)
}

/// Keeps a sparse matrix, by runs of rows, of which each device keeps its own.
pub(crate) struct KeepSparse<'a, F> {
    matrix: SparseView<'a, F>,
    /// The units of this run among those of the whole matrix.
    units: Range<usize>,
}

impl<'a, F> KeepSparse<'a, F> {
    pub(crate) fn new(matrix: SparseView<'a, F>) -> Self {
        let units = 0..units(&matrix);
        Self { matrix, units }
    }
}

/// The bytes of the entries of a matrix.
fn bytes_of_entries<F>(matrix: &SparseView<'_, F>) -> usize {
    size_of_val(matrix.entries_of(0..matrix.rows()))
}

impl<F: AcceleratedPrime> Call for KeepSparse<'_, F> {
    type Output = Vec<KeptRange>;

    fn size(&self, _: &Member) -> Size {
        let entries = self.matrix.entries_of(0..self.matrix.rows()).len();
        Activity::KEEP_SPARSE.of(entries, bytes_of_entries(&self.matrix), 0)
    }

    fn run(self, device: &Member) -> Result<Vec<KeptRange>, Error> {
        let kept = F::sparse(device.backend()).keep_sparse(self.matrix)?;
        let kept = kept.map(|kept| device.store(kept, device.occupy(bytes_of_entries(&self.matrix) as u64)));
        Ok(vec![KeptRange { member: device.index(), range: self.units, kept }])
    }
}

impl<F: AcceleratedPrime> Operation for KeepSparse<'_, F> {
    fn costs(&self) -> Vec<Cost> {
        costs::<F>(self.units.len())
    }

    fn stays(&self) -> bool {
        true
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<Vec<KeptRange>, Error> {
        dispatcher.divided(self)
    }
}

impl<'a, F: AcceleratedPrime> Divisible for KeepSparse<'a, F> {
    type Outcome = Vec<KeptRange>;
    type Part<'p>
        = KeepSparse<'p, F>
    where
        Self: 'p;

    fn items(&self, _: &[Member]) -> usize {
        self.units.len()
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<KeepSparse<'_, F>>, Error> {
        let part = |share: &Share| KeepSparse {
            matrix: self.matrix.range(rows_in(&self.matrix, &share.items)),
            units: share.items.clone(),
        };
        Ok(shares.iter().map(part).collect())
    }

    fn join(
        self,
        _: &[Share],
        outcomes: Vec<Result<Vec<KeptRange>, Error>>,
    ) -> Result<Vec<KeptRange>, Error> {
        let ranges: Vec<Vec<_>> = outcomes.into_iter().collect::<Result<_, _>>()?;
        Ok(ranges.into_iter().flatten().collect())
    }
}

/// The product of a sparse matrix, or a run of its rows, with a vector.
pub(crate) struct SparseProduct<'a, F> {
    pub(crate) matrix: SparseView<'a, F>,
    /// What devices keep of the whole matrix.
    pub(crate) kept: &'a [KeptRange],
    pub(crate) vector: &'a [F],
    pub(crate) product: &'a mut [F],
}

/// The part of one device.
pub(crate) struct Part<'a, F> {
    product: SparseProduct<'a, F>,
    /// The units of its rows among those of the whole matrix.
    units: Range<usize>,
}

/// What a device that holds data keeps of a matrix, if that is all of it.
pub(crate) fn kept_beside<'a, F>(
    matrix: &SparseView<'_, F>,
    kept: &'a [KeptRange],
    data: &Stored,
) -> Option<&'a Stored> {
    KeptRange::find(kept, data.member(), 0..units(matrix))
}

impl<F> SparseProduct<'_, F> {
    /// What the device keeps of these units of the whole matrix.
    fn kept(&self, device: &Member, units: &Range<usize>) -> Option<&Memory> {
        KeptRange::find(self.kept, device.index(), units.clone()).map(Stored::contents)
    }

    /// Its size on a device, as the product of these units.
    fn size_as(&self, device: &Member, units: &Range<usize>) -> Size {
        let Self { matrix, vector, product, .. } = self;
        let entries = if self.kept(device, units).is_some() { 0 } else { bytes_of_entries(matrix) };
        let count = matrix.entries_of(0..matrix.rows()).len();
        Activity::SPARSE.of(count, size_of_val(*vector) + entries, size_of_val(*product))
    }
}

impl<F: AcceleratedPrime> Call for Part<'_, F> {
    type Output = ();

    fn size(&self, device: &Member) -> Size {
        self.product.size_as(device, &self.units)
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        let SparseProduct { matrix, kept, vector, product } = self.product;
        let kept = KeptRange::find(kept, device.index(), self.units).map(Stored::contents);
        F::sparse(device.backend()).sparse_product(matrix, kept, vector, product)
    }
}

impl<F: AcceleratedPrime> Call for SparseProduct<'_, F> {
    type Output = ();

    fn size(&self, device: &Member) -> Size {
        self.size_as(device, &(0..units(&self.matrix)))
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        Part { units: 0..units(&self.matrix), product: self }.run(device)
    }
}

impl<F: AcceleratedPrime> Operation for SparseProduct<'_, F> {
    fn costs(&self) -> Vec<Cost> {
        costs::<F>(units(&self.matrix))
    }

    fn home(&self) -> Home {
        Home::Parts(self.kept.iter().map(|own| (own.member, own.range.clone())).collect())
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<(), Error> {
        dispatcher.divided(self)
    }

    /// With the powers r^i of a random r, the sum of r^i y_i is the sum of w_j x_j, for the combination w of the matrix' rows by these powers.
    fn tested(self, untested: &Untested<'_>) -> Result<(), Error> {
        let Self { matrix, kept, vector, product } = self;
        untested.run(SparseProduct { matrix, kept, vector, product: &mut *product })?;
        let (r, mut power) = (F::from(random_word()), F::ONE);
        let (mut combination, mut expected) = (F::zeros(matrix.columns)?, F::ZERO);
        for (row, &element) in product.iter().enumerate() {
            for entry in matrix.entries_of(row..row + 1) {
                combination[entry.column as usize] += power * matrix.values[entry.value as usize];
            }
            expected += power * element;
            power *= r;
        }
        let found = combination.iter().zip(vector).fold(F::ZERO, |sum, (&w, &x)| sum + w * x);
        untested.expect(found == expected, "the check of a sparse product")
    }
}

impl<'a, F: AcceleratedPrime> Divisible for SparseProduct<'a, F> {
    type Outcome = ();
    type Part<'p>
        = Part<'p, F>
    where
        Self: 'p;

    fn items(&self, _: &[Member]) -> usize {
        units(&self.matrix)
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<Part<'_, F>>, Error> {
        let &mut Self { matrix, kept, vector, ref mut product } = self;
        let rows: Vec<_> = shares.iter().map(|share| rows_in(&matrix, &share.items)).collect();
        let products = cut(product, rows.iter().map(Range::len));
        let part = |((share, rows), product): ((&Share, &Range<usize>), _)| Part {
            product: SparseProduct { matrix: matrix.range(rows.clone()), kept, vector, product },
            units: share.items.clone(),
        };
        Ok(shares.iter().zip(&rows).zip(products).map(part).collect())
    }

    fn join(self, _: &[Share], outcomes: Vec<Result<(), Error>>) -> Result<(), Error> {
        outcomes.into_iter().collect()
    }
}
