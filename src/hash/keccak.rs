//! Keccak (Bertoni, Daemen, Peeters, Van Assche, "The Keccak reference", 2011) with a capacity of 512 bits: Keccak-256, as Ethereum has
//! it, and SHA3-256 (NIST, FIPS 202).
//!
//! A message is padded by a bit of 1, zeros, and a bit of 1 at the end of the block. SHA-3 puts the bits 0 and 1 between the message
//! and that padding, which tell its hashes from its other functions; Keccak-256 is from before that. Bits go into bytes from the lowest
//! on, so the byte after the message begins with 1 for Keccak-256, and with 0, 1, 1 for SHA3-256. They differ in nothing else.
//!
//! The state is 25 words of 64 bits, word x + 5 y at position (x, y), of which 17 form the rate. A round is
//!
//! - theta: to each word the parities of two columns, that before it, and that behind it rotated by one, are added;
//! - rho and pi: word (x, y) is rotated by an amount of its own and goes to (y, 2 x + 3 y);
//! - chi: each word w becomes w + (not w') w'', with its neighbours in the row;
//! - iota: a constant is added to the first.
//!
//! Elements are hashed as their canonical little-endian words; a node is the hash of its children's 64 bytes.

use super::bytes::byte_hasher;
use super::{ByteDigest, Hasher};

/// Keccak with 256-bit digests, not [`Sha3_256`], which pads differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keccak256;

/// SHA-3 with 256-bit digests.
///
/// Equal to winterfell's `Sha3_256` on elements, digests, bytes and integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sha3_256;

/// Keccak with 256-bit digests and a padding.
pub(crate) trait Keccak: Hasher<Digest = ByteDigest> {
    /// The bits after a message of whole words, as a word.
    const FIRST_PADDING: u64;
}

impl Keccak for Keccak256 {
    const FIRST_PADDING: u64 = 0b1;
}

impl Keccak for Sha3_256 {
    const FIRST_PADDING: u64 = 0b110;
}

/// Words of the state.
pub(crate) const WORDS: usize = 25;

/// Words of the rate.
pub(crate) const RATE: usize = 17;

/// Rounds.
pub(crate) const ROUNDS: usize = 24;

/// The bit at the end of a block, in its last word.
pub(crate) const LAST_PADDING: u64 = 1 << 63;

/// The constants of iota: bits at 2^j - 1, from the register with feedback x^8 + x^6 + x^5 + x^4 + 1.
pub(crate) const ROUND_CONSTANTS: [u64; ROUNDS] = {
    let (mut constants, mut register, mut i) = ([0; ROUNDS], 1u8, 0);
    while i < 7 * ROUNDS {
        if register & 1 == 1 {
            constants[i / 7] |= 1 << ((1u32 << (i % 7)) - 1);
        }
        register = register << 1 ^ if register >> 7 == 1 { 0x71 } else { 0 };
        i += 1;
    }
    constants
};

/// The target of each word in pi, and its rotation to the left in rho.
pub(crate) const MOVES: [(usize, u32); WORDS] = {
    let mut moves = [(0, 0); WORDS];
    let (mut x, mut y, mut t) = (1, 0, 0);
    while t < 24 {
        let (next_x, next_y) = (y, (2 * x + 3 * y) % 5);
        moves[x + 5 * y] = (next_x + 5 * next_y, (t + 1) * (t + 2) / 2 % 64);
        (x, y, t) = (next_x, next_y, t + 1);
    }
    moves
};

/// Words of 64 bits, one or several side by side.
pub(crate) trait Word: Copy {
    /// The same word in every lane.
    fn splat(word: u64) -> Self;

    /// Bits set in one of the two.
    fn xor(self, other: Self) -> Self;

    /// Bits set in one of the three, or in all.
    fn xor3(self, second: Self, third: Self) -> Self;

    /// These bits, changed where `second` has none and `third` has one.
    fn chi(self, second: Self, third: Self) -> Self;

    /// Rotation to the left by less than 64.
    fn rotate(self, count: u32) -> Self;
}

impl Word for u64 {
    #[inline(always)]
    fn splat(word: u64) -> Self {
        word
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    #[inline(always)]
    fn xor3(self, second: Self, third: Self) -> Self {
        self ^ second ^ third
    }

    #[inline(always)]
    fn chi(self, second: Self, third: Self) -> Self {
        self ^ (!second & third)
    }

    #[inline(always)]
    fn rotate(self, count: u32) -> Self {
        self.rotate_left(count)
    }
}

/// The permutation.
#[inline(always)]
pub(crate) fn permute<W: Word>(state: &mut [W; WORDS]) {
    for constant in ROUND_CONSTANTS {
        let mut parities = [state[0]; 5];
        for x in 0..5 {
            parities[x] = state[x].xor3(state[x + 5], state[x + 10]).xor3(state[x + 15], state[x + 20]);
        }
        let mut moved = *state;
        for x in 0..5 {
            let (before, behind) = (parities[(x + 4) % 5], parities[(x + 1) % 5].rotate(1));
            for y in 0..5 {
                let (target, count) = MOVES[x + 5 * y];
                moved[target] = state[x + 5 * y].xor3(before, behind).rotate(count);
            }
        }
        for y in 0..5 {
            for x in 0..5 {
                let row = |x: usize| 5 * y + x % 5;
                state[row(x)] = moved[row(x)].chi(moved[row(x + 1)], moved[row(x + 2)]);
            }
        }
        state[0] = state[0].xor(W::splat(constant));
    }
}

/// The permutation where constants are computed, which traits cannot be part of.
const fn permuted(mut state: [u64; WORDS]) -> [u64; WORDS] {
    let mut round = 0;
    while round < ROUNDS {
        let (mut parities, mut moved, mut i) = ([0; 5], state, 0);
        while i < WORDS {
            parities[i % 5] ^= state[i];
            i += 1;
        }
        i = 0;
        while i < WORDS {
            let (target, count) = MOVES[i];
            let theta = parities[(i + 4) % 5] ^ parities[(i + 1) % 5].rotate_left(1);
            moved[target] = (state[i] ^ theta).rotate_left(count);
            i += 1;
        }
        i = 0;
        while i < WORDS {
            let row = i / 5 * 5;
            state[i] = moved[i] ^ (!moved[row + (i + 1) % 5] & moved[row + (i + 2) % 5]);
            i += 1;
        }
        state[0] ^= ROUND_CONSTANTS[round];
        round += 1;
    }
    state
}

/// The bytes of SHAKE256 (FIPS 202), one after another, where constants are computed.
pub(super) struct Shake256 {
    state: [u64; WORDS],
    /// The next byte of the rate.
    next: usize,
}

impl Shake256 {
    /// Absorbs a message of less than a block.
    pub(super) const fn new(message: &[u8]) -> Self {
        let (mut state, mut i) = ([0; WORDS], 0);
        while i < message.len() {
            state[i / 8] |= (message[i] as u64) << (8 * (i % 8));
            i += 1;
        }
        state[i / 8] |= 0b11111 << (8 * (i % 8));
        state[RATE - 1] |= LAST_PADDING;
        Self { state: permuted(state), next: 0 }
    }

    /// The next byte.
    pub(super) const fn byte(&mut self) -> u8 {
        if self.next == 8 * RATE {
            (self.state, self.next) = (permuted(self.state), 0);
        }
        let byte = self.state[self.next / 8] >> (8 * (self.next % 8));
        self.next += 1;
        byte as u8
    }
}

/// The digest of bytes.
fn digest<H: Keccak>(bytes: &[u8]) -> ByteDigest {
    let mut state = [0u64; WORDS];
    let (blocks, rest) = bytes.as_chunks::<{ 8 * RATE }>();
    let mut last = [0; 8 * RATE];
    last[..rest.len()].copy_from_slice(rest);
    last[rest.len()] ^= H::FIRST_PADDING as u8;
    last[8 * RATE - 1] ^= (LAST_PADDING >> 56) as u8;
    for block in blocks.iter().chain([&last]) {
        for (word, bytes) in state.iter_mut().zip(block.as_chunks().0) {
            *word ^= u64::from_le_bytes(*bytes);
        }
        permute(&mut state);
    }
    let mut digest = ByteDigest::default();
    for (bytes, word) in digest.0.as_chunks_mut().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    digest
}

byte_hasher!(Keccak256, "keccak256", digest::<Self>);
byte_hasher!(Sha3_256, "sha3_256", digest::<Self>);
