//! One opening of many leaves, compressed: a node that follows from the opened leaves is not sent.
//!
//! Going up level by level with the ascending list of known positions, a position whose sibling is also in the list needs
//! nothing; any other needs its sibling. The siblings are in that order: by level from the leaves up, and from left to right
//! within a level. The order is a function of the indices alone, so an opening has one form.

use super::{Cap, check_index};
use crate::error::Error;
use crate::hash::{Digest, Hasher};

/// The siblings that lead from several leaves to a cap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MultiOpening<H: Hasher> {
    /// The indices of the leaves, strictly ascending.
    pub indices: Vec<usize>,
    /// The nodes that do not follow from the leaves, by level from the leaves up, left to right.
    pub siblings: Vec<H::Digest>,
}

/// The indices in ascending order, each in range and only once, at least one.
pub(super) fn ascending(indices: &[usize], leaf_count: usize) -> Result<Vec<usize>, Error> {
    let mut sorted = indices.to_vec();
    sorted.sort_unstable();
    check_ascending(&sorted, leaf_count)?;
    Ok(sorted)
}

pub(super) fn check_ascending(indices: &[usize], leaf_count: usize) -> Result<(), Error> {
    let last = *indices.last().ok_or(Error::NoIndices)?;
    for pair in indices.windows(2) {
        match pair[0].cmp(&pair[1]) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => return Err(Error::DuplicateIndex { index: pair[0] }),
            std::cmp::Ordering::Greater => {
                return Err(Error::UnsortedIndex { index: pair[1], after: pair[0] });
            }
        }
    }
    check_index(last, leaf_count)
}

/// Groups an ascending list of positions into the families that share a parent: (position, its sibling if known).
fn families(positions: &[usize]) -> impl Iterator<Item = (usize, Option<usize>)> {
    let mut rest = positions;
    std::iter::from_fn(move || {
        let (&first, tail) = rest.split_first()?;
        let sibling = tail.first().copied().filter(|&next| next == first ^ 1);
        rest = &tail[sibling.is_some() as usize..];
        Some((first, sibling))
    })
}

/// The heap positions of the siblings that leaves at ascending `indices` need below a cap.
pub(super) fn sibling_positions(indices: &[usize], depth: u32, cap_height: u32) -> Vec<usize> {
    let mut positions: Vec<usize> = indices.iter().map(|index| (1 << depth) + index).collect();
    let mut siblings = Vec::new();
    for _ in cap_height..depth {
        siblings.extend(
            families(&positions).filter(|(_, known)| known.is_none()).map(|(position, _)| position ^ 1),
        );
        positions = families(&positions).map(|(position, _)| position / 2).collect();
    }
    siblings
}

impl<H: Hasher> MultiOpening<H> {
    /// The contents of an opening of leaves against the root of a tree of `leaf_count` leaves: the indices in
    /// ascending order, and the heap positions of the siblings in the order of [`siblings`](Self::siblings).
    ///
    /// With it an opening can be read from a stored tree without reading all of it; see
    /// [`MerkleTree::encoded_position`](super::MerkleTree::encoded_position).
    ///
    /// [`Error::NotPowerOfTwo`], [`Error::NoIndices`], [`Error::DuplicateIndex`], [`Error::IndexOutOfRange`].
    pub fn plan(leaf_count: usize, indices: &[usize]) -> Result<(Vec<usize>, Vec<usize>), Error> {
        super::check_leaf_count(leaf_count)?;
        let indices = ascending(indices, leaf_count)?;
        let siblings = sibling_positions(&indices, leaf_count.trailing_zeros(), 0);
        Ok((indices, siblings))
    }

    /// See [`Cap::verify_many`].
    pub(super) fn verify(&self, cap: &Cap<H>, leaves: &[H::Digest]) -> Result<(), Error> {
        check_ascending(&self.indices, cap.leaf_count())?;
        if leaves.len() != self.indices.len() {
            let (expected, found) = (self.indices.len(), leaves.len());
            return Err(Error::LengthMismatch { what: "opened leaves", expected, found });
        }
        let expected = sibling_positions(&self.indices, cap.depth(), cap.height()).len();
        if self.siblings.len() != expected {
            return Err(Error::SiblingCount { expected, found: self.siblings.len() });
        }
        H::Digest::check(leaves)?;
        H::Digest::check(&self.siblings)?;

        let mut positions: Vec<usize> = self.indices.clone();
        let mut nodes = leaves.to_vec();
        let mut siblings = self.siblings.iter();
        for _ in cap.height()..cap.depth() {
            let mut known = nodes.iter();
            let mut next = || *known.next().expect("a node for every position");
            nodes = families(&positions)
                .map(|(position, sibling)| {
                    let node = next();
                    let other = match sibling {
                        Some(_) => next(),
                        None => *siblings.next().expect("the siblings were counted"),
                    };
                    // A known sibling is always the right one: positions ascend.
                    H::merge(&if position.is_multiple_of(2) { [node, other] } else { [other, node] })
                })
                .collect();
            positions = families(&positions).map(|(position, _)| position / 2).collect();
        }
        match positions.iter().zip(&nodes).all(|(&position, node)| cap.digests()[position] == *node) {
            true => Ok(()),
            false => Err(Error::NotVerified),
        }
    }
}
