//! Rescue Prime Optimized (RPO256) and its extension (RPX256), as Miden has them.
//!
//! RPO (Ashur, Kindi, Meier, Szepieniec, Threadbare, "Rescue-Prime Optimized", eprint 2022/1577) is Rescue Prime with the linear layer
//! before the S-boxes; a round is: MDS, add `ARK1`, every word to the 7th power; MDS, add `ARK2`, every word to the power 1/7.
//!
//! RPX (XHash12 of Ashur, Bhati, Kindi, Mahzoun, Perrin, "XHash: efficient STARK-friendly hash functions", eprint 2023/1045) has such a
//! round (FB) three times only. Between them (E), after the addition of `ARK1`, the words are four elements of the cubic extension,
//! which are raised to the 7th power; last comes (M), MDS and `ARK1`: FB E FB E FB E M.

use super::rescue::{INVERSE_ALPHA, roots, textbook_layer, textbook_powers};
use super::rescue_constants::{MDS_CIRCULANT_ROW, ROUNDS, WIDTH};
use super::rescue_linear::circulant;
use super::rescue_power_maps::seventh_powers;
use super::rpo_constants::{ARK1, ARK2};
use super::sponge::{Absorb, Merge, Mode, Padding, Sponge, sponge_hasher};
use crate::field::{Cubic, Field, Goldilocks};

/// Rescue Prime Optimized, as miden-crypto has it.
///
/// Equal to miden-crypto 0.28.1 on elements, digests and bytes. [`Hasher::merge_with_int`](super::Hasher::merge_with_int), which is no
/// longer there, is the hash of the seed's words and the value's, as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rpo256;

/// Rescue Prime Extension, as miden-crypto has it; as [`Rpo256`] but for the permutation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rpx256;

const MODE: Mode = Mode {
    rate_word: 0,
    rate: 8,
    absorb: Absorb::Overwrite,
    padding: Padding::Remainder(8),
    merge: Merge::Sponge,
};

/// The rounds of RPX with power maps of the extension; after them comes one without.
const EXTENSION_ROUNDS: [usize; 3] = [1, 3, 5];

/// The last round of RPX.
const FINAL_ROUND: usize = 6;

impl Sponge for Rpo256 {
    type State = [Goldilocks; WIDTH];

    const MODE: Mode = MODE;

    fn permute(state: &mut Self::State) {
        let mut words = state.map(Goldilocks::as_u64);
        for round in 0..ROUNDS {
            words = full_round(&words, round);
        }
        *state = words.map(Goldilocks::new);
    }

    fn permute_textbook(state: &mut Self::State) {
        for round in 0..ROUNDS {
            textbook_round(state, round);
        }
    }
}

impl Sponge for Rpx256 {
    type State = [Goldilocks; WIDTH];

    const MODE: Mode = MODE;

    fn permute(state: &mut Self::State) {
        for round in EXTENSION_ROUNDS {
            let words = full_round(&state.map(Goldilocks::as_u64), round - 1).map(Goldilocks::new);
            *state = extension_powers(words, &ARK1[round], |x| {
                let cube = x * x * x;
                cube * cube * x
            });
        }
        *state = circulant(&state.map(Goldilocks::as_u64), &ARK1[FINAL_ROUND]).map(Goldilocks::new);
    }

    fn permute_textbook(state: &mut Self::State) {
        for round in EXTENSION_ROUNDS {
            textbook_round(state, round - 1);
            *state = extension_powers(*state, &ARK1[round], |x| x.pow(7));
        }
        *state = textbook_layer(state, &ARK1[FINAL_ROUND], mds);
    }
}

sponge_hasher!(Rpo256, "rpo256");
sponge_hasher!(Rpx256, "rpx256");

/// A round of RPO on words that stand for their residues.
#[inline(always)]
fn full_round(words: &[u64; WIDTH], round: usize) -> [u64; WIDTH] {
    let words = seventh_powers(&circulant(words, &ARK1[round]));
    roots(&circulant(&words, &ARK2[round]))
}

/// The sums with constants, three words an element of the extension, to the 7th power.
#[inline(always)]
fn extension_powers(
    mut state: [Goldilocks; WIDTH],
    constants: &[u64; WIDTH],
    seventh_power: impl Fn(Cubic) -> Cubic,
) -> [Goldilocks; WIDTH] {
    for (word, &constant) in state.iter_mut().zip(constants) {
        *word += Goldilocks::new(constant);
    }
    for triple in state.as_chunks_mut::<3>().0 {
        *triple = seventh_power(Cubic(*triple)).0;
    }
    state
}

fn mds(row: usize, column: usize) -> u64 {
    MDS_CIRCULANT_ROW[(WIDTH + column - row) % WIDTH]
}

fn textbook_round(state: &mut [Goldilocks; WIDTH], round: usize) {
    for (exponent, constants) in [(7, &ARK1[round]), (INVERSE_ALPHA, &ARK2[round])] {
        *state = textbook_powers(&textbook_layer(state, constants, mds), exponent);
    }
}
