//! The trees of a commitment to matrices of several heights, which stay in the engine's memory.
//!
//! As in `crate::tree`: where a level has as many nodes as a shorter matrix has rows, each node is merged with the hash of its row.

use zkaccel::hash::Accelerated;
use zkaccel::merkle::Cap;
use zkaccel::resident::{Cosets, DeviceTree};
use zkaccel::{Engine, Error};

/// The levels of a commitment, from the leaves to the root: the tree over the rows of the tallest matrices, and those over levels of nodes that are merged with rows, from the lowest of these on.
pub(super) struct Levels<H: Accelerated>(Vec<DeviceTree<H>>);

impl<H: Accelerated> Levels<H> {
    /// From matrices whose heights, powers of two, descend.
    pub(super) fn new(
        engine: &Engine,
        mut matrices: impl Iterator<Item = Result<Cosets<zkaccel::field::Goldilocks>, Error>>,
    ) -> Result<Self, Error> {
        let tallest = matrices.next().expect("one matrix or more")?;
        let mut trees = vec![engine.merkle_tree_of_rows::<H, _>(&tallest)?];
        drop(tallest);
        for matrix in matrices {
            trees.push(engine.merge_rows(trees.last().expect("the first tree"), &matrix?)?);
        }
        Ok(Self(trees))
    }

    /// The number of levels above the leaves.
    pub(super) fn depth(&self) -> u32 {
        self.0[0].depth()
    }

    /// The nodes of a level that is not above any of the merged ones, of 2^`height` nodes.
    pub(super) fn cap(&self, height: u32) -> Result<Cap<H>, Error> {
        self.0.last().expect("the first tree").cap(height)
    }

    /// The siblings that lead from some leaves, in ascending order, to such a level: those of each level from left to right, from the leaves' up.
    pub(super) fn open(&self, mut leaves: Vec<usize>, height: u32) -> Result<Vec<H::Digest>, Error> {
        let (mut siblings, mut depth) = (Vec::new(), self.depth());
        for (number, tree) in self.0.iter().enumerate() {
            leaves.iter_mut().for_each(|leaf| *leaf >>= depth - tree.depth());
            leaves.dedup();
            depth = tree.depth();
            let end = self.0.get(number + 1).map_or(height, DeviceTree::depth);
            siblings.extend(tree.open_many_to_cap(&leaves, end)?.siblings);
        }
        Ok(siblings)
    }
}
