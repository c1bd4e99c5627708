//! Bucket accumulation: rows of scalars over a range of bases.

use std::marker::PhantomData;
use std::ops::Range;

use super::Input;
use super::Point;
use super::buckets::Buckets;
use super::launches::{self, Accumulation, Reduction, Sort, Source};
use super::plan::{Division, Shape, WIDTHS};
use super::programs::DeviceCurve;
use crate::backend::gpu::Gpu;
use crate::backend::gpu::session::{Region, Session};
use crate::backend::widths::Widths;
use crate::curve::limbs_of_points;
use crate::error::Error;
use crate::field::prime::limbs;

/// Scalars, as integers, and bases, on the device.
struct Operands<'a> {
    session: Session<'a>,
    source: Source,
    points: Region,
    widths: Widths,
}

impl Gpu {
    /// Adds rows over a range of bases to the buckets `before`. Where buckets of another shape are cheaper, those before are
    /// reduced and added to `totals`, and new ones are begun. Digits are chosen for `like` scalars per row, of which these are a
    /// sample. After the last bases the buckets are reduced.
    pub(super) fn accumulate<'a, C: DeviceCurve>(
        &'a self,
        input: &Input<'_, C>,
        (rows, range): (Range<usize>, Range<usize>),
        like: usize,
        before: Option<Buckets<'a, C>>,
        totals: &mut [Point<C>],
    ) -> Result<Option<Buckets<'a, C>>, Error> {
        let (rows_at_once, is_last) = (rows.len(), range.end == input.bases.points.len());
        let Some(operands) = self.upload_operands(input, rows, range)? else { return Ok(before) };
        let Operands { mut session, source, points, widths } = operands;
        let (limits, units, tables) = (session.limits(), self.device().info().units, input.tables());
        let all = widths.of_all(rows_at_once * like);
        let shape = match &before {
            Some(before) => Shape::after(before.shape(), &all, tables),
            None => Shape::cheapest(rows_at_once, &all, tables),
        };
        let division = Division::new::<C>(shape, rows_at_once, shape.terms(&widths), units);
        let (sorting, summing) =
            (Sort::new(&mut session, division)?, Accumulation::new::<C>(&mut session, division)?);
        let mut launches = sorting.launches::<C>(limits, source, division, points);
        let (memory, begun) = match before {
            Some(before) => {
                // The device needs work while the host waits for the previous part.
                session.launch(&std::mem::take(&mut launches))?;
                if before.shape().shares_buckets(shape) {
                    (before.give(&mut session)?, true)
                } else {
                    before.end(totals)?;
                    (Reduction::new::<C>(&mut session, division)?, false)
                }
            }
            None => (Reduction::new::<C>(&mut session, division)?, false),
        };
        launches.extend(summing.launches::<C>(limits, sorting, division, points, (memory.sums, begun)));
        if is_last {
            launches.extend(memory.launches::<C>(limits, division));
        }
        session.launch(&launches)?;
        Ok(Some(Buckets {
            session,
            memory,
            division,
            rows: rows_at_once,
            reduced: is_last,
            curve: PhantomData,
        }))
    }

    /// Uploads what is not on the device, counts the widths of the scalars and waits for the counts; `None` where all scalars are
    /// 0.
    fn upload_operands<C: DeviceCurve>(
        &self,
        input: &Input<'_, C>,
        rows: Range<usize>,
        range: Range<usize>,
    ) -> Result<Option<Operands<'_>>, Error> {
        let Input { scalars, bases, .. } = *input;
        let (n, width) = (bases.points.len(), range.len());
        let begin = rows.start * n + range.start;
        // Several rows are contiguous only if they are whole.
        assert!(rows.len() == 1 || width == n);
        let count = rows.len() * width;
        if count == 0 {
            return Ok(None);
        }
        let mut session = Session::new(self)?;
        let limits = session.limits();
        let scalars = match input.kept_scalars {
            Some(kept) => (session.borrow(kept), begin),
            None => {
                let part = limbs(&scalars.scalars[begin..begin + count]);
                (session.upload_new(bytemuck::cast_slice(part))?, 0)
            }
        };
        let (integers, widths) = (session.allocate(C::SCALAR * count)?, session.allocate(WIDTHS / 2)?);
        session.launch(&[
            launches::clear::<C>(limits, widths, WIDTHS),
            launches::integers::<C>(limits, scalars, count, integers, widths),
        ])?;
        let (points, first, stride) = match input.kept_bases {
            Some(kept) => (session.borrow(&kept.memory), bases.first + range.start, kept.count),
            None => {
                let part = limbs_of_points(&bases.points[range]);
                (session.upload_new(bytemuck::cast_slice(part))?, 0, 0)
            }
        };
        assert!(points.words() >= C::AFFINE * (first + width));
        let mut counts = [0_u32; WIDTHS];
        session.download(widths, 0, bytemuck::cast_slice_mut(&mut counts))?;
        let found = Widths::of_counts(counts.map(|count| count as usize));
        if found.are_zero() {
            return Ok(None);
        }
        let source = Source { integers, count, width, first, stride };
        Ok(Some(Operands { session, source, points, widths: found }))
    }
}

impl Sort {
    /// Allocates the memory.
    fn new(session: &mut Session<'_>, division: Division) -> Result<Self, Error> {
        Ok(Self {
            partitions: session.allocate(division.partitions().div_ceil(2))?,
            pairs: session.allocate(division.terms)?,
            ends: session.allocate(division.slots().div_ceil(2))?,
            terms: session.allocate(division.terms.div_ceil(2))?,
        })
    }
}

impl Accumulation {
    /// Allocates the memory.
    fn new<C: DeviceCurve>(session: &mut Session<'_>, division: Division) -> Result<Self, Error> {
        let (runs, longs) = (division.runs, division.longs());
        Ok(Self {
            heads: session.allocate(C::XYZZ * runs)?,
            tails: session.allocate(C::XYZZ * runs)?,
            tail_buckets: session.allocate(runs.div_ceil(2))?,
            counts: session.allocate(1)?,
            longs: session.allocate((3 * longs).div_ceil(2))?,
            slices: session.allocate(longs)?,
            slice_sums: session.allocate(C::XYZZ * longs)?,
        })
    }
}
