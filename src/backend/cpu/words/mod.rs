//! 32-bit words side by side: what hashes of bytes ask of the hardware.
//!
//! Algorithms are written once over [`Words32`], by the rules of [`dispatch`](super::simd).

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

#[cfg(target_arch = "x86_64")]
pub(super) use self::{avx2::Avx2, avx512::Avx512};
#[cfg(target_arch = "aarch64")]
pub(super) use neon::Neon;

use super::simd::{Elements, vector};

/// The most words in any implementation.
pub(super) const MAX_WIDTH: usize = 16;

/// `WIDTH` words, a power of two, in memory as their bytes in the machine's order; the operations act on each separately, but for those
/// that zip.
pub(super) trait Words32: Elements<Element = [u8; 4]> {
    /// The same word in every lane.
    fn splat(word: u32) -> Self;

    /// The sum modulo 2^32.
    fn add(self, other: Self) -> Self;

    /// Exclusive or.
    fn xor(self, other: Self) -> Self;

    /// Rotation to the right by 0 < `BITS` < 32.
    fn rotate_right<const BITS: i32>(self) -> Self;

    /// The quotient by 2^`BITS`, for 0 < `BITS` < 32.
    fn shift_right<const BITS: i32>(self) -> Self;

    /// Bits set in one of the three, or in all.
    fn xor3(self, second: Self, third: Self) -> Self;

    /// The bits of `set` where these are set, and of `clear` where not.
    fn choose(self, set: Self, clear: Self) -> Self;

    /// Bits set in two of the three, or in all.
    fn majority(self, second: Self, third: Self) -> Self;

    /// The lower half of the words of both in turn, self's first.
    fn zip_lower(self, other: Self) -> Self;

    /// The upper half of these.
    fn zip_upper(self, other: Self) -> Self;
}

/// Interleaves the first half of all words with the second, `rounds` times.
///
/// The index of a word is that of its row, followed by that of its lane in the lower bits; each round rotates the bits of the
/// index to the left by one. So with 2^r rows, r rounds transpose the matrix of rows and lanes, and as many rounds as the index
/// of a lane has bits undo that.
#[inline(always)]
pub(super) fn interleave<W: Words32, const N: usize>(rows: &mut [W; N], rounds: u32) {
    for _ in 0..rounds {
        let before = *rows;
        for i in 0..N / 2 {
            let (a, b) = (before[i], before[i + N / 2]);
            (rows[2 * i], rows[2 * i + 1]) = (a.zip_lower(b), a.zip_upper(b));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::{
        Simd,
        simd::{Vectorised, Vectors, on_vectors},
    };

    struct Check;

    impl<W: Words32> Vectorised<W> for Check {
        #[inline(always)]
        fn run(self) {
            let word = |i: usize| (i as u32).wrapping_mul(0x9e37_79b9) ^ 0x8000_0001;
            let a: Vec<u32> = (0..W::WIDTH).map(word).collect();
            let b: Vec<u32> = (W::WIDTH..2 * W::WIDTH).map(word).collect();
            let load = |words: &[u32]| W::load(bytemuck::cast_slice(words));
            let (x, y) = (load(&a), load(&b));
            let stored = |x: W| {
                let mut words = vec![0; W::WIDTH];
                x.store(bytemuck::cast_slice_mut(&mut words));
                words
            };
            let map = |op: fn(u32, u32) -> u32| a.iter().zip(&b).map(|(&a, &b)| op(a, b)).collect::<Vec<_>>();
            assert_eq!(stored(x), a);
            assert_eq!(stored(W::splat(7)), vec![7; W::WIDTH]);
            assert_eq!(stored(x.add(y)), map(|a, b| a.wrapping_add(b)));
            assert_eq!(stored(x.xor(y)), map(|a, b| a ^ b));
            assert_eq!(stored(x.rotate_right::<16>()), map(|a, _| a.rotate_right(16)));
            assert_eq!(stored(x.rotate_right::<12>()), map(|a, _| a.rotate_right(12)));
            assert_eq!(stored(x.rotate_right::<8>()), map(|a, _| a.rotate_right(8)));
            assert_eq!(stored(x.rotate_right::<7>()), map(|a, _| a.rotate_right(7)));
            let c: Vec<u32> = (2 * W::WIDTH..3 * W::WIDTH).map(word).collect();
            let z = load(&c);
            let of_three = |op: fn(u32, u32, u32) -> u32| {
                (0..W::WIDTH).map(|i| op(a[i], b[i], c[i])).collect::<Vec<_>>()
            };
            assert_eq!(stored(x.shift_right::<3>()), map(|a, _| a >> 3));
            assert_eq!(stored(x.shift_right::<10>()), map(|a, _| a >> 10));
            assert_eq!(stored(x.xor3(y, z)), of_three(|a, b, c| a ^ b ^ c));
            assert_eq!(stored(x.choose(y, z)), of_three(|a, b, c| a & b | !a & c));
            assert_eq!(stored(x.majority(y, z)), of_three(|a, b, c| a & b | a & c | b & c));
            let in_turn: Vec<u32> = a.iter().zip(&b).flat_map(|(&a, &b)| [a, b]).collect();
            assert_eq!([stored(x.zip_lower(y)), stored(x.zip_upper(y))].concat(), in_turn);
            let mut rows = [0; 16].map(|_| x);
            for (i, row) in rows.iter_mut().enumerate() {
                *row = load(&(0..W::WIDTH).map(|lane| word(W::WIDTH * i + lane)).collect::<Vec<_>>());
            }
            interleave(&mut rows, 4);
            let found: Vec<u32> = rows.into_iter().flat_map(stored).collect();
            let transposed = (0..W::WIDTH).flat_map(|lane| (0..16).map(move |i| word(W::WIDTH * i + lane)));
            assert_eq!(found, transposed.collect::<Vec<_>>());
        }
    }

    #[test]
    fn operations() {
        for simd in Simd::available() {
            on_vectors!(simd, Words32 as W => W::enter(Check), else ());
        }
    }
}
