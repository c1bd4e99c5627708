//! Residues modulo a prime side by side: what sums over curves and transforms over prime fields ask of a processor.
//!
//! # Mathematical description
//!
//! In memory x stands as x 2^256 modulo p, four 64-bit limbs, anything below 2p, or below p with a prime of 255 bits ([`montgomery`](crate::field::montgomery)); or, in six limbs, as x 2^384.
//! Implementations read and write that and nothing else, but multiply as suits their limbs: the product of two values a and b
//! is a b / 2^(256 + 2 `SHIFT`), or a b / 2^(384 + 2 `SHIFT`), so values that are multiplied gather powers of 2, which algorithms account for in a constant
//! or a shift here and there. Nobody converts elements.
//!
//! Algorithms are written once, by the rules of [`dispatch`](super::simd): sums over [`Coordinates`], elements of a prime field or of a quadratic
//! extension, transforms over [`Residues`], which are of a prime field. [`on_coordinates`] and [`on_residues`] choose the implementation for a level:
//! [`Scalar`], one element in limbs of 64 bits, or eight in five limbs of 52 bits for each coefficient, or eight limbs, [`Limbs52`](radix_52::Limbs52) and [`Pairs52`](pairs_52::Pairs52).

mod coordinates;
mod limbs_52;
mod pairs_52;
mod radix_52;
mod scalar;
#[cfg(test)]
mod tests;
mod transforms_52;

pub(super) use coordinates::{Coordinates, VectorisedField, on_coordinates};
pub(super) use radix_52::Radix52;
pub(super) use scalar::Scalar;

use super::quadwords::{MAX_WIDTH, Quadwords};
use super::simd::{APART, Vectorised, Vectors};
use crate::field::MontgomeryField;
use crate::field::known_factor::KnownFactor;
use crate::field::montgomery::{Limbs, Residue};

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
    pub(super) fn limbs<M: MontgomeryField>(self, root: Residue<M>) -> [Limbs; 2] {
        match self {
            Self::Shifted(shift) => [root.mul(Residue::from_word(1 << shift)).canonical(), [0; 4]],
            Self::WithQuotients => KnownFactor::limbs(root),
        }
    }
}

/// Arithmetic on residues of a prime field side by side: that of [`Coordinates`], and that of transforms.
pub(super) trait Residues: Coordinates<Element = Residue<<Self as Residues>::Field>> {
    /// The field.
    type Field: MontgomeryField;

    /// What values of transforms can be multiplied with.
    type Twiddle: Copy + Send + Sync;

    /// How tables have twiddles.
    const TWIDDLES: TwiddleForm;

    /// Values in memory as those of a transform, where they are the same.
    fn in_place(values: &mut [Residue<Self::Field>]) -> Option<&mut [Self::Sum]>;

    /// Each of the first `WIDTH` values, below p, times 2^(2 `SHIFT`), as factors: products of values below 2p with them are divided by 2^256 alone, and below 2p; of values below 3p, below 3p.
    fn shifted_factors(rows: [&Residue<Self::Field>; MAX_WIDTH]) -> Self::Factor;

    /// Values of a transform, up to 40p in magnitude, or 31p or 17p where the prime is not lazy, times factors made of residues x 2^(256 + 2 `SHIFT`): a x, up to 2.2p.
    fn scaled(a: Self::Sum, factor: Self::Factor) -> Self::Sum;

    /// A twiddle of a table, for every lane.
    fn twiddle(rows: &[Limbs]) -> Self::Twiddle;

    /// Such values times a twiddle: up to 2.2p, or 2p where the prime is not lazy.
    fn times_twiddle(a: Self::Sum, twiddle: Self::Twiddle) -> Self::Sum;

    /// a b, below 2p, for values below 2p.
    fn times(a: Self::Sum, b: Self::Sum) -> Self::Sum;

    /// The sum of up to [`SUMMED`] products of values below 2p with as many [`shifted_factors`](Self::shifted_factors), divided by 2^256: below 16p.
    fn sum_of_products(a: &[Self::Factor], b: &[Self::Factor]) -> Self::Sum;

    /// A value of a transform, made small enough for two layers of butterflies.
    fn before_two_layers(a: Self::Sum) -> Self::Sum;

    /// a + b and a - b, for values of a transform, of which b is such a product, or below 2p. Magnitudes add up.
    fn butterfly(a: Self::Sum, b: Self::Sum) -> [Self::Sum; 2];

    /// A value of a transform below 2p.
    fn below_2p(a: Self::Sum) -> Self::Sum;

    /// Such a value below p.
    fn canonical(a: Self::Sum) -> Self::Sum;

    /// Exchanges lanes and vectors: value j of vector i with value i of vector j, among the first `WIDTH` vectors.
    fn transposed(vectors: [Self::Sum; MAX_WIDTH]) -> [Self::Sum; MAX_WIDTH];
}

/// Products that are summed before they are reduced.
pub(super) const SUMMED: usize = 16;

/// A vector of elements, `step` from each other.
#[inline(always)]
pub(super) fn load<R: Residues>(elements: &[Residue<R::Field>], step: usize) -> R::Sum {
    let mut rows = [&Residue::ZERO; MAX_WIDTH];
    for lane in 0..R::WIDTH {
        rows[lane] = &elements[lane * step];
    }
    R::gather(rows)
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
