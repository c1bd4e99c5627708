//! Points as files have them: affine, x before y, coordinates in Montgomery form, of an element c0 + c1 u of a quadratic extension c0 first; the identity
//! is all zero. A coefficient has as many little-endian words as the modulus q, and R is 2 to the power of their bits. This is also how the library has points
//! in memory.

use std::fmt;
use std::io::{self, Write};

use rayon::prelude::*;
use zkaccel::curve::{self, CoordinateLimbs, Curve, limbs_of_points};
use zkaccel::field::CoordinateField;

use crate::Error;
use crate::numbers::{decimal, is_below};
use crate::pairing::SourceGroup;
use crate::sections::{Fields, Section};
use crate::subgroup;

/// Points that one thread reads at once.
const AT_ONCE: usize = 1 << 10;

/// The coordinates of a point, x before y.
type Coordinates<C> = [CoordinateLimbs<C>; 2];

/// What is wrong with a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// A coefficient of a coordinate, by its name, that is not below q.
    NotReduced {
        name: &'static str,
        value: Vec<u64>,
        q: &'static [u64],
    },
    OffCurve,
    OutsideSubgroup,
}

impl Flaw {
    /// The error for the point `record` of some place.
    pub(crate) fn of(self, place: impl fmt::Display, record: impl fmt::Display) -> Error {
        let (found, expected) = match self {
            Self::NotReduced { name, value, q } => {
                (format!("{} in {name}", decimal(&value)), format!("coordinates below q = {}", decimal(q)))
            }
            Self::OffCurve => {
                ("a point that is not on the curve".into(), "one of the curve, or the identity".into())
            }
            Self::OutsideSubgroup => {
                ("a point of the curve outside the subgroup of order r".into(), "one of the subgroup".into())
            }
        };
        Error::malformed(format!("{place}: {record}"), found, expected)
    }
}

/// Bytes of a point.
pub(crate) const fn bytes<C: SourceGroup>() -> usize {
    size_of::<Coordinates<C>>()
}

/// A point on the curve out of a file.
fn on_curve<C: SourceGroup>(bytes: &[u8]) -> Result<C, Flaw> {
    let coordinates: Coordinates<C> = bytemuck::pod_read_unaligned(bytes);
    let point = match curve::points::<C>(&[coordinates]) {
        Ok(points) => points[0],
        Err(_) => return Err(not_reduced::<C>(&coordinates)),
    };
    if bool::from(point.is_on_curve()) { Ok(point) } else { Err(Flaw::OffCurve) }
}

/// The flaw of coordinates of which one is not reduced.
fn not_reduced<C: SourceGroup>(coordinates: &Coordinates<C>) -> Flaw {
    let q = C::Q;
    let names: &[&str] = match <C as Curve>::Base::DEGREE {
        1 => &["x", "y"],
        _ => &["x.c0", "x.c1", "y.c0", "y.c1"],
    };
    let mut coefficients =
        names.iter().zip(bytemuck::cast_slice::<_, u64>(coordinates).chunks_exact(q.len()));
    let refused = coefficients.find(|(_, value)| !is_below(value, q));
    let (name, value) = refused.expect("a coefficient that the library refused");
    Flaw::NotReduced { name, value: value.to_vec(), q }
}

/// What is wrong with a point, if something is.
pub(crate) fn flaw_of<C: SourceGroup>(point: &C) -> Result<Option<Flaw>, Error> {
    match bool::from(point.is_on_curve()) {
        true => Ok(subgroup::first_outside(std::slice::from_ref(point))?.map(|_| Flaw::OutsideSubgroup)),
        false => Ok(Some(Flaw::OffCurve)),
    }
}

/// [`Error::Malformed`] for a point of some place that is not on its curve or not in its group.
pub(crate) fn check<C: SourceGroup>(place: &str, name: &str, point: &C) -> Result<(), Error> {
    match flaw_of(point)? {
        Some(flaw) => Err(flaw.of(place, name)),
        None => Ok(()),
    }
}

/// All points of a section, each on the curve and in the subgroup. `tell` is called with the bytes of every piece, from any thread.
pub(crate) fn read<C: SourceGroup>(
    section: &Section<'_>,
    tell: &(dyn Fn(u64) + Sync),
) -> Result<Vec<C>, Error> {
    let size = bytes::<C>();
    let mut points = vec![C::default(); section.bytes.len() / size];
    let chunks = points.par_chunks_mut(AT_ONCE).zip(section.bytes.par_chunks(AT_ONCE * size)).enumerate();
    let flaw = chunks.find_map_first(|(chunk, (points, bytes))| {
        let flaw_of = |(point, bytes): (&mut C, &[u8])| on_curve(bytes).map(|read| *point = read).err();
        let mut pairs = points.iter_mut().zip(bytes.chunks_exact(size)).enumerate();
        let flaw = pairs.find_map(|(i, pair)| flaw_of(pair).map(|flaw| (chunk * AT_ONCE + i, flaw)));
        tell(bytes.len() as u64);
        flaw
    });
    let outside = || Ok(subgroup::first_outside(&points)?.map(|index| (index, Flaw::OutsideSubgroup)));
    match flaw.map_or_else(outside, |flaw| Ok::<_, Error>(Some(flaw)))? {
        None => Ok(points),
        Some((index, flaw)) => Err(flaw.of(section, format_args!("point {index} of {}", C::GROUP))),
    }
}

/// The next point of a section of fields.
pub(crate) fn read_one<C: SourceGroup>(fields: &mut Fields<'_>, name: &str) -> Result<C, Error> {
    let bytes = fields.take(bytes::<C>() as u64, name)?;
    let point: C = on_curve(bytes).map_err(|flaw| flaw.of(&fields.place, name))?;
    match subgroup::first_outside(&[point])? {
        None => Ok(point),
        Some(_) => Err(Flaw::OutsideSubgroup.of(&fields.place, name)),
    }
}

/// Writes points.
pub(crate) fn write<C: SourceGroup>(points: &[C], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(bytemuck::cast_slice(limbs_of_points(points)))
}

/// Writes an integer, or an element in Montgomery form.
pub(crate) fn write_words(words: &[u64], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(bytemuck::cast_slice(words))
}

#[cfg(test)]
mod tests {
    use halo2curves::bn256::{G1Affine, G2Affine};
    use halo2curves::group::Curve as _;
    use halo2curves::group::prime::PrimeCurveAffine;

    use super::*;

    /// So many multiples of the generator, as a file has them.
    fn written<C: SourceGroup>(count: usize) -> Vec<u8> {
        let generator: C = PrimeCurveAffine::generator();
        let steps = std::iter::successors(Some(generator), |point| Some((*point + generator).to_affine()));
        let mut bytes = Vec::new();
        write(&steps.take(count).collect::<Vec<_>>(), &mut bytes).unwrap();
        bytes
    }

    /// What is wrong with the words of a point, of more points than a thread reads at once, when the one from some byte on is another.
    fn flaw<C: SourceGroup>(index: usize, at: usize, word: u64) -> String {
        let mut bytes = written::<C>(AT_ONCE + 9);
        let at = index * super::bytes::<C>() + at;
        bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        read::<C>(&Section::alone(&bytes), &|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn a_point_is_named_by_its_index_and_its_coordinate() {
        for index in [0, AT_ONCE - 1, AT_ONCE, AT_ONCE + 8] {
            let error = flaw::<G1Affine>(index, 0, 0);
            assert!(
                error.contains(&format!("point {index} of G1: found a point that is not on the curve")),
                "{error}"
            );
        }
        for (name, last) in [("x", 24), ("y", 56)] {
            let error = flaw::<G1Affine>(3, last, u64::MAX);
            assert!(error.contains("point 3 of G1: ") && error.contains(&format!(" in {name},")), "{error}");
        }
        for (name, last) in [("x.c0", 24), ("x.c1", 56), ("y.c0", 88), ("y.c1", 120)] {
            let error = flaw::<G2Affine>(3, last, u64::MAX);
            assert!(error.contains("point 3 of G2: ") && error.contains(&format!(" in {name},")), "{error}");
        }
    }

    #[test]
    fn all_points_are_read_and_told() {
        let bytes = written::<G1Affine>(AT_ONCE + 9);
        let told = std::sync::atomic::AtomicU64::new(0);
        let tell = |count| {
            told.fetch_add(count, std::sync::atomic::Ordering::Relaxed);
        };
        let points = read::<G1Affine>(&Section::alone(&bytes), &tell).unwrap();
        let mut again = Vec::new();
        write(&points, &mut again).unwrap();
        assert!(again == bytes && told.into_inner() == bytes.len() as u64);
    }
}
