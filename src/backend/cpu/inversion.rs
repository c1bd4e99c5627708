//! Inverses of many elements by one inversion.
//!
//! # Mathematical description
//!
//! With the products P_i = x_1 ... x_i, the inverse of x_i is P_(i-1) / P_i, and 1 / P_(i-1) is x_i / P_i. So an element takes one product on
//! the way there and two on the way back, and all of them take one inversion (Montgomery, Mathematics of Computation 48, 1987,
//! section 10.3.1). A zero stands as a one, whose inverse is replaced by zero.
//!
//! In a chain each product waits for the one before. So elements side by side belong to different chains, as many as a few
//! vectors have lanes. The chains end in a short list, with the elements that fill no vector; its inverses lead back. A piece is small
//! enough to stay in the caches of its thread, with its products.

#[cfg(feature = "bn254")]
mod primes;

use super::Cpu;
use super::ntt::lanes::{Lanes, on_lanes};
use super::simd::{Vectorised, Vectors};
use crate::backend::Inversion;
use crate::checks;
use crate::error::Error;
use crate::field::{Goldilocks, batch_inverse};
use crate::parallel::{for_each_chunk_with, threads};

/// Vectors of chains.
const CHAINS: usize = 4;

/// Words of a piece: with as many products they take 128 KiB.
const PIECE: usize = 1 << 13;

impl Inversion<Goldilocks> for Cpu {
    fn invert(&self, elements: &mut [Goldilocks], unchecked: bool) -> Result<(), Error> {
        checks::if_unchecked(elements, unchecked)?;
        in_pieces(elements, PIECE, |elements, products| {
            on_lanes!(self.simd, L, L::enter(Piece { elements, products }));
        });
        Ok(())
    }
}

/// Inverts pieces of at most so many elements, each with memory for products that the next piece of the thread takes over.
fn in_pieces<F: Send, P: Send>(
    elements: &mut [F],
    most: usize,
    invert: impl Fn(&mut [F], &mut Vec<P>) + Sync,
) {
    let piece = elements.len().div_ceil(threads()).clamp(most / 8, most);
    for_each_chunk_with(elements, piece, Vec::new, |products, _, piece| invert(piece, products));
}

/// A piece over Goldilocks.
struct Piece<'a> {
    elements: &'a mut [Goldilocks],
    products: &'a mut Vec<u64>,
}

impl<L: Lanes> Vectorised<L> for Piece<'_> {
    #[inline(always)]
    fn run(self) {
        let (width, row) = (L::WIDTH, CHAINS * L::WIDTH);
        let (elements, rest) = self.elements.split_at_mut(self.elements.len() / row * row);
        let words: &mut [u64] = bytemuck::cast_slice_mut(elements);
        self.products.resize(words.len(), 0);
        let mut chains = [L::splat(1); CHAINS];
        for (words, products) in words.chunks_exact(row).zip(self.products.chunks_exact_mut(row)) {
            for i in 0..CHAINS {
                let x = L::load(&words[i * width..]);
                chains[i].store(&mut products[i * width..]);
                chains[i] = chains[i].mul(x.plus(is_zero(x)));
            }
        }
        let mut ends = vec![Goldilocks::default(); row + rest.len()];
        for (chain, end) in chains.iter().zip(ends.chunks_exact_mut(width)) {
            chain.store(bytemuck::cast_slice_mut(end));
        }
        ends[row..].copy_from_slice(rest);
        batch_inverse(&mut ends);
        rest.copy_from_slice(&ends[row..]);
        for (chain, end) in chains.iter_mut().zip(ends.chunks_exact(width)) {
            *chain = L::load(bytemuck::cast_slice(end));
        }
        for (words, products) in words.chunks_exact_mut(row).zip(self.products.chunks_exact(row)).rev() {
            for i in 0..CHAINS {
                let x = L::load(&words[i * width..]);
                let zero = is_zero(x);
                // The inverse of a one that stands for zero is one.
                chains[i].mul(L::load(&products[i * width..])).minus(zero).store(&mut words[i * width..]);
                chains[i] = chains[i].mul(x.plus(zero));
            }
        }
    }
}

/// 1 for zero, and 0 for any other word: only zero lacks the highest bit and has it one below.
#[inline(always)]
fn is_zero<L: Lanes>(x: L) -> L {
    x.xor(L::splat(u64::MAX)).and(x.minus(L::splat(1))).shr(63)
}
