//! Plonky3 keeps elements as words that may exceed the modulus, zkaccel as canonical ones.

use p3_field::PrimeField64;
use p3_matrix::Matrix as _;
use p3_matrix::dense::RowMajorMatrix;
use rayon::prelude::*;
use zkaccel::field::Goldilocks;
use zkaccel::matrix::Matrix;

/// Elements that a task converts.
pub(crate) const GRAIN: usize = 1 << 12;

pub(crate) fn to_engine(element: p3_goldilocks::Goldilocks) -> Goldilocks {
    Goldilocks::new(element.as_canonical_u64())
}

pub(crate) fn from_engine(element: Goldilocks) -> p3_goldilocks::Goldilocks {
    p3_goldilocks::Goldilocks::new(element.as_u64())
}

/// A matrix as the engine takes it.
pub(crate) fn matrix(matrix: &RowMajorMatrix<p3_goldilocks::Goldilocks>) -> Matrix<Goldilocks> {
    let words = matrix.values.par_iter().with_min_len(GRAIN).map(|&x| to_engine(x)).collect();
    Matrix::from_rows(words, matrix.height(), matrix.width()).expect("a matrix of whole rows")
}

/// A matrix as Plonky3 takes it.
pub(crate) fn dense(matrix: Matrix<Goldilocks>) -> RowMajorMatrix<p3_goldilocks::Goldilocks> {
    let words = matrix.as_slice().par_iter().with_min_len(GRAIN);
    RowMajorMatrix::new(words.map(|&x| from_engine(x)).collect(), matrix.shape().columns)
}
