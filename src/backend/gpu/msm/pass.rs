//! One pass: the launches for rows of scalars over a range of bases, and what the host does with their results.

use std::ops::Range;

use rayon::prelude::*;

use super::launches::{self, Sorting, Source, Summing, XYZZ};
use super::launches::{AFFINE, SCALAR};
use super::plan::{Division, Shape, Widths};
use super::{FIRST_PART, Input, Point};
use crate::backend::gpu::work::{Region, Work};
use crate::backend::gpu::{Device, Gpu};
use crate::bn254::{CoordinateResidue, limbs, limbs_of_points};
use crate::curve::Xyzz;
use crate::error::Error;
use crate::field::montgomery::Limbs;

/// A pass that is under way.
struct Pass<'a, D: Device> {
    work: Work<'a, D>,
    rows: usize,
    /// For each bucket set the sum of its weighted pieces, and of the plain ones those whose number has bit 0, 1, and so on.
    result: Region,
    sets: Sets,
}

/// What the sums of a row's bucket sets are made of.
#[derive(Clone, Copy)]
struct Sets {
    shape: Shape,
    log_pieces: u32,
    log_piece: u32,
}

impl<D: Device> Gpu<D> {
    /// Adds the sums of rows over a range of bases to `totals`.
    pub(super) fn add_rows(
        &self,
        input: &Input<'_>,
        rows: Range<usize>,
        range: Range<usize>,
        totals: &mut [Point],
    ) -> Result<(), Error> {
        self.begin(input, rows, range)?.map_or(Ok(()), |pass| pass.end(totals))
    }

    /// The same for one row over all bases, in two parts that overlap.
    pub(super) fn add_in_two(
        &self,
        input: &Input<'_>,
        row: Range<usize>,
        totals: &mut [Point],
    ) -> Result<(), Error> {
        let n = input.bases.points.len();
        let first = self.begin(input, row.clone(), 0..n / FIRST_PART)?;
        let second = self.begin(input, row, n / FIRST_PART..n)?;
        first.map_or(Ok(()), |pass| pass.end(totals))?;
        second.map_or(Ok(()), |pass| pass.end(totals))
    }

    /// Copies what is needed, has the widths of the scalars counted, waits for that, and launches the rest; nothing is left to do where
    /// all scalars are 0.
    fn begin(
        &self,
        input: &Input<'_>,
        rows: Range<usize>,
        range: Range<usize>,
    ) -> Result<Option<Pass<'_, D>>, Error> {
        let Input { scalars, bases, .. } = *input;
        let (n, width, units) = (bases.points.len(), range.len(), self.device().info().units);
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
        let (integers, widths) = (work.allocate(SCALAR * count)?, work.allocate(128)?);
        work.launch(&[
            launches::clear(limits, widths, 256),
            launches::integers(limits, scalars, count, integers, widths),
        ])?;
        let (points, first, stride) = match input.kept_bases {
            Some(kept) => (work.borrow(&kept.memory), bases.first + range.start, kept.count),
            None => {
                let part = limbs_of_points(&bases.points[range]);
                (work.upload_new(bytemuck::cast_slice(part))?, 0, 0)
            }
        };
        assert!(points.words() >= AFFINE * (first + width));
        let mut found: Widths = [0; 256];
        work.download(widths, 0, bytemuck::cast_slice_mut(&mut found))?;
        let shape = Shape::cheapest(rows.len(), &found, input.tables());
        let entries = shape.entries(&found);
        if entries == 0 {
            return Ok(None);
        }
        let division = Division::new(shape, rows.len(), entries, units);
        let source = Source { integers, count, width, shape, first, stride };
        let result = launch(&mut work, source, division, points)?;
        let log_piece = division.piece.ilog2();
        let log_pieces = shape.log_set() - log_piece;
        let sets = Sets { shape, log_pieces, log_piece };
        Ok(Some(Pass { work, rows: rows.len(), result, sets }))
    }
}

/// Launches everything from the sort on, and says where the result will be.
fn launch<D: Device>(
    work: &mut Work<'_, D>,
    source: Source,
    division: Division,
    points: Region,
) -> Result<Region, Error> {
    let limits = work.limits();
    let Division { entries, runs, buckets, piece, .. } = division;
    let (slots, longs) = (division.slots(), division.longs());
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
    let (sets, log_pieces) = (buckets >> log_set, log_set - piece.ilog2());
    let (pieces, kinds) = (1 << log_pieces, log_pieces as usize + 1);
    let length = pieces.min(launches::ADDED_UP);
    let weighed = (work.allocate(XYZZ * pieces * sets)?, work.allocate(XYZZ * pieces * sets)?);
    let halfway = work.allocate(XYZZ * pieces / length * kinds * sets)?;
    let mut all = sorting.launches(limits, source, division, points);
    all.extend(summing.launches(limits, sorting, division, points));
    all.push(launches::weigh(limits, (sorting.ends, summing.sums), division, weighed));
    all.push(launches::add_bits(weighed, sets, log_pieces, length, halfway));
    let mut result = halfway;
    if length < pieces {
        result = work.allocate(XYZZ * kinds * sets)?;
        all.push(launches::add_up(halfway, pieces / length * kinds * sets, pieces / length, result));
    }
    work.launch(&all)?;
    Ok(result)
}

impl<D: Device> Pass<'_, D> {
    /// Waits, and adds the sums of rows to `totals`.
    fn end(self, totals: &mut [Point]) -> Result<(), Error> {
        let Self { mut work, rows, result, sets } = self;
        let row = sets.points();
        let mut limbs = vec![[[0_u64; 4]; 4]; row * rows];
        work.download(result, 0, bytemuck::cast_slice_mut(&mut limbs))?;
        let rows = limbs.par_chunks(row).zip(totals);
        rows.for_each(|(row, total)| *total = total.add(&sets.put_together(row)));
        Ok(())
    }
}

impl Sets {
    /// The number of points of a row.
    fn points(self) -> usize {
        (self.log_pieces as usize + 1) * self.shape.sets
    }

    /// The sum of a row.
    fn put_together(self, row: &[[Limbs; 4]]) -> Point {
        let doubled = |point, times| (0..times).fold(point, |point: Point, _| point.double());
        let set = |kinds: &[[Limbs; 4]]| {
            let bits = kinds[1..].iter().rev();
            let numbers = bits.fold(Xyzz::IDENTITY, |sum, &bit| sum.double().add(&point(bit)));
            doubled(numbers, self.log_piece).add(&point(kinds[0]))
        };
        let sets = row.chunks(self.log_pieces as usize + 1).rev();
        sets.fold(Xyzz::IDENTITY, |sum, kinds| doubled(sum, self.shape.bits).add(&set(kinds)))
    }
}

/// A point as kernels leave it.
fn point([x, y, zz, zzz]: [Limbs; 4]) -> Point {
    let of = CoordinateResidue::from_montgomery;
    Xyzz { x: of(x), y: of(y), zz: of(zz), zzz: of(zzz) }
}
