//! What operations are over: the hash of a tree, the curve of a sum, the field of a transform.

use std::any::TypeId;

use zkaccel::bn254::{Fq, Fr};
use zkaccel::field::{CoordinateField, TwoAdicPrime};
use zkaccel::msm::AcceleratedCurve;
use zkaccel::ntt::AcceleratedField;

use super::Words;
use crate::bench::report::{Measurement, Subject};
use crate::curves::{CurveName, CurveVisitor};
use crate::fields::{FieldName, FieldVisitor};

/// What an operation is over, of what kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Hash,
    Curve,
    /// A prime field, named by its own name: the one that the user chooses, or the only one that is measured.
    Field,
    Goldilocks,
}

/// What an operation is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bench) enum Over<'a> {
    Hash(&'a str),
    Curve(&'a str),
    Field(&'a str),
}

impl<'a> Over<'a> {
    pub(in crate::bench) fn of(subject: &'a Subject) -> Option<Self> {
        Some(match Words::of(&subject.operation).kind {
            Kind::Hash => Self::Hash(subject.hash?.name()),
            Kind::Curve => Self::Curve(subject.curve.as_deref().unwrap_or(CurveName::DEFAULT)),
            Kind::Field => Self::Field(subject.field.as_deref().unwrap_or(FieldName::DEFAULT)),
            Kind::Goldilocks => Self::Field("Goldilocks"),
        })
    }

    /// What all of the measurements are over; none if they differ.
    pub(super) fn of_all(mut runs: impl Iterator<Item = &'a Measurement>) -> Option<Self> {
        let first = Self::of(&runs.next()?.subject)?;
        runs.all(|run| Self::of(&run.subject) == Some(first)).then_some(first)
    }

    pub(in crate::bench) fn name(self) -> &'a str {
        match self {
            Self::Hash(name) | Self::Curve(name) | Self::Field(name) => name,
        }
    }

    /// After the name of an operation: " with blake3", " over pallas".
    pub(super) fn phrase(self) -> String {
        match self {
            Self::Hash(name) => format!(" with {name}"),
            Self::Curve(name) | Self::Field(name) => format!(" over {name}"),
        }
    }

    /// Whether products are those of a prime field of BN254; not for names that no list has.
    pub(super) fn multiplies_in_bn254(self) -> bool {
        match self {
            Self::Hash(_) => false,
            Self::Curve(name) => CurveName::named(name).is_some_and(|curve| curve.visit(IsOfBn254)),
            Self::Field(name) => FieldName::named(name).is_some_and(|field| field.visit(IsOfBn254)),
        }
    }
}

/// Whether coordinates, or elements, are over a prime field of BN254.
struct IsOfBn254;

fn is_of_bn254<F: 'static>() -> bool {
    [TypeId::of::<Fq>(), TypeId::of::<Fr>()].contains(&TypeId::of::<F>())
}

impl CurveVisitor for IsOfBn254 {
    type Output = bool;

    fn visit<C: AcceleratedCurve>(self) -> bool {
        is_of_bn254::<<C::Base as CoordinateField>::Prime>()
    }
}

impl FieldVisitor for IsOfBn254 {
    type Output = bool;

    fn visit<F: TwoAdicPrime + AcceleratedField>(self) -> bool {
        is_of_bn254::<F>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_and_fields_of_bn254() {
        for (over, expected) in [
            (Over::Curve("bn254-g1"), true),
            (Over::Curve("bn254-g2"), true),
            (Over::Curve("grumpkin"), true),
            (Over::Curve("pallas"), false),
            (Over::Curve("no curve"), false),
            (Over::Field("bn254-fr"), true),
            (Over::Field("bls12-381-fr"), false),
            (Over::Hash("blake3"), false),
        ] {
            assert_eq!(over.multiplies_in_bn254(), expected, "{over:?}");
        }
    }
}
