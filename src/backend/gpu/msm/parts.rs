//! Sums in parts: ranges of bases that share buckets, which are reduced once, after the last.
//!
//! # Scalars in transfer
//!
//! While the device computes one part, the next is copied. Only the copy of the first part overlaps with nothing, so that part
//! should be small; and the device waits for a part whose copy takes longer than the work on the previous part. Work takes some
//! 4.4 times as long as the copy of its scalars from page-locked memory (2^22 on an H200: 10.7 ms for 2.4), so each part is four
//! times the one before, and the first of k is one of (4^k - 1) / 3: a fifth, a 21st, an 85th.
//!
//! Another part in front hides the copy of four times as many scalars as it has itself, and costs its launches and a little work
//! on every bucket, about 0.1 ms. 2^18 scalars are copied in 0.15 ms: so a first part has 2^16 scalars or more, and sums below 5
//! x 2^16 are done at once.
//!
//! # Sums beyond the device's memory
//!
//! A row that exceeds the budget is done in equal parts, one after another. The memory of each, except for the buckets, is freed
//! before the next is copied.
//!
//! # Digits
//!
//! The widths of a part's scalars are known once it has been copied. The digits of the sum are chosen by those of the first part,
//! as a sample of all. A later part keeps them, and so shares buckets, unless digits and buckets of its own cost less (wide
//! scalars after bits) or its scalars are too wide for the existing bucket sets; then the buckets so far are reduced and new ones
//! begun (`plan.rs`).

use std::iter::successors;
use std::ops::Range;

use super::buckets::Buckets;
use super::plan::{Division, Shape, TERMS, longest};
use super::programs::DeviceCurve;
use super::{Input, Point};
use crate::backend::gpu::Gpu;
use crate::backend::gpu::session::Session;
use crate::backend::widths::Widths;
use crate::curve::Xyzz;
use crate::error::Error;

/// The ratio of the bases of a part to those of the previous part.
const GROWTH: usize = 4;
/// The fewest bases of a first part.
const FIRST_PART: usize = 1 << 16;

/// The number of bases that is not divided further for the sake of memory.
const BLOCK: usize = 1 << 10;
/// Blocks of a part: with 32 windows, which no part so large has, its terms could be counted.
const MOST_BLOCKS: usize = TERMS / (32 * BLOCK) - 1;

/// How consecutive parts are scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// Each is copied while the device computes the previous one.
    Overlapping,
    /// Each begins when the memory of the previous one is free.
    OneByOne,
}

/// The parts of a sum over `n` bases whose scalars have to be copied; one part where several do not pay.
pub(super) fn while_copying(n: usize) -> Vec<Range<usize>> {
    // Parts of 1, GROWTH, GROWTH^2 and so on, the first k of them together.
    let shares = successors(Some(1), |share| Some(GROWTH * share + 1));
    let shares: Vec<_> = shares.take_while(|&share| share == 1 || n / share >= FIRST_PART).collect();
    let cut = |share: usize| n * share / shares[shares.len() - 1];
    let begins = std::iter::once(0).chain(shares.iter().copied().map(cut));
    begins.zip(shares.iter().copied().map(cut)).map(|(begin, end)| begin..end).collect()
}

impl Gpu {
    /// Adds the sums of rows to `totals`, in parts of the bases that follow each other from 0 on. After an error `totals` may
    /// contain some of the parts.
    pub(super) fn add_in_parts<C: DeviceCurve>(
        &self,
        input: &Input<'_, C>,
        rows: &Range<usize>,
        parts: &[Range<usize>],
        pace: Pace,
        totals: &mut [Point<C>],
    ) -> Result<(), Error> {
        let n = input.bases.points.len();
        let mut buckets: Option<Buckets<'_, C>> = None;
        for part in parts.iter().cloned() {
            let like = match pace {
                Pace::Overlapping => n - part.start,
                Pace::OneByOne => part.len(),
            };
            buckets = match buckets {
                Some(buckets) if pace == Pace::OneByOne => Some(buckets.alone(Session::new(self)?)?),
                buckets => buckets,
            };
            buckets = self.accumulate(input, (rows.clone(), part), like, buckets, totals)?;
        }
        buckets.map_or(Ok(()), |buckets| buckets.end(totals))
    }

    /// The sum of a row, in as few parts as the budget has room for, and in twice as many whenever the device refuses memory. A single block
    /// is tried whatever it takes.
    pub(super) fn sum_within_budget<C: DeviceCurve>(
        &self,
        input: &Input<'_, C>,
        row: usize,
    ) -> Result<Point<C>, Error> {
        let (n, units) = (input.bases.points.len(), self.device().info().units);
        let mut blocks = n.div_ceil(BLOCK).clamp(1, MOST_BLOCKS);
        let words = |n: usize| {
            let widest = Widths::alike(n, longest::<C>());
            input.words(&[n], Shape::cheapest(1, &widest, input.tables()), units)
        };
        while blocks > 1 && !self.fits(words(n.min(blocks * BLOCK))) {
            blocks -= blocks.div_ceil(8);
        }
        loop {
            let starts = (0..n).step_by(blocks * BLOCK);
            let parts: Vec<_> = starts.map(|start| start..n.min(start + blocks * BLOCK)).collect();
            let mut total = [Xyzz::IDENTITY];
            match self.add_in_parts(input, &(row..row + 1), &parts, Pace::OneByOne, &mut total) {
                // The buckets may contain some of the failed part, so the sum starts again.
                Err(Error::DeviceOutOfMemory { .. }) if blocks > 1 => blocks = blocks.div_ceil(2),
                done => return done.map(|()| total[0]),
            }
        }
    }
}

impl<C: DeviceCurve> Input<'_, C> {
    /// Words of device memory for a row of wide scalars in parts of these lengths, all of them there at once, on a device of so many units.
    pub(super) fn words(&self, parts: &[usize], shape: Shape, units: usize) -> usize {
        let n = parts.iter().sum::<usize>();
        let division = |part: &usize| Division::new::<C>(shape, 1, part * shape.windows, units);
        let terms = parts.iter().map(|part| division(part).term_words::<C>()).sum::<usize>();
        let bases = if self.kept_bases.is_none() { C::AFFINE * n } else { 0 };
        terms + division(&n).bucket_words::<C>() + 2 * C::SCALAR * n + bases
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST_PART, GROWTH, while_copying};

    #[test]
    fn parts_grow_and_are_all_of_the_sum() {
        for n in (1..100).chain([1 << 18, 1 << 20, 1 << 22, 1 << 23, (1 << 26) - 1]) {
            let parts = while_copying(n);
            assert!(parts[0].start == 0 && parts[parts.len() - 1].end == n);
            assert!(parts.len() == 1 || parts[0].len() >= FIRST_PART);
            for pair in parts.windows(2) {
                assert_eq!(pair[0].end, pair[1].start);
                // Except for rounding.
                assert!(pair[1].len().abs_diff(GROWTH * pair[0].len()) <= 2 * GROWTH);
            }
        }
        let counts = [18, 19, 20, 21, 22, 23].map(|log| while_copying(1 << log).len());
        assert_eq!(counts, [1, 2, 2, 3, 3, 4]);
    }
}
