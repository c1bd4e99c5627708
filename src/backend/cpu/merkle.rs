//! Row hashing and trees on all cores.
//!
//! Rows are independent. A tree is built level by level, each level a flat range of independent merges, until the
//! levels are too narrow to share out; below that one thread finishes.

use rayon::prelude::*;

use super::Cpu;
use super::rows::{Rows, SideBySide};
use crate::backend::Hashing;
use crate::error::Error;
use crate::field::Goldilocks;
use crate::merkle::Approach;

/// Rows a task hashes at least, so that scheduling costs little beside hashing.
const GRAIN: usize = 64;

/// Nodes of a level that a task merges: few where the level is narrow, so that it is shared out all the same, and at most
/// what hides the cost of a task behind the fastest hash.
fn nodes_per_task(nodes: usize) -> usize {
    (nodes / (8 * rayon::current_num_threads())).next_power_of_two().clamp(8, 512)
}

impl<H: SideBySide> Hashing<H> for Cpu {
    fn hash_rows(&self, matrix: &[Goldilocks], width: usize, digests: &mut [H::Digest]) -> Result<(), Error> {
        self.hash::<H>(Rows::row_major(matrix, width), digests);
        Ok(())
    }

    fn hash_columns(
        &self,
        matrix: &[Goldilocks],
        degree: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        self.hash::<H>(Rows::column_major(matrix, degree, digests.len()), digests);
        Ok(())
    }

    fn build_tree(&self, heap: &mut [H::Digest], _: Approach) -> Result<(), Error> {
        let mut parents = heap.len() / 4;
        while parents >= 1 {
            let (upper, children) = heap[..4 * parents].split_at_mut(2 * parents);
            let nodes = nodes_per_task(parents);
            let tasks = upper[parents..].par_chunks_mut(nodes).zip(children.par_chunks(2 * nodes));
            tasks.for_each(|(nodes, children)| H::merge_pairs(self.simd, children, nodes));
            parents /= 2;
        }
        Ok(())
    }
}

impl Cpu {
    /// The digest of every row, on all threads.
    fn hash<H: SideBySide>(&self, rows: Rows<'_>, digests: &mut [H::Digest]) {
        let tasks = digests.par_chunks_mut(GRAIN).enumerate();
        tasks.for_each(|(task, digests)| H::hash_rows(self.simd, rows.from(task * GRAIN), digests));
    }
}
