//! Prefix products over prime fields: chains of lazy residues, side by side.

use std::marker::PhantomData;

use super::{Piece, in_runs};
use crate::backend::PrefixProducts;
use crate::backend::cpu::Cpu;
use crate::backend::cpu::quadwords::MAX_WIDTH;
use crate::backend::cpu::residues::{Residues, load, on_residues};
use crate::backend::cpu::simd::Vectorised;
use crate::error::Error;
use crate::field::montgomery::Residue;
use crate::field::prime::{residues, residues_mut};
use crate::field::{MontgomeryField, TwoAdic};

/// The most vectors of chains: products of vectors wait for each other, and one of residues alone fills the processor.
const CHAINS: usize = 2;

impl<F: MontgomeryField + TwoAdic> PrefixProducts<F> for Cpu {
    fn prefix_products(
        &self,
        input: &[F],
        width: usize,
        products: &mut [F],
        carry: &mut [F],
    ) -> Result<(), Error> {
        on_residues!(self.simd, F, of_level, {
            in_runs(at_once(of_level), input, width, products, carry, |piece| enter(of_level, piece));
        });
        Ok(())
    }
}

const fn vectors<R: Residues>() -> usize {
    if R::WIDTH == 1 { 1 } else { CHAINS }
}

/// Chains at a time.
fn at_once<R: Residues>(_: PhantomData<R>) -> usize {
    vectors::<R>() * R::WIDTH
}

fn enter<R: Residues<Field: TwoAdic>>(_: PhantomData<R>, piece: Piece<'_, R::Field>) {
    R::enter(piece);
}

impl<R: Residues<Field: TwoAdic>> Vectorised<R> for Piece<'_, R::Field> {
    #[inline(always)]
    fn run(self) {
        let Self { cut, entries, chains, to } = self;
        let (step, len, width) = (cut.width, entries.len(), R::WIDTH);
        let (entries, mut to) = (residues(entries), to.map(residues_mut));
        for (number, chains) in residues_mut(chains).chunks_exact_mut(at_once(PhantomData::<R>)).enumerate() {
            let (places, _) = cut.places::<{ CHAINS * MAX_WIDTH }>(number * chains.len(), len);
            let all = places[..chains.len()].iter().map(|&(_, len)| len).min().unwrap_or(0);
            let mut products = [R::gather([&Residue::ZERO; MAX_WIDTH]); CHAINS];
            for (products, chains) in products.iter_mut().zip(chains.chunks_exact(width)) {
                *products = load::<R>(chains, 1);
            }
            for row in 0..all {
                for vector in 0..vectors::<R>() {
                    let places = &places[vector * width..][..width];
                    if let Some(to) = &mut to {
                        let rows = R::rows(R::canonical(R::reduced(products[vector])));
                        for lane in 0..width {
                            to[places[lane].0 + row * step] = rows[lane];
                        }
                    }
                    let mut next = [&Residue::ZERO; MAX_WIDTH];
                    for lane in 0..width {
                        next[lane] = &entries[places[lane].0 + row * step];
                    }
                    products[vector] = R::product(R::of_product(products[vector]), R::shifted_factors(next));
                }
            }
            for (products, chains) in products.iter().zip(chains.chunks_exact_mut(width)) {
                chains.copy_from_slice(&R::rows(R::canonical(R::reduced(*products)))[..width]);
            }
            // Where the rows of a block end.
            for (chain, &(first, len)) in chains.iter_mut().zip(&places) {
                for row in all..len {
                    let at = first + row * step;
                    if let Some(to) = &mut to {
                        to[at] = *chain;
                    }
                    *chain = Residue::from_montgomery(chain.mul(entries[at]).canonical());
                }
            }
        }
    }
}
