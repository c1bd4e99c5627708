//! Scalars and points of curves in `.npy` files: four limbs a scalar or six, and four, six or twelve a coefficient of a coordinate.

use zkaccel::Error;
use zkaccel::curve::{self, CoordinateLimbs, Curve};
use zkaccel::field::{ScalarField, elements, limbs};
use zkaccel::msm::AcceleratedCurve;

use crate::curves::{CurveName, CurveVisitor};
use crate::failure::{Context, Failure};
use crate::npy::NpyFile;
use crate::output;

/// Limbs of a scalar: the columns of a matrix of scalars.
pub(crate) const fn scalar<F: ScalarField>() -> usize {
    size_of::<F>() / size_of::<u64>()
}

/// Limbs of an affine point, x before y, and of each coefficient 0 first.
pub(crate) const fn point<C: Curve>() -> usize {
    size_of::<[CoordinateLimbs<C>; 2]>() / size_of::<u64>()
}

/// The shapes of matrices of points, or of scalars, for help: `(N, 8) over bn254-g1 and pallas`.
fn shapes(limbs: fn([usize; 2]) -> usize) -> String {
    let mut shapes: Vec<(usize, Vec<&str>)> = Vec::new();
    for curve in CurveName::all() {
        let limbs = limbs(curve.visit(Limbs));
        match shapes.iter_mut().find(|shape| shape.0 == limbs) {
            Some((_, curves)) => curves.push(curve.name()),
            None => shapes.push((limbs, vec![curve.name()])),
        }
    }
    let shapes = shapes.iter();
    let shapes = shapes.map(|(limbs, curves)| format!("(N, {limbs}) over {}", output::enumeration(curves)));
    shapes.collect::<Vec<_>>().join("; ")
}

/// Limbs of a point and of a scalar.
struct Limbs;

impl CurveVisitor for Limbs {
    type Output = [usize; 2];

    fn visit<C: AcceleratedCurve>(self) -> [usize; 2] {
        [point::<C>(), scalar::<C::Scalar>()]
    }
}

/// What a file of points is.
pub(crate) fn points_help() -> String {
    format!(
        "a .npy file of '<u8' words, C order, the limbs of x and then of y, those of c0 before those of c1 where a coordinate is c0 + c1 u: {}; the identity is all zero",
        shapes(|[point, _]| point)
    )
}

/// What a file of scalars is.
pub(crate) fn scalars_help() -> String {
    format!(
        "a .npy file of '<u8' words, C order, the limbs of each scalar, the lowest first: {}",
        shapes(|[_, scalar]| scalar)
    )
}

/// The form in which limbs represent elements.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Form {
    /// Entries are plain integers instead of residues in Montgomery form (x times 2^256 modulo the prime)
    #[arg(long)]
    pub(crate) canonical: bool,
}

/// Opens a matrix of as many columns as an element has limbs.
pub(crate) fn open(path: &std::path::Path, columns: usize, what: &str) -> Result<NpyFile, Failure> {
    let file = NpyFile::open(path)?;
    match file.columns == columns {
        true => Ok(file),
        false => Err(Failure::new(format_args!(
            "{}: found {} columns, expected {columns}, the limbs of {what}",
            file.name, file.columns
        ))),
    }
}

/// A copy, or [`Error::HostOutOfMemory`].
fn copied<T: Copy>(elements: &[T]) -> Result<Vec<T>, Error> {
    let mut copy = Vec::new();
    let bytes = size_of_val(elements) as u64;
    copy.try_reserve_exact(elements.len()).map_err(|_| Error::HostOutOfMemory { bytes })?;
    copy.extend_from_slice(elements);
    Ok(copy)
}

impl Form {
    /// The scalars of a matrix with [`scalar`] columns.
    pub(crate) fn scalars<F: ScalarField>(self, words: &[u64]) -> Result<Vec<F>, Failure> {
        let limbs = bytemuck::cast_slice(words);
        Ok(match self.canonical {
            true => curve::scalars_of_integers(limbs)?,
            false => copied(elements(limbs, "scalar")?)?,
        })
    }

    /// The points of a matrix with [`point`] columns.
    pub(crate) fn points<C: Curve>(self, words: &[u64]) -> Result<Vec<C>, Failure> {
        Ok(match self.canonical {
            true => curve::points_of_integers(bytemuck::cast_slice(words))?,
            false => copied(curve::points(bytemuck::cast_slice(words))?)?,
        })
    }

    /// The limbs of scalars, in the form in which they are written.
    pub(crate) fn write_scalars<F: ScalarField>(
        self,
        scalars: &[F],
        write: impl FnOnce(&[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match self.canonical {
            true => write(bytemuck::cast_slice(&curve::integers_of_scalars(scalars).context("writing")?)),
            false => write(bytemuck::cast_slice(limbs(scalars))),
        }
    }
}
