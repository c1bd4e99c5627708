//! Points as files have them: affine, x before y, coordinates in Montgomery form, 32 little-endian bytes to an element of F_q, of an element
//! c0 + c1 u of F_(q^2) c0 first; the identity is all zero.

use std::fmt;
use std::io::{self, Write};

use halo2curves::CurveAffine;
use halo2curves::bn256::{Fq, Fq2, G1Affine, G2Affine};
use rayon::prelude::*;
use zkaccel::field::{elements, limbs};

use crate::Error;
use crate::numbers::{decimal, integer_of_bytes, modulus};
use crate::sections::{Fields, Section};
use crate::subgroup;

/// Points that one thread reads at once.
const AT_ONCE: usize = 1 << 10;

/// A point of either group, as files have it.
pub(crate) trait FilePoint: CurveAffine + Default {
    /// Bytes of a point.
    const BYTES: usize;
    /// The name of the group.
    const GROUP: &'static str;

    /// The point with coordinates out of a file; whether it is on the curve is not checked.
    fn of_bytes(bytes: &[u8]) -> Result<Self, Flaw>;

    /// The coordinates in the order of files.
    fn coordinates_in_file(&self) -> impl IntoIterator<Item = Fq>;

    /// The first of several points on the curve that is not in the group.
    fn first_outside(points: &[Self]) -> Result<Option<usize>, Error>;
}

/// What is wrong with a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// A coordinate, by its name, that is not below q.
    NotReduced(&'static str, [u64; 4]),
    OffCurve,
    OutsideSubgroup,
}

impl Flaw {
    /// The error for the point `record` of some place.
    pub(crate) fn of(self, place: impl fmt::Display, record: impl fmt::Display) -> Error {
        let (found, expected) = match self {
            Self::NotReduced(name, value) => (
                format!("{} in {name}", decimal(value)),
                format!("coordinates below q = {}", decimal(modulus::<Fq>())),
            ),
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

/// A coordinate out of 32 bytes.
fn coordinate(name: &'static str, bytes: &[u8]) -> Result<Fq, Flaw> {
    let value = integer_of_bytes(bytes);
    match elements::<Fq>(&[value], name) {
        Ok(elements) => Ok(elements[0]),
        Err(_) => Err(Flaw::NotReduced(name, value)),
    }
}

impl FilePoint for G1Affine {
    const BYTES: usize = 64;
    const GROUP: &'static str = "G1";

    fn of_bytes(bytes: &[u8]) -> Result<Self, Flaw> {
        let (x, y) = bytes.split_at(32);
        Ok(Self { x: coordinate("x", x)?, y: coordinate("y", y)? })
    }

    fn coordinates_in_file(&self) -> impl IntoIterator<Item = Fq> {
        [self.x, self.y]
    }

    /// The curve has prime order.
    fn first_outside(_: &[Self]) -> Result<Option<usize>, Error> {
        Ok(None)
    }
}

impl FilePoint for G2Affine {
    const BYTES: usize = 128;
    const GROUP: &'static str = "G2";

    fn of_bytes(bytes: &[u8]) -> Result<Self, Flaw> {
        let of = |name, at: usize| coordinate(name, &bytes[32 * at..][..32]);
        let x = Fq2::new(of("x.c0", 0)?, of("x.c1", 1)?);
        Ok(Self { x, y: Fq2::new(of("y.c0", 2)?, of("y.c1", 3)?) })
    }

    fn coordinates_in_file(&self) -> impl IntoIterator<Item = Fq> {
        [*self.x.c0(), *self.x.c1(), *self.y.c0(), *self.y.c1()]
    }

    fn first_outside(points: &[Self]) -> Result<Option<usize>, Error> {
        subgroup::first_outside(points)
    }
}

/// A point on the curve out of a file.
fn on_curve<P: FilePoint>(bytes: &[u8]) -> Result<P, Flaw> {
    let point = P::of_bytes(bytes)?;
    if bool::from(point.is_on_curve()) { Ok(point) } else { Err(Flaw::OffCurve) }
}

/// What is wrong with a point, if something is.
pub(crate) fn flaw_of<P: FilePoint>(point: &P) -> Result<Option<Flaw>, Error> {
    match bool::from(point.is_on_curve()) {
        true => Ok(P::first_outside(std::slice::from_ref(point))?.map(|_| Flaw::OutsideSubgroup)),
        false => Ok(Some(Flaw::OffCurve)),
    }
}

/// All points of a section, each on the curve and in the subgroup.
pub(crate) fn read<P: FilePoint>(section: &Section<'_>) -> Result<Vec<P>, Error> {
    let mut points = vec![P::default(); section.bytes.len() / P::BYTES];
    let chunks = points.par_chunks_mut(AT_ONCE).zip(section.bytes.par_chunks(AT_ONCE * P::BYTES)).enumerate();
    let flaw = chunks.find_map_first(|(chunk, (points, bytes))| {
        let flaw_of = |(point, bytes): (&mut P, &[u8])| on_curve(bytes).map(|read| *point = read).err();
        let mut pairs = points.iter_mut().zip(bytes.chunks_exact(P::BYTES)).enumerate();
        pairs.find_map(|(i, pair)| flaw_of(pair).map(|flaw| (chunk * AT_ONCE + i, flaw)))
    });
    let outside = || Ok(P::first_outside(&points)?.map(|index| (index, Flaw::OutsideSubgroup)));
    match flaw.map_or_else(outside, |flaw| Ok::<_, Error>(Some(flaw)))? {
        None => Ok(points),
        Some((index, flaw)) => Err(flaw.of(section, format_args!("point {index} of {}", P::GROUP))),
    }
}

/// The next point of a section of fields.
pub(crate) fn read_one<P: FilePoint>(fields: &mut Fields<'_>, name: &str) -> Result<P, Error> {
    let bytes = fields.take(P::BYTES as u64, name)?;
    let point: P = on_curve(bytes).map_err(|flaw| flaw.of(&fields.place, name))?;
    match P::first_outside(&[point])? {
        None => Ok(point),
        Some(_) => Err(Flaw::OutsideSubgroup.of(&fields.place, name)),
    }
}

/// Writes points.
pub(crate) fn write<P: FilePoint>(points: &[P], out: &mut dyn Write) -> io::Result<()> {
    for point in points {
        for coordinate in point.coordinates_in_file() {
            write_limbs(limbs(&[coordinate])[0], out)?;
        }
    }
    Ok(())
}

/// Writes an integer in 32 little-endian bytes.
pub(crate) fn write_limbs(limbs: [u64; 4], out: &mut dyn Write) -> io::Result<()> {
    limbs.iter().try_for_each(|limb| out.write_all(&limb.to_le_bytes()))
}
