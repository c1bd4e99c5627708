//! Keccak-256 and SHA3-256 on vector units: as many states side by side as a vector has 64-bit words.
//!
//! The permutation is the one text of `hash/keccak.rs`, written over [`Word`]; here are the vectors and how rows
//! get into them. What leaves a vector mostly empty is hashed one by one.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

#[cfg(target_arch = "x86_64")]
pub(super) use self::{avx2::Avx2, avx512::Avx512};
use super::Simd;
use super::rows::{HashRows, MergePairs, Rows, SideBySide, merge_each, side_by_side};
#[cfg(target_arch = "x86_64")]
use super::simd::vector;
use super::simd::{Elements, Vectorised, Vectors, on_vectors};
use crate::field::Goldilocks;
use crate::hash::ByteDigest;
use crate::hash::keccak::{Keccak, LAST_PADDING, RATE, WORDS, Word, permute};

/// The most states side by side.
const MAX_WIDTH: usize = 8;

/// Words of a digest.
const DIGEST: usize = 4;

/// The fewest hashes that are worth a vector of their own.
const MIN_HASHES: usize = 2;

/// How many of so many hashes to do in vectors: whole ones, and the rest where that is worth one.
fn in_vectors(count: usize, lanes: usize) -> usize {
    let rest = count % lanes;
    count - if rest < MIN_HASHES { rest } else { 0 }
}

/// 64-bit words side by side.
trait Words64: Word + Elements<Element = u64> {}

impl<W: Word + Elements<Element = u64>> Words64 for W {}

side_by_side!([H: Keccak] H, Words64, in_vectors, rows of at most usize::MAX);

impl<W: Words64, H: Keccak> Vectorised<W> for HashRows<'_, H> {
    #[inline(always)]
    fn run(self) {
        let width = self.rows.width();
        for (i, digests) in self.digests.chunks_mut(W::WIDTH).enumerate() {
            let rows = self.rows.from(i * W::WIDTH);
            let mut state = [W::splat(0); WORDS];
            let mut blocks = [[Goldilocks::default(); RATE]; MAX_WIDTH];
            // The last block has a word at least to spare, for the padding.
            for first in (0..=width).step_by(RATE) {
                let count = RATE.min(width - first);
                if count > 0 {
                    rows.block(first..first + count, &mut blocks[..digests.len()]);
                }
                for j in 0..count {
                    let mut lanes = [0; MAX_WIDTH];
                    for lane in 0..W::WIDTH {
                        lanes[lane] = blocks[lane][j].as_u64();
                    }
                    state[j] = state[j].xor(W::load(&lanes));
                }
                if count < RATE {
                    pad(&mut state, count, H::FIRST_PADDING);
                }
                permute(&mut state);
            }
            write(&state, digests);
        }
    }
}

impl<W: Words64, H: Keccak> Vectorised<W> for MergePairs<'_, H> {
    #[inline(always)]
    fn run(self) {
        for (nodes, children) in self.nodes.chunks_mut(W::WIDTH).zip(self.children.chunks(2 * W::WIDTH)) {
            let mut state = [W::splat(0); WORDS];
            for j in 0..2 * DIGEST {
                let mut lanes = [0; MAX_WIDTH];
                for (lane, pair) in children.chunks_exact(2).enumerate() {
                    let digest = &pair[j / DIGEST].0;
                    lanes[lane] = u64::from_le_bytes(digest.as_chunks().0[j % DIGEST]);
                }
                state[j] = W::load(&lanes);
            }
            pad(&mut state, 2 * DIGEST, H::FIRST_PADDING);
            permute(&mut state);
            write(&state, nodes);
        }
    }
}

/// The padding of a block with so many words, with its first bits.
#[inline(always)]
fn pad<W: Words64>(state: &mut [W; WORDS], count: usize, first: u64) {
    state[count] = state[count].xor(W::splat(first));
    state[RATE - 1] = state[RATE - 1].xor(W::splat(LAST_PADDING));
}

/// Writes as many digests as there are.
#[inline(always)]
fn write<W: Words64>(state: &[W; WORDS], digests: &mut [ByteDigest]) {
    for (k, words) in state[..DIGEST].iter().enumerate() {
        let mut lanes = [0; MAX_WIDTH];
        words.store(&mut lanes);
        for (digest, word) in digests.iter_mut().zip(lanes) {
            digest.0.as_chunks_mut().0[k] = word.to_le_bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::backend::cpu::rows::testing::{check_merges, check_rows};
    use crate::hash::{Keccak256, Sha3_256};

    /// Two vectors of eight and one over.
    const COUNT: usize = 17;

    #[test]
    fn rows() {
        // Around whole blocks.
        let widths = || (1..=9).chain([16, 17, 18, 33, 34, 35, 70]);
        check_rows::<Keccak256>(widths(), 0..=COUNT, &[]);
        check_rows::<Sha3_256>(widths(), 0..=COUNT, &[]);
    }

    #[test]
    fn merges() {
        check_merges::<Keccak256>(COUNT);
        check_merges::<Sha3_256>(COUNT);
    }
}
