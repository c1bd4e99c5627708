//! Multi-scalar multiplication on a device.
//!
//! # Mathematical description
//!
//! The bucket method, as on the CPU ([`crate::backend::cpu`]): scalars are cut into signed digits; the bases with digit d at
//! one place, negated where d is negative, are summed in bucket |d| of the place; buckets are weighed by d and added up; places
//! are put together by doubling. With tables of multiples of the bases all places share buckets, and there is
//! no doubling.
//!
//! What a device wants is many like pieces of work, whatever the scalars are:
//!
//! 1. Scalars become signed integers, and the host is told how many have each number of bits. It chooses the digits (`plan.rs`): a column
//!    of bits has one digit.
//! 2. Digits become *entries*, a point's number and a sign, sorted by bucket (`kernels/msm_sort.cl`).
//! 3. The sorted list is cut into runs of equal length, whatever buckets they are in, and an item adds up a run
//!    (`kernels/msm_sum.cl`). Buckets that several runs share are joined, in two steps where they are long: so no skew of scalars makes
//!    one item work longer than another.
//! 4. Items weigh pieces of buckets by running sums, and groups add up the pieces of a set.
//! 5. The host has a point for each set, and puts them together.
//!
//! Rows of a batch are done in one go, each with buckets of its own, as many as fit. A row that is too large for the device's memory is
//! cut into ranges of bases, whose sums the host adds.

mod launches;
mod plan;
pub(super) mod programs;
mod tables;

use std::ops::Range;

use rayon::prelude::*;

use self::launches::{AFFINE, SCALAR, Sorting, Source, Summing, XYZZ, add_up, clear, integers, weigh};
use self::plan::{Division, ENTRIES, LOG_BUCKETS, Shape, Widths};
use self::tables::DeviceBases;
use super::Gpu;
use super::device::Device;
use super::scalars::DeviceScalars;
use super::work::{Region, Work};
use crate::backend::{BasesView, Kept, Msm, ScalarsView};
use crate::bn254::{CoordinateResidue, Fr, G1, G1Affine, limbs, limbs_of_points, sum_of_xyzz};
use crate::curve::Xyzz;
use crate::error::Error;
use crate::field::montgomery::Limbs;

type Point = Xyzz<CoordinateResidue>;

/// Bases that are cut no further.
const BLOCK: usize = 1 << 10;

impl<D: Device> Msm for Gpu<D> {
    fn keep_bases(&self, points: &[G1Affine], table_bytes: u64) -> Result<Option<Kept>, Error> {
        Ok(self.device_bases(points, table_bytes)?.map(|bases| Box::new(bases) as Kept))
    }

    fn keep_scalars(&self, scalars: &[Fr]) -> Result<Option<Kept>, Error> {
        if scalars.is_empty() || !self.fits(SCALAR * scalars.len()) {
            return Ok(None);
        }
        let mut work = Work::new(self)?;
        let region = work.upload_new(bytemuck::cast_slice(limbs(scalars)))?;
        let memory = work.lease(region)?;
        Ok(Some(Box::new(DeviceScalars { memory, len: scalars.len() })))
    }

    fn msm(&self, scalars: ScalarsView<'_>, bases: BasesView<'_>, sums: &mut [G1]) -> Result<(), Error> {
        let (n, rows) = (bases.points.len(), sums.len());
        let input = Input {
            scalars,
            bases,
            kept_scalars: scalars.kept.and_then(|kept| kept.downcast_ref()),
            kept_bases: bases.kept.and_then(|kept| kept.downcast_ref()),
        };
        let mut totals = vec![Xyzz::IDENTITY; rows];
        if n > 0 && rows > 0 {
            let shape = input.wide_shape();
            let words = input.words(n, shape, self.device.info().units);
            let whole = match self.fits(words) && n.saturating_mul(shape.places) < ENTRIES {
                true => {
                    let most =
                        ((1 << LOG_BUCKETS) / shape.buckets()).min(ENTRIES / (n * shape.places)).max(1);
                    self.divide_at_most(rows, words, most, |rows| {
                        self.add_rows(&input, rows.clone(), 0..n, &mut totals[rows])
                    })
                }
                false => Err(Error::OverDeviceBudget { required: 8 * words as u64, budget: self.limit }),
            };
            match whole {
                Err(Error::DeviceOutOfMemory { .. } | Error::OverDeviceBudget { .. }) => {
                    totals.fill(Xyzz::IDENTITY);
                    for (row, total) in totals.iter_mut().enumerate() {
                        let total = std::slice::from_mut(total);
                        self.divide(n.div_ceil(BLOCK), words.div_ceil(n.div_ceil(BLOCK)), |blocks| {
                            let range = blocks.start * BLOCK..n.min(blocks.end * BLOCK);
                            self.add_rows(&input, row..row + 1, range, total)
                        })?;
                    }
                }
                done => done?,
            }
        }
        sums.iter_mut().zip(totals).for_each(|(sum, total)| *sum = sum_of_xyzz(total));
        Ok(())
    }
}

/// What is to be summed.
struct Input<'a> {
    scalars: ScalarsView<'a>,
    bases: BasesView<'a>,
    kept_scalars: Option<&'a DeviceScalars>,
    kept_bases: Option<&'a DeviceBases>,
}

impl Input<'_> {
    fn tables(&self) -> Option<Shape> {
        self.kept_bases.and_then(|bases| bases.shape)
    }

    /// The shape for a row of wide scalars.
    fn wide_shape(&self) -> Shape {
        Shape::cheapest(1, &plan::widest(self.bases.points.len()), self.tables())
    }

    /// Words of device memory for a row of `n` wide scalars on a device of so many units.
    fn words(&self, n: usize, shape: Shape, units: usize) -> usize {
        let division = Division::new(shape, 1, n * shape.places, units);
        let bases = if self.kept_bases.is_none() { AFFINE * n } else { 0 };
        division.words() + 2 * SCALAR * n + bases
    }
}

impl<D: Device> Gpu<D> {
    /// Adds the sums of rows over a range of bases to `totals`.
    fn add_rows(
        &self,
        input: &Input<'_>,
        rows: Range<usize>,
        range: Range<usize>,
        totals: &mut [Point],
    ) -> Result<(), Error> {
        let Input { scalars, bases, .. } = *input;
        let (n, width) = (bases.points.len(), range.len());
        let begin = rows.start * n + range.start;
        // Several rows stand side by side only if they are whole.
        assert!(rows.len() == 1 || width == n);
        let count = rows.len() * width;
        let mut work = Work::new(self)?;
        let limits = work.limits();
        let scalars = match input.kept_scalars {
            Some(kept) => (work.borrow(&kept.memory), begin),
            None => {
                let part = limbs(&scalars.scalars[begin..begin + count]);
                (work.upload_new(bytemuck::cast_slice(part))?, 0)
            }
        };
        let (numbers, widths) = (work.allocate(SCALAR * count)?, work.allocate(128)?);
        work.launch(&[clear(limits, widths, 256), integers(limits, scalars, count, numbers, widths)])?;
        let (points, first, stride) = match input.kept_bases {
            Some(kept) => (work.borrow(&kept.memory), bases.first + range.start, kept.count),
            None => {
                let part = limbs_of_points(&bases.points[range]);
                (work.upload_new(bytemuck::cast_slice(part))?, 0, 0)
            }
        };
        let mut found: Widths = [0; 256];
        work.download(widths, 0, bytemuck::cast_slice_mut(&mut found))?;
        let shape = Shape::cheapest(rows.len(), &found, input.tables());
        let entries = shape.entries(&found);
        if entries == 0 {
            return Ok(());
        }
        let division = Division::new(shape, rows.len(), entries, self.device.info().units);
        let source = Source { integers: numbers, count, width, shape, first, stride };
        let sets = self.set_sums(work, source, division, points)?;
        let rows = sets.par_chunks(shape.sets).zip(totals);
        rows.for_each(|(sets, total)| *total = total.add(&put_together(sets, shape.bits)));
        Ok(())
    }

    /// The weighted sums of all bucket sets.
    fn set_sums(
        &self,
        mut work: Work<'_, D>,
        source: Source,
        division: Division,
        points: Region,
    ) -> Result<Vec<Point>, Error> {
        let limits = work.limits();
        let (entries, runs, slots, longs) =
            (division.entries, division.runs, division.slots(), division.longs());
        let sorting = Sorting {
            partitions: work.allocate(division.partitions().div_ceil(2))?,
            pairs: work.allocate(entries)?,
            ends: work.allocate(slots.div_ceil(2))?,
            entries: work.allocate(entries.div_ceil(2))?,
        };
        let summing = Summing {
            sums: work.allocate(XYZZ * slots)?,
            heads: work.allocate(XYZZ * runs)?,
            tails: work.allocate(XYZZ * runs)?,
            tail_buckets: work.allocate(runs.div_ceil(2))?,
            counts: work.allocate(1)?,
            longs: work.allocate((3 * longs).div_ceil(2))?,
            slices: work.allocate(longs)?,
            slice_sums: work.allocate(XYZZ * longs)?,
        };
        let log_set = source.shape.log_set();
        let sets = division.buckets >> log_set;
        let pieces = (1 << log_set) / division.piece;
        // Two steps where one would be long.
        let first: usize = if pieces <= 256 { pieces } else { 1 << pieces.ilog2().div_ceil(2) };
        let weighted = work.allocate(XYZZ * pieces * sets)?;
        let halfway = work.allocate(XYZZ * (pieces / first) * sets)?;
        let mut launches = sorting.launches(limits, source, division, points);
        launches.extend(summing.launches(limits, sorting, division, points));
        launches.push(weigh(limits, (sorting.ends, summing.sums), log_set, division, weighted));
        launches.push(add_up(weighted, pieces * sets, first, halfway));
        let mut result = halfway;
        if first < pieces {
            result = weighted;
            launches.push(add_up(halfway, pieces / first * sets, pieces / first, result));
        }
        work.launch(&launches)?;
        let mut limbs = vec![[[0_u64; 4]; 4]; sets];
        work.download(result, 0, bytemuck::cast_slice_mut(&mut limbs))?;
        Ok(limbs.into_iter().map(point).collect())
    }
}

/// A point as kernels leave it.
fn point([x, y, zz, zzz]: [Limbs; 4]) -> Point {
    let of = CoordinateResidue::from_montgomery;
    Xyzz { x: of(x), y: of(y), zz: of(zz), zzz: of(zzz) }
}

/// The sum of a row, from those of its sets.
fn put_together(sets: &[Point], bits: u32) -> Point {
    sets.iter().rev().fold(Xyzz::IDENTITY, |sum, set| (0..bits).fold(sum, |sum, _| sum.double()).add(set))
}
