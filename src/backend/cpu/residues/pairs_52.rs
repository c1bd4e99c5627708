//! Elements of quadratic extensions, both coefficients in limbs of 52 bits, five or eight, as many side by side as a vector has words.
//!
//! # Mathematical description
//!
//! With u^2 = -1 the product of a and b is a0 b0 - a1 b1 + ((a0 + a1)(b0 + b1) - a0 b0 - a1 b1) u: three products of integers, 150 halves of products
//! of limbs, whose columns are added and subtracted before they are reduced, twice and not three times: 100 more. The square is (a0 + a1)(a0 - a1) + 2 a0 a1 u:
//! two products and two reductions.
//!
//! With u^2 = -k the product has a0 b0 - k a1 b1, the square (a0 + a1)(a0 - k a1) + (k - 1) a0 a1: columns are multiplied by k or by (k - 1)/2, by doubling and adding.
//!
//! # Bounds
//!
//! With R = 2^260 and p < R / 84 ([`Radix52`](super::Radix52)), or eight limbs and a p that is much smaller than R, the reduction of an integer T is between T / R and 8p/7 more, for negative T too, because carries are
//! signed. For coefficients of factors below A p and B p:
//!
//! - a0 b0 - a1 b1 is above -A B p R / 84, so with A B <= 84 its reduction and p more is positive, and below (A B / 84 + 8/7 + 1) p, which is below 3p where A B
//!   <= 72;
//! - a0 b1 + a1 b0 is reduced to less than (2 A B / 84 + 8/7) p, below 3p as well;
//! - the sums a0 + a1 are below 2 A p, and below R where A <= 42.
//!
//! Bucket accumulation multiplies products below 3p with differences below 4p and, once, with a shifted difference below 16p: A B is at most 48. A square takes a
//! product or a difference, below 4p: a0 - a1 + 4p is positive and below 8p, as is the sum, and 64 / 84 + 8/7 + 1 < 3. That the p of columns is a
//! constant, and the others of these numbers, are asserted of a prime where [`Radix52`](super::Radix52) asserts its own.
//!
//! A k above 1 is for eight limbs alone, whose p is so much smaller than R that k A B p / R is nothing. Columns of k products are below 2^57 k in magnitude.

use std::marker::PhantomData;

use super::limbs_52::{
    Carried, Columns, add_product, carried, constant, masked, minus, minus_columns, multiple, plus_columns,
    sum, times,
};
use super::radix_52::Limbs52;
use super::{Coordinates, MAX_WIDTH, Quadwords, VectorisedField, Vectors};
use crate::field::MontgomeryField;
use crate::field::montgomery::{Modulus, Residue};
use crate::field::prime::CoordinatePrime;
use crate::field::quadratic::{Pair, QuadraticExtension};

/// Pairs of coefficients on the words Q, each in the limbs of [`Limbs52`].
#[derive(Clone, Copy, Debug)]
pub(in crate::backend::cpu) struct Pairs52<Q, F, const N: usize, const L: usize, const W: usize>(
    PhantomData<(Q, F)>,
);

/// A prime field with vectors for pairs of its elements.
pub(in crate::backend::cpu) trait VectorisedPrime: CoordinatePrime {
    /// Pairs in the words Q.
    type Pairs<Q: Quadwords, F: QuadraticExtension<Prime = Self>>: Coordinates<Element = Pair<F>>;
}

impl<M: MontgomeryField> VectorisedPrime for M {
    type Pairs<Q: Quadwords, F: QuadraticExtension<Prime = Self>> = Pairs52<Q, F, 4, 5, 10>;
}

macro_rules! wide_fields {
    ($($field:path, $name:literal, $limbs:tt;)*) => {
        $(wide_fields!($limbs, $field);)*
    };
    (6, $field:path) => {
        impl VectorisedPrime for $field {
            type Pairs<Q: Quadwords, F: QuadraticExtension<Prime = Self>> = Pairs52<Q, F, 6, 8, 16>;
        }
    };
    // No quadratic extension has these.
    (12, $field:path) => {};
}
crate::for_every_wide_prime_field!(wide_fields);

macro_rules! extensions {
    ($($field:path, $prime:path, $u_squared:literal;)*) => {
        $(impl VectorisedField for $field {
            type Vectors<Q: Quadwords> = <$prime as VectorisedPrime>::Pairs<Q, $field>;
        })*
    };
}
crate::for_every_quadratic_extension!(extensions);

/// The sum of the coefficients of a factor.
#[inline(always)]
fn sum_of_coefficients<Q: Quadwords, const L: usize>([a, b]: [Carried<Q, L>; 2]) -> Carried<Q, L> {
    Carried(carried(sum(masked(a.0), masked(b.0))))
}

#[inline(always)]
fn product_columns<Q: Quadwords, const L: usize, const W: usize>(
    a: Carried<Q, L>,
    b: Carried<Q, L>,
) -> [Q; W] {
    add_product([Q::splat(0); W], a, b)
}

impl<
    Q: Quadwords,
    F: QuadraticExtension<Prime: Modulus<Limbs = [u64; N]>>,
    const N: usize,
    const L: usize,
    const W: usize,
> Vectors for Pairs52<Q, F, N, L, W>
{
    type Level = Q::Level;
    const WIDTH: usize = Q::WIDTH;
}

impl<
    Q: Quadwords,
    F: QuadraticExtension<Prime: Modulus<Limbs = [u64; N]>>,
    const N: usize,
    const L: usize,
    const W: usize,
> Pairs52<Q, F, N, L, W>
{
    /// -u^2.
    const K: u64 = {
        let k = F::U_SQUARED.unsigned_abs();
        assert!(k == 1 || L == 8 && k < 16, "room in columns");
        k
    };

    /// 4 k p, which no difference of a value below 4p and k such values falls short of.
    const FOUR_K_P: [u64; L] = times(Limbs52::<Q, F::Prime, N, L, W>::P, 4 * Self::K);

    /// Coefficients of rows.
    #[inline(always)]
    fn coefficients(rows: [&Pair<F>; MAX_WIDTH]) -> [[&Residue<F::Prime>; MAX_WIDTH]; 2] {
        let [a, b, c, d, e, f, g, h] = rows;
        [
            [&a.c0, &b.c0, &c.c0, &d.c0, &e.c0, &f.c0, &g.c0, &h.c0],
            [&a.c1, &b.c1, &c.c1, &d.c1, &e.c1, &f.c1, &g.c1, &h.c1],
        ]
    }

    /// Rows of coefficients.
    #[inline(always)]
    fn pairs(c0: [Residue<F::Prime>; MAX_WIDTH], c1: [Residue<F::Prime>; MAX_WIDTH]) -> [Pair<F>; MAX_WIDTH] {
        let ([a, b, c, d, e, f, g, h], [i, j, k, l, m, n, o, p]) = (c0, c1);
        [
            Pair { c0: a, c1: i },
            Pair { c0: b, c1: j },
            Pair { c0: c, c1: k },
            Pair { c0: d, c1: l },
            Pair { c0: e, c1: m },
            Pair { c0: f, c1: n },
            Pair { c0: g, c1: o },
            Pair { c0: h, c1: p },
        ]
    }
}

impl<
    Q: Quadwords,
    F: QuadraticExtension<Prime: Modulus<Limbs = [u64; N]>>,
    const N: usize,
    const L: usize,
    const W: usize,
> Coordinates for Pairs52<Q, F, N, L, W>
{
    type Element = Pair<F>;
    type Sum = [Columns<Q, L>; 2];
    type Factor = [Carried<Q, L>; 2];

    const SHIFT: u32 = Limbs52::<Q, F::Prime, N, L, W>::SHIFT;

    #[inline(always)]
    fn inlined_gather(rows: [&Pair<F>; MAX_WIDTH]) -> Self::Sum {
        let [c0, c1] = Self::coefficients(rows);
        [Limbs52::<Q, F::Prime, N, L, W>::gather(c0), Limbs52::<Q, F::Prime, N, L, W>::gather(c1)]
    }

    #[inline(always)]
    fn inlined_rows([c0, c1]: Self::Sum) -> [Pair<F>; MAX_WIDTH] {
        Self::pairs(Limbs52::<Q, F::Prime, N, L, W>::rows(c0), Limbs52::<Q, F::Prime, N, L, W>::rows(c1))
    }

    #[inline(always)]
    fn splat(value: Pair<F>) -> Self::Factor {
        [Limbs52::<Q, F::Prime, N, L, W>::splat(value.c0), Limbs52::<Q, F::Prime, N, L, W>::splat(value.c1)]
    }

    #[inline(always)]
    fn factors(rows: [&Pair<F>; MAX_WIDTH]) -> Self::Factor {
        let [c0, c1] = Self::coefficients(rows);
        [Limbs52::<Q, F::Prime, N, L, W>::factors(c0), Limbs52::<Q, F::Prime, N, L, W>::factors(c1)]
    }

    #[inline(always)]
    fn rows_of_factors([c0, c1]: Self::Factor) -> [Pair<F>; MAX_WIDTH] {
        Self::pairs(
            Limbs52::<Q, F::Prime, N, L, W>::rows_of_factors(c0),
            Limbs52::<Q, F::Prime, N, L, W>::rows_of_factors(c1),
        )
    }

    #[inline(always)]
    fn inlined_product(a: Self::Factor, b: Self::Factor) -> Self::Sum {
        let v0 = product_columns::<Q, L, W>(a[0], b[0]);
        let v1 = product_columns::<Q, L, W>(a[1], b[1]);
        let c0 = minus_columns(v0, multiple(v1, Self::K));
        let c0 = Limbs52::<Q, F::Prime, N, L, W>::reduction::<true>(c0);
        let c0 = sum(c0, constant(Limbs52::<Q, F::Prime, N, L, W>::P));
        let rest = minus_columns(minus_columns([Q::splat(0); W], v0), v1);
        let cross = add_product(rest, sum_of_coefficients(a), sum_of_coefficients(b));
        [Columns(c0), Columns(Limbs52::<Q, F::Prime, N, L, W>::reduction::<true>(cross))]
    }

    #[inline(always)]
    fn inlined_square(a: Self::Factor) -> Self::Sum {
        let [c0, c1] = [masked(a[0].0), masked(a[1].0)];
        let difference = minus(c0, multiple(c1, Self::K));
        let difference = Carried(carried(sum(difference, constant(Self::FOUR_K_P))));
        let both = Carried(carried(sum(c0, c1)));
        let second = product_columns(Carried(carried(sum(c0, c0))), a[1]);
        let first = product_columns::<Q, L, W>(both, difference);
        let first = if Self::K == 1 { first } else { plus_columns(first, multiple(second, Self::K / 2)) };
        [
            Columns(Limbs52::<Q, F::Prime, N, L, W>::reduction::<false>(first)),
            Columns(Limbs52::<Q, F::Prime, N, L, W>::reduction::<false>(second)),
        ]
    }

    #[inline(always)]
    fn of_product([c0, c1]: Self::Sum) -> Self::Factor {
        [Limbs52::<Q, F::Prime, N, L, W>::of_product(c0), Limbs52::<Q, F::Prime, N, L, W>::of_product(c1)]
    }

    #[inline(always)]
    fn difference(a: Self::Sum, b: Self::Sum) -> Self::Factor {
        [
            Limbs52::<Q, F::Prime, N, L, W>::difference(a[0], b[0]),
            Limbs52::<Q, F::Prime, N, L, W>::difference(a[1], b[1]),
        ]
    }

    #[inline(always)]
    fn shifted_difference(a: Self::Sum, b: Self::Sum) -> Self::Factor {
        [
            Limbs52::<Q, F::Prime, N, L, W>::shifted_difference(a[0], b[0]),
            Limbs52::<Q, F::Prime, N, L, W>::shifted_difference(a[1], b[1]),
        ]
    }

    #[inline(always)]
    fn minus(a: Self::Sum, b: Self::Sum) -> Self::Sum {
        [
            Limbs52::<Q, F::Prime, N, L, W>::minus(a[0], b[0]),
            Limbs52::<Q, F::Prime, N, L, W>::minus(a[1], b[1]),
        ]
    }

    #[inline(always)]
    fn plus(a: Self::Sum, b: Self::Sum) -> Self::Sum {
        [Limbs52::<Q, F::Prime, N, L, W>::plus(a[0], b[0]), Limbs52::<Q, F::Prime, N, L, W>::plus(a[1], b[1])]
    }

    #[inline(always)]
    fn inlined_reduced([c0, c1]: Self::Sum) -> Self::Sum {
        [Limbs52::<Q, F::Prime, N, L, W>::reduced(c0), Limbs52::<Q, F::Prime, N, L, W>::reduced(c1)]
    }

    #[inline(always)]
    fn negated_where([c0, c1]: Self::Sum, lanes: u8) -> Self::Sum {
        [
            Limbs52::<Q, F::Prime, N, L, W>::negated_where(c0, lanes),
            Limbs52::<Q, F::Prime, N, L, W>::negated_where(c1, lanes),
        ]
    }

    #[inline(always)]
    fn may_be_equal(a: Self::Sum, b: Self::Sum) -> u8 {
        Limbs52::<Q, F::Prime, N, L, W>::may_be_equal(a[0], b[0])
            & Limbs52::<Q, F::Prime, N, L, W>::may_be_equal(a[1], b[1])
    }

    #[inline(always)]
    fn may_be_zero([c0, c1]: Self::Sum) -> u8 {
        Limbs52::<Q, F::Prime, N, L, W>::may_be_zero(c0) & Limbs52::<Q, F::Prime, N, L, W>::may_be_zero(c1)
    }
}
