//! Rescue Prime over Goldilocks, in the two variants that are in use.
//!
//! The permutation (Szepieniec, Ashur, Dhooghe, "Rescue-Prime: a standard specification", eprint 2020/1143,
//! algorithm 3) acts on 12 field elements in 7 rounds. A round is: every word to the 7th power, MDS, add `ARK1`;
//! every word to the power 1/7, MDS, add `ARK2`. Here 1/7 mod (p - 1) = 10540996611094048183.
//!
//! It is implemented twice: [`textbook`] as the paper writes it, the oracle of the tests and of the reference backend,
//! and in production form in `rescue_power_maps` and `rescue_linear`.

use super::rescue_constants::{ARK1, ARK2, MDS_2021, MDS_CIRCULANT_ROW, ROUNDS, WIDTH};
use super::rescue_linear::{circulant, dense};
use super::rescue_power_maps::{seventh_powers, seventh_roots};
use super::sponge::{Absorb, Merge, Mode, Padding, Sponge, sponge_hasher};
use crate::field::{Field, Goldilocks};

/// Rescue Prime as winterfell has had it since July 2022: the capacity first, a circulant MDS matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rp64_256;

/// Rescue Prime as winterfell had it in November 2021: the capacity last, an MDS matrix derived from a
/// Vandermonde matrix. The published OpenCL, SYCL and SIMD Merkle trees compute this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rp64_256V2021;

impl Sponge for Rp64_256 {
    type State = [Goldilocks; WIDTH];

    const MODE: Mode = Mode {
        rate_word: 4,
        rate: 8,
        absorb: Absorb::Add,
        padding: Padding::Length(0),
        merge: Merge::Sponge,
    };

    fn permute(state: &mut Self::State) {
        permute(state, (&ARK1, &ARK2), circulant);
    }

    fn permute_textbook(state: &mut Self::State) {
        textbook(state, (&ARK1, &ARK2), |row, column| MDS_CIRCULANT_ROW[(WIDTH + column - row) % WIDTH]);
    }
}

impl Sponge for Rp64_256V2021 {
    type State = [Goldilocks; WIDTH];

    const MODE: Mode = Mode {
        rate_word: 0,
        rate: 8,
        absorb: Absorb::Add,
        padding: Padding::Length(11),
        merge: Merge::Sponge,
    };

    fn permute(state: &mut Self::State) {
        permute(state, (&ARK1, &ARK2), dense);
    }

    fn permute_textbook(state: &mut Self::State) {
        textbook(state, (&ARK1, &ARK2), |row, column| MDS_2021[row][column]);
    }
}

sponge_hasher!(Rp64_256, "rp64_256");
sponge_hasher!(Rp64_256V2021, "rp64_256_v2021");

/// The constants of both halves of every round.
pub(super) type Constants<'a, const N: usize> = (&'a [[u64; N]; ROUNDS], &'a [[u64; N]; ROUNDS]);

/// The permutation on words that stand for their residues; canonical words come in and go out.
#[inline]
pub(super) fn permute<const N: usize>(
    state: &mut [Goldilocks; N],
    (ark1, ark2): Constants<'_, N>,
    linear: impl Fn(&[u64; N], &[u64; N]) -> [u64; N],
) {
    let mut words = state.map(Goldilocks::as_u64);
    for (ark1, ark2) in ark1.iter().zip(ark2) {
        words = linear(&seventh_powers(&words), ark1);
        words = linear(&roots(&words), ark2);
    }
    *state = words.map(Goldilocks::new);
}

/// The 7th roots of a state. Never inlined: on its own it gets all registers.
#[inline(never)]
pub(super) fn roots<const N: usize>(words: &[u64; N]) -> [u64; N] {
    seventh_roots(words)
}

/// The exponent 1/7.
pub(super) const INVERSE_ALPHA: u64 = 10540996611094048183;

/// The permutation as the paper writes it.
pub(super) fn textbook<const N: usize>(
    state: &mut [Goldilocks; N],
    (ark1, ark2): Constants<'_, N>,
    mds: impl Fn(usize, usize) -> u64,
) {
    for round in 0..ROUNDS {
        for (exponent, constants) in [(7, &ark1[round]), (INVERSE_ALPHA, &ark2[round])] {
            *state = textbook_layer(&textbook_powers(state, exponent), constants, &mds);
        }
    }
}

/// The power of each element of a state, by squaring and multiplying. All at once: one after another, each product would wait for the one before.
pub(super) fn textbook_powers<const N: usize>(state: &[Goldilocks; N], exponent: u64) -> [Goldilocks; N] {
    let mut powers = [Goldilocks::ONE; N];
    for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
        powers = powers.map(Field::square);
        if exponent >> bit & 1 == 1 {
            powers.iter_mut().zip(state).for_each(|(power, &x)| *power *= x);
        }
    }
    powers
}

/// The matrix times the state, plus constants, as the paper writes it.
pub(super) fn textbook_layer<const N: usize>(
    state: &[Goldilocks; N],
    constants: &[u64; N],
    mds: impl Fn(usize, usize) -> u64,
) -> [Goldilocks; N] {
    std::array::from_fn(|i| {
        let product: Goldilocks = (0..N).map(|j| state[j] * Goldilocks::new(mds(i, j))).sum();
        product + Goldilocks::new(constants[i])
    })
}
