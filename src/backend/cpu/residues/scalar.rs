//! One element at a time, in limbs of 64 bits.

use std::marker::PhantomData;

use super::{Coordinates, MAX_WIDTH, Residues, TwiddleForm, Vectors};
use crate::field::coordinates::LazyElement;
use crate::field::known_factor::KnownFactor;
use crate::field::montgomery::{Limbs, Residue};
use crate::field::{CoordinateField, MontgomeryField};

/// One element. Factors and sums are below 2p, or below p where the prime is not [lazy](crate::field::montgomery::Modulus::LAZY).
///
/// In transforms over lazy primes sums are below 5.2p, where limbs hold 5.29p. Twiddles come with quotients, and products with them are below 2p. Two
/// layers take a value below 1.17p to 3.17p and 5.17p: each adds a product, or subtracts it from 2p more. Over other primes everything stays below p.
#[derive(Clone, Copy, Debug)]
pub(in crate::backend::cpu) struct Scalar<F>(PhantomData<F>);

impl<F: CoordinateField> Vectors for Scalar<F> {
    type Level = crate::backend::cpu::simd::level::Portable;
    const WIDTH: usize = 1;
}

impl<F: CoordinateField> Coordinates for Scalar<F> {
    type Element = F::Lazy;
    type Sum = F::Lazy;
    type Factor = F::Lazy;

    const SHIFT: u32 = 0;

    #[inline(always)]
    fn inlined_gather(rows: [&F::Lazy; MAX_WIDTH]) -> F::Lazy {
        *rows[0]
    }

    #[inline(always)]
    fn inlined_rows(values: F::Lazy) -> [F::Lazy; MAX_WIDTH] {
        [values; MAX_WIDTH]
    }

    #[inline(always)]
    fn splat(value: F::Lazy) -> F::Lazy {
        value
    }

    #[inline(always)]
    fn factors(rows: [&F::Lazy; MAX_WIDTH]) -> F::Lazy {
        Self::gather(rows)
    }

    #[inline(always)]
    fn rows_of_factors(factors: F::Lazy) -> [F::Lazy; MAX_WIDTH] {
        Self::rows(factors)
    }

    #[inline(always)]
    fn inlined_product(a: F::Lazy, b: F::Lazy) -> F::Lazy {
        a.mul(b)
    }

    #[inline(always)]
    fn inlined_square(a: F::Lazy) -> F::Lazy {
        a.square()
    }

    #[inline(always)]
    fn of_product(product: F::Lazy) -> F::Lazy {
        product
    }

    #[inline(always)]
    fn difference(a: F::Lazy, b: F::Lazy) -> F::Lazy {
        a.sub(b)
    }

    #[inline(always)]
    fn shifted_difference(a: F::Lazy, b: F::Lazy) -> F::Lazy {
        a.sub(b)
    }

    #[inline(always)]
    fn minus(a: F::Lazy, b: F::Lazy) -> F::Lazy {
        a.sub(b)
    }

    #[inline(always)]
    fn plus(a: F::Lazy, b: F::Lazy) -> F::Lazy {
        a.add(b)
    }

    #[inline(always)]
    fn inlined_reduced(a: F::Lazy) -> F::Lazy {
        a
    }

    #[inline(always)]
    fn negated_where(a: F::Lazy, lanes: u8) -> F::Lazy {
        a.negated_if(lanes & 1 == 1)
    }

    #[inline(always)]
    fn may_be_equal(a: F::Lazy, b: F::Lazy) -> u8 {
        u8::from(a.sub(b).is_zero())
    }

    #[inline(always)]
    fn may_be_zero(a: F::Lazy) -> u8 {
        u8::from(a.has_no_bits())
    }
}

impl<M: MontgomeryField> Residues for Scalar<M> {
    type Field = M;
    type Twiddle = KnownFactor<M>;

    const TWIDDLES: TwiddleForm = TwiddleForm::WithQuotients;

    #[inline(always)]
    fn in_place(values: &mut [Residue<M>]) -> Option<&mut [Residue<M>]> {
        Some(values)
    }

    #[inline(always)]
    fn shifted_factors(rows: [&Residue<M>; MAX_WIDTH]) -> Residue<M> {
        *rows[0]
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
    fn times(a: Residue<M>, b: Residue<M>) -> Residue<M> {
        a.mul(b)
    }

    #[inline(always)]
    fn sum_of_products(a: &[Residue<M>], b: &[Residue<M>]) -> Residue<M> {
        a.iter().zip(b).fold(Residue::ZERO, |sum, (&a, &b)| sum.add(a.mul(b)))
    }

    #[inline(always)]
    fn before_two_layers(a: Residue<M>) -> Residue<M> {
        if M::LAZY { a.nearly_reduced() } else { a }
    }

    #[inline(always)]
    fn butterfly(a: Residue<M>, b: Residue<M>) -> [Residue<M>; 2] {
        if M::LAZY { [a.add_unreduced(b), a.sub_unreduced(b)] } else { [a.add(b), a.sub(b)] }
    }

    #[inline(always)]
    fn below_2p(a: Residue<M>) -> Residue<M> {
        if M::LAZY { a.nearly_reduced() } else { a }
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
