//! What the transform asks of the hardware: a few field operations on some words side by side.
//!
//! The algorithm is written once over [`Lanes`]. [`Word`] is the portable implementation, one word wide; a vector
//! unit is one more implementation of the same trait.

/// 2^64 mod p.
const EPSILON: u64 = 0xffff_ffff;

/// p = 2^64 - 2^32 + 1.
const MODULUS: u64 = crate::field::MODULUS;

/// `WIDTH` elements, each in `0..p`, on which the operations act separately. Every result is canonical again.
pub(super) trait Lanes: Copy {
    /// The number of elements.
    const WIDTH: usize;

    /// The elements at the head of `words`.
    fn load(words: &[u64]) -> Self;

    /// Writes the elements to the head of `words`.
    fn store(self, words: &mut [u64]);

    /// The same element in every lane.
    fn splat(word: u64) -> Self;

    fn add(self, rhs: Self) -> Self;

    fn sub(self, rhs: Self) -> Self;

    fn mul(self, rhs: Self) -> Self;

    /// The product with 2^48, which is a fourth root of unity because 2^96 = -1.
    fn mul_2_48(self) -> Self;
}

/// One element: portable code.
#[derive(Clone, Copy)]
pub(super) struct Word(u64);

/// The canonical representative of lo + 2^64 hi, for any two words.
///
/// With hi = m + 2^32 h and e = 2^32 - 1 it is congruent to lo - h + m e, because 2^64 = e and 2^96 = -1 (mod p).
#[inline(always)]
fn reduce(lo: u64, hi: u64) -> u64 {
    // A borrow stands for 2^64 = e, taken off once more. It cannot borrow twice, since h < 2^32.
    let (t, borrow) = lo.overflowing_sub(hi >> 32);
    let t = t.wrapping_sub(if borrow { EPSILON } else { 0 });
    // t + me = t - (p - me), where me <= 2^64 - 2^33 + 1 < p. With a borrow the sum is below p and p is given back.
    // Without one it is t + me - p <= (2^64 - 1) + (2^64 - 2^33 + 1) - p = p - 2. Canonical either way.
    let m = hi & EPSILON;
    canonical_sub(t, MODULUS - ((m << 32) - m))
}

/// a - b, plus p if that is negative: `a` may be any word.
#[inline(always)]
fn canonical_sub(a: u64, b: u64) -> u64 {
    let (t, borrow) = a.overflowing_sub(b);
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
        Self(canonical_sub(self.0, MODULUS - rhs.0))
    }

    #[inline(always)]
    fn sub(self, rhs: Self) -> Self {
        // Adding p = 2^64 - e modulo 2^64 is taking e off.
        let (t, borrow) = self.0.overflowing_sub(rhs.0);
        Self(t.wrapping_sub(if borrow { EPSILON } else { 0 }))
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Goldilocks;

    #[test]
    fn operations_match_the_field_on_edges() {
        let near = |x: u64| (0..4).flat_map(move |d| [x.wrapping_sub(d), x.wrapping_add(d)]);
        let edges = [0, 1 << 16, 1 << 31, 1 << 32, 1 << 33, 1 << 48, 1 << 63, MODULUS, MODULUS / 2];
        let edges: Vec<u64> = edges.into_iter().flat_map(near).collect();
        for &a in &edges {
            for &b in &edges {
                let expected = (a as u128 + ((b as u128) << 64)) % MODULUS as u128;
                assert_eq!(reduce(a, b) as u128, expected, "{a} + 2^64 {b}");
                let (x, y) = (Goldilocks::new(a), Goldilocks::new(b));
                let (v, w) = (Word(x.as_u64()), Word(y.as_u64()));
                assert_eq!(v.add(w).0, (x + y).as_u64(), "{a} + {b}");
                assert_eq!(v.sub(w).0, (x - y).as_u64(), "{a} - {b}");
                assert_eq!(v.mul(w).0, (x * y).as_u64(), "{a} * {b}");
            }
            let x = Goldilocks::new(a);
            assert_eq!(Word(x.as_u64()).mul_2_48().0, (x * Goldilocks::new(1 << 48)).as_u64(), "2^48 {a}");
        }
    }
}
