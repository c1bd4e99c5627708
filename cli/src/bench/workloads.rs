//! What is measured: trees, transforms, commitments, over pseudo-random words.

use zkaccel::backend::Accelerated;
use zkaccel::commit::TraceSpec;
use zkaccel::field::Goldilocks;
use zkaccel::matrix::{Layout, Matrix, MatrixMut, Shape};
use zkaccel::merkle::Approach;
use zkaccel::ntt::{Convention, Domain, Ntt};
use zkaccel::{Engine, Error};

use super::measure::measure;
use super::report::{Rate, Row, Subject};
use crate::failure::Failure;
use crate::hashes::{HashName, HashVisitor};

/// Trees over 2^`log_size` leaves.
pub(super) struct Merkle<'a> {
    pub(super) engine: &'a Engine,
    pub(super) limit: u64,
    pub(super) hash: HashName,
    /// Where there is a choice.
    pub(super) approach: Option<Approach>,
    pub(super) log_size: u32,
}

impl HashVisitor for Merkle<'_> {
    type Output = Result<Row, Failure>;

    fn visit<H: Accelerated>(self) -> Result<Row, Failure> {
        let leaves = words(4 << self.log_size, self.limit)?;
        let leaves: &[H::Digest] = bytemuck::cast_slice(&leaves);
        let engine = self.engine.with_approach(self.approach.unwrap_or_default());
        let times = measure(&engine, || Ok(()), |()| engine.merkle_tree::<H>(leaves))?;
        let rate = Rate { count: leaves.len() as u64 - 1, unit: "merges/s", bytes: None };
        let Self { hash, approach, log_size, .. } = self;
        let subject = Subject { hash: Some(hash), approach, ..Subject::new("merkle", log_size) };
        Ok(Row::new(subject, times, rate))
    }
}

/// Forward transforms of 2^`log_size` rows, in place, natural order on both sides.
pub(super) fn ntt(engine: &Engine, limit: u64, columns: usize, log_size: u32) -> Result<Row, Failure> {
    let ntt = Ntt::forward(Domain::new(log_size, Convention::default())?);
    let shape = Shape { rows: 1 << log_size, columns, layout: Layout::RowMajor };
    let mut data = words(shape.rows.saturating_mul(columns), limit)?;
    let times = measure(engine, || Ok(()), |()| engine.ntt(&ntt, MatrixMut::new(&mut data, shape)?))?;
    let rate = Rate { count: data.len() as u64, unit: "elements/s", bytes: Some(8 * data.len() as u64) };
    let subject = Subject { columns: Some(columns), ..Subject::new("ntt", log_size) };
    Ok(Row::new(subject, times, rate))
}

/// Commitments to traces of 2^`log_size` rows with the usual blow-up, shift and convention.
pub(super) struct Commit<'a> {
    pub(super) engine: &'a Engine,
    pub(super) limit: u64,
    pub(super) hash: HashName,
    /// Where there is a choice.
    pub(super) approach: Option<Approach>,
    pub(super) columns: usize,
    pub(super) log_size: u32,
}

impl HashVisitor for Commit<'_> {
    type Output = Result<Row, Failure>;

    fn visit<H: Accelerated>(self) -> Result<Row, Failure> {
        let Self { engine, limit, hash, approach, columns, log_size } = self;
        let spec = TraceSpec::default();
        let rows = 1_usize << log_size;
        // A commitment uses its trace up, so each run gets a new one.
        let count = rows.saturating_mul(columns);
        let trace = || Matrix::from_rows(words(count, limit)?, rows, columns);
        let engine = engine.with_approach(approach.unwrap_or_default());
        let times = measure(&engine, trace, |trace| engine.commit::<H>(&spec, trace))?;
        let elements = spec.blowup * count as u64;
        let rate = Rate { count: elements, unit: "elements/s", bytes: Some(8 * elements) };
        let subject = Subject {
            hash: Some(hash),
            approach,
            columns: Some(columns),
            ..Subject::new("commit", log_size)
        };
        Ok(Row::new(subject, times, rate))
    }
}

/// Pseudo-random elements, the same in every run: Steele, Lea and Flood's SplitMix64 (OOPSLA 2014) from seed 0.
pub(super) fn words(count: usize, limit: u64) -> Result<Vec<Goldilocks>, Error> {
    let bytes = (count as u64).saturating_mul(size_of::<Goldilocks>() as u64);
    if bytes > limit {
        return Err(Error::OverBudget { required: bytes, budget: limit });
    }
    let mut words =
        bytemuck::allocation::try_zeroed_vec(count).map_err(|()| Error::HostOutOfMemory { bytes })?;
    let mut state = 0_u64;
    for word in &mut words {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        *word = Goldilocks::new(z ^ (z >> 31));
    }
    Ok(words)
}
