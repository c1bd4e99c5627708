//! Data of the suite: edge values of the field and pseudo-random words.

use crate::field::{Field, Goldilocks, MODULUS};
use crate::matrix::{Matrix, Shape};

/// Words around every carry of the field's arithmetic.
pub(super) const EDGES: [u64; 14] = [
    0,
    1,
    2,
    (1 << 32) - 2,
    (1 << 32) - 1,
    1 << 32,
    (1 << 32) + 1,
    (1 << 63) - 1,
    1 << 63,
    MODULUS / 2,
    MODULUS - (1 << 32),
    MODULUS - 2,
    MODULUS - 1,
    0xffff_fffe_ffff_ffff,
];

/// The words at or above p: no encodings of elements.
pub(super) const NON_CANONICAL: [u64; 3] = [MODULUS, MODULUS + 1, u64::MAX];

/// A generator of words: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
pub(super) struct Words(u64);

impl Words {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// An element: an edge value one time in four.
    pub(super) fn element(&mut self) -> Goldilocks {
        let word = self.next();
        match word % 4 {
            0 => Goldilocks::new(EDGES[(word >> 8) as usize % EDGES.len()]),
            _ => Goldilocks::new(word),
        }
    }

    pub(super) fn elements(&mut self, len: usize) -> Vec<Goldilocks> {
        (0..len).map(|_| self.element()).collect()
    }

    pub(super) fn matrix<F: Field>(&mut self, shape: Shape) -> Matrix<F> {
        let words = self.elements(shape.rows * shape.columns * F::DEGREE);
        let data =
            words.chunks_exact(F::DEGREE).map(|words| *bytemuck::from_bytes(bytemuck::cast_slice(words)));
        Matrix::new(data.collect(), shape).expect("as many entries as the shape asks for")
    }
}
