//! Measurements over BN254.

use zkaccel::bn254::{self, Fr, G1, G1Affine};
use zkaccel::matrix::Matrix;
use zkaccel::msm::BasesOptions;
use zkaccel::ntt::{Domain, Ntt};
use zkaccel::{Engine, Error};

use super::Operation;
use super::counts;
use super::measure::measure;
use super::report::{Measurement, OneRun, Subject};
use super::workloads::Bench;
use crate::failure::Failure;

/// The device's own error for an operation that it does not offer.
pub(super) fn unsupported(operation: Operation, engine: &Engine) -> Option<Error> {
    let answer = match operation {
        Operation::Msm => engine.msm(&[] as &[Fr], &[] as &[G1Affine]).err(),
        Operation::Fft => Domain::halo2(0)
            .and_then(|domain| engine.ntt(&Ntt::forward(domain), &mut [Fr::from(1)][..]))
            .err(),
        _ => None,
    };
    answer.filter(|error| matches!(error, Error::Unsupported { .. }))
}

/// The width of scalars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ScalarKind {
    Uniform,
    Bytes,
    Bits,
}

impl ScalarKind {
    pub(super) const ALL: [Self; 3] = [Self::Uniform, Self::Bytes, Self::Bits];

    /// The width of the scalars in bits.
    fn bits(self) -> u32 {
        match self {
            // The order of the group is below 2^254.
            Self::Uniform => 254,
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

/// Practically uniform scalars of full width.
fn uniform(bench: Bench<'_>, count: usize) -> Result<Vec<Fr>, Error> {
    let words = bench.ordinary_words(count.saturating_mul(4))?;
    let integers = words.chunks_exact(4).map(|four| std::array::from_fn(|i| four[i].as_u64()));
    Ok(integers.map(Fr::from_raw).collect())
}

/// Sums over 2^`log_size` kept bases.
pub(super) fn msm(
    bench: Bench<'_>,
    kind: ScalarKind,
    kept: KeptInputs,
    log_size: u32,
) -> Result<Measurement, Failure> {
    let (engine, count) = (bench.engine, 1_usize << log_size);
    let small = |mask: u64| -> Result<Vec<Fr>, Error> {
        Ok(bench.ordinary_words(count)?.iter().map(|word| Fr::from(word.as_u64() & mask)).collect())
    };
    let scalars = match kind {
        ScalarKind::Uniform => uniform(bench, count)?,
        ScalarKind::Bytes => small(0xff)?,
        ScalarKind::Bits => small(1)?,
    };
    let options = BasesOptions { tables: kept.tables, ..BasesOptions::default() };
    let bases = engine.bases(bases(count, bench.limit)?, options)?;
    let times = if kept.scalars {
        let scalars = engine.upload(Matrix::from_column(scalars)?)?;
        measure(engine, bench.tour, || Ok(()), |()| engine.msm(&scalars, &bases))?
    } else if bench.pinned {
        let mut locked = engine.pinned::<[u64; 4]>(count)?;
        locked.copy_from_slice(bn254::limbs(&scalars));
        let scalars = bn254::scalars(&locked)?;
        measure(engine, bench.tour, || Ok(()), |()| engine.msm(scalars, &bases))?
    } else {
        measure(engine, bench.tour, || Ok(()), |()| engine.msm(&scalars, &bases))?
    };
    let count = count as u64;
    let pair = (size_of::<Fr>() + size_of::<G1Affine>()) as u64;
    let products = Some(counts::msm(log_size, kind.bits(), kept.tables));
    let work = OneRun { count, unit: "pairs/s", bytes: pair * count + size_of::<G1>() as u64, products };
    let subject = Subject {
        scalars: Some(kind.name().into()),
        tables: Some(kept.tables),
        kept_scalars: Some(kept.scalars),
        ..bench.subject("msm", log_size)
    };
    Ok(Measurement::new(subject, &times, work, bench.device))
}

/// Multiples of the generator, G times 1, 2, 3, ... .
fn bases(count: usize, limit: u64) -> Result<Vec<G1Affine>, Error> {
    let bytes = (count as u64).saturating_mul(size_of::<G1>() as u64);
    if bytes > limit {
        return Err(Error::OverBudget { required: bytes, budget: limit });
    }
    let generator = G1Affine::generator();
    let mut bases = Vec::with_capacity(count);
    let mut next = G1::from(generator);
    // In pieces: projective points are larger, and one inversion serves a piece.
    while bases.len() < count {
        let piece = (count - bases.len()).min(1 << 12);
        let points: Vec<G1> =
            std::iter::successors(Some(next), |point| Some(point + generator)).take(piece + 1).collect();
        next = points[piece];
        bases.extend(bn254::affine(&points[..piece]));
    }
    Ok(bases)
}

/// Forward transforms of polynomials of 2^`log_size` coefficients, in place.
pub(super) fn fft(bench: Bench<'_>, polynomials: usize, log_size: u32) -> Result<Measurement, Failure> {
    let fft = Ntt::forward(Domain::halo2(log_size)?);
    let mut scalars = uniform(bench, polynomials.saturating_mul(fft.domain.size()))?;
    let (engine, count) = (bench.engine, scalars.len() as u64);
    let times = match bench.pinned {
        true => {
            let mut locked = engine.pinned::<[u64; 4]>(scalars.len())?;
            locked.copy_from_slice(bn254::limbs(&scalars));
            let scalars = bn254::scalars_mut(&mut locked)?;
            measure(engine, bench.tour, || Ok(()), |()| engine.ntt(&fft, &mut *scalars))?
        }
        false => measure(engine, bench.tour, || Ok(()), |()| engine.ntt(&fft, &mut scalars))?,
    };
    let products = Some(counts::fft(log_size, polynomials));
    let work = OneRun { count, unit: "elements/s", bytes: 2 * size_of::<Fr>() as u64 * count, products };
    let subject = Subject { columns: Some(polynomials), ..bench.subject("fft", log_size) };
    Ok(Measurement::new(subject, &times, work, bench.device))
}
