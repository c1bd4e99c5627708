//! From the name of a curve to code that is generic over it.

use std::collections::HashSet;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use zkaccel::msm::AcceleratedCurve;

use crate::failure::Failure;
use crate::output;

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

/// A name as the curve and, where it has several, the group: bn254 and g1 of bn254-g1.
pub(crate) fn parts(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('-') {
        Some((curve, group @ ("g1" | "g2"))) => (curve, Some(group)),
        _ => (name, None),
    }
}

/// The further names of a curve, those that no curve before it in the list has: that without the group, and the group alone.
fn aliases(place: usize) -> Vec<&'static str> {
    let names = |name: &'static str| match parts(name) {
        (curve, Some(group)) => vec![curve, group],
        _ => Vec::new(),
    };
    let before: Vec<_> = NAMES[..place].iter().copied().flat_map(names).collect();
    names(NAMES[place]).into_iter().filter(|name| !before.contains(name)).collect()
}

impl CurveName {
    /// The first of the list, which is the default, on the command line.
    pub(crate) const DEFAULT: &str = Self::FIRST.name();

    /// The same as a value.
    pub(crate) const FIRST: Self = Self(0);

    /// The name.
    pub(crate) const fn name(self) -> &'static str {
        NAMES[self.0]
    }

    /// Every curve, in the order of the list.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..NAMES.len()).map(Self)
    }

    /// The curve of a name of the list.
    pub(crate) fn named(name: &str) -> Option<Self> {
        NAMES.iter().position(|listed| *listed == name).map(Self)
    }

    /// Whether it is the default.
    pub(crate) fn is_default(self) -> bool {
        self == Self::FIRST
    }

    /// Reads a name, or another name of a curve.
    fn parser() -> impl TypedValueParser<Value = Self> {
        let values =
            NAMES.iter().enumerate().map(|(place, &name)| PossibleValue::new(name).aliases(aliases(place)));
        let place = |text: String| {
            let is_named = |&place: &usize| NAMES[place] == text || aliases(place).contains(&&*text);
            Self((0..NAMES.len()).find(is_named).expect("one of the possible values"))
        };
        PossibleValuesParser::new(values).map(place)
    }
}

/// The curves of the list, each once, whatever its groups.
pub(crate) fn without_groups() -> Vec<&'static str> {
    let mut curves: Vec<_> = NAMES.iter().map(|name| parts(name).0).collect();
    let mut seen = HashSet::new();
    curves.retain(|curve| seen.insert(*curve));
    curves
}

/// The help of `--curve`.
fn curve_help() -> String {
    let with_groups: Vec<_> = NAMES.iter().filter_map(|name| parts(name).1.map(|_| parts(name).0)).collect();
    let mut curves = without_groups();
    curves.retain(|curve| with_groups.contains(curve));
    format!(
        "The curve of the bases; of {} it is the group g1, if no group is named",
        output::enumeration(&curves)
    )
}

/// The choice of a curve.
#[derive(clap::Args)]
pub(crate) struct CurveOptions {
    #[arg(long, default_value = CurveName::DEFAULT, value_name = "CURVE", value_parser = CurveName::parser(),
        help = curve_help())]
    curve: CurveName,

    /// The group of the curve, where it has two
    #[arg(long, value_name = "GROUP", value_parser = PossibleValuesParser::new(["g1", "g2"]))]
    group: Option<String>,
}

impl CurveOptions {
    /// The curve with the group.
    pub(crate) fn chosen(&self) -> Result<CurveName, Failure> {
        let Some(group) = &self.group else { return Ok(self.curve) };
        let (curve, _) = parts(self.curve.name());
        let place = NAMES.iter().position(|name| parts(name) == (curve, Some(group)));
        place
            .map(CurveName)
            .ok_or_else(|| Failure::new(format_args!("--group {group}: {curve} has no such group")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_curves_have_a_name_in_common() {
        let all: Vec<_> = NAMES.iter().copied().chain((0..NAMES.len()).flat_map(aliases)).collect();
        let distinct: HashSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len(), "{all:?}");
        assert_eq!(aliases(0), ["bn254", "g1"]);
        let bls12_381 = NAMES.iter().position(|name| *name == "bls12-381-g1").expect("a curve of the list");
        assert_eq!(aliases(bls12_381), ["bls12-381"]);
    }
}
