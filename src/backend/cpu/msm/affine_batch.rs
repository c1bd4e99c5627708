//! Batched affine addition: sums of many pairs of points, with shared inversions.
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
//! Where the line through two points has no slope, another line is taken so that no zero enters a product: for 2P, one with the slope
//! 3x^2 / 2y of the tangent; for P - P, P + 0 and 0 + P, one of slope 0, and the result is written afterwards.

use super::buckets::Source;
use crate::backend::cpu::quadwords::MAX_WIDTH;
use crate::backend::cpu::residues::Coordinates;
use crate::backend::cpu::simd::Vectorised;
use crate::curve::Affine;
use crate::field::coordinates::LazyElement;
use crate::field::invert_all;
use crate::field::montgomery::Residue;

/// How many pairs ahead points are asked for: about the time that memory takes to answer.
const AHEAD: usize = 32;

/// In the target of a pair: the bucket with this number.
pub(super) const BUCKET_TARGET: u32 = 1 << 31;

/// Two points, by their terms in a source, and the index of the point that gets their sum.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) target: u32,
}

/// A point that is alone in its round, by its term, and the index of the point that it becomes.
#[derive(Clone, Copy)]
pub(super) struct Move {
    pub(super) from: u32,
    pub(super) target: u32,
}

/// What replaces the right point of a pair that has no slope.
struct Substitute<T> {
    /// The pair.
    index: usize,
    /// The right point of the line that is taken instead.
    right: Affine<T>,
    /// The x that is subtracted from the slope's square beside that of the left point.
    x: T,
    /// The result, if it is not the line's.
    result: Option<Affine<T>>,
}

/// Pairs to be added, and scratch memory for that.
pub(super) struct Batch<R: Coordinates> {
    pub(super) pairs: Vec<Pair>,
    pub(super) moves: Vec<Move>,
    /// The denominators, and the products of those before them in their chain.
    chains: Vec<[R::Factor; 2]>,
    substitutes: Vec<Substitute<R::Element>>,
}

impl<R: Coordinates> Batch<R> {
    /// Pairs that share an inversion. Their points stay in the second-level cache between the two visits.
    /// A multiple of what is worked on at once.
    pub(super) const SIZE: usize = if R::WIDTH == 1 { 1024 } else { 2048 };
    /// Pairs that are worked on at once.
    pub(super) const BLOCK: usize = CHAINS * R::WIDTH;

    pub(super) fn new() -> Self {
        Self {
            pairs: Vec::with_capacity(Self::SIZE),
            moves: Vec::with_capacity(Self::SIZE),
            chains: Vec::new(),
            substitutes: Vec::new(),
        }
    }

    /// Whether it is time to add what has come together.
    pub(super) fn is_full(&self) -> bool {
        self.pairs.len() == Self::SIZE || self.moves.len() >= Self::SIZE
    }

    /// Adds the pairs and moves the single points.
    pub(super) fn flush(
        &mut self,
        from: &impl Source<R::Element>,
        points: &mut [Affine<R::Element>],
        sums: &mut [Affine<R::Element>],
    ) {
        for (i, &Move { from: at, target }) in self.moves.iter().enumerate() {
            if let Some(ahead) = self.moves.get(i + AHEAD) {
                from.prefetch(sums, ahead.from);
            }
            *target_point(target, points, sums) = from.point(sums, at);
        }
        self.moves.clear();
        if !self.pairs.is_empty() {
            R::enter(Flush { batch: self, from, points, sums });
        }
    }
}

/// The point that a target names.
#[inline(always)]
fn target_point<'a, T>(
    target: u32,
    points: &'a mut [Affine<T>],
    sums: &'a mut [Affine<T>],
) -> &'a mut Affine<T> {
    match target & BUCKET_TARGET {
        0 => &mut points[target as usize],
        _ => &mut sums[(target & !BUCKET_TARGET) as usize],
    }
}

struct Flush<'a, R: Coordinates, S> {
    batch: &'a mut Batch<R>,
    from: &'a S,
    points: &'a mut [Affine<R::Element>],
    sums: &'a mut [Affine<R::Element>],
}

/// The points of a vector of pairs, where they stand.
struct Group<'a, T> {
    left: [&'a Affine<T>; MAX_WIDTH],
    right: [&'a Affine<T>; MAX_WIDTH],
    /// Lanes whose points are negated.
    negative: [u8; 2],
}

impl<'a, T: LazyElement> Group<'a, T> {
    #[inline(always)]
    fn new(pairs: &[Pair], from: &'a impl Source<T>, sums: &'a [Affine<T>]) -> Self {
        // What stands in lanes beyond those of a vector is any point.
        let (any, _) = from.at(sums, pairs[0].left);
        let mut group = Self { left: [any; MAX_WIDTH], right: [any; MAX_WIDTH], negative: [0; 2] };
        for (lane, pair) in pairs.iter().enumerate() {
            let ((left, left_sign), (right, right_sign)) =
                (from.at(sums, pair.left), from.at(sums, pair.right));
            (group.left[lane], group.right[lane]) = (left, right);
            group.negative[0] |= u8::from(left_sign) << lane;
            group.negative[1] |= u8::from(right_sign) << lane;
        }
        group
    }

    #[inline(always)]
    fn replace(&mut self, lane: usize, substitute: &'a Substitute<T>) {
        self.right[lane] = &substitute.right;
        self.negative[1] &= !(1 << lane);
    }
}

#[inline(always)]
fn xs<'a, R: Coordinates>(points: &[&'a Affine<R::Element>; MAX_WIDTH]) -> [&'a R::Element; MAX_WIDTH] {
    let mut rows = [&points[0].x; MAX_WIDTH];
    for lane in 0..R::WIDTH {
        rows[lane] = &points[lane].x;
    }
    rows
}

#[inline(always)]
fn ys<'a, R: Coordinates>(points: &[&'a Affine<R::Element>; MAX_WIDTH]) -> [&'a R::Element; MAX_WIDTH] {
    let mut rows = [&points[0].y; MAX_WIDTH];
    for lane in 0..R::WIDTH {
        rows[lane] = &points[lane].y;
    }
    rows
}

impl<R: Coordinates, S: Source<R::Element>> Vectorised<R> for Flush<'_, R, S> {
    #[inline(always)]
    fn run(self) {
        let Self { batch, from, points, sums } = self;
        // Whole blocks, the last pair again and again, whose further sums go nowhere.
        let count = batch.pairs.len();
        let last = batch.pairs[count - 1];
        batch.pairs.resize(count.next_multiple_of(Batch::<R>::BLOCK), last);
        let products = batch.multiply(from, sums);
        let inverses = inverses::<R>(&products);
        batch.add(count, inverses, from, points, sums);
        batch.pairs.clear();
        batch.substitutes.clear();
    }
}

/// Chains that hide the time that one product takes; a block is a vector of pairs for each.
const CHAINS: usize = 2;

/// A vector of pairs, loaded.
#[derive(Clone, Copy)]
struct Loaded<R: Coordinates> {
    left_x: R::Sum,
    /// What is subtracted from the slope's square beside that.
    right_x: R::Sum,
    left_y: R::Sum,
    rise: R::Factor,
}

impl<R: Coordinates> Batch<R> {
    /// Asks for the points of as many pairs as make a vector.
    #[inline(always)]
    fn prefetch(&self, first: Option<usize>, from: &impl Source<R::Element>, sums: &[Affine<R::Element>]) {
        if let Some(ahead) = first.and_then(|first| self.pairs.get(first..first + R::WIDTH)) {
            for pair in ahead {
                from.prefetch(sums, pair.left);
                from.prefetch(sums, pair.right);
            }
        }
    }

    /// The denominators and their products, chain by chain.
    #[inline(always)]
    fn multiply(
        &mut self,
        from: &impl Source<R::Element>,
        sums: &[Affine<R::Element>],
    ) -> [R::Factor; CHAINS] {
        let one = R::splat(R::Element::ONE);
        let groups = self.pairs.len() / R::WIDTH;
        if self.chains.len() < groups {
            self.chains.resize(groups, [one; 2]);
        }
        let [mut first, mut second] = [one; CHAINS];
        for at in (0..groups).step_by(CHAINS) {
            let d = self.denominator(at, from, sums);
            let e = self.denominator(at + 1, from, sums);
            self.chains[at] = [d, first];
            first = R::of_product(R::product(first, d));
            self.chains[at + 1] = [e, second];
            second = R::of_product(R::product(second, e));
        }
        [first, second]
    }

    /// The denominators of a vector of pairs.
    #[inline(always)]
    fn denominator(
        &mut self,
        at: usize,
        from: &impl Source<R::Element>,
        sums: &[Affine<R::Element>],
    ) -> R::Factor {
        let first = at * R::WIDTH;
        self.prefetch(Some(first + AHEAD), from, sums);
        let points = Group::new(&self.pairs[first..first + R::WIDTH], from, sums);
        let (left, right) = (R::gather(xs::<R>(&points.left)), R::gather(xs::<R>(&points.right)));
        let suspicious = R::may_be_equal(left, right) | R::may_be_zero(left) | R::may_be_zero(right);
        if suspicious == 0 {
            return R::difference(right, left);
        }
        // Perhaps no two points with a line through them; rare, unless bases repeat.
        let known = self.substitutes.len();
        for lane in 0..R::WIDTH {
            let Pair { left, right, .. } = self.pairs[first + lane];
            let [left, right] = [left, right].map(|term| from.point(sums, term));
            self.substitutes.extend(substitute(first + lane, left, right));
        }
        let mut points = points;
        for substitute in &self.substitutes[known..] {
            points.replace(substitute.index - first, substitute);
        }
        R::difference(R::gather(xs::<R>(&points.right)), left)
    }

    /// The sums, from the last to the first; `inverses` are those of the products of chains.
    #[inline(always)]
    fn add(
        &mut self,
        count: usize,
        inverses: [R::Factor; CHAINS],
        from: &impl Source<R::Element>,
        points: &mut [Affine<R::Element>],
        sums: &mut [Affine<R::Element>],
    ) {
        let [mut first, mut second] = inverses;
        let mut special = self.substitutes.len();
        // Each step for both chains before the next: one chain's products wait for each other.
        for at in (0..self.pairs.len() / R::WIDTH).step_by(CHAINS).rev() {
            let [d, before] = self.chains[at];
            let by_d = R::of_product(R::product(first, before));
            first = R::of_product(R::product(first, d));
            let [e, before] = self.chains[at + 1];
            let by_e = R::of_product(R::product(second, before));
            second = R::of_product(R::product(second, e));
            let block = at * R::WIDTH;
            let known = special;
            while special > 0 && self.substitutes[special - 1].index >= block {
                special -= 1;
            }
            let a = self.load(at, &self.substitutes[special..known], from, sums);
            let b = self.load(at + 1, &self.substitutes[special..known], from, sums);
            let (slope_a, slope_b) =
                (R::of_product(R::product(a.rise, by_d)), R::of_product(R::product(b.rise, by_e)));
            let (x_a, x_b) = (third_x(&a, slope_a), third_x(&b, slope_b));
            let (y_a, y_b) = (third_y(&a, slope_a, x_a), third_y(&b, slope_b, x_b));
            self.store(at, count, [x_a, y_a], points, sums);
            self.store(at + 1, count, [x_b, y_b], points, sums);
            for substitute in &self.substitutes[special..known] {
                if let (Some(result), true) = (substitute.result, substitute.index < count) {
                    *target_point(self.pairs[substitute.index].target, points, sums) = result;
                }
            }
        }
    }

    /// A vector of pairs.
    #[inline(always)]
    fn load(
        &self,
        at: usize,
        substitutes: &[Substitute<R::Element>],
        from: &impl Source<R::Element>,
        sums: &[Affine<R::Element>],
    ) -> Loaded<R> {
        let first = at * R::WIDTH;
        self.prefetch(first.checked_sub(AHEAD), from, sums);
        let mut group = Group::new(&self.pairs[first..first + R::WIDTH], from, sums);
        let mut second = xs::<R>(&group.right);
        for substitute in substitutes {
            if let Some(lane) = substitute.index.checked_sub(first).filter(|&lane| lane < R::WIDTH) {
                group.replace(lane, substitute);
                second[lane] = &substitute.x;
            }
        }
        let left_y = R::negated_where(R::gather(ys::<R>(&group.left)), group.negative[0]);
        let right_y = R::negated_where(R::gather(ys::<R>(&group.right)), group.negative[1]);
        let rise = R::difference(right_y, left_y);
        Loaded { left_x: R::gather(xs::<R>(&group.left)), right_x: R::gather(second), left_y, rise }
    }

    /// Writes the sums of a vector of pairs to their targets.
    #[inline(always)]
    fn store(
        &self,
        at: usize,
        count: usize,
        sum: [R::Sum; 2],
        points: &mut [Affine<R::Element>],
        sums: &mut [Affine<R::Element>],
    ) {
        let first = at * R::WIDTH;
        let [x, y] = [R::rows(sum[0]), R::rows(sum[1])];
        for lane in 0..R::WIDTH {
            if first + lane < count {
                let sum = target_point(self.pairs[first + lane].target, points, sums);
                // One after the other, as they come out of the vectors.
                sum.x = x[lane];
                sum.y = y[lane];
            }
        }
    }
}

#[inline(always)]
fn third_x<R: Coordinates>(points: &Loaded<R>, slope: R::Factor) -> R::Sum {
    R::reduced(R::minus(R::minus(R::square(slope), points.left_x), points.right_x))
}

#[inline(always)]
fn third_y<R: Coordinates>(points: &Loaded<R>, slope: R::Factor, x: R::Sum) -> R::Sum {
    let run = R::shifted_difference(points.left_x, x);
    R::reduced(R::minus(R::product(slope, run), points.left_y))
}

/// The replacement of the right point, for two points without a slope: one of them is the identity, or both have the same x.
#[cold]
fn substitute<T: LazyElement>(index: usize, left: Affine<T>, right: Affine<T>) -> Option<Substitute<T>> {
    let flat = Affine { x: left.x.add(T::ONE), y: left.y };
    let known = |result: Affine<T>| Some(Substitute { index, right: flat, x: left.x, result: Some(result) });
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
fn inverses<R: Coordinates>(products: &[R::Factor; CHAINS]) -> [R::Factor; CHAINS] {
    let mut lanes = [R::Element::ONE; CHAINS * MAX_WIDTH];
    for (lanes, &products) in lanes.chunks_mut(R::WIDTH).zip(products) {
        for (lane, row) in lanes.iter_mut().zip(R::rows_of_factors(products)) {
            *lane = row;
        }
    }
    invert(&mut lanes[..CHAINS * R::WIDTH], 3 * R::SHIFT);
    let mut inverses = *products;
    for (lanes, inverses) in lanes.chunks(R::WIDTH).zip(&mut inverses) {
        let mut rows = [&lanes[0]; MAX_WIDTH];
        for (row, lane) in rows.iter_mut().zip(lanes) {
            *row = lane;
        }
        *inverses = R::factors(rows);
    }
    inverses
}

/// 2^shift times the inverses of a few elements other than zero.
#[inline(never)]
fn invert<T: LazyElement>(elements: &mut [T], shift: u32) {
    let inverse = |product: T| product.inverse().expect("a product of elements other than zero");
    let scaled = |product| inverse(product).mul(T::of_prime(Residue::from_word(1 << shift)));
    invert_all(elements, T::ONE, |_| false, T::mul, scaled);
}
