//! What transforms ask of residues in five limbs of 52 bits.

use super::limbs_52::{Carried, Columns, add_product, carried, constant, masked, minus, split, sum};
use super::radix_52::Radix52;
use super::{Coordinates, MAX_WIDTH, Residues, SUMMED, TwiddleForm};
use crate::backend::cpu::quadwords::Quadwords;
use crate::field::MontgomeryField;
use crate::field::montgomery::{Limbs, Residue};

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
        // Limbs of 52 bits of 16 times the value, which is below 2^260; the bits above them do not count. A product with values below 3p is below 48 p^2: below 3p, and with values below 2p, below 2p.
        const { assert!(2 * Self::SHIFT == 4) };
        let [a, b, c, d] = Self::columns(Residue::rows_of_limbs(rows));
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
        // Between p and 81p; the product is below 81/84 p + 8/7 p. Or between p and 63p or 35p, and the product below 2p.
        Self::product(Carried(carried(sum(a.0, constant(Self::SPAN)))), factor)
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
        // 16 times the first makes up for the division by 2^(2 SHIFT); the product is below 64 p^2, which is too much if R / p is 63 or less, and then the first is brought
        // below p. Columns of products are below 2^56, so shifted ones have room.
        const { assert!(2 * Self::SHIFT == 4) };
        let a = if Self::SHORT { a.0 } else { Self::less_p(a.0) };
        let shifted = Carried(carried([
            a[0].shl::<4>(),
            a[1].shl::<4>(),
            a[2].shl::<4>(),
            a[3].shl::<4>(),
            a[4].shl::<4>(),
        ]));
        Self::product(shifted, Carried(carried(b.0)))
    }

    #[inline(always)]
    fn sum_of_products(a: &[Carried<Q>], b: &[Carried<Q>]) -> Columns<Q> {
        // 32 p^2 each, together less than R^2, as R is at least 35p; divided by R that is 14.7p at most, and up to 8/7 p more of a prime for which it is 6.1p at most, else p.
        // A column has ten halves of each product, and as many of the reduction.
        const { assert!(2 * Self::SHIFT == 4 && SUMMED == 16 && Self::QUOTIENT >= 35) };
        let mut products = [Q::splat(0); 10];
        for i in 0..a.len() {
            products = add_product(products, a[i], b[i]);
        }
        Columns(masked(carried(Self::reduction::<false>(products))))
    }

    #[inline(always)]
    fn before_two_layers(a: Columns<Q>) -> Columns<Q> {
        if Self::FEW { Self::below_2p(a) } else { a }
    }

    #[inline(always)]
    fn butterfly(a: Columns<Q>, b: Columns<Q>) -> [Columns<Q>; 2] {
        [Columns(sum(a.0, b.0)), Columns(minus(a.0, b.0))]
    }

    #[inline(always)]
    fn below_2p(a: Columns<Q>) -> Columns<Q> {
        Columns(Self::less(sum(a.0, constant(Self::SPAN))))
    }

    #[inline(always)]
    fn canonical(a: Columns<Q>) -> Columns<Q> {
        Columns(Self::less_p(a.0))
    }

    #[inline(always)]
    fn transposed([a, b, c, d, e, f, g, h]: [Columns<Q>; MAX_WIDTH]) -> [Columns<Q>; MAX_WIDTH] {
        let [a, b, c, d, e, f, g, h] = [a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0];
        let limb = |i: usize| [a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i]];
        let [l0, l1, l2, l3, l4] = [limb(0), limb(1), limb(2), limb(3), limb(4)];
        let [l0, l1, l2, l3, l4] =
            [Q::transposed(l0), Q::transposed(l1), Q::transposed(l2), Q::transposed(l3), Q::transposed(l4)];
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
