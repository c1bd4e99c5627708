//! The trees of a commitment to matrices of several heights, of which the tallest stay in the engine's memory.
//!
//! As in `crate::tree`: where a level has as many nodes as a shorter matrix has rows, each node is merged with the hash of its row. The tree over the rows of the tallest matrices stays
//! in the engine's memory. Of the others the digests of rows come to the host, where their trees are, too: 32 bytes for each row, whatever its width.

use zkaccel::hash::Accelerated;
use zkaccel::merkle::{Cap, MerkleTree};
use zkaccel::resident::{Cosets, DeviceTree};
use zkaccel::{Engine, Error};

use crate::tree::merge_rows;

/// The levels of a commitment, from the leaves to the root.
pub(super) struct Levels<H: Accelerated> {
    /// The tree over the rows of the tallest matrices.
    leaves: DeviceTree<H>,
    /// The trees over levels of nodes that are merged with rows, from the lowest of these levels on.
    above: Vec<MerkleTree<H>>,
}

impl<H: Accelerated> Levels<H> {
    /// From matrices whose heights, powers of two, descend.
    pub(super) fn new(
        engine: &Engine,
        mut matrices: impl Iterator<Item = Result<Cosets<zkaccel::field::Goldilocks>, Error>>,
    ) -> Result<Self, Error> {
        let tallest = matrices.next().expect("one matrix or more")?;
        let leaves = engine.merkle_tree_of_rows::<H, _>(&tallest)?;
        drop(tallest);
        let mut above: Vec<MerkleTree<H>> = Vec::new();
        for matrix in matrices {
            let rows = engine.hash_rows::<H, _>(&matrix?)?;
            let level = rows.len()..2 * rows.len();
            let nodes = match above.last() {
                None => leaves.nodes(level)?,
                Some(tree) => tree.heap()[level].to_vec(),
            };
            above.push(merge_rows::<H>(engine, &nodes, &rows)?);
        }
        Ok(Self { leaves, above })
    }

    /// The number of levels above the leaves.
    pub(super) fn depth(&self) -> u32 {
        self.leaves.depth()
    }

    /// The nodes of a level that is not above any of the merged ones, of 2^`height` nodes.
    pub(super) fn cap(&self, height: u32) -> Result<Cap<H>, Error> {
        self.above.last().map_or_else(|| self.leaves.cap(height), |tree| tree.cap(height))
    }

    /// The siblings that lead from some leaves, in ascending order, to such a level: those of each level from left to right, from the leaves' up.
    pub(super) fn open(&self, mut leaves: Vec<usize>, height: u32) -> Result<Vec<H::Digest>, Error> {
        let end_of = |tree: usize| self.above.get(tree).map_or(height, MerkleTree::depth);
        let mut siblings = self.leaves.open_many_to_cap(&leaves, end_of(0))?.siblings;
        let mut depth = self.leaves.depth();
        for (number, tree) in self.above.iter().enumerate() {
            leaves.iter_mut().for_each(|leaf| *leaf >>= depth - tree.depth());
            leaves.dedup();
            siblings.extend(tree.open_many_to_cap(&leaves, end_of(number + 1))?.siblings);
            depth = tree.depth();
        }
        Ok(siblings)
    }
}
