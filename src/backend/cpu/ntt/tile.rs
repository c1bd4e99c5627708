//! The transform of one tile: `T` rows of eight words, eight transforms of `T` points side by side.
//!
//! # Mathematical description
//!
//! Decimation in time (Cooley and Tukey, 1965) on rows in bit-reversed order, two binary layers at a time. A run of
//! 4h rows holds four transforms of h points, of the entries whose index is 0, 2, 1 and 3 modulo 4. With w of order
//! 4h and I = w^h they are joined as
//!
//! ```text
//! X[i]      = (x0 + w^2i x2) + (w^i x1 + w^3i x3)
//! X[i +  h] = (x0 - w^2i x2) + (w^i x1 - w^3i x3) I
//! X[i + 2h] = (x0 + w^2i x2) - (w^i x1 + w^3i x3)
//! X[i + 3h] = (x0 - w^2i x2) - (w^i x1 - w^3i x3) I
//! ```
//!
//! where I, of order four, is 2^48 or its negative. An odd number of layers begins with one of radix two. All lanes
//! share every twiddle, so a vector unit needs no shuffles.

use super::lanes::Lanes;
use crate::field::{Goldilocks, powers};
use crate::ntt::reverse_bits;

/// Words in a row: a cache line.
pub(super) const LANES: usize = 8;

/// A row of a tile.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub(super) struct Row(pub(super) [u64; LANES]);

/// to[i] = f(from[i], i) in steps of `WIDTH` words, i being the first word's number.
///
/// Word by word even from one cached row to the next: a copy of a row by wider registers just after its words were
/// written one at a time would wait until they have left the store buffer.
#[inline(always)]
pub(super) fn map_row<L: Lanes>(from: &[u64; LANES], to: &mut [u64; LANES], f: impl Fn(L, usize) -> L) {
    for i in (0..LANES).step_by(L::WIDTH) {
        f(L::load(&from[i..]), i).store(&mut to[i..]);
    }
}

/// What all transforms of one size and root share. Immutable.
#[derive(Debug)]
pub(super) struct Tile {
    /// The bit-reversed value of every row number.
    pub(super) reversed: Vec<u32>,
    /// [w^2i, w^i, -w^3i] for every layer of radix four, innermost first, and every i below its h.
    twiddles: Vec<[u64; 3]>,
    /// Whether the root's power of order four is -2^48.
    negative: bool,
}

impl Tile {
    /// Tables for 2^`log_size` points and a root of that order.
    pub(super) fn new(log_size: u32, root: Goldilocks) -> Self {
        let size = 1 << log_size;
        let all: Vec<_> = powers(root).take(size).collect();
        let mut twiddles = Vec::with_capacity(size / 2);
        let mut h = 1 << (log_size % 2);
        while h < size {
            let step = size / (4 * h);
            twiddles.extend((0..h).map(|i| {
                let [w1, w2, w3] = [1, 2, 3].map(|k| all[k * i * step]);
                [w2, w1, -w3].map(Goldilocks::as_u64)
            }));
            h *= 4;
        }
        Self {
            reversed: (0..size).map(|i| reverse_bits(i, log_size) as u32).collect(),
            twiddles,
            negative: log_size >= 2 && all[size / 4] != Goldilocks::new(1 << 48),
        }
    }

    /// The number of points.
    pub(super) fn size(&self) -> usize {
        self.reversed.len()
    }

    /// Transforms rows that are in bit-reversed order; the result is in natural order and not canonical.
    pub(super) fn transform<L: Lanes>(&self, rows: &mut [Row]) {
        match self.negative {
            false => self.layers::<L, false>(rows),
            true => self.layers::<L, true>(rows),
        }
    }

    fn layers<L: Lanes, const NEGATIVE: bool>(&self, rows: &mut [Row]) {
        let mut h = 1;
        if rows.len().trailing_zeros() % 2 == 1 {
            for pair in rows.chunks_exact_mut(2) {
                let (a, b) = pair.split_at_mut(1);
                radix_2::<L>(&mut a[0], &mut b[0]);
            }
            h = 2;
        }
        let mut twiddles = self.twiddles.as_slice();
        while h < rows.len() {
            let (layer, rest) = twiddles.split_at(h);
            for run in rows.chunks_exact_mut(4 * h) {
                let (low, high) = run.split_at_mut(2 * h);
                let (x0, x2) = low.split_at_mut(h);
                let (x1, x3) = high.split_at_mut(h);
                // Of i = 0 every twiddle is 1.
                let first = [&mut x0[0], &mut x2[0], &mut x1[0], &mut x3[0]];
                radix_4::<L, NEGATIVE>(first, |[x0, x2, x1, x3]| {
                    [x0, x2.canonical(), x1.canonical(), x3.canonical().neg()]
                });
                let quads = x0.iter_mut().zip(x2).zip(x1.iter_mut().zip(x3)).zip(layer);
                for (((x0, x2), (x1, x3)), twiddles) in quads.skip(1) {
                    let [w2, w1, w3] = [L::splat(twiddles[0]), L::splat(twiddles[1]), L::splat(twiddles[2])];
                    radix_4::<L, NEGATIVE>([x0, x2, x1, x3], |[x0, x2, x1, x3]| {
                        [x0, x2.mul(w2), x1.mul(w1), x3.mul(w3)]
                    });
                }
            }
            (twiddles, h) = (rest, 4 * h);
        }
    }
}

/// (a + b, a - b).
#[inline(always)]
fn radix_2<L: Lanes>(a: &mut Row, b: &mut Row) {
    for i in (0..LANES).step_by(L::WIDTH) {
        let (x, y) = (L::load(&a.0[i..]), L::load(&b.0[i..]).canonical());
        x.add(y).store(&mut a.0[i..]);
        x.sub(y).store(&mut b.0[i..]);
    }
}

/// The butterfly of rows x0, x2, x1 and x3 after f has prepared a word of each for it.
#[inline(always)]
fn radix_4<L: Lanes, const NEGATIVE: bool>(rows: [&mut Row; 4], f: impl Fn([L; 4]) -> [L; 4]) {
    let [a, b, c, d] = rows.map(|row| &mut row.0);
    for i in (0..LANES).step_by(L::WIDTH) {
        let words = [L::load(&a[i..]), L::load(&b[i..]), L::load(&c[i..]), L::load(&d[i..])];
        let sums = butterfly::<L, NEGATIVE>(f(words));
        sums[0].store(&mut a[i..]);
        sums[1].store(&mut b[i..]);
        sums[2].store(&mut c[i..]);
        sums[3].store(&mut d[i..]);
    }
}

/// The four sums of x0, x2, x1 and x3, all but the first canonical, the last given as its negative of at most p.
///
/// The negative makes the sum x1 + x3, a right operand below, a difference: the one result of the two that comes out
/// canonical for nothing. The other only goes into a product.
#[inline(always)]
fn butterfly<L: Lanes, const NEGATIVE: bool>([x0, x2, x1, minus_x3]: [L; 4]) -> [L; 4] {
    let (even, even_minus) = (x0.add(x2), x0.sub(x2));
    let (odd, odd_minus) = (x1.sub(minus_x3), x1.add(minus_x3).mul_2_48());
    match NEGATIVE {
        false => [even.add(odd), even_minus.add(odd_minus), even.sub(odd), even_minus.sub(odd_minus)],
        true => [even.add(odd), even_minus.sub(odd_minus), even.sub(odd), even_minus.add(odd_minus)],
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::Word;
    use super::*;
    use crate::field::Field;
    use crate::ntt::Convention;

    #[test]
    fn a_tile_evaluates_every_lane() {
        for log_size in 0..=7 {
            for convention in Convention::ALL {
                let root = convention.root_of_unity(log_size);
                for root in [root, root.inverse().unwrap()] {
                    let tile = Tile::new(log_size, root);
                    let input: Vec<Row> = (0..tile.size() as u64)
                        .map(|i| Row(std::array::from_fn(|lane| (i * 8 + lane as u64).pow(5) + 3)))
                        .collect();
                    let mut rows: Vec<Row> = tile.reversed.iter().map(|&i| input[i as usize]).collect();
                    tile.transform::<Word>(&mut rows);
                    rows.iter_mut()
                        .for_each(|row| map_row(&{ row.0 }, &mut row.0, |x: Word, _| x.canonical()));
                    for (row, point) in rows.iter().zip(powers(root)) {
                        for lane in 0..LANES {
                            let value = input.iter().rev().fold(Goldilocks::ZERO, |value, row| {
                                value * point + Goldilocks::new(row.0[lane])
                            });
                            assert_eq!(row.0[lane], value.as_u64(), "2^{log_size}, lane {lane}");
                        }
                    }
                }
            }
        }
    }
}
