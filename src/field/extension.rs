//! The quadratic and cubic extensions of Goldilocks.
//!
//! [`Quadratic`] is F_p\[x\] / (x^2 - x + 2) and [`Cubic`] is F_p\[x\] / (x^3 - x - 1), the polynomials that winterfell
//! uses. Elements are coefficient vectors, lowest first. Transforms act on each coefficient alone, so they do
//! not depend on the choice of polynomial.

use std::fmt;
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use bytemuck::{Pod, Zeroable};

use super::{Field, Goldilocks, derived_operators};

/// a0 + a1 x modulo x^2 - x + 2.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct Quadratic(pub [Goldilocks; 2]);

/// a0 + a1 x + a2 x^2 modulo x^3 - x - 1.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct Cubic(pub [Goldilocks; 3]);

impl Mul for Quadratic {
    type Output = Self;
    fn mul(self, rhs: Self) -> Self {
        let ([a0, a1], [b0, b1]) = (self.0, rhs.0);
        // x^2 = x - 2; the middle coefficient a0 b1 + a1 b0 + a1 b1 is (a0 + a1)(b0 + b1) - a0 b0.
        let (low, high) = (a0 * b0, a1 * b1);
        Self([low - (high + high), (a0 + a1) * (b0 + b1) - low])
    }
}

impl Field for Quadratic {
    const ZERO: Self = Self([Goldilocks::ZERO; 2]);
    const ONE: Self = Self([Goldilocks::ONE, Goldilocks::ZERO]);
    const DEGREE: usize = 2;

    fn from_base(value: Goldilocks) -> Self {
        Self([value, Goldilocks::ZERO])
    }

    fn inverse(self) -> Option<Self> {
        // The roots of x^2 - x + 2 add up to 1 and multiply to 2: the conjugate of x is 1 - x.
        let [a0, a1] = self.0;
        let norm = a0.square() + a0 * a1 + (a1 + a1) * a1;
        norm.inverse().map(|n| Self([(a0 + a1) * n, -a1 * n]))
    }
}

impl Mul for Cubic {
    type Output = Self;
    fn mul(self, rhs: Self) -> Self {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.0, rhs.0);
        // Karatsuba: each cross term from one product of sums.
        let (p0, p1, p2) = (a0 * b0, a1 * b1, a2 * b2);
        let c1 = (a0 + a1) * (b0 + b1) - p0 - p1;
        let c2 = (a0 + a2) * (b0 + b2) - p0 - p2 + p1;
        let c3 = (a1 + a2) * (b1 + b2) - p1 - p2;
        // x^3 = x + 1 and x^4 = x^2 + x.
        Self([p0 + c3, c1 + c3 + p2, c2 + p2])
    }
}

impl Field for Cubic {
    const ZERO: Self = Self([Goldilocks::ZERO; 3]);
    const ONE: Self = Self([Goldilocks::ONE, Goldilocks::ZERO, Goldilocks::ZERO]);
    const DEGREE: usize = 3;

    fn from_base(value: Goldilocks) -> Self {
        Self([value, Goldilocks::ZERO, Goldilocks::ZERO])
    }

    fn inverse(self) -> Option<Self> {
        // Multiplication by a is the matrix with columns a, a x, a x^2; its inverse applied to 1 is the first
        // row of cofactors over the determinant (Cramer).
        let [a0, a1, a2] = self.0;
        let (d, e) = (a0 + a2, a1 + a2);
        let cofactors = [d * d - a1 * e, a2 * e - a1 * d, a1 * a1 - a2 * d];
        let determinant = a0 * cofactors[0] + a2 * cofactors[1] + a1 * cofactors[2];
        determinant.inverse().map(|inv| Self(cofactors.map(|c| c * inv)))
    }
}

/// Coefficient-wise operators and formatting, the same for every degree.
macro_rules! coefficient_wise {
    ($field:ident) => {
        impl Add for $field {
            type Output = Self;
            #[inline]
            fn add(self, rhs: Self) -> Self {
                Self(std::array::from_fn(|i| self.0[i] + rhs.0[i]))
            }
        }
        impl Sub for $field {
            type Output = Self;
            #[inline]
            fn sub(self, rhs: Self) -> Self {
                Self(std::array::from_fn(|i| self.0[i] - rhs.0[i]))
            }
        }
        impl Neg for $field {
            type Output = Self;
            #[inline]
            fn neg(self) -> Self {
                Self(self.0.map(|a| -a))
            }
        }
        impl Mul<Goldilocks> for $field {
            type Output = Self;
            #[inline]
            fn mul(self, rhs: Goldilocks) -> Self {
                Self(self.0.map(|a| a * rhs))
            }
        }
        impl From<Goldilocks> for $field {
            fn from(value: Goldilocks) -> Self {
                Self::from_base(value)
            }
        }
        impl fmt::Debug for $field {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }
        impl fmt::Display for $field {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }
        derived_operators!($field);
    };
}
coefficient_wise!(Quadratic);
coefficient_wise!(Cubic);
