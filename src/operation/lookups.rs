//! Permutations of lookups: each lookup is independent.

use super::{cut, powers, random_element};
use crate::backend::{AcceleratedField, Backend, MatrixView};
use crate::dispatch::{
    Call, Cost, Dispatcher, Divisible, Kind, Measured, Member, Operation, Share, Untested, timed,
};
use crate::error::Error;
use crate::work::{Activity, Size};

/// The permuted columns of lookups in host memory, as [`Lookups`](crate::backend::Lookups) have them.
pub(crate) struct PermuteLookups<'a, F> {
    pub(crate) matrix: MatrixView<'a, F>,
    pub(crate) used: usize,
    pub(crate) permuted: &'a mut [F],
}

/// The kind of permutations of lookups.
pub(super) const fn kind<F: AcceleratedField>() -> Kind {
    Kind { name: Activity::LOOKUPS.name, variant: F::NAME, sample: sample::<F> }
}

/// Of one lookup, in a table in another order.
fn sample<F: AcceleratedField>(backend: &dyn Backend, log: u32) -> Measured {
    let mut table = powers(F::of_integer(7), 1 << log);
    let mut elements = table.clone();
    table.reverse();
    elements.extend(table);
    let rows = 1 << log;
    let matrix = MatrixView { elements: &elements, rows, columns: 2, row_step: 1, column_step: rows };
    let mut permuted = vec![F::ZERO; elements.len()];
    timed(|| F::lookups(backend).permute_lookups(matrix, rows, &mut permuted), [elements.len() as f64; 2])
}

impl<F> PermuteLookups<'_, F> {
    /// Elements of what does not fall into parts: the columns of a lookup, or a row-major matrix.
    fn item(&self) -> usize {
        if self.matrix.row_step == 1 { 2 * self.matrix.rows } else { self.matrix.elements.len() }
    }
}

impl<F: AcceleratedField> Call for PermuteLookups<'_, F> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        let bytes = size_of_val(self.permuted);
        Activity::LOOKUPS.of(self.permuted.len(), bytes, bytes)
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        F::lookups(device.backend()).permute_lookups(self.matrix, self.used, self.permuted)
    }
}

impl<F: AcceleratedField> Operation for PermuteLookups<'_, F> {
    fn costs(&self) -> Vec<Cost> {
        vec![Cost { kind: kind::<F>(), work: [self.permuted.len() as f64; 2] }]
    }

    fn dispatch(self, dispatcher: &Dispatcher) -> Result<(), Error> {
        dispatcher.divided(self)
    }

    /// A permuted input is its neighbour or the one beside it; the others of a permuted table and the firsts of groups, both in their order, are the table in its order; and the product of all
    /// r + x is the same for the inputs and the permuted ones, for a random r.
    fn tested(self, untested: &Untested<'_>) -> Result<(), Error> {
        let Self { matrix, used, permuted } = self;
        untested.run(PermuteLookups { matrix, used, permuted: &mut *permuted })?;
        let answer = MatrixView { elements: permuted, ..matrix };
        let passes = (0..matrix.columns / 2).all(|lookup| {
            let [input, table] = [2 * lookup, 2 * lookup + 1];
            let begins = |row: usize| row == 0 || answer.get(row, input) != answer.get(row - 1, input);
            let mut firsts = (0..used).filter(|&row| begins(row)).peekable();
            let mut others = (0..used).filter(|&row| !begins(row));
            let groups = firsts.clone().all(|row| answer.get(row, input) == answer.get(row, table));
            let in_order = (0..used).all(|row| {
                let value = matrix.get(row, table);
                let is_first = firsts.next_if(|&first| answer.get(first, table) == value).is_some();
                is_first || others.next().is_some_and(|other| answer.get(other, table) == value)
            });
            let copied = (used..matrix.rows)
                .all(|row| [input, table].iter().all(|&side| answer.get(row, side) == matrix.get(row, side)));
            let r = random_element::<F>();
            let product = |matrix: MatrixView<'_, F>| {
                (0..used).fold(F::ONE, |product, row| product * (r + matrix.get(row, input)))
            };
            groups && in_order && copied && product(matrix) == product(answer)
        });
        untested.expect(passes, "the check of permutations of lookups")
    }
}

impl<'a, F: AcceleratedField> Divisible for PermuteLookups<'a, F> {
    type Outcome = ();
    type Part<'p>
        = PermuteLookups<'p, F>
    where
        Self: 'p;

    fn items(&self, _: &[Member]) -> usize {
        self.permuted.len() / self.item()
    }

    fn divide(&mut self, shares: &[Share], _: &[Member]) -> Result<Vec<PermuteLookups<'_, F>>, Error> {
        let (item, matrix, used) = (self.item(), self.matrix, self.used);
        let lengths = shares.iter().map(|share| share.items.len() * item);
        let part = |(share, permuted): (&Share, _)| {
            let elements = &matrix.elements[share.items.start * item..share.items.end * item];
            let columns = elements.len() / matrix.rows;
            PermuteLookups { matrix: MatrixView { elements, columns, ..matrix }, used, permuted }
        };
        Ok(shares.iter().zip(cut(self.permuted, lengths)).map(part).collect())
    }

    fn join(self, shares: &[Share], outcomes: Vec<Result<(), Error>>) -> Result<(), Error> {
        let of_all = |(share, outcome): (&Share, Result<_, Error>)| {
            outcome.map_err(|error| error.of_lookups(share.items.start))
        };
        shares.iter().zip(outcomes).try_for_each(of_all)
    }
}
