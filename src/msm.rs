//! Multi-scalar multiplication over elliptic curves, and handles of inputs that are reused.
//!
//! # Mathematical description
//!
//! Scalars s_0 ... s_(n-1) and bases P_0 ... P_(n-1) go to the sum of s_i P_i; the sum of no pairs is the identity. Any of
//! the bases may be the identity, equal to others or their negatives. The result is a point in one of its projective
//! forms, which need not be the same in two runs: compare points, not coordinates.
//!
//! A *batch* is several rows of scalars over the same bases, one sum a row.
//!
//! [`Bases`] and a [`DeviceMatrix`] of scalars stay with an engine, in the form that suits its device: checked on request, together
//! with data that save work in later calls (tables of multiples, integers, a copy in the device's memory). Either input may also be
//! a slice.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

pub use crate::backend::AcceleratedCurve;
use crate::bn254::{Fr, G1Affine};
use crate::checks;
pub use crate::curve::Curve;
use crate::curve::check_points;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::job::Job;
use crate::matrix::Element;
use crate::operation::{self, KeptRange, Sum, keep_bases};
use crate::progress::Stage;
use crate::resident::DeviceMatrix;

/// The preparation of bases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BasesOptions {
    /// Check that every base is on the curve or the identity, at three field multiplications per base; and, for curves that have other points
    /// too, such as that of BN254's G2, that it is in the group of prime order, at about 750.
    pub validate: bool,
    /// Compute multiples of the bases, as many as fit into the memory budget beside the bases themselves, so that sums of wide
    /// scalars take fewer buckets. Costs about 250 doublings per base once; it pays where the same bases serve many sums, most
    /// for small sets of bases.
    pub tables: bool,
}

/// Bases kept by an engine. Cloning shares them.
#[derive(Clone)]
pub struct Bases<C: Curve = G1Affine>(Arc<Handle<C>>);

/// Elements, the forms of them that devices keep, and their engine.
struct Handle<C> {
    elements: Vec<C>,
    kept: Vec<KeptRange>,
    engine: Engine,
}

impl<C: Curve> Bases<C> {
    /// The bases.
    pub fn as_slice(&self) -> &[C] {
        &self.0.elements
    }

    /// The bases in `range`, for sums over these alone; [`Error::IndexOutOfRange`] if there are fewer.
    pub fn range(&self, range: Range<usize>) -> Result<BasesInput<'_, C>, Error> {
        let len = self.0.elements.len();
        match range.start <= range.end && range.end <= len {
            true => Ok(BasesInput::Kept { bases: self, range }),
            false => Err(Error::IndexOutOfRange { index: range.start.max(range.end), len: len + 1 }),
        }
    }
}

/// Bases as operands; slices, vectors and [`Bases`] convert to this type implicitly.
#[derive(Clone, Debug)]
pub enum BasesInput<'a, C: Curve = G1Affine> {
    /// Not kept by the engine.
    Slice(&'a [C]),
    /// A range of bases that the engine keeps.
    Kept {
        /// All the kept bases.
        bases: &'a Bases<C>,
        /// The range that is used.
        range: Range<usize>,
    },
}

/// Scalars as operands; slices, vectors, a [`Matrix`](crate::matrix::Matrix) and a [`DeviceMatrix`] convert to this type
/// implicitly. Scalars of matrices come in the order of memory: a row of scalars is a column of a column-major matrix.
#[derive(Clone, Copy, Debug)]
pub enum ScalarsInput<'a, F = Fr> {
    /// Not kept by the engine.
    Slice(&'a [F]),
    /// Kept by the engine.
    Kept(&'a DeviceMatrix<F>),
}

impl<'a, C: Curve, T: AsRef<[C]> + ?Sized> From<&'a T> for BasesInput<'a, C> {
    fn from(points: &'a T) -> Self {
        Self::Slice(points.as_ref())
    }
}

impl<'a, C: Curve> From<&'a Bases<C>> for BasesInput<'a, C> {
    fn from(bases: &'a Bases<C>) -> Self {
        Self::Kept { bases, range: 0..bases.0.elements.len() }
    }
}

impl<'a, F, T: AsRef<[F]> + ?Sized> From<&'a T> for ScalarsInput<'a, F> {
    fn from(scalars: &'a T) -> Self {
        Self::Slice(scalars.as_ref())
    }
}

impl<'a, F> From<&'a DeviceMatrix<F>> for ScalarsInput<'a, F> {
    fn from(scalars: &'a DeviceMatrix<F>) -> Self {
        Self::Kept(scalars)
    }
}

impl<C: Curve> BasesInput<'_, C> {
    /// The bases of a sum; [`Error::WrongEngine`] if another engine keeps them.
    fn view(&self, engine: &Engine) -> Result<operation::Bases<'_, C>, Error> {
        match self {
            Self::Slice(points) => Ok(operation::Bases { points, kept: &[], first: 0 }),
            Self::Kept { bases, range } => {
                let Handle { elements, kept, engine: owner } = &*bases.0;
                engine.check_owner("set of bases", owner)?;
                let points = &elements[range.clone()];
                Ok(operation::Bases { points, kept, first: range.start })
            }
        }
    }
}

impl<F: Element> ScalarsInput<'_, F> {
    /// The scalars of sums; [`Error::WrongEngine`] if another engine keeps them.
    fn view(&self, engine: &Engine) -> Result<operation::Scalars<'_, F>, Error> {
        match self {
            Self::Slice(scalars) => Ok(operation::Scalars::Host(scalars, &[])),
            Self::Kept(matrix) => matrix.scalars(engine),
        }
    }

    /// The number of scalars.
    fn len(&self) -> usize {
        match self {
            Self::Slice(scalars) => scalars.len(),
            Self::Kept(matrix) => matrix.shape().rows * matrix.shape().columns,
        }
    }
}

impl Engine {
    /// Keeps bases for sums on this engine.
    ///
    /// [`Error::NotOnCurve`] or [`Error::NotInSubgroup`] with the first base that is not, if the options ask for the check;
    /// [`Error::Unsupported`] where the device has no multi-scalar multiplication.
    pub fn bases<C: AcceleratedCurve>(
        &self,
        points: Vec<C>,
        options: BasesOptions,
    ) -> Result<Bases<C>, Error> {
        if options.validate {
            self.check_points(&points)?;
        }
        let budget = if options.tables { self.memory_budget().unwrap_or(u64::MAX) } else { 0 };
        let kept = self.perform(keep_bases(&points, budget))?;
        Ok(Bases(Arc::new(Handle { elements: points, kept, engine: self.clone() })))
    }

    /// The sum of every scalar times its base.
    ///
    /// [`Error::LengthMismatch`] unless there are as many scalars as bases; [`Error::WrongEngine`] for handles of another
    /// engine. Slices of bases are assumed to be on the curve: the sum over other points is meaningless.
    ///
    /// A sum counts 32 bytes per scalar towards the memory budget, unless scalars are kept. In addition, every thread of the CPU
    /// has buckets and lists of its own: about 10 MiB for a million scalars, 100 MiB with tables, never more than 450 MiB.
    ///
    /// ```
    /// use zkaccel::{Engine, bn254::{Fr, G1, G1Affine}};
    /// let engine = Engine::new()?;
    /// let generator = G1Affine::generator();
    /// let sum = engine.msm(&[Fr::from(3), Fr::from(4)], &[generator, generator])?;
    /// assert_eq!(sum, G1::generator() * Fr::from(7));
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn msm<'a, C: AcceleratedCurve>(
        &self,
        scalars: impl Into<ScalarsInput<'a, C::Scalar>>,
        bases: impl Into<BasesInput<'a, C>>,
    ) -> Result<C::Projective, Error> {
        let (scalars, bases) = (scalars.into(), bases.into());
        let found = scalars.len();
        let (scalars, bases) = (scalars.view(self)?, bases.view(self)?);
        let expected = bases.points.len();
        if expected != found {
            return Err(Error::LengthMismatch { what: "scalars", expected, found });
        }
        Ok(self.sums(scalars, bases, 1)?[0])
    }

    /// The sums of several rows of scalars over the same bases, row after row.
    ///
    /// [`Error::LengthMismatch`] unless the number of scalars is a multiple of that of the bases; no bases have no rows.
    /// Other errors as [`msm`](Self::msm).
    pub fn msm_batch<'a, C: AcceleratedCurve>(
        &self,
        scalars: impl Into<ScalarsInput<'a, C::Scalar>>,
        bases: impl Into<BasesInput<'a, C>>,
    ) -> Result<Vec<C::Projective>, Error> {
        let (scalars, bases) = (scalars.into(), bases.into());
        let found = scalars.len();
        let (scalars, bases) = (scalars.view(self)?, bases.view(self)?);
        let width = bases.points.len();
        let rows = found.checked_div(width).unwrap_or(0);
        if rows * width != found {
            return Err(Error::LengthMismatch {
                what: "scalars in whole rows",
                expected: rows * width,
                found,
            });
        }
        self.sums(scalars, bases, rows)
    }

    /// [`msm`](Self::msm) as a job over kept bases.
    pub fn msm_async<C: AcceleratedCurve>(
        &self,
        scalars: Vec<C::Scalar>,
        bases: &Bases<C>,
    ) -> Job<C::Projective> {
        let bases = bases.clone();
        self.spawn(move |engine| engine.msm::<C>(&scalars, &bases))
    }

    /// [`msm_batch`](Self::msm_batch) as a job over kept bases.
    pub fn msm_batch_async<C: AcceleratedCurve>(
        &self,
        scalars: Vec<C::Scalar>,
        bases: &Bases<C>,
    ) -> Job<Vec<C::Projective>> {
        let bases = bases.clone();
        self.spawn(move |engine| engine.msm_batch::<C>(&scalars, &bases))
    }

    fn sums<C: AcceleratedCurve>(
        &self,
        scalars: operation::Scalars<'_, C::Scalar>,
        bases: operation::Bases<'_, C>,
        rows: usize,
    ) -> Result<Vec<C::Projective>, Error> {
        // Scalars as integers, unless they are kept as such.
        if let operation::Scalars::Host(scalars, []) = scalars {
            self.check_budget(memory_of::<C::Scalar>(scalars.len(), 1))?;
        }
        self.perform_telling(Stage::Sum, Sum { scalars, bases, rows })
    }

    /// [`Error::NotOnCurve`] or [`Error::NotInSubgroup`] with the first point that is not of the group; checked on all threads.
    fn check_points<C: Curve>(&self, points: &[C]) -> Result<(), Error> {
        self.metered(Stage::Points, |meter| {
            let meter = meter.of(points.len());
            let check = |points: &[C]| check_points(points).map(|()| meter.advance(points.len()));
            self.run(|| checks::in_pieces(points, size_of::<C>(), check))
        })
    }
}

impl<C: Curve> fmt::Debug for Bases<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bases").field("len", &self.0.elements.len()).finish_non_exhaustive()
    }
}
