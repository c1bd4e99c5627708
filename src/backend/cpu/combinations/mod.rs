//! Combinations of columns and of rows: sums of products that are reduced once, over tiles of items and terms.
//!
//! Items are rows or columns, and terms the entries of an item ([`backend`](crate::backend)). Where items are adjacent, a few terms of all items of a block
//! are taken at a time: each word comes from memory once, and lines of caches stay until neighbours have used the rest of them, even if terms are
//! a power of two apart and share a set. Where items are too few for all threads, terms are cut into slices besides, whose sums are
//! added. Items or terms are taken side by side: over Goldilocks in `lanes.rs`, over prime fields in `primes.rs`.

mod lanes;
#[cfg(feature = "bn254")]
mod primes;

use std::ops::Range;

use super::Cpu;
use super::Simd;
use super::ntt::lanes::on_lanes;
use crate::backend::{Combinations, MatrixView};
use crate::error::Error;
use crate::field::{Goldilocks, TwoAdic};
#[cfg(feature = "bn254")]
use crate::field::{MontgomeryField, montgomery::Residue, prime};
use crate::parallel::{for_each_chunk, threads};

/// Items of a block, which one thread takes.
const BLOCK: usize = 256;

/// Terms that are taken at a time where items are adjacent: as many lines of a set of a cache.
const LINES: usize = 8;

/// Terms for which factors are prepared.
const RUN: usize = 512;

/// Blocks and slices for each thread, so that all end at about the same time.
const PIECES: usize = 4;

/// An element whose products are summed.
pub trait Summed: TwoAdic {
    /// A sum of products.
    type Sum: Copy + Send + Sync;

    /// The sum of none.
    const NONE: Self::Sum;

    /// The sum and a product.
    fn plus(sum: Self::Sum, a: Self, b: Self) -> Self::Sum;

    /// The element that a sum stands for.
    fn of_sum(sum: Self::Sum) -> Self;

    /// The sums of products of some items, over some of their terms: of an item one beside the other.
    fn sums(_: Simd, products: Products<'_, Self>, items: Range<usize>, terms: Range<usize>) -> Vec<Self> {
        products.sums(items, terms)
    }
}

/// Products of two words, less than 2^32 of them: 128 bits, and how often these overflowed.
impl Summed for Goldilocks {
    type Sum = (u128, u32);

    const NONE: (u128, u32) = (0, 0);

    #[inline(always)]
    fn plus((sum, carries): (u128, u32), a: Self, b: Self) -> (u128, u32) {
        let (sum, carry) = sum.overflowing_add(a.as_u64() as u128 * b.as_u64() as u128);
        (sum, carries + carry as u32)
    }

    /// 2^128 = -2^32, and 2^32 times the carries is at most p - 1.
    #[inline(always)]
    fn of_sum((sum, carries): (u128, u32)) -> Self {
        Self::from_u128(sum) - Self::new((carries as u64) << 32)
    }

    fn sums(simd: Simd, products: Products<'_, Self>, items: Range<usize>, terms: Range<usize>) -> Vec<Self> {
        on_lanes!(simd, L, lanes::sums::<L>(products, items, terms))
    }
}

/// Lazy residues, or residues side by side.
#[cfg(feature = "bn254")]
impl<F: MontgomeryField + TwoAdic> Summed for F {
    type Sum = Residue<F>;

    const NONE: Residue<F> = Residue::ZERO;

    #[inline(always)]
    fn plus(sum: Residue<F>, a: Self, b: Self) -> Residue<F> {
        let [a, b] = *prime::residues(&[a, b]) else { unreachable!("as many residues as elements") };
        sum.add(a.mul(b))
    }

    #[inline(always)]
    fn of_sum(sum: Residue<F>) -> Self {
        let mut element = [<F as TwoAdic>::ZERO];
        prime::residues_mut(&mut element)[0] = Residue::from_montgomery(sum.canonical());
        element[0]
    }

    fn sums(simd: Simd, products: Products<'_, Self>, items: Range<usize>, terms: Range<usize>) -> Vec<Self> {
        primes::sums(simd, products, items, terms)
    }
}

impl<F: Summed> Combinations<F> for Cpu {
    fn combine_columns(
        &self,
        matrix: MatrixView<'_, F>,
        coefficients: MatrixView<'_, F>,
        combined: &mut [F],
    ) -> Result<(), Error> {
        let products = Products { items: matrix, factors: coefficients };
        let sums = products.all(self.simd);
        for (k, column) in combined.chunks_exact_mut(matrix.rows).enumerate() {
            for_each_chunk(column, BLOCK, |block, to| {
                let sums = sums.of_block(block);
                let ([first, others @ ..], d) = (sums, coefficients.columns) else { return };
                to.iter_mut().enumerate().for_each(|(i, to)| {
                    *to = others.iter().fold(first[i * d + k], |sum, other| sum + other[i * d + k]);
                });
            });
        }
        Ok(())
    }

    fn combine_rows(
        &self,
        weights: MatrixView<'_, F>,
        matrix: MatrixView<'_, F>,
        sums: &mut [F],
    ) -> Result<(), Error> {
        let products = Products { items: matrix.transposed(), factors: weights };
        let found = products.all(self.simd);
        for_each_chunk(sums, BLOCK * weights.columns, |block, to| {
            let [first, others @ ..] = found.of_block(block) else { return };
            to.iter_mut().enumerate().for_each(|(i, to)| {
                *to = others.iter().fold(first[i], |sum, other| sum + other[i]);
            });
        });
        Ok(())
    }
}

/// Items, a row of terms each, and what these are multiplied with.
#[derive(Clone, Copy)]
pub struct Products<'a, F> {
    items: MatrixView<'a, F>,
    factors: MatrixView<'a, F>,
}

/// Sums of blocks of items, over a slice of the terms each: of an item one beside the other.
struct Sums<F> {
    slices: usize,
    pieces: Vec<Vec<F>>,
}

impl<F> Sums<F> {
    /// Those of a block.
    fn of_block(&self, block: usize) -> &[Vec<F>] {
        &self.pieces[block * self.slices..][..self.slices]
    }
}

impl<F: Summed> Products<'_, F> {
    fn all(self, simd: Simd) -> Sums<F> {
        let MatrixView { rows: items, columns: terms, .. } = self.items;
        let blocks = items.div_ceil(BLOCK);
        let wanted = (PIECES * threads()).div_ceil(blocks);
        let slices = wanted.min(terms.div_ceil(RUN));
        let mut pieces = vec![Vec::new(); blocks * slices];
        for_each_chunk(&mut pieces, 1, |number, piece| {
            let (block, slice) = (number / slices, number % slices);
            let items = block * BLOCK..items.min((block + 1) * BLOCK);
            let terms = terms * slice / slices..terms * (slice + 1) / slices;
            piece[0] = F::sums(simd, self, items, terms);
        });
        Sums { slices, pieces }
    }

    /// Terms that are taken at a time.
    fn at_once(&self) -> usize {
        if self.items.row_step == 1 { LINES } else { RUN }
    }

    /// One product after another.
    fn sums(self, items: Range<usize>, terms: Range<usize>) -> Vec<F> {
        let d = self.factors.columns;
        let mut sums = vec![F::NONE; items.len() * d];
        for first in terms.clone().step_by(RUN) {
            let terms = first..terms.end.min(first + RUN);
            let mut k = 0;
            while k < d {
                k += match d - k {
                    1 => self.run::<1>(items.clone(), terms.clone(), k, &mut sums),
                    2 | 3 => self.run::<2>(items.clone(), terms.clone(), k, &mut sums),
                    _ => self.run::<4>(items.clone(), terms.clone(), k, &mut sums),
                };
            }
        }
        sums.into_iter().map(F::of_sum).collect()
    }

    /// Adds a run of terms to D sums from number k on, and returns D.
    fn run<const D: usize>(
        self,
        items: Range<usize>,
        terms: Range<usize>,
        k: usize,
        sums: &mut [F::Sum],
    ) -> usize {
        let MatrixView { elements, row_step, column_step, .. } = self.items;
        let of_term = |term: usize| std::array::from_fn(|i| self.factors.get(term, k + i));
        let factors: Vec<[F; D]> = terms.clone().map(of_term).collect();
        for (first, factors) in terms.step_by(self.at_once()).zip(factors.chunks(self.at_once())) {
            for (item, sums) in items.clone().zip(sums.chunks_exact_mut(self.factors.columns)) {
                let terms = elements[item * row_step + first * column_step..].iter().step_by(column_step);
                let sums = &mut sums[k..k + D];
                let mut own: [F::Sum; D] = std::array::from_fn(|i| sums[i]);
                for (&a, factors) in terms.zip(factors) {
                    for i in 0..D {
                        own[i] = F::plus(own[i], a, factors[i]);
                    }
                }
                sums.copy_from_slice(&own);
            }
        }
        D
    }
}
