//! The quotient of the constraints, a coset at a time.
//!
//! # Mathematical description
//!
//! The constraints c_0, ..., c_(r-1) of all circuits are added up by powers of a challenge, sum y^(r-1-i) c_i, on each coset of [`Domain`](super::domain::Domain); what is
//! divided by X^n - 1 there becomes coefficients, of which the pieces of the quotient are combinations.

use ff::Field;
use zkaccel::Error;
use zkaccel::bn254::Fr;
use zkaccel::ntt::Ntt;
use zkaccel::resident::DeviceMatrix;

use super::key::Key;
use super::residence::Residence;
use crate::constraints::layout::{CIRCUIT, Scalars};

/// The coefficients of the polynomials of a circuit, by matrix; those that it has none of are missing.
pub(super) type Coefficients<'a> = [Option<&'a DeviceMatrix<Fr>>; CIRCUIT.len()];

/// The pieces of the quotient: a column of coefficients for each.
pub(super) fn pieces(
    key: &Key,
    residence: &Residence,
    circuits: &[Coefficients<'_>],
    scalars: &Scalars,
    y: Fr,
) -> Result<DeviceMatrix<Fr>, Error> {
    let (engine, domain, recorded) = (&residence.engine, &key.domain, &key.constraints);
    let weights = recorded.weights(y, circuits.len());
    let zero = residence.bring_columns(vec![Fr::ZERO], 1)?;
    let mut parts = Vec::with_capacity(domain.cosets.len());
    for (index, &coset) in domain.cosets.iter().enumerate() {
        let of_key = key.on_coset(residence, index)?;
        let mut sum = zero.clone();
        for (number, circuit) in circuits.iter().enumerate() {
            let mut on_coset = [const { None }; CIRCUIT.len()];
            for (values, matrix) in on_coset.iter_mut().zip(circuit) {
                *values = matrix.map(|matrix| residence.on_coset(coset, matrix)).transpose()?;
            }
            let circuit = (number, &on_coset);
            sum = recorded.added(engine, domain.rows, sum, &of_key, circuit, scalars, &weights)?;
        }
        if recorded.is_empty() {
            sum = residence.bring_columns(vec![Fr::ZERO; domain.size()], domain.size())?;
        }
        engine.ntt(&Ntt::inverse(coset), &mut sum)?;
        parts.push(sum);
    }
    engine.combine_columns(&residence.beside(domain.rows, parts)?, &domain.pieces)
}
