//! What the transform asks of the hardware: a few field operations on some words side by side.
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
pub(super) use on_lanes;

use super::tile::{LANES, Row};
use crate::backend::cpu::simd::Vectors;

/// e = 2^64 mod p = 2^64 - p.
const EPSILON: u64 = 0xffff_ffff;

/// p = 2^64 - 2^32 + 1.
const MODULUS: u64 = crate::field::MODULUS;

/// `WIDTH` words that stand for their residues modulo p; the operations act on each separately.
///
/// A word is *canonical* if it is below p. Sums take any word on the left, which saves a comparison each, and a
/// word of at most p on the right; they may be any words. Products are canonical.
pub(super) trait Lanes: Vectors + Copy {
    /// Whether butterflies take shifts for products where they can, at the price of values in pairs.
    const SHIFTS: bool;

    /// The words at the head of `words`.
    fn load(words: &[u64]) -> Self;

    /// Writes the words to the head of `words`.
    fn store(self, words: &mut [u64]);

    /// Writes the words to the head of `words`, past the caches where there is a way; a [`fence`](Self::fence) has to follow
    /// before anybody reads them.
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

    /// The same signed integer in the lower half of every lane; upper halves are anything.
    fn splat_half(half: i32) -> Self;

    /// The product of the lower halves as signed integers.
    fn mul_halves(self, rhs: Self) -> Self;

    /// The product of the lower half, unsigned, with 2^32 - 1.
    fn low_times_epsilon(self) -> Self;

    /// Eight rows as eight columns.
    fn transpose(rows: &[Row; LANES]) -> [Row; LANES];
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
            fn transpose(rows: &[Row; LANES]) -> [Row; LANES] {
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
pub(super) struct Portable(u64);

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
        // Adding p = 2^64 - e modulo 2^64 is taking e off, and one instruction less than masking e. After a borrow
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
    fn transpose(rows: &[Row; LANES]) -> [Row; LANES] {
        let mut columns = [Row::default(); LANES];
        for (i, row) in rows.iter().enumerate() {
            for (column, &word) in columns.iter_mut().zip(&row.0) {
                column.0[i] = word;
            }
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::{Simd, simd::Vectorised};

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
    struct Transpose<'a>(&'a mut [Row; LANES]);

    impl<L: Lanes> Vectorised<L> for Transpose<'_> {
        #[inline(always)]
        fn run(self) {
            for (row, to) in L::transpose(&{ *self.0 }).iter().zip(self.0) {
                for i in (0..LANES).step_by(L::WIDTH) {
                    // SAFETY: rows begin at multiples of 64 bytes.
                    unsafe { L::load(&row.0[i..]).stream(&mut to.0[i..]) };
                }
            }
            L::fence();
        }
    }

    #[test]
    fn rows_become_columns() {
        for simd in Simd::available() {
            let mut rows = std::array::from_fn(|i| Row(std::array::from_fn(|j| (8 * i + j) as u64)));
            on_lanes!(simd, L, L::enter(Transpose(&mut rows)));
            for (i, row) in rows.iter().enumerate() {
                assert_eq!(row.0, std::array::from_fn(|j| (8 * j + i) as u64), "{simd}");
            }
        }
    }
}
