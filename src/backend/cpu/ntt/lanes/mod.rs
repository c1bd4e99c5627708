//! The hardware interface of the transform: a few field operations on vectors of words.
//!
//! The algorithm is written once over [`Lanes`], by the rules of [`dispatch`](crate::backend::cpu::simd). [`Portable`] is the
//! implementation for every processor, one word wide.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

#[cfg(target_arch = "x86_64")]
pub(in crate::backend::cpu) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(in crate::backend::cpu) use avx512::{Avx512, transposed};
pub(in crate::backend::cpu) use portable::Portable;

/// Evaluates an expression with a name standing for the implementation for a level, which must be available.
macro_rules! on_lanes {
    ($simd:expr, $lanes:ident, $body:expr) => {
        $crate::backend::cpu::simd::on_vectors!(
            $simd,
            Lanes as $lanes => $body,
            else {
                type $lanes = $crate::backend::cpu::ntt::lanes::Portable;
                $body
            }
        )
    };
}
pub(in crate::backend::cpu) use on_lanes;

use super::tile::{LANES, TileRow};
use crate::backend::cpu::simd::{Elements, vector};

/// The most words in any implementation.
const MAX_WIDTH: usize = LANES;

/// e = 2^64 mod p = 2^64 - p.
const EPSILON: u64 = 0xffff_ffff;

/// p = 2^64 - 2^32 + 1.
const MODULUS: u64 = crate::field::MODULUS;

/// `WIDTH` words that stand for their residues modulo p; the operations act on each separately.
///
/// A word is *canonical* if it is below p. Sums take any word on the left, which saves a comparison each, and a
/// word of at most p on the right; they may be any words. Products are canonical.
pub(in crate::backend::cpu) trait Lanes: Elements<Element = u64> {
    /// Whether butterflies use shifts instead of products where they can, at the cost of values in pairs.
    const SHIFTS: bool;

    /// Writes the words to those of a row from `lane` on, a multiple of `WIDTH`, past the caches where the processor can; a
    /// [`fence`](Self::fence) has to follow before they are read.
    fn stream(self, row: &mut TileRow, lane: usize);

    /// Makes what was written past the caches visible in order.
    fn fence();

    /// The same word in every lane.
    fn splat(word: u64) -> Self;

    /// The sum with a word of at most p; any word.
    fn add(self, rhs: Self) -> Self;

    /// The difference to a word of at most p; any word, and canonical if `self` is.
    fn sub(self, rhs: Self) -> Self;

    /// The negative of a canonical word; at most p.
    fn neg(self) -> Self;

    /// The product of any words; canonical.
    fn mul(self, rhs: Self) -> Self;

    /// The product with 2^48, which is a fourth root of unity because 2^96 = -1; canonical.
    fn mul_2_48(self) -> Self;

    /// The canonical word for the same residue.
    fn canonical(self) -> Self;

    /// The sum modulo 2^64.
    fn plus(self, rhs: Self) -> Self;

    /// The difference modulo 2^64.
    fn minus(self, rhs: Self) -> Self;

    /// Bits set in both.
    fn and(self, rhs: Self) -> Self;

    /// Bits set in one of the two.
    fn xor(self, rhs: Self) -> Self;

    /// The product with 2^`n` modulo 2^64, for n below 64.
    fn shl(self, n: u32) -> Self;

    /// The quotient by 2^`n`, rounded down, for n below 64.
    fn shr(self, n: u32) -> Self;

    /// The same of a signed integer.
    fn shr_signed(self, n: u32) -> Self;

    /// The same signed integer in the lower half of every lane; upper halves are unspecified.
    fn splat_half(half: i32) -> Self;

    /// The product of the lower halves as signed integers.
    fn mul_halves(self, rhs: Self) -> Self;

    /// The product of the lower half, unsigned, with 2^32 - 1.
    fn low_times_epsilon(self) -> Self;

    /// Eight rows as eight columns.
    fn transpose(rows: &[TileRow; LANES]) -> [TileRow; LANES];
}

#[cfg(test)]
mod tests;
