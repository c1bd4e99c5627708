//! The witness of a quadratic arithmetic program.
//!
//! With matrices A, B, C and the assignment z, let a, b, c be the polynomials of degree below n with the values A z, B z, C z on a
//! subgroup of n points (the inputs themselves stand behind the rows of A). The witness is h = (a b - c) / (x^n - 1), made of values on
//! the coset by the field's generator, where x^n - 1 is constant. This is `LibsnarkReduction` of ark-groth16, with seven
//! transforms by the engine.

use ark_bn254::Fr;
use ark_ff::{AdditiveGroup, FftField, Field};
use ark_groth16::r1cs_to_qap::evaluate_constraint;
use ark_relations::utils::matrix::Matrix;
use rayon::prelude::*;
use zkaccel::Error;

use crate::domain::Domain;

/// The coefficients of h, for three matrices of equal height and a domain that holds their rows and the inputs.
pub(crate) fn witness(
    domain: &Domain,
    matrices: &[Matrix<Fr>],
    inputs: usize,
    assignment: &[Fr],
) -> Result<Vec<Fr>, Error> {
    let constraints = matrices[0].len();
    let coset = domain.get_coset(Fr::GENERATOR)?;
    let on_coset = |matrix: &Matrix<Fr>, behind: &[Fr]| {
        let mut values = vec![Fr::ZERO; domain.size()];
        let rows = values[..constraints].par_iter_mut().zip(matrix).with_min_len(1 << 8);
        rows.for_each(|(value, row)| *value = evaluate_constraint(row, assignment));
        values[constraints..][..behind.len()].copy_from_slice(behind);
        domain.ifft_in_place(&mut values)?;
        coset.fft_in_place(&mut values)?;
        Ok::<_, Error>(values)
    };
    let mut h = on_coset(&matrices[0], &assignment[..inputs])?;
    let b = on_coset(&matrices[1], &[])?;
    let c = on_coset(&matrices[2], &[])?;
    let vanishing = Fr::GENERATOR.pow([domain.size() as u64]) - Fr::ONE;
    let scale = vanishing.inverse().expect("the coset is apart from the subgroup");
    h.par_iter_mut().zip(b).zip(c).with_min_len(1 << 12).for_each(|((h, b), c)| *h = (*h * b - c) * scale);
    coset.ifft_in_place(&mut h)?;
    Ok(h)
}
