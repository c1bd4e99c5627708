//! A field element of which no more is known than how it was computed.
//!
//! winterfell's AIRs evaluate their constraints over any [`FieldElement`]. Evaluated over symbols they record them. What needs a value is refused: the recording then ends in an
//! error.

use std::fmt;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use winter_math::fields::f64::BaseElement;
use winter_math::{ExtensionOf, FieldElement};
use winter_utils::{
    AsBytes, ByteReader, ByteWriter, Deserializable, DeserializationError, Randomizable, Serializable,
};
use zkaccel::field::{Field, Goldilocks as Element};

use super::extension::{from_engine, to_engine};
use super::recorder::{self, Operation, Value, recorder};

/// The index of a value of this thread's recorder.
#[derive(Clone, Copy, Eq)]
pub(super) struct Symbol(pub(super) u32);

/// What has no value is refused, and goes on as zero.
fn refused(what: &'static str) -> Symbol {
    recorder(|recorder| recorder.refuse(what));
    Symbol::ZERO
}

fn constant(value: Element) -> Symbol {
    Symbol(recorder(|recorder| recorder.index(Value::Constant(value))))
}

/// The value of a constant.
fn value_of(symbol: Symbol) -> Option<Element> {
    recorder(|recorder| match recorder.value(symbol.0) {
        Value::Constant(constant) => Some(*constant),
        Value::Nodes(_) => None,
    })
}

impl PartialEq for Symbol {
    fn eq(&self, other: &Self) -> bool {
        // Equal constants have equal indices.
        if self.0 != other.0 && (value_of(*self).is_none() || value_of(*other).is_none()) {
            refused("values are compared");
        }
        self.0 == other.0
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "symbol {}", self.0)
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl Default for Symbol {
    fn default() -> Self {
        Self::ZERO
    }
}

macro_rules! operators {
    ($($operator:ident, $method:ident, $assign:ident, $assign_method:ident;)*) => {$(
        impl $operator for Symbol {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                Self(recorder(|recorder| recorder.operate(Operation::$operator, self.0, other.0)))
            }
        }

        impl $assign for Symbol {
            fn $assign_method(&mut self, other: Self) {
                *self = $operator::$method(*self, other);
            }
        }
    )*};
}
operators! {
    Add, add, AddAssign, add_assign;
    Sub, sub, SubAssign, sub_assign;
    Mul, mul, MulAssign, mul_assign;
}

#[expect(clippy::suspicious_arithmetic_impl, reason = "a quotient is a product with the inverse")]
impl Div for Symbol {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        self * other.inv()
    }
}

#[expect(clippy::suspicious_op_assign_impl, reason = "a quotient is a product with the inverse")]
impl DivAssign for Symbol {
    fn div_assign(&mut self, other: Self) {
        *self *= other.inv();
    }
}

impl Neg for Symbol {
    type Output = Self;

    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

impl From<BaseElement> for Symbol {
    fn from(value: BaseElement) -> Self {
        constant(to_engine(value))
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Symbol {
            fn from(value: $integer) -> Self {
                Self::from(BaseElement::from(value))
            }
        }
    )*};
}
from_integers!(u8, u16, u32);

macro_rules! try_from {
    ($($source:ty),*) => {$(
        impl TryFrom<$source> for Symbol {
            type Error = <BaseElement as TryFrom<$source>>::Error;

            fn try_from(value: $source) -> Result<Self, Self::Error> {
                BaseElement::try_from(value).map(Self::from)
            }
        }
    )*};
}
try_from!(u64, u128);

impl<'a> TryFrom<&'a [u8]> for Symbol {
    type Error = <BaseElement as TryFrom<&'a [u8]>>::Error;

    fn try_from(value: &'a [u8]) -> Result<Self, Self::Error> {
        BaseElement::try_from(value).map(Self::from)
    }
}

impl ExtensionOf<BaseElement> for Symbol {
    fn mul_base(self, other: BaseElement) -> Self {
        self * Self::from(other)
    }
}

impl AsBytes for Symbol {
    fn as_bytes(&self) -> &[u8] {
        refused("the bytes of values are read");
        &[]
    }
}

impl Randomizable for Symbol {
    const VALUE_SIZE: usize = BaseElement::VALUE_SIZE;

    fn from_random_bytes(source: &[u8]) -> Option<Self> {
        BaseElement::from_random_bytes(source).map(Self::from)
    }
}

impl Serializable for Symbol {
    fn write_into<W: ByteWriter>(&self, _: &mut W) {
        refused("values are written");
    }
}

impl Deserializable for Symbol {
    fn read_from<R: ByteReader>(source: &mut R) -> Result<Self, DeserializationError> {
        BaseElement::read_from(source).map(Self::from)
    }
}

impl FieldElement for Symbol {
    type PositiveInteger = u64;
    type BaseField = BaseElement;

    const EXTENSION_DEGREE: usize = 1;
    const ELEMENT_BYTES: usize = BaseElement::ELEMENT_BYTES;
    const IS_CANONICAL: bool = false;
    const ZERO: Self = Self(recorder::ZERO);
    const ONE: Self = Self(recorder::ONE);

    fn exp_vartime(self, power: u64) -> Self {
        let bits = (0..power.checked_ilog2().map_or(0, |log| log + 1)).rev();
        bits.fold(Self::ONE, |result, bit| {
            let square = result.square();
            if power >> bit & 1 == 1 { square * self } else { square }
        })
    }

    fn inv(self) -> Self {
        match value_of(self) {
            Some(value) if value == Element::ZERO => Self::ZERO,
            Some(value) => Self::from(from_engine(value).inv()),
            None => refused("a value is inverted that depends on the row"),
        }
    }

    fn conjugate(&self) -> Self {
        match value_of(*self) {
            Some(_) => *self,
            None => refused("a value is conjugated"),
        }
    }

    fn base_element(&self, _: usize) -> BaseElement {
        match value_of(*self) {
            Some(value) => from_engine(value),
            None => {
                refused("the coordinates of values are read");
                BaseElement::ZERO
            }
        }
    }

    fn slice_as_base_elements(_: &[Self]) -> &[BaseElement] {
        refused("the coordinates of values are read");
        &[]
    }

    fn slice_from_base_elements(_: &[BaseElement]) -> &[Self] {
        refused("values are made of slices of coordinates");
        &[]
    }

    fn elements_as_bytes(_: &[Self]) -> &[u8] {
        refused("the bytes of values are read");
        &[]
    }

    unsafe fn bytes_as_elements(_: &[u8]) -> Result<&[Self], DeserializationError> {
        Err(DeserializationError::InvalidValue(
            "bytes are not elements while constraints are recorded".into(),
        ))
    }
}
