//! Row hashing and trees on all cores.
//!
//! Rows are independent. A tree is built level by level, each level a flat range of independent merges, until the
//! levels are too narrow to share out; below that one thread finishes.

use rayon::prelude::*;

use super::Cpu;
use crate::backend::Hashing;
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::Hasher;
use crate::merkle::Approach;

/// Rows a task hashes at least, so that scheduling costs little beside hashing.
const GRAIN: usize = 64;

/// Nodes of a level that a task merges at least: few, because narrow levels are shared out too.
const NODES: usize = 16;

impl<H: Hasher> Hashing<H> for Cpu {
    fn hash_rows(&self, matrix: &[Goldilocks], width: usize, digests: &mut [H::Digest]) -> Result<(), Error> {
        let tasks = matrix.par_chunks(GRAIN * width).zip(digests.par_chunks_mut(GRAIN));
        tasks.for_each(|(rows, digests)| {
            for (row, digest) in rows.chunks_exact(width).zip(digests) {
                *digest = H::hash_elements(row);
            }
        });
        Ok(())
    }

    fn hash_columns(
        &self,
        matrix: &[Goldilocks],
        degree: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        let rows = digests.len();
        let width = matrix.len() / rows;
        digests.par_chunks_mut(GRAIN).enumerate().for_each(|(task, digests)| {
            // A band of rows, gathered column by column so that every read is of neighbours.
            let mut band = vec![Goldilocks::default(); digests.len() * width];
            for (j, column) in matrix.chunks_exact(rows * degree).enumerate() {
                let entries = column[task * GRAIN * degree..].chunks_exact(degree);
                for (row, entry) in band.chunks_exact_mut(width).zip(entries) {
                    row[j * degree..][..degree].copy_from_slice(entry);
                }
            }
            for (row, digest) in band.chunks_exact(width).zip(digests) {
                *digest = H::hash_elements(row);
            }
        });
        Ok(())
    }

    fn build_tree(&self, heap: &mut [H::Digest], _: Approach) -> Result<(), Error> {
        let mut parents = heap.len() / 4;
        while parents >= 1 {
            let (upper, children) = heap[..4 * parents].split_at_mut(2 * parents);
            let tasks = upper[parents..].par_chunks_mut(NODES).zip(children.par_chunks(2 * NODES));
            tasks.for_each(|(nodes, children)| {
                for (node, pair) in nodes.iter_mut().zip(children.chunks_exact(2)) {
                    *node = H::merge(&[pair[0], pair[1]]);
                }
            });
            parents /= 2;
        }
        Ok(())
    }
}
