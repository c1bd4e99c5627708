//! Data of the suite: edge values of the field and pseudo-random words.

use zkaccel::Error;
use zkaccel::field::{Goldilocks, MODULUS};
use zkaccel::hash::Digest;
use zkaccel::matrix::{Element, Matrix, Shape};
use zkaccel::ntt::{AcceleratedField, Convention, Domain};

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
pub(crate) struct Words(u64);

impl Words {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(super) fn samples<F: Samples>(&mut self, len: usize) -> Vec<F> {
        (0..len).map(|_| F::sample(self)).collect()
    }

    pub(super) fn matrix<E: Element<Base: Samples>>(&mut self, shape: Shape) -> Matrix<E> {
        let mut entries = E::zeros(shape.rows * shape.columns).expect("memory for a small matrix");
        E::base_mut(&mut entries).iter_mut().for_each(|element| *element = Samples::sample(self));
        Matrix::new(entries, shape).expect("as many entries as the shape asks for")
    }

    /// Digests of words that are canonical.
    pub(super) fn digests<D: Digest>(&mut self, len: usize) -> Vec<D> {
        bytemuck::cast_slice(&self.samples::<Goldilocks>(4 * len)).to_vec()
    }
}

/// A field of the cases.
pub(super) trait Samples: AcceleratedField {
    /// The binary logarithm of the number of points up to which every transform is compared with the oracle's.
    const LOG_SMALL: u32;
    /// Logarithms of larger numbers of points, with numbers of columns.
    const LARGE: &'static [(u32, usize)];
    /// The binary logarithm of the points of transforms that are only checked by their inverses.
    const LOG_LARGEST: u32;

    /// An element, sometimes an edge value.
    fn sample(words: &mut Words) -> Self;

    /// Values around every carry of the field's arithmetic, 0, 1 and p - 1 among them.
    fn edges() -> Vec<Self>;

    /// The subgroup of order 2^`log_size` by two generators.
    fn subgroups(log_size: u32) -> Result<[Domain<Self>; 2], Error>;

    /// Shifts of cosets, none among them.
    fn shifts() -> Vec<Self>;
}

impl Samples for Goldilocks {
    const LOG_SMALL: u32 = 11;
    const LARGE: &'static [(u32, usize)] =
        &[(12, 1), (13, 1), (14, 3), (15, 1), (16, 1), (17, 1), (18, 1), (13, 17)];
    const LOG_LARGEST: u32 = 19;

    /// An edge value one time in four.
    fn sample(words: &mut Words) -> Self {
        let word = words.next();
        match word % 4 {
            0 => Self::new(EDGES[(word >> 8) as usize % EDGES.len()]),
            _ => Self::new(word),
        }
    }

    fn edges() -> Vec<Self> {
        EDGES.map(Self::new).to_vec()
    }

    fn subgroups(log_size: u32) -> Result<[Domain; 2], Error> {
        let [first, second] = Convention::ALL.map(|convention| Domain::new(log_size, convention));
        Ok([first?, second?])
    }

    fn shifts() -> Vec<Self> {
        [1, 7, MODULUS - 1].map(Self::new).to_vec()
    }
}

#[cfg(feature = "bn254")]
macro_rules! prime_fields {
    ($($field:path, $name:literal;)*) => {$(
        impl Samples for $field {
            const LOG_SMALL: u32 = 9;
            const LARGE: &'static [(u32, usize)] = &[(10, 3), (11, 1), (12, 1), (13, 1), (14, 1), (15, 1)];
            const LOG_LARGEST: u32 = 17;

            fn sample(words: &mut Words) -> Self {
                crate::sums::scalar(words)
            }

            fn edges() -> Vec<Self> {
                crate::sums::edges()
            }

            fn subgroups(log_size: u32) -> Result<[Domain<Self>; 2], Error> {
                let subgroup = Self::some_domain(log_size)?;
                let root = subgroup.root();
                Ok([subgroup, Domain::with_root(log_size, root * root * root)?])
            }

            fn shifts() -> Vec<Self> {
                use halo2curves::ff::{Field, WithSmallOrderMulGroup};
                vec![<Self as Field>::ONE, Self::from(7), Self::ZETA, -<Self as Field>::ONE]
            }
        }
    )*};
}
#[cfg(feature = "bn254")]
zkaccel::for_every_two_adic_field!(prime_fields);
