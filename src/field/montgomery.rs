//! Arithmetic modulo primes in Montgomery form, four 64-bit limbs an element.
//!
//! # Mathematical description
//!
//! With R = 2^256, the element x is kept as x R mod p, and the product of two kept values a, b is a b / R: each limb of a
//! adds a multiple of b, then the multiple m p of the modulus that makes the lowest limb zero, which is dropped
//! (Montgomery, Mathematics of Computation 44, 1985; the order of steps is the CIOS of Koç, Acar and Kaliski, IEEE Micro
//! 16, 1996).
//!
//! Values are *lazy* where 4p < R: anything below 2p stands for its residue. A product of factors a b < 4 p^2 comes out below p + 4 p^2 / R < 2p without a
//! last subtraction. Sums and differences are brought below 2p by one conditional subtraction of 2p. [`Residue::canonical`] gives the representative
//! below p, in which results leave this crate, and [`Residue::is_zero`] knows both forms of zero.
//!
//! A prime of 255 bits, such as those of Pasta, leaves no room for that: values are below p, and products, which come out below p + p^2 / R < 2p < R, end with a
//! conditional subtraction of p. Which of both it is follows from the prime when the crate is compiled ([`Modulus::LAZY`], [`Residue::BOUND`]).

use std::hint::select_unpredictable;
use std::marker::PhantomData;

/// The number of limbs of an element.
pub(crate) const LIMBS: usize = 4;

/// Limbs of an element, lowest first.
pub(crate) type Limbs = [u64; LIMBS];

/// A prime p with 2p < 2^256.
pub trait Modulus: Copy + Send + Sync + 'static {
    /// The prime.
    const P: Limbs;

    /// The number of its bits.
    const BITS: u32 = bits(Self::P);

    /// Whether 4p < 2^256, so that values below 2p can be computed with; else they are below p.
    const LAZY: bool = Self::BITS <= 254;
}

/// A residue modulo M, in Montgomery form, below [`BOUND`](Self::BOUND).
#[repr(transparent)]
#[derive(Debug)]
pub struct Residue<M> {
    limbs: Limbs,
    modulus: PhantomData<M>,
}

// Not derived, because that would ask for the same of M.
impl<M> Clone for Residue<M> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<M> Copy for Residue<M> {}

/// The number of bits of an integer.
#[inline(always)]
pub(crate) const fn bits(integer: Limbs) -> u32 {
    // The highest limb that is not 0, by selects and not by jumps.
    let (mut limb, mut top, mut i) = (0, integer[0], 1);
    while i < LIMBS {
        (limb, top) = if integer[i] != 0 { (i, integer[i]) } else { (limb, top) };
        i += 1;
    }
    u64::BITS * limb as u32 + u64::BITS - top.leading_zeros()
}

/// The integer that a text of hexadecimal digits behind `0x` stands for.
pub(crate) const fn parse_hexadecimal(text: &str) -> Limbs {
    let text = text.as_bytes();
    assert!(text.len() > 2 && text[0] == b'0' && text[1] == b'x', "hexadecimal digits behind 0x");
    let (mut integer, mut i) = ([0; LIMBS], 2);
    while i < text.len() {
        assert!(integer[LIMBS - 1] >> 60 == 0, "an integer of as many limbs as elements have");
        let digit = (text[i] as char).to_digit(16).expect("a hexadecimal digit");
        let mut limb = LIMBS - 1;
        while limb > 0 {
            integer[limb] = integer[limb] << 4 | integer[limb - 1] >> 60;
            limb -= 1;
        }
        integer[0] = integer[0] << 4 | digit as u64;
        i += 1;
    }
    integer
}

/// Half an integer, rounded down.
#[cfg(test)]
pub(crate) const fn half(integer: Limbs) -> Limbs {
    let (mut half, mut i) = ([0; LIMBS], 0);
    while i < LIMBS {
        let above = if i + 1 < LIMBS { integer[i + 1] << 63 } else { 0 };
        half[i] = integer[i] >> 1 | above;
        i += 1;
    }
    half
}

/// a + b + carry.
#[inline(always)]
const fn adc(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, over) = a.overflowing_add(b);
    let (sum, over_again) = sum.overflowing_add(carry as u64);
    (sum, over | over_again)
}

/// a - b - borrow.
#[inline(always)]
const fn sbb(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, under) = a.overflowing_sub(b);
    let (difference, under_again) = difference.overflowing_sub(borrow as u64);
    (difference, under | under_again)
}

/// a + b modulo 2^256, and whether it wrapped.
#[inline(always)]
pub(crate) const fn add_limbs(a: Limbs, b: Limbs) -> (Limbs, bool) {
    let (s0, c) = adc(a[0], b[0], false);
    let (s1, c) = adc(a[1], b[1], c);
    let (s2, c) = adc(a[2], b[2], c);
    let (s3, c) = adc(a[3], b[3], c);
    ([s0, s1, s2, s3], c)
}

/// a - b modulo 2^256, and whether it wrapped.
#[inline(always)]
pub(crate) const fn sub_limbs(a: Limbs, b: Limbs) -> (Limbs, bool) {
    let (d0, c) = sbb(a[0], b[0], false);
    let (d1, c) = sbb(a[1], b[1], c);
    let (d2, c) = sbb(a[2], b[2], c);
    let (d3, c) = sbb(a[3], b[3], c);
    ([d0, d1, d2, d3], c)
}

/// Whether a < b.
pub(crate) const fn is_below(a: Limbs, b: Limbs) -> bool {
    sub_limbs(a, b).1
}

/// a if `first`, else b, without a branch.
#[inline(always)]
fn select(first: bool, a: Limbs, b: Limbs) -> Limbs {
    // Limb by limb and not in a loop, where the compiler may choose an address to read from and not a value: limbs that were just
    // written singly are then read in pairs, which waits for the cache.
    let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (a, b);
    [
        select_unpredictable(first, a0, b0),
        select_unpredictable(first, a1, b1),
        select_unpredictable(first, a2, b2),
        select_unpredictable(first, a3, b3),
    ]
}

/// The low and high word of t + a b + carry.
#[inline(always)]
pub(crate) const fn mac(t: u64, a: u64, b: u64, carry: u64) -> (u64, u64) {
    let wide = t as u128 + a as u128 * b as u128 + carry as u128;
    (wide as u64, (wide >> 64) as u64)
}

/// -1/p modulo 2^64, by Newton's iteration: each step doubles the number of right bits, of which an odd p has three.
const fn negative_inverse(p: u64) -> u64 {
    let (mut inverse, mut step) = (p, 0);
    while step < 5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(p.wrapping_mul(inverse)));
        step += 1;
    }
    inverse.wrapping_neg()
}

/// 2^exponent modulo p, by doubling.
const fn power_of_two(p: Limbs, exponent: u32) -> Limbs {
    let (mut power, mut step) = ([1, 0, 0, 0], 0);
    while step < exponent {
        // Below 2p < 2^256, so nothing wraps.
        let double = add_limbs(power, power).0;
        let (less, under) = sub_limbs(double, p);
        power = if under { double } else { less };
        step += 1;
    }
    power
}

impl<M: Modulus> Residue<M> {
    /// What values are below: 2p, or p if the prime is too large for that.
    pub(crate) const BOUND: Limbs = {
        assert!(M::P[0] & 1 == 1, "an odd prime");
        assert!(M::BITS <= 255, "a spare bit, 2p < 2^256, without which sums have no room");
        if M::LAZY { add_limbs(M::P, M::P).0 } else { M::P }
    };
    /// -1/p modulo 2^64.
    pub(crate) const NEGATIVE_INVERSE: u64 = negative_inverse(M::P[0]);
    /// R^2, which brings integers into Montgomery form.
    const R2: Self = Self::from_montgomery(power_of_two(M::P, 512));

    /// 0.
    pub(crate) const ZERO: Self = Self::from_montgomery([0; 4]);
    /// 1, that is R.
    pub(crate) const ONE: Self = Self::from_montgomery(power_of_two(M::P, 256));

    /// The residue that limbs below the bound in Montgomery form stand for.
    #[inline(always)]
    pub(crate) const fn from_montgomery(limbs: Limbs) -> Self {
        Self { limbs, modulus: PhantomData }
    }

    /// The limbs, below the bound and in Montgomery form.
    #[inline(always)]
    pub(crate) const fn lazy_limbs(self) -> Limbs {
        self.limbs
    }

    /// Limbs below the bound as a residue, where they stand.
    #[inline(always)]
    pub(crate) const fn at(limbs: &Limbs) -> &Self {
        // SAFETY: a residue is its limbs, and nothing else has a size.
        unsafe { &*std::ptr::from_ref(limbs).cast() }
    }

    /// Rows of limbs below the bound as residues.
    #[inline(always)]
    pub(crate) const fn of_rows<const N: usize>(rows: [Limbs; N]) -> [Self; N] {
        // SAFETY: as above.
        unsafe { std::mem::transmute_copy(&rows) }
    }

    /// The limbs of rows of residues, where they stand.
    #[inline(always)]
    pub(crate) const fn rows_of_limbs<const N: usize>(rows: [&Self; N]) -> [&Limbs; N] {
        // SAFETY: as above.
        unsafe { std::mem::transmute_copy(&rows) }
    }

    /// An integer below 2^256 as a residue.
    pub(crate) fn from_integer(integer: Limbs) -> Self {
        // Below R p, so the product is below 2p before the last subtraction, if there is one.
        Self::from_montgomery(integer).mul(Self::R2)
    }

    /// A word as a residue.
    pub(crate) fn from_word(word: u64) -> Self {
        Self::from_integer([word, 0, 0, 0])
    }

    /// The integer below p.
    #[inline]
    pub(crate) fn to_integer(self) -> Limbs {
        // A product with 1 is below p + 2p / R, so at most p.
        self.mul(Self::from_montgomery([1, 0, 0, 0])).canonical()
    }

    /// The Montgomery form below p.
    #[inline(always)]
    pub(crate) fn canonical(self) -> Limbs {
        if M::LAZY { Self::less_p(self.limbs) } else { self.limbs }
    }

    /// Limbs below 2p, less p if they are not below p.
    #[inline(always)]
    fn less_p(limbs: Limbs) -> Limbs {
        let (less, under) = sub_limbs(limbs, M::P);
        select(under, limbs, less)
    }

    /// Limbs below 2p, below the bound.
    #[inline(always)]
    pub(crate) fn of_product(limbs: Limbs) -> Self {
        Self::from_montgomery(if M::LAZY { limbs } else { Self::less_p(limbs) })
    }

    /// Whether this is 0 modulo p.
    #[inline(always)]
    pub(crate) fn is_zero(self) -> bool {
        let or = |limbs: Limbs| limbs[0] | limbs[1] | limbs[2] | limbs[3];
        let xor = |a: Limbs, b: Limbs| std::array::from_fn(|i| a[i] ^ b[i]);
        or(self.limbs) == 0 || M::LAZY && or(xor(self.limbs, M::P)) == 0
    }

    /// The sum.
    #[inline(always)]
    pub(crate) fn add(self, rhs: Self) -> Self {
        let (sum, _) = add_limbs(self.limbs, rhs.limbs);
        let (less, under) = sub_limbs(sum, Self::BOUND);
        Self::from_montgomery(select(under, sum, less))
    }

    /// The difference.
    #[inline(always)]
    pub(crate) fn sub(self, rhs: Self) -> Self {
        let (difference, under) = sub_limbs(self.limbs, rhs.limbs);
        let more = add_limbs(difference, select(under, Self::BOUND, [0; 4])).0;
        Self::from_montgomery(more)
    }

    /// The negative.
    #[inline(always)]
    pub(crate) fn neg(self) -> Self {
        Self::ZERO.sub(self)
    }

    /// -x if `negative`, else x, without a branch.
    #[inline(always)]
    pub(crate) fn negated_if(self, negative: bool) -> Self {
        Self::from_montgomery(select(negative, self.neg().limbs, self.limbs))
    }

    /// The sum without reduction, of values whose sum is below 2^256: only for what takes such values, with a lazy prime.
    #[inline(always)]
    pub(crate) fn add_unreduced(self, rhs: Self) -> Self {
        Self::from_montgomery(add_limbs(self.limbs, rhs.limbs).0)
    }

    /// The difference plus 2p, for a subtrahend below 2p, likewise.
    #[inline(always)]
    pub(crate) fn sub_unreduced(self, rhs: Self) -> Self {
        // First the sum, so that nothing is below 0.
        let more = add_limbs(self.limbs, Self::BOUND).0;
        Self::from_montgomery(sub_limbs(more, rhs.limbs).0)
    }

    /// Multiples of p, the largest up to each of the 32 multiples of 2^251.
    const MULTIPLES: [Limbs; 32] = {
        // The largest value of a transform: see the element-by-element form in the CPU's `residues`.
        let (four, over) = add_limbs(Self::BOUND, Self::BOUND);
        let (five, over_again) = add_limbs(four, M::P);
        let (most, wrapped) = add_limbs(five, [0, 0, 0, 1 << 59]);
        let fits = !over && !over_again && !wrapped && most[3] < u64::MAX;
        assert!(fits || !M::LAZY, "5p + 2^251 < 2^256 - 2^192");
        let mut multiples = [[0; 4]; 32];
        let mut i = 1;
        while i < 32 {
            let next = add_limbs(multiples[i - 1], M::P).0;
            // A next multiple that wrapped is too large.
            let fits = is_below(next, [0, 0, 0, (i as u64) << 59]) && is_below(multiples[i - 1], next);
            multiples[i] = if fits { next } else { multiples[i - 1] };
            i += 1;
        }
        multiples
    };

    /// Brings any limbs below p + 2^251, with a lazy prime.
    #[inline(always)]
    pub(crate) fn nearly_reduced(self) -> Self {
        // The upper bits u say that the value is u 2^251 and less than 2^251 more; the multiple is less than p below u 2^251.
        let multiple = Self::MULTIPLES[(self.limbs[3] >> 59) as usize];
        Self::from_montgomery(sub_limbs(self.limbs, multiple).0)
    }

    /// The product. Both factors are below the bound, or the first is any limbs and the other below p; or, with a lazy prime, one is below 4p and the other below p.
    #[inline(always)]
    pub(crate) fn mul(self, rhs: Self) -> Self {
        let (a, b, p) = (self.limbs, rhs.limbs, M::P);
        // What is carried from step to step stays below b + p < 2^256: no fifth limb between steps.
        let mut t = [0; 4];
        let mut i = 0;
        while i < 4 {
            let (t0, carry) = mac(t[0], a[i], b[0], 0);
            let m = t0.wrapping_mul(Self::NEGATIVE_INVERSE);
            let (_, reduction) = mac(t0, m, p[0], 0);
            let (t1, carry) = mac(t[1], a[i], b[1], carry);
            let (r0, reduction) = mac(t1, m, p[1], reduction);
            let (t2, carry) = mac(t[2], a[i], b[2], carry);
            let (r1, reduction) = mac(t2, m, p[2], reduction);
            let (t3, carry) = mac(t[3], a[i], b[3], carry);
            let (r2, reduction) = mac(t3, m, p[3], reduction);
            t = [r0, r1, r2, reduction.wrapping_add(carry)];
            i += 1;
        }
        Self::of_product(t)
    }

    /// The square, of a value below the bound: ten products of limbs where a product has sixteen.
    #[inline(always)]
    pub(crate) fn square(self) -> Self {
        let a = self.limbs;
        // Products of different limbs, once.
        let (t1, carry) = mac(0, a[0], a[1], 0);
        let (t2, carry) = mac(0, a[0], a[2], carry);
        let (t3, t4) = mac(0, a[0], a[3], carry);
        let (t3, carry) = mac(t3, a[1], a[2], 0);
        let (t4, t5) = mac(t4, a[1], a[3], carry);
        let (t5, t6) = mac(t5, a[2], a[3], 0);
        // Twice these, and the squares of the limbs.
        let t = [t1 << 1, t2 << 1 | t1 >> 63, t3 << 1 | t2 >> 63, t4 << 1 | t3 >> 63, t5 << 1 | t4 >> 63];
        let (t6, t7) = (t6 << 1 | t5 >> 63, t6 >> 63);
        let (t0, carry) = mac(0, a[0], a[0], 0);
        let (t1, carry) = adc(t[0], carry, false);
        let (low, high) = mac(0, a[1], a[1], 0);
        let (t2, carry) = adc(t[1], low, carry);
        let (t3, carry) = adc(t[2], high, carry);
        let (low, high) = mac(0, a[2], a[2], 0);
        let (t4, carry) = adc(t[3], low, carry);
        let (t5, carry) = adc(t[4], high, carry);
        let (low, high) = mac(0, a[3], a[3], 0);
        let (t6, carry) = adc(t6, low, carry);
        let (t7, _) = adc(t7, high, carry);
        // The reduction of the lower half is at most p, the upper half below 4 p^2 / R, or p^2 / R.
        let mut lower = [t0, t1, t2, t3];
        let mut step = 0;
        while step < 4 {
            let m = lower[0].wrapping_mul(Self::NEGATIVE_INVERSE);
            let (_, carry) = mac(lower[0], m, M::P[0], 0);
            let (r0, carry) = mac(lower[1], m, M::P[1], carry);
            let (r1, carry) = mac(lower[2], m, M::P[2], carry);
            let (r2, carry) = mac(lower[3], m, M::P[3], carry);
            lower = [r0, r1, r2, carry];
            step += 1;
        }
        Self::of_product(add_limbs(lower, [t4, t5, t6, t7]).0)
    }
}
