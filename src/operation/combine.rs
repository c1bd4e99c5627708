//! Linear combinations of the columns and of the rows of a matrix: rows are independent, and sums over runs of rows are added.

use std::ops::Range;

use super::{powers, random_element};
use crate::backend::{AcceleratedField, Backend, MatrixView};
use crate::dispatch::{
    Call, Cost, Dispatcher, Divisible, Kind, Measured, Member, Operation, Share, Untested, timed,
};
use crate::error::Error;
use crate::field::TwoAdic;
use crate::memory::StridedMut;
use crate::work::{Activity, Size};

/// What is combined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combined {
    /// Columns, with a row of factors for each.
    Columns,
    /// Rows, with a row of factors for each.
    Rows,
}

/// Combinations of columns or of rows, as [`Combinations`](crate::backend::Combinations) have them.
pub(crate) struct Combine<'a, F> {
    pub(crate) combined: Combined,
    pub(crate) matrix: MatrixView<'a, F>,
    pub(crate) factors: MatrixView<'a, F>,
    pub(crate) result: &'a mut [F],
}

impl Combined {
    pub(crate) const fn activity(self) -> Activity {
        match self {
            Self::Columns => Activity::COMBINED_COLUMNS,
            Self::Rows => Activity::COMBINED_ROWS,
        }
    }

    pub(super) const fn kind<F: AcceleratedField>(self) -> Kind {
        let sample = match self {
            Self::Columns => columns::<F>,
            Self::Rows => rows::<F>,
        };
        Kind { name: self.activity().name, variant: F::NAME, sample }
    }

    fn run<F: AcceleratedField>(
        self,
        backend: &dyn Backend,
        matrix: MatrixView<'_, F>,
        factors: MatrixView<'_, F>,
        result: &mut [F],
    ) -> Result<(), Error> {
        let combinations = F::combinations(backend);
        match self {
            Self::Columns => combinations.combine_columns(matrix, factors, result),
            Self::Rows => combinations.combine_rows(factors, matrix, result),
        }
    }
}

fn columns<F: AcceleratedField>(backend: &dyn Backend, log: u32) -> Measured {
    sample::<F>(Combined::Columns, backend, log)
}

fn rows<F: AcceleratedField>(backend: &dyn Backend, log: u32) -> Measured {
    sample::<F>(Combined::Rows, backend, log)
}

/// Two combinations for a matrix of at most 64 columns.
fn sample<F: AcceleratedField>(combined: Combined, backend: &dyn Backend, log: u32) -> Measured {
    let width = 1 << (log / 2).min(6);
    let rows = (1 << log) / width;
    let (elements, factors) =
        (powers(F::of_integer(7), rows * width), powers(F::of_integer(5), 2 * rows.max(width)));
    let matrix = MatrixView { elements: &elements, rows, columns: width, row_step: width, column_step: 1 };
    let (count, results) = match combined {
        Combined::Columns => (width, 2 * rows),
        Combined::Rows => (rows, 2 * width),
    };
    let factors = MatrixView { elements: &factors, rows: count, columns: 2, row_step: 2, column_step: 1 };
    let mut result = vec![F::ZERO; results];
    timed(|| combined.run(backend, matrix, factors, &mut result), [elements.len() as f64; 2])
}

/// The size on a device.
fn size<F>(
    combined: Combined,
    matrix: MatrixView<'_, F>,
    factors: MatrixView<'_, F>,
    results: usize,
) -> Size {
    let elements = matrix.rows * matrix.columns;
    let [bytes_in, bytes_out] =
        [elements + factors.rows * factors.columns, results].map(|count| count * size_of::<F>());
    combined.activity().of(elements, bytes_in, bytes_out)
}

impl<F: AcceleratedField> Call for Combine<'_, F> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        size(self.combined, self.matrix, self.factors, self.result.len())
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        self.combined.run(device.backend(), self.matrix, self.factors, self.result)
    }
}

impl<F: AcceleratedField> Operation for Combine<'_, F> {
    fn costs(&self) -> Vec<Cost> {
        let elements = self.matrix.rows * self.matrix.columns;
        vec![Cost { kind: self.combined.kind::<F>(), work: [elements as f64; 2] }]
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<(), Error> {
        dispatcher.divided(self)
    }

    /// With the powers of a random r, the sum of r^k times combination k is the combination with the sums of r^k times factor k.
    fn tested(self, untested: &Untested<'_>) -> Result<(), Error> {
        let Self { combined, matrix, factors, result } = self;
        untested.run(Combine { combined, matrix, factors, result: &mut *result })?;
        let powers = powers(random_element::<F>(), factors.columns);
        let sum = |entry: &dyn Fn(usize) -> F| {
            powers.iter().enumerate().fold(F::ZERO, |sum, (k, &power)| sum + power * entry(k))
        };
        let folded: Vec<F> = (0..factors.rows).map(|term| sum(&|k| factors.get(term, k))).collect();
        let (items, item_step, step) = match combined {
            Combined::Columns => (matrix, 1, matrix.rows),
            Combined::Rows => (matrix.transposed(), factors.columns, 1),
        };
        let passes = (0..items.rows).all(|item| {
            let terms = folded.iter().enumerate().map(|(term, &factor)| items.get(item, term) * factor);
            sum(&|k| result[item * item_step + k * step]) == terms.fold(F::ZERO, |sum, term| sum + term)
        });
        untested.expect(passes, "the check of combinations")
    }
}

/// The results for a run of rows, in memory of their own.
pub(crate) struct Part<'a, F> {
    combined: Combined,
    matrix: MatrixView<'a, F>,
    factors: MatrixView<'a, F>,
}

impl<F> Part<'_, F> {
    fn results(&self) -> usize {
        let items = match self.combined {
            Combined::Columns => self.matrix.rows,
            Combined::Rows => self.matrix.columns,
        };
        items * self.factors.columns
    }
}

impl<F: AcceleratedField> Call for Part<'_, F> {
    type Output = Vec<F>;

    fn size(&self, _: &Member) -> Size {
        size(self.combined, self.matrix, self.factors, self.results())
    }

    fn run(self, device: &Member) -> Result<Vec<F>, Error> {
        let mut result = F::zeros(self.results())?;
        self.combined.run(device.backend(), self.matrix, self.factors, &mut result)?;
        Ok(result)
    }
}

impl<'a, F: AcceleratedField> Divisible for Combine<'a, F> {
    type Outcome = Vec<F>;
    type Part<'p>
        = Part<'p, F>
    where
        Self: 'p;

    fn items(&self, _: &[Member]) -> usize {
        self.matrix.rows
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<Part<'_, F>>, Error> {
        let &mut Self { combined, matrix, factors, .. } = self;
        let part = |share: &Share| {
            let factors = match combined {
                Combined::Columns => factors,
                Combined::Rows => factors.range(share.items.clone()),
            };
            Part { combined, matrix: matrix.range(share.items.clone()), factors }
        };
        Ok(shares.iter().map(part).collect())
    }

    fn join(self, shares: &[Share], outcomes: Vec<Result<Vec<F>, Error>>) -> Result<(), Error> {
        let parts = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
        if self.combined == Combined::Rows {
            self.result.fill(F::ZERO);
        }
        for (share, part) in shares.iter().zip(parts) {
            self.combined.put(self.result, self.matrix.rows, share.items.clone(), &part);
        }
        Ok(())
    }
}

impl Combined {
    /// Adds the result for a run of `rows` rows to that for all, of which sums of rows were 0 before.
    pub(crate) fn put<F: TwoAdic>(self, result: &mut [F], rows: usize, run: Range<usize>, part: &[F]) {
        match self {
            Self::Columns => StridedMut::new(result, rows, run).put(part),
            Self::Rows => result.iter_mut().zip(part).for_each(|(sum, &more)| *sum = *sum + more),
        }
    }
}
