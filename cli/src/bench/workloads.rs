//! Workloads: trees, transforms, extensions, hashes of rows and commitments over pseudo-random words.

use std::ops::{Deref, DerefMut};

use zkaccel::commit::TraceSpec;
use zkaccel::field::{Goldilocks, ScalarField};
use zkaccel::hash::Accelerated;
use zkaccel::matrix::{Layout, Matrix, MatrixMut, Shape};
use zkaccel::merkle::Approach;
use zkaccel::msm::AcceleratedCurve;
use zkaccel::ntt::{Convention, Domain, Lde, Ntt};
use zkaccel::pinned::PinnedVec;
use zkaccel::{Engine, Error};

use super::counts;
use super::inputs::{self, fill};
use super::measure::measure;
use super::plan::Operation;
use super::report::{Device, Measurement, OneRun, Subject};
use crate::hashes::{HashName, HashVisitor};

/// Bytes of a digest, and of an element.
const DIGEST: u64 = 32;
const ELEMENT: u64 = 8;

/// The parameters that all workloads share.
#[derive(Clone, Copy)]
pub(super) struct Bench<'a> {
    pub(super) engine: &'a Engine,
    pub(super) device: &'a Device,
    /// The most bytes of an input.
    pub(super) limit: u64,
    /// Whether inputs lie in page-locked memory.
    pub(super) pinned: bool,
    /// Whether long work may be run a few times only.
    pub(super) tour: bool,
}

/// Trees over 2^`log_size` leaves.
pub(super) struct Merkle<'a> {
    pub(super) bench: Bench<'a>,
    pub(super) hash: HashName,
    /// Where there is a choice.
    pub(super) approach: Option<Approach>,
    pub(super) log_size: u32,
}

impl HashVisitor for Merkle<'_> {
    type Output = Result<Measurement, Error>;

    fn visit<H: Accelerated>(self) -> Result<Measurement, Error> {
        let Self { bench, hash, approach, log_size } = self;
        let leaves = bench.words(4 << log_size)?;
        let leaves: &[H::Digest] = bytemuck::cast_slice(&leaves);
        let engine = bench.engine.with_approach(approach.unwrap_or_default());
        let times = measure(&engine, bench.tour, || Ok(()), |()| engine.merkle_tree::<H>(leaves))?;
        let count = leaves.len() as u64;
        let (bytes, products) = (DIGEST * (2 * count - 1), counts::tree(hash, log_size));
        let work = OneRun { count: count - 1, unit: "merges/s", bytes, products };
        let subject = Subject { hash: Some(hash), ..bench.subject(Operation::Merkle, log_size) };
        Ok(Measurement::new(subject.with_approach(approach), &times, work, bench.device))
    }
}

/// Forward transforms of 2^`log_size` rows, in place, natural order on both sides.
pub(super) fn ntt(bench: Bench<'_>, columns: usize, log_size: u32) -> Result<Measurement, Error> {
    let engine = bench.engine;
    let ntt = Ntt::forward(Domain::new(log_size, Convention::default())?);
    let shape = Shape { rows: 1 << log_size, columns, layout: Layout::RowMajor };
    let mut data = bench.words(shape.rows.saturating_mul(columns))?;
    let times =
        measure(engine, bench.tour, || Ok(()), |()| engine.ntt(&ntt, MatrixMut::new(&mut data, shape)?))?;
    let count = data.len() as u64;
    let products = Some(counts::ntt(log_size, columns));
    let work = OneRun { count, unit: "elements/s", bytes: 2 * ELEMENT * count, products };
    let subject = Subject { columns: Some(columns), ..bench.subject(Operation::Ntt, log_size) };
    Ok(Measurement::new(subject, &times, work, bench.device))
}

/// Extensions of 2^`log_size` rows by the usual convention and shift into existing memory, column by column.
pub(super) fn lde(
    bench: Bench<'_>,
    blowup: u64,
    columns: usize,
    log_size: u32,
) -> Result<Measurement, Error> {
    let engine = bench.engine;
    let lde = Lde::onto_coset(log_size, blowup, Convention::default(), Goldilocks::GENERATOR)?;
    let shape = Shape { rows: 1 << log_size, columns, layout: Layout::ColumnMajor };
    let mut data = bench.words(shape.rows.saturating_mul(columns))?;
    let mut extended = bench.memory(lde.to().size().saturating_mul(columns))?;
    // The contents of the matrix after the first run serve as well as those before.
    let run = |()| engine.lde_into(&lde, MatrixMut::new(&mut data, shape)?, &mut extended);
    let times = measure(engine, bench.tour, || Ok(()), run)?;
    let (read, count) = (data.len() as u64, extended.len() as u64);
    let products = Some(counts::lde(log_size, columns, blowup));
    let work = OneRun { count, unit: "elements/s", bytes: ELEMENT * (read + count), products };
    let (columns, blowup) = (Some(columns), Some(blowup));
    let subject = Subject { columns, blowup, ..bench.subject(Operation::Lde, log_size) };
    Ok(Measurement::new(subject, &times, work, bench.device))
}

/// Digests of the 2^`log_size` rows of a row-major matrix.
pub(super) struct Rows<'a> {
    pub(super) bench: Bench<'a>,
    pub(super) hash: HashName,
    pub(super) columns: usize,
    pub(super) log_size: u32,
}

impl HashVisitor for Rows<'_> {
    type Output = Result<Measurement, Error>;

    fn visit<H: Accelerated>(self) -> Self::Output {
        let Self { bench, hash, columns, log_size } = self;
        let (engine, rows) = (bench.engine, 1_usize << log_size);
        let matrix = Matrix::from_rows(bench.ordinary_words(rows.saturating_mul(columns))?, rows, columns)?;
        let times = measure(engine, bench.tour, || Ok(()), |()| engine.hash_rows::<H, _>(&matrix))?;
        let count = rows as u64;
        let bytes = ELEMENT * matrix.as_slice().len() as u64 + DIGEST * count;
        let work = OneRun { count, unit: "rows/s", bytes, products: counts::rows(hash, log_size, columns) };
        let (hash, columns) = (Some(hash), Some(columns));
        let subject = Subject { hash, columns, pinned: false, ..bench.subject(Operation::Rows, log_size) };
        Ok(Measurement::new(subject, &times, work, bench.device))
    }
}

/// Commitments to traces with the usual shift and convention.
pub(super) struct Commit<'a> {
    pub(super) bench: Bench<'a>,
    pub(super) hash: HashName,
    /// Where there is a choice.
    pub(super) approach: Option<Approach>,
    /// Columns, blow-up, and the binary logarithm of the number of rows.
    pub(super) shape: (usize, u64, u32),
}

impl HashVisitor for Commit<'_> {
    type Output = Result<Measurement, Error>;

    fn visit<H: Accelerated>(self) -> Result<Measurement, Error> {
        let Self { bench, hash, approach, shape: (columns, blowup, log_size) } = self;
        let spec = TraceSpec { blowup, ..TraceSpec::default() };
        let rows = 1_usize << log_size;
        // A commitment consumes its trace, so each run gets a new one.
        let count = rows.saturating_mul(columns);
        let trace = || Matrix::from_rows(bench.ordinary_words(count)?, rows, columns);
        let engine = bench.engine.with_approach(approach.unwrap_or_default());
        let times = measure(&engine, bench.tour, trace, |trace| engine.commit::<H>(&spec, trace))?;
        let (read, elements) = (count as u64, blowup.saturating_mul(count as u64));
        let tree = (DIGEST * 2).saturating_mul(blowup).saturating_mul(rows as u64);
        let bytes = ELEMENT.saturating_mul(read.saturating_add(elements)).saturating_add(tree);
        let products = Some(counts::commitment(hash, log_size, columns, blowup));
        let work = OneRun { count: elements, unit: "elements/s", bytes, products };
        let (hash, columns, blowup) = (Some(hash), Some(columns), Some(blowup));
        let subject = Subject { hash, columns, blowup, ..bench.subject(Operation::Commit, log_size) };
        Ok(Measurement::new(subject.with_approach(approach), &times, work, bench.device))
    }
}

/// Words in memory of either kind.
enum Words {
    Ordinary(Vec<Goldilocks>),
    Pinned(PinnedVec<Goldilocks>),
}

impl Deref for Words {
    type Target = [Goldilocks];

    fn deref(&self) -> &[Goldilocks] {
        match self {
            Self::Ordinary(words) => words,
            Self::Pinned(words) => words,
        }
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [Goldilocks] {
        match self {
            Self::Ordinary(words) => words,
            Self::Pinned(words) => words,
        }
    }
}

impl Bench<'_> {
    /// An operation without options of its own.
    pub(super) fn subject(&self, operation: Operation, log_size: u32) -> Subject {
        Subject::new(operation, log_size, self.pinned)
    }

    /// Zeros.
    fn memory(&self, count: usize) -> Result<Words, Error> {
        self.check(count)?;
        match self.pinned {
            true => self.engine.pinned(count).map(Words::Pinned),
            false => self.ordinary(count).map(Words::Ordinary),
        }
    }

    fn ordinary(&self, count: usize) -> Result<Vec<Goldilocks>, Error> {
        let bytes = self.check(count)?;
        bytemuck::allocation::try_zeroed_vec(count).map_err(|()| Error::HostOutOfMemory { bytes })
    }

    /// The bytes of so many elements, if that is not too many.
    fn check(&self, count: usize) -> Result<u64, Error> {
        let bytes = (count as u64).saturating_mul(ELEMENT);
        match bytes > self.limit {
            true => Err(Error::OverBudget { required: bytes, budget: self.limit }),
            false => Ok(bytes),
        }
    }

    /// Multiples of the generator.
    pub(super) fn bases<C: AcceleratedCurve>(&self, count: usize) -> Result<Vec<C>, Error> {
        let required = (count as u64).saturating_mul(size_of::<C::Projective>() as u64);
        match required > self.limit {
            true => Err(Error::OverBudget { required, budget: self.limit }),
            false => Ok(inputs::bases(count)),
        }
    }

    /// Practically uniform elements of a prime field.
    pub(super) fn uniform<F: ScalarField>(&self, count: usize) -> Result<Vec<F>, Error> {
        Ok(inputs::uniform(&self.ordinary_words(count.saturating_mul(inputs::words_of::<F>()))?))
    }

    /// Pseudo-random elements, the same in every run.
    fn words(&self, count: usize) -> Result<Words, Error> {
        let mut words = self.memory(count)?;
        fill(&mut words, 0);
        Ok(words)
    }

    /// The same in ordinary memory.
    pub(super) fn ordinary_words(&self, count: usize) -> Result<Vec<Goldilocks>, Error> {
        let mut words = self.ordinary(count)?;
        fill(&mut words, 0);
        Ok(words)
    }
}
