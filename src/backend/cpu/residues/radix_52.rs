//! Residues in five limbs of 52 bits, as many side by side as a vector has words.
//!
//! # Mathematical description
//!
//! Limb i of a vector of residues is a vector of words, so that no carry crosses lanes. Multiplication adds the lower or the
//! upper half of a product of 52-bit limbs to a word of 64 bits: a word is a *column* of such halves, all of the same weight,
//! and has room for 2^12 of them before it overflows. Sums are columns, signed, and carries wait until limbs are multiplied
//! again: a factor's limbs have been carried, and only their lower 52 bits count.
//!
//! A product has fifty halves, and its reduction by R = 2^260 as many: five times the lowest column is made zero by a multiple
//! of p and dropped. The first four times it is a multiple of N = k p with k = -1/p modulo 2^52, so N = N' 2^52 - 1: for the
//! column's lower bits m, adding m N takes m away and adds m N' to the columns above. The multiple needs no product of its
//! own, and the column leaves its upper bits as the carry. The last time it is a multiple of p, as a multiple of N would
//! leave up to 2^52 N'. As N' < p/7, the product of a and b is below
//! a b / R + N' (1 + 2^-51) + p < a b / R + 8p/7, hence, with p < R / 84, below 2p where a b < 72 p^2, and below 3p where
//! a b < 156 p^2. Both are asserted of a prime when the crate is compiled.
//!
//! Primes of 255 bits, those of Pasta, have neither: R / p is a bit less than 64, and N' may be nearly p. For them every step takes a multiple of p, four products of
//! limbs more, and a product is below a b / R + p: below 2p where a b <= 63 p^2. Values of transforms are up to 31p in magnitude instead of 40p, and what goes to
//! memory is brought below p, as all is there. Which of both it is follows from the prime ([`Constants::SHORT`]).
//!
//! Four-limb values x R' with R' = 2^256 are loaded as they are. In terms of those, a product is x y R' / 2^4: `SHIFT` is 2.

use std::marker::PhantomData;

use super::{Coordinates, MAX_WIDTH, Residues, TwiddleForm, VectorisedField, Vectors};
use crate::backend::cpu::quadwords::{BITS, Quadwords};
use crate::field::MontgomeryField;
use crate::field::montgomery::{Limbs, Modulus, Residue};

/// The limbs of a number below 2^260.
pub(super) type Limbs52 = [u64; 5];

/// The lower bits of a column.
const MASK: u64 = (1 << BITS) - 1;

/// Residues in five limbs, on the words Q.
#[derive(Clone, Copy, Debug)]
pub(in crate::backend::cpu) struct Radix52<Q, M>(PhantomData<(Q, M)>);

/// Columns: the value is the sum of column i times 2^(52 i), columns being signed.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(in crate::backend::cpu) struct Columns<Q>(pub(super) [Q; 5]);

/// Carried limbs, of which only the lower 52 bits count; the value is below 2^260.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(in crate::backend::cpu) struct Carried<Q>(pub(super) [Q; 5]);

/// An array of five, element by element and without a closure.
macro_rules! each {
    ($i:ident => $element:expr) => {
        each!($i => $element; 0 1 2 3 4)
    };
    ($i:ident => $element:expr; $($index:literal)+) => {
        [$({
            const $i: usize = $index;
            $element
        }),+]
    };
}

/// Four 64-bit limbs in five of 52 bits.
pub(super) const fn split([a, b, c, d]: Limbs) -> Limbs52 {
    [a & MASK, (a >> 52 | b << 12) & MASK, (b >> 40 | c << 24) & MASK, (c >> 28 | d << 36) & MASK, d >> 16]
}

/// A small multiple of limbs, below 2^260.
const fn times(limbs: Limbs52, factor: u64) -> Limbs52 {
    let (mut multiple, mut carry, mut i) = ([0; 5], 0, 0);
    while i < 5 {
        let wide = limbs[i] as u128 * factor as u128 + carry;
        multiple[i] = wide as u64 & MASK;
        carry = wide >> BITS;
        i += 1;
    }
    assert!(carry == 0, "a multiple below 2^260");
    multiple
}

/// 2^260 - x for x other than 0.
const fn complement(limbs: Limbs52) -> Limbs52 {
    let (mut negative, mut carry, mut i) = ([0; 5], 1, 0);
    while i < 5 {
        let sum = (MASK - limbs[i]) + carry;
        negative[i] = sum & MASK;
        carry = sum >> BITS;
        i += 1;
    }
    negative
}

/// The constants of a prime.
pub(super) struct Constants<M>(PhantomData<M>);

impl<M: Modulus> Constants<M> {
    pub(super) const P: Limbs52 = split(M::P);

    /// k = -1/p modulo 2^52.
    const NEGATIVE_INVERSE: u64 = Residue::<M>::NEGATIVE_INVERSE & MASK;

    /// N' = (k p + 1) / 2^52.
    const UPPER: Limbs52 = {
        let (mut upper, mut carry, mut i) = ([0; 5], 1, 0);
        while i < 5 {
            let wide = Self::P[i] as u128 * Self::NEGATIVE_INVERSE as u128 + carry;
            if i > 0 {
                upper[i - 1] = wide as u64 & MASK;
            } else {
                assert!(wide as u64 & MASK == 0, "N is 1 less than a multiple of 2^52");
            }
            carry = wide >> BITS;
            i += 1;
        }
        upper[4] = carry as u64;
        upper
    };

    /// Whether multiples of N do for those of p: with primes of at most 254 bits.
    const SHORT: bool = M::LAZY;

    /// 2p, which no difference of values below 2p falls short of.
    const TWO_P: Limbs52 = times(Self::P, 2);

    /// 4p, which no difference of values up to that falls short of.
    pub(super) const FOUR_P: Limbs52 = times(Self::P, 4);

    /// 6p, which two such differences leave at least 2p of.
    const SIX_P: Limbs52 = times(Self::P, 6);

    /// The most that a value of a transform is, as a multiple of p, in magnitude.
    pub(super) const MOST: u64 = if Self::SHORT { 40 } else { 31 };

    /// A value of a transform and this are p or more.
    const SPAN: Limbs52 = times(Self::P, Self::MOST + 1);

    /// 2^260 - p.
    const MINUS_P: Limbs52 = complement(Self::P);

    /// 2^260 / p, rounded down, by the highest limb, rounded up. Bounds of products and of values of transforms rest on its size.
    const QUOTIENT: u64 = {
        let (top, one) = (Self::P[4], 1 << BITS);
        let least = one / (top + 1);
        assert!(one - least * (top + 1) >= 1 << 16, "a quotient that is not too large");
        if Self::SHORT {
            assert!(least >= 84 && 10 * one < (10 * least + 9) * top, "84 and not short by more than 0.9");
            assert!((Self::UPPER[4] + 1) * 7 < Self::P[4], "N' < p/7");
        } else {
            assert!(least >= 63 && one <= (least + 1) * top, "63 and not short by more than 1");
        }
        least
    };
}

#[inline(always)]
pub(super) fn constant<Q: Quadwords>(limbs: Limbs52) -> [Q; 5] {
    each!(I => Q::splat(limbs[I]))
}

/// Adds the product of limbs with one more, whose column is `at`.
#[inline(always)]
fn add_row<Q: Quadwords>(mut t: [Q; 10], at: usize, a: Q, b: [Q; 5]) -> [Q; 10] {
    let low = each!(I => t[at + I].add_low(a, b[I]));
    let [l0, l1, l2, l3, l4] = low;
    (t[at], t[at + 1], t[at + 2], t[at + 3], t[at + 4]) = (l0, l1, l2, l3, l4);
    let high = each!(I => t[at + I + 1].add_high(a, b[I]));
    let [h0, h1, h2, h3, h4] = high;
    (t[at + 1], t[at + 2], t[at + 3], t[at + 4], t[at + 5]) = (h0, h1, h2, h3, h4);
    t
}

/// Adds a product to columns.
#[inline(always)]
pub(super) fn add_product<Q: Quadwords>(mut t: [Q; 10], a: Carried<Q>, b: Carried<Q>) -> [Q; 10] {
    let (a, b) = (a.0, b.0);
    t = add_row(t, 0, a[0], b);
    t = add_row(t, 1, a[1], b);
    t = add_row(t, 2, a[2], b);
    t = add_row(t, 3, a[3], b);
    add_row(t, 4, a[4], b)
}

/// The upper bits of a column, which its lower bits leave as the carry.
#[inline(always)]
fn carry<Q: Quadwords, const SIGNED: bool>(column: Q) -> Q {
    if SIGNED { column.shr_signed::<BITS>() } else { column.shr::<BITS>() }
}

/// Makes a column zero by a multiple of p, and adds what it leaves to the next.
#[inline(always)]
fn step<Q: Quadwords, M: Modulus, const SIGNED: bool>(t: [Q; 10], at: usize) -> [Q; 10] {
    let m = Q::splat(0).add_low(t[at], Q::splat(Constants::<M>::NEGATIVE_INVERSE));
    let mut t = add_row(t, at, m, constant(Constants::<M>::P));
    t[at + 1] = t[at + 1].add(carry::<Q, SIGNED>(t[at]));
    t
}

/// Columns of products, of an integer below 2^520 in magnitude, divided by 2^260: between the quotient and 8p/7 more, or p more if the prime is not
/// [`SHORT`](Constants::SHORT). They are `SIGNED` if products were subtracted.
#[inline(always)]
pub(super) fn reduction<Q: Quadwords, M: Modulus, const SIGNED: bool>(mut t: [Q; 10]) -> [Q; 5] {
    if !Constants::<M>::SHORT {
        t = step::<Q, M, SIGNED>(t, 0);
        t = step::<Q, M, SIGNED>(t, 1);
        t = step::<Q, M, SIGNED>(t, 2);
        t = step::<Q, M, SIGNED>(t, 3);
        t = step::<Q, M, SIGNED>(t, 4);
        return [t[5], t[6], t[7], t[8], t[9]];
    }
    let upper = constant(Constants::<M>::UPPER);
    t[1] = t[1].add(carry::<Q, SIGNED>(t[0]));
    t = add_row(t, 1, t[0], upper);
    t[2] = t[2].add(carry::<Q, SIGNED>(t[1]));
    t = add_row(t, 2, t[1], upper);
    t[3] = t[3].add(carry::<Q, SIGNED>(t[2]));
    t = add_row(t, 3, t[2], upper);
    t[4] = t[4].add(carry::<Q, SIGNED>(t[3]));
    t = add_row(t, 4, t[3], upper);
    let m = Q::splat(0).add_low(t[4], Q::splat(Constants::<M>::NEGATIVE_INVERSE));
    let p = constant::<Q>(Constants::<M>::P);
    let carry = carry::<Q, SIGNED>(t[4].add_low(m, p[0]));
    [
        t[5].add(carry).add_high(m, p[0]).add_low(m, p[1]),
        t[6].add_high(m, p[1]).add_low(m, p[2]),
        t[7].add_high(m, p[2]).add_low(m, p[3]),
        t[8].add_high(m, p[3]).add_low(m, p[4]),
        t[9].add_high(m, p[4]),
    ]
}

/// Carries columns of a value of 0 or more, the upper bits of limbs left as they are.
#[inline(always)]
pub(super) fn carried<Q: Quadwords>([a, b, c, d, e]: [Q; 5]) -> [Q; 5] {
    let b = b.add(a.shr_signed::<BITS>());
    let c = c.add(b.shr_signed::<BITS>());
    let d = d.add(c.shr_signed::<BITS>());
    let e = e.add(d.shr_signed::<BITS>());
    [a, b, c, d, e]
}

#[inline(always)]
pub(super) fn masked<Q: Quadwords>(a: [Q; 5]) -> [Q; 5] {
    let mask = Q::splat(MASK);
    each!(I => a[I].and(mask))
}

#[inline(always)]
pub(super) fn sum<Q: Quadwords>(a: [Q; 5], b: [Q; 5]) -> [Q; 5] {
    each!(I => a[I].add(b[I]))
}

#[inline(always)]
pub(super) fn minus<Q: Quadwords>(a: [Q; 5], b: [Q; 5]) -> [Q; 5] {
    each!(I => a[I].sub(b[I]))
}

#[inline(always)]
fn split_columns<Q: Quadwords>([a, b, c, d]: [Q; 4]) -> [Q; 5] {
    let mask = Q::splat(MASK);
    [
        a.and(mask),
        a.shr::<52>().or(b.shl::<12>()).and(mask),
        b.shr::<40>().or(c.shl::<24>()).and(mask),
        c.shr::<28>().or(d.shl::<36>()).and(mask),
        d.shr::<16>(),
    ]
}

/// The four words of limbs without upper bits, for values below 2^256.
#[inline(always)]
fn join_columns<Q: Quadwords>([a, b, c, d, e]: [Q; 5]) -> [Q; 4] {
    [
        a.or(b.shl::<52>()),
        b.shr::<12>().or(c.shl::<40>()),
        c.shr::<24>().or(d.shl::<28>()),
        d.shr::<36>().or(e.shl::<16>()),
    ]
}

impl<Q: Quadwords, M: Modulus> Radix52<Q, M> {
    /// A value at least p, and below 2^260, less a multiple of p: below 2p, and carried.
    ///
    /// The quotient is that of the highest column, h, by p / 2^208. It is at most h 2^208 / R times Q = [`Constants::QUOTIENT`], while R / p is
    /// more than Q (1 + 2^-36): since carries from below change h by less than 2^8, a part in 2^37 of a value that is p at least, it never
    /// exceeds the true one. It falls short of that by less than 1 + v / R (R / p - Q) + 2^-30 < 2 for the value v; for BN254's primes, with R / p = 84.6, by 1.7, and for Pasta's,
    /// with R / p = 64 - 2^-122, because values are below 63p.
    #[inline(always)]
    fn less(columns: [Q; 5]) -> [Q; 5] {
        let zero = Q::splat(0);
        let quotient = zero.add_high(columns[4], Q::splat(Constants::<M>::QUOTIENT));
        let minus_p = constant::<Q>(Constants::<M>::MINUS_P);
        let [a, b, c, d, e] = each!(I => columns[I].add_low(quotient, minus_p[I]));
        let columns = [
            a,
            b.add_high(quotient, minus_p[0]),
            c.add_high(quotient, minus_p[1]),
            d.add_high(quotient, minus_p[2]),
            e.add_high(quotient, minus_p[3]),
        ];
        // The quotient times 2^260 is above the highest limb.
        masked(carried(columns))
    }
}

impl<Q: Quadwords, M: MontgomeryField> Vectors for Radix52<Q, M> {
    type Level = Q::Level;
    const WIDTH: usize = Q::WIDTH;
}

impl<M: MontgomeryField> VectorisedField for M {
    type Vectors<Q: Quadwords> = Radix52<Q, M>;
}

impl<Q: Quadwords, M: MontgomeryField> Coordinates for Radix52<Q, M> {
    type Element = Residue<M>;
    type Sum = Columns<Q>;
    type Factor = Carried<Q>;

    const SHIFT: u32 = 2;

    #[inline(always)]
    fn gather(rows: [&Residue<M>; MAX_WIDTH]) -> Columns<Q> {
        Columns(split_columns(Q::columns(Residue::rows_of_limbs(rows))))
    }

    #[inline(always)]
    fn rows(values: Columns<Q>) -> [Residue<M>; MAX_WIDTH] {
        let Columns(values) = if Constants::<M>::SHORT { values } else { Self::canonical(values) };
        Residue::of_rows(Q::rows(join_columns(values)))
    }

    #[inline(always)]
    fn splat(value: Residue<M>) -> Carried<Q> {
        Carried(constant(split(value.lazy_limbs())))
    }

    #[inline(always)]
    fn factors(rows: [&Residue<M>; MAX_WIDTH]) -> Carried<Q> {
        Carried(Self::gather(rows).0)
    }

    #[inline(always)]
    fn rows_of_factors(factors: Carried<Q>) -> [Residue<M>; MAX_WIDTH] {
        // Any factor is below 2^260; a multiple of p makes it one that can be reduced.
        let [a, b, c, d, e] = masked(factors.0);
        let [f, g, h, i, j] = constant(Constants::<M>::P);
        Self::rows(Columns(Self::less([a.add(f), b.add(g), c.add(h), d.add(i), e.add(j)])))
    }

    #[inline(always)]
    fn product(a: Carried<Q>, b: Carried<Q>) -> Columns<Q> {
        Columns(reduction::<Q, M, false>(add_product([Q::splat(0); 10], a, b)))
    }

    #[inline(always)]
    fn square(a: Carried<Q>) -> Columns<Q> {
        let a = a.0;
        let zero = Q::splat(0);
        // Products of different limbs, once: columns 1 to 8.
        let u1 = zero.add_low(a[0], a[1]);
        let u2 = zero.add_high(a[0], a[1]).add_low(a[0], a[2]);
        let u3 = zero.add_high(a[0], a[2]).add_low(a[0], a[3]).add_low(a[1], a[2]);
        let u4 = zero.add_high(a[0], a[3]).add_low(a[0], a[4]).add_high(a[1], a[2]).add_low(a[1], a[3]);
        let u5 = zero.add_high(a[0], a[4]).add_high(a[1], a[3]).add_low(a[1], a[4]).add_low(a[2], a[3]);
        let u6 = zero.add_high(a[1], a[4]).add_high(a[2], a[3]).add_low(a[2], a[4]);
        let u7 = zero.add_high(a[2], a[4]).add_low(a[3], a[4]);
        let u8 = zero.add_high(a[3], a[4]);
        // Twice these, and the squares of the limbs.
        let t = [
            zero.add_low(a[0], a[0]),
            u1.add(u1).add_high(a[0], a[0]),
            u2.add(u2).add_low(a[1], a[1]),
            u3.add(u3).add_high(a[1], a[1]),
            u4.add(u4).add_low(a[2], a[2]),
            u5.add(u5).add_high(a[2], a[2]),
            u6.add(u6).add_low(a[3], a[3]),
            u7.add(u7).add_high(a[3], a[3]),
            u8.add(u8).add_low(a[4], a[4]),
            zero.add_high(a[4], a[4]),
        ];
        Columns(reduction::<Q, M, false>(t))
    }

    #[inline(always)]
    fn of_product(product: Columns<Q>) -> Carried<Q> {
        Carried(carried(product.0))
    }

    #[inline(always)]
    fn difference(a: Columns<Q>, b: Columns<Q>) -> Carried<Q> {
        // Below 4p.
        Carried(carried(sum(minus(a.0, b.0), constant(Constants::<M>::TWO_P))))
    }

    #[inline(always)]
    fn shifted_difference(a: Columns<Q>, b: Columns<Q>) -> Carried<Q> {
        // Below 16p.
        let difference = sum(minus(a.0, b.0), constant(Constants::<M>::TWO_P));
        Carried(carried(each!(I => difference[I].shl::<2>())))
    }

    #[inline(always)]
    fn minus(a: Columns<Q>, b: Columns<Q>) -> Columns<Q> {
        Columns(minus(a.0, b.0))
    }

    #[inline(always)]
    fn reduced(a: Columns<Q>) -> Columns<Q> {
        // Above -4p and below 3p, so above 2p and below 9p.
        Columns(Self::less(sum(a.0, constant(Constants::<M>::SIX_P))))
    }

    #[inline(always)]
    fn negated_where(a: Columns<Q>, lanes: u8) -> Columns<Q> {
        let negative = minus(constant(Constants::<M>::TWO_P), a.0);
        Columns(each!(I => negative[I].select(a.0[I], lanes)))
    }

    #[inline(always)]
    fn may_be_equal(a: Columns<Q>, b: Columns<Q>) -> u8 {
        // The difference is 0, p or -p where it is 0 modulo p.
        let lowest = a.0[0].sub(b.0[0]).and(Q::splat(MASK));
        lowest.equal(Q::splat(0))
            | lowest.equal(Q::splat(Constants::<M>::P[0]))
            | lowest.equal(Q::splat(Constants::<M>::MINUS_P[0]))
    }

    #[inline(always)]
    fn may_be_zero(a: Columns<Q>) -> u8 {
        a.0[0].equal(Q::splat(0))
    }
}

impl<Q: Quadwords, M: MontgomeryField> Residues for Radix52<Q, M> {
    type Field = M;
    type Twiddle = Carried<Q>;

    const TWIDDLES: TwiddleForm = TwiddleForm::Shifted(2 * Self::SHIFT);

    #[inline(always)]
    fn in_place(_: &mut [Residue<M>]) -> Option<&mut [Columns<Q>]> {
        None
    }

    #[inline(always)]
    fn shifted_factors(rows: [&Residue<M>; MAX_WIDTH]) -> Carried<Q> {
        // Limbs of 52 bits of 16 times the value, which is below 2^260; the bits above them do not count. A product with values below 3p is below 48 p^2.
        const { assert!(2 * Self::SHIFT == 4) };
        let [a, b, c, d] = Q::columns(Residue::rows_of_limbs(rows));
        Carried([
            a.shl::<4>(),
            a.shr::<48>().or(b.shl::<16>()),
            b.shr::<36>().or(c.shl::<28>()),
            c.shr::<24>().or(d.shl::<40>()),
            d.shr::<12>(),
        ])
    }

    #[inline(always)]
    fn scaled(a: Columns<Q>, factor: Carried<Q>) -> Columns<Q> {
        // Between p and 81p; the product is below 81/84 p + 8/7 p. Or between p and 63p, and the product below 2p.
        Self::product(Carried(carried(sum(a.0, constant(Constants::<M>::SPAN)))), factor)
    }

    #[inline(always)]
    fn twiddle(rows: &[Limbs]) -> Carried<Q> {
        Carried(constant(split(rows[0])))
    }

    #[inline(always)]
    fn times_twiddle(a: Columns<Q>, twiddle: Carried<Q>) -> Columns<Q> {
        Self::scaled(a, twiddle)
    }

    #[inline(always)]
    fn times(a: Columns<Q>, b: Columns<Q>) -> Columns<Q> {
        // 16 times the first makes up for the division by 2^(2 SHIFT); the product is below 64 p^2, which is too much if R / p is 63, and then the first is brought
        // below p. Columns of products are below 2^56, so shifted ones have room.
        const { assert!(2 * Self::SHIFT == 4) };
        let a = if Constants::<M>::SHORT { a } else { Self::canonical(a) };
        let shifted = Carried(carried(each!(I => a.0[I].shl::<4>())));
        Self::product(shifted, Carried(carried(b.0)))
    }

    #[inline(always)]
    fn before_two_layers(a: Columns<Q>) -> Columns<Q> {
        a
    }

    #[inline(always)]
    fn butterfly(a: Columns<Q>, b: Columns<Q>) -> [Columns<Q>; 2] {
        [Columns(sum(a.0, b.0)), Columns(minus(a.0, b.0))]
    }

    #[inline(always)]
    fn below_2p(a: Columns<Q>) -> Columns<Q> {
        Columns(Self::less(sum(a.0, constant(Constants::<M>::SPAN))))
    }

    #[inline(always)]
    fn canonical(a: Columns<Q>) -> Columns<Q> {
        let less = carried(minus(a.0, constant(Constants::<M>::P)));
        let (negative, less) = (less[4].negative(), masked(less));
        Columns(each!(I => a.0[I].select(less[I], negative)))
    }

    #[inline(always)]
    fn transposed([a, b, c, d, e, f, g, h]: [Columns<Q>; MAX_WIDTH]) -> [Columns<Q>; MAX_WIDTH] {
        let [a, b, c, d, e, f, g, h] = [a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0];
        let limbs = each!(I => Q::transposed([a[I], b[I], c[I], d[I], e[I], f[I], g[I], h[I]]));
        let [l0, l1, l2, l3, l4] = limbs;
        [
            Columns([l0[0], l1[0], l2[0], l3[0], l4[0]]),
            Columns([l0[1], l1[1], l2[1], l3[1], l4[1]]),
            Columns([l0[2], l1[2], l2[2], l3[2], l4[2]]),
            Columns([l0[3], l1[3], l2[3], l3[3], l4[3]]),
            Columns([l0[4], l1[4], l2[4], l3[4], l4[4]]),
            Columns([l0[5], l1[5], l2[5], l3[5], l4[5]]),
            Columns([l0[6], l1[6], l2[6], l3[6], l4[6]]),
            Columns([l0[7], l1[7], l2[7], l3[7], l4[7]]),
        ]
    }
}
