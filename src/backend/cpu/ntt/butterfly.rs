//! Butterflies of up to 16 points whose inner twiddles are shifts.
//!
//! # Mathematical description
//!
//! 2^96 = -1 modulo p, because p divides 2^96 + 1; so 2^12 is of order 16 and i = 2^48 of order four. Inside a butterfly a
//! value is a pair (l, h) that stands for l + 2^48 h, both being integers of 64 bits. Sums are two additions without
//! carries, a product with i is (-h, l), and one with 2^s moves the upper s bits of each half to the other:
//!
//! ```text
//! 2^s (l, h) = (2^s (l mod 2^(48-s)) - floor(h / 2^(48-s)), 2^s (h mod 2^(48-s)) + floor(l / 2^(48-s)))
//! ```
//!
//! Y[m0 + 4 m1] = sum of x[j0 + 4 j1] 2^(12 j m) is four sums over j1, each of four points, shifts by 12 j0 m0, and four
//! sums over j0. Fewer points leave out what they do not need.
//!
//! A pair becomes one word by h = h0 + 2^16 h1 + 2^48 h2 and 2^64 = e = 2^32 - 1:
//! l + 2^48 h = (l - h2) + 2^48 h0 + e h1.
//!
//! **Halves are made non-negative** before they are cut, by adding to one summand a pair that stands for zero,
//! k (2^32 + 2^16 - 1) + 2^48 k (2^32 - 2^16 - 1) = k p (2^16 - 1).
//!
//! **Words between layers** are offset by c = 2^63 + 2^31 (which that summand includes at no cost), and then their two highest
//! bits of halves are flipped: then a word stands for a0 + 2^32 a1 where a0 and a1 are its halves as *signed* integers. A
//! twiddle w and 2^32 w are given as pairs of signed halves too (see [`Twiddle`]), so that
//!
//! ```text
//! w a = x + 2^32 y,  x = a0 w0 + a1 v0,  y = a0 w1 + a1 v1
//! ```
//!
//! is four products and two sums, which fit 64 signed bits, and the pair
//! (x mod 2^48 + 2^32 (y mod 2^16), floor(x / 2^48) + floor(y / 2^16)).
//!
//! **Bounds.** Halves of a product or a word are below 2^49 in magnitude, those of four summed below 2^51. k = 2^20 adds 2^52 at
//! most 2^37 more or less, so that shifts find halves between 0 and 2^53. They leave less than 2^49 of what they touch, so that
//! sums of four are below 2^55 in magnitude; k = 2^24 adds about 2^56, so that words are made of halves between 2^55 and 2^57.

use super::lanes::Lanes;
use super::tile::{LANES, TileRow};
use crate::field::{Goldilocks, MODULUS};

/// The binary logarithm of the most points that a butterfly has.
pub(super) const LOG_RADIX: u32 = 4;

/// The offset c of words between layers, and the bits of it that are flipped.
const OFFSET: u64 = 1 << 63 | 1 << 31;

/// A twiddle w, ready for products: the signed halves [w0, w1, v0, v1] of w = w0 + 2^32 w1 and of 2^32 w = v0 + 2^32 v1.
pub(super) type Twiddle = [i32; 4];

/// The form of a twiddle in which it is multiplied with words between layers.
pub(super) fn twiddle(w: Goldilocks) -> Twiddle {
    let halves = |w: Goldilocks| {
        // The representative between -2^63 - 2^31 and 2^63 - 2^31 - 1, whose signed halves exist.
        let word = w.as_u64();
        let word = if word < (1 << 63) - (1 << 31) { word } else { word.wrapping_sub(MODULUS) };
        [word as i32, (word.wrapping_add(1 << 31) as i64 >> 32) as i32]
    };
    let ([w0, w1], [v0, v1]) = (halves(w), halves(w * Goldilocks::new(1 << 32)));
    [w0, w1, v0, v1]
}

/// l + 2^48 h.
#[derive(Clone, Copy)]
struct Pair<L> {
    l: L,
    h: L,
}

impl<L: Lanes> Pair<L> {
    /// A constant pair.
    #[inline(always)]
    fn splat(l: u64, h: u64) -> Self {
        Self { l: L::splat(l), h: L::splat(h) }
    }

    /// k times the pair that stands for zero.
    #[inline(always)]
    fn zero(k: u64) -> Self {
        Self::splat(k * ((1 << 32) + (1 << 16) - 1), k * ((1 << 32) - (1 << 16) - 1))
    }

    /// The offset of words between layers.
    #[inline(always)]
    fn offset() -> Self {
        Self::splat(1 << 31, 1 << 15)
    }

    /// Any word.
    #[inline(always)]
    fn of_word(word: L) -> Self {
        Self { l: word.and(L::splat((1 << 48) - 1)), h: word.shr(48) }
    }

    /// The product of a word between layers.
    #[inline(always)]
    fn of_product(word: L, &[w0, w1, v0, v1]: &Twiddle) -> Self {
        let high = word.shr(32);
        let x = word.mul_halves(L::splat_half(w0)).plus(high.mul_halves(L::splat_half(v0)));
        let y = word.mul_halves(L::splat_half(w1)).plus(high.mul_halves(L::splat_half(v1)));
        let low = y.and(L::splat((1 << 16) - 1)).shl(32);
        Self { l: x.and(L::splat((1 << 48) - 1)).plus(low), h: x.shr_signed(48).plus(y.shr_signed(16)) }
    }

    #[inline(always)]
    fn plus(self, rhs: Self) -> Self {
        Self { l: self.l.plus(rhs.l), h: self.h.plus(rhs.h) }
    }

    #[inline(always)]
    fn minus(self, rhs: Self) -> Self {
        Self { l: self.l.minus(rhs.l), h: self.h.minus(rhs.h) }
    }

    /// self + 2^48 rhs.
    #[inline(always)]
    fn plus_i(self, rhs: Self) -> Self {
        Self { l: self.l.minus(rhs.h), h: self.h.plus(rhs.l) }
    }

    /// self - 2^48 rhs.
    #[inline(always)]
    fn minus_i(self, rhs: Self) -> Self {
        Self { l: self.l.plus(rhs.h), h: self.h.minus(rhs.l) }
    }

    /// The product with 2^`exponent`, which is less than 144, of halves between 0 and 2^53.
    #[inline(always)]
    fn shifted(self, exponent: u32) -> Self {
        let s = exponent % 48;
        let mut y = self;
        if s > 0 {
            let mask = L::splat((1 << (48 - s)) - 1);
            y = Self {
                l: self.l.and(mask).shl(s).minus(self.h.shr(48 - s)),
                h: self.h.and(mask).shl(s).plus(self.l.shr(48 - s)),
            };
        }
        let none = L::splat(0);
        match exponent / 48 {
            0 => y,
            1 => Self { l: none.minus(y.h), h: y.l },
            _ => Self { l: none.minus(y.l), h: none.minus(y.h) },
        }
    }

    /// A word for halves between 2^55 and 2^57; not zero.
    #[inline(always)]
    fn word(self) -> L {
        // The first sum's right operand is below 2^57, the second one's at most e^2 < p. No sum is zero, since l is more
        // than h2 and a sum that wraps is at least e.
        let t = self.h.shl(48).add(self.l.minus(self.h.shr(48)));
        t.add(self.h.shr(16).low_times_epsilon())
    }
}

/// The sums of four points.
#[inline(always)]
fn radix_4<L: Lanes>([a, b, c, d]: [Pair<L>; 4]) -> [Pair<L>; 4] {
    let (even, even_minus) = (a.plus(c), a.minus(c));
    let (odd, odd_minus) = (b.plus(d), b.minus(d));
    [even.plus(odd), even_minus.plus_i(odd_minus), even.minus(odd), even_minus.minus_i(odd_minus)]
}

/// The rows that a butterfly reads and writes.
#[derive(Clone, Copy)]
struct ButterflyRows {
    first: *mut TileRow,
    /// The distance, in rows, from one input to the next.
    stride: usize,
    /// The word of each row with which a vector begins.
    lane: usize,
}

impl ButterflyRows {
    /// The row at `index`, from the vector's first word on.
    ///
    /// # Safety
    /// The row may be read and written, and nothing else accesses it while the reference lives.
    #[inline(always)]
    unsafe fn at<'a>(self, index: usize) -> &'a mut [u64] {
        // SAFETY: by the caller's promise.
        &mut unsafe { &mut *self.first.add(index * self.stride) }.0[self.lane..]
    }
}

/// A layer, by the number of points 2^`LOG` of its butterflies. `FIRST` layers take plain words and have no twiddles,
/// others take words between layers; `LAST` layers make plain words.
pub(super) struct Layer<const LOG: u32, const FIRST: bool, const LAST: bool>;

impl<const LOG: u32, const FIRST: bool, const LAST: bool> Layer<LOG, FIRST, LAST> {
    /// The number of points of the sums over j0.
    const OUTER: usize = (1 << LOG) / 4;

    /// All butterflies of every run of 2^`LOG` parts, which are in bit-reversed order and `stride` rows apart: the one at i
    /// takes row i of each part, multiplies all but the first by `twiddles[i]`, and puts value m into part `outputs[m]`.
    /// A first layer's parts have one row.
    #[inline(always)]
    pub(super) fn run<L: Lanes>(
        rows: &mut [TileRow],
        stride: usize,
        twiddles: &[[Twiddle; 15]],
        outputs: &[u8; 16],
    ) {
        let count = if FIRST { 1 } else { twiddles.len() };
        assert!(count <= stride && outputs.iter().all(|&part| part < 1 << LOG), "a butterfly beyond its run");
        for run in rows.chunks_exact_mut(stride << LOG) {
            let first = run.as_mut_ptr();
            for i in 0..count {
                let twiddles = if FIRST { &[[0; 4]; 15] } else { &twiddles[i] };
                for lane in (0..LANES).step_by(L::WIDTH) {
                    // SAFETY: i is below the stride and numbers of parts are below 2^LOG, so that all rows are in the run,
                    // which is borrowed mutably.
                    unsafe {
                        let rows = ButterflyRows { first: first.add(i), stride, lane };
                        Self::butterfly::<L>(rows, twiddles, outputs);
                    }
                }
            }
        }
    }

    /// One butterfly.
    ///
    /// # Safety
    /// `rows` has 2^`LOG` rows that nothing else accesses, and `outputs` are below that number.
    #[inline(always)]
    unsafe fn butterfly<L: Lanes>(rows: ButterflyRows, twiddles: &[Twiddle; 15], outputs: &[u8; 16]) {
        // SAFETY: by the caller's promise, the numbers of rows that calls name being below 2^LOG.
        unsafe {
            match LOG {
                1 => {
                    let (a, b): (Pair<L>, _) =
                        (Self::input(rows, twiddles, 0), Self::input(rows, twiddles, 1));
                    let a = a.plus(Self::bias());
                    Self::output(a.plus(b), rows, outputs[0]);
                    Self::output(a.minus(b), rows, outputs[1]);
                }
                2 => {
                    let [a, b, c, d] = Self::column::<L>(rows, twiddles, 0);
                    Self::output(a.plus(Self::bias()), rows, outputs[0]);
                    Self::output(b.plus(Self::bias()), rows, outputs[1]);
                    Self::output(c.plus(Self::bias()), rows, outputs[2]);
                    Self::output(d.plus(Self::bias()), rows, outputs[3]);
                }
                3 => {
                    let x = [Self::column(rows, twiddles, 0), Self::column(rows, twiddles, 1)];
                    Self::pair::<L>(&x, rows, outputs, 0);
                    Self::pair::<L>(&x, rows, outputs, 1);
                    Self::pair::<L>(&x, rows, outputs, 2);
                    Self::pair::<L>(&x, rows, outputs, 3);
                }
                _ => {
                    let x = [
                        Self::column(rows, twiddles, 0),
                        Self::column(rows, twiddles, 1),
                        Self::column(rows, twiddles, 2),
                        Self::column(rows, twiddles, 3),
                    ];
                    Self::quad::<L>(&x, rows, outputs, 0);
                    Self::quad::<L>(&x, rows, outputs, 1);
                    Self::quad::<L>(&x, rows, outputs, 2);
                    Self::quad::<L>(&x, rows, outputs, 3);
                }
            }
        }
    }

    /// Input j, multiplied by its twiddle.
    ///
    /// # Safety
    /// As of [`butterfly`](Self::butterfly), j being below 2^`LOG`.
    #[inline(always)]
    unsafe fn input<L: Lanes>(rows: ButterflyRows, twiddles: &[Twiddle; 15], j: usize) -> Pair<L> {
        // SAFETY: by the caller's promise.
        let word = L::load(unsafe { rows.at(j.reverse_bits() >> (usize::BITS - LOG)) });
        match (FIRST, j) {
            (true, _) => Pair::of_word(word),
            (false, 0) => Pair::of_word(word.xor(L::splat(OFFSET))),
            (false, _) => Pair::of_product(word, &twiddles[j - 1]),
        }
    }

    /// The sums over j1 for one j0, shifted.
    ///
    /// # Safety
    /// As of [`butterfly`](Self::butterfly), j0 being below `OUTER`.
    #[inline(always)]
    unsafe fn column<L: Lanes>(rows: ButterflyRows, twiddles: &[Twiddle; 15], j0: usize) -> [Pair<L>; 4] {
        // SAFETY: by the caller's promise.
        let [a, b, c, d] = unsafe {
            [
                Self::input(rows, twiddles, j0),
                Self::input(rows, twiddles, j0 + Self::OUTER),
                Self::input(rows, twiddles, j0 + 2 * Self::OUTER),
                Self::input(rows, twiddles, j0 + 3 * Self::OUTER),
            ]
        };
        let bias = match !FIRST && j0 == 0 {
            true => Pair::zero(1 << 20).minus(Pair::offset()),
            false => Pair::zero(1 << 20),
        };
        let [a, b, c, d] = radix_4([a.plus(bias), b, c, d]);
        let step = (48 / Self::OUTER * j0) as u32;
        [a, b.shifted(step), c.shifted(2 * step), d.shifted(3 * step)]
    }

    /// The sums over two j0 for one m0.
    ///
    /// # Safety
    /// As of [`butterfly`](Self::butterfly), m0 being below 4.
    #[inline(always)]
    unsafe fn pair<L: Lanes>(x: &[[Pair<L>; 4]; 2], rows: ButterflyRows, outputs: &[u8; 16], m0: usize) {
        let a = x[0][m0].plus(Self::bias());
        // SAFETY: by the caller's promise.
        unsafe {
            Self::output(a.plus(x[1][m0]), rows, outputs[m0]);
            Self::output(a.minus(x[1][m0]), rows, outputs[m0 + 4]);
        }
    }

    /// The sums over four j0 for one m0.
    ///
    /// # Safety
    /// As of [`butterfly`](Self::butterfly), m0 being below 4.
    #[inline(always)]
    unsafe fn quad<L: Lanes>(x: &[[Pair<L>; 4]; 4], rows: ButterflyRows, outputs: &[u8; 16], m0: usize) {
        let [a, b, c, d] = radix_4([x[0][m0].plus(Self::bias()), x[1][m0], x[2][m0], x[3][m0]]);
        // SAFETY: by the caller's promise.
        unsafe {
            Self::output(a, rows, outputs[m0]);
            Self::output(b, rows, outputs[m0 + 4]);
            Self::output(c, rows, outputs[m0 + 8]);
            Self::output(d, rows, outputs[m0 + 12]);
        }
    }

    /// The summand that makes the halves of an output non-negative, and offsets it if it is to be a word between layers.
    #[inline(always)]
    fn bias<L: Lanes>() -> Pair<L> {
        match LAST {
            true => Pair::zero(1 << 24),
            false => Pair::zero(1 << 24).plus(Pair::offset()),
        }
    }

    /// Writes an output.
    ///
    /// # Safety
    /// As of [`butterfly`](Self::butterfly), `part` being below 2^`LOG`.
    #[inline(always)]
    unsafe fn output<L: Lanes>(value: Pair<L>, rows: ButterflyRows, part: u8) {
        let word = value.word();
        let word = if LAST { word } else { word.xor(L::splat(OFFSET)) };
        // SAFETY: by the caller's promise.
        word.store(unsafe { rows.at(part as usize) });
    }
}

#[cfg(test)]
mod tests;
