//! 32-bit words side by side: what hashes of bytes ask of the hardware.
//!
//! Algorithms are written once over [`Words32`], by the rules of [`dispatch`](super::simd). Their tests, with every level, are those of the
//! operations too.

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
fn interleave<W: Words32, const N: usize>(rows: &mut [W; N], rounds: u32) {
    for _ in 0..rounds {
        let before = *rows;
        for i in 0..N / 2 {
            let (a, b) = (before[i], before[i + N / 2]);
            (rows[2 * i], rows[2 * i + 1]) = (a.zip_lower(b), a.zip_upper(b));
        }
    }
}

/// Each of some words in every lane.
#[inline(always)]
pub(super) fn splat_each<W: Words32, const N: usize>(words: [u32; N]) -> [W; N] {
    let mut vectors = [W::splat(0); N];
    for (vector, word) in vectors.iter_mut().zip(words) {
        *vector = W::splat(word);
    }
    vectors
}

/// Sixteen words of as many inputs as there are lanes: from input after input in memory to word after word.
#[inline(always)]
pub(super) fn columns<W: Words32>(inputs: &[[u8; 4]]) -> [W; 16] {
    let mut vectors = [W::splat(0); 16];
    for (i, vector) in vectors.iter_mut().enumerate() {
        *vector = W::load(&inputs[i * W::WIDTH..]);
    }
    interleave(&mut vectors, W::WIDTH.ilog2());
    vectors
}

/// The opposite for eight words: from word after word to input after input.
#[inline(always)]
pub(super) fn write_rows<W: Words32>(mut words: [W; 8], rows: &mut [[u8; 4]]) {
    interleave(&mut words, 3);
    for (i, vector) in words.into_iter().enumerate() {
        vector.store(&mut rows[i * W::WIDTH..]);
    }
}
