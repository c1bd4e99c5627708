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
        let Self { products, items, terms, sums } = self;
        let whole = items.start + items.len() / R::WIDTH * R::WIDTH;
        let (of_whole, of_rest) = sums.split_at_mut((whole - items.start) * products.factors.columns);
        items_side_by_side::<R>(Piece {
            products,
            items: items.start..whole,
            terms: terms.clone(),
            sums: of_whole,
        });
        terms_side_by_side::<R>(Piece { products, items: whole..items.end, terms, sums: of_rest });
    }
}

/// The sum of none.
#[inline(always)]
fn none<R: Residues>() -> R::Sum {
    R::gather([&Residue::ZERO; MAX_WIDTH])
}

/// Elements that are so far apart, as factors of products.
#[inline(always)]
fn values<R: Residues>(elements: &[R::Field], step: usize) -> R::Factor {
    R::of_product(load::<R>(residues(elements), step))
}

/// As many factors of different lanes, or the first for all of them.
#[inline(always)]
fn shifted<R: Residues>(factors: &[R::Field]) -> R::Factor {
    let factors = residues(factors);
    let mut lanes = [&factors[0]; MAX_WIDTH];
    for (lane, factor) in lanes.iter_mut().zip(factors) {
        *lane = factor;
    }
    R::shifted_factors(lanes)
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

/// Items side by side, in whole vectors: a few terms at a time, of all items. Loops, since closures are compiled for vectors only where they are inlined.
#[inline(always)]
fn items_side_by_side<R: Residues<Field: TwoAdic>>(piece: Piece<'_, R::Field>) {
    let Piece { products, items, terms, sums } = piece;
    let Products { items: matrix, factors } = products;
    let (d, vectors) = (factors.columns, items.len() / R::WIDTH);
    let mut own = vec![none::<R>(); vectors * d];
    let mut of_terms = [R::of_product(none::<R>()); SUMMED];
    let mut of_factors = Vec::with_capacity(SUMMED * d);
    for first in terms.clone().step_by(SUMMED) {
        let count = SUMMED.min(terms.end - first);
        of_factors.clear();
        for k in 0..d {
            for term in first..first + count {
                of_factors.push(shifted::<R>(&[factors.get(term, k)]));
            }
        }
        for vector in 0..vectors {
            let item = items.start + vector * R::WIDTH;
            for (i, of_term) in of_terms[..count].iter_mut().enumerate() {
                let at = item * matrix.row_step + (first + i) * matrix.column_step;
                *of_term = values::<R>(&matrix.elements[at..], matrix.row_step);
            }
            for k in 0..d {
                let own = &mut own[vector * d + k];
                *own = added::<R>(*own, &of_terms[..count], &of_factors[k * count..][..count]);
            }
        }
    }
    for (number, &own) in own.iter().enumerate() {
        let (vector, k) = (number / d, number % d);
        let lanes = elements::<R>(own);
        for (lane, &sum) in lanes[..R::WIDTH].iter().enumerate() {
            sums[(vector * R::WIDTH + lane) * d + k] = sum;
        }
    }
}

/// Terms side by side, of one item after another: of items that fill no vector.
#[inline(always)]
fn terms_side_by_side<R: Residues<Field: TwoAdic>>(piece: Piece<'_, R::Field>) {
    let Piece { products, items, terms, sums } = piece;
    let Products { items: matrix, factors } = products;
    let d = factors.columns;
    let end = terms.start + terms.len() / R::WIDTH * R::WIDTH;
    let mut of_terms = [R::of_product(none::<R>()); SUMMED];
    let mut of_factors = Vec::new();
    for first in (terms.start..end).step_by(RUN) {
        let run = first..end.min(first + RUN);
        let vectors = run.len() / R::WIDTH;
        of_factors.clear();
        for k in 0..d {
            for first in run.clone().step_by(R::WIDTH) {
                let mut lanes = [R::Field::ZERO; MAX_WIDTH];
                for (lane, factor) in lanes[..R::WIDTH].iter_mut().enumerate() {
                    *factor = factors.get(first + lane, k);
                }
                of_factors.push(shifted::<R>(&lanes));
            }
        }
        for (number, item) in items.clone().enumerate() {
            let terms = &matrix.elements[item * matrix.row_step + run.start * matrix.column_step..];
            for k in 0..d {
                let mut own = none::<R>();
                for first in (0..vectors).step_by(SUMMED) {
                    let count = SUMMED.min(vectors - first);
                    for (i, of_term) in of_terms[..count].iter_mut().enumerate() {
                        let at = (first + i) * R::WIDTH * matrix.column_step;
                        *of_term = values::<R>(&terms[at..], matrix.column_step);
                    }
                    own = added::<R>(own, &of_terms[..count], &of_factors[k * vectors + first..][..count]);
                }
                let (lanes, sum) = (elements::<R>(own), &mut sums[number * d + k]);
                for &lane in &lanes[..R::WIDTH] {
                    *sum += lane;
                }
            }
        }
    }
    let rest = products.sums(items, end..terms.end);
    sums.iter_mut().zip(rest).for_each(|(sum, more)| *sum += more);
}
