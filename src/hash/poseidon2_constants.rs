//! The constants of Poseidon2 over Goldilocks with states of 8 and of 12 words, as canonical words.
//!
//! They are those of Plonky3 (p3-goldilocks 0.8): round constants by the Grain generator of the Poseidon paper (Grassi, Khovratovich,
//! Rechberger, Roy, Schofnegger, eprint 2019/458, appendix E), and diagonals of small values and powers of 1/2. Other implementations have the same round constants with other matrices, so that they are
//! other functions.

use crate::field::MODULUS;

/// Rounds with an S-box on every word, before the partial ones, and again after them.
pub const HALF_FULL_ROUNDS: usize = 4;

/// Rounds with an S-box on the first word only.
pub const PARTIAL_ROUNDS: usize = 22;

/// The diagonal D of the inner matrix, which is D plus ones everywhere, as m / 2^s: (m, s).
pub const DIAGONAL_8: [(i32, u32); 8] = [(-2, 0), (1, 0), (2, 0), (1, 1), (3, 0), (-1, 1), (-3, 0), (-4, 0)];

/// The same for twelve words.
pub const DIAGONAL_12: [(i32, u32); 12] =
    [(-2, 0), (1, 0), (2, 0), (1, 1), (3, 0), (4, 0), (-1, 1), (-3, 0), (-4, 0), (1, 2), (-1, 2), (1, 3)];

/// The constants of a state of `N` words.
pub(crate) struct Constants<const N: usize> {
    pub(crate) initial: [[u64; N]; HALF_FULL_ROUNDS],
    pub(crate) partial: [u64; PARTIAL_ROUNDS],
    pub(crate) terminal: [[u64; N]; HALF_FULL_ROUNDS],
    pub(crate) diagonal: [(i32, u32); N],
}

impl<const N: usize> Constants<N> {
    /// Those with a diagonal; the others are what the generator makes, in this order.
    const fn new(diagonal: [(i32, u32); N]) -> Self {
        let mut grain = Grain::new(N);
        let (initial, partial) = (grain.full_rounds(), grain.words());
        Self { initial, partial, terminal: grain.full_rounds(), diagonal }
    }
}

/// Those of eight words.
pub(crate) const OF_8: Constants<8> = Constants::new(DIAGONAL_8);

/// Those of twelve.
pub(crate) const OF_12: Constants<12> = Constants::new(DIAGONAL_12);

/// A register of 80 bits with feedback, the oldest bit the highest. Of every two bits, the second counts where the first is 1.
struct Grain(u128);

impl Grain {
    /// The register for 64-bit primes, the S-box x^a, and these numbers of words and of rounds; 160 bits are dropped.
    const fn new(words: usize) -> Self {
        let numbers =
            (words as u128) << 50 | (2 * HALF_FULL_ROUNDS as u128) << 40 | (PARTIAL_ROUNDS as u128) << 30;
        let mut grain = Self(1 << 78 | 64 << 62 | numbers | ((1 << 30) - 1));
        let mut dropped = 0;
        while dropped < 160 {
            grain.bit();
            dropped += 1;
        }
        grain
    }

    const fn bit(&mut self) -> u64 {
        let Self(bits) = *self;
        let bit = (bits >> 79 ^ bits >> 66 ^ bits >> 56 ^ bits >> 41 ^ bits >> 28 ^ bits >> 17) & 1;
        self.0 = (bits << 1 | bit) & ((1 << 80) - 1);
        bit as u64
    }

    /// The next 64 bits that are below p, highest first.
    const fn word(&mut self) -> u64 {
        let (mut word, mut missing) = (0, 64);
        while missing > 0 {
            if self.bit() == 1 {
                word = word << 1 | self.bit();
                missing -= 1;
            } else {
                self.bit();
            }
        }
        if word < MODULUS { word } else { self.word() }
    }

    const fn words<const N: usize>(&mut self) -> [u64; N] {
        let (mut words, mut i) = ([0; N], 0);
        while i < N {
            words[i] = self.word();
            i += 1;
        }
        words
    }

    const fn full_rounds<const N: usize>(&mut self) -> [[u64; N]; HALF_FULL_ROUNDS] {
        [self.words(), self.words(), self.words(), self.words()]
    }
}

/// Added before the S-boxes of the full rounds of 8 words, those before the partial rounds.
pub const INITIAL_8: [[u64; 8]; HALF_FULL_ROUNDS] = OF_8.initial;

/// Those after.
pub const TERMINAL_8: [[u64; 8]; HALF_FULL_ROUNDS] = OF_8.terminal;

/// Added to the first word in the partial rounds of 8 words.
pub const PARTIAL_8: [u64; PARTIAL_ROUNDS] = OF_8.partial;

/// Added before the S-boxes of the full rounds of 12 words, those before the partial rounds.
pub const INITIAL_12: [[u64; 12]; HALF_FULL_ROUNDS] = OF_12.initial;

/// Those after.
pub const TERMINAL_12: [[u64; 12]; HALF_FULL_ROUNDS] = OF_12.terminal;

/// Added to the first word in the partial rounds of 12 words.
pub const PARTIAL_12: [u64; PARTIAL_ROUNDS] = OF_12.partial;
