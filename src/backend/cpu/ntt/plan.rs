//! The passes of a transform.
//!
//! # Mathematical description
//!
//! Let n = T I. Writing j = j1 I + j2 and k = k1 + T k2, the sum X[k] = sum a[j] w^(j k) becomes
//!
//! ```text
//! X[k1 + T k2] = sum over j2 of (w^T)^(j2 k2) * w^(j2 k1) * (sum over j1 of (w^I)^(j1 k1) a[j1 I + j2])
//! ```
//!
//! that is, I transforms of T points, a multiplication by the twiddles w^(j2 k1), and T transforms of I points, which
//! are split again until every factor fits a tile (Gentleman and Sande, 1966; the four-step and six-step
//! transforms of Bailey, 1990, where the factors are rows and columns of a matrix). Below, j1 j2 j3 are the digits of
//! j from the most significant on and k1 k2 k3 those of k from the least significant on; digit t has n_t values.
//! The four combinations of orders differ only in where a pass reads and writes, r(x) being x with its bits reversed. From
//! natural to bit-reversed this is decimation in frequency, and in the opposite direction decimation in time:
//!
//! | orders | digits of the position before and after each pass | memory |
//! |---|---|---|
//! | natural to bit-reversed | j1 j2 j3, r(k1) j2 j3, r(k1) r(k2) j3, r(k1) r(k2) r(k3) | in place |
//! | bit-reversed to natural | the same backwards, k for j | in place |
//! | natural to natural | j1 j2 j3, k1 j2 j3, k1 k2 j3, k3 k2 k1 | through scratch |
//! | both bit-reversed | r(j3) r(j2) r(j1), r(k1) r(j2) r(j3), r(k1) r(k2) r(j3), r(k1) r(k2) r(k3) | out of place |
//!
//! A shift s of the input's coset is a scaling of row j1 by s^(I j1) before the first pass and by s^(j2) after it;
//! one of the output's, of the inverse, is a scaling by s^(k1) after the first pass, by s^(T k2) after the second,
//! and so on. They join the twiddles, as does the factor 1/n.

mod cosets;

use super::butterfly::LOG_RADIX;
use super::factors::{Progression, Scaling};
use super::lanes::Lanes;
use super::pass::{Access, Index, Pass};
use super::tile::{LANES, Tile};
use crate::field::{Field, Goldilocks};
use crate::meter::Meter;
use crate::ntt::Order;

/// The binary logarithm of the rows of the largest tile: of eight words, 256 KiB, which a second-level cache holds. Two passes
/// then do for 2^24 points, and two over large tiles beat three over smaller ones.
const MAX_LOG_TILE: u32 = 12;

/// A transform X[k] = factor * shift_out^k * sum over j of a[j] shift_in^j root^(j k).
#[derive(Clone, Copy)]
pub(super) struct Transform {
    pub(super) log_size: u32,
    pub(super) root: Goldilocks,
    pub(super) shift_in: Goldilocks,
    pub(super) shift_out: Goldilocks,
    pub(super) factor: Goldilocks,
}

/// A transform with the tables of its tiles, one a digit.
pub(super) struct Plan<'a> {
    transform: Transform,
    tiles: Vec<Tile>,
    /// Counts the layers of every word.
    meter: &'a Meter<'a>,
}

/// One pass of a transform that splits off the digits of j from the most significant on.
struct Stage<'a> {
    tile: &'a Tile,
    /// The number of values of all digits split off before.
    outer: usize,
    /// The number of values of all digits still to come.
    inner: usize,
    before: Scaling,
    after: Scaling,
}

impl Stage<'_> {
    /// The strides of the digit that this pass transforms, where the digits keep their positions.
    fn strides(&self, width: usize, order: Order) -> Access {
        let row = self.inner * width;
        Access { outer: self.tile.size() * row, inner: width, row, order }
    }

    /// The pass over one block, where the digits keep their positions.
    fn pass(&self, width: usize, [read, write]: [Order; 2]) -> Pass<'_> {
        Pass {
            tile: self.tile,
            outer: self.outer,
            inner: self.inner,
            width,
            read: self.strides(width, read),
            write: self.strides(width, write),
            index: Index::Inner,
            before: self.before,
            after: self.after,
        }
    }
}

fn constant(first: Goldilocks) -> Progression {
    Progression { first, step: Goldilocks::ONE }
}

/// A scaling by `ratio`^row, whatever the lane.
fn by_row(ratio: Goldilocks) -> Scaling {
    Scaling { start: constant(Goldilocks::ONE), ratio: constant(ratio) }
}

/// The binary logarithms of the factors of a size, for `lanes` columns side by side.
fn digits(log_size: u32, lanes: usize) -> Vec<u32> {
    // One pass leaves lanes empty where there are few columns; a split supplies lanes of its own.
    let filled = 4 * lanes >= 3 * lanes.next_multiple_of(LANES);
    if log_size < 2 * LANES.ilog2() || (filled && log_size <= MAX_LOG_TILE) {
        return vec![log_size];
    }
    // Three digits suffice for 2^32 points; the orders with a transposition exchange the outer two and take no more.
    if log_size > 2 * MAX_LOG_TILE {
        return (0..3).map(|digit| (log_size + 2 - digit) / 3).collect();
    }
    // The even split, or one whose tiles have fewer layers. The larger tile is the second: where that pass has contiguous
    // lanes, only the smaller tile has rows far apart.
    let layers = |second: u32| second.div_ceil(LOG_RADIX) + (log_size - second).div_ceil(LOG_RADIX);
    let even = log_size.div_ceil(2);
    let second = (even..=(even + LOG_RADIX - 1).min(MAX_LOG_TILE))
        .min_by_key(|&second| layers(second))
        .unwrap_or(even);
    vec![log_size - second, second]
}

impl<'a> Plan<'a> {
    /// A plan for `lanes` columns side by side.
    pub(super) fn new<L: Lanes>(transform: Transform, lanes: usize, meter: &'a Meter<'a>) -> Self {
        Self::with_digits::<L>(transform, &digits(transform.log_size, lanes), meter)
    }

    /// A plan of at most three digits, given by the binary logarithms of their sizes, the most significant first.
    fn with_digits<L: Lanes>(transform: Transform, digits: &[u32], meter: &'a Meter<'a>) -> Self {
        // The power of the root that has the order of the tile.
        let root = |digit| (digit..transform.log_size).fold(transform.root, |root, _| root.square());
        let tiles = digits.iter().map(|&digit| Tile::new::<L>(digit, root(digit))).collect();
        Self { transform, tiles, meter }
    }

    /// Whether one pass is the whole transform.
    pub(super) fn is_single_pass(&self) -> bool {
        self.tiles.len() == 1
    }

    /// The number of points.
    pub(super) fn size(&self) -> usize {
        1 << self.transform.log_size
    }

    /// The passes of the transform with another shift of the input.
    fn stages(&self, shift_in: Goldilocks) -> Vec<Stage<'_>> {
        let mut rest = Transform { shift_in, ..self.transform };
        let (mut outer, mut inner) = (1, self.size());
        let mut stages = Vec::with_capacity(self.tiles.len());
        for tile in &self.tiles {
            inner /= tile.size();
            // In the last digit all lanes have the same factors.
            let step = |x| if inner == 1 { Goldilocks::ONE } else { x };
            stages.push(Stage {
                tile,
                outer,
                inner,
                before: by_row(rest.shift_in.pow(inner as u64)),
                after: Scaling {
                    start: Progression { first: rest.factor, step: step(rest.shift_in) },
                    ratio: Progression { first: rest.shift_out, step: step(rest.root) },
                },
            });
            outer *= tile.size();
            rest = Transform {
                root: rest.root.pow(tile.size() as u64),
                shift_in: Goldilocks::ONE,
                shift_out: rest.shift_out.pow(tile.size() as u64),
                factor: Goldilocks::ONE,
                ..rest
            };
        }
        stages
    }

    /// One pass over whole blocks in place, any orders.
    pub(super) fn single<L: Lanes>(&self, data: &mut [Goldilocks], width: usize, orders: [Order; 2]) {
        let Transform { shift_in, shift_out, factor, .. } = self.transform;
        let access = |order| Access { outer: 0, inner: self.size() * width, row: width, order };
        let pass = Pass {
            tile: &self.tiles[0],
            outer: 1,
            inner: data.len() / (self.size() * width),
            width,
            read: access(orders[0]),
            write: access(orders[1]),
            index: Index::Inner,
            before: by_row(shift_in),
            after: Scaling { start: constant(factor), ratio: constant(shift_out) },
        };
        pass.run_in_place::<L>(data, self.meter);
    }

    /// Natural to bit-reversed, whole blocks in place.
    pub(super) fn natural_to_reversed<L: Lanes>(&self, data: &mut [Goldilocks], width: usize) {
        let blocks = data.len() / (self.size() * width);
        for stage in self.stages(self.transform.shift_in) {
            let pass = stage.pass(width, [Order::Natural, Order::BitReversed]);
            Pass { outer: blocks * stage.outer, ..pass }.run_in_place::<L>(data, self.meter);
        }
    }

    /// Natural to natural in several passes: the first `columns` words of every row of `width` words of one block.
    ///
    /// `scratch` holds as many rows of `columns` words.
    pub(super) fn natural_to_natural<L: Lanes>(
        &self,
        data: &mut [Goldilocks],
        width: usize,
        columns: usize,
        scratch: &mut [Goldilocks],
    ) {
        let order = Order::Natural;
        for stage in self.stages(self.transform.shift_in) {
            let mut pass = stage.pass(columns, [order; 2]);
            if stage.outer == 1 {
                pass.read = stage.strides(width, order);
                pass.run::<L>(data, scratch, self.meter);
            } else if stage.inner > 1 {
                pass.run_in_place::<L>(scratch, self.meter);
            } else {
                // (k1 k2 j3) to (k3 k2 k1): lanes are neighbours in k1, and so in the output.
                let (n1, n3) = (self.tiles[0].size(), stage.tile.size());
                let n2 = stage.outer / n1;
                (pass.outer, pass.inner) = (n2, n1);
                pass.read = Access { outer: n3 * columns, inner: n2 * n3 * columns, row: columns, order };
                pass.write = Access { outer: n1 * width, inner: width, row: stage.outer * width, order };
                pass.run::<L>(scratch, data, self.meter);
            }
        }
    }

    /// Bit-reversed to bit-reversed in several passes: the first `columns` words of every row of one block.
    ///
    /// The rows have `widths[0]` words in `source` and `widths[1]` in `target`.
    pub(super) fn reversed_to_reversed<L: Lanes>(
        &self,
        shift_in: Goldilocks,
        source: &[Goldilocks],
        target: &mut [Goldilocks],
        widths: [usize; 2],
        columns: usize,
    ) {
        let order = Order::BitReversed;
        for stage in self.stages(shift_in) {
            let bits = stage.inner.ilog2();
            let mut pass = stage.pass(widths[1], [order; 2]);
            (pass.width, pass.index) = (columns, Index::Reversed { bits, outers: 1 });
            if stage.outer > 1 {
                pass.run_in_place::<L>(target, self.meter);
                continue;
            }
            // (r(j3) r(j2) r(j1)) to (r(k1) r(j2) r(j3)): lanes are neighbours in r(j3), and so in the target.
            let (n1, n3) = (stage.tile.size(), self.tiles[self.tiles.len() - 1].size());
            let n2 = stage.inner / n3;
            (pass.outer, pass.inner) = (n2, n3);
            pass.index = Index::Reversed { bits, outers: n2 };
            let [from, to] = widths;
            pass.read = Access { outer: n1 * from, inner: n2 * n1 * from, row: from, order };
            pass.write = Access { outer: n3 * to, inner: to, row: n2 * n3 * to, order };
            pass.run::<L>(source, target, self.meter);
        }
    }

    /// Bit-reversed to natural, whole blocks in place.
    pub(super) fn reversed_to_natural<L: Lanes>(&self, data: &mut [Goldilocks], width: usize) {
        self.interleaved::<L>(None, data, width, self.transform.root, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::on_lanes;
    use super::*;
    use crate::backend::cpu::Simd;
    use crate::field::powers;
    use crate::ntt::{Convention, reverse_bits};

    const WIDTH: usize = 3;

    fn transform(log_size: u32) -> Transform {
        Transform {
            log_size,
            root: Convention::Winterfell.root_of_unity(log_size),
            shift_in: Goldilocks::new(7),
            shift_out: Goldilocks::new(11),
            factor: Goldilocks::new(5),
        }
    }

    fn input(size: usize) -> Vec<Goldilocks> {
        (1..=(size * WIDTH) as u64).map(|i| Goldilocks::new(i).pow(9)).collect()
    }

    /// The definition: a Horner evaluation per value.
    fn expected(t: Transform, input: &[Goldilocks]) -> Vec<Goldilocks> {
        let values =
            powers(t.root).zip(powers(t.shift_out)).take(1 << t.log_size).flat_map(|(point, scale)| {
                let row = move |c| {
                    let column = input.iter().skip(c).step_by(WIDTH).rev();
                    t.factor * scale * column.fold(Goldilocks::ZERO, |sum, &a| sum * t.shift_in * point + a)
                };
                (0..WIDTH).map(row)
            });
        values.collect()
    }

    fn reversed(rows: &[Goldilocks]) -> Vec<Goldilocks> {
        let count = rows.len() / WIDTH;
        (0..count).flat_map(|i| rows[reverse_bits(i, count.ilog2()) * WIDTH..][..WIDTH].to_vec()).collect()
    }

    #[test]
    fn three_digits() {
        for simd in Simd::available() {
            on_lanes!(simd, L, three_digits_in_all_orders::<L>());
            on_lanes!(simd, L, three_digits_on_cosets::<L>());
        }
    }

    fn three_digits_in_all_orders<L: Lanes>() {
        let silent = Meter::silent();
        for digits in [[3, 3, 3], [4, 3, 2], [1, 4, 3]] {
            let t = transform(digits.iter().sum());
            let plan = Plan::with_digits::<L>(t, &digits, &silent);
            let input = input(plan.size());
            let expected = expected(t, &input);

            let mut data = input.clone();
            plan.natural_to_reversed::<L>(&mut data, WIDTH);
            assert!(data == reversed(&expected), "natural to bit-reversed, {digits:?}");

            let mut data = input.clone();
            let mut scratch = vec![Goldilocks::ZERO; 2 * plan.size()];
            plan.natural_to_natural::<L>(&mut data, WIDTH, 2, &mut scratch);
            plan.natural_to_natural::<L>(&mut data[2..], WIDTH, 1, &mut scratch[..plan.size()]);
            assert!(data == expected, "natural to natural, {digits:?}");

            let mut data = reversed(&input);
            plan.reversed_to_natural::<L>(&mut data, WIDTH);
            assert!(data == expected, "bit-reversed to natural, {digits:?}");

            let mut data = vec![Goldilocks::ZERO; input.len()];
            plan.reversed_to_reversed::<L>(t.shift_in, &reversed(&input), &mut data, [WIDTH; 2], WIDTH);
            assert!(data == reversed(&expected), "bit-reversed to bit-reversed, {digits:?}");
        }
    }

    fn three_digits_on_cosets<L: Lanes>() {
        let silent = Meter::silent();
        for digits in [[3, 2, 3], [2, 4, 1]] {
            let t = Transform { shift_out: Goldilocks::ONE, ..transform(digits.iter().sum()) };
            let plan = Plan::with_digits::<L>(t, &digits, &silent);
            let (copies, block) = (4, plan.size() * WIDTH);
            let root = Convention::Winterfell.root_of_unity(t.log_size + 2);
            let input = input(plan.size());
            let coset =
                |q: usize| expected(Transform { shift_in: t.shift_in * root.pow(q as u64), ..t }, &input);
            let mut found = vec![Goldilocks::ZERO; copies * block];
            plan.consecutive::<L>(&reversed(&input), &mut found, WIDTH, root, copies);
            for q in 0..copies {
                assert!(
                    found[reverse_bits(q, 2) * block..][..block] == reversed(&coset(q)),
                    "{digits:?}, {q}"
                );
            }
            plan.interleaved::<L>(Some(&reversed(&input)), &mut found, WIDTH, root, copies);
            let rows: Vec<_> = found.chunks_exact(WIDTH).collect();
            for q in 0..copies {
                let every = rows.iter().skip(q).step_by(copies).copied().collect::<Vec<_>>().concat();
                assert!(every == coset(q), "{digits:?}, {q}");
            }
        }
    }

    #[test]
    fn digits_add_up() {
        for log_size in 0..=32 {
            for lanes in [1, 2, 3, 8, 9, 100] {
                let digits = digits(log_size, lanes);
                assert_eq!(digits.iter().sum::<u32>(), log_size);
                assert!(digits.len() <= 3 && digits.iter().all(|&d| d <= MAX_LOG_TILE));
            }
        }
    }
}
