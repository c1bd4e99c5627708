//! Residues in limbs of 52 bits, five or eight, as many side by side as a vector has words.
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
//! The scalars of BLS12-381 have a prime nearer to 2^255, with R / p = 35.3: products are below 2p where a b <= 35 p^2, and below 3p where a b <= 70 p^2. Values of transforms are up to 17p, which does not do for
//! as many layers as a tile has, so half of the values are brought below 2p before every two layers ([`Constants::MOST`]).
//!
//! Four-limb values x R' with R' = 2^256 are loaded as they are. In terms of those, a product is x y R' / 2^4: `SHIFT` is 2.
//!
//! # Eight limbs
//!
//! Six-limb values x R' with R' = 2^384 have eight limbs, R = 2^416 and a `SHIFT` of 16. The primes of BLS12-381 and BLS12-377 have 381 and 377 bits, so that R / p is above 2^35: the share a b / R of a product of values below
//! 2^16 p is nothing next to p, and a product is below 1.6p, as N' < 3p/5. The highest limb of p has 17 bits alone, or 13. A quotient by it is precise enough only if the carry of the limb below is added before
//! ([`Radix52::less`](Limbs52::less)), and a shift by 16 bits moves bits from limb to limb.

use std::marker::PhantomData;

use super::limbs_52::{
    Carried, Columns, MASK, add_product, add_row, carried, carry, complement, constant, each,
    for_each_column, for_each_limb, join_columns, masked, minus, rest, split, split_columns, sum, times,
};
use super::{Coordinates, MAX_WIDTH, VectorisedField, Vectors};
use crate::backend::cpu::quadwords::{BITS, Quadwords};
use crate::field::MontgomeryField;
use crate::field::integer::is_within;
use crate::field::montgomery::{Modulus, Residue};
use crate::field::prime::CoordinatePrime;

/// Residues in limbs of 52 bits on the words Q: L limbs for the N of memory, and W = 2 L columns of a product.
#[derive(Clone, Copy, Debug)]
pub(in crate::backend::cpu) struct Limbs52<Q, M, const N: usize, const L: usize, const W: usize>(
    PhantomData<(Q, M)>,
);

/// Those of four limbs in memory.
pub(in crate::backend::cpu) type Radix52<Q, M> = Limbs52<Q, M, 4, 5, 10>;

/// The constants of a prime.
impl<Q, M: Modulus<Limbs = [u64; N]>, const N: usize, const L: usize, const W: usize> Limbs52<Q, M, N, L, W> {
    pub(super) const P: [u64; L] = {
        assert!(W == 2 * L && (N == 4 && L == 5 || N == 6 && L == 8), "limbs that are written for");
        split(M::P)
    };

    /// k = -1/p modulo 2^52.
    const NEGATIVE_INVERSE: u64 = Residue::<M>::NEGATIVE_INVERSE & MASK;

    /// N' = (k p + 1) / 2^52.
    const UPPER: [u64; L] = {
        let (mut upper, mut carry, mut i) = ([0; L], 1, 0);
        while i < L {
            let wide = Self::P[i] as u128 * Self::NEGATIVE_INVERSE as u128 + carry;
            if i > 0 {
                upper[i - 1] = wide as u64 & MASK;
            } else {
                assert!(wide as u64 & MASK == 0, "N is 1 less than a multiple of 2^52");
            }
            carry = wide >> BITS;
            i += 1;
        }
        upper[L - 1] = carry as u64;
        upper
    };

    /// Whether multiples of N do for those of p: with primes of at most 254 bits, or 382 of six limbs.
    pub(super) const SHORT: bool = M::LAZY;

    /// 2p, which no difference of values below 2p falls short of.
    const TWO_P: [u64; L] = times(Self::P, 2);

    /// 6p, which two such differences leave at least 2p of.
    const SIX_P: [u64; L] = times(Self::P, 6);

    /// The most that a value of a transform is, as a multiple of p, in magnitude.
    pub(super) const MOST: u64 = match Self::SHORT {
        true => 40,
        // Primes near 2^254, and others below 2^255.
        false if Self::P[L - 1] >> 45 < 3 => 31,
        false => 17,
    };

    /// Whether that is too little for the layers of a tile.
    pub(super) const FEW: bool = Self::MOST < 31;

    /// A value of a transform and this are p or more.
    pub(super) const SPAN: [u64; L] = times(Self::P, Self::MOST + 1);

    /// R - p.
    const MINUS_P: [u64; L] = complement(Self::P);

    /// R / p, rounded down, by the highest limb, rounded up; of eight limbs by one more. Bounds of products and of values of transforms rest on its size.
    pub(super) const QUOTIENT: u64 = {
        let (top, one) = (Self::P[L - 1], 1 << BITS);
        let least = one / (top + if L == 8 { 2 } else { 1 });
        if L == 8 {
            assert!(Self::SHORT && least >= 1 << 34 && top >= 1 << 12, "an R that is much larger than p");
            assert!((Self::UPPER[L - 1] + 1) * 5 < 3 * top, "N' < 3p/5");
            least
        } else if Self::SHORT {
            assert!(one - least * (top + 1) >= 1 << 16, "a quotient that is not too large");
            assert!(least >= 84 && 10 * one < (10 * least + 9) * top, "84 and not short by more than 0.9");
            assert!((Self::UPPER[L - 1] + 1) * 7 < top, "N' < p/7");
            least
        } else {
            assert!(one - least * (top + 1) >= 1 << 16, "a quotient that is not too large");
            let room = least > 2 * Self::MOST && one <= (least + 1) * top;
            assert!(room, "room for values of transforms, and not short by more than 1");
            least
        }
    };
}

impl<Q: Quadwords, M: Modulus<Limbs = [u64; N]>, const N: usize, const L: usize, const W: usize>
    Limbs52<Q, M, N, L, W>
{
    /// The words at the heads of rows, the second words, and so on.
    #[inline(always)]
    pub(super) fn columns(rows: [&[u64; N]; MAX_WIDTH]) -> [Q; N] {
        // Four words of each row at a time, of six the last four as well.
        let (mut columns, mut four) = ([Q::splat(0); N], [&[0; 4]; MAX_WIDTH]);
        for lane in 0..MAX_WIDTH {
            four[lane] = rows[lane].first_chunk().expect("four words or more");
        }
        let [first, second, third, fourth] = Q::columns(four);
        (columns[0], columns[1], columns[2], columns[3]) = (first, second, third, fourth);
        if N > 4 {
            for lane in 0..MAX_WIDTH {
                four[lane] = rows[lane].last_chunk().expect("four words or more");
            }
            let [_, _, fifth, sixth] = Q::columns(four);
            (columns[N - 2], columns[N - 1]) = (fifth, sixth);
        }
        columns
    }

    /// The inverse of [`columns`](Self::columns).
    #[inline(always)]
    fn words(columns: [Q; N]) -> [[u64; N]; MAX_WIDTH] {
        let first = Q::rows([columns[0], columns[1], columns[2], columns[3]]);
        let mut rows = [[0; N]; MAX_WIDTH];
        for lane in 0..MAX_WIDTH {
            rows[lane][..4].copy_from_slice(&first[lane]);
        }
        if N > 4 {
            let last = Q::rows([columns[N - 2], columns[N - 1], columns[0], columns[1]]);
            for lane in 0..MAX_WIDTH {
                rows[lane][N - 2..].copy_from_slice(&last[lane][..2]);
            }
        }
        rows
    }

    /// Makes a column zero by a multiple of p, and adds what it leaves to the next.
    #[inline(always)]
    fn step<const SIGNED: bool>(t: [Q; W], at: usize) -> [Q; W] {
        let m = Q::splat(0).add_low(t[at], Q::splat(Self::NEGATIVE_INVERSE));
        let mut t = add_row(t, at, m, constant::<Q, L>(Self::P));
        t[at + 1] = t[at + 1].add(carry::<Q, SIGNED>(t[at]));
        t
    }

    /// Columns of products, of an integer below R^2 in magnitude, divided by R: between the quotient and 8p/7 more, or p more if the prime is not
    /// [`SHORT`](Self::SHORT), or 8p/5 more of eight limbs. They are `SIGNED` if products were subtracted.
    #[inline(always)]
    pub(super) fn reduction<const SIGNED: bool>(mut t: [Q; W]) -> [Q; L] {
        if !Self::SHORT {
            for_each_limb!(I in L => { t = Self::step::<SIGNED>(t, I); });
            return each!(I => t[L + I]);
        }
        let upper = constant::<Q, L>(Self::UPPER);
        for_each_limb!(I in 1, L => {
            t[I] = t[I].add(carry::<Q, SIGNED>(t[I - 1]));
            t = add_row(t, I, t[I - 1], upper);
        });
        let m = Q::splat(0).add_low(t[L - 1], Q::splat(Self::NEGATIVE_INVERSE));
        let p = constant::<Q, L>(Self::P);
        t[L] = t[L].add(carry::<Q, SIGNED>(t[L - 1].add_low(m, p[0])));
        each!(I => {
            let column = t[L + I].add_high(m, p[I]);
            if I + 1 < L { column.add_low(m, p[I + 1]) } else { column }
        })
    }

    /// A value at least p, and below R, less a multiple of p: below 2p, and carried.
    ///
    /// The quotient is that of the highest column, h, by the weight of that column in p. Of five limbs it is at most h 2^208 / R times Q = [`QUOTIENT`](Self::QUOTIENT), while R / p is
    /// more than Q (1 + 2^-36): since carries from below change h by less than 2^8, a part in 2^37 of a value that is p at least, it never
    /// exceeds the true one. It falls short of that by less than 1 + v / R (R / p - Q) + 2^-30 < 2 for the value v; for BN254's primes, with R / p = 84.6, by 1.7, and for Pasta's,
    /// with R / p = 64 - 2^-122, because values are below 63p; for BLS12-381's scalars, with R / p = 35.3, by 1.4.
    ///
    /// Of eight limbs the carry of the limb below is added to h, which is then h_0 - 1, h_0 or h_0 + 1 with the true highest limb h_0 of v, since what comes from further below is less than 2^-40 of that limb. With the
    /// highest limb t of p, above 2^12, v / p is at least h_0 / (t + 1), and (h_0 + 1) / (t + 2) is not more where h_0 > t, and below 1 for h_0 = t. It falls short of v / p by less than 1 + v / p (3 / t) < 2 for values below 2^10 p.
    #[inline(always)]
    pub(super) fn less(columns: [Q; L]) -> [Q; L] {
        let zero = Q::splat(0);
        let top = match L {
            8 => columns[L - 1].add(columns[L - 2].shr_signed::<BITS>()),
            _ => columns[L - 1],
        };
        let quotient = zero.add_high(top, Q::splat(Self::QUOTIENT));
        let minus_p = constant::<Q, L>(Self::MINUS_P);
        let mut columns = each!(I => columns[I].add_low(quotient, minus_p[I]));
        for_each_limb!(I in 1, L => { columns[I] = columns[I].add_high(quotient, minus_p[I - 1]); });
        // The quotient times R is above the highest limb.
        masked(carried(columns))
    }

    /// A value below 2p, below p.
    #[inline(always)]
    pub(super) fn less_p(a: [Q; L]) -> [Q; L] {
        let less = carried(minus(a, constant(Self::P)));
        let (negative, less) = (less[L - 1].negative(), masked(less));
        each!(I => a[I].select(less[I], negative))
    }
}

impl<
    Q: Quadwords,
    M: CoordinatePrime + Modulus<Limbs = [u64; N]>,
    const N: usize,
    const L: usize,
    const W: usize,
> Vectors for Limbs52<Q, M, N, L, W>
{
    type Level = Q::Level;
    const WIDTH: usize = Q::WIDTH;
}

impl<M: MontgomeryField> VectorisedField for M {
    type Vectors<Q: Quadwords> = Radix52<Q, M>;
}

macro_rules! wide_fields {
    ($($field:path, $name:literal, $limbs:tt;)*) => {
        $(impl VectorisedField for $field {
            type Vectors<Q: Quadwords> = wide_fields!($limbs, Q);
        })*
    };
    (6, $quadwords:ty) => {
        Limbs52<$quadwords, Self, 6, 8, 16>
    };
    // Fifteen limbs of 52 bits and the columns of a product are more than there are registers: one element at a time.
    (12, $quadwords:ty) => {
        super::Scalar<Self>
    };
}
crate::for_every_wide_prime_field!(wide_fields);

impl<
    Q: Quadwords,
    M: CoordinatePrime + Modulus<Limbs = [u64; N]>,
    const N: usize,
    const L: usize,
    const W: usize,
> Coordinates for Limbs52<Q, M, N, L, W>
{
    type Element = Residue<M>;
    type Sum = Columns<Q, L>;
    type Factor = Carried<Q, L>;

    const SHIFT: u32 = (BITS * L as u32 - 64 * N as u32) / 2;

    #[inline(always)]
    fn inlined_gather(rows: [&Residue<M>; MAX_WIDTH]) -> Columns<Q, L> {
        Columns(split_columns(Self::columns(Residue::rows_of_limbs(rows))))
    }

    #[inline(always)]
    fn inlined_rows(values: Columns<Q, L>) -> [Residue<M>; MAX_WIDTH] {
        let values = if Self::SHORT { values.0 } else { Self::less_p(values.0) };
        Residue::of_rows(Self::words(join_columns(values)))
    }

    #[inline(always)]
    fn splat(value: Residue<M>) -> Carried<Q, L> {
        Carried(constant(split(value.lazy_limbs())))
    }

    #[inline(always)]
    fn factors(rows: [&Residue<M>; MAX_WIDTH]) -> Carried<Q, L> {
        Carried(Self::gather(rows).0)
    }

    #[inline(always)]
    fn rows_of_factors(factors: Carried<Q, L>) -> [Residue<M>; MAX_WIDTH] {
        // Any factor is below R; a multiple of p makes it one that can be reduced. Of eight limbs a shifted one is up to 2^18 p, which takes two steps.
        let p = constant(Self::P);
        let mut values = Self::less(sum(masked(factors.0), p));
        if L == 8 {
            values = Self::less(sum(values, p));
        }
        Self::rows(Columns(values))
    }

    #[inline(always)]
    fn inlined_product(a: Carried<Q, L>, b: Carried<Q, L>) -> Columns<Q, L> {
        Columns(Self::reduction::<false>(add_product([Q::splat(0); W], a, b)))
    }

    #[inline(always)]
    fn inlined_square(a: Carried<Q, L>) -> Columns<Q, L> {
        let a = a.0;
        let zero = Q::splat(0);
        let mut t = [zero; W];
        for_each_column!(K in W => {
            // Products of different limbs, once, and twice these.
            for_each_limb!(I in L => {
                const HIGH: usize = rest(K, I + 1);
                const LOW: usize = rest(K, I);
                if is_within(HIGH, I + 1, L) {
                    t[K] = t[K].add_high(a[I], a[HIGH % 8]);
                }
                if is_within(LOW, I + 1, L) {
                    t[K] = t[K].add_low(a[I], a[LOW % 8]);
                }
            });
            t[K] = t[K].add(t[K]);
            // The squares of the limbs.
            t[K] = match K % 2 {
                0 => t[K].add_low(a[K / 2], a[K / 2]),
                _ => t[K].add_high(a[K / 2], a[K / 2]),
            };
        });
        Columns(Self::reduction::<false>(t))
    }

    #[inline(always)]
    fn of_product(product: Columns<Q, L>) -> Carried<Q, L> {
        Carried(carried(product.0))
    }

    #[inline(always)]
    fn difference(a: Columns<Q, L>, b: Columns<Q, L>) -> Carried<Q, L> {
        // Below 4p.
        Carried(carried(sum(minus(a.0, b.0), constant(Self::TWO_P))))
    }

    #[inline(always)]
    fn shifted_difference(a: Columns<Q, L>, b: Columns<Q, L>) -> Carried<Q, L> {
        let difference = sum(minus(a.0, b.0), constant(Self::TWO_P));
        if L == 8 {
            // Below 2^18 p; limbs have no room for so many bits more.
            const { assert!(L != 8 || Self::SHIFT == 16) };
            let limbs = masked(carried(difference));
            let mut shifted = each!(I => limbs[I].shl::<16>());
            for_each_limb!(I in 1, L => { shifted[I] = shifted[I].or(limbs[I - 1].shr::<{ BITS - 16 }>()); });
            return Carried(shifted);
        }
        // Below 16p.
        const { assert!(L == 8 || Self::SHIFT == 2) };
        Carried(carried(each!(I => difference[I].shl::<2>())))
    }

    #[inline(always)]
    fn minus(a: Columns<Q, L>, b: Columns<Q, L>) -> Columns<Q, L> {
        Columns(minus(a.0, b.0))
    }

    #[inline(always)]
    fn plus(a: Columns<Q, L>, b: Columns<Q, L>) -> Columns<Q, L> {
        Columns(sum(a.0, b.0))
    }

    #[inline(always)]
    fn inlined_reduced(a: Columns<Q, L>) -> Columns<Q, L> {
        // Above -4p and below 24p, so above 2p and below 30p, less than R by far. The carry into the highest column is below 2^6 for eight products, of whose halves that below has at most six.
        Columns(Self::less(sum(a.0, constant(Self::SIX_P))))
    }

    #[inline(always)]
    fn negated_where(a: Columns<Q, L>, lanes: u8) -> Columns<Q, L> {
        let negative = minus(constant(Self::TWO_P), a.0);
        Columns(each!(I => negative[I].select(a.0[I], lanes)))
    }

    #[inline(always)]
    fn may_be_equal(a: Columns<Q, L>, b: Columns<Q, L>) -> u8 {
        // The difference is 0, p or -p where it is 0 modulo p.
        let lowest = a.0[0].sub(b.0[0]).and(Q::splat(MASK));
        lowest.equal(Q::splat(0))
            | lowest.equal(Q::splat(Self::P[0]))
            | lowest.equal(Q::splat(Self::MINUS_P[0]))
    }

    #[inline(always)]
    fn may_be_zero(a: Columns<Q, L>) -> u8 {
        a.0[0].equal(Q::splat(0))
    }
}
