//! Poseidon2 over Goldilocks with states of 8 and of 12 words, as Plonky3 has them.
//!
//! The permutation (Grassi, Khovratovich, Schofnegger, "Poseidon2: a faster version of the Poseidon hash function", eprint 2023/323,
//! section 5): the outer matrix; four full rounds; 22 partial ones; four full ones. A full round adds constants, raises every word to the
//! 7th power and multiplies by the outer matrix; a partial one does the first two to the first word only and multiplies by the
//! inner matrix.
//!
//! The outer matrix cuts the state into groups of four, multiplies each by
//!
//! ```text
//! 2 3 1 1
//! 1 2 3 1
//! 1 1 2 3
//! 3 1 1 2
//! ```
//!
//! and adds to each word the sum of the words at its position in all groups. The inner one multiplies each word by a diagonal
//! element, which is a small integer or 1 over a power of two, and adds the sum of all words
//! ([`poseidon2_constants`](super::poseidon2_constants)).

use std::ops::Add;

pub(crate) use super::poseidon2_constants::{Constants, OF_8, OF_12};
use super::poseidon2_constants::{HALF_FULL_ROUNDS, PARTIAL_ROUNDS};
use super::rescue_linear::join;
use super::rescue_power_maps::{EPSILON, add_rare, seventh_powers};
use super::sponge::{Absorb, Merge, Mode, Padding, Sponge, sponge_hasher};
use crate::field::{Field, Goldilocks, MODULUS};

/// Poseidon2 with a state of eight words, in Plonky3's `PaddingFreeSponge<_, 8, 4, 4>` and, for merges,
/// `TruncatedPermutation<_, 2, 4, 8>`.
///
/// Equal to p3-goldilocks 0.8 on elements and digests. Plonky3's sponge does not distinguish inputs of different lengths: the
/// verifier must know the length of rows. It has no hash of bytes, nor of an integer; here those put the length first, or have a
/// fixed length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(non_camel_case_types)]
pub struct Poseidon2_8;

/// Poseidon2 with a state of twelve words, in Plonky3's `PaddingFreeSponge<_, 12, 8, 4>` and, for merges,
/// `TruncatedPermutation<_, 2, 4, 12>`; else as [`Poseidon2_8`].
///
/// Miden's `Poseidon2` has the same permutation and distinguishes lengths: digests are equal where the number of elements is a
/// multiple of eight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(non_camel_case_types)]
pub struct Poseidon2_12;

impl Sponge for Poseidon2_8 {
    type State = [Goldilocks; 8];

    const MODE: Mode = Mode {
        rate_word: 0,
        rate: 4,
        absorb: Absorb::Overwrite,
        padding: Padding::None,
        merge: Merge::Truncated,
    };

    fn permute(state: &mut Self::State) {
        permute(state, &OF_8);
    }

    fn permute_textbook(state: &mut Self::State) {
        textbook(state, &OF_8);
    }
}

impl Sponge for Poseidon2_12 {
    type State = [Goldilocks; 12];

    const MODE: Mode = Mode {
        rate_word: 0,
        rate: 8,
        absorb: Absorb::Overwrite,
        padding: Padding::None,
        merge: Merge::Sponge,
    };

    fn permute(state: &mut Self::State) {
        permute(state, &OF_12);
    }

    fn permute_textbook(state: &mut Self::State) {
        textbook(state, &OF_12);
    }
}

sponge_hasher!(Poseidon2_8, "poseidon2_8");
sponge_hasher!(Poseidon2_12, "poseidon2_12");

/// The outer matrix times integers, one or several side by side; no result exceeds 28 times the largest.
#[inline(always)]
pub(crate) fn outer<I: Copy + Add<Output = I>, const N: usize>(x: &mut [I; N]) {
    for group in x.as_chunks_mut::<4>().0 {
        let [a, b, c, d] = *group;
        let (ab, cd) = (a + b, c + d);
        let all = ab + cd;
        let (with_b, with_d) = (all + b, all + d);
        *group = [with_b + ab, with_b + (c + c), with_d + cd, with_d + (a + a)];
    }
    let mut sums = [x[0]; 4];
    for i in 0..4 {
        sums[i] = x[i] + x[i + 4];
        for group in 2..N / 4 {
            sums[i] = sums[i] + x[4 * group + i];
        }
    }
    for i in 0..N {
        x[i] = x[i] + sums[i % 4];
    }
}

/// The permutation on words that stand for their residues; canonical words come in and go out.
#[inline(always)]
fn permute<const N: usize>(state: &mut [Goldilocks; N], constants: &Constants<N>) {
    let mut words = outer_and_constants(&state.map(Goldilocks::as_u64), &constants.initial[0]);
    for round in 1..HALF_FULL_ROUNDS {
        words = outer_and_constants(&seventh_powers(&words), &constants.initial[round]);
    }
    // The constant of the first partial round, the others of the next, belong to the first word.
    let mut first = [0; N];
    first[0] = constants.partial[0];
    words = outer_and_constants(&seventh_powers(&words), &first);
    for round in 1..=PARTIAL_ROUNDS {
        [words[0]] = seventh_powers(&[words[0]]);
        words = inner(&words, &constants.diagonal);
        if round < PARTIAL_ROUNDS {
            words[0] = add_rare(words[0], constants.partial[round]);
        }
    }
    for (word, &constant) in words.iter_mut().zip(&constants.terminal[0]) {
        *word = add_rare(*word, constant);
    }
    for round in 1..HALF_FULL_ROUNDS {
        words = outer_and_constants(&seventh_powers(&words), &constants.terminal[round]);
    }
    *state = outer_and_constants(&seventh_powers(&words), &[0; N]).map(Goldilocks::new);
}

/// The outer matrix times the state, plus constants.
#[inline(always)]
fn outer_and_constants<const N: usize>(words: &[u64; N], constants: &[u64; N]) -> [u64; N] {
    let mut low = words.map(|word| (word & EPSILON) as i64);
    let mut high = words.map(|word| (word >> 32) as i64);
    outer(&mut low);
    outer(&mut high);
    join(&low, &high, constants)
}

/// The inner matrix times the state.
#[inline(always)]
fn inner<const N: usize>(words: &[u64; N], diagonal: &[(i32, u32); N]) -> [u64; N] {
    let sum = words.iter().map(|&word| word as u128).sum::<u128>();
    let mut product = *words;
    for (word, &(factor, shift)) in product.iter_mut().zip(diagonal) {
        let part = halve(*word, shift) as u128;
        // Negative multiples from a multiple of p that is larger than they are.
        let multiple = match factor < 0 {
            true => factor.unsigned_abs() as u128 * (2 * MODULUS as u128 - part),
            false => factor as u128 * part,
        };
        let total = sum + multiple;
        // Below 2^64 times 12 + 8, so that what stands for the upper half overflows once in 2^27 times.
        *word = add_rare(total as u64, (total >> 64) as u64 * EPSILON);
    }
    product
}

/// x / 2^n modulo p: with a multiple of p, which is 1 modulo 2^n, that makes it divisible.
#[inline(always)]
fn halve(x: u64, n: u32) -> u64 {
    let missing = x.wrapping_neg() & ((1 << n) - 1);
    ((x as u128 + missing as u128 * MODULUS as u128) >> n) as u64
}

/// The permutation as the paper writes it, matrix by matrix.
fn textbook<const N: usize>(state: &mut [Goldilocks; N], constants: &Constants<N>) {
    const GROUP: [[u64; 4]; 4] = [[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]];
    let times = |state: &[Goldilocks; N], entry: &dyn Fn(usize, usize) -> Goldilocks| {
        std::array::from_fn(|i| (0..N).map(|j| entry(i, j) * state[j]).sum())
    };
    let outer =
        |i: usize, j: usize| Goldilocks::new(GROUP[i % 4][j % 4] * if i / 4 == j / 4 { 2 } else { 1 });
    let half = Goldilocks::new(MODULUS.div_ceil(2));
    let diagonal = constants.diagonal.map(|(factor, shift)| {
        let size = Goldilocks::from(factor.unsigned_abs()) * half.pow(shift.into());
        if factor < 0 { -size } else { size }
    });
    let inner = |i: usize, j: usize| if i == j { diagonal[i] + Goldilocks::ONE } else { Goldilocks::ONE };
    *state = times(state, &outer);
    let full = |state: &mut [Goldilocks; N], rounds: &[[u64; N]]| {
        for constants in rounds {
            let sums: [Goldilocks; N] = std::array::from_fn(|i| state[i] + Goldilocks::new(constants[i]));
            *state = times(&sums.map(|x| x.pow(7)), &outer);
        }
    };
    full(state, &constants.initial);
    for &constant in &constants.partial {
        state[0] = (state[0] + Goldilocks::new(constant)).pow(7);
        *state = times(state, &inner);
    }
    full(state, &constants.terminal);
}
