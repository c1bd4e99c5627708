//! Multi-scalar multiplication over the curves of the library's list: scalars and points as arrays of limbs, as Python's integers,
//! or kept by an engine.

use std::any::Any;

use accel::curve::{
    CoordinateLimbs, Curve, coordinates, limbs_of_points, points, points_of_integers, scalars_of_integers,
};
use accel::field::{CoordinateField, coefficients, elements};
use accel::msm::{self, AcceleratedCurve, BasesInput, BasesOptions};
use accel::{Engine, Error};
use numpy::PyUntypedArray;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::arrays::{Input, array_of};
use crate::cluster::Ranks;
use crate::engine::Live;
use crate::failure::{Failure, Outcome};
use crate::fields::{Words, text_of, unknown};
use crate::integers::{Unsigned, copied, integer, limbs_of, list_of_limbs};
use crate::matrix::DeviceMatrix;

/// Words of an affine point: x, then y, and of each coefficient 0 first.
const fn point_words<C: Curve>() -> usize {
    size_of::<[CoordinateLimbs<C>; 2]>() / size_of::<u64>()
}

/// A sum: affine coordinates as integers, one for each coefficient, or the identity.
type Sum = Option<[Vec<Vec<u64>>; 2]>;

/// A curve of the list.
trait Listed: AcceleratedCurve<Scalar: Words> {}

/// Generic work for a curve of a name.
trait CurveVisitor {
    /// Its result.
    type Output;

    /// The work.
    fn visit<C: Listed>(self) -> Self::Output;
}

macro_rules! curves {
    ($($affine:path, $name:literal;)*) => {
        $(impl Listed for $affine {})*

        /// The names of the curves.
        pub(crate) const CURVES: &[&str] = &[$($name),*];

        /// Does generic work for the curve of a name.
        fn visit<V: CurveVisitor>(name: &str, visitor: V) -> Result<V::Output, Error> {
            match name {
                $($name => Ok(visitor.visit::<$affine>()),)*
                _ => Err(unknown("curve", name, CURVES)),
            }
        }
    };
}
accel::for_every_curve!(curves);

/// Points of a curve that an engine keeps for sums, prepared for its device. `Engine.bases` makes them.
#[pyclass(frozen, module = "zkaccel")]
pub(crate) struct Bases {
    bases: Box<dyn AnyBases>,
}

/// Bases over any curve.
trait AnyBases: Any + Send + Sync {
    fn len(&self) -> usize;
    fn curve(&self) -> &'static str;
    /// Does a sum over these, whatever the curve.
    fn sum<'py>(&self, sum: Msm<'_, 'py>) -> Outcome<Bound<'py, PyAny>>;
}

impl<C: Listed> AnyBases for msm::Bases<C> {
    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn curve(&self) -> &'static str {
        C::NAME
    }

    fn sum<'py>(&self, sum: Msm<'_, 'py>) -> Outcome<Bound<'py, PyAny>> {
        sum.over::<C>(BasesArgument::Kept(self))
    }
}

#[pymethods]
impl Bases {
    /// The name of the curve: one of `zkaccel.CURVES`.
    #[getter]
    fn curve(&self) -> &'static str {
        self.bases.curve()
    }

    fn __len__(&self) -> usize {
        self.bases.len()
    }

    fn __repr__(&self) -> String {
        format!("<zkaccel.Bases: {} points of {}>", self.bases.len(), self.bases.curve())
    }
}

/// Points as Python gives them, borrowed from an array or converted.
enum Points<'py> {
    Array(Input<'py>),
    Integers(Vec<u64>),
}

impl<'py> Points<'py> {
    /// Those of a curve.
    fn new<C: Curve>(object: &Bound<'py, PyAny>) -> Outcome<Self> {
        let (width, degree) = (point_words::<C>(), C::Base::DEGREE);
        if object.cast::<PyUntypedArray>().is_ok() {
            return Ok(Self::Array(Input::of_width(object, "bases", width)?));
        }
        let Ok(items) = object.try_iter() else {
            let found = crate::failure::type_name(object);
            let expected =
                format!("Bases, an array of uint64 of the shape (n, {width}), or a list of (x, y) and None");
            return Err(Failure::Type(format!("bases: expected {expected}, found {found}")));
        };
        let each = width / (2 * degree);
        let limbs = |object: &Bound<'py, PyAny>| limbs_of(object, each);
        let coordinate = |object: &Bound<'py, PyAny>| match degree {
            1 => Ok(vec![limbs(object)?]),
            _ => {
                let coefficients: Vec<Bound<'_, PyAny>> = object.extract().map_err(|_| {
                    let found = crate::failure::type_name(object);
                    Failure::Type(format!("bases: expected coordinates (c0, c1), found {found}"))
                })?;
                match coefficients.len() == degree {
                    true => coefficients.iter().map(limbs).collect(),
                    false => {
                        let found = coefficients.len();
                        let text = format!("bases: expected coordinates of {degree} integers, found {found}");
                        Err(Failure::Value(text))
                    }
                }
            }
        };
        let point = |item: PyResult<Bound<'py, PyAny>>| {
            let item = item?;
            if item.is_none() {
                return Ok(vec![vec![0; each]; 2 * degree]);
            }
            let pair: Result<(Bound<'_, PyAny>, Bound<'_, PyAny>), _> = item.extract();
            let Ok((x, y)) = pair else {
                let found = crate::failure::type_name(&item);
                return Err(Failure::Type(format!(
                    "bases: expected pairs of integers (x, y), or None, found {found}"
                )));
            };
            Ok([coordinate(&x)?, coordinate(&y)?].concat())
        };
        let points = items.map(point).collect::<Outcome<Vec<_>>>()?;
        Ok(Self::Integers(points.into_iter().flatten().flatten().collect()))
    }
}

/// Points in memory that other threads may read.
#[derive(Clone, Copy)]
enum PointWords<'a> {
    Montgomery(&'a [u64]),
    Integers(&'a [u64]),
}

impl Points<'_> {
    fn words(&self, canonical: bool) -> PointWords<'_> {
        match self {
            Self::Array(input) if canonical => PointWords::Integers(input.words()),
            Self::Array(input) => PointWords::Montgomery(input.words()),
            Self::Integers(integers) => PointWords::Integers(integers),
        }
    }
}

impl PointWords<'_> {
    /// A copy of the points.
    fn to_vec<C: AcceleratedCurve>(self) -> Result<Vec<C>, Error> {
        match self {
            Self::Integers(integers) => points_of_integers(bytemuck::cast_slice(integers)),
            Self::Montgomery(words) => copied(points::<C>(bytemuck::cast_slice(words))?),
        }
    }
}

/// Keeps points of a curve.
pub(crate) fn keep(
    live: &Live,
    points: &Bound<'_, PyAny>,
    curve: &str,
    canonical: bool,
    options: BasesOptions,
) -> Outcome<Bases> {
    visit(curve, Keep { live, points, canonical, options })?
}

struct Keep<'a, 'py> {
    live: &'a Live,
    points: &'a Bound<'py, PyAny>,
    canonical: bool,
    options: BasesOptions,
}

impl CurveVisitor for Keep<'_, '_> {
    type Output = Outcome<Bases>;

    fn visit<C: Listed>(self) -> Outcome<Bases> {
        let Self { live, points, canonical, options } = self;
        let (py, points) = (points.py(), Points::new::<C>(points)?);
        let words = points.words(canonical);
        let bases = live.run(py, |engine| engine.bases(words.to_vec::<C>()?, options))?;
        Ok(Bases { bases: Box::new(bases) })
    }
}

/// A sum, or a batch of them, as Python asks for it.
pub(crate) struct Msm<'a, 'py> {
    pub(crate) live: &'a Live,
    pub(crate) scalars: &'a Bound<'py, PyAny>,
    pub(crate) canonical: bool,
    pub(crate) validate: bool,
}

/// Bases of a sum.
enum BasesArgument<'a, C: AcceleratedCurve> {
    Kept(&'a msm::Bases<C>),
    Given(PointWords<'a>),
}

impl<'py> Msm<'_, 'py> {
    /// The sum over bases that an engine keeps, or over points of the curve of a name.
    pub(crate) fn run(self, bases: &Bound<'py, PyAny>, curve: Option<&str>) -> Outcome<Bound<'py, PyAny>> {
        match bases.cast::<Bases>() {
            Ok(kept) => {
                let found = kept.get().bases.curve();
                match curve.is_none_or(|expected| expected == found) {
                    true => kept.get().bases.sum(self),
                    false => Err(Failure::Value(format!(
                        "curve: the bases are points of {found}, expected the same or None, found {:?}",
                        curve.unwrap_or_default()
                    ))),
                }
            }
            Err(_) => visit(curve.unwrap_or(CURVES[0]), (self, bases))?,
        }
    }

    fn over<C: Listed>(self, bases: BasesArgument<'_, C>) -> Outcome<Bound<'py, PyAny>> {
        let Self { live, scalars, canonical, validate } = self;
        let py = scalars.py();
        if let Ok(kept) = scalars.cast::<DeviceMatrix>() {
            let (kept, flat) = (kept.get().entries::<C::Scalar>()?, kept.get().is_flat());
            let sums = live.run(py, |engine| sums(engine, kept, bases, flat, validate))?;
            return results(py, sums, flat);
        }
        if scalars.cast::<PyUntypedArray>().is_err() {
            let integers =
                list_of_limbs(scalars, C::Scalar::LIMBS).map_err(|failure| of_scalars(failure, scalars))?;
            let sums = live.run(py, |engine| {
                let scalars = scalars_of_integers::<C::Scalar>(bytemuck::cast_slice(&integers))?;
                sums(engine, &scalars, bases, true, validate)
            })?;
            return results(py, sums, true);
        }
        let input = Input::new(scalars, "scalars")?;
        let limbs = C::Scalar::LIMBS;
        let flat = match *input.dims() {
            [_, last] if last == limbs && !input.is_fortran() => true,
            [_, _, last] if last == limbs && !input.is_fortran() => false,
            ref dims => {
                let expected = format!("C order and the shape (n, {limbs}) or (sums, n, {limbs})");
                return Err(Failure::Value(format!("scalars: expected {expected}, found {}", text_of(dims))));
            }
        };
        let words = input.words();
        let sums = live.run(py, |engine| match canonical {
            true => {
                let integers = scalars_of_integers::<C::Scalar>(bytemuck::cast_slice(words))?;
                sums(engine, &integers, bases, flat, validate)
            }
            false => {
                let scalars = elements::<C::Scalar>(bytemuck::cast_slice(words), "scalar")?;
                sums(engine, scalars, bases, flat, validate)
            }
        })?;
        results(py, sums, flat)
    }
}

/// A failure to read scalars one by one, with what they could be.
fn of_scalars(failure: Failure, scalars: &Bound<'_, PyAny>) -> Failure {
    match failure {
        Failure::Python(_) => {
            let found = crate::failure::type_name(scalars);
            let expected = "an array of uint64 of the shape (n, 4), a DeviceMatrix or a list of integers";
            Failure::Type(format!("scalars: expected {expected}, found {found}"))
        }
        Failure::Value(text) => Failure::Value(format!("scalars: {text}")),
        Failure::Type(text) => Failure::Type(format!("scalars: {text}")),
        other => other,
    }
}

impl<'py> CurveVisitor for (Msm<'_, 'py>, &Bound<'py, PyAny>) {
    type Output = Outcome<Bound<'py, PyAny>>;

    fn visit<C: Listed>(self) -> Self::Output {
        let (sum, bases) = self;
        let points = Points::new::<C>(bases)?;
        let words = points.words(sum.canonical);
        sum.over::<C>(BasesArgument::Given(words))
    }
}

/// One sum, or one for each row of scalars.
fn sums<'a, C: AcceleratedCurve>(
    engine: &Engine,
    scalars: impl Into<msm::ScalarsInput<'a, C::Scalar>>,
    bases: BasesArgument<'_, C>,
    one: bool,
    validate: bool,
) -> Result<Vec<Sum>, Error> {
    let scalars = scalars.into();
    let (kept, copy);
    let bases: BasesInput<'_, C> = match bases {
        BasesArgument::Kept(bases) => bases.into(),
        BasesArgument::Given(words) if validate => {
            let options = BasesOptions { validate, ..BasesOptions::default() };
            kept = engine.bases(words.to_vec::<C>()?, options)?;
            (&kept).into()
        }
        BasesArgument::Given(PointWords::Montgomery(words)) => {
            BasesInput::Slice(points::<C>(bytemuck::cast_slice(words))?)
        }
        BasesArgument::Given(integers) => {
            copy = integers.to_vec::<C>()?;
            BasesInput::Slice(&copy)
        }
    };
    let sums = match one {
        true => vec![engine.msm::<C>(scalars, bases)?],
        false => engine.msm_batch::<C>(scalars, bases)?,
    };
    Ok(integers::<C>(&sums))
}

/// Points as integers.
fn integers<C: AcceleratedCurve>(points: &[C::Projective]) -> Vec<Sum> {
    let coordinate = |coordinate: CoordinateLimbs<C>| {
        let coefficients = coefficients::<C::Base>(&coordinate).iter();
        coefficients.map(|limbs| limbs.as_ref().to_vec()).collect()
    };
    points.iter().map(|point| coordinates(point).map(|both| both.map(coordinate))).collect()
}

/// The name of the curve of a sum over these bases, as [`Msm::run`] takes it.
pub(crate) fn curve_of<'a>(bases: &Bound<'_, PyAny>, curve: Option<&'a str>) -> &'a str {
    match bases.cast::<Bases>() {
        Ok(kept) => kept.get().bases.curve(),
        Err(_) => curve.unwrap_or(CURVES[0]),
    }
}

/// The sum of all ranks' sums, or of lists of them, over the curve of a name.
pub(crate) fn add_up<'py>(ranks: &Ranks, own: &Bound<'py, PyAny>, curve: &str) -> Outcome<Bound<'py, PyAny>> {
    visit(curve, AddUp { ranks, own })?
}

struct AddUp<'a, 'py> {
    ranks: &'a Ranks,
    own: &'a Bound<'py, PyAny>,
}

impl<'py> CurveVisitor for AddUp<'_, 'py> {
    type Output = Outcome<Bound<'py, PyAny>>;

    fn visit<C: Listed>(self) -> Self::Output {
        let Self { ranks, own } = self;
        let (py, one) = (own.py(), !own.is_instance_of::<PyList>());
        let prepare = || {
            let all = if one { PyList::new(py, [own])?.into_any() } else { own.clone() };
            let points = Points::new::<C>(&all)?.words(true).to_vec::<C>()?;
            let sum = |point: C| {
                let mut sum = C::Projective::default();
                sum += point;
                sum
            };
            Ok(points.into_iter().map(sum).collect())
        };
        let sums = ranks.collective(py, prepare(), |cluster, own| cluster.add_up::<C>(Ok(own)))?;
        results(py, integers::<C>(&sums), one)
    }
}

/// A coordinate as an integer, or a tuple of one for each coefficient.
fn coordinate<'py>(py: Python<'py>, coefficients: &[Vec<u64>]) -> PyResult<Bound<'py, PyAny>> {
    match coefficients {
        [only] => integer(py, only),
        all => {
            let integers = all.iter().map(|limbs| integer(py, limbs)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyTuple::new(py, integers)?.into_any())
        }
    }
}

/// A point as `(x, y)` or None; a list of them for a batch.
fn results<'py>(py: Python<'py>, sums: Vec<Sum>, one: bool) -> Outcome<Bound<'py, PyAny>> {
    let point = |sum: &Sum| -> PyResult<Bound<'py, PyAny>> {
        match sum {
            None => Ok(py.None().into_bound(py)),
            Some([x, y]) => Ok((coordinate(py, x)?, coordinate(py, y)?).into_pyobject(py)?.into_any()),
        }
    };
    let points = sums.iter().map(point).collect::<PyResult<Vec<_>>>()?;
    match (one, &points[..]) {
        (true, [point]) => Ok(point.clone()),
        _ => Ok(PyList::new(py, points)?.into_any()),
    }
}

/// The points G, 2 G, ... n G of a curve, G its usual generator: bases for tests and measurements, of which the discrete logarithms
/// are known.
///
/// An array of uint64 of the shape (n, 8), over bn254-g2 (n, 16), over g1 of bls12-381 and bls12-377 (n, 12), over their g2 and over bw6-761-g1 (n, 24): the limbs of x and of y in Montgomery form, those of c0 before those of c1.
#[pyfunction]
#[pyo3(signature = (n, *, curve="bn254-g1"))]
pub(crate) fn generator_multiples<'py>(
    py: Python<'py>,
    n: Unsigned,
    curve: &str,
) -> Outcome<Bound<'py, PyAny>> {
    let (words, width) = py.detach(|| visit(curve, Multiples(n.size())))??;
    Ok(array_of(py, words, &[n.size(), width], false))
}

struct Multiples(usize);

impl CurveVisitor for Multiples {
    /// The words, and how many of them a point has.
    type Output = Result<(Vec<u64>, usize), Error>;

    fn visit<C: Listed>(self) -> Self::Output {
        let bytes = (self.0 as u64).saturating_mul(size_of::<C::Projective>() as u64);
        let mut multiples: Vec<C::Projective> = Vec::new();
        multiples.try_reserve_exact(self.0).map_err(|_| Error::HostOutOfMemory { bytes })?;
        let generator = C::generator();
        let first = C::Projective::from(generator);
        multiples.extend(std::iter::successors(Some(first), |&sum| Some(sum + generator)).take(self.0));
        let affine: Vec<C> = accel::curve::affine(&multiples);
        Ok((copied(bytemuck::cast_slice(limbs_of_points(&affine)))?, point_words::<C>()))
    }
}
