//! The quotient of the constraints, a coset at a time.
//!
//! # Mathematical description
//!
//! The constraints c_0, ..., c_(r-1) of all circuits are added up by powers of a challenge, sum y^(r-1-i) c_i, on each coset of [`Domain`](super::domain::Domain); what is
//! divided by X^n - 1 there becomes coefficients, of which the pieces of the quotient are combinations.

use std::ops::Range;

use ff::Field;
use zkaccel::Error;
use zkaccel::bn254::Fr;
use zkaccel::ntt::Ntt;
use zkaccel::program::Builder;
use zkaccel::resident::DeviceMatrix;

use super::constraints::{Constraint, Constraints, Recorder};
use super::domain::powers;
use super::error::ProveError;
use super::key::Key;
use super::layout::{CIRCUIT, Layout, MATRICES_OF_CONSTRAINTS, Scalars};
use super::place::Place;
use super::programs::{Programs, divided_by, run};

/// The sum so far among the inputs of programs.
const SUM: usize = MATRICES_OF_CONSTRAINTS;

/// The constraints of a circuit as programs, each of which adds those of a range to a sum.
#[derive(Debug)]
pub(super) struct Recorded {
    programs: Programs,
    count: usize,
}

impl Recorded {
    pub(super) fn new(constraints: &Constraints<'_>) -> Result<Self, ProveError> {
        let (layout, list) = (constraints.layout, constraints.list());
        let record = |builder: &mut Builder<Fr>, range: Range<usize>| {
            record(builder, constraints, layout, &list[range]);
        };
        let programs = divided_by(0..list.len(), &record).map_err(|(index, error)| {
            ProveError::Unsupported(format!("{}: {error}", constraints.name(list[index])))
        })?;
        Ok(Self { programs, count: list.len() })
    }

    /// The number of constraints of a circuit.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The values of a run of one of the programs: scalars, the weight of the sum so far, and those of the constraints of its range, of all weights of a circuit.
    fn values(scalars: &Scalars, range: &Range<usize>, weights: &[Fr]) -> Vec<Fr> {
        let mut values = scalars.as_slice().to_vec();
        values.push(Fr::ONE);
        values.extend(&weights[range.clone()]);
        values
    }
}

/// Records the sum so far, and constraints with weights behind it.
fn record(builder: &mut Builder<Fr>, constraints: &Constraints<'_>, layout: &Layout, list: &[Constraint]) {
    let before = builder.column(SUM, 0, 0);
    let first = layout.scalars();
    let mut terms = vec![(before, first)];
    for (index, &constraint) in list.iter().enumerate() {
        let value = constraints.value(&mut Recorder { builder, layout }, constraint);
        terms.push((value, first + 1 + index));
    }
    builder.weighted_sum(terms, 1);
}

/// The coefficients of the polynomials of a circuit, by matrix; those that it has none of are missing.
pub(super) type Coefficients<'a> = [Option<&'a DeviceMatrix<Fr>>; CIRCUIT.len()];

/// The pieces of the quotient: a column of coefficients for each.
pub(super) fn pieces(
    key: &Key,
    place: &Place,
    circuits: &[Coefficients<'_>],
    scalars: &Scalars,
    y: Fr,
) -> Result<DeviceMatrix<Fr>, Error> {
    let (engine, domain, recorded) = (&place.engine, &key.domain, &key.constraints);
    let mut weights: Vec<Fr> = powers(y).take(recorded.count() * circuits.len()).collect();
    weights.reverse();
    let zero = place.bring_columns(vec![Fr::ZERO], 1)?;
    let mut parts = Vec::with_capacity(domain.cosets.len());
    for (index, &coset) in domain.cosets.iter().enumerate() {
        let of_key = key.on_coset(place, index)?;
        let mut sum = zero.clone();
        for (number, circuit) in circuits.iter().enumerate() {
            let on_coset =
                circuit.iter().map(|matrix| matrix.map(|matrix| place.on_coset(coset, matrix)).transpose());
            let on_coset = on_coset.collect::<Result<Vec<_>, Error>>()?;
            let weights = &weights[number * recorded.count()..][..recorded.count()];
            for (range, program) in &recorded.programs {
                let values = Recorded::values(scalars, range, weights);
                let of_circuit = on_coset.iter().map(Option::as_ref);
                let inputs: Vec<_> =
                    std::iter::once(Some(&of_key)).chain(of_circuit).chain([Some(&sum)]).collect();
                sum = run(engine, program, domain.rows, &inputs, &values)?;
            }
        }
        if recorded.programs.is_empty() {
            sum = place.bring_columns(vec![Fr::ZERO; domain.size()], domain.size())?;
        }
        engine.ntt(&Ntt::inverse(coset), &mut sum)?;
        parts.push(sum);
    }
    engine.combine_columns(&place.beside(domain.rows, parts)?, &domain.pieces)
}
