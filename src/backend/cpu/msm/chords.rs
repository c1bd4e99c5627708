//! Sums of many pairs of affine points, with shared inversions.
//!
//! # Mathematical description
//!
//! The sum of P and Q is the third point, negated, of the line through both, whose slope takes an inversion. The inverses of
//! d_1 ... d_n come from that of their product: with prefixes p_i = d_1 ... d_i and t_n = 1 / p_n, the inverse of d_i is
//! t_i p_(i-1), and t_(i-1) = t_i d_i (Montgomery's trick): three products each. As many chains as a vector has lanes, or a few more,
//! run side by side, and their last products share one inversion.
//!
//! Products here divide by 2^(256 + 2s) where values are multiples of 2^256, s being the `SHIFT` of [`residues`](super::super::residues).
//! Through prefixes this cancels. With t_n = c / p_n, inverses are c / d, slopes c / 2^(256 + 2s) of the true ones, and with
//! c = 2^(512 + 3s) slopes are 2^(256 + s) times the true ones: the square of one has the factor 2^256, as it should, and its product with
//! a difference lacks 2^s, by which that is shifted.
//!
//! Where no line passes through two points, another does whose slope is right, or any at all, so that no zero gets into a product:
//! for 2P, that with the slope 3x^2 / 2y; for P - P, P + 0 and 0 + P, one of slope 0, and the result is put in later.

use super::adder::{Point, Source};
use crate::backend::cpu::quadwords::{MOST, Work};
use crate::backend::cpu::residues::Residues;
use crate::bn254::{CoordinateModulus, CoordinateResidue};
use crate::curve::{Affine, Coordinate};
use crate::field::montgomery::Limbs;

/// How many groups of pairs ahead points are asked for: about the time that memory takes to answer.
const AHEAD: usize = 32;

/// The same where they have been seen before.
const AHEAD_AGAIN: usize = 4;

/// In the target of a pair: the bucket with this number.
pub(super) const BUCKET_TARGET: u32 = 1 << 31;

/// Two points, by their places in a source, and the place that gets their sum.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) target: u32,
}

/// What stands in for the right point of a pair without a line.
struct Substitute {
    /// The pair.
    index: usize,
    /// The right point of the line that is taken.
    right: Point,
    /// The x that is subtracted from the slope's square beside that of the left point.
    x: CoordinateResidue,
    /// The result, if it is not the line's.
    result: Option<Point>,
}

/// Pairs to be added, and scratch memory for that.
pub(super) struct Batch<R: Residues> {
    pub(super) pairs: Vec<Pair>,
    denominators: Vec<R::Factor>,
    /// The product of the denominators before each in its chain.
    prefixes: Vec<R::Factor>,
    substitutes: Vec<Substitute>,
}

impl<R: Residues<Modulus = CoordinateModulus>> Batch<R> {
    /// Pairs that share an inversion. Their points stay in the second-level cache between the two visits.
    pub(super) const SIZE: usize = if R::WIDTH == 1 { 1024 } else { 2048 };

    pub(super) fn new() -> Self {
        let groups = Self::SIZE / R::WIDTH;
        Self {
            pairs: Vec::with_capacity(Self::SIZE),
            denominators: Vec::with_capacity(groups),
            prefixes: Vec::with_capacity(groups),
            substitutes: Vec::new(),
        }
    }

    /// Adds the pairs.
    pub(super) fn flush(&mut self, from: &impl Source, points: &mut [Point], sums: &mut [Point]) {
        if !self.pairs.is_empty() {
            R::enter(Flush { batch: self, from, points, sums });
        }
    }
}

struct Flush<'a, R: Residues, S> {
    batch: &'a mut Batch<R>,
    from: &'a S,
    points: &'a mut [Point],
    sums: &'a mut [Point],
}

/// The coordinates of the pairs in a group, where they stand. Lanes beyond the last pair repeat it.
struct Group<'a> {
    left: [&'a Point; MOST],
    right: [&'a Point; MOST],
    /// Lanes whose points are negated.
    negative: [u8; 2],
}

const NOWHERE: &Point = &Affine::IDENTITY;

impl<'a> Group<'a> {
    #[inline(always)]
    fn new<R: Residues>(pairs: &[Pair], first: usize, from: &'a impl Source, sums: &'a [Point]) -> Self {
        let mut group = Self { left: [NOWHERE; MOST], right: [NOWHERE; MOST], negative: [0; 2] };
        for lane in 0..R::WIDTH {
            let Pair { left, right, .. } = pairs[(first + lane).min(pairs.len() - 1)];
            let ((left, left_sign), (right, right_sign)) = (from.at(sums, left), from.at(sums, right));
            (group.left[lane], group.right[lane]) = (left, right);
            group.negative[0] |= u8::from(left_sign) << lane;
            group.negative[1] |= u8::from(right_sign) << lane;
        }
        group
    }

    #[inline(always)]
    fn replace<R: Residues>(&mut self, substitute: &'a Substitute, first: usize, last: usize) {
        for lane in 0..R::WIDTH {
            if (first + lane).min(last) == substitute.index {
                self.right[lane] = &substitute.right;
                self.negative[1] &= !(1 << lane);
            }
        }
    }
}

#[inline(always)]
fn xs<'a, R: Residues>(points: &[&'a Point; MOST]) -> [&'a Limbs; MOST] {
    let mut rows = [NOWHERE.x.as_limbs(); MOST];
    for lane in 0..R::WIDTH {
        rows[lane] = points[lane].x.as_limbs();
    }
    rows
}

#[inline(always)]
fn ys<'a, R: Residues>(points: &[&'a Point; MOST]) -> [&'a Limbs; MOST] {
    let mut rows = [NOWHERE.y.as_limbs(); MOST];
    for lane in 0..R::WIDTH {
        rows[lane] = points[lane].y.as_limbs();
    }
    rows
}

impl<R: Residues<Modulus = CoordinateModulus>, S: Source> Work for Flush<'_, R, S> {
    #[inline(always)]
    fn run(self) {
        let Self { batch, from, points, sums } = self;
        let products = batch.multiply(from, sums);
        let inverses = inverses::<R>(&products);
        batch.add(inverses, from, points, sums);
        batch.pairs.clear();
        batch.denominators.clear();
        batch.prefixes.clear();
        batch.substitutes.clear();
    }
}

/// The most chains of any implementation.
const CHAINS: usize = 4;

impl<R: Residues<Modulus = CoordinateModulus>> Batch<R> {
    /// The denominators and their products, chain by chain.
    #[inline(always)]
    fn multiply(&mut self, from: &impl Source, sums: &[Point]) -> [R::Factor; CHAINS] {
        const { assert!(R::CHAINS <= CHAINS) };
        let mut products = [R::splat(CoordinateResidue::ONE); CHAINS];
        let count = self.pairs.len();
        for (group, first) in (0..count).step_by(R::WIDTH).enumerate() {
            for lane in 0..R::WIDTH {
                if let Some(ahead) = self.pairs.get(first + AHEAD + lane) {
                    from.prefetch(ahead.left);
                    from.prefetch(ahead.right);
                }
            }
            let mut points = Group::new::<R>(&self.pairs, first, from, sums);
            let (mut left, mut right) = (R::gather(xs::<R>(&points.left)), R::gather(xs::<R>(&points.right)));
            let suspicious = R::may_be_equal(left, right) | R::may_be_zero(left) | R::may_be_zero(right);
            if suspicious != 0 {
                // Perhaps no two points with a line through them; rare, unless bases repeat.
                let known = self.substitutes.len();
                for index in (first..count).take(R::WIDTH) {
                    let Pair { left, right, .. } = self.pairs[index];
                    self.substitutes.extend(substitute(
                        index,
                        from.point(sums, left),
                        from.point(sums, right),
                    ));
                }
                for substitute in &self.substitutes[known..] {
                    points.replace::<R>(substitute, first, count - 1);
                }
                (left, right) = (R::gather(xs::<R>(&points.left)), R::gather(xs::<R>(&points.right)));
            }
            let denominator = R::difference(right, left);
            let product = &mut products[group % R::CHAINS];
            self.denominators.push(denominator);
            self.prefixes.push(*product);
            *product = R::of_product(R::product(*product, denominator));
        }
        products
    }

    /// The sums, from the last to the first; `inverses` are those of the products of chains.
    #[inline(always)]
    fn add(
        &mut self,
        mut inverses: [R::Factor; CHAINS],
        from: &impl Source,
        points: &mut [Point],
        sums: &mut [Point],
    ) {
        let count = self.pairs.len();
        let mut substitutes = self.substitutes.iter().rev().peekable();
        for group in (0..self.denominators.len()).rev() {
            let first = group * R::WIDTH;
            for lane in 0..R::WIDTH {
                if let Some(ahead) = first.checked_sub(AHEAD_AGAIN * R::WIDTH) {
                    from.prefetch(self.pairs[ahead + lane].left);
                    from.prefetch(self.pairs[ahead + lane].right);
                }
            }
            let chain = &mut inverses[group % R::CHAINS];
            let inverse = R::of_product(R::product(*chain, self.prefixes[group]));
            *chain = R::of_product(R::product(*chain, self.denominators[group]));

            let mut pairs = Group::new::<R>(&self.pairs, first, from, sums);
            let mut second = xs::<R>(&pairs.right);
            let mut results: [Option<Point>; MOST] = [None; MOST];
            let special = substitutes.peek().is_some_and(|substitute| substitute.index >= first);
            while let Some(substitute) = substitutes.next_if(|substitute| substitute.index >= first) {
                pairs.replace::<R>(substitute, first, count - 1);
                for lane in 0..R::WIDTH {
                    if (first + lane).min(count - 1) == substitute.index {
                        second[lane] = substitute.x.as_limbs();
                        results[lane] = substitute.result;
                    }
                }
            }
            let left = R::negated_where(R::gather(ys::<R>(&pairs.left)), pairs.negative[0]);
            let right = R::negated_where(R::gather(ys::<R>(&pairs.right)), pairs.negative[1]);
            let slope = R::of_product(R::product(R::difference(right, left), inverse));
            let (x, second) = (R::gather(xs::<R>(&pairs.left)), R::gather(second));
            let sum_x = R::reduced(R::minus(R::minus(R::square(slope), x), second));
            let rise = R::product(slope, R::shifted_difference(x, sum_x));
            let sum_y = R::reduced(R::minus(rise, left));
            let (x, y) = (R::rows(sum_x), R::rows(sum_y));
            for lane in 0..R::WIDTH.min(count - first) {
                let [x, y] = [x[lane], y[lane]].map(CoordinateResidue::from_montgomery);
                let mut sum = Affine { x, y };
                if special {
                    sum = results[lane].unwrap_or(sum);
                }
                let target = self.pairs[first + lane].target;
                match target & BUCKET_TARGET {
                    0 => points[target as usize] = sum,
                    _ => sums[(target & !BUCKET_TARGET) as usize] = sum,
                }
            }
        }
    }
}

/// What stands in for the right point, for points without a line through them that is not upright.
#[cold]
fn substitute(index: usize, left: Point, right: Point) -> Option<Substitute> {
    let flat = Affine { x: left.x.add(CoordinateResidue::ONE), y: left.y };
    let known = |result: Point| Some(Substitute { index, right: flat, x: left.x, result: Some(result) });
    match (left.is_identity(), right.is_identity()) {
        (true, _) => known(right),
        (_, true) => known(left),
        _ if !right.x.sub(left.x).is_zero() => None,
        _ if left.y.add(right.y).is_zero() => known(Affine::IDENTITY),
        _ => {
            let square = left.x.square();
            let [run, rise] = [left.y.add(left.y), square.add(square).add(square)];
            let right = Affine { x: left.x.add(run), y: left.y.add(rise) };
            Some(Substitute { index, right, x: left.x, result: None })
        }
    }
}

/// 2^(3 s) times the inverses of the products of all lanes and chains, by one inversion.
#[inline(always)]
fn inverses<R: Residues<Modulus = CoordinateModulus>>(products: &[R::Factor; CHAINS]) -> [R::Factor; CHAINS] {
    let mut lanes = [CoordinateResidue::ONE; CHAINS * MOST];
    for chain in 0..R::CHAINS {
        let rows = R::rows_of_factors(products[chain]);
        for lane in 0..R::WIDTH {
            lanes[chain * R::WIDTH + lane] = CoordinateResidue::from_montgomery(rows[lane]);
        }
    }
    invert(&mut lanes[..R::CHAINS * R::WIDTH], 3 * R::SHIFT);
    let mut inverses = *products;
    for (chain, inverse) in inverses.iter_mut().enumerate().take(R::CHAINS) {
        let mut rows = [NOWHERE.x.as_limbs(); MOST];
        for lane in 0..R::WIDTH {
            rows[lane] = lanes[chain * R::WIDTH + lane].as_limbs();
        }
        *inverse = R::factors(rows);
    }
    inverses
}

/// 2^shift times the inverses of a few elements other than zero.
fn invert(elements: &mut [CoordinateResidue], shift: u32) {
    let mut product = CoordinateResidue::ONE;
    let prefixes: Vec<_> = elements
        .iter()
        .map(|&element| {
            let prefix = product;
            product = product.mul(element);
            prefix
        })
        .collect();
    let all = product.inverse().expect("a product of elements other than zero");
    let mut rest = all.mul(CoordinateResidue::from_integer([1 << shift, 0, 0, 0]));
    for (element, prefix) in elements.iter_mut().zip(prefixes).rev() {
        (*element, rest) = (rest.mul(prefix), rest.mul(*element));
    }
}
