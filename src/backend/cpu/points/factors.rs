//! Scalars that points are multiplied with, in digits.

use crate::curve::{Half, TwoAdicCurve};
use crate::field::coordinates::LazyElement;
use crate::field::montgomery::{Limbs, Residue};
use crate::parallel::for_each_chunk;

/// Scalars that a thread prepares at a time.
const PIECE: usize = 1 << 8;

/// Scalars as integers, and in pairs of digits, of all as many.
pub(super) struct Factors {
    integers: Vec<Limbs>,
    digits: Vec<[i8; 2]>,
    /// The number of pairs of each.
    pairs: usize,
}

impl Factors {
    pub(super) fn new<C: TwoAdicCurve>(scalars: &[C::Scalar]) -> Self {
        let endomorphism = C::endomorphism();
        let mut halves = vec![None; scalars.len()];
        for_each_chunk(&mut halves, PIECE, |number, halves| {
            for (halves, &scalar) in halves.iter_mut().zip(&scalars[number * PIECE..]) {
                *halves = Some(endomorphism.split(Residue::of(scalar)));
            }
        });
        let pairs = halves.iter().flatten().flatten().map(Half::len).max().unwrap_or(1);
        let digits = halves.iter().flatten().flat_map(|[a, b]| a.digits(pairs).zip(b.digits(pairs)));
        let digits = digits.map(|(a, b)| [a, b]).collect();
        let integers = scalars.iter().map(|&scalar| Residue::of(scalar).to_integer()).collect();
        Self { integers, digits, pairs }
    }

    /// The pairs of digits of a scalar, lowest first.
    pub(super) fn digits(&self, index: usize) -> &[[i8; 2]] {
        &self.digits[index * self.pairs..][..self.pairs]
    }

    pub(super) fn integer(&self, index: usize) -> Limbs {
        self.integers[index]
    }

    /// Whether a scalar is 1.
    pub(super) fn is_one(&self, index: usize) -> bool {
        self.integers[index] == [1, 0, 0, 0]
    }
}
