//! Sponges on vector units: as many hashes side by side as a vector has doubles.
//!
//! The state of each hash is elements in doubles ([`element`]). A permutation is made of S-boxes, by the chains of squarings that the
//! scalar code has too (`rescue_power_maps`), of linear layers ([`linear`], [`poseidon2`]) and of round constants. What leaves a vector mostly
//! empty, and levels without vectors of doubles, are left to the scalar code.

mod element;
mod linear;
mod poseidon2;
mod rescue;

use std::marker::PhantomData;
use std::ops::Range;

use self::element::halves;
pub(super) use self::element::{Element, word};
use super::Simd;
use super::doubles::{Doubles, MAX_WIDTH};
use super::rows::{HashRows, MergePairs, Rows, SideBySide, merge_each, side_by_side};
use super::simd::{Level, Vectorised, Vectors, on_vectors};
use crate::field::Goldilocks;
use crate::hash::rescue_power_maps::{seventh_powers, seventh_roots};
use crate::hash::{
    Absorb, ElementDigest, Merge, Poseidon2_8, Poseidon2_12, Rp64_256, Rp64_256V2021, RpJive64_256, Rpo256,
    Rpx256, Sponge,
};

/// Elements of two digests, and the most that a permutation absorbs.
const PAIR: usize = 8;

/// The most vectors of states that are permuted together.
const MOST_TOGETHER: usize = 4;

/// Words of a digest.
const DIGEST: usize = 4;

/// The fewest hashes that are worth a vector of their own: for Rescue Prime a vector takes as long as 3.3 hashes one by one with AVX-512,
/// as 2.3 with AVX2.
const MIN_HASHES: usize = 3;

/// A state, or as many as the vectors are wide.
type State<D, const N: usize> = [Element<D>; N];

/// A sponge with a permutation of `N` words on doubles.
trait OnDoubles<const N: usize>: Sponge {
    /// The number of states that are best permuted together, [`MOST_TOGETHER`] or fewer.
    const TOGETHER: usize = 1;

    /// Permutes a normalised state.
    fn permute_doubles<D: Doubles>(state: &mut State<D, N>);

    /// Permutes several.
    #[inline(always)]
    fn permute_states<D: Doubles>(states: &mut [State<D, N>]) {
        for state in states {
            Self::permute_doubles(state);
        }
    }
}

/// Makes [`SideBySide`] of sponges with so many words.
macro_rules! on_doubles {
    ($($hash:ident, $width:literal;)*) => {$(
        side_by_side!([] $hash, Doubles, in_vectors, rows of at most usize::MAX);

        impl<D: Doubles> Vectorised<D> for HashRows<'_, $hash> {
            #[inline(always)]
            fn run(self) {
                hash_rows::<$hash, D, $width>(self.rows, self.digests);
            }
        }

        impl<D: Doubles> Vectorised<D> for MergePairs<'_, $hash> {
            #[inline(always)]
            fn run(self) {
                merge_pairs::<$hash, D, $width>(self.children, self.nodes);
            }
        }
    )*};
}
on_doubles! {
    Rp64_256, 12;
    Rp64_256V2021, 12;
    RpJive64_256, 8;
    Rpo256, 12;
    Rpx256, 12;
    Poseidon2_8, 8;
    Poseidon2_12, 12;
}

/// How many of so many hashes to do in vectors: whole ones, and the rest where that is worth one.
fn in_vectors(count: usize, lanes: usize) -> usize {
    let rest = count % lanes;
    count - if rest < MIN_HASHES { rest } else { 0 }
}

/// Whether all words of a state go through an S-box at once, rather than half of them: where there are 32 registers, those hold the
/// coordinates of half a state; with fewer the words are in memory anyway.
#[inline(always)]
fn whole_states<D: Doubles>() -> bool {
    <D::Level as Level>::REGISTERS < 32
}

/// A power map on every word of a state.
macro_rules! on_every_word {
    ($state:expr, $powers:path) => {
        if whole_states::<D>() {
            *$state = $powers($state);
        } else if N == 12 {
            for words in $state.as_chunks_mut::<6>().0 {
                *words = $powers(words);
            }
        } else {
            for words in $state.as_chunks_mut::<4>().0 {
                *words = $powers(words);
            }
        }
    };
}

/// The S-box x^7 on every word.
#[inline(always)]
fn s_box_layer<D: Doubles, const N: usize>(state: &mut State<D, N>) {
    on_every_word!(state, seventh_powers);
}

/// The inverse S-box, the 7th root, on every word.
#[inline(always)]
fn inverse_s_box_layer<D: Doubles, const N: usize>(state: &mut State<D, N>) {
    on_every_word!(state, seventh_roots);
}

/// The sums with round constants, normalised.
#[inline(always)]
fn add_round_constants<D: Doubles, const N: usize>(state: &mut State<D, N>, constants: &[u64; N]) {
    for (word, &constant) in state.iter_mut().zip(constants) {
        *word = word.plus(splat(constant)).normalise();
    }
}

/// A constant in every lane.
#[inline(always)]
fn splat<D: Doubles>(constant: u64) -> Element<D> {
    let (lower, upper) = halves(Goldilocks::new(constant));
    Element { x0: D::splat(lower), x1: D::splat(upper) }
}

/// The digests of as many rows; lanes without a row hash zeros.
#[inline(always)]
fn hash_rows<S: OnDoubles<N>, D: Doubles, const N: usize>(rows: Rows<'_>, digests: &mut [ElementDigest]) {
    let (mode, together) = (S::MODE, S::TOGETHER * D::WIDTH);
    for (i, digests) in digests.chunks_mut(together).enumerate() {
        let rows = rows.from(i * together);
        let mut states = [[Element::<D>::zero(); N]; MOST_TOGETHER];
        let states = &mut states[..digests.len().div_ceil(D::WIDTH)];
        if let Some((word, start)) = mode.start(rows.width()) {
            for state in states.iter_mut() {
                state[word] = splat(start).normalise();
            }
        }
        for first in (0..rows.width()).step_by(mode.rate) {
            let words = first..rows.width().min(first + mode.rate);
            for (i, (state, digests)) in states.iter_mut().zip(digests.chunks(D::WIDTH)).enumerate() {
                absorb::<S, D, N>(state, rows.from(i * D::WIDTH), words.clone(), digests.len());
            }
            permute::<S, D, N>(states);
        }
        for (state, digests) in states.iter().zip(digests.chunks_mut(D::WIDTH)) {
            squeeze::<S, D, N>(state, digests);
        }
    }
}

/// Takes some words of as many rows into a state: a block, or what a row ends with.
#[inline(always)]
fn absorb<S: OnDoubles<N>, D: Doubles, const N: usize>(
    state: &mut State<D, N>,
    rows: Rows<'_>,
    words: Range<usize>,
    lanes: usize,
) {
    let (mode, count) = (S::MODE, words.len());
    let mut blocks = [[Goldilocks::default(); PAIR]; MAX_WIDTH];
    rows.block(words, &mut blocks[..lanes]);
    for j in 0..mode.rate {
        let word = &mut state[mode.rate_word + j];
        if j < count {
            let element = column(&blocks, j);
            *word = match mode.absorb {
                Absorb::Add => word.plus(element).normalise(),
                Absorb::Overwrite => element.normalise(),
            };
        } else if let Some(padding) = mode.rest(j - count) {
            *word = splat(padding);
        }
    }
}

/// Permutes states.
#[inline(always)]
fn permute<S: OnDoubles<N>, D: Doubles, const N: usize>(states: &mut [State<D, N>]) {
    struct Permute<'a, S, D: Doubles, const N: usize>(&'a mut [State<D, N>], PhantomData<S>);

    impl<S: OnDoubles<N>, D: Doubles, const N: usize> Vectorised<D> for Permute<'_, S, D, N> {
        #[inline(always)]
        fn run(self) {
            S::permute_states::<D>(self.0);
        }
    }

    D::part(Permute::<S, D, N>(states, PhantomData));
}

/// Writes the digests of as many lanes, from normalised words.
#[inline(always)]
fn squeeze<S: OnDoubles<N>, D: Doubles, const N: usize>(state: &State<D, N>, digests: &mut [ElementDigest]) {
    for k in 0..DIGEST {
        store(&state[S::MODE.rate_word + k], k, digests);
    }
}

/// Word `j` of every block.
#[inline(always)]
fn column<D: Doubles>(blocks: &[[Goldilocks; PAIR]; MAX_WIDTH], j: usize) -> Element<D> {
    let (mut x0, mut x1) = ([0.0; MAX_WIDTH], [0.0; MAX_WIDTH]);
    for i in 0..D::WIDTH {
        (x0[i], x1[i]) = halves(blocks[i][j]);
    }
    Element::load(&x0, &x1)
}

/// Writes word `k` of as many digests as there are, from a normalised element.
#[inline(always)]
fn store<D: Doubles>(element: &Element<D>, k: usize, digests: &mut [ElementDigest]) {
    let (mut x0, mut x1) = ([0.0; MAX_WIDTH], [0.0; MAX_WIDTH]);
    element.x0.store(&mut x0);
    element.x1.store(&mut x1);
    for (i, digest) in digests.iter_mut().enumerate() {
        digest.0[k] = word(x0[i], x1[i]);
    }
}

/// The digests of pairs, by one permutation each, or as the sponge has it.
#[inline(always)]
fn merge_pairs<S: OnDoubles<N>, D: Doubles, const N: usize>(
    children: &[ElementDigest],
    nodes: &mut [ElementDigest],
) {
    if S::MODE.merge == Merge::Sponge {
        // A merge is the hash of the children's words.
        return hash_rows::<S, D, N>(Rows::row_major(bytemuck::cast_slice(children), PAIR), nodes);
    }
    let pairs: &[[Goldilocks; PAIR]] = bytemuck::cast_slice(children);
    let together = S::TOGETHER * D::WIDTH;
    for (nodes, pairs) in nodes.chunks_mut(together).zip(pairs.chunks(together)) {
        let mut states = [[Element::<D>::zero(); N]; MOST_TOGETHER];
        let states = &mut states[..nodes.len().div_ceil(D::WIDTH)];
        for (state, pairs) in states.iter_mut().zip(pairs.chunks(D::WIDTH)) {
            let mut blocks = [[Goldilocks::default(); PAIR]; MAX_WIDTH];
            blocks[..pairs.len()].copy_from_slice(pairs);
            for (j, element) in state[..PAIR].iter_mut().enumerate() {
                *element = column(&blocks, j).normalise();
            }
        }
        let mut before = [[Element::<D>::zero(); N]; MOST_TOGETHER];
        if S::MODE.merge == Merge::Jive {
            before[..states.len()].copy_from_slice(states);
        }
        permute::<S, D, N>(states);
        for ((state, before), nodes) in states.iter_mut().zip(&before).zip(nodes.chunks_mut(D::WIDTH)) {
            if S::MODE.merge == Merge::Jive {
                for k in 0..DIGEST {
                    let halves = state[k].plus(state[DIGEST + k]);
                    let digest = halves.plus(before[k].plus(before[DIGEST + k])).normalise();
                    state[S::MODE.rate_word + k] = digest;
                }
            }
            squeeze::<S, D, N>(state, nodes);
        }
    }
}

#[cfg(test)]
mod tests;
