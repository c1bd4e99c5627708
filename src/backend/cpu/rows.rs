//! Rows of a matrix where they lie, in either layout; and the hashes that take several rows side by side.

use std::ops::Range;

use super::Simd;
use crate::backend::Extent;
use crate::field::Goldilocks;
use crate::hash::Hasher;

/// A hash of which the CPU computes several at once.
pub(super) trait SideBySide: Hasher {
    /// The digest of every row, on this thread, with a level's instructions, which must be available.
    fn hash_rows(simd: Simd, rows: Rows<'_>, digests: &mut [Self::Digest]);

    /// The digest of every two neighbours, likewise.
    fn merge_pairs(simd: Simd, children: &[Self::Digest], nodes: &mut [Self::Digest]);
}

/// Merges every two neighbours, one pair after the other.
pub(super) fn merge_each<H: Hasher>(children: &[H::Digest], nodes: &mut [H::Digest]) {
    for (node, pair) in nodes.iter_mut().zip(children.as_chunks().0) {
        *node = H::merge(pair);
    }
}

/// Rows of `width` words: word j of row i lies at `i * step + (j / run) * stride + j % run`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a> {
    words: &'a [Goldilocks],
    width: usize,
    step: usize,
    run: usize,
    stride: usize,
}

impl<'a> Rows<'a> {
    /// The rows of a matrix.
    pub(super) fn new(words: &'a [Goldilocks], Extent { rows, width, block }: Extent) -> Self {
        Self { words, width, step: block, run: block, stride: rows * block }
    }

    /// The rows of a row-major matrix.
    pub(super) fn row_major(words: &'a [Goldilocks], width: usize) -> Self {
        Self::new(words, Extent { rows: words.len() / width, width, block: width })
    }

    /// The rows of a column-major matrix with `degree` words an entry and `rows` rows.
    #[cfg(test)]
    pub(super) fn column_major(words: &'a [Goldilocks], degree: usize, rows: usize) -> Self {
        Self::new(words, Extent { rows, width: words.len() / rows, block: degree })
    }

    /// The words of a row.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The same rows from the `first` on.
    pub(super) fn from(self, first: usize) -> Self {
        Self { words: &self.words[first * self.step..], ..self }
    }

    /// Some words, at most `N`, of as many rows as `out` has: they go to the head of its arrays.
    #[inline(always)]
    pub(super) fn block<const N: usize>(&self, words: Range<usize>, out: &mut [[Goldilocks; N]]) {
        if self.run == self.width {
            for (i, block) in out.iter_mut().enumerate() {
                let row = &self.words[i * self.step..][words.clone()];
                match row.first_chunk() {
                    // Of known length, and so a few instructions in place.
                    Some(words) => *block = *words,
                    None => block[..row.len()].copy_from_slice(row),
                }
            }
            return;
        }
        for (k, j) in words.enumerate() {
            let column = &self.words[j / self.run * self.stride + j % self.run..];
            for (block, &word) in out.iter_mut().zip(column.iter().step_by(self.step)) {
                block[k] = word;
            }
        }
    }

    /// Hashes as many rows as there are digests, one after the other.
    pub(super) fn hash_each<H: Hasher>(&self, digests: &mut [H::Digest]) {
        if self.run == self.width {
            for (i, digest) in digests.iter_mut().enumerate() {
                *digest = H::hash_elements(&self.words[i * self.step..][..self.width]);
            }
            return;
        }
        // A band of rows, gathered column by column so that every read is of neighbours.
        let mut band = vec![Goldilocks::default(); digests.len() * self.width];
        for first in (0..self.width).step_by(self.run) {
            let column = self.words[first / self.run * self.stride..].chunks_exact(self.step);
            for (row, entry) in band.chunks_exact_mut(self.width).zip(column) {
                row[first..][..self.run].copy_from_slice(entry);
            }
        }
        for (row, digest) in band.chunks_exact(self.width).zip(digests) {
            *digest = H::hash_elements(row);
        }
    }
}
