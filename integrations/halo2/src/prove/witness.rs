//! What a circuit assigns: halo2's `Assignment`, with columns of its own.
//!
//! Cells are what halo2 has them as, fractions whose inversions are put off. A circuit may go from one phase to the next while it synthesises; the columns of the phase are then
//! handed over.

use ff::{BatchInvert, Field};
use halo2_axiom::circuit::Value;
use halo2_axiom::halo2curves::bn256::Fr;
use halo2_axiom::plonk::{
    Advice, Any, Assigned, Assignment, Challenge, Circuit, Column, ConstraintSystem, Error, Fixed,
    FloorPlanner, Instance, Selector,
};
use rayon::prelude::*;

use super::error::ProveError;

/// Cells that a thread converts at a time.
const CHUNK: usize = 1 << 10;

/// What is done with the columns of a phase when it ends: the values, one column after another, and challenges in place of those that are drawn.
pub(super) type EndPhase<'a> = dyn FnMut(usize, Vec<Fr>, &mut [Option<Fr>]) -> Result<(), ProveError> + 'a;

/// A circuit's cells while it synthesises.
struct Cells<'a> {
    rows: usize,
    usable: usize,
    /// Empty once their phase has ended.
    columns: Vec<Vec<Assigned<Fr>>>,
    phases: &'a [u8],
    instances: &'a [&'a [Fr]],
    challenges: Vec<Option<Fr>>,
    phase: usize,
    end_phase: &'a mut EndPhase<'a>,
    failed: Option<ProveError>,
}

/// The numbers of columns' phases, and how many there are.
fn phases(system: &ConstraintSystem<Fr>) -> (Vec<u8>, usize) {
    let phases = system.advice_column_phase();
    let count = phases.iter().max().map_or(1, |&last| usize::from(last) + 1);
    (phases, count)
}

/// Synthesises a circuit. Returns the challenges.
pub(super) fn run<'a, C: Circuit<Fr>>(
    system: &ConstraintSystem<Fr>,
    rows: usize,
    circuit: &C,
    instances: &'a [&'a [Fr]],
    end_phase: &'a mut EndPhase<'a>,
) -> Result<Vec<Fr>, ProveError> {
    let (phases, count) = phases(system);
    let columns = phases.par_iter().map(|_| vec![Assigned::Zero; rows]).collect();
    let config = configure(circuit);
    // Columns live until the end of this function, though their phases end before: a circuit has references to cells.
    let mut cells = Cells {
        rows,
        usable: rows - (system.blinding_factors() + 1),
        columns,
        phases: &phases,
        instances,
        challenges: vec![None; system.num_challenges()],
        phase: 0,
        end_phase,
        failed: None,
    };
    // A circuit that does not go through all phases by itself is synthesised again for the next one, as halo2 does.
    while cells.phase < count {
        let constants = system.constants().clone();
        C::FloorPlanner::synthesize(&mut cells, circuit, config.clone(), constants)?;
        if cells.phase < count {
            cells.next_phase();
        }
        if let Some(failed) = cells.failed.take() {
            return Err(failed);
        }
    }
    Ok(cells.challenges.iter().map(|challenge| challenge.unwrap_or(Fr::ZERO)).collect())
}

/// What circuits have if halo2-axiom's feature `circuit-params` is on, for where it is off: bounds of a type parameter come before traits in scope.
#[allow(dead_code, reason = "with that feature")]
trait WithoutParams: Circuit<Fr> {
    fn params(&self) {}

    fn configure_with_params(system: &mut ConstraintSystem<Fr>, (): ()) -> Self::Config {
        Self::configure(system)
    }
}

impl<C: Circuit<Fr>> WithoutParams for C {}

#[allow(clippy::unit_arg, reason = "without that feature")]
fn configure<C: Circuit<Fr>>(circuit: &C) -> C::Config {
    C::configure_with_params(&mut ConstraintSystem::default(), circuit.params())
}

impl Cells<'_> {
    fn fail(&mut self, error: impl Into<ProveError>) {
        let error = error.into();
        self.failed.get_or_insert(error);
    }

    fn too_few_rows(&self) -> Error {
        Error::NotEnoughRowsAvailable { current_k: self.rows.ilog2() }
    }

    /// The values of the columns of the current phase.
    fn values(&self) -> Vec<Fr> {
        let columns: Vec<&[Assigned<Fr>]> = (self.columns.iter().zip(self.phases))
            .filter(|(_, phase)| usize::from(**phase) == self.phase)
            .map(|(column, _)| column.as_slice())
            .collect();
        let mut values: Vec<Fr> = (0..columns.len() * self.rows).into_par_iter().map(|_| Fr::ZERO).collect();
        // Both powers of two, so that no piece is of two columns.
        let piece = CHUNK.min(self.rows);
        let cells = columns.par_iter().flat_map(|column| column.par_chunks(piece));
        let cells: Vec<&[Assigned<Fr>]> = cells.collect();
        values.par_chunks_mut(piece).zip(cells).for_each(|(values, cells)| evaluate(cells, values));
        values
    }
}

/// The values of cells, by one inversion for all.
fn evaluate(cells: &[Assigned<Fr>], values: &mut [Fr]) {
    let mut denominators: Vec<Fr> = Vec::new();
    for (value, cell) in values.iter_mut().zip(cells) {
        *value = match cell {
            Assigned::Zero => Fr::ZERO,
            Assigned::Trivial(value) => *value,
            Assigned::Rational(numerator, denominator) => {
                denominators.push(*denominator);
                *numerator
            }
        };
    }
    if denominators.is_empty() {
        return;
    }
    // Zero stays zero, which is what halo2 makes of a fraction without a value.
    denominators.iter_mut().batch_invert();
    let mut inverses = denominators.into_iter();
    for (value, cell) in values.iter_mut().zip(cells) {
        if let Assigned::Rational(..) = cell {
            *value *= inverses.next().expect("an inverse for each");
        }
    }
}

impl Assignment<Fr> for Cells<'_> {
    fn enter_region<NR: Into<String>, N: FnOnce() -> NR>(&mut self, _: N) {}

    fn exit_region(&mut self) {}

    fn annotate_column<A: FnOnce() -> AR, AR: Into<String>>(&mut self, _: A, _: Column<Any>) {}

    fn enable_selector<A: FnOnce() -> AR, AR: Into<String>>(
        &mut self,
        _: A,
        _: &Selector,
        _: usize,
    ) -> Result<(), Error> {
        Ok(())
    }

    fn query_instance(&self, column: Column<Instance>, row: usize) -> Result<Value<Fr>, Error> {
        if row >= self.usable {
            return Err(self.too_few_rows());
        }
        let value = self.instances.get(column.index()).and_then(|column| column.get(row));
        value.map(|&value| Value::known(value)).ok_or(Error::BoundsFailure)
    }

    #[allow(unsafe_code)]
    fn assign_advice<'v>(
        &mut self,
        column: Column<Advice>,
        row: usize,
        to: Value<Assigned<Fr>>,
    ) -> Value<&'v Assigned<Fr>> {
        if row >= self.usable {
            self.fail(self.too_few_rows());
            return Value::unknown();
        }
        let mut known = None;
        to.map(|value| known = Some(value));
        let (Some(value), Some(column)) = (known, self.columns.get_mut(column.index())) else {
            self.fail(Error::Synthesis);
            return Value::unknown();
        };
        column[row] = value;
        let cell: *const Assigned<Fr> = &column[row];
        // SAFETY: the cell is part of a vector that is neither moved nor dropped before synthesis ends, and halo2's interface wants a reference without a lifetime, as it makes itself.
        Value::known(unsafe { &*cell })
    }

    fn assign_fixed(&mut self, _: Column<Fixed>, _: usize, _: Assigned<Fr>) {}

    fn copy(&mut self, _: Column<Any>, _: usize, _: Column<Any>, _: usize) {}

    fn fill_from_row(&mut self, _: Column<Fixed>, _: usize, _: Value<Assigned<Fr>>) -> Result<(), Error> {
        Ok(())
    }

    fn get_challenge(&self, challenge: Challenge) -> Value<Fr> {
        let drawn = self.challenges.get(challenge.index()).copied().flatten();
        drawn.map_or(Value::unknown(), Value::known)
    }

    fn push_namespace<NR: Into<String>, N: FnOnce() -> NR>(&mut self, _: N) {}

    fn pop_namespace(&mut self, _: Option<String>) {}

    fn next_phase(&mut self) {
        if self.failed.is_none() {
            let values = self.values();
            if let Err(error) = (self.end_phase)(self.phase, values, &mut self.challenges) {
                self.fail(error);
            }
        }
        self.phase += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_have_their_values() {
        let [one, two, six] = [1, 2, 6].map(Fr::from);
        let cells = [
            Assigned::Zero,
            Assigned::Trivial(six),
            Assigned::Rational(six, two),
            Assigned::Rational(one, Fr::ZERO),
            Assigned::Rational(Fr::ZERO, two),
            Assigned::Rational(two, six),
        ];
        let mut values = vec![two; cells.len()];
        evaluate(&cells, &mut values);
        assert_eq!(values[..5], [0, 6, 3, 0, 0].map(Fr::from));
        assert_eq!(values[5] * Fr::from(3), one);
        assert_eq!(values, cells.map(|cell| cell.evaluate()));
    }
}
