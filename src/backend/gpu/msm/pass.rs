//! One pass: rows of scalars over a range of bases, into buckets.

use std::marker::PhantomData;
use std::ops::Range;

use super::Input;
use super::Point;
use super::buckets::Buckets;
use super::launches::{self, Accumulation, Reduction, Sort, Source};
use super::plan::{self, Division, Shape, WIDTHS, Widths};
use super::programs::DeviceCurve;
use crate::backend::gpu::work::{Region, Work};
use crate::backend::gpu::{Device, Gpu};
use crate::curve::limbs_of_points;
use crate::error::Error;
use crate::field::prime::limbs;

/// Scalars, as integers, and bases on the device.
struct Pass<'a, D: Device> {
    work: Work<'a, D>,
    source: Source,
    points: Region,
    widths: Widths,
}

impl<D: Device> Gpu<D> {
    /// Adds rows over a range of bases to the buckets of those `before`. Where buckets of another shape are cheaper, those before are
    /// reduced and added to `totals`, and others are begun. Digits are chosen for `like` scalars a row, of which these are a sample. The
    /// last bases are followed by reducing the buckets.
    pub(super) fn fill<'a, C: DeviceCurve>(
        &'a self,
        input: &Input<'_, C>,
        (rows, range): (Range<usize>, Range<usize>),
        like: usize,
        before: Option<Buckets<'a, D, C>>,
        totals: &mut [Point<C>],
    ) -> Result<Option<Buckets<'a, D, C>>, Error> {
        let (rows_at_once, is_last) = (rows.len(), range.end == input.bases.points.len());
        let Some(pass) = self.bring(input, rows, range)? else { return Ok(before) };
        let Pass { mut work, source, points, widths } = pass;
        let (limits, units, tables) = (work.limits(), self.device().info().units, input.tables());
        let all = plan::of_sample(&widths, rows_at_once * like);
        let shape = match &before {
            Some(before) => Shape::after(before.shape(), &all, tables),
            None => Shape::cheapest(rows_at_once, &all, tables),
        };
        let division = Division::new(shape, rows_at_once, shape.terms(&widths), units);
        let (sorting, summing) =
            (Sort::new(&mut work, division)?, Accumulation::new::<C, _>(&mut work, division)?);
        let mut launches = sorting.launches::<C>(limits, source, division, points);
        let (memory, begun) = match before {
            Some(before) => {
                // The device is to have work while the host waits for the part before.
                work.launch(&std::mem::take(&mut launches))?;
                if before.shape().shares_buckets(shape) {
                    (before.give(&mut work)?, true)
                } else {
                    before.end(totals)?;
                    (Reduction::new::<C, _>(&mut work, division)?, false)
                }
            }
            None => (Reduction::new::<C, _>(&mut work, division)?, false),
        };
        launches.extend(summing.launches::<C>(limits, sorting, division, points, (memory.sums, begun)));
        if is_last {
            launches.extend(memory.launches::<C>(limits, division));
        }
        work.launch(&launches)?;
        Ok(Some(Buckets { work, memory, division, rows: rows_at_once, reduced: is_last, curve: PhantomData }))
    }

    /// Copies what is needed, has the widths of the scalars counted and waits for that; nothing is left to do where all scalars are 0.
    fn bring<C: DeviceCurve>(
        &self,
        input: &Input<'_, C>,
        rows: Range<usize>,
        range: Range<usize>,
    ) -> Result<Option<Pass<'_, D>>, Error> {
        let Input { scalars, bases, .. } = *input;
        let (n, width) = (bases.points.len(), range.len());
        let begin = rows.start * n + range.start;
        // Several rows stand side by side only if they are whole.
        assert!(rows.len() == 1 || width == n);
        let count = rows.len() * width;
        if count == 0 {
            return Ok(None);
        }
        let mut work = Work::new(self)?;
        let limits = work.limits();
        let scalars = match input.kept_scalars {
            Some(kept) => (work.borrow(&kept.memory), begin),
            None => {
                let part = limbs(&scalars.scalars[begin..begin + count]);
                (work.upload_new(bytemuck::cast_slice(part))?, 0)
            }
        };
        let (integers, widths) = (work.allocate(C::SCALAR * count)?, work.allocate(WIDTHS / 2)?);
        work.launch(&[
            launches::clear::<C>(limits, widths, WIDTHS),
            launches::integers::<C>(limits, scalars, count, integers, widths),
        ])?;
        let (points, first, stride) = match input.kept_bases {
            Some(kept) => (work.borrow(&kept.memory), bases.first + range.start, kept.count),
            None => {
                let part = limbs_of_points(&bases.points[range]);
                (work.upload_new(bytemuck::cast_slice(part))?, 0, 0)
            }
        };
        assert!(points.words() >= C::AFFINE * (first + width));
        let mut found: Widths = [0; WIDTHS];
        work.download(widths, 0, bytemuck::cast_slice_mut(&mut found))?;
        if found[1..].iter().all(|&count| count == 0) {
            return Ok(None);
        }
        let source = Source { integers, count, width, first, stride };
        Ok(Some(Pass { work, source, points, widths: found }))
    }
}

impl Sort {
    /// New memory.
    fn new<D: Device>(work: &mut Work<'_, D>, division: Division) -> Result<Self, Error> {
        Ok(Self {
            partitions: work.allocate(division.partitions().div_ceil(2))?,
            pairs: work.allocate(division.terms)?,
            ends: work.allocate(division.slots().div_ceil(2))?,
            terms: work.allocate(division.terms.div_ceil(2))?,
        })
    }
}

impl Accumulation {
    /// New memory.
    fn new<C: DeviceCurve, D: Device>(work: &mut Work<'_, D>, division: Division) -> Result<Self, Error> {
        let (runs, longs) = (division.runs, division.longs());
        Ok(Self {
            heads: work.allocate(C::XYZZ * runs)?,
            tails: work.allocate(C::XYZZ * runs)?,
            tail_buckets: work.allocate(runs.div_ceil(2))?,
            counts: work.allocate(1)?,
            longs: work.allocate((3 * longs).div_ceil(2))?,
            slices: work.allocate(longs)?,
            slice_sums: work.allocate(C::XYZZ * longs)?,
        })
    }
}
