//! Coordinates of points side by side: what bucket accumulation and transforms of points ask of a processor.

use super::{APART, MAX_WIDTH, Vectorised, Vectors};
use crate::field::CoordinateField;
use crate::field::coordinates::LazyElement;

/// An associated function of [`Coordinates`], C there, with arguments of these names, as a [part](Vectors::part).
macro_rules! part {
    ($function:ident($($argument:ident: $type:ty),+) -> $result:ty) => {
        if APART {
            struct Part<'a, C: Coordinates>(($(&'a $type,)+), &'a mut Option<$result>);
            impl<C: Coordinates> Vectorised<C> for Part<'_, C> {
                #[inline(always)]
                fn run(self) {
                    let ($($argument,)+) = self.0;
                    *self.1 = Some(C::$function($(*$argument),+));
                }
            }
            let mut result = None;
            Self::part(Part::<Self>(($(&$argument,)+), &mut result));
            result.expect("a part that was done")
        } else {
            // Nothing is left of a way through memory.
            Self::$function($($argument),+)
        }
    };
}

/// Arithmetic on `WIDTH` elements of a field of coordinates at once, a power of two up to [`MAX_WIDTH`]; a name for functions, of which there are
/// no values. Bounds are those of each coefficient, as multiples of p.
pub(in crate::backend::cpu) trait Coordinates:
    Vectors + Copy + Send + Sync + 'static
{
    /// An element in memory.
    type Element: LazyElement;

    /// What can be added, subtracted, and stored. Each operation says how large values may be.
    type Sum: Copy + Send + Sync;

    /// What can be multiplied.
    type Factor: Copy + Send + Sync;

    /// Half the bits of 2 by which products are divided beyond 256.
    const SHIFT: u32;

    /// [`gather`](Self::gather), inlined.
    fn inlined_gather(rows: [&Self::Element; MAX_WIDTH]) -> Self::Sum;

    /// The values at the first `WIDTH` places; below 2p.
    #[inline(always)]
    fn gather(rows: [&Self::Element; MAX_WIDTH]) -> Self::Sum {
        part!(inlined_gather(rows: [&'a C::Element; MAX_WIDTH]) -> C::Sum)
    }

    /// [`rows`](Self::rows), inlined.
    fn inlined_rows(values: Self::Sum) -> [Self::Element; MAX_WIDTH];

    /// Values that come from `gather` or `reduced`, below what elements in memory are below; those beyond `WIDTH` mean nothing.
    #[inline(always)]
    fn rows(values: Self::Sum) -> [Self::Element; MAX_WIDTH] {
        part!(inlined_rows(values: C::Sum) -> [C::Element; MAX_WIDTH])
    }

    /// The same value in every lane.
    fn splat(value: Self::Element) -> Self::Factor;

    /// Each of the first `WIDTH` values, below 2p, as factors.
    fn factors(rows: [&Self::Element; MAX_WIDTH]) -> Self::Factor;

    /// Factors as values below 2p.
    fn rows_of_factors(factors: Self::Factor) -> [Self::Element; MAX_WIDTH];

    /// [`product`](Self::product), inlined.
    fn inlined_product(a: Self::Factor, b: Self::Factor) -> Self::Sum;

    /// [`square`](Self::square), inlined.
    fn inlined_square(a: Self::Factor) -> Self::Sum;

    /// Products divided by 2^(256 + 2 `SHIFT`), for factors made of sums as described there; below 3p.
    #[inline(always)]
    fn product(a: Self::Factor, b: Self::Factor) -> Self::Sum {
        part!(inlined_product(a: C::Factor, b: C::Factor) -> C::Sum)
    }

    /// Products of factors with themselves, likewise; the factors are products or differences.
    #[inline(always)]
    fn square(a: Self::Factor) -> Self::Sum {
        part!(inlined_square(a: C::Factor) -> C::Sum)
    }

    /// A product, or a value below 2p, as a factor.
    fn of_product(product: Self::Sum) -> Self::Factor;

    /// a - b as a factor, for values below 2p.
    fn difference(a: Self::Sum, b: Self::Sum) -> Self::Factor;

    /// (a - b) 2^`SHIFT` as a factor, for values below 2p.
    fn shifted_difference(a: Self::Sum, b: Self::Sum) -> Self::Factor;

    /// a - b, for a product or such a difference, and b below 2p. At most twice before [`reduced`](Self::reduced).
    fn minus(a: Self::Sum, b: Self::Sum) -> Self::Sum;

    /// a + b, without reduction: sums of at most eight products or values below 2p.
    fn plus(a: Self::Sum, b: Self::Sum) -> Self::Sum;

    /// [`reduced`](Self::reduced), inlined.
    fn inlined_reduced(a: Self::Sum) -> Self::Sum;

    /// Such a difference, or such a sum, below 2p.
    #[inline(always)]
    fn reduced(a: Self::Sum) -> Self::Sum {
        part!(inlined_reduced(a: C::Sum) -> C::Sum)
    }

    /// -a in lanes whose bit is set, else a, for values below 2p; at most 2p.
    fn negated_where(a: Self::Sum, lanes: u8) -> Self::Sum;

    /// A bit for each lane, lowest first: whether a - b may be 0 modulo p, for values below 2p. It is set wherever that is so,
    /// and with a probability of 2^-50 elsewhere.
    fn may_be_equal(a: Self::Sum, b: Self::Sum) -> u8;

    /// A bit for each lane: whether the value, from `gather`, may have no bits; in the same sense.
    fn may_be_zero(a: Self::Sum) -> u8;
}

/// A field of coordinates with vectors of its own for words whose lower 52 bits are multiplied.
pub(in crate::backend::cpu) trait VectorisedField: CoordinateField {
    /// Its elements side by side in the words Q.
    type Vectors<Q: super::Quadwords>: Coordinates<Element = Self::Lazy>;
}

/// Evaluates an expression in which a name stands for `PhantomData<R>`, R being the implementation of [`Coordinates`] for a level, which must be
/// available, and a field.
macro_rules! on_coordinates {
    ($simd:expr, $field:ty, $coordinates:ident, $body:expr) => {
        $crate::backend::cpu::simd::on_vectors!(
            $simd,
            Quadwords as Q => {
                use $crate::backend::cpu::residues::VectorisedField;
                let $coordinates = std::marker::PhantomData::<<$field as VectorisedField>::Vectors<Q>>;
                $body
            },
            else {
                let $coordinates = std::marker::PhantomData::<$crate::backend::cpu::residues::Scalar<$field>>;
                $body
            }
        )
    };
}
pub(in crate::backend::cpu) use on_coordinates;
