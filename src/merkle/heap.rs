//! Caps and openings of a tree, wherever its heap lies.

use super::{Cap, MultiOpening, Opening, check_index, multi_opening};
use crate::error::Error;
use crate::hash::Hasher;

/// A tree as a heap of 2N digests, of which caps and openings read those that they need.
pub(crate) trait Heap<H: Hasher> {
    /// The number of leaves N, a power of two.
    fn leaf_count(&self) -> usize;

    /// The digests at some positions of the heap, all below 2N.
    fn digests(&self, positions: &[usize]) -> Result<Vec<H::Digest>, Error>;

    /// Levels between leaves and root.
    fn depth(&self) -> u32 {
        self.leaf_count().trailing_zeros()
    }

    /// The cap of 2^`height` digests.
    fn cap(&self, height: u32) -> Result<Cap<H>, Error> {
        self.check_cap(height)?;
        let positions: Vec<_> = (1 << height..2 << height).collect();
        Cap::new(self.leaf_count(), self.digests(&positions)?)
    }

    /// The opening of one leaf against the cap of a height.
    fn open_to_cap(&self, index: usize, cap_height: u32) -> Result<Opening<H>, Error> {
        self.check_cap(cap_height)?;
        check_index(index, self.leaf_count())?;
        // The siblings of the leaf and of its ancestors below the cap.
        let siblings = (0..self.depth() - cap_height).map(|level| ((self.leaf_count() + index) >> level) ^ 1);
        Ok(Opening { index, siblings: self.digests(&siblings.collect::<Vec<_>>())? })
    }

    /// One opening of many leaves against the cap of a height.
    fn open_many_to_cap(&self, indices: &[usize], cap_height: u32) -> Result<MultiOpening<H>, Error> {
        self.check_cap(cap_height)?;
        let indices = multi_opening::ascending(indices, self.leaf_count())?;
        let positions = multi_opening::sibling_positions(&indices, self.depth(), cap_height);
        Ok(MultiOpening { indices, siblings: self.digests(&positions)? })
    }

    /// [`Error::CapTooHigh`] above the leaves.
    fn check_cap(&self, height: u32) -> Result<(), Error> {
        match height <= self.depth() {
            true => Ok(()),
            false => Err(Error::CapTooHigh { height, depth: self.depth() }),
        }
    }
}
