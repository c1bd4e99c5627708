//! Elements of quadratic extensions, both coefficients in five limbs of 52 bits, as many side by side as a vector has words.
//!
//! # Mathematical description
//!
//! With u^2 = -1 the product of a and b is a0 b0 - a1 b1 + ((a0 + a1)(b0 + b1) - a0 b0 - a1 b1) u: three products of integers, 150 halves of products
//! of limbs, whose columns are added and subtracted before they are reduced, twice and not three times: 100 more. The square is (a0 + a1)(a0 - a1) + 2 a0 a1 u:
//! two products and two reductions.
//!
//! # Bounds
//!
//! With R = 2^260 and p < R / 84 ([`Radix52`](super::Radix52)) the reduction of an integer T is between T / R and 8p/7 more, for negative T too, because carries are
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

use std::marker::PhantomData;

use super::radix_52::{
    Carried, Columns, Constants, add_product, carried, constant, masked, minus, reduction, sum,
};
use super::{Coordinates, MAX_WIDTH, Quadwords, Radix52, VectorisedField, Vectors};
use crate::field::CoordinateField;
use crate::field::montgomery::Residue;
use crate::field::quadratic::{Pair, QuadraticExtension};

/// Pairs of coefficients in five limbs each, on the words Q.
#[derive(Clone, Copy, Debug)]
pub(in crate::backend::cpu) struct Pairs52<Q, F>(PhantomData<(Q, F)>);

/// The coefficients' arithmetic.
type Coefficients<Q, F> = Radix52<Q, <F as CoordinateField>::Prime>;

macro_rules! extensions {
    ($($field:path, $prime:path;)*) => {
        $(impl VectorisedField for $field {
            type Vectors<Q: Quadwords> = Pairs52<Q, $field>;
        })*
    };
}
crate::for_every_quadratic_extension!(extensions);

/// The sum of the coefficients of a factor.
#[inline(always)]
fn sum_of_coefficients<Q: Quadwords>([a, b]: [Carried<Q>; 2]) -> Carried<Q> {
    Carried(carried(sum(masked(a.0), masked(b.0))))
}

/// An array of ten, element by element and without a closure.
macro_rules! each_column {
    ($i:ident => $element:expr) => {
        each_column!($i => $element; 0 1 2 3 4 5 6 7 8 9)
    };
    ($i:ident => $element:expr; $($index:literal)+) => {
        [$({
            const $i: usize = $index;
            $element
        }),+]
    };
}

#[inline(always)]
fn product_columns<Q: Quadwords>(a: Carried<Q>, b: Carried<Q>) -> [Q; 10] {
    add_product([Q::splat(0); 10], a, b)
}

impl<Q: Quadwords, F: QuadraticExtension> Vectors for Pairs52<Q, F> {
    type Level = Q::Level;
    const WIDTH: usize = Q::WIDTH;
}

impl<Q: Quadwords, F: QuadraticExtension> Pairs52<Q, F> {
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

impl<Q: Quadwords, F: QuadraticExtension> Coordinates for Pairs52<Q, F> {
    type Element = Pair<F>;
    type Sum = [Columns<Q>; 2];
    type Factor = [Carried<Q>; 2];

    const SHIFT: u32 = Coefficients::<Q, F>::SHIFT;

    #[inline(always)]
    fn gather(rows: [&Pair<F>; MAX_WIDTH]) -> Self::Sum {
        let [c0, c1] = Self::coefficients(rows);
        [Coefficients::<Q, F>::gather(c0), Coefficients::<Q, F>::gather(c1)]
    }

    #[inline(always)]
    fn rows([c0, c1]: Self::Sum) -> [Pair<F>; MAX_WIDTH] {
        Self::pairs(Coefficients::<Q, F>::rows(c0), Coefficients::<Q, F>::rows(c1))
    }

    #[inline(always)]
    fn splat(value: Pair<F>) -> Self::Factor {
        [Coefficients::<Q, F>::splat(value.c0), Coefficients::<Q, F>::splat(value.c1)]
    }

    #[inline(always)]
    fn factors(rows: [&Pair<F>; MAX_WIDTH]) -> Self::Factor {
        let [c0, c1] = Self::coefficients(rows);
        [Coefficients::<Q, F>::factors(c0), Coefficients::<Q, F>::factors(c1)]
    }

    #[inline(always)]
    fn rows_of_factors([c0, c1]: Self::Factor) -> [Pair<F>; MAX_WIDTH] {
        Self::pairs(Coefficients::<Q, F>::rows_of_factors(c0), Coefficients::<Q, F>::rows_of_factors(c1))
    }

    #[inline(always)]
    fn product(a: Self::Factor, b: Self::Factor) -> Self::Sum {
        const { assert!(F::U_SQUARED == -1) };
        let v0 = product_columns(a[0], b[0]);
        let v1 = product_columns(a[1], b[1]);
        let difference = each_column!(I => v0[I].sub(v1[I]));
        let c0 = sum(reduction::<Q, F::Prime, true>(difference), constant(Constants::<F::Prime>::P));
        let zero = Q::splat(0);
        let rest = each_column!(I => zero.sub(v0[I]).sub(v1[I]));
        let cross = add_product(rest, sum_of_coefficients(a), sum_of_coefficients(b));
        [Columns(c0), Columns(reduction::<Q, F::Prime, true>(cross))]
    }

    #[inline(always)]
    fn square(a: Self::Factor) -> Self::Sum {
        let [c0, c1] = [masked(a[0].0), masked(a[1].0)];
        let difference = Carried(carried(sum(minus(c0, c1), constant(Constants::<F::Prime>::FOUR_P))));
        let both = Carried(carried(sum(c0, c1)));
        let first = product_columns(both, difference);
        let second = product_columns(Carried(carried(sum(c0, c0))), a[1]);
        [Columns(reduction::<Q, F::Prime, false>(first)), Columns(reduction::<Q, F::Prime, false>(second))]
    }

    #[inline(always)]
    fn of_product([c0, c1]: Self::Sum) -> Self::Factor {
        [Coefficients::<Q, F>::of_product(c0), Coefficients::<Q, F>::of_product(c1)]
    }

    #[inline(always)]
    fn difference(a: Self::Sum, b: Self::Sum) -> Self::Factor {
        [Coefficients::<Q, F>::difference(a[0], b[0]), Coefficients::<Q, F>::difference(a[1], b[1])]
    }

    #[inline(always)]
    fn shifted_difference(a: Self::Sum, b: Self::Sum) -> Self::Factor {
        [
            Coefficients::<Q, F>::shifted_difference(a[0], b[0]),
            Coefficients::<Q, F>::shifted_difference(a[1], b[1]),
        ]
    }

    #[inline(always)]
    fn minus(a: Self::Sum, b: Self::Sum) -> Self::Sum {
        [Coefficients::<Q, F>::minus(a[0], b[0]), Coefficients::<Q, F>::minus(a[1], b[1])]
    }

    #[inline(always)]
    fn reduced([c0, c1]: Self::Sum) -> Self::Sum {
        [Coefficients::<Q, F>::reduced(c0), Coefficients::<Q, F>::reduced(c1)]
    }

    #[inline(always)]
    fn negated_where([c0, c1]: Self::Sum, lanes: u8) -> Self::Sum {
        [Coefficients::<Q, F>::negated_where(c0, lanes), Coefficients::<Q, F>::negated_where(c1, lanes)]
    }

    #[inline(always)]
    fn may_be_equal(a: Self::Sum, b: Self::Sum) -> u8 {
        Coefficients::<Q, F>::may_be_equal(a[0], b[0]) & Coefficients::<Q, F>::may_be_equal(a[1], b[1])
    }

    #[inline(always)]
    fn may_be_zero([c0, c1]: Self::Sum) -> u8 {
        Coefficients::<Q, F>::may_be_zero(c0) & Coefficients::<Q, F>::may_be_zero(c1)
    }
}
