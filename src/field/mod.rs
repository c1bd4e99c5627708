//! Fields: Goldilocks and its quadratic and cubic extensions.
//!
//! [`Field`] is the interface that the rest of the crate needs: a ring with inverses whose elements are `DEGREE`
//! base-field words lying side by side in memory, so that a column of extension elements is `DEGREE`
//! interleaved base columns and every transform over the base field serves the extensions too.
//!
//! Prime fields in Montgomery form, those of curves, are `MontgomeryField`s; they have types of their own. `CoordinateField`s are these, prime fields of more
//! limbs, and their quadratic extensions.

#[cfg(feature = "bn254")]
pub(crate) mod coordinates;
#[cfg(feature = "bn254")]
mod element;
mod extension;
#[cfg(feature = "bn254")]
mod forms;
mod goldilocks;
#[cfg(feature = "bn254")]
pub(crate) mod integer;
#[cfg(feature = "bn254")]
pub(crate) mod known_factor;
#[cfg(feature = "bn254")]
pub(crate) mod montgomery;
#[cfg(feature = "bn254")]
pub(crate) mod operators;
#[cfg(feature = "bn254")]
pub(crate) mod prime;
#[cfg(feature = "bn254")]
pub(crate) mod quadratic;
#[cfg(feature = "bn254")]
mod quadratic_element;
mod two_adic;

use std::fmt::{Debug, Display};
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use bytemuck::Pod;

#[cfg(feature = "bn254")]
pub use coordinates::{CoefficientLimbs, CoordinateField, coefficients, elements_of_limbs, limbs_of};
#[cfg(feature = "bn254")]
pub use element::{Bytes, PrimeElement, PrimeParameters};
pub use extension::{Cubic, Quadratic};
#[cfg(feature = "bn254")]
pub use forms::{from_montgomery, to_montgomery};
pub(crate) use goldilocks::reduce;
pub use goldilocks::{Goldilocks, MODULUS};
#[cfg(feature = "bn254")]
pub use montgomery::Modulus;
#[cfg(feature = "bn254")]
pub use prime::{CoordinatePrime, MontgomeryField, ScalarField, TwoAdicPrime, elements, elements_mut, limbs};
#[cfg(feature = "bn254")]
pub use quadratic_element::QuadraticElement;
pub use two_adic::TwoAdic;
pub(crate) use two_adic::geometric;

/// A field whose elements are [`DEGREE`](Self::DEGREE) Goldilocks words, lowest coefficient first.
pub trait Field:
    Copy
    + Pod
    + Default
    + Eq
    + std::hash::Hash
    + Debug
    + Display
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + Sum
    + Product
{
    /// The additive identity.
    const ZERO: Self;
    /// The multiplicative identity.
    const ONE: Self;
    /// The degree over Goldilocks: words per element.
    const DEGREE: usize;

    /// The base-field element as an element of this field.
    fn from_base(value: Goldilocks) -> Self;

    /// 1/x, or `None` for zero.
    fn inverse(self) -> Option<Self>;

    /// x^2.
    #[inline]
    fn square(self) -> Self {
        self * self
    }

    /// x^exponent by squaring and multiplying; 0^0 = 1. Time depends on the exponent.
    fn pow(self, exponent: u64) -> Self {
        let mut power = Self::ONE;
        for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
            power = power.square();
            if exponent >> bit & 1 == 1 {
                power *= self;
            }
        }
        power
    }
}

/// The powers 1, x, x^2, ... .
pub fn powers<F: Field>(x: F) -> impl Iterator<Item = F> {
    std::iter::successors(Some(F::ONE), move |&power| Some(power * x))
}

/// Replaces every element by its inverse and leaves zeros as they are.
///
/// Montgomery's trick (Mathematics of Computation 48, 1987, section 10.3.1): one inversion and three
/// multiplications an element.
pub fn batch_inverse<F: Field>(elements: &mut [F]) {
    let inverse = |product: F| product.inverse().expect("a product of non-zero elements is not zero");
    invert_all(elements, F::ONE, |x| x == F::ZERO, |a, b| a * b, inverse);
}

/// The same of anything, given 1, whether an element is 0, products, and the inverse of the product of all that are not 0.
pub(crate) fn invert_all<T: Copy>(
    elements: &mut [T],
    one: T,
    is_zero: impl Fn(T) -> bool,
    multiply: impl Fn(T, T) -> T,
    inverse: impl FnOnce(T) -> T,
) {
    let mut prefixes = Vec::with_capacity(elements.len());
    let mut product = one;
    for &x in elements.iter() {
        prefixes.push(product);
        product = if is_zero(x) { product } else { multiply(product, x) };
    }
    let mut inverse = inverse(product);
    for (x, prefix) in elements.iter_mut().zip(prefixes).rev().filter(|(x, _)| !is_zero(**x)) {
        (*x, inverse) = (multiply(inverse, prefix), multiply(inverse, *x));
    }
}

/// Operators that follow from `+`, `-`, `*` and `inverse`, the same for every field.
macro_rules! derived_operators {
    ($field:ty) => {
        impl AddAssign for $field {
            #[inline]
            fn add_assign(&mut self, rhs: Self) {
                *self = *self + rhs;
            }
        }
        impl SubAssign for $field {
            #[inline]
            fn sub_assign(&mut self, rhs: Self) {
                *self = *self - rhs;
            }
        }
        impl MulAssign for $field {
            #[inline]
            fn mul_assign(&mut self, rhs: Self) {
                *self = *self * rhs;
            }
        }
        impl Div for $field {
            type Output = Self;
            /// # Panics
            /// When the divisor is zero, as integer division does.
            fn div(self, rhs: Self) -> Self {
                self * rhs.inverse().expect("division by zero")
            }
        }
        impl DivAssign for $field {
            fn div_assign(&mut self, rhs: Self) {
                *self = *self / rhs;
            }
        }
        impl Sum for $field {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                iter.fold(Self::ZERO, |a, b| a + b)
            }
        }
        impl Product for $field {
            fn product<I: Iterator<Item = Self>>(iter: I) -> Self {
                iter.fold(Self::ONE, |a, b| a * b)
            }
        }
    };
}
pub(crate) use derived_operators;
