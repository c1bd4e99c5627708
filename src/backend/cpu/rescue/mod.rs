//! Rescue Prime on vector units: as many hashes side by side as a vector has doubles.
//!
//! The state of each hash is twelve elements in doubles ([`element`]); a round is the chain of squarings that the
//! scalar code has too (`rescue_power_maps`), a linear layer ([`linear`]) and constants. What is left over, and processors
//! without vectors of doubles, are served by the scalar code.

mod element;
mod linear;

use std::marker::PhantomData;

use self::element::{Element, halves, word};
use self::linear::{State, circulant, dense};
use super::Simd;
use super::doubles::{self, Doubles, Work};
use super::rows::{Rows, SideBySide};
use crate::field::Goldilocks;
use crate::hash::rescue_constants::{ARK1, ARK2, WIDTH};
use crate::hash::rescue_power_maps::{Powers, seventh_powers, seventh_roots};
use crate::hash::{ElementDigest, Rp64_256, Rp64_256V2021, Sponge};

/// Elements that a permutation absorbs.
const RATE: usize = 8;

/// The most hashes side by side.
const MAX_LANES: usize = 8;

/// Hashes that are worth a vector of their own: it takes as long as 3.3 of them one by one with AVX-512, 2.3 with AVX2.
const WORTHWHILE: usize = 3;

/// What tells the variants of Rescue Prime apart, on vectors.
trait Rescue: Sponge {
    /// The linear layer: takes what the power maps return, makes coordinates below 2^53.
    fn linear<D: Doubles>(state: &State<D>) -> State<D>;
}

impl Rescue for Rp64_256 {
    #[inline(always)]
    fn linear<D: Doubles>(state: &State<D>) -> State<D> {
        circulant(state)
    }
}

impl Rescue for Rp64_256V2021 {
    #[inline(always)]
    fn linear<D: Doubles>(state: &State<D>) -> State<D> {
        dense(&state.normalise())
    }
}

impl<S: Rescue> SideBySide for S {
    fn hash_rows(simd: Simd, rows: Rows<'_>, digests: &mut [ElementDigest]) {
        let Some(lanes) = doubles::width(simd) else { return rows.hash_each::<S>(digests) };
        let rest = digests.len() % lanes;
        let in_vectors = digests.len() - if rest < WORTHWHILE { rest } else { 0 };
        let (whole, rest) = digests.split_at_mut(in_vectors);
        let sponge = PhantomData::<S>;
        match simd {
            // With sixteen registers the words are in memory anyway.
            Simd::Avx2 => doubles::enter(simd, HashRows::<S, 12> { rows, digests: whole, sponge }),
            // Six words have their coordinates in twelve of 32 registers.
            _ => doubles::enter(simd, HashRows::<S, 6> { rows, digests: whole, sponge }),
        }
        rows.from(in_vectors).hash_each::<S>(rest);
    }

    fn merge_pairs(simd: Simd, children: &[ElementDigest], nodes: &mut [ElementDigest]) {
        // A merge is the hash of the children's words.
        Self::hash_rows(simd, Rows::row_major(bytemuck::cast_slice(children), RATE), nodes);
    }
}

/// The permutation on normalised states, `K` words at a time through the power maps.
#[inline(always)]
fn permute<S: Rescue, D: Doubles, const K: usize>(state: &mut State<D>) {
    const { assert!(WIDTH.is_multiple_of(K)) };
    for (ark1, ark2) in ARK1.iter().zip(&ARK2) {
        for words in state.as_chunks_mut::<K>().0 {
            *words = seventh_powers(words);
        }
        linear_layer::<S, D>(state, ark1);
        for words in state.as_chunks_mut::<K>().0 {
            *words = seventh_roots(words);
        }
        linear_layer::<S, D>(state, ark2);
    }
}

/// The linear layer and the addition of constants; the state is normalised after it.
#[inline(always)]
fn linear_layer<S: Rescue, D: Doubles>(state: &mut State<D>, constants: &[u64; WIDTH]) {
    *state = S::linear(state);
    for (word, &constant) in state.iter_mut().zip(constants) {
        let (lower, upper) = halves(Goldilocks::new(constant));
        let constant = Element { x0: D::splat(lower), x1: D::splat(upper) };
        *word = word.plus(constant).normalise();
    }
}

/// The sponge over as many rows as there are digests, a whole number of vectors or one in part.
struct HashRows<'a, S, const K: usize> {
    rows: Rows<'a>,
    digests: &'a mut [ElementDigest],
    sponge: PhantomData<S>,
}

impl<S: Rescue, const K: usize> Work for HashRows<'_, S, K> {
    #[inline(always)]
    fn run<D: Doubles>(self) {
        for (i, digests) in self.digests.chunks_mut(D::WIDTH).enumerate() {
            hash_rows::<S, D, K>(self.rows.from(i * D::WIDTH), digests);
        }
    }
}

/// The digests of at most a vector of rows; lanes without a row hash zeros.
#[inline(always)]
fn hash_rows<S: Rescue, D: Doubles, const K: usize>(rows: Rows<'_>, digests: &mut [ElementDigest]) {
    let mut state = [Element::<D>::zero(); WIDTH];
    let (lower, upper) = halves(Goldilocks::new(rows.width() as u64));
    state[S::LENGTH_WORD] = Element { x0: D::splat(lower), x1: D::splat(upper) }.normalise();
    let mut blocks = [[Goldilocks::default(); RATE]; MAX_LANES];
    let (mut x0, mut x1) = ([0.0; MAX_LANES], [0.0; MAX_LANES]);
    for first in (0..rows.width()).step_by(RATE) {
        let last = rows.width().min(first + RATE);
        rows.block(first..last, &mut blocks[..digests.len()]);
        for (j, element) in state[S::RATE_WORDS][..last - first].iter_mut().enumerate() {
            for i in 0..D::WIDTH {
                (x0[i], x1[i]) = halves(blocks[i][j]);
            }
            *element = element.plus(Element::load(&x0, &x1)).normalise();
        }
        permute::<S, D, K>(&mut state);
    }
    for (k, element) in state[S::DIGEST_WORDS].iter().enumerate() {
        element.x0.store(&mut x0);
        element.x1.store(&mut x1);
        for (i, digest) in digests.iter_mut().enumerate() {
            digest.0[k] = word(x0[i], x1[i]);
        }
    }
}

#[cfg(test)]
mod tests;
