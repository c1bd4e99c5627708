//! The hardware interface of the transform: a few field operations on vectors of words.
//!
//! The algorithm is written once over [`Lanes`], by the rules of [`dispatch`](crate::backend::cpu::simd). [`Portable`] is the
//! implementation for every processor, one word wide.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

#[cfg(target_arch = "x86_64")]
pub(in crate::backend::cpu) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(in crate::backend::cpu) use avx512::Avx512;

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
use crate::backend::cpu::simd::Vectors;

/// e = 2^64 mod p = 2^64 - p.
const EPSILON: u64 = 0xffff_ffff;

/// p = 2^64 - 2^32 + 1.
const MODULUS: u64 = crate::field::MODULUS;

/// `WIDTH` words that stand for their residues modulo p; the operations act on each separately.
///
/// A word is *canonical* if it is below p. Sums take any word on the left, which saves a comparison each, and a
/// word of at most p on the right; they may be any words. Products are canonical.
pub(in crate::backend::cpu) trait Lanes: Vectors + Copy {
    /// Whether butterflies use shifts instead of products where they can, at the cost of values in pairs.
    const SHIFTS: bool;

    /// The words at the head of `words`.
    fn load(words: &[u64]) -> Self;

    /// Writes the words to the head of `words`.
    fn store(self, words: &mut [u64]);

    /// Writes the words to the head of `words`, past the caches where the processor can; a [`fence`](Self::fence) has to follow
    /// before they are read.
    ///
    /// # Safety
    /// `words` begins at a multiple of the vector's size.
    unsafe fn stream(self, words: &mut [u64]);

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

/// Implements [`Lanes`] for a vector by the functions of its module, which need instructions beyond the portable.
#[cfg(target_arch = "x86_64")]
macro_rules! vector {
    ($vector:ident, $width:literal) => {
        const _: () = assert!($width <= super::LANES);

        impl super::Vectors for $vector {
            type Level = crate::backend::cpu::simd::level::$vector;
            const WIDTH: usize = $width;
        }

        // SAFETY, of all calls: the vectors are entered only where the processor has their instructions: see `Vectors::enter`.
        impl Lanes for $vector {
            const SHIFTS: bool = true;

            #[inline(always)]
            fn load(words: &[u64]) -> Self {
                let words = words.first_chunk().expect("a vector of words");
                // SAFETY: as above.
                Self(unsafe { load(words) })
            }

            #[inline(always)]
            fn store(self, words: &mut [u64]) {
                let words = words.first_chunk_mut().expect("a vector of words");
                // SAFETY: as above.
                unsafe { store(self.0, words) }
            }

            #[inline(always)]
            unsafe fn stream(self, words: &mut [u64]) {
                let words = words.first_chunk_mut().expect("a vector of words");
                // SAFETY: as above, and by the caller's promise.
                unsafe { stream(self.0, words) }
            }

            #[inline(always)]
            fn fence() {
                // SAFETY: every x86-64 processor has the instruction.
                unsafe { std::arch::x86_64::_mm_sfence() }
            }

            #[inline(always)]
            fn splat(word: u64) -> Self {
                // SAFETY: as above.
                Self(unsafe { splat(word) })
            }

            #[inline(always)]
            fn add(self, rhs: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { add(self.0, rhs.0) })
            }

            #[inline(always)]
            fn sub(self, rhs: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { sub(self.0, rhs.0) })
            }

            #[inline(always)]
            fn neg(self) -> Self {
                // SAFETY: as above.
                Self(unsafe { neg(self.0) })
            }

            #[inline(always)]
            fn mul(self, rhs: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { mul(self.0, rhs.0) })
            }

            #[inline(always)]
            fn mul_2_48(self) -> Self {
                // SAFETY: as above.
                Self(unsafe { mul_2_48(self.0) })
            }

            #[inline(always)]
            fn canonical(self) -> Self {
                // SAFETY: as above.
                Self(unsafe { canonical(self.0) })
            }

            #[inline(always)]
            fn plus(self, rhs: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { plus(self.0, rhs.0) })
            }

            #[inline(always)]
            fn minus(self, rhs: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { minus(self.0, rhs.0) })
            }

            #[inline(always)]
            fn and(self, rhs: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { and(self.0, rhs.0) })
            }

            #[inline(always)]
            fn xor(self, rhs: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { xor(self.0, rhs.0) })
            }

            #[inline(always)]
            fn mul_halves(self, rhs: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { mul_halves(self.0, rhs.0) })
            }

            #[inline(always)]
            fn shl(self, n: u32) -> Self {
                // SAFETY: as above.
                Self(unsafe { shl(self.0, n) })
            }

            #[inline(always)]
            fn shr(self, n: u32) -> Self {
                // SAFETY: as above.
                Self(unsafe { shr(self.0, n) })
            }

            #[inline(always)]
            fn shr_signed(self, n: u32) -> Self {
                // SAFETY: as above.
                Self(unsafe { shr_signed(self.0, n) })
            }

            #[inline(always)]
            fn splat_half(half: i32) -> Self {
                // SAFETY: as above.
                Self(unsafe { splat_half(half) })
            }

            #[inline(always)]
            fn low_times_epsilon(self) -> Self {
                // SAFETY: as above.
                Self(unsafe { low_times_epsilon(self.0) })
            }

            #[inline(always)]
            fn transpose(rows: &[TileRow; LANES]) -> [TileRow; LANES] {
                // SAFETY: as above.
                unsafe { transpose(rows) }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
use vector;

/// One word: portable code.
#[derive(Clone, Copy)]
pub(in crate::backend::cpu) struct Portable(u64);

impl Vectors for Portable {
    type Level = crate::backend::cpu::simd::level::Portable;
    const WIDTH: usize = 1;
}

impl Lanes for Portable {
    const SHIFTS: bool = false;

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Self(words[0])
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        words[0] = self.0;
    }

    #[inline(always)]
    unsafe fn stream(self, words: &mut [u64]) {
        self.store(words);
    }

    #[inline(always)]
    fn fence() {}

    #[inline(always)]
    fn splat(word: u64) -> Self {
        Self(word)
    }

    #[inline(always)]
    fn add(self, rhs: Self) -> Self {
        // After a carry the sum is at most (2^64 - 1) + p - 2^64 = p - 1, and e more is below 2^64.
        let (t, carry) = self.0.overflowing_add(rhs.0);
        Self(if carry { t.wrapping_add(EPSILON) } else { t })
    }

    #[inline(always)]
    fn sub(self, rhs: Self) -> Self {
        // Adding p = 2^64 - e modulo 2^64 is subtracting e, and takes one instruction less than masking e. After a borrow
        // the difference is at least 2^64 - p = e, so that e less is not negative; and a canonical left operand
        // leaves it below p.
        let (t, borrow) = self.0.overflowing_sub(rhs.0);
        Self(if borrow { t.wrapping_add(MODULUS) } else { t })
    }

    #[inline(always)]
    fn neg(self) -> Self {
        Self(MODULUS - self.0)
    }

    #[inline(always)]
    fn mul(self, rhs: Self) -> Self {
        let product = self.0 as u128 * rhs.0 as u128;
        Self(crate::field::reduce(product as u64, (product >> 64) as u64))
    }

    #[inline(always)]
    fn mul_2_48(self) -> Self {
        Self(crate::field::reduce(self.0 << 48, self.0 >> 16))
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        let (t, borrow) = self.0.overflowing_sub(MODULUS);
        Self(if borrow { self.0 } else { t })
    }

    #[inline(always)]
    fn plus(self, rhs: Self) -> Self {
        Self(self.0.wrapping_add(rhs.0))
    }

    #[inline(always)]
    fn minus(self, rhs: Self) -> Self {
        Self(self.0.wrapping_sub(rhs.0))
    }

    #[inline(always)]
    fn and(self, rhs: Self) -> Self {
        Self(self.0 & rhs.0)
    }

    #[inline(always)]
    fn xor(self, rhs: Self) -> Self {
        Self(self.0 ^ rhs.0)
    }

    #[inline(always)]
    fn shl(self, n: u32) -> Self {
        Self(self.0 << n)
    }

    #[inline(always)]
    fn shr(self, n: u32) -> Self {
        Self(self.0 >> n)
    }

    #[inline(always)]
    fn shr_signed(self, n: u32) -> Self {
        Self((self.0 as i64 >> n) as u64)
    }

    #[inline(always)]
    fn splat_half(half: i32) -> Self {
        Self(half as u32 as u64)
    }

    #[inline(always)]
    fn mul_halves(self, rhs: Self) -> Self {
        Self((self.0 as i32 as i64 * rhs.0 as i32 as i64) as u64)
    }

    #[inline(always)]
    fn low_times_epsilon(self) -> Self {
        Self((self.0 << 32) - (self.0 & EPSILON))
    }

    #[inline(always)]
    fn transpose(rows: &[TileRow; LANES]) -> [TileRow; LANES] {
        let mut columns = [TileRow::default(); LANES];
        for (i, row) in rows.iter().enumerate() {
            for (column, &word) in columns.iter_mut().zip(&row.0) {
                column.0[i] = word;
            }
        }
        columns
    }
}

#[cfg(test)]
mod tests;
