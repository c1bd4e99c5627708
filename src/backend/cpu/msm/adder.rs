//! Sums of many lists of affine points at once.
//!
//! # Mathematical description
//!
//! A sum of two affine points costs an inversion, two products and a square; many independent sums share one
//! inversion for three products each ([`chords`](super::chords)), six products in all, against ten for a sum in projective
//! coordinates. Independent sums are found by halving: each round adds neighbours of every list, so that a list of m points
//! is one point after log2 m rounds, however unevenly points are spread over lists. A list that holds half of all points
//! costs no more than many short ones, and no two sums of a round have a point in common.

use super::chords::{BUCKET_TARGET, Batch, Pair};
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
    pub(super) entries: Vec<(u32, u32)>,
    /// Where each bucket's list begins.
    starts: Vec<u32>,
    sorted: Vec<u32>,
    lists: Vec<List>,
    /// What a round finds and what it leaves.
    points: [Vec<Point>; 2],
    batch: Batch<R>,
}

impl<R: Residues<Modulus = CoordinateModulus>> Buckets<R> {
    /// Empty buckets.
    pub(super) fn new(count: usize) -> Self {
        Self {
            sums: vec![Affine::IDENTITY; count],
            entries: Vec::new(),
            starts: vec![0; count + 1],
            sorted: Vec::new(),
            lists: Vec::new(),
            points: [Vec::new(), Vec::new()],
            batch: Batch::new(),
        }
    }

    /// Adds to each bucket the points of its entries, which are numbers of `bases`, negative or not.
    pub(super) fn add_entries(&mut self, bases: &[Point]) {
        self.sort();
        let [mut before, mut after] = std::mem::take(&mut self.points);
        let sorted = std::mem::take(&mut self.sorted);
        let grow = |points: &mut Vec<Point>, len: usize| {
            if points.len() < len {
                points.resize(len, Affine::IDENTITY);
            }
        };
        grow(&mut before, sorted.len() / 2 + self.lists.len());
        grow(&mut after, sorted.len() / 4 + self.lists.len());
        self.round(&Entries { sorted: &sorted, bases }, &mut before);
        while !self.lists.is_empty() {
            self.round(&Points(&before), &mut after);
            std::mem::swap(&mut before, &mut after);
        }
        (self.points, self.sorted) = ([before, after], sorted);
        self.entries.clear();
    }

    /// Sorts the entries by bucket, by counting. A bucket that holds a sum already is the first entry of its list.
    fn sort(&mut self) {
        self.starts.fill(0);
        for &(bucket, _) in &self.entries {
            self.starts[bucket as usize + 1] += 1;
        }
        self.lists.clear();
        let mut total = 0;
        for (bucket, sum) in self.sums.iter().enumerate() {
            let new = self.starts[bucket + 1];
            self.starts[bucket] = total;
            if new > 0 {
                let len = new + u32::from(!sum.is_identity());
                self.lists.push(List { bucket: bucket as u32, len });
                total += len;
            }
        }
        self.sorted.clear();
        self.sorted.resize(total as usize, 0);
        for list in &self.lists {
            let bucket = list.bucket as usize;
            if !self.sums[bucket].is_identity() {
                self.sorted[self.starts[bucket] as usize] = list.bucket | BUCKET;
                self.starts[bucket] += 1;
            }
        }
        for &(bucket, entry) in &self.entries {
            let place = &mut self.starts[bucket as usize];
            self.sorted[*place as usize] = entry;
            *place += 1;
        }
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
                batch.pairs.push(Pair { left: source, right: source + 1, target });
                source += 2;
                if batch.pairs.len() == Batch::<R>::SIZE {
                    batch.flush(from, points, sums);
                }
            }
            if single {
                let point = from.point(sums, source);
                source += 1;
                match done {
                    true => sums[list.bucket as usize] = point,
                    false => points[(target + pairs) as usize] = point,
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
    /// The point at a place, and whether it is to be negated.
    fn at<'a>(&'a self, sums: &'a [Point], at: u32) -> (&'a Point, bool);

    /// Asks for the point at a place, which may be beyond the last, before it is needed.
    fn prefetch(&self, at: u32);

    /// The point at a place, negated if it is to be.
    #[inline(always)]
    fn point(&self, sums: &[Point], at: u32) -> Point {
        let (point, negative) = self.at(sums, at);
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
    fn at<'a>(&'a self, sums: &'a [Point], at: u32) -> (&'a Point, bool) {
        let entry = self.sorted[at as usize];
        match entry & BUCKET {
            0 => (&self.bases[(entry & !NEGATIVE) as usize], entry & NEGATIVE != 0),
            _ => (&sums[(entry & !BUCKET) as usize], false),
        }
    }

    #[inline(always)]
    fn prefetch(&self, at: u32) {
        if let Some(&entry) = self.sorted.get(at as usize) {
            let place = self.bases.as_ptr().wrapping_add((entry & !NEGATIVE & !BUCKET) as usize);
            crate::memory::prefetch(place);
        }
    }
}

/// Later rounds: what the round before has left.
struct Points<'a>(&'a [Point]);

impl Source for Points<'_> {
    #[inline(always)]
    fn at<'a>(&'a self, _: &'a [Point], at: u32) -> (&'a Point, bool) {
        (&self.0[at as usize], false)
    }

    #[inline(always)]
    fn prefetch(&self, _: u32) {}
}
