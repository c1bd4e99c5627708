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

impl Row {
    /// Every lane times `factor`.
    #[inline(always)]
    pub(super) fn scale<L: Lanes>(&mut self, factor: u64) {
        let factor = L::splat(factor);
        for lane in self.0.chunks_exact_mut(L::WIDTH) {
            L::load(lane).mul(factor).store(lane);
        }
    }

    /// Every lane times its own factor.
    #[inline(always)]
    pub(super) fn scale_each<L: Lanes>(&mut self, factors: &Self) {
        for (lane, factor) in self.0.chunks_exact_mut(L::WIDTH).zip(factors.0.chunks_exact(L::WIDTH)) {
            L::load(lane).mul(L::load(factor)).store(lane);
        }
    }
}

/// What all transforms of one size and root share. Immutable.
#[derive(Debug)]
pub(super) struct Tile {
    /// The bit-reversed value of every row number.
    pub(super) reversed: Vec<u32>,
    /// [w^2i, w^i, w^3i] for every layer of radix four, innermost first, and every i below its h.
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
            twiddles.extend((0..h).map(|i| [2, 1, 3].map(|k| all[k * i * step].as_u64())));
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

    /// Transforms rows that are in bit-reversed order; the result is in natural order.
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
                first_radix_4::<L, NEGATIVE>([&mut x0[0], &mut x2[0], &mut x1[0], &mut x3[0]]);
                let quads = x0.iter_mut().zip(x2).zip(x1.iter_mut().zip(x3)).zip(layer);
                for (((x0, x2), (x1, x3)), twiddles) in quads.skip(1) {
                    radix_4::<L, NEGATIVE>([x0, x2, x1, x3], twiddles);
                }
            }
            (twiddles, h) = (rest, 4 * h);
        }
    }
}

/// (a + b, a - b).
#[inline(always)]
fn radix_2<L: Lanes>(a: &mut Row, b: &mut Row) {
    for (a, b) in a.0.chunks_exact_mut(L::WIDTH).zip(b.0.chunks_exact_mut(L::WIDTH)) {
        let (x, y) = (L::load(a), L::load(b));
        x.add(y).store(a);
        x.sub(y).store(b);
    }
}

/// The butterfly of i = 0, where every twiddle is 1.
#[inline(always)]
fn first_radix_4<L: Lanes, const NEGATIVE: bool>(rows: [&mut Row; 4]) {
    for lane in (0..LANES).step_by(L::WIDTH) {
        let [x0, x2, x1, x3] = [0, 1, 2, 3].map(|k| L::load(&rows[k].0[lane..]));
        let outputs = butterfly::<L, NEGATIVE>(x0, x2, x1, x3);
        for (k, output) in outputs.into_iter().enumerate() {
            output.store(&mut rows[k].0[lane..]);
        }
    }
}

/// The butterfly of rows x0, x2, x1, x3 with twiddles w^2i, w^i, w^3i.
#[inline(always)]
fn radix_4<L: Lanes, const NEGATIVE: bool>(rows: [&mut Row; 4], twiddles: &[u64; 3]) {
    let [w2, w1, w3] = twiddles.map(L::splat);
    for lane in (0..LANES).step_by(L::WIDTH) {
        let [x0, x2, x1, x3] = [0, 1, 2, 3].map(|k| L::load(&rows[k].0[lane..]));
        let outputs = butterfly::<L, NEGATIVE>(x0, x2.mul(w2), x1.mul(w1), x3.mul(w3));
        for (k, output) in outputs.into_iter().enumerate() {
            output.store(&mut rows[k].0[lane..]);
        }
    }
}

#[inline(always)]
fn butterfly<L: Lanes, const NEGATIVE: bool>(x0: L, x2: L, x1: L, x3: L) -> [L; 4] {
    let (even, odd) = (x0.add(x2), x1.add(x3));
    let even_minus = x0.sub(x2);
    // With I = -2^48 the difference is turned round instead of the product.
    let odd_minus = if NEGATIVE { x3.sub(x1) } else { x1.sub(x3) }.mul_2_48();
    [even.add(odd), even_minus.add(odd_minus), even.sub(odd), even_minus.sub(odd_minus)]
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
