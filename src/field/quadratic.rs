//! Quadratic extensions of prime fields, over which points of the groups G2 have their coordinates.
//!
//! # Mathematical description
//!
//! F_p(u) with u^2 = s, for a small integer s below 0 that is no square modulo p, has the elements c0 + c1 u. The product of a and b is a0 b0 + s a1 b1 +
//! (a0 b1 + a1 b0) u, whose second coefficient is (a0 + a1)(b0 + b1) - a0 b0 - a1 b1: three products for four (Karatsuba and Ofman,
//! 1962). The square is (a0 + a1)(a0 + s a1) - (1 + s) a0 a1 + 2 a0 a1 u, two products. The inverse is (a0 - a1 u) / N with the norm
//! N = a0^2 - s a1^2, which lies in F_p and is 0 for 0 alone.
//!
//! In memory c0 comes before c1.

use std::mem::{align_of, offset_of, size_of, transmute};

use halo2curves::ff;

use super::coordinates::{CoefficientLimbs, CoordinateField, LazyElement};
use super::montgomery::{Modulus, Residue};

/// The one list of quadratic extensions: calls a macro with the type, the prime field and the u^2 of each, an odd integer below 0.
///
/// To add a field, add a line, and one for its prime field in [`for_every_prime_field`](crate::for_every_prime_field).
#[doc(hidden)]
#[macro_export]
macro_rules! for_every_quadratic_extension {
    ($then:ident) => {
        $then! {
            $crate::bn254::Fq2, $crate::bn254::Fq, -1;
            $crate::bls12_381::Fq2, $crate::bls12_381::Fq, -1;
            $crate::bls12_377::Fq2, $crate::bls12_377::Fq, -5;
        }
    };
}

/// A quadratic extension of a prime field. Implemented for the fields of the crate's list alone.
pub trait QuadraticExtension:
    CoordinateField<Limbs = [CoefficientLimbs<Self>; 2], Lazy = Pair<Self>>
{
    /// u^2, an integer that is no square modulo the prime: odd and below 0, which vectors and kernels rest on.
    const U_SQUARED: i64 = match Self::NON_RESIDUE {
        Some(square) if square < 0 && square % 2 != 0 => square,
        _ => panic!("a u^2 that is odd and below 0"),
    };
}

/// c0 + c1 u, in Montgomery form, each coefficient below 2p.
#[repr(C)]
#[derive(Debug)]
pub struct Pair<F: QuadraticExtension> {
    pub(crate) c0: Residue<F::Prime>,
    pub(crate) c1: Residue<F::Prime>,
}

// Not derived, because that would ask for the same of F.
impl<F: QuadraticExtension> Clone for Pair<F> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<F: QuadraticExtension> Copy for Pair<F> {}

impl<F: QuadraticExtension> LazyElement for Pair<F> {
    type Field = F;

    const ZERO: Self = Self { c0: Residue::ZERO, c1: Residue::ZERO };
    const ONE: Self = Self { c0: Residue::ONE, c1: Residue::ZERO };

    #[inline(always)]
    fn of_limbs([c0, c1]: [CoefficientLimbs<F>; 2]) -> Self {
        Self { c0: Residue::from_montgomery(c0), c1: Residue::from_montgomery(c1) }
    }

    #[inline(always)]
    fn of_prime(c0: Residue<F::Prime>) -> Self {
        Self { c0, c1: Residue::ZERO }
    }

    #[inline(always)]
    fn canonical_limbs(self) -> [CoefficientLimbs<F>; 2] {
        [self.c0.canonical(), self.c1.canonical()]
    }

    fn to_integers(self) -> [CoefficientLimbs<F>; 2] {
        [self.c0.to_integer(), self.c1.to_integer()]
    }

    #[inline(always)]
    fn add(self, rhs: Self) -> Self {
        Self { c0: self.c0.add(rhs.c0), c1: self.c1.add(rhs.c1) }
    }

    #[inline(always)]
    fn sub(self, rhs: Self) -> Self {
        Self { c0: self.c0.sub(rhs.c0), c1: self.c1.sub(rhs.c1) }
    }

    #[inline]
    fn mul(self, rhs: Self) -> Self {
        let (v0, v1) = (self.c0.mul(rhs.c0), self.c1.mul(rhs.c1));
        let cross = self.c0.add(self.c1).mul(rhs.c0.add(rhs.c1));
        Self { c0: v0.add(Self::times_u_squared(v1)), c1: cross.sub(v0).sub(v1) }
    }

    #[inline]
    fn square(self) -> Self {
        let v = self.c0.mul(self.c1);
        let cross = self.c0.add(self.c1).mul(self.c0.add(Self::times_u_squared(self.c1)));
        Self { c0: cross.sub(v).sub(Self::times_u_squared(v)), c1: v.add(v) }
    }

    #[inline(always)]
    fn negated_if(self, negative: bool) -> Self {
        Self { c0: self.c0.negated_if(negative), c1: self.c1.negated_if(negative) }
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self.c0.is_zero() && self.c1.is_zero()
    }

    #[inline(always)]
    fn has_no_bits(self) -> bool {
        self.c0.has_no_bits() && self.c1.has_no_bits()
    }

    fn inverse(self) -> Option<Self> {
        let norm = self.c0.square().sub(Self::times_u_squared(self.c1.square()));
        let by_norm = norm.inverse()?;
        Some(Self { c0: self.c0.mul(by_norm), c1: self.c1.mul(by_norm).neg() })
    }
}

impl<F: QuadraticExtension> Pair<F> {
    /// x u^2.
    #[inline(always)]
    fn times_u_squared(x: Residue<F::Prime>) -> Residue<F::Prime> {
        // By doubling and adding, of which none is left where u^2 = -1.
        let magnitude = F::U_SQUARED.unsigned_abs();
        let multiple = (0..magnitude.ilog2()).rev().fold(x, |sum, bit| match magnitude >> bit & 1 {
            0 => sum.add(sum),
            _ => sum.add(sum).add(x),
        });
        multiple.neg()
    }

    /// The conjugate c0 - c1 u: the p-th power.
    pub(crate) fn conjugate(self) -> Self {
        Self { c0: self.c0, c1: self.c1.neg() }
    }
}

macro_rules! extensions {
    ($($field:path, $prime:path, $u_squared:literal;)*) => {$(
        impl CoordinateField for $field {
            type Prime = $prime;
            type Limbs = [<$prime as Modulus>::Limbs; 2];
            type Lazy = Pair<Self>;
            const NON_RESIDUE: Option<i64> = Some($u_squared);
        }

        impl QuadraticExtension for $field {}

        const _: () = {
            type Field = $field;
            type Element = Pair<Field>;
            type Limbs = <$prime as Modulus>::Limbs;
            assert!(size_of::<Field>() == size_of::<[Limbs; 2]>() && align_of::<Field>() == align_of::<Limbs>());
            // SAFETY: as many bytes of integers, by the assertion above; any bits are limbs.
            let [c0, c1]: [Limbs; 2] = unsafe { transmute(<$field>::new(<$prime as ff::Field>::ONE, <$prime as ff::Field>::ZERO)) };
            assert!(c0[0] == Residue::<$prime>::ONE.lazy_limbs()[0] && c1[0] == 0, "c0 before c1");
            assert!(size_of::<Element>() == size_of::<Field>() && align_of::<Element>() == align_of::<Field>());
            assert!(offset_of!(Element, c0) == 0 && offset_of!(Element, c1) == size_of::<$prime>());
        };
    )*};
}
crate::for_every_quadratic_extension!(extensions);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::integer::Integer;

    /// Coefficients below 2p, with zero and p among them.
    fn values<F: QuadraticExtension>() -> Vec<Pair<F>> {
        let (p, one) = (F::Prime::P, CoefficientLimbs::<F>::of_word(1));
        let two_p = p.plus(p).0;
        let less = |a: CoefficientLimbs<F>, b| a.minus(b).0;
        let mut coefficients = vec![Integer::ZERO, one, less(p, one), p, p.plus(one).0, less(two_p, one)];
        coefficients
            .extend((3_u64..8).map(|i| Residue::<F::Prime>::from_word(i).pow(&[i << 40 | 7]).lazy_limbs()));
        let pairs = coefficients.iter().flat_map(|&c0| coefficients.iter().map(move |&c1| [c0, c1]));
        pairs.map(Pair::of_limbs).collect()
    }

    fn agrees<F: QuadraticExtension>() {
        let values = values::<F>();
        let two_p = Residue::<F::Prime>::BOUND;
        let expect = |what: &str, found: Pair<F>, expected: F| {
            assert!([found.c0, found.c1].iter().all(|c| c.lazy_limbs().is_below(two_p)), "{what}: {found:?}");
            assert_eq!(found.element(), expected, "{what}");
            assert_eq!(Pair::of(expected).element(), expected, "{what}");
        };
        let u = Pair::<F>::of_limbs([Integer::ZERO, Residue::<F::Prime>::ONE.canonical()]).element();
        for &a in &values {
            let x = a.element();
            expect("square", a.square(), x.square());
            expect("negative", a.negated_if(true), -x);
            expect(
                "times u squared",
                Pair::of_prime(Pair::<F>::times_u_squared(a.c0)),
                Pair::<F>::of_prime(a.c0).element() * u.square(),
            );
            assert_eq!(a.is_zero(), bool::from(x.is_zero()));
            assert_eq!(a.inverse().map(Pair::element), Option::from(x.invert()));
            // The conjugate is the other root of the same polynomial: both add up to twice c0.
            expect("conjugate", a.conjugate().add(a), Pair::of_prime(a.c0.add(a.c0)).element());
            for &b in &values {
                let y = b.element();
                expect("sum", a.add(b), x + y);
                expect("difference", a.sub(b), x - y);
                expect("product", a.mul(b), x * y);
            }
        }
        let mut all = values.clone();
        Pair::invert_all(&mut all);
        for (inverse, value) in all.iter().zip(&values) {
            expect("shared inversion", *inverse, Option::from(value.element().invert()).unwrap_or(F::ZERO));
        }
    }

    macro_rules! extensions {
        ($($field:path, $prime:path, $u_squared:literal;)*) => {
            #[test]
            fn arithmetic_of_every_extension() {
                $(agrees::<$field>();)*
            }
        };
    }
    crate::for_every_quadratic_extension!(extensions);
}
