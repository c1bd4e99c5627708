//! The opening of one leaf, and the cap that it is verified against.

use super::{MultiOpening, check_index, check_leaf_count};
use crate::error::Error;
use crate::hash::{Digest, Hasher};

/// A verifier's knowledge of a tree: its number of leaves and the 2^h digests of its cap; for h = 0 the root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cap<H: Hasher> {
    leaf_count: usize,
    digests: Vec<H::Digest>,
}

/// The siblings on the path from one leaf to a cap, lowest first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening<H: Hasher> {
    /// The index of the leaf.
    pub index: usize,
    /// The sibling at each level, the leaf's own first.
    pub siblings: Vec<H::Digest>,
}

impl<H: Hasher> Cap<H> {
    /// The cap of a tree of `leaf_count` leaves.
    ///
    /// [`Error::NotPowerOfTwo`] unless both numbers are, [`Error::CapTooHigh`] if there are more digests than leaves,
    /// [`Error::NotCanonical`] for words at or above p.
    pub fn new(leaf_count: usize, digests: Vec<H::Digest>) -> Result<Self, Error> {
        check_leaf_count(leaf_count)?;
        if !digests.len().is_power_of_two() {
            return Err(Error::NotPowerOfTwo { what: "digests of a cap", found: digests.len() });
        }
        if digests.len() > leaf_count {
            let (height, depth) = (digests.len().trailing_zeros(), leaf_count.trailing_zeros());
            return Err(Error::CapTooHigh { height, depth });
        }
        H::Digest::check(&digests)?;
        Ok(Self { leaf_count, digests })
    }

    /// The cap of height 0: a root and the number of leaves under it.
    pub fn from_root(leaf_count: usize, root: H::Digest) -> Result<Self, Error> {
        Self::new(leaf_count, vec![root])
    }

    /// The number of leaves of the tree.
    pub fn leaf_count(&self) -> usize {
        self.leaf_count
    }

    /// The digests, left to right.
    pub fn digests(&self) -> &[H::Digest] {
        &self.digests
    }

    /// log2 of the number of digests.
    pub fn height(&self) -> u32 {
        self.digests.len().trailing_zeros()
    }

    /// Levels between leaves and root.
    pub fn depth(&self) -> u32 {
        self.leaf_count.trailing_zeros()
    }

    /// Checks that the leaf at `opening.index` is `leaf`.
    ///
    /// A malformed opening is [`Error::IndexOutOfRange`], [`Error::SiblingCount`] or [`Error::NotCanonical`]; a
    /// well-formed one that is false is [`Error::NotVerified`].
    pub fn verify(&self, leaf: &H::Digest, opening: &Opening<H>) -> Result<(), Error> {
        check_index(opening.index, self.leaf_count)?;
        let expected = (self.depth() - self.height()) as usize;
        if opening.siblings.len() != expected {
            return Err(Error::SiblingCount { expected, found: opening.siblings.len() });
        }
        H::Digest::check(std::slice::from_ref(leaf))?;
        H::Digest::check(&opening.siblings)?;
        let mut node = *leaf;
        let mut index = opening.index;
        for sibling in &opening.siblings {
            node = H::merge(&if index.is_multiple_of(2) { [node, *sibling] } else { [*sibling, node] });
            index /= 2;
        }
        match node == self.digests[index] {
            true => Ok(()),
            false => Err(Error::NotVerified),
        }
    }

    /// Checks that the leaves at `opening.indices` are `leaves`, in the same order.
    ///
    /// Errors as [`verify`](Self::verify), and [`Error::LengthMismatch`] if there are not as many leaves as indices.
    pub fn verify_many(&self, leaves: &[H::Digest], opening: &MultiOpening<H>) -> Result<(), Error> {
        opening.verify(self, leaves)
    }
}
