//! Keccak-256 on vector units: as many states side by side as a vector has 64-bit words.
//!
//! The permutation is the one text of `hash/keccak.rs`, written over [`Word`]; here are the vectors, by the rules that
//! [`doubles`](super::doubles) gives, and how rows get into them. What leaves a vector mostly empty is hashed one by one.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

#[cfg(target_arch = "x86_64")]
use self::{avx2::Avx2, avx512::Avx512};
use super::Simd;
use super::rows::{Rows, SideBySide};
use crate::field::Goldilocks;
use crate::hash::keccak::{FIRST_PADDING, LAST_PADDING, RATE, WORDS, Word, permute};
use crate::hash::{ByteDigest, Hasher, Keccak256};

/// The most states side by side.
const MAX_LANES: usize = 8;

/// Words of a digest.
const DIGEST: usize = 4;

/// Hashes that are worth a vector of their own.
const WORTHWHILE: usize = 2;

/// Words side by side.
trait Lanes: Word {
    /// Their number.
    const WIDTH: usize;

    /// The words at the head of `words`.
    fn load(words: &[u64; MAX_LANES]) -> Self;

    /// Writes the words to the head of `words`.
    fn store(self, words: &mut [u64; MAX_LANES]);

    /// Does some work with the instructions of this implementation. Only where the processor has them.
    fn enter(work: impl Work);
}

/// Work on lanes of any implementation.
trait Work {
    /// Does it.
    fn run<L: Lanes>(self);
}

/// The words in a vector of a level; `None` where one by one is as good.
fn width(simd: Simd) -> Option<usize> {
    match simd {
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512 => Some(Avx512::WIDTH),
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2 => Some(Avx2::WIDTH),
        _ => None,
    }
}

/// Does the work with a level's instructions, which must be available and have a [`width`].
fn enter(simd: Simd, work: impl Work) {
    match simd {
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512 => Avx512::enter(work),
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2 => Avx2::enter(work),
        _ => {
            let _ = work;
            unreachable!("{simd} has no vectors of words")
        }
    }
}

/// Implements [`Lanes`] for a vector by the functions of its module, which need instructions beyond the portable.
#[cfg(target_arch = "x86_64")]
macro_rules! vector {
    ($vector:ident, $width:literal) => {
        // SAFETY, of all calls: the implementation is entered only by the dispatch of a `Cpu`, whose constructor has
        // found the instructions in this processor, and by tests that look first.
        impl Word for $vector {
            #[inline(always)]
            fn splat(word: u64) -> Self {
                // SAFETY: as above.
                Self(unsafe { splat(word) })
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { xor(self.0, other.0) })
            }

            #[inline(always)]
            fn xor3(self, second: Self, third: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { xor3(self.0, second.0, third.0) })
            }

            #[inline(always)]
            fn chi(self, second: Self, third: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { chi(self.0, second.0, third.0) })
            }

            #[inline(always)]
            fn rotate(self, count: u32) -> Self {
                // SAFETY: as above.
                Self(unsafe { rotate(self.0, count) })
            }
        }

        impl Lanes for $vector {
            const WIDTH: usize = $width;

            #[inline(always)]
            fn load(words: &[u64; MAX_LANES]) -> Self {
                // SAFETY: as above.
                Self(unsafe { load(words) })
            }

            #[inline(always)]
            fn store(self, words: &mut [u64; MAX_LANES]) {
                // SAFETY: as above.
                unsafe { store(self.0, words) }
            }

            fn enter(work: impl Work) {
                // SAFETY: as above.
                unsafe { run(work) }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
use vector;

impl SideBySide for Keccak256 {
    fn hash_rows(simd: Simd, rows: Rows<'_>, digests: &mut [ByteDigest]) {
        let Some(lanes) = width(simd) else { return rows.hash_each::<Self>(digests) };
        let rest = digests.len() % lanes;
        let in_vectors = digests.len() - if rest < WORTHWHILE { rest } else { 0 };
        let (whole, rest) = digests.split_at_mut(in_vectors);
        enter(simd, HashRows { rows, digests: whole });
        rows.from(in_vectors).hash_each::<Self>(rest);
    }

    fn merge_pairs(simd: Simd, children: &[ByteDigest], nodes: &mut [ByteDigest]) {
        let lanes = width(simd).unwrap_or(usize::MAX);
        let rest = nodes.len() % lanes;
        let in_vectors = nodes.len() - if rest < WORTHWHILE || lanes == usize::MAX { rest } else { 0 };
        let (whole, rest) = nodes.split_at_mut(in_vectors);
        let (children, rest_children) = children.split_at(2 * in_vectors);
        if in_vectors > 0 {
            enter(simd, MergePairs { children, nodes: whole });
        }
        for (node, pair) in rest.iter_mut().zip(rest_children.as_chunks().0) {
            *node = Self::merge(pair);
        }
    }
}

/// The digests of rows, a whole number of vectors or one in part.
struct HashRows<'a> {
    rows: Rows<'a>,
    digests: &'a mut [ByteDigest],
}

impl Work for HashRows<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let width = self.rows.width();
        for (i, digests) in self.digests.chunks_mut(L::WIDTH).enumerate() {
            let rows = self.rows.from(i * L::WIDTH);
            let mut state = [L::splat(0); WORDS];
            let mut blocks = [[Goldilocks::default(); RATE]; MAX_LANES];
            // The last block has a word at least to spare, for the padding.
            for first in (0..=width).step_by(RATE) {
                let count = RATE.min(width - first);
                if count > 0 {
                    rows.block(first..first + count, &mut blocks[..digests.len()]);
                }
                for j in 0..count {
                    let mut lanes = [0; MAX_LANES];
                    for lane in 0..L::WIDTH {
                        lanes[lane] = blocks[lane][j].as_u64();
                    }
                    state[j] = state[j].xor(L::load(&lanes));
                }
                if count < RATE {
                    pad(&mut state, count);
                }
                permute(&mut state);
            }
            write(&state, digests);
        }
    }
}

/// The digests of pairs, a whole number of vectors or one in part.
struct MergePairs<'a> {
    children: &'a [ByteDigest],
    nodes: &'a mut [ByteDigest],
}

impl Work for MergePairs<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (nodes, children) in self.nodes.chunks_mut(L::WIDTH).zip(self.children.chunks(2 * L::WIDTH)) {
            let mut state = [L::splat(0); WORDS];
            for j in 0..2 * DIGEST {
                let mut lanes = [0; MAX_LANES];
                for (lane, pair) in children.chunks_exact(2).enumerate() {
                    let digest = &pair[j / DIGEST].0;
                    lanes[lane] = u64::from_le_bytes(digest.as_chunks().0[j % DIGEST]);
                }
                state[j] = L::load(&lanes);
            }
            pad(&mut state, 2 * DIGEST);
            permute(&mut state);
            write(&state, nodes);
        }
    }
}

/// The padding of a block with so many words.
#[inline(always)]
fn pad<L: Lanes>(state: &mut [L; WORDS], count: usize) {
    state[count] = state[count].xor(L::splat(FIRST_PADDING));
    state[RATE - 1] = state[RATE - 1].xor(L::splat(LAST_PADDING));
}

/// Writes as many digests as there are.
#[inline(always)]
fn write<L: Lanes>(state: &[L; WORDS], digests: &mut [ByteDigest]) {
    for (k, words) in state[..DIGEST].iter().enumerate() {
        let mut lanes = [0; MAX_LANES];
        words.store(&mut lanes);
        for (digest, word) in digests.iter_mut().zip(lanes) {
            digest.0.as_chunks_mut().0[k] = word.to_le_bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(count: usize) -> Vec<Goldilocks> {
        (1..=count as u64).map(|i| Goldilocks::new(i.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect()
    }

    /// Two vectors of eight and one over.
    const COUNT: usize = 17;

    #[test]
    fn rows() {
        // Around whole blocks.
        for width in (1..=9).chain([16, 17, 18, 33, 34, 35, 70]) {
            let matrix = elements(COUNT * width);
            let expected: Vec<_> = matrix.chunks_exact(width).map(Keccak256::hash_elements).collect();
            let by_columns: Vec<_> =
                (0..width).flat_map(|j| matrix.iter().skip(j).step_by(width).copied()).collect();
            for simd in Simd::available() {
                for count in 0..=COUNT {
                    let mut found = vec![ByteDigest::default(); count];
                    Keccak256::hash_rows(simd, Rows::row_major(&matrix[..count * width], width), &mut found);
                    assert_eq!(found, expected[..count], "{simd}: {count} rows of {width}");
                }
                let mut found = vec![ByteDigest::default(); COUNT];
                Keccak256::hash_rows(simd, Rows::column_major(&by_columns, 1, COUNT), &mut found);
                assert_eq!(found, expected, "{simd}: columns, rows of {width}");
            }
        }
    }

    #[test]
    fn merges() {
        // All bits: digests are no field elements.
        let digests: Vec<ByteDigest> = (0..2 * COUNT as u8).map(|i| ByteDigest([!i; 32])).collect();
        let expected: Vec<_> = digests.as_chunks().0.iter().map(Keccak256::merge).collect();
        for simd in Simd::available() {
            for count in 0..=COUNT {
                let mut found = vec![ByteDigest::default(); count];
                Keccak256::merge_pairs(simd, &digests[..2 * count], &mut found);
                assert_eq!(found, expected[..count], "{simd}: {count} pairs");
            }
        }
    }
}
