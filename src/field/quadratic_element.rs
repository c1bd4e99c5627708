//! Elements of quadratic extensions that halo2curves does not have, with the traits of `ff` that its fields have.
//!
//! # Mathematical description
//!
//! Sums, products and inverses are those of a [`Pair`](super::quadratic::Pair), brought below p. With u^2 = s, an element c0 + c1 u with c1 other than 0 has a square root x0 + x1 u only if the norm c0^2 - s c1^2 has one in the
//! prime field, n. Then x0^2 = (c0 + n)/2 or (c0 - n)/2, whose product s c1^2 / 4 is no square, so that one of both is one; and x1 = c1 / (2 x0). Of c1 = 0 the root is that of c0, or that of c0 / s times u.

use std::borrow::Borrow;
use std::iter::{Product, Sum};
use std::ops::Neg;

use halo2curves::ff::{self, Field};
use rand_core::RngCore;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, CtOption};

use super::coordinates::LazyElement;
use super::operators::operators;
use super::prime::CoordinatePrime;
use super::quadratic::{Pair, QuadraticExtension};

/// c0 + c1 u over a prime field F. What u^2 is says the line in the list [`for_every_quadratic_extension`](crate::for_every_quadratic_extension).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct QuadraticElement<F> {
    /// The coefficient of 1.
    pub c0: F,
    /// The coefficient of u.
    pub c1: F,
}

impl<F> QuadraticElement<F> {
    /// c0 + c1 u.
    pub const fn new(c0: F, c1: F) -> Self {
        Self { c0, c1 }
    }
}

impl<F: CoordinatePrime> QuadraticElement<F>
where
    Self: QuadraticExtension<Prime = F>,
{
    fn pair(self) -> Pair<Self> {
        Pair::of(self)
    }

    /// u^2.
    fn square_of_u() -> F {
        let square = F::from(Self::U_SQUARED.unsigned_abs());
        if Self::U_SQUARED < 0 { -square } else { square }
    }
}

/// Sums and products as functions: what the operators are bound by must not imply the operators themselves, as [`QuadraticExtension`] does.
pub trait Arithmetic: Copy {
    /// a + b.
    fn plus(self, rhs: Self) -> Self;
    /// a - b.
    fn minus(self, rhs: Self) -> Self;
    /// a b.
    fn times(self, rhs: Self) -> Self;
    /// -a.
    fn negative(self) -> Self;
}

impl<F: CoordinatePrime> Arithmetic for QuadraticElement<F>
where
    Self: QuadraticExtension<Prime = F>,
{
    fn plus(self, rhs: Self) -> Self {
        self.pair().add(rhs.pair()).element()
    }

    fn minus(self, rhs: Self) -> Self {
        self.pair().sub(rhs.pair()).element()
    }

    fn times(self, rhs: Self) -> Self {
        self.pair().mul(rhs.pair()).element()
    }

    fn negative(self) -> Self {
        self.pair().negated_if(true).element()
    }
}

operators! {
    [F] QuadraticElement<F>, QuadraticElement<F>, [QuadraticElement<F>: Arithmetic]
    Add add AddAssign add_assign: Arithmetic::plus;
    Sub sub SubAssign sub_assign: Arithmetic::minus;
    Mul mul MulAssign mul_assign: Arithmetic::times;
}

impl<F> Neg for QuadraticElement<F>
where
    Self: Arithmetic,
{
    type Output = Self;

    fn neg(self) -> Self {
        self.negative()
    }
}

impl<T: Borrow<Self>, F: CoordinatePrime> Sum<T> for QuadraticElement<F>
where
    Self: QuadraticExtension<Prime = F>,
{
    fn sum<I: Iterator<Item = T>>(elements: I) -> Self {
        elements.fold(Self::ZERO, |sum, element| sum + element.borrow())
    }
}

impl<T: Borrow<Self>, F: CoordinatePrime> Product<T> for QuadraticElement<F>
where
    Self: QuadraticExtension<Prime = F>,
{
    fn product<I: Iterator<Item = T>>(elements: I) -> Self {
        elements.fold(Self::ONE, |product, element| product * element.borrow())
    }
}

impl<F: ConstantTimeEq> ConstantTimeEq for QuadraticElement<F> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.c0.ct_eq(&other.c0) & self.c1.ct_eq(&other.c1)
    }
}

impl<F: ConditionallySelectable> ConditionallySelectable for QuadraticElement<F> {
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        Self {
            c0: F::conditional_select(&a.c0, &b.c0, choice),
            c1: F::conditional_select(&a.c1, &b.c1, choice),
        }
    }
}

impl<F: CoordinatePrime> ff::Field for QuadraticElement<F>
where
    Self: QuadraticExtension<Prime = F>,
{
    const ZERO: Self = Self { c0: F::ZERO, c1: F::ZERO };
    const ONE: Self = Self { c0: F::ONE, c1: F::ZERO };

    fn random(mut rng: impl RngCore) -> Self {
        Self { c0: F::random(&mut rng), c1: F::random(&mut rng) }
    }

    fn square(&self) -> Self {
        self.pair().square().element()
    }

    fn double(&self) -> Self {
        *self + self
    }

    fn invert(&self) -> CtOption<Self> {
        optional(self.pair().inverse().map(LazyElement::element))
    }

    fn sqrt(&self) -> CtOption<Self> {
        let root = |x: F| Option::<F>::from(x.sqrt());
        let (Self { c0, c1 }, s) = (*self, Self::square_of_u());
        if c1 == F::ZERO {
            let of_multiple = || Some(Self { c0: F::ZERO, c1: root(c0 * Option::<F>::from(s.invert())?)? });
            return optional(root(c0).map(|c0| Self { c0, c1 }).or_else(of_multiple));
        }
        let of_norm = root(c0.square() - s * c1.square());
        optional(of_norm.and_then(|n| {
            let x0 = root((c0 + n) * F::TWO_INV).or_else(|| root((c0 - n) * F::TWO_INV))?;
            Some(Self { c0: x0, c1: c1 * F::TWO_INV * Option::<F>::from(x0.invert())? })
        }))
    }

    fn sqrt_ratio(numerator: &Self, denominator: &Self) -> (Choice, Self) {
        let yes = |is: bool| Choice::from(u8::from(is));
        let Some(inverse) = Option::<Self>::from(denominator.invert()) else {
            return (numerator.is_zero(), Self::ZERO);
        };
        let ratio = *numerator * inverse;
        if let Some(root) = Option::from(ratio.sqrt()) {
            return (yes(true), root);
        }
        // Some number and u is no square, and a product of two that are none is one.
        let mut others = (0..).map(|word| Self { c0: F::from(word), c1: F::ONE });
        let other = others.find(|other| bool::from(other.sqrt().is_none())).expect("half of the elements");
        (yes(false), (ratio * other).sqrt().expect("a product of two that are no squares"))
    }
}

fn optional<T: Default>(value: Option<T>) -> CtOption<T> {
    let is_some = Choice::from(u8::from(value.is_some()));
    CtOption::new(value.unwrap_or_default(), is_some)
}
