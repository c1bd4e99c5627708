//! Every implementation against exact integers.

use super::*;
use crate::backend::cpu::{
    Simd,
    simd::{Vectorised, Vectors},
};

/// Words at which something carries, borrows or wraps, and some others (an additive sequence modulo 2^64).
fn words() -> Vec<u64> {
    let near = |x: u64| (0..4).flat_map(move |d| [x.wrapping_sub(d), x.wrapping_add(d)]);
    let edges = [0, 1 << 16, 1 << 31, 1 << 32, 1 << 33, 1 << 48, 1 << 63, MODULUS, MODULUS / 2];
    let others = (1..=64u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (i << 17));
    edges.into_iter().flat_map(near).chain(others).collect()
}

#[test]
fn reductions_keep_their_promise() {
    let p = MODULUS as u128;
    for a in words() {
        for b in words() {
            assert_eq!(
                crate::field::reduce(a, b) as u128,
                (a as u128 + ((b as u128) << 64)) % p,
                "{a} + 2^64 {b}"
            );
        }
    }
}

/// Checks all operations on pairs of words, neighbouring lanes being neighbouring pairs.
struct Check;

impl<L: Lanes> Vectorised<L> for Check {
    #[inline(always)]
    fn run(self) {
        let p = MODULUS as u128;
        let words = words();
        let mut pairs: Vec<_> = words.iter().flat_map(|&a| words.iter().map(move |&b| (a, b))).collect();
        pairs.truncate(pairs.len() / L::WIDTH * L::WIDTH);
        for pairs in pairs.chunks(L::WIDTH) {
            let (a, b): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
            let (x, y) = (L::load(&a), L::load(&b));
            let mut found = [(); 15].map(|()| vec![0; L::WIDTH]);
            x.add(y).store(&mut found[0]);
            x.sub(y).store(&mut found[1]);
            x.mul(y).store(&mut found[2]);
            x.mul_2_48().store(&mut found[3]);
            x.canonical().store(&mut found[4]);
            x.canonical().neg().store(&mut found[5]);
            L::splat(a[0]).store(&mut found[6]);
            x.plus(y).store(&mut found[7]);
            x.minus(y).store(&mut found[8]);
            x.and(y).store(&mut found[9]);
            x.xor(y).store(&mut found[10]);
            x.shl(12).store(&mut found[11]);
            x.shr(48).store(&mut found[12]);
            x.shr_signed(16).store(&mut found[13]);
            x.mul_halves(y)
                .plus(y.mul_halves(L::splat_half(-5)))
                .plus(x.low_times_epsilon())
                .store(&mut found[14]);
            for (i, &(a, b)) in pairs.iter().enumerate() {
                let [sum, difference, product, shifted, canonical, negative, splat] =
                    [0, 1, 2, 3, 4, 5, 6].map(|k: usize| found[k][i]);
                let wide = a as u128;
                assert_eq!(product as u128, wide * b as u128 % p, "{a} * {b}");
                assert_eq!(shifted as u128, (wide << 48) % p, "2^48 {a}");
                assert_eq!(canonical as u128, wide % p, "{a}");
                assert_eq!(splat, pairs[0].0);
                assert_eq!(negative, MODULUS - canonical, "-{a}");
                let half = |word: u64| word as i32 as i64;
                let products = half(a) * half(b) - 5 * half(b);
                let products = (products as u64).wrapping_add((a & EPSILON) * EPSILON);
                let shifted = [a << 12, a >> 48, (a as i64 >> 16) as u64];
                let expected = [a.wrapping_add(b), a.wrapping_sub(b), a & b, a ^ b];
                assert_eq!([7, 8, 9, 10].map(|k: usize| found[k][i]), expected, "{a}, {b}");
                assert_eq!([11, 12, 13].map(|k: usize| found[k][i]), shifted, "{a} shifted");
                assert_eq!(found[14][i], products, "halves of {a}, {b}");
                if b <= MODULUS {
                    assert_eq!(sum as u128 % p, (wide + b as u128) % p, "{a} + {b}");
                    assert_eq!(difference as u128 % p, (wide + p - b as u128) % p, "{a} - {b}");
                    assert!(a >= MODULUS || difference < MODULUS, "{a} - {b} is canonical");
                }
            }
        }
    }
}

#[test]
fn operations_keep_their_promises() {
    for simd in Simd::available() {
        on_lanes!(simd, L, L::enter(Check));
    }
}

/// Transposes rows, and writes them past the caches.
struct Transpose<'a>(&'a mut [TileRow; LANES]);

impl<L: Lanes> Vectorised<L> for Transpose<'_> {
    #[inline(always)]
    fn run(self) {
        for (row, to) in L::transpose(&{ *self.0 }).iter().zip(self.0) {
            for i in (0..LANES).step_by(L::WIDTH) {
                L::load(&row.0[i..]).stream(to, i);
            }
        }
        L::fence();
    }
}

#[test]
fn rows_become_columns() {
    for simd in Simd::available() {
        let mut rows = std::array::from_fn(|i| TileRow(std::array::from_fn(|j| (8 * i + j) as u64)));
        on_lanes!(simd, L, L::enter(Transpose(&mut rows)));
        for (i, row) in rows.iter().enumerate() {
            assert_eq!(row.0, std::array::from_fn(|j| (8 * j + i) as u64), "{simd}");
        }
    }
}
