//! From the name of a curve to code that is generic over it.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use zkaccel::msm::AcceleratedCurve;

/// Work that is generic over the curve; [`CurveName::visit`] runs it for the curve of a name.
pub(crate) trait CurveVisitor {
    /// The type of the work's result, the same for every curve.
    type Output;

    /// The work.
    fn visit<C: AcceleratedCurve>(self) -> Self::Output;
}

/// A curve, by its place in the library's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CurveName(usize);

macro_rules! curves {
    ($($affine:path, $name:literal;)*) => {
        /// The names, in the order of the list.
        const NAMES: &[&str] = &[$($name),*];

        impl CurveName {
            /// Runs generic work for this curve.
            pub(crate) fn visit<V: CurveVisitor>(self, visitor: V) -> V::Output {
                match NAMES[self.0] {
                    $($name => visitor.visit::<$affine>(),)*
                    other => unreachable!("{other} is not in the list of curves"),
                }
            }
        }
    };
}
zkaccel::for_every_curve!(curves);

/// The group of a name: g1 of bn254-g1.
fn group(name: &str) -> Option<&str> {
    name.rsplit_once('-').map(|(_, group)| group)
}

impl CurveName {
    /// The first of the list, which is the default, on the command line.
    pub(crate) const DEFAULT: &str = NAMES[0];

    /// The name.
    pub(crate) fn name(self) -> &'static str {
        NAMES[self.0]
    }

    /// Whether it is the default.
    pub(crate) fn is_default(self) -> bool {
        self.0 == 0
    }

    /// Reads a name, or the group of one.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        let values = NAMES.iter().map(|&name| match group(name) {
            Some(group) => PossibleValue::new(name).alias(group),
            None => PossibleValue::new(name),
        });
        let place = |text: String| {
            let is_named = |name: &&str| **name == text || group(name) == Some(&text);
            Self(NAMES.iter().position(is_named).expect("one of the possible values"))
        };
        PossibleValuesParser::new(values).map(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_curves_have_a_name_in_common() {
        let all: Vec<_> = NAMES.iter().copied().chain(NAMES.iter().filter_map(|name| group(name))).collect();
        let distinct: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len(), "{all:?}");
    }
}
