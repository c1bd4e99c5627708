//! RpJive64_256: Rescue Prime over Goldilocks with a state of eight words, whose merges are Jive's: winterfell's.
//!
//! The permutation is that of `rescue.rs` with other constants and a circulant matrix of eight words. One absorbs four words
//! a permutation, but merges eight with one, at two thirds of the work of a state of twelve.

use super::rescue::{permute, textbook};
use super::rescue_linear::circulant;
use super::rp_jive_constants::{ARK1, ARK2, MDS_CIRCULANT_ROW, WIDTH};
use super::sponge::{Absorb, Merge, Mode, Padding, Sponge, sponge_hasher};
use crate::field::Goldilocks;

/// Rescue Prime with Jive compression, as winter-crypto has it.
///
/// Equal to winter-crypto 0.13.1 in everything, bytes included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RpJive64_256;

impl Sponge for RpJive64_256 {
    type State = [Goldilocks; WIDTH];

    const MODE: Mode = Mode {
        rate_word: 4,
        rate: 4,
        absorb: Absorb::Add,
        padding: Padding::OneAndZeros(0),
        merge: Merge::Jive,
    };

    fn permute(state: &mut Self::State) {
        permute(state, (&ARK1, &ARK2), circulant);
    }

    fn permute_textbook(state: &mut Self::State) {
        textbook(state, (&ARK1, &ARK2), |row, column| MDS_CIRCULANT_ROW[(WIDTH + column - row) % WIDTH]);
    }
}

sponge_hasher!(RpJive64_256, "rp_jive64_256");
