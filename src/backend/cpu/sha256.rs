//! SHA-256 on vector units: as many messages side by side as a vector has 32-bit words.
//!
//! That pays where vectors have sixteen words and rotations, and where the processor has no instructions for the hash; else one
//! message at a time, by those instructions, is as fast. A node of a tree is two blocks, of which the second is the same for all:
//! its rounds have constants for their words.

use super::Simd;
use super::rows::{HashRows, MergePairs, Rows, SideBySide, merge_each, side_by_side};
use super::simd::{Vectorised, Vectors, on_vectors};
use super::words::{MAX_WIDTH, Words32, columns, splat_each, write_rows};
use crate::hash::sha256::{INITIAL, ROUND_CONSTANTS, ROUNDS, ROUNDS_OF_PADDING};
use crate::hash::{ByteDigest, Sha256};

/// 32-bit words of a block.
const BLOCK: usize = 16;

/// Elements of a block.
const BLOCK_ELEMENTS: usize = 8;

/// How many of so many messages to take in vectors: whole ones, and the rest where it fills half of one.
fn in_vectors(count: usize, lanes: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    let has_instructions = is_x86_feature_detected!("sha");
    #[cfg(not(target_arch = "x86_64"))]
    let has_instructions = false;
    if lanes < MAX_WIDTH && has_instructions {
        return 0;
    }
    let rest = count % lanes;
    if 2 * rest < lanes { count - rest } else { count }
}

side_by_side!([] Sha256, Words32, in_vectors, rows of at most usize::MAX);

impl<W: Words32> Vectorised<W> for HashRows<'_, Sha256> {
    #[inline(always)]
    fn run(self) {
        let width = self.rows.width();
        // A word for the bit behind the message, and one for its length.
        let blocks_of_row = (width + 2).div_ceil(BLOCK_ELEMENTS);
        for (i, digests) in self.digests.chunks_mut(W::WIDTH).enumerate() {
            let rows = self.rows.from(i * W::WIDTH);
            let mut value = splat_each::<W, 8>(INITIAL);
            for block in 0..blocks_of_row {
                let first = width.min(block * BLOCK_ELEMENTS);
                let last = width.min(first + BLOCK_ELEMENTS);
                let mut words = [[crate::field::Goldilocks::default(); BLOCK_ELEMENTS]; MAX_WIDTH];
                if first < last {
                    rows.block(first..last, &mut words[..digests.len()]);
                }
                let mut bytes: [[u64; BLOCK_ELEMENTS]; MAX_WIDTH] = bytemuck::cast(words);
                for row in &mut bytes {
                    let behind = width.wrapping_sub(block * BLOCK_ELEMENTS);
                    if let Some(word) = row.get_mut(behind) {
                        *word = 0x80;
                    }
                    if block + 1 == blocks_of_row {
                        row[BLOCK_ELEMENTS - 1] = (64 * width as u64).to_be();
                    }
                }
                let words = transposed::<W>(bytemuck::cast_slice(&bytes));
                value = compress(&value, words);
            }
            write(value, digests);
        }
    }
}

impl<W: Words32> Vectorised<W> for MergePairs<'_, Sha256> {
    #[inline(always)]
    fn run(self) {
        for (nodes, children) in self.nodes.chunks_mut(W::WIDTH).zip(self.children.chunks(2 * W::WIDTH)) {
            let mut pairs = [ByteDigest([0; 32]); 2 * MAX_WIDTH];
            pairs[..children.len()].copy_from_slice(children);
            let value = compress(&splat_each::<W, 8>(INITIAL), transposed(bytemuck::cast_slice(&pairs)));
            write(compress_padding(&value), nodes);
        }
    }
}

/// Words of the other byte order.
#[inline(always)]
fn swap_bytes<W: Words32>(words: W) -> W {
    W::splat(0xff00_ff00).choose(words.rotate_right::<8>(), words.rotate_right::<24>())
}

/// A block of every message, word after word, from message after message.
#[inline(always)]
fn transposed<W: Words32>(blocks: &[[u8; 4]]) -> [W; BLOCK] {
    let mut block = columns(blocks);
    for words in &mut block {
        *words = swap_bytes(*words);
    }
    block
}

/// Writes as many digests as there are.
#[inline(always)]
fn write<W: Words32>(mut value: [W; 8], digests: &mut [ByteDigest]) {
    for words in &mut value {
        *words = swap_bytes(*words);
    }
    let mut words = [[0; 4]; 8 * MAX_WIDTH];
    write_rows(value, &mut words);
    digests.copy_from_slice(&bytemuck::cast_slice(&words)[..digests.len()]);
}

/// The value after a block.
#[inline(always)]
fn compress<W: Words32>(value: &[W; 8], mut block: [W; BLOCK]) -> [W; 8] {
    let mut state = *value;
    for first in (0..ROUNDS).step_by(BLOCK) {
        // Written out: the turning of the state is only another order of registers.
        macro_rules! rounds {
            ($($i:literal)*) => {
                $(
                    if first > 0 {
                        let (x, y) = (block[($i + 1) % BLOCK], block[($i + 14) % BLOCK]);
                        let low = x.rotate_right::<7>().xor3(x.rotate_right::<18>(), x.shift_right::<3>());
                        let high = y.rotate_right::<17>().xor3(y.rotate_right::<19>(), y.shift_right::<10>());
                        block[$i] = block[$i].add(low).add(block[($i + 9) % BLOCK].add(high));
                    }
                    round(&mut state, block[$i].add(W::splat(ROUND_CONSTANTS[first + $i])));
                )*
            };
        }
        rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    }
    sums(value, &state)
}

/// The value after the block of padding that follows 64 bytes.
#[inline(always)]
fn compress_padding<W: Words32>(value: &[W; 8]) -> [W; 8] {
    let mut state = *value;
    for constants in ROUNDS_OF_PADDING.as_chunks::<8>().0 {
        round(&mut state, W::splat(constants[0]));
        round(&mut state, W::splat(constants[1]));
        round(&mut state, W::splat(constants[2]));
        round(&mut state, W::splat(constants[3]));
        round(&mut state, W::splat(constants[4]));
        round(&mut state, W::splat(constants[5]));
        round(&mut state, W::splat(constants[6]));
        round(&mut state, W::splat(constants[7]));
    }
    sums(value, &state)
}

#[inline(always)]
fn sums<W: Words32>(value: &[W; 8], state: &[W; 8]) -> [W; 8] {
    let mut next = *value;
    for i in 0..8 {
        next[i] = value[i].add(state[i]);
    }
    next
}

/// A round, with the sum of its constant and its word of the schedule.
#[inline(always)]
fn round<W: Words32>(state: &mut [W; 8], added: W) {
    let [a, b, c, d, e, f, g, h] = *state;
    let high = e.rotate_right::<6>().xor3(e.rotate_right::<11>(), e.rotate_right::<25>());
    let first = h.add(added).add(high.add(e.choose(f, g)));
    let low = a.rotate_right::<2>().xor3(a.rotate_right::<13>(), a.rotate_right::<22>());
    let second = low.add(a.majority(b, c));
    *state = [first.add(second), a, b, c, d.add(first), e, f, g];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::rows::testing::{check_merges, check_merges_by, check_rows, check_rows_by};

    /// Two vectors of sixteen and one over.
    const COUNT: usize = 33;

    /// Around whole blocks, with and without room for the padding.
    fn widths() -> impl Iterator<Item = usize> + Clone {
        (1..=18).chain([23, 24, 25, 70])
    }

    #[test]
    fn rows() {
        check_rows::<Sha256>(widths(), 0..=COUNT, &[]);
    }

    #[test]
    fn merges() {
        check_merges::<Sha256>(COUNT);
    }

    /// Whether they would be chosen or not.
    #[test]
    fn in_vectors() {
        for simd in Simd::available() {
            on_vectors!(
                simd,
                Words32 as W => {
                    let hash = |rows: Rows<'_>, digests: &mut [_]| W::enter(HashRows::<Sha256> { rows, digests });
                    check_rows_by::<Sha256>(widths(), 0..=COUNT, &[(simd.name(), &hash)]);
                    check_merges_by::<Sha256>(simd.name(), COUNT, |children, nodes| {
                        W::enter(MergePairs::<Sha256> { children, nodes });
                    });
                },
                else ()
            );
        }
    }
}
