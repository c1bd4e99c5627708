//! Bucket accumulation: points are added to buckets, many at once.
//!
//! # Mathematical description
//!
//! A sum of two affine points costs an inversion, two products and a square; many independent sums share one
//! inversion for three products each ([`affine_batch`](super::affine_batch)), six products in all, against ten for a sum in projective
//! coordinates. Where points are spread evenly over buckets, hardly two of as many points as share an inversion have the same bucket,
//! so each is added to its bucket in the order in which they come. A point whose bucket is in use already is deferred.
//!
//! Deferred points are sorted by bucket, a list for each, and added by halving: each round adds neighbours of every list, so that a
//! list of m points is one point after log2 m rounds, however unevenly points are spread over buckets. A list that holds half of all
//! points costs no more than many short ones, and no two sums of a round have a point in common.

use super::affine_batch::{BUCKET_TARGET, Batch, Move, Pair};
use super::integers::NEGATIVE;
use crate::backend::cpu::residues::Coordinates;
use crate::curve::Affine;
use crate::field::coordinates::LazyElement;

/// In a term, which names a point and its sign: the point is the bucket with this number, and no base.
const BUCKET: u32 = 1 << 30;
/// The first number that is too large for a point in a term.
pub(super) const POINTS: usize = 1 << 30;

/// The number of the first batch. One less stands for a bucket whose first point came without a batch.
const FIRST: u32 = 2;

/// Buckets to a pair of a batch: of points that are spread evenly, a sixteenth is deferred.
const SPREAD: usize = 8;

/// Fewer pairs are not worth an inversion: all points are deferred.
const LEAST: usize = 1024;

/// A term for a bucket, or nothing.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// The bucket's number, from 1 on; where there is no term, any up to their count.
    pub(super) bucket: u32,
    pub(super) term: u32,
    /// Whether there is a term. It is no `Option`, on which the compiler would jump: whether bits are 0 cannot be predicted.
    pub(super) exists: bool,
}

/// A list of points: how many there are, and the bucket that gets their sum.
#[derive(Clone, Copy)]
struct List {
    bucket: u32,
    len: u32,
}

/// Buckets, and scratch memory for adding to them.
pub(super) struct Buckets<R: Coordinates> {
    /// The sums so far.
    pub(super) sums: Vec<Affine<R::Element>>,
    /// For each, the batch that last added to it; 0 for one that is still empty.
    last: Vec<u32>,
    /// The number of the batch that is being filled, and how many pairs it takes; 0 where all points are deferred.
    now: u32,
    pairs: usize,
    /// Buckets and terms that are deferred, in any order.
    deferred: Vec<(u32, u32)>,
    /// How many of these each bucket has, at the index of the next bucket; then where its list begins.
    starts: Vec<u32>,
    sorted: Vec<u32>,
    lists: Vec<List>,
    /// The points before a round and after it.
    points: [Vec<Affine<R::Element>>; 2],
    batch: Batch<R>,
}

impl<R: Coordinates> Buckets<R> {
    /// No buckets.
    pub(super) fn new() -> Self {
        Self {
            sums: Vec::new(),
            last: Vec::new(),
            now: FIRST,
            pairs: 0,
            deferred: Vec::new(),
            starts: Vec::new(),
            sorted: Vec::new(),
            lists: Vec::new(),
            points: [Vec::new(), Vec::new()],
            batch: Batch::new(),
        }
    }

    /// Makes this `count` empty buckets. Points that come one after another are spread over `spread` of them.
    pub(super) fn empty(&mut self, count: usize, spread: usize) {
        self.sums.clear();
        self.sums.resize(count, Affine::IDENTITY);
        self.last.clear();
        self.last.resize(count, 0);
        self.now = FIRST;
        let pairs = Batch::<R>::SIZE.min(spread / SPREAD / Batch::<R>::BLOCK * Batch::<R>::BLOCK);
        self.pairs = if pairs < LEAST { 0 } else { pairs };
        self.starts.clear();
        self.starts.resize(count + 1, 0);
    }

    /// Adds terms, numbers of bases with their signs, to buckets: at once in batches, or later in lists.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        entries: impl ExactSizeIterator<Item = Entry>,
        bases: &[Affine<R::Element>],
    ) {
        if self.pairs > 0 {
            let entries = entries.filter(|entry| entry.exists);
            entries.for_each(|entry| self.add_in_batch(entry, bases));
        } else {
            self.defer(entries, bases);
        }
    }

    #[inline(always)]
    fn add_in_batch(&mut self, entry: Entry, bases: &[Affine<R::Element>]) {
        let (bucket, term) = (entry.bucket - 1, entry.term);
        let last = &mut self.last[bucket as usize];
        if *last == self.now {
            self.defer(std::iter::once(entry), bases);
        } else if *last == 0 {
            *last = FIRST - 1;
            self.sums[bucket as usize] = Terms { sorted: &[], bases }.point(&[], term);
        } else {
            *last = self.now;
            let target = BUCKET_TARGET | bucket;
            self.batch.pairs.push(Pair { left: BUCKET | bucket, right: term, target });
            if self.batch.pairs.len() == self.pairs {
                self.flush(bases);
            }
        }
    }

    #[inline(always)]
    fn defer(&mut self, entries: impl ExactSizeIterator<Item = Entry>, bases: &[Affine<R::Element>]) {
        let mut count = self.deferred.len();
        self.deferred.resize(count + entries.len(), (0, 0));
        let (deferred, starts) = (&mut self.deferred[..], &mut self.starts[..]);
        for Entry { bucket, term, exists } in entries {
            // Bases come one after another now, in any order soon.
            crate::memory::prefetch(bases.as_ptr().wrapping_add((term & !NEGATIVE) as usize));
            deferred[count] = (bucket.wrapping_sub(1), term);
            count += usize::from(exists);
            starts[bucket as usize] += u32::from(exists);
        }
        self.deferred.truncate(count);
    }

    /// Adds the points of the batch.
    fn flush(&mut self, bases: &[Affine<R::Element>]) {
        self.batch.flush(&Terms { sorted: &[], bases }, &mut [], &mut self.sums);
        self.now += 1;
    }

    /// Whether it is worthwhile to add what is deferred.
    pub(super) fn has_many_deferred(&self) -> bool {
        self.deferred.len() >= self.sums.len()
    }

    /// Adds to each bucket what the batch holds for it and what is deferred.
    pub(super) fn finish(&mut self, bases: &[Affine<R::Element>]) {
        self.flush(bases);
        if self.deferred.is_empty() {
            return;
        }
        let total = self.sort();
        let [mut before, mut after] = std::mem::take(&mut self.points);
        let sorted = std::mem::take(&mut self.sorted);
        let grow = |points: &mut Vec<Affine<R::Element>>, len: usize| {
            if points.len() < len {
                points.resize(len, Affine::IDENTITY);
            }
        };
        grow(&mut before, total / 2 + self.lists.len());
        grow(&mut after, total / 4 + self.lists.len());
        self.round(&Terms { sorted: &sorted, bases }, &mut before);
        while !self.lists.is_empty() {
            self.round(&Points(&before), &mut after);
            std::mem::swap(&mut before, &mut after);
        }
        (self.points, self.sorted) = ([before, after], sorted);
    }

    /// Sorts deferred terms by bucket, by counting, and returns their number. A bucket that holds a sum already is the first
    /// term of its list.
    fn sort(&mut self) -> usize {
        self.lists.clear();
        let most = self.deferred.len() + self.sums.len();
        if self.sorted.len() < most {
            self.sorted.resize(most, 0);
        }
        let mut total = 0;
        for bucket in 0..self.sums.len() {
            let new = self.starts[bucket + 1];
            self.starts[bucket] = total;
            if new > 0 {
                let begun = std::mem::replace(&mut self.last[bucket], FIRST - 1) > 0;
                if begun {
                    self.sorted[total as usize] = bucket as u32 | BUCKET;
                    self.starts[bucket] += 1;
                }
                let len = new + u32::from(begun);
                self.lists.push(List { bucket: bucket as u32, len });
                total += len;
            }
        }
        for &(bucket, term) in &self.deferred {
            let next = &mut self.starts[bucket as usize];
            self.sorted[*next as usize] = term;
            *next += 1;
        }
        self.deferred.clear();
        self.starts.fill(0);
        total as usize
    }

    /// Adds neighbours of every list. Lists lie one after another in a source, and do so in `points` afterwards; lists of
    /// one point are written to their buckets and dropped.
    fn round(&mut self, from: &impl Source<R::Element>, points: &mut [Affine<R::Element>]) {
        let Self { lists, batch, sums, .. } = self;
        let (mut source, mut target) = (0, 0);
        for list in lists.iter_mut() {
            let (pairs, single) = (list.len / 2, list.len % 2 == 1);
            let done = list.len <= 2;
            for i in 0..pairs {
                let target = if done { BUCKET_TARGET | list.bucket } else { target + i };
                batch.pairs.push(Pair { left: from.term(source), right: from.term(source + 1), target });
                source += 2;
                if batch.is_full() {
                    batch.flush(from, points, sums);
                }
            }
            if single {
                let target = if done { BUCKET_TARGET | list.bucket } else { target + pairs };
                batch.moves.push(Move { from: from.term(source), target });
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
pub(super) trait Source<T: LazyElement> {
    /// The term at an index of the lists.
    fn term(&self, index: u32) -> u32;

    /// The point of an term, and whether it is to be negated.
    fn at<'a>(&'a self, sums: &'a [Affine<T>], term: u32) -> (&'a Affine<T>, bool);

    /// Prefetches the point of a term.
    fn prefetch(&self, sums: &[Affine<T>], term: u32);

    /// The point of an term, negated if it is to be.
    #[inline(always)]
    fn point(&self, sums: &[Affine<T>], term: u32) -> Affine<T> {
        let (point, negative) = self.at(sums, term);
        point.negated_if(negative)
    }
}

/// The first round: bases and buckets, anywhere in memory, in the order of sorted terms.
struct Terms<'a, T> {
    sorted: &'a [u32],
    bases: &'a [Affine<T>],
}

impl<T: LazyElement> Source<T> for Terms<'_, T> {
    #[inline(always)]
    fn term(&self, index: u32) -> u32 {
        self.sorted[index as usize]
    }

    #[inline(always)]
    fn at<'a>(&'a self, sums: &'a [Affine<T>], term: u32) -> (&'a Affine<T>, bool) {
        let points = if term & BUCKET == 0 { self.bases } else { sums };
        (&points[(term & !NEGATIVE & !BUCKET) as usize], term & NEGATIVE != 0)
    }

    #[inline(always)]
    fn prefetch(&self, sums: &[Affine<T>], term: u32) {
        let points = if term & BUCKET == 0 { self.bases } else { sums };
        crate::memory::prefetch(points.as_ptr().wrapping_add((term & !NEGATIVE & !BUCKET) as usize));
    }
}

/// Later rounds: what the round before has made.
struct Points<'a, T>(&'a [Affine<T>]);

impl<T: LazyElement> Source<T> for Points<'_, T> {
    #[inline(always)]
    fn term(&self, index: u32) -> u32 {
        index
    }

    #[inline(always)]
    fn at<'a>(&'a self, _: &'a [Affine<T>], term: u32) -> (&'a Affine<T>, bool) {
        (&self.0[term as usize], false)
    }

    #[inline(always)]
    fn prefetch(&self, _: &[Affine<T>], _: u32) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::Simd;
    use crate::backend::cpu::residues::on_coordinates;
    use crate::bn254::{Fq, Fr, G1, G1Affine, affine};
    use crate::curve::{affine_points, projective};
    use crate::field::montgomery::Residue;
    use std::marker::PhantomData;

    fn no_buckets<R: Coordinates>(_: PhantomData<R>) -> Buckets<R> {
        Buckets::new()
    }

    /// The sums of 2^12 buckets, in batches and by lists: most points spread evenly, some all in one bucket; every point and its
    /// negative, and the identity.
    #[test]
    fn buckets_hold_the_sums_of_their_points() {
        let factors: Vec<u64> = (0..500).collect();
        let bases: Vec<G1> = factors.iter().map(|&k| G1::generator() * Fr::from(k)).collect();
        let bases: Vec<G1Affine> = affine(&bases);
        let count = 1 << 12;
        let mut state = 1_u64;
        let entries: Vec<Entry> = (0..3 * count)
            .map(|i| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let (bucket, base) = ((state >> 40) as u32 % count, (state >> 20) as u32 % 500);
                let sign = if state >> 63 == 0 { 0 } else { NEGATIVE };
                let bucket = 1 + if i % 5 == 0 { 7 } else { bucket };
                Entry { bucket, term: base | sign, exists: i % 7 > 0 }
            })
            .collect();
        let mut expected = vec![Fr::from(0); count as usize];
        for &Entry { bucket, term, .. } in entries.iter().filter(|entry| entry.exists) {
            let factor = Fr::from(factors[(term & !NEGATIVE) as usize]);
            expected[bucket as usize - 1] += if term & NEGATIVE == 0 { factor } else { -factor };
        }
        let expected: Vec<G1> = expected.iter().map(|factor| G1::generator() * factor).collect();
        for simd in Simd::available() {
            // As if there were more buckets, so that batches are as large as they get; and by lists alone.
            for spread in [SPREAD << 11, 0] {
                let sums: Vec<Affine<Residue<Fq>>> = on_coordinates!(simd, Fq, residues, {
                    let mut buckets = no_buckets(residues);
                    buckets.empty(count as usize, spread);
                    // What is left over is added with what comes later.
                    for entries in entries.chunks(5000) {
                        buckets.add(entries.iter().copied(), affine_points(&bases));
                        if buckets.has_many_deferred() {
                            buckets.finish(affine_points(&bases));
                        }
                    }
                    buckets.finish(affine_points(&bases));
                    buckets.sums
                });
                for (bucket, (sum, expected)) in sums.iter().zip(&expected).enumerate() {
                    let sum = projective::<G1Affine>((*sum).into());
                    assert_eq!(sum, *expected, "{simd}, spread over {spread}, bucket {bucket}");
                }
            }
        }
    }
}
