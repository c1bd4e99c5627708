//! What the transform asks of the hardware: a few field operations on some words side by side.
//!
//! The algorithm is written once over [`Lanes`]. [`Word`] is the portable implementation, one word wide; a vector
//! unit is one more implementation of the same trait.

/// e = 2^64 mod p = 2^64 - p.
const EPSILON: u64 = 0xffff_ffff;

/// p = 2^64 - 2^32 + 1.
const MODULUS: u64 = crate::field::MODULUS;

/// `WIDTH` words that stand for their residues modulo p; the operations act on each separately.
///
/// A word is *canonical* if it is below p. Sums take any word on the left, which saves a comparison each, and a
/// word of at most p on the right; they may be any words. Products are canonical.
pub(super) trait Lanes: Copy {
    /// The number of words.
    const WIDTH: usize;

    /// The words at the head of `words`.
    fn load(words: &[u64]) -> Self;

    /// Writes the words to the head of `words`.
    fn store(self, words: &mut [u64]);

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
}

/// One word: portable code.
#[derive(Clone, Copy)]
pub(super) struct Word(u64);

/// t - e, where that is rare: the call makes the compiler jump, where it would spend four instructions always.
#[cold]
#[inline(never)]
fn less_epsilon(t: u64) -> u64 {
    t.wrapping_sub(EPSILON)
}

/// The canonical representative of lo + 2^64 hi, for any two words.
///
/// With hi = m + 2^32 h and e = 2^32 - 1 it is congruent to lo - h + m e, because 2^64 = e and 2^96 = -1 (mod p).
#[inline(always)]
fn reduce(lo: u64, hi: u64) -> u64 {
    // A borrow stands for 2^64 = e, taken off once more. It cannot borrow twice, since h < 2^32.
    let (t, borrow) = lo.overflowing_sub(hi >> 32);
    let t = if borrow { less_epsilon(t) } else { t };
    // t + me = t - (p - me), where me <= 2^64 - 2^33 + 1 < p. With a borrow the sum is below p and p is given back.
    // Without one it is t + me - p <= (2^64 - 1) + (2^64 - 2^33 + 1) - p = p - 2. Canonical either way.
    let m = hi & EPSILON;
    let (t, borrow) = t.overflowing_sub(MODULUS - ((m << 32) - m));
    if borrow { t.wrapping_add(MODULUS) } else { t }
}

impl Lanes for Word {
    const WIDTH: usize = 1;

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Self(words[0])
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        words[0] = self.0;
    }

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
        Self(reduce(product as u64, (product >> 64) as u64))
    }

    #[inline(always)]
    fn mul_2_48(self) -> Self {
        Self(reduce(self.0 << 48, self.0 >> 16))
    }

    #[inline(always)]
    fn canonical(self) -> Self {
        let (t, borrow) = self.0.overflowing_sub(MODULUS);
        Self(if borrow { self.0 } else { t })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_keep_their_promises_on_edges() {
        let near = |x: u64| (0..4).flat_map(move |d| [x.wrapping_sub(d), x.wrapping_add(d)]);
        let edges = [0, 1 << 16, 1 << 31, 1 << 32, 1 << 33, 1 << 48, 1 << 63, MODULUS, MODULUS / 2];
        let edges: Vec<u64> = edges.into_iter().flat_map(near).collect();
        let p = MODULUS as u128;
        for &a in &edges {
            let wide = a as u128;
            assert_eq!(Word(a).mul_2_48().0 as u128, (wide << 48) % p, "2^48 {a}");
            assert_eq!(Word(a).canonical().0 as u128, wide % p, "{a}");
            for &b in &edges {
                assert_eq!(reduce(a, b) as u128, (wide + ((b as u128) << 64)) % p, "{a} + 2^64 {b}");
                assert_eq!(Word(a).mul(Word(b)).0 as u128, wide * b as u128 % p, "{a} * {b}");
                if b <= MODULUS {
                    let (sum, difference) = (Word(a).add(Word(b)).0, Word(a).sub(Word(b)).0);
                    assert_eq!(sum as u128 % p, (wide + b as u128) % p, "{a} + {b}");
                    assert_eq!(difference as u128 % p, (wide + p - b as u128) % p, "{a} - {b}");
                    assert!(a >= MODULUS || difference < MODULUS, "{a} - {b} is canonical");
                }
            }
        }
    }
}
