//! SHA-256 (NIST, FIPS 180-4), one at a time by the published `sha2` crate, which uses the processor's instructions for it.
//!
//! Elements are hashed as their canonical little-endian words; a node is the hash of its children's 64 bytes. The constants here
//! serve code that hashes several messages at once.

use ::sha2::Digest as _;

use super::ByteDigest;
use super::bytes::byte_hasher;

/// SHA-256.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sha256;

/// Rounds of a block.
pub(crate) const ROUNDS: usize = 64;

/// The first 32 bits of the fraction of the cube roots of the first 64 primes.
pub(crate) const ROUND_CONSTANTS: [u32; ROUNDS] = roots(3);

/// The same of the square roots of the first eight: the value before the first block.
pub(crate) const INITIAL: [u32; 8] = roots(2);

/// The block that follows 64 bytes, a node's children: a bit of 1, zeros, and the number of bits.
pub(crate) const PADDING_OF_PAIR: [u32; 16] = {
    let mut block = [0; 16];
    (block[0], block[15]) = (0x8000_0000, 512);
    block
};

/// What a round of that block adds: its constant and the word of the message schedule, which are always the same.
pub(crate) const ROUNDS_OF_PADDING: [u32; ROUNDS] = {
    let (mut words, mut sums, mut i) = ([0u32; ROUNDS], [0; ROUNDS], 0);
    while i < ROUNDS {
        words[i] = if i < 16 {
            PADDING_OF_PAIR[i]
        } else {
            let (x, y) = (words[i - 15], words[i - 2]);
            let first = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
            let second = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
            words[i - 16].wrapping_add(first).wrapping_add(words[i - 7]).wrapping_add(second)
        };
        sums[i] = words[i].wrapping_add(ROUND_CONSTANTS[i]);
        i += 1;
    }
    sums
};

/// The first 32 bits of the fraction of a root, square or cube, of the first primes: floor(2^32 root(p)) modulo 2^32, which is a
/// root of p 2^64 or p 2^96.
const fn roots<const N: usize>(degree: u32) -> [u32; N] {
    let (mut found, mut count, mut number) = ([0; N], 0, 2u128);
    while count < N {
        let mut divisor = 2;
        while number % divisor != 0 {
            divisor += 1;
        }
        if divisor == number {
            // Bit by bit: the largest integer whose power is not above.
            let (mut root, mut bit) = (0u128, 1 << 37);
            while bit > 0 {
                let larger = root | bit;
                if larger.pow(degree) <= number << (32 * degree) {
                    root = larger;
                }
                bit >>= 1;
            }
            found[count] = root as u32;
            count += 1;
        }
        number += 1;
    }
    found
}

byte_hasher!(Sha256, "sha256", |bytes: &[u8]| ByteDigest(::sha2::Sha256::digest(bytes).into()));
