//! halo2-axiom's elements as zkaccel's, and back.

use halo2_axiom::halo2curves::bn256;
use halo2_axiom::poly::Polynomial;
use zkaccel::bn254::{Fr, G1, G1Affine};

use crate::types;

crate::bn254!(pub(super) Axiom = halo2_axiom::halo2curves::bn256);

crate::constraint_system!(Axiom = halo2_axiom::plonk);

/// A scalar.
pub(super) fn ours(scalar: &bn256::Fr) -> Fr {
    types::own_scalar::<Axiom>(scalar)
}

/// A scalar of halo2's.
pub(super) fn theirs(scalar: Fr) -> bn256::Fr {
    types::scalar_of::<Axiom>(&scalar)
}

/// Scalars where they stand.
pub(super) fn slice(scalars: &[bn256::Fr]) -> &[Fr] {
    types::scalars::<Axiom, bn256::Fr>(scalars).expect("its own scalars")
}

/// The values or coefficients of polynomials, one after another.
pub(super) fn concatenated<B>(polynomials: &[Polynomial<bn256::Fr, B>]) -> Vec<Fr> {
    polynomials.iter().flat_map(|polynomial| slice(polynomial.values())).copied().collect()
}

/// Public values, filled up with zeros, one column after another.
pub(super) fn concatenated_slices(columns: &[&[bn256::Fr]], rows: usize) -> Vec<Fr> {
    let mut values = vec![Fr::zero(); columns.len() * rows];
    for (values, column) in values.chunks_mut(rows).zip(columns) {
        values[..column.len()].copy_from_slice(slice(column));
    }
    values
}

/// Points where they stand.
pub(super) fn points(points: &[bn256::G1Affine]) -> &[G1Affine] {
    types::points::<Axiom, bn256::G1Affine>(points).expect("its own points")
}

/// A sum in halo2's form.
pub(super) fn sum(sum: &G1) -> bn256::G1 {
    types::sum::<Axiom, bn256::G1>(sum)
}
