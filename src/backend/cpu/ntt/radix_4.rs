//! Layers of radix four, for a unit of single words.
//!
//! # Mathematical description
//!
//! Decimation in time on rows in bit-reversed order, two binary layers at a time. A run of
//! 4h rows holds four transforms of h points, of the elements whose index is 0, 2, 1 and 3 modulo 4. With w of order
//! 4h and I = w^h they are joined as
//!
//! ```text
//! X[i]      = (x0 + w^2i x2) + (w^i x1 + w^3i x3)
//! X[i +  h] = (x0 - w^2i x2) + (w^i x1 - w^3i x3) I
//! X[i + 2h] = (x0 + w^2i x2) - (w^i x1 + w^3i x3)
//! X[i + 3h] = (x0 - w^2i x2) - (w^i x1 - w^3i x3) I
//! ```
//!
//! where I, of order four, is 2^48 or its negative. An odd number of layers begins with one of radix two.
//!
//! A scalar multiplier has products of 128 bits in one instruction, and there are registers for four words, not for sixteen
//! pairs: butterflies of 16 points would save less in products than they spend elsewhere.

use super::lanes::Lanes;
use super::tile::{LANES, TileRow};
use crate::field::Goldilocks;

/// The twiddles of all layers of one size and root.
#[derive(Debug)]
pub(super) struct Layers {
    /// [w^2i, w^i, -w^3i] for every layer of radix four, innermost first, and every i below its h.
    twiddles: Vec<[u64; 3]>,
    /// Whether the root's power of order four is -2^48.
    negative: bool,
}

impl Layers {
    /// The twiddles for a root, given all of its powers from 1 on.
    pub(super) fn new(powers: &[Goldilocks]) -> Self {
        let size = powers.len();
        let mut twiddles = Vec::with_capacity(size / 2);
        let mut h = 1 << (size.ilog2() % 2);
        while h < size {
            let step = size / (4 * h);
            twiddles.extend((0..h).map(|i| {
                let [w1, w2, w3] = [1, 2, 3].map(|k| powers[k * i * step]);
                [w2, w1, -w3].map(Goldilocks::as_u64)
            }));
            h *= 4;
        }
        Self { twiddles, negative: size >= 4 && powers[size / 4] != Goldilocks::new(1 << 48) }
    }

    /// Transforms rows that are in bit-reversed order; the result is in natural order and not canonical.
    #[inline(always)]
    pub(super) fn transform<L: Lanes>(&self, rows: &mut [TileRow]) {
        match self.negative {
            false => self.layers::<L, false>(rows),
            true => self.layers::<L, true>(rows),
        }
    }

    #[inline(always)]
    fn layers<L: Lanes, const NEGATIVE: bool>(&self, rows: &mut [TileRow]) {
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
                // For i = 0 every twiddle is 1.
                let first = [&mut x0[0], &mut x2[0], &mut x1[0], &mut x3[0]];
                radix_4::<L, NEGATIVE>(first, None);
                let quads = x0.iter_mut().zip(x2).zip(x1.iter_mut().zip(x3)).zip(layer);
                for (((x0, x2), (x1, x3)), twiddles) in quads.skip(1) {
                    radix_4::<L, NEGATIVE>([x0, x2, x1, x3], Some(twiddles));
                }
            }
            (twiddles, h) = (rest, 4 * h);
        }
    }
}

/// (a + b, a - b).
#[inline(always)]
fn radix_2<L: Lanes>(a: &mut TileRow, b: &mut TileRow) {
    for i in (0..LANES).step_by(L::WIDTH) {
        let (x, y) = (L::load(&a.0[i..]), L::load(&b.0[i..]).canonical());
        x.add(y).store(&mut a.0[i..]);
        x.sub(y).store(&mut b.0[i..]);
    }
}

/// The butterfly of rows x0, x2, x1 and x3, the last three multiplied by their twiddles unless those are 1.
#[inline(always)]
fn radix_4<L: Lanes, const NEGATIVE: bool>([a, b, c, d]: [&mut TileRow; 4], twiddles: Option<&[u64; 3]>) {
    for i in (0..LANES).step_by(L::WIDTH) {
        let [x0, x2] = [L::load(&a.0[i..]), L::load(&b.0[i..])];
        let [x1, x3] = [L::load(&c.0[i..]), L::load(&d.0[i..])];
        let words = match twiddles {
            None => [x0, x2.canonical(), x1.canonical(), x3.canonical().neg()],
            Some(&[w2, w1, w3]) => [x0, x2.mul(L::splat(w2)), x1.mul(L::splat(w1)), x3.mul(L::splat(w3))],
        };
        let sums = butterfly::<L, NEGATIVE>(words);
        sums[0].store(&mut a.0[i..]);
        sums[1].store(&mut b.0[i..]);
        sums[2].store(&mut c.0[i..]);
        sums[3].store(&mut d.0[i..]);
    }
}

/// The four sums of x0, x2, x1 and x3, all but the first canonical, the last given as its negative of at most p.
///
/// The negative makes the sum x1 + x3, a right operand below, a difference: the one result of the two that is canonical at no
/// cost. The other only goes into a product.
#[inline(always)]
fn butterfly<L: Lanes, const NEGATIVE: bool>([x0, x2, x1, minus_x3]: [L; 4]) -> [L; 4] {
    let (even, even_minus) = (x0.add(x2), x0.sub(x2));
    let (odd, odd_minus) = (x1.sub(minus_x3), x1.add(minus_x3).mul_2_48());
    match NEGATIVE {
        false => [even.add(odd), even_minus.add(odd_minus), even.sub(odd), even_minus.sub(odd_minus)],
        true => [even.add(odd), even_minus.sub(odd_minus), even.sub(odd), even_minus.add(odd_minus)],
    }
}
