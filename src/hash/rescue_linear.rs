//! The linear layers of Rescue Prime: an MDS matrix times the state, plus round constants.
//!
//! Words in and out are any `u64`, standing for their residues modulo p = 2^64 - 2^32 + 1.
//!
//! **The circulant matrix.** Row i is row 0 rotated right by i, so y_i = sum_j `row[j - i]` x_j: the cyclic convolution
//! of x with c, where c_k = `row[-k]`. As polynomials, y = c x modulo X^12 - 1. Grouping exponents by their residue
//! modulo 3 makes this a product of polynomials of degree below 3 in X over the ring `Z[T]/(T^4 - 1)`, T = X^3, and
//! that ring splits at T = 1, T = -1 and T = i: a four-point transform of (x_k, x_(k+3), x_(k+6), x_(k+9)) for k = 0, 1, 2,
//! then three products modulo X^3 = 1, X^3 = -1 and, over the Gaussian integers, X^3 = i. In this domain c is
//!
//! | T  | c_0      | c_1      | c_2      | scale       |
//! |----|----------|----------|----------|-------------|
//! | 1  | 64       | 32       | 64       | 4           |
//! | -1 | -32      | 4        | 4        | 4           |
//! | i  | -2 - 4 i | -2 - 2 i | 8 - 16 i | 2           |
//!
//! where the scale is the division that the inverse transform owes: every entry divided by it is a power of two or
//! a sum of two, so the whole product is shifts and additions, and exact in the integers.
//!
//! *Bounds.* A word is cut into halves below 2^32, and each half-state is multiplied on its own. The row sum is
//! 160 < 2^8, so results are in 0..2^40; the transform's largest intermediate value is below 2^41 in
//! absolute value, far inside an `i64`. The convolution is written over [`Integer`]: vectors of doubles use it too.
//!
//! **The dense matrix** of 2021 has no structure that is known to help: 144 products with 64-bit entries, summed
//! in 192 bits, and one reduction per word.

use std::ops::{Add, Sub};

use super::rescue_constants::{MDS_2021, WIDTH};
use super::rescue_power_maps::{EPSILON, State, add_rare, reduce, sub_rare};

/// The circulant matrix of so many words times the state, plus constants.
#[inline(always)]
pub(super) fn circulant<const N: usize>(x: &[u64; N], constants: &[u64; N]) -> [u64; N]
where
    [i64; N]: Convolve,
{
    let low = x.map(|word| (word & EPSILON) as i64).convolve();
    let high = x.map(|word| (word >> 32) as i64).convolve();
    join(&low, &high, constants)
}

/// Words of halves that have grown, to below 2^41, plus constants.
#[inline(always)]
pub(super) fn join<const N: usize>(low: &[i64; N], high: &[i64; N], constants: &[u64; N]) -> [u64; N] {
    let mut y = [0; N];
    for i in 0..N {
        let low = low[i] as u64 + (constants[i] & EPSILON);
        let high = high[i] as u64 + (constants[i] >> 32);
        // low + 2^32 high, the bits of 2^64 and above folded by 2^64 = 2^32 - 1: a number below 2^42, which
        // overflows what it is added to once in 2^22 times.
        let folded = low + (high >> 32) * EPSILON;
        y[i] = add_rare(high << 32, folded);
    }
    y
}

/// A state of integers, times a circulant matrix: of twelve words that of [`Rp64_256`](super::Rp64_256), of eight that of
/// [`RpJive64_256`](super::RpJive64_256).
pub(crate) trait Convolve {
    /// The product.
    fn convolve(&self) -> Self;
}

impl<I: Integer> Convolve for [I; 12] {
    #[inline(always)]
    fn convolve(&self) -> Self {
        convolve(self)
    }
}

impl<I: Integer> Convolve for [I; 8] {
    #[inline(always)]
    fn convolve(&self) -> Self {
        convolve_8(self)
    }
}

/// Integers, one or several side by side, as the convolution needs them.
pub(crate) trait Integer: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// factor * self + other.
    fn times_plus(self, factor: i32, other: Self) -> Self;

    /// factor * self - other.
    fn times_minus(self, factor: i32, other: Self) -> Self;
}

impl Integer for i64 {
    #[inline(always)]
    fn times_plus(self, factor: i32, other: Self) -> Self {
        factor as i64 * self + other
    }

    #[inline(always)]
    fn times_minus(self, factor: i32, other: Self) -> Self {
        factor as i64 * self - other
    }
}

/// The cyclic convolution with the reversed row (7, 8, 21, 22, 6, 7, 9, 10, 13, 26, 8, 23). No value on the way
/// exceeds 2^9 times the largest entry.
#[inline(always)]
fn convolve<I: Integer>(x: &[I; WIDTH]) -> [I; WIDTH] {
    // Values at T = 1, T = -1 and T = i (real and imaginary part), for each residue of the exponent modulo 3.
    let (mut s, mut d, mut u, mut v) = ([x[0]; 3], [x[0]; 3], [x[0]; 3], [x[0]; 3]);
    for k in 0..3 {
        let (even, odd) = (x[k] + x[k + 6], x[k + 3] + x[k + 9]);
        (s[k], d[k]) = (even + odd, even - odd);
        (u[k], v[k]) = (x[k] - x[k + 6], x[k + 3] - x[k + 9]);
    }
    // Modulo X^3 = 1 with (16, 8, 16): sixteen times the sum of all, less eight times one. An eighth of it.
    let sum = s[0] + s[1] + s[2];
    let at_one = [sum.times_minus(2, s[2]), sum.times_minus(2, s[0]), sum.times_minus(2, s[1])];
    // Modulo X^3 = -1 with (-8, 1, 1).
    let at_minus_one = [
        d[0].times_minus(-8, d[1] + d[2]),
        d[1].times_plus(-8, d[0] - d[2]),
        d[2].times_plus(-8, d[0] + d[1]),
    ];
    // Modulo X^3 = i with (-1 - 2i, -1 - i, 4 - 8i); i times the last two is 1 - i and 8 + 4i.
    let real = [
        u[1].times_minus(2, v[1]).times_plus(4, v[0].times_minus(2, u[0]) + (u[2] + v[2])),
        u[2].times_minus(2, v[2]).times_plus(4, v[1].times_minus(2, u[1]) + (v[0] - u[0])),
        v[0].times_plus(2, u[0]).times_plus(4, v[2].times_minus(2, u[2]) + (v[1] - u[1])),
    ];
    let imaginary = [
        v[1].times_plus(2, u[1]).times_minus(4, u[0].times_plus(2, v[0]) - (v[2] - u[2])),
        v[2].times_plus(2, u[2]).times_minus(4, u[1].times_plus(2, v[1]) + (u[0] + v[0])),
        u[0].times_plus(-2, v[0]).times_minus(4, u[2].times_plus(2, v[2]) + (u[1] + v[1])),
    ];
    let mut y = *x;
    for k in 0..3 {
        let even = at_one[k].times_plus(8, at_minus_one[k]);
        let odd = at_one[k].times_minus(8, at_minus_one[k]);
        (y[k], y[k + 6]) = (even + real[k], even - real[k]);
        (y[k + 3], y[k + 9]) = (odd + imaginary[k], odd - imaginary[k]);
    }
    y
}

/// The same with the reversed row (23, 8, 21, 6, 7, 10, 13, 8): a product modulo X^8 - 1, which splits into X^2 - 1, X^2 + 1 and
/// X^4 + 1. There the row, divided by the factor that the inverse owes, is (16, 8), (-1, 1) and (8, -1, 4, -1).
#[inline(always)]
fn convolve_8<I: Integer>(x: &[I; 8]) -> [I; 8] {
    let (mut u, mut v) = ([x[0]; 4], [x[0]; 4]);
    for k in 0..4 {
        (u[k], v[k]) = (x[k] + x[k + 4], x[k] - x[k + 4]);
    }
    let (s0, s1, d0, d1) = (u[0] + u[2], u[1] + u[3], u[0] - u[2], u[1] - u[3]);
    let (twice0, twice1) = (s0.times_plus(2, s1), s1.times_plus(2, s0));
    // Eight times these, less d0 + d1 and d1 - d0, and plus them.
    let (sum, difference) = (d0 + d1, d1 - d0);
    let even = [
        twice0.times_minus(8, sum),
        twice1.times_minus(8, difference),
        twice0.times_plus(8, sum),
        twice1.times_plus(8, difference),
    ];
    let odd = [
        v[0].times_plus(8, v[2].times_plus(-4, v[1] + v[3])),
        v[1].times_plus(8, v[3].times_plus(-4, v[2] - v[0])),
        v[2].times_plus(8, v[0].times_plus(4, v[3] - v[1])),
        v[3].times_plus(8, v[1].times_minus(4, v[2] + v[0])),
    ];
    let mut y = *x;
    for k in 0..4 {
        (y[k], y[k + 4]) = (even[k] + odd[k], even[k] - odd[k]);
    }
    y
}

/// The dense matrix times the state, plus constants.
#[inline(always)]
pub(super) fn dense(x: &State, constants: &State) -> State {
    let mut y = [0; WIDTH];
    for i in 0..WIDTH {
        let (mut sum, mut carries) = (constants[i] as u128, 0);
        for j in 0..WIDTH {
            let (next, carry) = sum.overflowing_add(x[j] as u128 * MDS_2021[i][j] as u128);
            sum = next;
            carries += carry as u64;
        }
        // At most twelve carries of 2^128 = -2^32.
        y[i] = sub_rare(reduce(sum), carries << 32);
    }
    y
}

#[cfg(test)]
mod tests {
    use super::super::rescue::textbook_layer;
    use super::super::rescue_constants::{ARK1, MDS_CIRCULANT_ROW};
    use super::super::rp_jive_constants;
    use super::*;
    use crate::field::{Goldilocks, MODULUS};
    use proptest::prelude::*;

    /// Against the textbook; the circulant of eight words on the first eight.
    fn check(x: &State, constants: &State) {
        let state = x.map(Goldilocks::new);
        let row = MDS_CIRCULANT_ROW;
        let expected = textbook_layer(&state, constants, |i, j| row[(WIDTH + j - i) % WIDTH]);
        assert_eq!(circulant(x, constants).map(Goldilocks::new), expected, "{x:?}");
        let expected = textbook_layer(&state, constants, |i, j| MDS_2021[i][j]);
        assert_eq!(dense(x, constants).map(Goldilocks::new), expected, "{x:?}");
        let [x, constants]: [[u64; 8]; 2] = [x, constants].map(|words| words[..8].try_into().unwrap());
        let row = rp_jive_constants::MDS_CIRCULANT_ROW;
        let expected = textbook_layer(&x.map(Goldilocks::new), &constants, |i, j| row[(8 + j - i) % 8]);
        assert_eq!(circulant(&x, &constants).map(Goldilocks::new), expected, "{x:?}");
    }

    /// The largest and smallest sums, and each column alone: overflow checks are on in tests.
    #[test]
    fn extreme_states() {
        for value in [0, 1, EPSILON, EPSILON << 32, MODULUS - 1, MODULUS, u64::MAX] {
            for constants in [[0; WIDTH], [MODULUS - 1; WIDTH], ARK1[0]] {
                check(&[value; WIDTH], &constants);
                for subset in 0..1 << WIDTH {
                    let x = std::array::from_fn(|i| if subset >> i & 1 == 1 { value } else { 0 });
                    check(&x, &constants);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn random_states(x: [u64; WIDTH], constants: [u64; WIDTH]) {
            check(&x, &constants.map(|c| c % MODULUS));
        }
    }
}
