//! Fields of the coordinates of curves: a prime field, or a quadratic extension of one.
//!
//! One computes with a [`LazyElement`]: a [`Residue`] of the prime field, or a [`Pair`](super::quadratic::Pair) of these. The formulas of
//! points are written once, over that trait, and so are bucket accumulation and reduction.

use std::fmt::Debug;

use bytemuck::Pod;
use halo2curves::ff;

use super::integer::Integer;
use super::invert_all;
use super::montgomery::{Modulus, Residue};
use super::prime::{CoordinatePrime, cast, not_reduced};
use crate::error::Error;

/// A field of coordinates, by the type of its elements: of the list of prime fields, or of that of quadratic extensions.
pub trait CoordinateField: ff::Field + sealed::Sealed {
    /// The prime field that this is an extension of; itself, if the degree is 1.
    type Prime: CoordinatePrime;

    /// The limbs of an element in memory, those of coefficient 0 first: `[u64; 4]` or `[u64; 6]` for each of the [`DEGREE`](Self::DEGREE) coefficients.
    type Limbs: Pod + Debug + Eq + Send + Sync;

    /// What one computes with.
    #[doc(hidden)]
    type Lazy: LazyElement<Field = Self>;

    /// The degree over the prime field.
    const DEGREE: usize = size_of::<Self::Limbs>() / size_of::<CoefficientLimbs<Self>>();

    /// The u^2 of an extension F_p(u) of degree 2.
    const NON_RESIDUE: Option<i64> = None;
}

/// The limbs of a coefficient.
pub type CoefficientLimbs<F> = <<F as CoordinateField>::Prime as Modulus>::Limbs;

mod sealed {
    /// Seals [`CoordinateField`](super::CoordinateField): other crates cannot implement it.
    pub trait Sealed {}
    impl<F: super::CoordinatePrime> Sealed for F {}

    macro_rules! extensions {
        ($($field:path, $prime:path, $u_squared:literal;)*) => {
            $(impl Sealed for $field {})*
        };
    }
    crate::for_every_quadratic_extension!(extensions);
}

impl<F: CoordinatePrime> CoordinateField for F {
    type Prime = F;
    type Limbs = <F as Modulus>::Limbs;
    type Lazy = Residue<F>;
}

/// An element in computations, each of whose coefficients is a lazy value below 2p: zero has several forms. In memory it is the element's limbs.
pub trait LazyElement: Copy + Debug + Send + Sync + 'static {
    /// The field.
    type Field: CoordinateField<Lazy = Self>;

    /// 0, of which all bits are zero.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// That with these limbs, whose coefficients are below 2p.
    fn of_limbs(limbs: <Self::Field as CoordinateField>::Limbs) -> Self;

    /// An element of the prime field.
    fn of_prime(value: Residue<<Self::Field as CoordinateField>::Prime>) -> Self;

    /// The coefficients, from 0 on, as limbs below p.
    fn canonical_limbs(self) -> <Self::Field as CoordinateField>::Limbs;

    /// The coefficients, from 0 on, as integers below p.
    fn to_integers(self) -> <Self::Field as CoordinateField>::Limbs;

    /// The sum.
    fn add(self, rhs: Self) -> Self;

    /// The difference.
    fn sub(self, rhs: Self) -> Self;

    /// The product.
    fn mul(self, rhs: Self) -> Self;

    /// The square.
    fn square(self) -> Self;

    /// -x if `negative`, else x, without a branch.
    fn negated_if(self, negative: bool) -> Self;

    /// Whether this is 0, in any form.
    fn is_zero(self) -> bool;

    /// Whether all bits are zero.
    fn has_no_bits(self) -> bool;

    /// 1/x, or `None` for zero.
    fn inverse(self) -> Option<Self>;

    /// The power by an integer, by squaring and multiplying; 0^0 = 1. Time depends on the exponent.
    fn pow(self, exponent: &[u64]) -> Self {
        let bits = exponent.iter().rev().flat_map(|word| (0..64).rev().map(move |bit| word >> bit & 1));
        bits.fold(Self::ONE, |power, bit| match bit {
            0 => power.square(),
            _ => power.square().mul(self),
        })
    }

    /// Replaces elements by their inverses, with one inversion for all; zeros stay.
    fn invert_all(elements: &mut [Self]) {
        let inverse = |product: Self| product.inverse().expect("a product of elements other than zero");
        invert_all(elements, Self::ONE, Self::is_zero, Self::mul, inverse);
    }

    /// The value of an element.
    #[inline(always)]
    fn of(element: Self::Field) -> Self {
        Self::of_limbs(limbs_of(&[element])[0])
    }

    /// The element that this stands for.
    #[inline(always)]
    fn element(self) -> Self::Field {
        let limbs = [self.canonical_limbs()];
        // SAFETY: the layout that is asserted for every field; the coefficients are below the prime.
        let elements: &[Self::Field] = unsafe { cast(&limbs) };
        elements[0]
    }
}

impl<F: CoordinatePrime> LazyElement for Residue<F> {
    type Field = F;

    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;

    #[inline(always)]
    fn of_limbs(limbs: <F as Modulus>::Limbs) -> Self {
        Self::from_montgomery(limbs)
    }

    #[inline(always)]
    fn of_prime(value: Self) -> Self {
        value
    }

    #[inline(always)]
    fn canonical_limbs(self) -> <F as Modulus>::Limbs {
        self.canonical()
    }

    fn to_integers(self) -> <F as Modulus>::Limbs {
        self.to_integer()
    }

    #[inline(always)]
    fn add(self, rhs: Self) -> Self {
        self.add(rhs)
    }

    #[inline(always)]
    fn sub(self, rhs: Self) -> Self {
        self.sub(rhs)
    }

    #[inline(always)]
    fn mul(self, rhs: Self) -> Self {
        self.mul(rhs)
    }

    #[inline(always)]
    fn square(self) -> Self {
        self.square()
    }

    #[inline(always)]
    fn negated_if(self, negative: bool) -> Self {
        self.negated_if(negative)
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self.is_zero()
    }

    #[inline(always)]
    fn has_no_bits(self) -> bool {
        self.lazy_limbs().is(<F as Modulus>::Limbs::ZERO)
    }

    /// By halo2curves: a variant of Bernstein and Yang's division steps (TCHES 2019).
    fn inverse(self) -> Option<Self> {
        let inverse: Option<F> = self.element().invert().into();
        inverse.map(Self::of)
    }
}

/// The limbs of elements, in Montgomery form, in place.
pub fn limbs_of<F: CoordinateField>(elements: &[F]) -> &[F::Limbs] {
    // SAFETY: the layout that is asserted for every field; any bits are limbs.
    unsafe { cast(elements) }
}

/// Limbs in Montgomery form as elements, in place; [`Error::NotReduced`] with the index of the first that has a coefficient which is not
/// below the prime. `what` describes an element in the error.
pub fn elements_of_limbs<'a, F: CoordinateField>(
    limbs: &'a [F::Limbs],
    what: &'static str,
) -> Result<&'a [F], Error> {
    for (index, element) in limbs.iter().enumerate() {
        check_reduced::<F>(what, index, element)?;
    }
    // SAFETY: the layout that is asserted for every field; all coefficients are below the prime.
    Ok(unsafe { cast(limbs) })
}

/// [`Error::NotReduced`], with that index, unless the coefficients of an element are below the prime.
pub(crate) fn check_reduced<F: CoordinateField>(
    what: &'static str,
    index: usize,
    element: &F::Limbs,
) -> Result<(), Error> {
    match coefficients::<F>(element).iter().find(|coefficient| !coefficient.is_below(F::Prime::P)) {
        Some(&coefficient) => Err(not_reduced::<F::Prime>(what, index, coefficient)),
        None => Ok(()),
    }
}

/// The limbs of the coefficients of an element, from 0 on.
pub fn coefficients<F: CoordinateField>(element: &F::Limbs) -> &[CoefficientLimbs<F>] {
    bytemuck::cast_slice(std::slice::from_ref(element))
}
