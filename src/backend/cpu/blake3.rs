//! BLAKE3 on vector units: as many inputs side by side as a vector has 32-bit words.
//!
//! An input is cut into chunks of 1024 bytes, each a chain of compressions of 64-byte blocks, and the values of chunks are the leaves of a binary tree whose left
//! subtrees are complete; its root is the digest. All rows of a matrix have the same tree, so they are hashed side by side whatever their length. A node of a Merkle
//! tree is one block. The `blake3` crate vectorises over the chunks of one input: rows of 2633 elements, twenty chunks and a half, leave many of its sixteen lanes empty, and those of two
//! chunks nearly all. Inputs that leave a vector mostly empty here are left to it.
//!
//! Aumasson, Neves, O'Connor, Wilcox-O'Hearn, "BLAKE3: one function, fast everywhere", 2020, section 2.

use super::Simd;
use super::rows::{HashRows, MergePairs, Rows, SideBySide, merge_each, side_by_side};
use super::simd::{Vectorised, Vectors, on_vectors};
use super::words::{MAX_WIDTH, Words32, columns, splat_each, write_rows};
use crate::field::Goldilocks;
use crate::hash::{Blake3, ByteDigest};

const CHUNK_START: u32 = 1;
const CHUNK_END: u32 = 2;
const PARENT: u32 = 4;
const ROOT: u32 = 8;

/// The initial value: that of SHA-256.
const IV: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// 32-bit words of a block.
const BLOCK: usize = 16;

/// Elements of a block.
const BLOCK_ELEMENTS: usize = 8;

/// Elements of a chunk.
const CHUNK_ELEMENTS: usize = 128;

/// The binary logarithm of the most chunks of a row, 64 MiB.
const LOG_MOST_CHUNKS: usize = 16;

side_by_side!([] Blake3, Words32, in_vectors, rows of at most CHUNK_ELEMENTS << LOG_MOST_CHUNKS);

/// How many of so many inputs to take in vectors: whole ones, and the rest where it fills a quarter, for one input alone
/// takes nearly half as long as a vector of sixteen.
fn in_vectors(count: usize, lanes: usize) -> usize {
    let rest = count % lanes;
    if 4 * rest < lanes { count - rest } else { count }
}

impl<W: Words32> Vectorised<W> for HashRows<'_, Blake3> {
    #[inline(always)]
    fn run(self) {
        let chunks = self.rows.width().div_ceil(CHUNK_ELEMENTS);
        let mut padded = Padded::default();
        // Values of complete subtrees that wait for their neighbour, from the left and the largest on.
        let mut subtrees = [[W::splat(0); 8]; LOG_MOST_CHUNKS];
        for (i, digests) in self.digests.chunks_mut(W::WIDTH).enumerate() {
            let rows = self.rows.from(i * W::WIDTH);
            let mut waiting = 0;
            for chunk in 0..chunks {
                let is_last = chunk + 1 == chunks;
                let root = if chunks == 1 { ROOT } else { 0 };
                let mut value = chunk_value(&rows, chunk, root, digests.len());
                // Subtrees of the same size are merged, and after the last chunk all of them.
                let merges = if is_last { waiting } else { (chunk + 1).trailing_zeros() as usize };
                for _ in 0..merges {
                    waiting -= 1;
                    let root = if is_last && waiting == 0 { ROOT } else { 0 };
                    let mut block = [W::splat(0); BLOCK];
                    block[..8].copy_from_slice(&subtrees[waiting]);
                    block[8..].copy_from_slice(&value);
                    value = compress(&splat_each(IV), block, 0, 4 * BLOCK, PARENT | root);
                }
                if is_last {
                    write(value, digests, &mut padded);
                } else {
                    subtrees[waiting] = value;
                    waiting += 1;
                }
            }
        }
    }
}

/// The values of one chunk of so many rows, with a flag more for the last block.
#[inline(always)]
fn chunk_value<W: Words32>(rows: &Rows<'_>, chunk: usize, flag: u32, count: usize) -> [W; 8] {
    let first_of_chunk = chunk * CHUNK_ELEMENTS;
    let end_of_chunk = rows.width().min(first_of_chunk + CHUNK_ELEMENTS);
    let mut value = splat_each(IV);
    for first in (first_of_chunk..end_of_chunk).step_by(BLOCK_ELEMENTS) {
        let last = end_of_chunk.min(first + BLOCK_ELEMENTS);
        let mut blocks = [[Goldilocks::default(); BLOCK_ELEMENTS]; MAX_WIDTH];
        rows.block(first..last, &mut blocks[..count]);
        let start = if first == first_of_chunk { CHUNK_START } else { 0 };
        let end = if last == end_of_chunk { CHUNK_END | flag } else { 0 };
        let block = columns::<W>(bytemuck::cast_slice(&blocks));
        value = compress(&value, block, chunk as u32, (last - first) * 8, start | end);
    }
    value
}

impl<W: Words32> Vectorised<W> for MergePairs<'_, Blake3> {
    #[inline(always)]
    fn run(self) {
        const FLAGS: u32 = CHUNK_START | CHUNK_END | ROOT;
        let mut padded = Padded::default();
        for (nodes, children) in self.nodes.chunks_mut(W::WIDTH).zip(self.children.chunks(2 * W::WIDTH)) {
            let whole = nodes.len() == W::WIDTH;
            if !whole {
                padded.blocks[..children.len()].copy_from_slice(children);
            }
            let blocks = if whole { children } else { &padded.blocks };
            let block = columns::<W>(bytemuck::cast_slice(blocks));
            let value = compress(&splat_each(IV), block, 0, 4 * BLOCK, FLAGS);
            write(value, nodes, &mut padded);
        }
    }
}

/// Memory of a whole vector of blocks and digests, for a vector that is not full.
struct Padded {
    blocks: [ByteDigest; 2 * MAX_WIDTH],
    digests: [ByteDigest; MAX_WIDTH],
}

impl Default for Padded {
    #[inline(always)]
    fn default() -> Self {
        Self { blocks: [ByteDigest([0; 32]); 2 * MAX_WIDTH], digests: [ByteDigest([0; 32]); MAX_WIDTH] }
    }
}

/// Writes the digests of a vector of values, or the first of them.
#[inline(always)]
fn write<W: Words32>(value: [W; 8], digests: &mut [ByteDigest], padded: &mut Padded) {
    let whole = digests.len() == W::WIDTH;
    let out = if whole { &mut *digests } else { &mut padded.digests };
    write_rows(value, bytemuck::cast_slice_mut(out));
    if !whole {
        digests.copy_from_slice(&padded.digests[..digests.len()]);
    }
}

/// The chaining value after a block of `length` bytes in the chunk of a number.
#[inline(always)]
fn compress<W: Words32>(
    value: &[W; 8],
    mut block: [W; BLOCK],
    chunk: u32,
    length: usize,
    flags: u32,
) -> [W; 8] {
    let mut state = [W::splat(0); BLOCK];
    state[..8].copy_from_slice(value);
    for i in 0..4 {
        state[8 + i] = W::splat(IV[i]);
    }
    // The upper half of the number, word 13, is zero.
    state[12] = W::splat(chunk);
    state[14] = W::splat(length as u32);
    state[15] = W::splat(flags);
    // Written out: the permutation of the block between two rounds is only another order of registers.
    round(&mut state, &mut block);
    round(&mut state, &mut block);
    round(&mut state, &mut block);
    round(&mut state, &mut block);
    round(&mut state, &mut block);
    round(&mut state, &mut block);
    round(&mut state, &mut block);
    let mut next = *value;
    for i in 0..8 {
        next[i] = state[i].xor(state[i + 8]);
    }
    next
}

/// A round: columns, diagonals, and the permutation of the block for the next.
#[inline(always)]
fn round<W: Words32>(state: &mut [W; BLOCK], block: &mut [W; BLOCK]) {
    const PERMUTATION: [usize; BLOCK] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    for i in 0..4 {
        mix(state, [i, 4 + i, 8 + i, 12 + i], block[2 * i], block[2 * i + 1]);
    }
    for i in 0..4 {
        let diagonal = [i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4];
        mix(state, diagonal, block[8 + 2 * i], block[9 + 2 * i]);
    }
    let before = *block;
    for i in 0..BLOCK {
        block[i] = before[PERMUTATION[i]];
    }
}

/// The quarter-round on four words of the state, with two of the block.
#[inline(always)]
fn mix<W: Words32>(state: &mut [W; BLOCK], [a, b, c, d]: [usize; 4], x: W, y: W) {
    state[a] = state[a].add(state[b]).add(x);
    state[d] = state[d].xor(state[a]).rotate_right::<16>();
    state[c] = state[c].add(state[d]);
    state[b] = state[b].xor(state[c]).rotate_right::<12>();
    state[a] = state[a].add(state[b]).add(y);
    state[d] = state[d].xor(state[a]).rotate_right::<8>();
    state[c] = state[c].add(state[d]);
    state[b] = state[b].xor(state[c]).rotate_right::<7>();
}

#[cfg(test)]
mod tests {
    use crate::backend::cpu::rows::testing::{check_merges, check_rows};
    use crate::hash::Blake3;

    /// Two vectors of sixteen and one over.
    const COUNT: usize = 33;

    #[test]
    fn rows() {
        // Around whole blocks, and around one chunk to nine.
        let chunks = [127, 128, 129, 255, 256, 257, 300, 384, 385, 512, 513, 640, 900, 1024, 1025];
        check_rows::<Blake3>((1..=33).chain(chunks), 0..=COUNT, &[]);
        check_rows::<Blake3>([2633].into_iter(), 15..=16, &[]);
    }

    #[test]
    fn merges() {
        check_merges::<Blake3>(COUNT);
    }
}
