//! From the name of a prime field with transforms to code that is generic over it.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use zkaccel::curve::Curve;
use zkaccel::field::{ScalarField, TwoAdicPrime};
use zkaccel::ntt::AcceleratedField;

use crate::curves::parts;
use crate::output;

/// Work that is generic over the field; [`FieldName::visit`] runs it for the field of a name.
pub(crate) trait FieldVisitor {
    /// The type of the work's result, the same for every field.
    type Output;

    /// The work.
    fn visit<F: TwoAdicPrime + AcceleratedField>(self) -> Self::Output;
}

/// A field, by its place in the library's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldName(usize);

macro_rules! fields {
    ($($field:path, $name:literal;)*) => {
        /// The names, in the order of the list.
        const NAMES: &[&str] = &[$($name),*];

        impl FieldName {
            /// Runs generic work for this field.
            pub(crate) fn visit<V: FieldVisitor>(self, visitor: V) -> V::Output {
                match NAMES[self.0] {
                    $($name => visitor.visit::<$field>(),)*
                    other => unreachable!("{other} is not in the list of fields"),
                }
            }
        }
    };
}
zkaccel::for_every_two_adic_field!(fields);

macro_rules! curves {
    ($($curve:path, $name:literal;)*) => {
        /// Curves beside the fields of their scalars.
        const CURVES: &[[&str; 2]] = &[$([$name, <<$curve as Curve>::Scalar as ScalarField>::NAME]),*];
    };
}
zkaccel::for_every_curve!(curves);

/// The further names of a field: those of the curves whose scalars are its elements, without the group.
fn aliases(name: &str) -> Vec<&'static str> {
    let of_field = CURVES.iter().filter(|[_, field]| *field == name);
    let mut curves: Vec<_> = of_field.map(|[curve, _]| parts(curve).0).collect();
    curves.dedup();
    curves
}

impl FieldName {
    /// The first of the list, which is the default, on the command line.
    pub(crate) const DEFAULT: &str = Self::FIRST.name();

    /// The same as a value.
    pub(crate) const FIRST: Self = Self(0);

    /// The name.
    pub(crate) const fn name(self) -> &'static str {
        NAMES[self.0]
    }

    /// The field of a name of the list.
    pub(crate) fn named(name: &str) -> Option<Self> {
        NAMES.iter().position(|listed| *listed == name).map(Self)
    }

    /// Whether it is the default.
    pub(crate) fn is_default(self) -> bool {
        self == Self::FIRST
    }

    /// Reads a name, or that of a curve.
    fn parser() -> impl TypedValueParser<Value = Self> {
        let values = NAMES.iter().map(|&name| PossibleValue::new(name).aliases(aliases(name)));
        let place = |text: String| {
            let is_named = |name: &&str| **name == text || aliases(name).contains(&&*text);
            Self(NAMES.iter().position(is_named).expect("one of the possible values"))
        };
        PossibleValuesParser::new(values).map(place)
    }
}

/// The help of `--field`.
fn field_help() -> String {
    let curves: Vec<_> = NAMES.iter().flat_map(|name| aliases(name)).collect();
    format!("The field of an fft; {} are the scalars of these curves", output::enumeration(&curves))
}

/// The choice of a field.
#[derive(clap::Args)]
pub(crate) struct FieldOptions {
    #[arg(long, default_value = FieldName::DEFAULT, value_name = "FIELD", value_parser = FieldName::parser(),
        help = field_help())]
    pub(crate) field: FieldName,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_name_the_fields_of_their_scalars() {
        let named: Vec<_> = NAMES.iter().map(|name| (*name, aliases(name))).collect();
        let expected = [
            ("bn254-fr", vec!["bn254"]),
            ("pasta-fp", vec!["vesta"]),
            ("pasta-fq", vec!["pallas"]),
            ("bls12-381-fr", vec!["bls12-381"]),
            ("bls12-377-fr", vec!["bls12-377"]),
        ];
        assert_eq!(named, expected);
    }
}
