//! Sums of many lists of affine points at once.
//!
//! # Mathematical description
//!
//! A sum of two affine points costs an inversion, two products and a square; many independent sums share one
//! inversion for three products each ([`chords`](super::chords)), six products in all, against ten for a sum in projective
//! coordinates. Independent sums are found by halving: each round adds neighbours of every list, so that a list of m points
//! is one point after log2 m rounds, however unevenly points are spread over lists. A list that holds half of all points
//! costs no more than many short ones, and no two sums of a round have a point in common.

use std::ops::Range;

use super::chords::{BUCKET_TARGET, Batch, Move, Pair};
use crate::backend::cpu::residues::Residues;
use crate::bn254::{CoordinateModulus, CoordinateResidue};
use crate::curve::Affine;

/// A point of the curve.
pub(super) type Point = Affine<CoordinateResidue>;

/// In an entry: the point is to be negated.
pub(super) const NEGATIVE: u32 = 1 << 31;
/// In an entry: the point is the bucket with this number.
const BUCKET: u32 = 1 << 30;
/// The first number that is too large for a point in an entry.
pub(super) const POINTS: usize = 1 << 30;

/// A list of points: how many there are, and the bucket that gets their sum.
#[derive(Clone, Copy)]
struct List {
    bucket: u32,
    len: u32,
}

/// Buckets, and scratch memory for adding to them.
pub(super) struct Buckets<R: Residues> {
    /// The sums so far.
    pub(super) sums: Vec<Point>,
    /// (bucket, entry), in any order; what is to be added next.
    entries: Vec<(u32, u32)>,
    /// How many entries each bucket has, one place further; then where its list begins.
    starts: Vec<u32>,
    sorted: Vec<u32>,
    lists: Vec<List>,
    /// What a round finds and what it leaves.
    points: [Vec<Point>; 2],
    batch: Batch<R>,
}

impl<R: Residues<Modulus = CoordinateModulus>> Buckets<R> {
    /// No buckets.
    pub(super) fn new() -> Self {
        Self {
            sums: Vec::new(),
            entries: Vec::new(),
            starts: Vec::new(),
            sorted: Vec::new(),
            lists: Vec::new(),
            points: [Vec::new(), Vec::new()],
            batch: Batch::new(),
        }
    }

    /// Makes this `count` empty buckets.
    pub(super) fn empty(&mut self, count: usize) {
        self.sums.clear();
        self.sums.resize(count, Affine::IDENTITY);
        self.starts.clear();
        self.starts.resize(count + 1, 0);
    }

    /// Notes that a bucket gets the point of an entry, the number of a base, negative or not.
    #[inline(always)]
    pub(super) fn push(&mut self, bucket: u32, entry: u32) {
        self.entries.push((bucket, entry));
        self.starts[bucket as usize + 1] += 1;
    }

    /// Adds to each bucket the points of its entries; no others have entries than those in the range.
    pub(super) fn add_entries(&mut self, range: Range<usize>, bases: &[Point]) {
        let total = self.sort(range);
        let [mut before, mut after] = std::mem::take(&mut self.points);
        let sorted = std::mem::take(&mut self.sorted);
        let grow = |points: &mut Vec<Point>, len: usize| {
            if points.len() < len {
                points.resize(len, Affine::IDENTITY);
            }
        };
        grow(&mut before, total / 2 + self.lists.len());
        grow(&mut after, total / 4 + self.lists.len());
        self.round(&Entries { sorted: &sorted, bases }, &mut before);
        while !self.lists.is_empty() {
            self.round(&Points(&before), &mut after);
            std::mem::swap(&mut before, &mut after);
        }
        (self.points, self.sorted) = ([before, after], sorted);
    }

    /// Sorts the entries by bucket, by counting, and returns their number. A bucket that holds a sum already is the first
    /// entry of its list.
    fn sort(&mut self, range: Range<usize>) -> usize {
        self.lists.clear();
        let most = self.entries.len() + range.len();
        if self.sorted.len() < most {
            self.sorted.resize(most, 0);
        }
        let mut total = 0;
        for bucket in range.clone() {
            let new = self.starts[bucket + 1];
            self.starts[bucket] = total;
            if new > 0 {
                let begun = !self.sums[bucket].is_identity();
                if begun {
                    self.sorted[total as usize] = bucket as u32 | BUCKET;
                    self.starts[bucket] += 1;
                }
                let len = new + u32::from(begun);
                self.lists.push(List { bucket: bucket as u32, len });
                total += len;
            }
        }
        for &(bucket, entry) in &self.entries {
            let place = &mut self.starts[bucket as usize];
            self.sorted[*place as usize] = entry;
            *place += 1;
        }
        self.entries.clear();
        self.starts[range.start..=range.end].fill(0);
        total as usize
    }

    /// Adds neighbours of every list. Lists lie one after another in a source, and do so in `points` afterwards; those that
    /// have become one point are in their buckets, and gone.
    fn round(&mut self, from: &impl Source, points: &mut [Point]) {
        let Self { lists, batch, sums, .. } = self;
        let (mut source, mut target) = (0, 0);
        for list in lists.iter_mut() {
            let (pairs, single) = (list.len / 2, list.len % 2 == 1);
            let done = list.len <= 2;
            for i in 0..pairs {
                let target = if done { BUCKET_TARGET | list.bucket } else { target + i };
                batch.pairs.push(Pair { left: from.entry(source), right: from.entry(source + 1), target });
                source += 2;
                if batch.is_full() {
                    batch.flush(from, points, sums);
                }
            }
            if single {
                let target = if done { BUCKET_TARGET | list.bucket } else { target + pairs };
                batch.moves.push(Move { from: from.entry(source), target });
                source += 1;
                if batch.is_full() {
                    batch.flush(from, points, sums);
                }
            }
            list.len = pairs + u32::from(single);
            target += if done { 0 } else { list.len };
        }
        batch.flush(from, points, sums);
        lists.retain(|list| list.len > 1);
    }
}

/// Where the points of a round are.
pub(super) trait Source {
    /// What is at a place of the lists.
    fn entry(&self, place: u32) -> u32;

    /// The point of an entry, and whether it is to be negated.
    fn at<'a>(&'a self, sums: &'a [Point], entry: u32) -> (&'a Point, bool);

    /// Asks for the point of an entry, before it is needed.
    fn prefetch(&self, entry: u32);

    /// The point of an entry, negated if it is to be.
    #[inline(always)]
    fn point(&self, sums: &[Point], entry: u32) -> Point {
        let (point, negative) = self.at(sums, entry);
        point.negated_if(negative)
    }
}

/// The first round: bases and buckets, anywhere in memory, in the order of sorted entries.
struct Entries<'a> {
    sorted: &'a [u32],
    bases: &'a [Point],
}

impl Source for Entries<'_> {
    #[inline(always)]
    fn entry(&self, place: u32) -> u32 {
        self.sorted[place as usize]
    }

    #[inline(always)]
    fn at<'a>(&'a self, sums: &'a [Point], entry: u32) -> (&'a Point, bool) {
        let points = if entry & BUCKET == 0 { self.bases } else { sums };
        (&points[(entry & !NEGATIVE & !BUCKET) as usize], entry & NEGATIVE != 0)
    }

    #[inline(always)]
    fn prefetch(&self, entry: u32) {
        crate::memory::prefetch(self.bases.as_ptr().wrapping_add((entry & !NEGATIVE & !BUCKET) as usize));
    }
}

/// Later rounds: what the round before has left.
struct Points<'a>(&'a [Point]);

impl Source for Points<'_> {
    #[inline(always)]
    fn entry(&self, place: u32) -> u32 {
        place
    }

    #[inline(always)]
    fn at<'a>(&'a self, _: &'a [Point], entry: u32) -> (&'a Point, bool) {
        (&self.0[entry as usize], false)
    }

    #[inline(always)]
    fn prefetch(&self, _: u32) {}
}
