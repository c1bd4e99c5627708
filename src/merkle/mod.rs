//! Merkle trees: the tree, openings of one or many leaves, and their verification.
//!
//! # Layout
//!
//! A tree of N = 2^d leaves is a heap of 2N digests: index 1 is the root, the children of i are 2i and 2i + 1, the leaves are at
//! N..2N, and index 0 is unused and zero. A tree of one leaf is its own root. The first N digests are what winterfell's
//! `MerkleTree::from_raw_parts` takes as its nodes.
//!
//! The *cap* of height h is the 2^h digests at depth h, left to right; the cap of height 0 is the root. Openings end
//! at a cap, and a cap of height h saves h digests in each.
//!
//! # What a verifier must know
//!
//! Hashes here do not distinguish leaves from inner nodes, so a path that is too short would prove an inner node to be a
//! leaf, and an index beyond the leaves would prove a leaf twice. Verification therefore starts from a [`Cap`], which
//! knows the number of leaves: every index must be below it and every path must have exactly the length it implies.

mod approach;
mod encoding;
mod heap;
mod multi_opening;
mod opening;

pub use approach::Approach;
pub(crate) use heap::Heap;
pub use multi_opening::MultiOpening;
pub use opening::{Cap, Opening};

use crate::error::Error;
use crate::hash::{Digest, Hasher};

/// The methods of a tree that are those of its [`Heap`].
macro_rules! opens {
    ($tree:ident) => {
        /// Openings. Those of a tree on a device have errors of the device as well.
        impl<H: Hasher> $tree<H> {
            /// The number of leaves, a power of two.
            pub fn leaf_count(&self) -> usize {
                Heap::leaf_count(self)
            }

            /// Levels between leaves and root: log2 of the number of leaves.
            pub fn depth(&self) -> u32 {
                Heap::depth(self)
            }

            /// The cap of 2^`height` digests; [`Error::CapTooHigh`] above the leaves.
            pub fn cap(&self, height: u32) -> Result<Cap<H>, Error> {
                Heap::cap(self, height)
            }

            /// The opening of one leaf against the root.
            pub fn open(&self, index: usize) -> Result<Opening<H>, Error> {
                self.open_to_cap(index, 0)
            }

            /// The opening of one leaf against the cap of a height.
            ///
            /// [`Error::IndexOutOfRange`] beyond the leaves, [`Error::CapTooHigh`] for the height.
            pub fn open_to_cap(&self, index: usize, cap_height: u32) -> Result<Opening<H>, Error> {
                Heap::open_to_cap(self, index, cap_height)
            }

            /// One opening of many leaves against the root, each node that it needs once.
            pub fn open_many(&self, indices: &[usize]) -> Result<MultiOpening<H>, Error> {
                self.open_many_to_cap(indices, 0)
            }

            /// One opening of many leaves, in ascending order of their indices, against the cap of a height.
            ///
            /// [`Error::NoIndices`], [`Error::DuplicateIndex`], [`Error::IndexOutOfRange`], [`Error::CapTooHigh`].
            pub fn open_many_to_cap(
                &self,
                indices: &[usize],
                cap_height: u32,
            ) -> Result<MultiOpening<H>, Error> {
                Heap::open_many_to_cap(self, indices, cap_height)
            }
        }
    };
}
pub(crate) use opens;

/// A Merkle tree with all its nodes in memory: 64 bytes per leaf.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MerkleTree<H: Hasher> {
    heap: Vec<H::Digest>,
}

impl<H: Hasher> MerkleTree<H> {
    /// A tree from its heap of 2N digests; the inner nodes are not checked.
    ///
    /// [`Error::NotPowerOfTwo`] unless N is a power of two, [`Error::NotCanonical`] for words at or above p.
    pub fn from_heap(mut heap: Vec<H::Digest>) -> Result<Self, Error> {
        check_leaf_count(heap.len() / 2)?;
        if heap.len() % 2 != 0 {
            return Err(Error::NotPowerOfTwo { what: "digests of a tree's heap", found: heap.len() });
        }
        heap[0] = H::Digest::default();
        H::Digest::check(&heap)?;
        Ok(Self { heap })
    }

    /// A tree over a heap that the engine has filled.
    pub(crate) fn from_filled_heap(heap: Vec<H::Digest>) -> Self {
        Self { heap }
    }

    /// The root.
    pub fn root(&self) -> H::Digest {
        self.heap[1]
    }

    /// The leaves, left to right.
    pub fn leaves(&self) -> &[H::Digest] {
        &self.heap[self.leaf_count()..]
    }

    /// The first N digests of the heap: zero, the root, and the other inner nodes.
    pub fn nodes(&self) -> &[H::Digest] {
        &self.heap[..self.leaf_count()]
    }

    /// The whole heap of 2N digests.
    pub fn heap(&self) -> &[H::Digest] {
        &self.heap
    }
}

opens!(MerkleTree);

impl<H: Hasher> Heap<H> for MerkleTree<H> {
    fn leaf_count(&self) -> usize {
        self.heap.len() / 2
    }

    fn digests(&self, positions: &[usize]) -> Result<Vec<H::Digest>, Error> {
        Ok(positions.iter().map(|&position| self.heap[position]).collect())
    }
}

/// [`Error::NotPowerOfTwo`] unless a tree can have this many leaves.
pub(crate) fn check_leaf_count(found: usize) -> Result<(), Error> {
    match found.is_power_of_two() {
        true => Ok(()),
        false => Err(Error::NotPowerOfTwo { what: "leaves of a Merkle tree", found }),
    }
}

/// [`Error::IndexOutOfRange`] unless `index` is below `len`.
pub(crate) fn check_index(index: usize, len: usize) -> Result<(), Error> {
    match index < len {
        true => Ok(()),
        false => Err(Error::IndexOutOfRange { index, len }),
    }
}
