//! Residues modulo a prime side by side: what sums over curves and transforms over prime fields ask of a processor.
//!
//! # Mathematical description
//!
//! In memory x stands as x 2^256 modulo p, four 64-bit limbs, anything below 2p ([`montgomery`](crate::field::montgomery)).
//! Implementations read and write that and nothing else, but multiply as suits their limbs: the product of two values a and b
//! is a b / 2^(256 + 2 `SHIFT`), so values that are multiplied gather powers of 2, which algorithms account for in a constant
//! or a shift here and there. Nobody converts elements.
//!
//! Algorithms are written once over [`Residues`], by the rules of [`dispatch`](super::simd), and [`on_residues`] chooses
//! the implementation for a level: [`Scalar`], one residue in four limbs, or [`Radix52`], eight in five limbs each.

mod radix_52;
mod scalar;
#[cfg(test)]
mod tests;

pub(super) use radix_52::Radix52;
pub(super) use scalar::Scalar;

use super::quadwords::MAX_WIDTH;
use super::simd::Vectors;
use crate::field::MontgomeryField;
use crate::field::known_factor::KnownFactor;
use crate::field::montgomery::{Limbs, Modulus, Residue};

/// How a table has a twiddle z, which is a root of unity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TwiddleForm {
    /// z 2^shift in Montgomery form, below p: one row.
    Shifted(u32),
    /// Two rows, those of a [`KnownFactor`].
    WithQuotients,
}

impl TwiddleForm {
    /// Rows of limbs that a twiddle takes.
    #[inline(always)]
    pub(super) const fn rows(self) -> usize {
        match self {
            Self::Shifted(_) => 1,
            Self::WithQuotients => 2,
        }
    }

    /// These rows, of two the first ones.
    pub(super) fn limbs<M: Modulus>(self, root: Residue<M>) -> [Limbs; 2] {
        match self {
            Self::Shifted(shift) => [root.mul(Residue::from_word(1 << shift)).canonical(), [0; 4]],
            Self::WithQuotients => KnownFactor::limbs(root),
        }
    }
}

/// Arithmetic on `WIDTH` residues at once, a power of two up to [`MAX_WIDTH`]; a name for functions, of which there are no values.
pub(super) trait Residues: Vectors + Copy + Send + Sync + 'static {
    /// The field.
    type Field: MontgomeryField;

    /// What can be added, subtracted, and stored. Each operation says how large values may be, as multiples of p.
    type Sum: Copy + Send + Sync;

    /// What can be multiplied.
    type Factor: Copy + Send + Sync;

    /// What values of transforms can be multiplied with.
    type Twiddle: Copy + Send + Sync;

    /// How tables have twiddles.
    const TWIDDLES: TwiddleForm;

    /// Half the bits of 2 by which products are divided beyond 256.
    const SHIFT: u32;

    /// The values at the first `WIDTH` places; below 2p.
    fn gather(rows: [&Limbs; MAX_WIDTH]) -> Self::Sum;

    /// Values in memory as those of a transform, where they are the same.
    fn in_place(values: &mut [Residue<Self::Field>]) -> Option<&mut [Self::Sum]>;

    /// The limbs of values that come from `gather` or `reduced`; rows beyond `WIDTH` mean nothing.
    fn rows(values: Self::Sum) -> [Limbs; MAX_WIDTH];

    /// The same value in every lane.
    fn splat(value: Residue<Self::Field>) -> Self::Factor;

    /// Each of the first `WIDTH` values, below 2p, as factors.
    fn factors(rows: [&Limbs; MAX_WIDTH]) -> Self::Factor;

    /// The limbs of factors, below 2p.
    fn rows_of_factors(factors: Self::Factor) -> [Limbs; MAX_WIDTH];

    /// Products divided by 2^(256 + 2 `SHIFT`), for factors made of sums as described there; below 3p.
    fn product(a: Self::Factor, b: Self::Factor) -> Self::Sum;

    /// Products of factors with themselves, likewise.
    fn square(a: Self::Factor) -> Self::Sum;

    /// A product as a factor.
    fn of_product(product: Self::Sum) -> Self::Factor;

    /// a - b as a factor, for values below 2p.
    fn difference(a: Self::Sum, b: Self::Sum) -> Self::Factor;

    /// (a - b) 2^`SHIFT` as a factor, for values below 2p.
    fn shifted_difference(a: Self::Sum, b: Self::Sum) -> Self::Factor;

    /// a - b, for a product or such a difference, and b below 2p. At most twice before [`reduced`](Self::reduced).
    fn minus(a: Self::Sum, b: Self::Sum) -> Self::Sum;

    /// Such a difference below 2p.
    fn reduced(a: Self::Sum) -> Self::Sum;

    /// -a in lanes whose bit is set, else a, for values below 2p; at most 2p.
    fn negated_where(a: Self::Sum, lanes: u8) -> Self::Sum;

    /// A bit for each lane, lowest first: whether a - b may be 0 modulo p, for values below 2p. It is set wherever that is so,
    /// and with a probability of 2^-50 elsewhere.
    fn may_be_equal(a: Self::Sum, b: Self::Sum) -> u8;

    /// A bit for each lane: whether the value, from `gather`, may be the integer 0; in the same sense.
    fn may_be_zero(a: Self::Sum) -> u8;

    /// Values of a transform, up to 40p in magnitude, times factors made of residues x 2^(256 + 2 `SHIFT`): a x, up to 2.2p.
    fn scaled(a: Self::Sum, factor: Self::Factor) -> Self::Sum;

    /// A twiddle of a table, for every lane.
    fn twiddle(rows: &[Limbs]) -> Self::Twiddle;

    /// Values of a transform, up to 40p in magnitude, times a twiddle: up to 2.2p.
    fn times_twiddle(a: Self::Sum, twiddle: Self::Twiddle) -> Self::Sum;

    /// A value of a transform, made small enough for two layers of butterflies.
    fn before_two_layers(a: Self::Sum) -> Self::Sum;

    /// a + b and a - b, for values of a transform, of which b is up to 2.2p. Magnitudes add up.
    fn butterfly(a: Self::Sum, b: Self::Sum) -> [Self::Sum; 2];

    /// A value of a transform below 2p.
    fn below_2p(a: Self::Sum) -> Self::Sum;

    /// Such a value below p.
    fn canonical(a: Self::Sum) -> Self::Sum;

    /// Exchanges lanes and vectors: value j of vector i with value i of vector j, among the first `WIDTH` vectors.
    fn transposed(vectors: [Self::Sum; MAX_WIDTH]) -> [Self::Sum; MAX_WIDTH];
}

/// Evaluates an expression in which a name stands for `PhantomData<R>`, R being the implementation for a level, which must be available,
/// and a field.
macro_rules! on_residues {
    ($simd:expr, $field:ty, $residues:ident, $body:expr) => {
        $crate::backend::cpu::simd::on_vectors!(
            $simd,
            Quadwords as Q => {
                let $residues = std::marker::PhantomData::<$crate::backend::cpu::residues::Radix52<Q, $field>>;
                $body
            },
            else {
                let $residues = std::marker::PhantomData::<$crate::backend::cpu::residues::Scalar<$field>>;
                $body
            }
        )
    };
}
pub(super) use on_residues;
