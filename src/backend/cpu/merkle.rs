//! Row hashing and trees on all cores.
//!
//! Rows are independent. A tree is built level by level, each level a flat range of independent merges, until the
//! levels are too narrow to share out; below that one thread finishes.

use super::Cpu;
use super::rows::{Rows, SideBySide};
use crate::backend::{Beside, Extent, Hashing, Levels};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::merkle::Approach;
use crate::parallel::{for_each_chunk, threads};

/// Rows a task hashes at least, so that scheduling costs little beside hashing.
const GRAIN: usize = 64;

/// Nodes of a level that a task merges: few where the level is narrow, so that it is shared out all the same, and at most
/// what hides the cost of a task behind the fastest hash.
fn nodes_per_task(nodes: usize) -> usize {
    (nodes / (8 * threads())).next_power_of_two().clamp(8, 512)
}

impl<H: SideBySide> Hashing<H> for Cpu {
    fn hash_rows(
        &self,
        matrix: &[Goldilocks],
        extent: Extent,
        from: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        let rows = Rows::new(matrix, extent);
        for_each_chunk(digests, GRAIN, |task, digests| {
            H::hash_rows(self.simd, rows.from(from + task * GRAIN), digests);
        });
        Ok(())
    }

    fn build_tree(
        &self,
        leaves: &[H::Digest],
        levels: Levels<'_, H::Digest>,
        _: Approach,
        beside: Beside<'_>,
    ) -> Result<(), Error> {
        beside()?;
        let mut children = leaves;
        for level in levels.apart().into_iter().rev() {
            let nodes = nodes_per_task(level.len());
            for_each_chunk(level, nodes, |task, nodes_of_task| {
                let children = &children[2 * nodes * task..][..2 * nodes_of_task.len()];
                H::merge_pairs(self.simd, children, nodes_of_task);
            });
            children = level;
        }
        Ok(())
    }
}
