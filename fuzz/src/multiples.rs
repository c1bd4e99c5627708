//! Points that are known multiples of the generators of their curves, so that any sum of products of them is one multiplication.

use std::sync::LazyLock;

use halo2curves::bls12381;
use halo2curves::bn256;
use halo2curves::ff::Field;
use halo2curves::group::{Curve as _, Group};
use halo2curves::grumpkin;
use halo2curves::pasta::{PallasAffine, VestaAffine};
use zkaccel::matrix::Element;
use zkaccel::msm::AcceleratedCurve;
use zkaccel::{bls12_377, bw6_761};

use crate::draw::Draw;

/// Different points, beside their negatives and the identity.
const POOL: usize = 64;

/// Multiples of the generator, with their factors.
pub struct Pool<C: AcceleratedCurve> {
    factors: Vec<C::Scalar>,
    points: Vec<C>,
}

/// A curve whose pool is made once.
pub trait Pooled: AcceleratedCurve<Scalar: Element> {
    fn pool() -> &'static Pool<Self>;
}

macro_rules! pooled {
    ($($curve:ty),*) => {$(
        impl Pooled for $curve {
            fn pool() -> &'static Pool<Self> {
                static MADE: LazyLock<Pool<$curve>> = LazyLock::new(Pool::new);
                &MADE
            }
        }
    )*};
}
pooled!(
    bn256::G1Affine,
    grumpkin::G1Affine,
    bn256::G2Affine,
    PallasAffine,
    VestaAffine,
    bls12381::G1Affine,
    bls12381::G2Affine,
    bls12_377::G1Affine,
    bls12_377::G2Affine,
    bw6_761::G1Affine
);

impl<C: Pooled> Pool<C> {
    fn new() -> Self {
        let step = C::Scalar::from(0x9e37_79b9_7f4a_7c15).square();
        let factors: Vec<_> =
            std::iter::successors(Some(C::Scalar::ONE), |factor| Some(*factor * step)).take(POOL).collect();
        let points = factors.iter().map(|factor| (C::Projective::generator() * factor).to_affine()).collect();
        Self { factors, points }
    }
}

/// So many multiples, with their factors: identities, opposite and equal ones among them.
pub fn multiples<C: Pooled>(draw: &mut Draw<'_>, len: usize) -> (Vec<C::Scalar>, Vec<C>) {
    let (pool, different) = (C::pool(), 1 + draw.below(POOL));
    let mut words = draw.words();
    (0..len)
        .map(|_| {
            let (word, i) = (words.next(), words.next() as usize % different);
            match word % 8 {
                0 => (C::Scalar::ZERO, C::default()),
                1 | 2 => (-pool.factors[i], -pool.points[i]),
                _ => (pool.factors[i], pool.points[i]),
            }
        })
        .unzip()
}
