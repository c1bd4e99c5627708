//! The power maps of Rescue Prime and its kin, x^7 and x^(1/7), on words side by side.
//!
//! The chains of squarings and products are written once over [`Powers`]; its implementation here is an array, the
//! words of one permutation, one at a time. Words are any `u64` and stand for their residue modulo
//! p = 2^64 - 2^32 + 1; they are made canonical once, at the end of a permutation.
//!
//! **x^(1/7).** The exponent is e = 10540996611094048183 = 0x92492491b6db6db7. With t_n = (8^n - 1) / 7, which is
//! n ones three bits apart, q = x^(8 t_10) and d = q x = x^(t_11),
//!
//! x^e = ((q^(2^31) d)^2 d)^2 x,
//!
//! and t_10 is reached by t_(m+n) = 8^n t_m + t_n through n = 1, 2, 4, 5, 10: 63 squarings and 8 products. That is
//! nearly all of the work of a permutation, 94 %. One chain is a sequence of 71 dependent products of ten cycles
//! each; twelve of them side by side keep the processor's multiplier busy, fewer than six do not.
//!
//! **The reduction** is the plain one, 2^64 = 2^32 - 1 and 2^96 = -1, with one thing exploited: for a product that
//! looks random, subtracting the highest 32 bits borrows once in 2^32 times, so that correction is a branch that
//! is never predicted taken, not arithmetic. This beats Montgomery's form (where R = 2^64 has R^3 = 1, so that
//! power maps need no conversion): `docs/performance/rescue.md` has the figures. Time may depend on the data in
//! this one branch.

use super::rescue_constants::WIDTH;

/// The state of the permutation: words below 2^64, not necessarily below p.
pub(super) type State = [u64; WIDTH];

/// 2^64 mod p = 2^32 - 1.
pub(super) const EPSILON: u64 = 0xffff_ffff;

/// Marks its caller's branch as rare: without it the compiler makes a conditional move, which costs each time.
#[cold]
fn rarely() {}

/// a - b for b <= 2^64 - 2^32: the borrow, taken as rare, stands for 2^64 = 2^32 - 1.
#[inline(always)]
pub(super) fn sub_rare(a: u64, b: u64) -> u64 {
    let (difference, borrow) = a.overflowing_sub(b);
    if borrow {
        rarely();
        // a - b + 2^64 >= 2^32, so this cannot borrow again.
        return difference - EPSILON;
    }
    difference
}

/// a + b for a + b <= 2^65 - 2^32: the carry, taken as rare, stands for 2^64 = 2^32 - 1.
#[inline(always)]
pub(super) fn add_rare(a: u64, b: u64) -> u64 {
    let (sum, carry) = a.overflowing_add(b);
    if carry {
        rarely();
        return sum + EPSILON;
    }
    sum
}

/// A word congruent to a 128-bit integer.
///
/// With x = low + 2^64 (middle + 2^32 high), x = low - high + middle (2^32 - 1).
#[inline(always)]
pub(super) fn reduce(x: u128) -> u64 {
    let (low, upper) = (x as u64, (x >> 64) as u64);
    let (middle, high) = (upper & EPSILON, upper >> 32);
    let difference = sub_rare(low, high);
    // The product is at most (2^32 - 1)^2 = 2^64 - 2^33 + 1: with a carry the sum is small enough for epsilon.
    let (sum, carry) = difference.overflowing_add(middle * EPSILON);
    if carry { sum.wrapping_add(EPSILON) } else { sum }
}

/// Words side by side, as the power maps need them.
pub(crate) trait Powers: Copy {
    /// The word-by-word product.
    fn multiply(&self, other: &Self) -> Self;

    /// Every word to the power 2^count.
    fn square_times(&self, count: usize) -> Self;

    /// The same residues as small as they get, for representations that grow. The chains below say where.
    #[inline(always)]
    fn normalise(&self) -> Self {
        *self
    }
}

/// Every word to the 7th power.
#[inline(always)]
pub(crate) fn seventh_powers<P: Powers>(x: &P) -> P {
    let x2 = x.square_times(1);
    x2.multiply(x).multiply(&x2.square_times(1))
}

/// The 7th root of every word: the inverse of [`seventh_powers`].
#[inline(always)]
pub(crate) fn seventh_roots<P: Powers>(x: &P) -> P {
    let t2 = x.square_times(3).multiply(x).normalise();
    let t4 = t2.square_times(6).multiply(&t2);
    let t5 = t4.square_times(3).multiply(x).normalise();
    let t10 = t5.square_times(15).multiply(&t5).normalise();
    let q = t10.square_times(3).normalise();
    let d = q.multiply(x);
    let y = q.square_times(31).multiply(&d);
    let y = y.square_times(1).multiply(&d);
    y.square_times(1).multiply(x)
}

impl<const N: usize> Powers for [u64; N] {
    #[inline(always)]
    fn multiply(&self, other: &Self) -> Self {
        let mut product = [0; N];
        for i in 0..N {
            product[i] = reduce(self[i] as u128 * other[i] as u128);
        }
        product
    }

    #[inline(always)]
    fn square_times(&self, count: usize) -> Self {
        let mut power = *self;
        for _ in 0..count {
            for word in &mut power {
                *word = reduce(*word as u128 * *word as u128);
            }
        }
        power
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Goldilocks, MODULUS};

    const EDGES: [u64; 16] = [
        0,
        1,
        2,
        EPSILON - 1,
        EPSILON,
        EPSILON + 1,
        1 << 63,
        MODULUS - (1 << 32),
        MODULUS - 2,
        MODULUS - 1,
        MODULUS,
        MODULUS + 1,
        MODULUS + EPSILON / 2,
        u64::MAX - EPSILON,
        u64::MAX - 1,
        u64::MAX,
    ];

    /// Every way to carry and to borrow: all pairs of edge values as halves of a 128-bit integer, and as factors.
    #[test]
    fn reduction_of_edge_values() {
        for a in EDGES {
            for b in EDGES {
                for x in [(a as u128) << 64 | b as u128, a as u128 * b as u128] {
                    assert_eq!(reduce(x) as u128 % MODULUS as u128, x % MODULUS as u128, "{x:#x}");
                }
            }
        }
    }

    #[test]
    fn rare_corrections() {
        let modulus = MODULUS as u128;
        for (a, b) in EDGES.into_iter().flat_map(|a| EDGES.map(|b| (a, b))) {
            if b <= u64::MAX - EPSILON {
                let expected = (a as u128 + 2 * modulus - b as u128) % modulus;
                assert_eq!(sub_rare(a, b) as u128 % modulus, expected, "{a:#x} - {b:#x}");
                assert_eq!(
                    add_rare(a, b) as u128 % modulus,
                    (a as u128 + b as u128) % modulus,
                    "{a:#x} + {b:#x}"
                );
            }
        }
    }

    #[test]
    fn roots_are_powers_of_the_inverse_exponent() {
        use crate::field::Field;
        for words in EDGES.windows(WIDTH) {
            let x: State = words.try_into().unwrap();
            let canonical = |words: State| words.map(Goldilocks::new);
            assert_eq!(canonical(seventh_powers(&x)), canonical(x).map(|x| x.pow(7)));
            assert_eq!(canonical(seventh_roots(&x)), canonical(x).map(|x| x.pow(10540996611094048183)));
            assert_eq!(canonical(seventh_powers(&seventh_roots(&x))), canonical(x));
        }
    }
}
