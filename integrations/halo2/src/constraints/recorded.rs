//! The constraints of a circuit as programs, whose sum by powers of a challenge the quotient is made of.

use std::ops::Range;

use ff::Field;
use zkaccel::bn254::Fr;
use zkaccel::program::{Builder, ProgramRows};
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};

use super::layout::{CIRCUIT, MATRICES_OF_CONSTRAINTS, Scalars};
use super::programs::{Programs, divided_by, run};
use super::{Constraint, Constraints, Recorder, System};

/// The sum so far among the inputs of programs.
const SUM: usize = MATRICES_OF_CONSTRAINTS;

/// The constraints of a circuit as programs, each of which adds those of a range to a sum.
#[derive(Debug)]
pub(crate) struct Recorded {
    programs: Programs,
    count: usize,
}

impl Recorded {
    /// A constraint for which devices have no room alone is an error by its name.
    pub(crate) fn new<S: System>(constraints: &Constraints<'_, S>) -> Result<Self, (String, Error)> {
        let list = constraints.list();
        let record =
            |builder: &mut Builder<Fr>, range: Range<usize>| record(builder, constraints, &list[range]);
        let programs = divided_by(0..list.len(), &record)
            .map_err(|(index, error)| (constraints.name(list[index]), error))?;
        Ok(Self { programs, count: list.len() })
    }

    /// The weights of the constraints of so many circuits, the last of which has weight 1: powers of y.
    pub(crate) fn weights(&self, y: Fr, circuits: usize) -> Vec<Fr> {
        let powers = std::iter::successors(Some(Fr::ONE), |power| Some(power * y));
        let mut weights: Vec<Fr> = powers.take(self.count * circuits).collect();
        weights.reverse();
        weights
    }

    /// Adds the constraints of a circuit, by their weights among those of all, to a sum, which may be of one row: in all rows of the values of the key and of the circuit.
    #[allow(clippy::too_many_arguments, reason = "what constraints are about")]
    pub(crate) fn added(
        &self,
        engine: &Engine,
        rows: ProgramRows,
        mut sum: DeviceMatrix<Fr>,
        key: &DeviceMatrix<Fr>,
        (number, circuit): (usize, &[Option<DeviceMatrix<Fr>>; CIRCUIT.len()]),
        scalars: &Scalars,
        weights: &[Fr],
    ) -> Result<DeviceMatrix<Fr>, Error> {
        for (range, program) in &self.programs {
            // Scalars, the weight of the sum so far, and those of the constraints of the program.
            let mut values = scalars.as_slice().to_vec();
            values.push(Fr::ONE);
            values.extend(&weights[number * self.count..][range.clone()]);
            let circuit = circuit.iter().map(Option::as_ref);
            let inputs: Vec<_> = std::iter::once(Some(key)).chain(circuit).chain([Some(&sum)]).collect();
            sum = run(engine, program, rows, &inputs, &values)?;
        }
        Ok(sum)
    }

    /// Whether there are no constraints.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// Records the sum so far, and constraints with weights behind it.
fn record<S: System>(builder: &mut Builder<Fr>, constraints: &Constraints<'_, S>, list: &[Constraint]) {
    let layout = constraints.layout;
    let before = builder.column(SUM, 0, 0);
    let first = layout.scalars();
    let mut terms = vec![(before, first)];
    for (index, &constraint) in list.iter().enumerate() {
        let value = constraints.value(&mut Recorder { builder, layout }, constraint);
        terms.push((value, first + 1 + index));
    }
    builder.weighted_sum(terms, 1);
}
