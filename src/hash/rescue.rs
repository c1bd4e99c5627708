//! Rescue Prime over Goldilocks, in the two variants that are in use.
//!
//! The permutation (Szepieniec, Ashur, Dhooghe, "Rescue-Prime: a standard specification", eprint 2020/1143,
//! algorithm 3) acts on 12 field elements in 7 rounds. A round is: every word to the 7th power, MDS, add `ARK1`;
//! every word to the power 1/7, MDS, add `ARK2`. Here 1/7 mod (p - 1) = 10540996611094048183.
//!
//! It stands here twice: [`textbook`] as the paper writes it, the oracle of the tests and of the reference backend,
//! and in production form in `rescue_power_maps` and `rescue_linear`.

use super::rescue_constants::{ARK1, ARK2, MDS_2021, MDS_CIRCULANT_ROW, ROUNDS, WIDTH};
use super::rescue_linear::{circulant, dense};
use super::rescue_power_maps::{State, seventh_powers, seventh_roots};
use super::sponge::{Sponge, sponge_hasher};
use crate::field::{Field, Goldilocks};
use std::ops::Range;

/// Rescue Prime as winterfell has had it since July 2022: the capacity first, a circulant MDS matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rp64_256;

/// Rescue Prime as winterfell had it in November 2021: the capacity last, an MDS matrix derived from a
/// Vandermonde matrix. The published OpenCL, SYCL and SIMD Merkle trees compute this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rp64_256V2021;

impl Sponge for Rp64_256 {
    const RATE_WORDS: Range<usize> = 4..12;
    const LENGTH_WORD: usize = 0;
    const DIGEST_WORDS: Range<usize> = 4..8;

    fn permute(state: &mut [Goldilocks; 12]) {
        permute(state, circulant);
    }

    fn permute_textbook(state: &mut [Goldilocks; 12]) {
        textbook(state, |row, column| MDS_CIRCULANT_ROW[(WIDTH + column - row) % WIDTH]);
    }
}

impl Sponge for Rp64_256V2021 {
    const RATE_WORDS: Range<usize> = 0..8;
    const LENGTH_WORD: usize = 11;
    const DIGEST_WORDS: Range<usize> = 0..4;

    fn permute(state: &mut [Goldilocks; 12]) {
        permute(state, dense);
    }

    fn permute_textbook(state: &mut [Goldilocks; 12]) {
        textbook(state, |row, column| MDS_2021[row][column]);
    }
}

sponge_hasher!(Rp64_256, "rp64_256");
sponge_hasher!(Rp64_256V2021, "rp64_256_v2021");

/// The permutation on words that stand for their residues; canonical words come in and go out.
#[inline]
fn permute(state: &mut [Goldilocks; WIDTH], linear: impl Fn(&State, &State) -> State) {
    let mut words = state.map(Goldilocks::as_u64);
    for (ark1, ark2) in ARK1.iter().zip(&ARK2) {
        words = linear(&seventh_powers(&words), ark1);
        words = linear(&roots(&words), ark2);
    }
    *state = words.map(Goldilocks::new);
}

/// The 7th roots of a state. Never inlined: on its own it gets all registers.
#[inline(never)]
fn roots(words: &State) -> State {
    seventh_roots(words)
}

/// The permutation as the paper writes it.
fn textbook(state: &mut [Goldilocks; WIDTH], mds: impl Fn(usize, usize) -> u64) {
    const INVERSE_ALPHA: u64 = 10540996611094048183;
    for round in 0..ROUNDS {
        for (exponent, constants) in [(7, &ARK1[round]), (INVERSE_ALPHA, &ARK2[round])] {
            let powers = state.map(|x| x.pow(exponent));
            for (i, word) in state.iter_mut().enumerate() {
                *word = (0..WIDTH).map(|j| powers[j] * Goldilocks::new(mds(i, j))).sum();
                *word += Goldilocks::new(constants[i]);
            }
        }
    }
}
