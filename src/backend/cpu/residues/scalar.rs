//! One residue at a time, in four limbs.

use std::marker::PhantomData;

use super::{MAX_WIDTH, Residues, TwiddleForm, Vectors};
use crate::field::MontgomeryField;
use crate::field::known_factor::KnownFactor;
use crate::field::montgomery::{Limbs, Residue};

/// One residue. Factors and sums are below 2p.
///
/// In transforms sums are below 5.2p, where limbs hold 5.29p. Twiddles come with quotients, and products with them are below 2p. Two
/// layers take a value below 1.17p to 3.17p and 5.17p: each adds a product, or subtracts it from 2p more.
#[derive(Clone, Copy, Debug)]
pub(in crate::backend::cpu) struct Scalar<M>(PhantomData<M>);

impl<M: MontgomeryField> Vectors for Scalar<M> {
    type Level = crate::backend::cpu::simd::level::Portable;
    const WIDTH: usize = 1;
}

impl<M: MontgomeryField> Residues for Scalar<M> {
    type Field = M;
    type Sum = Residue<M>;
    type Factor = Residue<M>;
    type Twiddle = KnownFactor<M>;

    const TWIDDLES: TwiddleForm = TwiddleForm::WithQuotients;

    const SHIFT: u32 = 0;

    #[inline(always)]
    fn gather(rows: [&Limbs; MAX_WIDTH]) -> Residue<M> {
        Residue::from_montgomery(*rows[0])
    }

    #[inline(always)]
    fn in_place(values: &mut [Residue<M>]) -> Option<&mut [Residue<M>]> {
        Some(values)
    }

    #[inline(always)]
    fn rows(values: Residue<M>) -> [Limbs; MAX_WIDTH] {
        [values.lazy_limbs(); MAX_WIDTH]
    }

    #[inline(always)]
    fn splat(value: Residue<M>) -> Residue<M> {
        value
    }

    #[inline(always)]
    fn factors(rows: [&Limbs; MAX_WIDTH]) -> Residue<M> {
        Self::gather(rows)
    }

    #[inline(always)]
    fn rows_of_factors(factors: Residue<M>) -> [Limbs; MAX_WIDTH] {
        Self::rows(factors)
    }

    #[inline(always)]
    fn product(a: Residue<M>, b: Residue<M>) -> Residue<M> {
        a.mul(b)
    }

    #[inline(always)]
    fn square(a: Residue<M>) -> Residue<M> {
        a.square()
    }

    #[inline(always)]
    fn of_product(product: Residue<M>) -> Residue<M> {
        product
    }

    #[inline(always)]
    fn difference(a: Residue<M>, b: Residue<M>) -> Residue<M> {
        a.sub(b)
    }

    #[inline(always)]
    fn shifted_difference(a: Residue<M>, b: Residue<M>) -> Residue<M> {
        a.sub(b)
    }

    #[inline(always)]
    fn minus(a: Residue<M>, b: Residue<M>) -> Residue<M> {
        a.sub(b)
    }

    #[inline(always)]
    fn reduced(a: Residue<M>) -> Residue<M> {
        a
    }

    #[inline(always)]
    fn negated_where(a: Residue<M>, lanes: u8) -> Residue<M> {
        a.negated_if(lanes & 1 == 1)
    }

    #[inline(always)]
    fn may_be_equal(a: Residue<M>, b: Residue<M>) -> u8 {
        u8::from(a.sub(b).is_zero())
    }

    #[inline(always)]
    fn may_be_zero(a: Residue<M>) -> u8 {
        u8::from(a.lazy_limbs() == [0; 4])
    }

    #[inline(always)]
    fn scaled(a: Residue<M>, factor: Residue<M>) -> Residue<M> {
        a.mul(factor)
    }

    #[inline(always)]
    fn twiddle(rows: &[Limbs]) -> KnownFactor<M> {
        KnownFactor::from_limbs([rows[0], rows[1]])
    }

    #[inline(always)]
    fn times_twiddle(a: Residue<M>, twiddle: KnownFactor<M>) -> Residue<M> {
        twiddle.times(a)
    }

    #[inline(always)]
    fn before_two_layers(a: Residue<M>) -> Residue<M> {
        a.nearly_reduced()
    }

    #[inline(always)]
    fn butterfly(a: Residue<M>, b: Residue<M>) -> [Residue<M>; 2] {
        [a.add_unreduced(b), a.sub_unreduced(b)]
    }

    #[inline(always)]
    fn below_2p(a: Residue<M>) -> Residue<M> {
        a.nearly_reduced()
    }

    #[inline(always)]
    fn canonical(a: Residue<M>) -> Residue<M> {
        Residue::from_montgomery(a.canonical())
    }

    #[inline(always)]
    fn transposed(vectors: [Residue<M>; MAX_WIDTH]) -> [Residue<M>; MAX_WIDTH] {
        vectors
    }
}
