//! Sums of many lists of affine points at once, with shared inversions.
//!
//! # Mathematical description
//!
//! A sum of two affine points costs one inversion, two products and a square; a thousand independent sums share one
//! inversion for three products each (Montgomery's trick), six products in all, against ten for a sum in projective
//! coordinates. Independent sums are found by halving: each round adds neighbours of every list, so that a list of m points
//! is one point after log2 m rounds, however unevenly points are spread over lists. A list that holds half of all points
//! costs no more than many short ones.
//!
//! Equal neighbours are doubled, which has a denominator of its own; opposite ones and identities need none and are kept
//! out of the product, so that no zero gets into it: the denominator of a doubling is y + y', which is looked at first.

use crate::curve::{Affine, Coordinate};

/// Pairs that share an inversion. Their points, 128 KiB, stay in the second-level cache between the two visits.
const BATCH: usize = 1024;

/// Products that grow side by side: one chain of products would wait for each before the next.
const CHAINS: usize = 4;

/// How many steps ahead points are asked for: about the time that memory takes to answer.
const AHEAD: usize = 32;

/// In an entry: the point is to be negated.
pub(super) const NEGATIVE: u32 = 1 << 31;
/// In an entry: the point is the bucket with this number.
const BUCKET: u32 = 1 << 30;
/// The first number that is too large for a point in an entry.
pub(super) const POINTS: usize = 1 << 30;

/// In the target of a step: the bucket with this number.
const DONE: u32 = 1 << 31;

/// What becomes of two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Add,
    Double,
    Left,
    Right,
    Identity,
}

impl Kind {
    /// What becomes of any two points.
    #[cold]
    fn of<F: Coordinate>(left: &Affine<F>, right: &Affine<F>) -> Self {
        match (left.is_identity(), right.is_identity()) {
            (true, _) => Self::Right,
            (_, true) => Self::Left,
            _ if !right.x.sub(left.x).is_zero() => Self::Add,
            _ if left.y.add(right.y).is_zero() => Self::Identity,
            _ => Self::Double,
        }
    }
}

/// Two neighbours, or one without, and where the result goes.
#[derive(Clone, Copy)]
struct Step {
    left: u32,
    right: u32,
    target: u32,
    kind: Kind,
}

/// A list of points: how many there are, and the bucket that gets their sum.
#[derive(Clone, Copy)]
struct List {
    bucket: u32,
    len: u32,
}

/// Buckets, and scratch memory for adding to them.
pub(super) struct Buckets<F> {
    /// The sums so far.
    pub(super) sums: Vec<Affine<F>>,
    /// (bucket, entry), in any order; what is to be added next.
    pub(super) entries: Vec<(u32, u32)>,
    /// Where each bucket's list begins.
    starts: Vec<u32>,
    sorted: Vec<u32>,
    lists: Vec<List>,
    points: Vec<Affine<F>>,
    steps: Vec<Step>,
    denominators: Vec<F>,
    inverses: Vec<F>,
}

impl<F: Coordinate> Buckets<F> {
    /// Empty buckets.
    pub(super) fn new(count: usize) -> Self {
        Self {
            sums: vec![Affine::IDENTITY; count],
            entries: Vec::new(),
            starts: vec![0; count + 1],
            sorted: Vec::new(),
            lists: Vec::new(),
            points: Vec::new(),
            steps: Vec::with_capacity(BATCH),
            denominators: Vec::with_capacity(BATCH),
            inverses: Vec::with_capacity(BATCH),
        }
    }

    /// Adds to each bucket the points of its entries, which are numbers of `bases`, negative or not.
    pub(super) fn add_entries(&mut self, bases: &[Affine<F>]) {
        self.sort();
        let (mut lists, mut points) = (std::mem::take(&mut self.lists), std::mem::take(&mut self.points));
        let sorted = std::mem::take(&mut self.sorted);
        points.resize(sorted.len() / 2 + lists.len(), Affine::IDENTITY);
        self.round(&mut lists, &mut points, &Entries { sorted: &sorted, bases });
        while !lists.is_empty() {
            self.round(&mut lists, &mut points, &InPlace);
        }
        (self.lists, self.points, self.sorted) = (lists, points, sorted);
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

    /// Adds neighbours of every list. Lists lie one after another in a source and do so in `points` afterwards;
    /// those that have become one point are in their buckets, and gone.
    fn round(&mut self, lists: &mut Vec<List>, points: &mut [Affine<F>], from: &impl Source<F>) {
        // Targets never overtake sources, so both may be the same memory.
        let (mut source, mut target) = (0, 0);
        for list in lists.iter_mut() {
            let half = list.len.div_ceil(2);
            for i in 0..half {
                let pair = 2 * i + 1 < list.len;
                self.steps.push(Step {
                    left: source,
                    right: source + 1,
                    target: if half == 1 { DONE | list.bucket } else { target + i },
                    kind: if pair { Kind::Add } else { Kind::Left },
                });
                source += 1 + u32::from(pair);
                if self.steps.len() == BATCH {
                    self.flush(points, from);
                }
            }
            list.len = half;
            target += if half == 1 { 0 } else { half };
        }
        self.flush(points, from);
        lists.retain(|list| list.len > 1);
    }

    /// Does the steps that were collected.
    fn flush(&mut self, points: &mut [Affine<F>], from: &impl Source<F>) {
        let Self { sums, steps, denominators, inverses, .. } = self;
        for i in 0..steps.len() {
            if let Some(ahead) = steps.get(i + AHEAD) {
                from.prefetch(ahead.left);
                from.prefetch(ahead.right);
            }
            let step = &mut steps[i];
            if step.kind != Kind::Add {
                continue;
            }
            let (left, right) = (from.x(points, sums, step.left), from.x(points, sums, step.right));
            let denominator = right.sub(left);
            if denominator.is_zero() || left.is_plain_zero() || right.is_plain_zero() {
                // Perhaps no two points with a line through them; rare, unless bases repeat.
                let [left, right] = [step.left, step.right].map(|at| from.point(points, sums, at));
                step.kind = Kind::of(&left, &right);
                match step.kind {
                    Kind::Add => denominators.push(denominator),
                    Kind::Double => denominators.push(left.y.add(right.y)),
                    Kind::Left | Kind::Right | Kind::Identity => {}
                }
            } else {
                denominators.push(denominator);
            }
        }
        invert(denominators, inverses);
        let mut inverses = inverses.iter();
        for (i, step) in steps.iter().enumerate() {
            if let Some(ahead) = steps.get(i + 4) {
                from.prefetch(ahead.left);
                from.prefetch(ahead.right);
            }
            let left = || from.point(points, sums, step.left);
            let right = || from.point(points, sums, step.right);
            let result = match step.kind {
                Kind::Left => left(),
                Kind::Right => right(),
                Kind::Identity => Affine::IDENTITY,
                Kind::Add => {
                    let (left, right) = (left(), right());
                    chord(&left, &right, right.y.sub(left.y), inverses.next())
                }
                Kind::Double => {
                    let point = left();
                    let square = point.x.square();
                    chord(&point, &point, square.add(square).add(square), inverses.next())
                }
            };
            match step.target & DONE {
                0 => points[step.target as usize] = result,
                _ => sums[(step.target & !DONE) as usize] = result,
            }
        }
        steps.clear();
        denominators.clear();
    }
}

/// Where the points of a round are.
trait Source<F> {
    /// The point at a place.
    fn point(&self, points: &[Affine<F>], sums: &[Affine<F>], at: u32) -> Affine<F>;

    /// Its x, which the sign does not change.
    fn x(&self, points: &[Affine<F>], sums: &[Affine<F>], at: u32) -> F;

    /// Asks for the point at a place, which may be beyond the last, before it is needed.
    fn prefetch(&self, at: u32);
}

/// The first round: bases and buckets, anywhere in memory, in the order of sorted entries.
struct Entries<'a, F> {
    sorted: &'a [u32],
    bases: &'a [Affine<F>],
}

impl<F: Coordinate> Source<F> for Entries<'_, F> {
    #[inline(always)]
    fn point(&self, _: &[Affine<F>], sums: &[Affine<F>], at: u32) -> Affine<F> {
        let entry = self.sorted[at as usize];
        match entry & BUCKET {
            0 => self.bases[(entry & !NEGATIVE) as usize].negated_if(entry & NEGATIVE != 0),
            _ => sums[(entry & !BUCKET) as usize],
        }
    }

    #[inline(always)]
    fn x(&self, _: &[Affine<F>], sums: &[Affine<F>], at: u32) -> F {
        let entry = self.sorted[at as usize];
        match entry & BUCKET {
            0 => self.bases[(entry & !NEGATIVE) as usize].x,
            _ => sums[(entry & !BUCKET) as usize].x,
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
struct InPlace;

impl<F: Coordinate> Source<F> for InPlace {
    #[inline(always)]
    fn point(&self, points: &[Affine<F>], _: &[Affine<F>], at: u32) -> Affine<F> {
        points[at as usize]
    }

    #[inline(always)]
    fn x(&self, points: &[Affine<F>], _: &[Affine<F>], at: u32) -> F {
        points[at as usize].x
    }

    #[inline(always)]
    fn prefetch(&self, _: u32) {}
}

/// The third point, negated, of the line through P and Q with slope numerator / denominator.
#[inline(always)]
fn chord<F: Coordinate>(p: &Affine<F>, q: &Affine<F>, numerator: F, inverse: Option<&F>) -> Affine<F> {
    let slope = numerator.mul(*inverse.expect("a denominator a sum"));
    let x = slope.square().sub(p.x).sub(q.x);
    Affine { x, y: slope.mul(p.x.sub(x)).sub(p.y) }
}

/// The inverses of elements other than zero.
fn invert<F: Coordinate>(elements: &[F], inverses: &mut Vec<F>) {
    inverses.clear();
    let mut products = [F::ONE; CHAINS];
    for (i, &element) in elements.iter().enumerate() {
        let product = &mut products[i % CHAINS];
        inverses.push(*product);
        *product = product.mul(element);
    }
    let all = products[1..].iter().fold(products[0], |all, &product| all.mul(product));
    let all = all.inverse().expect("a product of elements other than zero");
    // Of each chain's product, the inverse is that of all times the other products.
    let mut chains: [F; CHAINS] = std::array::from_fn(|i| {
        let others = products.iter().enumerate().filter(|&(j, _)| j != i);
        others.fold(all, |inverse, (_, &product)| inverse.mul(product))
    });
    for (i, &element) in elements.iter().enumerate().rev() {
        let inverse = &mut chains[i % CHAINS];
        inverses[i] = inverses[i].mul(*inverse);
        *inverse = inverse.mul(element);
    }
}
