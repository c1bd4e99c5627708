//! Measurements of sums over curves, and of transforms of points.

use zkaccel::Error;
use zkaccel::bn254::G1Affine;
use zkaccel::field::{CoordinateField, Modulus, elements, limbs_of};
use zkaccel::matrix::Matrix;
use zkaccel::msm::{AcceleratedCurve, BasesOptions};
use zkaccel::ntt::{Domain, Ntt};

use super::counts;
use super::measure::measure;
use super::plan::Operation;
use super::report::{Measurement, OneRun, Subject};
use super::workloads::Bench;
use crate::curves::{CurveName, CurveVisitor};

/// The width of scalars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ScalarKind {
    Uniform,
    Bytes,
    Bits,
}

impl ScalarKind {
    pub(super) const ALL: [Self; 3] = [Self::Uniform, Self::Bytes, Self::Bits];

    /// The width of the scalars in bits, in a group whose order has so many.
    fn bits(self, of_order: u32) -> u32 {
        match self {
            Self::Uniform => of_order,
            Self::Bytes => 8,
            Self::Bits => 1,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Bytes => "bytes",
            Self::Bits => "bits",
        }
    }
}

/// The data that an engine keeps for sums besides the bases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct KeptInputs {
    /// Tables of multiples.
    pub(super) tables: bool,
    /// The scalars.
    pub(super) scalars: bool,
}

/// Sums over 2^`log_size` kept bases.
pub(super) struct Sums<'a> {
    pub(super) bench: Bench<'a>,
    pub(super) curve: CurveName,
    pub(super) scalars: ScalarKind,
    pub(super) kept: KeptInputs,
    pub(super) log_size: u32,
}

impl CurveVisitor for Sums<'_> {
    type Output = Result<Measurement, Error>;

    fn visit<C: AcceleratedCurve>(self) -> Self::Output {
        let Self { bench, curve, scalars: kind, kept, log_size } = self;
        let (engine, count) = (bench.engine, 1_usize << log_size);
        let small = |mask: u64| -> Result<Vec<C::Scalar>, Error> {
            Ok(bench
                .ordinary_words(count)?
                .iter()
                .map(|word| C::Scalar::from(word.as_u64() & mask))
                .collect())
        };
        let scalars = match kind {
            ScalarKind::Uniform => bench.uniform(count)?,
            ScalarKind::Bytes => small(0xff)?,
            ScalarKind::Bits => small(1)?,
        };
        let options = BasesOptions { tables: kept.tables, ..BasesOptions::default() };
        let bases = engine.bases(bench.bases::<C>(count)?, options)?;
        let times = if kept.scalars {
            let scalars = engine.upload(Matrix::from_column(scalars)?)?;
            measure(engine, bench.tour, || Ok(()), |()| engine.msm(&scalars, &bases))?
        } else if bench.pinned {
            let mut locked = engine.pinned::<<C::Scalar as Modulus>::Limbs>(count)?;
            locked.copy_from_slice(limbs_of(&scalars));
            let scalars = elements::<C::Scalar>(&locked, "scalar")?;
            measure(engine, bench.tour, || Ok(()), |()| engine.msm(scalars, &bases))?
        } else {
            measure(engine, bench.tour, || Ok(()), |()| engine.msm(&scalars, &bases))?
        };
        let count = count as u64;
        let pair = (size_of::<C::Scalar>() + size_of::<C>()) as u64;
        // Devices are rated by products of four limbs.
        let of_four_limbs = size_of::<C::Base>() == C::Base::DEGREE * size_of::<[u64; 4]>();
        let bits = kind.bits(C::Scalar::BITS);
        let products = of_four_limbs.then(|| counts::msm(log_size, bits, kept.tables, C::Base::DEGREE));
        let bytes = pair * count + size_of::<C::Projective>() as u64;
        let work = OneRun { count, unit: "pairs/s", bytes, products };
        let subject = Subject {
            curve: (!curve.is_default()).then(|| curve.name().into()),
            scalars: Some(kind.name().into()),
            tables: Some(kept.tables),
            kept_scalars: Some(kept.scalars),
            ..bench.subject(Operation::Msm, log_size)
        };
        Ok(Measurement::new(subject, &times, work, bench.device))
    }
}

/// Forward transforms of 2^`log_size` points of BN254's G1.
pub(super) fn points(bench: Bench<'_>, log_size: u32) -> Result<Measurement, Error> {
    let ntt = Ntt::forward(Domain::halo2(log_size)?);
    let mut points = bench.bases::<G1Affine>(ntt.domain.size())?;
    let engine = bench.engine;
    let times = measure(engine, bench.tour, || Ok(()), |()| engine.transform_points(&ntt, &mut points))?;
    let bytes = 2 * size_of_val(points.as_slice()) as u64;
    let work = OneRun { count: points.len() as u64, unit: "points/s", bytes, products: None };
    let subject = Subject { pinned: false, ..bench.subject(Operation::Points, log_size) };
    Ok(Measurement::new(subject, &times, work, bench.device))
}
