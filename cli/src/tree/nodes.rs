//! The nodes that a picture shows, each with its part in the proof.
//!
//! Node 1 is the root, and nodes 2i and 2i + 1 are the children of node i. A node that is shown is shown with its sibling, up to the root. Digests
//! are not taken from the stored tree where they follow from others, and the last one that follows is the root, which must be that
//! of the commitment; so none of them is wrong unless the hash has a collision.

use std::collections::BTreeMap;
use std::path::Path;

use zkaccel::commit::RowOpening;
use zkaccel::hash::Accelerated;
use zkaccel::merkle::MultiOpening;

use crate::failure::Failure;
use crate::store::{self, Description};

/// Trees of at most so many leaves are shown whole.
const WHOLE: usize = 16;

/// A node's part in the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A leaf: the digest of an opened row.
    Opened,
    /// An ancestor of an opened row, which the verifier computes.
    Path,
    /// A digest that the proof carries.
    Sibling,
    /// Any other node.
    Other,
}

/// A node that is shown.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The digest in hexadecimal.
    pub(super) digest: String,
    pub(super) part: Part,
    /// Whether the verifier knows the digest beforehand: the root, or a digest of the cap.
    pub(super) known: bool,
}

/// The nodes by position.
pub(super) struct Nodes(pub(super) BTreeMap<usize, Node>);

impl Nodes {
    /// The nodes of the paths of an opening, of the cap and above.
    pub(super) fn of<H: Accelerated>(
        folder: &Path,
        description: &Description,
        opening: &RowOpening<H>,
        cap_height: u32,
    ) -> Result<Self, Failure> {
        let leaves = description.extension_rows;
        let indices = &opening.opening.indices;
        let (_, siblings) = MultiOpening::<H>::plan(leaves, indices)?;
        let mut digests: BTreeMap<usize, H::Digest> = BTreeMap::new();
        let stored = match leaves <= WHOLE {
            true => leaves..2 * leaves,
            false => 1 << cap_height..2 << cap_height,
        };
        let positions: Vec<_> = stored.collect();
        digests.extend(positions.iter().copied().zip(store::read_nodes::<H>(folder, leaves, &positions)?));
        digests.extend(siblings.iter().copied().zip(opening.opening.siblings.iter().copied()));
        let opened = indices.iter().zip(&opening.rows);
        digests.extend(opened.map(|(index, row)| (leaves + index, H::hash_elements(row))));
        // Children stand after their parents. What is computed takes the place of what was read.
        for position in (1..leaves).rev() {
            if let (Some(&left), Some(&right)) =
                (digests.get(&(2 * position)), digests.get(&(2 * position + 1)))
            {
                digests.insert(position, H::merge(&[left, right]));
            }
        }
        let root = digests.get(&1).map(ToString::to_string);
        if root.as_ref() != Some(&description.root) {
            let found = root.unwrap_or_else(|| "none".into());
            return Err(Failure::new(format_args!(
                "the commitment in {} is damaged: the nodes that were read lead to the root {found}, expected {}",
                folder.display(),
                description.root
            )));
        }
        let on_path = |position: usize| {
            let levels = leaves.trailing_zeros() - position.ilog2();
            let first = (position << levels) - leaves;
            let at = indices.partition_point(|&index| index < first);
            indices.get(at).is_some_and(|&index| index - first < 1 << levels)
        };
        let part = |position: usize| match on_path(position) {
            true if position >= leaves => Part::Opened,
            true if position.ilog2() >= cap_height => Part::Path,
            _ if siblings.contains(&position) && position.ilog2() > cap_height => Part::Sibling,
            _ => Part::Other,
        };
        let node = |(position, digest): (usize, H::Digest)| {
            let known = position.ilog2() == cap_height;
            (position, Node { digest: digest.to_string(), part: part(position), known })
        };
        Ok(Self(digests.into_iter().map(node).collect()))
    }

    /// The number of digests that the proof carries.
    pub(super) fn siblings(&self) -> usize {
        self.0.values().filter(|node| node.part == Part::Sibling).count()
    }
}
