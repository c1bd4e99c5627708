//! Fields that have transforms, as a [`Domain`](crate::ntt::Domain) needs them.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{Add, Mul, Sub};

use super::{Field, Goldilocks};
use crate::error::Error;

/// A field whose non-zero elements have a subgroup of order 2^`TWO_ADICITY`, and none of twice that.
pub trait TwoAdic:
    Copy
    + Eq
    + Hash
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
{
    /// The binary logarithm of the largest order of a root of unity that is a power of two.
    const TWO_ADICITY: u32;
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;

    /// The image of an integer.
    fn of_integer(integer: u64) -> Self;

    /// 1/x, or `None` for zero.
    fn inverted(self) -> Option<Self>;

    /// An error if the memory of `self` is no element.
    fn check(self) -> Result<(), Error>;

    /// The element as messages show it.
    fn text(self) -> String;
}

impl TwoAdic for Goldilocks {
    const TWO_ADICITY: u32 = Goldilocks::TWO_ADICITY;
    const ZERO: Self = <Self as Field>::ZERO;
    const ONE: Self = <Self as Field>::ONE;

    fn of_integer(integer: u64) -> Self {
        Self::new(integer)
    }

    fn inverted(self) -> Option<Self> {
        self.inverse()
    }

    fn check(self) -> Result<(), Error> {
        Goldilocks::check_canonical(&[self])
    }

    fn text(self) -> String {
        self.as_u64().to_string()
    }
}

/// a, a x, a x^2, ... .
pub(crate) fn geometric<F: TwoAdic>(a: F, x: F) -> impl Iterator<Item = F> {
    std::iter::successors(Some(a), move |&power| Some(power * x))
}
