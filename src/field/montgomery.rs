//! Arithmetic modulo primes in Montgomery form, on 64-bit limbs: four an element, or six.
//!
//! # Mathematical description
//!
//! With R = 2^256 or, of six limbs, 2^384, the element x is kept as x R mod p, and the product of two kept values a, b is a b / R: each limb of a
//! adds a multiple of b, then the multiple m p of the modulus that makes the lowest limb zero, which is dropped
//! (Montgomery, Mathematics of Computation 44, 1985; the order of steps is the CIOS of Koç, Acar and Kaliski, IEEE Micro
//! 16, 1996).
//!
//! Values are *lazy* where 4p < R: anything below 2p stands for its residue. A product of factors a b < 4 p^2 comes out below p + 4 p^2 / R < 2p without a
//! last subtraction. Sums and differences are brought below 2p by one conditional subtraction of 2p. [`Residue::canonical`] gives the representative
//! below p, in which results leave this crate, and [`Residue::is_zero`] knows both forms of zero.
//!
//! A prime with one spare bit, such as those of 255 bits in four limbs, leaves no room for that: values are below p, and products, which come out below p + p^2 / R < 2p < R, end with a
//! conditional subtraction of p. Which of both it is follows from the prime when the crate is compiled ([`Modulus::LAZY`], [`Residue::BOUND`]).
//!
//! The number of limbs is that of the type in which the prime is written, [`Modulus::Limbs`], whose arithmetic is that of an [`Integer`].

use std::marker::PhantomData;

use super::integer::{Integer, add_limbs, bits, is_below, product, sub_limbs};

/// The number of limbs of an element, where it has four: of scalars, and of what has transforms.
pub(crate) const LIMBS: usize = 4;

/// Limbs of such an element, lowest first.
pub(crate) type Limbs = [u64; LIMBS];

/// An odd prime p with 2p < R.
pub trait Modulus: Copy + Send + Sync + 'static {
    /// The limbs of an element.
    type Limbs: Integer;

    /// The prime.
    const P: Self::Limbs;

    /// What follows from it.
    #[doc(hidden)]
    const CONSTANTS: Constants<Self::Limbs>;

    /// The number of its bits.
    const BITS: u32 = Self::CONSTANTS.bits;

    /// Whether 4p < R, so that values below 2p can be computed with; else they are below p.
    const LAZY: bool = Self::CONSTANTS.lazy;
}

/// Constants of a prime.
#[derive(Clone, Copy, Debug)]
pub struct Constants<L> {
    bits: u32,
    lazy: bool,
    /// 2p, or p.
    bound: L,
    negative_inverse: u64,
    /// R and R^2 modulo p.
    one: L,
    r2: L,
}

impl<const N: usize> Constants<[u64; N]> {
    /// Those of a prime.
    pub(crate) const fn of(p: [u64; N]) -> Self {
        assert!(p[0] & 1 == 1, "an odd prime");
        let (bits, all) = (bits(p), u64::BITS * N as u32);
        assert!(bits < all, "a spare bit, 2p < R, without which sums have no room");
        let lazy = bits + 2 <= all;
        Self {
            bits,
            lazy,
            bound: if lazy { add_limbs(p, p).0 } else { p },
            negative_inverse: negative_inverse(p[0]),
            one: power_of_two(p, all),
            r2: power_of_two(p, 2 * all),
        }
    }

    /// The number of bits.
    pub(crate) const fn bits(&self) -> u32 {
        self.bits
    }

    /// The product of values below p, in Montgomery form and below p as well: arithmetic for constants, where there are no [`Residue`]s.
    const fn product(&self, p: [u64; N], a: [u64; N], b: [u64; N]) -> [u64; N] {
        let product = product(a, b, p, self.negative_inverse);
        let (less, under) = sub_limbs(product, p);
        if under { product } else { less }
    }

    /// An integer below p in Montgomery form.
    pub(crate) const fn form(&self, p: [u64; N], integer: [u64; N]) -> [u64; N] {
        self.product(p, integer, self.r2)
    }

    /// The power of a value in Montgomery form and below p.
    pub(crate) const fn power(&self, p: [u64; N], value: [u64; N], exponent: [u64; N]) -> [u64; N] {
        let (mut power, mut bit) = (self.one, bits(exponent));
        while bit > 0 {
            bit -= 1;
            power = self.product(p, power, power);
            if exponent[bit as usize / 64] >> (bit % 64) & 1 == 1 {
                power = self.product(p, power, value);
            }
        }
        power
    }
}

/// A residue modulo M, in Montgomery form, below [`BOUND`](Self::BOUND).
#[repr(transparent)]
#[derive(Debug)]
pub struct Residue<M: Modulus> {
    limbs: M::Limbs,
    modulus: PhantomData<M>,
}

// Not derived, because that would ask for the same of M.
impl<M: Modulus> Clone for Residue<M> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<M: Modulus> Copy for Residue<M> {}

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
const fn power_of_two<const N: usize>(p: [u64; N], exponent: u32) -> [u64; N] {
    let (mut power, mut step) = ([0; N], 0);
    power[0] = 1;
    while step < exponent {
        // Below 2p < R, so nothing wraps.
        let double = add_limbs(power, power).0;
        let (less, under) = sub_limbs(double, p);
        power = if under { double } else { less };
        step += 1;
    }
    power
}

impl<M: Modulus> Residue<M> {
    /// What values are below: 2p, or p if the prime is too large for that.
    pub(crate) const BOUND: M::Limbs = M::CONSTANTS.bound;
    /// -1/p modulo 2^64.
    pub(crate) const NEGATIVE_INVERSE: u64 = M::CONSTANTS.negative_inverse;
    /// R^2, which brings integers into Montgomery form.
    pub(crate) const R2: Self = Self::from_montgomery(M::CONSTANTS.r2);

    /// 0.
    pub(crate) const ZERO: Self = Self::from_montgomery(M::Limbs::ZERO);
    /// 1, that is R.
    pub(crate) const ONE: Self = Self::from_montgomery(M::CONSTANTS.one);

    /// The residue that limbs below the bound in Montgomery form stand for.
    #[inline(always)]
    pub(crate) const fn from_montgomery(limbs: M::Limbs) -> Self {
        Self { limbs, modulus: PhantomData }
    }

    /// The limbs, below the bound and in Montgomery form.
    #[inline(always)]
    pub(crate) const fn lazy_limbs(self) -> M::Limbs {
        self.limbs
    }

    /// Limbs below the bound as a residue, where they stand.
    #[inline(always)]
    pub(crate) const fn at(limbs: &M::Limbs) -> &Self {
        // SAFETY: a residue is its limbs, and nothing else has a size.
        unsafe { &*std::ptr::from_ref(limbs).cast() }
    }

    /// Rows of limbs below the bound as residues.
    #[inline(always)]
    pub(crate) const fn of_rows<const N: usize>(rows: [M::Limbs; N]) -> [Self; N] {
        // SAFETY: as above.
        unsafe { std::mem::transmute_copy(&rows) }
    }

    /// The limbs of rows of residues, where they stand.
    #[inline(always)]
    pub(crate) const fn rows_of_limbs<const N: usize>(rows: [&Self; N]) -> [&M::Limbs; N] {
        // SAFETY: as above.
        unsafe { std::mem::transmute_copy(&rows) }
    }

    /// An integer below R as a residue.
    pub(crate) fn from_integer(integer: M::Limbs) -> Self {
        // Below R p, so the product is below 2p before the last subtraction, if there is one.
        Self::from_montgomery(integer).mul(Self::R2)
    }

    /// A word as a residue.
    pub(crate) fn from_word(word: u64) -> Self {
        Self::from_integer(M::Limbs::of_word(word))
    }

    /// The integer below p.
    #[inline]
    pub(crate) fn to_integer(self) -> M::Limbs {
        // A product with 1 is below p + 2p / R, so at most p.
        self.mul(Self::from_montgomery(M::Limbs::of_word(1))).canonical()
    }

    /// The Montgomery form below p.
    #[inline(always)]
    pub(crate) fn canonical(self) -> M::Limbs {
        if M::LAZY { Self::less_p(self.limbs) } else { self.limbs }
    }

    /// Limbs below 2p, less p if they are not below p.
    #[inline(always)]
    fn less_p(limbs: M::Limbs) -> M::Limbs {
        let (less, under) = limbs.minus(M::P);
        limbs.select(under, less)
    }

    /// Limbs below 2p, below the bound.
    #[inline(always)]
    pub(crate) fn of_product(limbs: M::Limbs) -> Self {
        Self::from_montgomery(if M::LAZY { limbs } else { Self::less_p(limbs) })
    }

    /// Whether this is 0 modulo p.
    #[inline(always)]
    pub(crate) fn is_zero(self) -> bool {
        self.limbs.is(M::Limbs::ZERO) || M::LAZY && self.limbs.is(M::P)
    }

    /// The sum.
    #[inline(always)]
    pub(crate) fn add(self, rhs: Self) -> Self {
        let (sum, _) = self.limbs.plus(rhs.limbs);
        let (less, under) = sum.minus(Self::BOUND);
        Self::from_montgomery(sum.select(under, less))
    }

    /// The difference.
    #[inline(always)]
    pub(crate) fn sub(self, rhs: Self) -> Self {
        let (difference, under) = self.limbs.minus(rhs.limbs);
        let more = difference.plus(Self::BOUND.select(under, M::Limbs::ZERO)).0;
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
        Self::from_montgomery(self.neg().limbs.select(negative, self.limbs))
    }

    /// The sum without reduction, of values whose sum is below R: only for what takes such values, with a lazy prime.
    #[inline(always)]
    pub(crate) fn add_unreduced(self, rhs: Self) -> Self {
        Self::from_montgomery(self.limbs.plus(rhs.limbs).0)
    }

    /// The difference plus 2p, for a subtrahend below 2p, likewise.
    #[inline(always)]
    pub(crate) fn sub_unreduced(self, rhs: Self) -> Self {
        // First the sum, so that nothing is below 0.
        let more = self.limbs.plus(Self::BOUND).0;
        Self::from_montgomery(more.minus(rhs.limbs).0)
    }

    /// The product. Both factors are below the bound, or the first is any limbs and the other below p; or, with a lazy prime, one is below 4p and the other below p.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[cfg_attr(debug_assertions, inline(never))]
    pub(crate) fn mul(self, rhs: Self) -> Self {
        Self::of_product(self.limbs.product(rhs.limbs, M::P, Self::NEGATIVE_INVERSE))
    }

    /// The square, of a value below the bound: of four limbs ten products of limbs where a product has sixteen.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[cfg_attr(debug_assertions, inline(never))]
    pub(crate) fn square(self) -> Self {
        Self::of_product(self.limbs.square(M::P, Self::NEGATIVE_INVERSE))
    }
}

impl<M: Modulus<Limbs = Limbs>> Residue<M> {
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
}
