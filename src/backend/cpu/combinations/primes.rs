//! Sums of products over prime fields, side by side.
//!
//! # Mathematical description
//!
//! A residue below 2p times a factor below p, in the form that makes up for the limbs' powers of 2, is below 32 p^2. Sixteen such products are summed as they are, and their
//! sum is reduced once, to less than 16p; with the sum so far, below 2p, it is brought below 2p again.

use std::marker::PhantomData;
use std::ops::Range;

use super::{Products, RUN};
use crate::backend::cpu::quadwords::MAX_WIDTH;
use crate::backend::cpu::residues::{Residues, SUMMED, load, on_residues};
use crate::backend::cpu::simd::{Simd, Vectorised};
use crate::field::montgomery::Residue;
use crate::field::prime::{residues, residues_mut};
use crate::field::{MontgomeryField, TwoAdic};

/// [`Products::sums`] on vectors.
pub(super) fn sums<F: MontgomeryField + TwoAdic>(
    simd: Simd,
    products: Products<'_, F>,
    items: Range<usize>,
    terms: Range<usize>,
) -> Vec<F> {
    on_residues!(simd, F, of_level, enter(of_level, products, items, terms))
}

fn enter<R: Residues<Field: TwoAdic>>(
    _: PhantomData<R>,
    products: Products<'_, R::Field>,
    items: Range<usize>,
    terms: Range<usize>,
) -> Vec<R::Field> {
    // Residues alone are not gathered.
    if R::WIDTH == 1 {
        return products.sums(items, terms);
    }
    let mut sums = vec![R::Field::ZERO; items.len() * products.factors.columns];
    R::enter(Piece { products, items, terms, sums: &mut sums });
    sums
}

/// Some items, over some of their terms.
struct Piece<'a, F> {
    products: Products<'a, F>,
    items: Range<usize>,
    terms: Range<usize>,
    sums: &'a mut [F],
}

impl<R: Residues<Field: TwoAdic>> Vectorised<R> for Piece<'_, R::Field> {
    #[inline(always)]
    fn run(self) {
        match self.products.items.row_step {
            1 => items_side_by_side::<R>(self),
            _ => terms_side_by_side::<R>(self),
        }
    }
}

/// The sum of none.
#[inline(always)]
fn none<R: Residues>() -> R::Sum {
    R::gather([&Residue::ZERO; MAX_WIDTH])
}

/// Elements that are adjacent, as factors of products.
#[inline(always)]
fn values<R: Residues>(elements: &[R::Field]) -> R::Factor {
    R::of_product(load::<R>(residues(&elements[..R::WIDTH]), 1))
}

/// What a sum and up to [`SUMMED`] products of vectors are together.
#[inline(always)]
fn added<R: Residues>(sum: R::Sum, a: &[R::Factor], b: &[R::Factor]) -> R::Sum {
    R::reduced(R::plus(sum, R::sum_of_products(a, b)))
}

/// The elements of a sum.
#[inline(always)]
fn elements<R: Residues<Field: TwoAdic>>(sum: R::Sum) -> [R::Field; MAX_WIDTH] {
    let mut elements = [R::Field::ZERO; MAX_WIDTH];
    residues_mut(&mut elements).copy_from_slice(&R::rows(R::canonical(R::reduced(sum))));
    elements
}

/// Items side by side: a few terms at a time, of all items.
#[inline(always)]
fn items_side_by_side<R: Residues<Field: TwoAdic>>(piece: Piece<'_, R::Field>) {
    let Piece { products, items, terms, sums } = piece;
    let Products { items: matrix, factors } = products;
    let (d, vectors) = (factors.columns, items.len() / R::WIDTH);
    let mut own = vec![none::<R>(); vectors * d];
    for first in terms.clone().step_by(SUMMED) {
        let terms = first..terms.end.min(first + SUMMED);
        let factor = |k: usize, term: usize| {
            let factor = factors.get(term, k);
            R::shifted_factors([&residues(std::slice::from_ref(&factor))[0]; MAX_WIDTH])
        };
        let of_sum = |k: usize| terms.clone().map(move |term| factor(k, term));
        let factors: Vec<_> = (0..d).flat_map(of_sum).collect();
        for (vector, own) in own.chunks_exact_mut(d).enumerate() {
            let item = items.start + vector * R::WIDTH;
            let mut of_terms = [R::of_product(none::<R>()); SUMMED];
            for (term, values_of) in terms.clone().zip(&mut of_terms) {
                *values_of = values::<R>(&matrix.elements[item + term * matrix.column_step..]);
            }
            for (own, factors) in own.iter_mut().zip(factors.chunks_exact(terms.len())) {
                *own = added::<R>(*own, &of_terms, factors);
            }
        }
    }
    for (own, sums) in own.chunks_exact(d).zip(sums.chunks_exact_mut(R::WIDTH * d)) {
        for (k, &own) in own.iter().enumerate() {
            sums.iter_mut().skip(k).step_by(d).zip(elements::<R>(own)).for_each(|(to, sum)| *to = sum);
        }
    }
    let whole = vectors * R::WIDTH;
    let rest = products.sums(items.start + whole..items.end, terms);
    sums[whole * d..].copy_from_slice(&rest);
}

/// Terms side by side, of one item after another.
#[inline(always)]
fn terms_side_by_side<R: Residues<Field: TwoAdic>>(piece: Piece<'_, R::Field>) {
    let Piece { products, items, terms, sums } = piece;
    let Products { items: matrix, factors } = products;
    let d = factors.columns;
    let end = terms.start + terms.len() / R::WIDTH * R::WIDTH;
    for first in (terms.start..end).step_by(RUN) {
        let run = first..end.min(first + RUN);
        let vector = |k: usize, first: usize| {
            let of_terms: [_; MAX_WIDTH] = std::array::from_fn(|lane| {
                if lane < R::WIDTH { factors.get(first + lane, k) } else { R::Field::ZERO }
            });
            let of_terms = residues(&of_terms);
            R::shifted_factors(std::array::from_fn(|lane| &of_terms[lane]))
        };
        let of_sum = |k: usize| run.clone().step_by(R::WIDTH).map(move |first| vector(k, first));
        let factors: Vec<_> = (0..d).flat_map(of_sum).collect();
        for (item, sums) in items.clone().zip(sums.chunks_exact_mut(d)) {
            let terms = &matrix.elements[item * matrix.row_step + run.start..][..run.len()];
            for (sum, factors) in sums.iter_mut().zip(factors.chunks_exact(run.len() / R::WIDTH)) {
                let mut own = none::<R>();
                for (terms, factors) in terms.chunks(SUMMED * R::WIDTH).zip(factors.chunks(SUMMED)) {
                    let mut of_terms = [R::of_product(none::<R>()); SUMMED];
                    for (terms, values_of) in terms.chunks_exact(R::WIDTH).zip(&mut of_terms) {
                        *values_of = values::<R>(terms);
                    }
                    own = added::<R>(own, &of_terms, factors);
                }
                *sum = elements::<R>(own)[..R::WIDTH].iter().fold(*sum, |sum, &lane| sum + lane);
            }
        }
    }
    let rest = products.sums(items, end..terms.end);
    sums.iter_mut().zip(rest).for_each(|(sum, more)| *sum += more);
}
