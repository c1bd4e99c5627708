//! Products with factors that are known beforehand, as roots of unity are.
//!
//! # Mathematical description
//!
//! A factor w below p comes with its quotient w' = floor(w R / p), R = 2^256. For x below R let q = floor(x w' / R). Then x w - q p is
//! congruent to x w, not negative, and below p (1 + x / R), since w' falls short of w R / p by less than 1 and q of x w' / R by
//! less than 1 (Shoup's product; NTL has it for single words). So its lower 256 bits say all, and two of the three products are
//! lower halves. The third is an upper half, summed without what is below 2^192: less than 6 2^192 is missing, so that q may be too small by
//! one more, which happens only where x w' / R is less than 6 / 2^64 above an integer: x w - q p < p (1 + x / R + 2^-61), below 2p for
//! every x up to 5.2p.
//!
//! That is 25 products of limbs and 8 lower halves of products, where Montgomery's takes 32 and 4, and fewer carries: a product
//! does not wait for a multiple of p limb after limb.
//!
//! w is a plain integer, so x, and the product, may be in Montgomery form. Montgomery's reduction of w R mod p gives both numbers: it
//! adds the multiple m p that makes the lower half zero, and w R = w' p + (w R mod p) says that m is w'.

use std::marker::PhantomData;

use super::MontgomeryField;
use super::integer::{mac, sub_limbs};
use super::montgomery::{Limbs, Residue};

/// A factor modulo M with its quotient.
#[derive(Debug)]
pub(crate) struct KnownFactor<M> {
    factor: Limbs,
    quotient: Limbs,
    modulus: PhantomData<M>,
}

// Not derived, because that would ask for the same of M.
impl<M> Clone for KnownFactor<M> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<M> Copy for KnownFactor<M> {}

impl<M: MontgomeryField> KnownFactor<M> {
    /// 2^256 - p.
    const MINUS_P: Limbs = sub_limbs([0; 4], M::P).0;

    /// The factor and the quotient of a residue, for [`from_limbs`](Self::from_limbs).
    pub(crate) fn limbs(value: Residue<M>) -> [Limbs; 2] {
        let (mut lower, mut quotient) = (value.canonical(), [0; 4]);
        for digit in &mut quotient {
            let m = lower[0].wrapping_mul(Residue::<M>::NEGATIVE_INVERSE);
            let (_, carry) = mac(lower[0], m, M::P[0], 0);
            let (r0, carry) = mac(lower[1], m, M::P[1], carry);
            let (r1, carry) = mac(lower[2], m, M::P[2], carry);
            let (r2, carry) = mac(lower[3], m, M::P[3], carry);
            (*digit, lower) = (m, [r0, r1, r2, carry]);
        }
        [lower, quotient]
    }

    /// From a factor below p and its quotient.
    #[inline(always)]
    pub(crate) const fn from_limbs([factor, quotient]: [Limbs; 2]) -> Self {
        Self { factor, quotient, modulus: PhantomData }
    }

    /// The product with any limbs: below p (1 + 2^-61) plus p / 2^256 times these, and with a prime that is not lazy and limbs below p, below p.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[cfg_attr(debug_assertions, inline(never))]
    pub(crate) fn times(&self, x: Residue<M>) -> Residue<M> {
        let x = x.lazy_limbs();
        let q = high_product(x, self.quotient);
        Residue::of_product(add_low_product(add_low_product([0; 4], x, self.factor), q, Self::MINUS_P))
    }
}

/// The upper half of a b, or one less.
#[inline(always)]
fn high_product(a: Limbs, b: Limbs) -> Limbs {
    let high = |a, b| mac(0, a, b, 0).1;
    // Numbers are indices of limbs.
    let (t3, t4) = mac(0, a[0], b[3], high(a[0], b[2]));
    let (t3, carry) = mac(t3, a[1], b[2], high(a[1], b[1]));
    let (t4, t5) = mac(t4, a[1], b[3], carry);
    let (t3, carry) = mac(t3, a[2], b[1], high(a[2], b[0]));
    let (t4, carry) = mac(t4, a[2], b[2], carry);
    let (t5, t6) = mac(t5, a[2], b[3], carry);
    let (_, carry) = mac(t3, a[3], b[0], 0);
    let (t4, carry) = mac(t4, a[3], b[1], carry);
    let (t5, carry) = mac(t5, a[3], b[2], carry);
    let (t6, t7) = mac(t6, a[3], b[3], carry);
    [t4, t5, t6, t7]
}

/// t + a b modulo 2^256.
#[inline(always)]
fn add_low_product(t: Limbs, a: Limbs, b: Limbs) -> Limbs {
    let low = |t: u64, a: u64, b: u64, carry: u64| t.wrapping_add(a.wrapping_mul(b)).wrapping_add(carry);
    let (t0, carry) = mac(t[0], a[0], b[0], 0);
    let (t1, carry) = mac(t[1], a[0], b[1], carry);
    let (t2, carry) = mac(t[2], a[0], b[2], carry);
    let t3 = low(t[3], a[0], b[3], carry);
    let (t1, carry) = mac(t1, a[1], b[0], 0);
    let (t2, carry) = mac(t2, a[1], b[1], carry);
    let t3 = low(t3, a[1], b[2], carry);
    let (t2, carry) = mac(t2, a[2], b[0], 0);
    let t3 = low(t3, a[2], b[1], carry);
    [t0, t1, t2, low(t3, a[3], b[0], 0)]
}

#[cfg(test)]
mod tests {
    use super::super::integer::{add_limbs, is_below};
    use super::*;

    /// Limbs of zeros, of ones, single bits, and all between.
    fn edges() -> Vec<Limbs> {
        let words = [0, 1, u64::MAX, 1 << 63, u64::MAX << 32];
        let at = |set: usize, limb: u32| words[set / words.len().pow(limb) % words.len()];
        (0..words.len().pow(4)).map(|set| std::array::from_fn(|limb| at(set, limb as u32))).collect()
    }

    fn products<M: MontgomeryField>() {
        let limit = |x: Limbs| {
            // p (1 + 2^-60), and x / 2^256 times p at most x / 4.
            let part = std::array::from_fn(|i| x[i] >> 2 | x.get(i + 1).unwrap_or(&0) << 62);
            add_limbs(add_limbs(M::P, [0, 0, 0, 4]).0, part).0
        };
        let random = (1..).map(|i: u64| {
            let word = |j: u64| (4 * i + j).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ i << 50;
            [word(0), word(1), word(2), word(3)]
        });
        let multiples = (0..5).scan([0; 4], |multiple, _| {
            *multiple = add_limbs(*multiple, M::P).0;
            Some(*multiple)
        });
        let near = |x: Limbs| [sub_limbs(x, [1, 0, 0, 0]).0, x, add_limbs(x, [1, 0, 0, 0]).0];
        let values: Vec<Limbs> =
            edges().into_iter().chain(multiples.flat_map(near)).chain(random.take(200)).collect();
        let reduced = |x: Limbs| Residue::<M>::from_integer(x).canonical();
        for (i, &w) in values.iter().enumerate() {
            let w = Residue::<M>::from_integer(w);
            let [factor, quotient] = KnownFactor::limbs(w);
            assert_eq!(factor, w.to_integer());
            // w R - w' p is w in Montgomery form: their lower halves say the same.
            let product = add_low_product(w.canonical(), quotient, M::P);
            assert_eq!(product, [0; 4]);
            let known = KnownFactor::<M>::from_limbs([factor, quotient]);
            for &x in values.iter().cycle().skip(i).step_by(7).take(150) {
                let found = known.times(Residue::from_montgomery(x)).lazy_limbs();
                assert!(is_below(found, limit(x)), "{x:x?} {factor:x?}: {found:x?}");
                assert_eq!(
                    reduced(found),
                    Residue::<M>::from_integer(x).mul(w).canonical(),
                    "{x:x?} {factor:x?}"
                );
            }
        }
    }

    macro_rules! fields {
        ($($field:path, $name:literal;)*) => {
            #[test]
            fn products_with_known_factors() {
                $(products::<$field>();)*
            }
        };
    }
    crate::for_every_prime_field!(fields);
}
