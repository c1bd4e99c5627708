//! Trees over matrices of several heights.
//!
//! The rows of the tallest matrix are the leaves. Where a level has as many nodes as another matrix has rows, each node is merged with the digest of its row, and the levels above are over what that gives: a tree
//! whose leaves are merge(node i, digest of row i), as `p3_merkle_tree` of Plonky3 has it.

use super::{Cosets, DeviceDigests, DeviceTree};
use crate::backend::Accelerated;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::field::Field;
use crate::hash::Hasher;
use crate::memory;
use crate::merkle::{MerkleTree, check_leaf_count};
use crate::ntt::Order;
use crate::operation::{Built, Digests, Each, Subtree};
use crate::progress::Stage;

impl Engine {
    /// The tree whose leaf i is node i of a level merged with the digest of row i of a matrix; the level is the one that has as many nodes as the matrix has rows. It is made where the tree and the matrix are.
    ///
    /// [`Error::NotPowerOfTwo`] for any other number of rows, [`Error::LengthMismatch`] for more rows than leaves, and errors as [`merkle_tree_of_rows`](Self::merkle_tree_of_rows).
    ///
    /// ```
    /// use zkaccel::{Engine, field::Goldilocks, hash::{Hasher, Rp64_256}, matrix::Matrix};
    /// let engine = Engine::new()?;
    /// let upload = |rows: usize| engine.upload(Matrix::from_column((1..=rows as u64).map(Goldilocks::new).collect())?);
    /// let (tall, short) = (engine.merkle_tree_of_rows::<Rp64_256, _>(&upload(8)?)?, upload(2)?);
    /// let merged = engine.merge_rows(&tall, &short.into())?;
    /// let leaf = |i: usize| {
    ///     let row = Rp64_256::hash_elements(&[Goldilocks::new(i as u64 + 1)]);
    ///     Ok::<_, zkaccel::Error>(Rp64_256::merge(&[tall.nodes_at(&[2 + i])?[0], row]))
    /// };
    /// assert_eq!(merged.root(), Rp64_256::merge(&[leaf(0)?, leaf(1)?]));
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn merge_rows<H: Accelerated, E: Field>(
        &self,
        tree: &DeviceTree<H>,
        matrix: &Cosets<E>,
    ) -> Result<DeviceTree<H>, Error> {
        self.check_owner("tree", tree.engine())?;
        matrix.parts().iter().try_for_each(|part| self.check_ours(part))?;
        let rows = matrix.shape().rows;
        check_leaf_count(rows)?;
        if rows > tree.leaf_count() {
            let what = "rows that are merged with a level of a tree, as many as its leaves or fewer";
            return Err(Error::LengthMismatch { what, expected: tree.leaf_count(), found: rows });
        }
        let digests = matrix.each(|_, part| self.digests_of_rows::<H, _>(part))?;
        if (digests.len() == 1 || matrix.order() == Order::BitReversed)
            && let Some(merged) = self.merged_where_they_are(tree, &digests, rows)?
        {
            return Ok(merged);
        }
        self.check_budget(memory_of::<H::Digest>(rows, 8))?;
        let parts = digests.iter().map(|part| part.read(0..part.len())).collect::<Result<Vec<_>, _>>()?;
        let parts: Vec<&[H::Digest]> = parts.iter().map(Vec::as_slice).collect();
        let mut of_rows = memory::zeroed::<H::Digest>(rows)?;
        matrix.join(parts[0].len(), 1, &parts, &mut of_rows);
        let nodes = tree.nodes(rows..2 * rows)?;
        let pairs: Vec<_> = nodes.iter().zip(&of_rows).flat_map(|(node, row)| [*node, *row]).collect();
        Ok(DeviceTree::on_host(self, without_leaves(&self.merkle_tree::<H>(&pairs)?)))
    }

    /// The same by devices that have both, or can read what others have; `None` otherwise. Digests are in parts that have runs of rows.
    fn merged_where_they_are<H: Accelerated>(
        &self,
        tree: &DeviceTree<H>,
        digests: &[DeviceDigests<H>],
        rows: usize,
    ) -> Result<Option<DeviceTree<H>>, Error> {
        let of = tree.parts().max(digests.len());
        if rows < of {
            return Ok(None);
        }
        let (count, in_parts) = (rows / of, digests.len() == of);
        let run_of_rows = |k: usize| match digests {
            _ if in_parts => digests[k].run(0),
            [whole] => whole.run(k * count),
            _ => None,
        };
        let pair = |k| Some([tree.run_of_level(rows, of, k)?, run_of_rows(k)?]);
        let Some(pairs) = (0..of).map(pair).collect::<Option<Vec<_>>>() else { return Ok(None) };
        let members: Vec<usize> = pairs.iter().flatten().map(|(stored, _)| stored.member()).collect();
        let at_one = members.iter().all(|member| *member == members[0]);
        if !at_one && !self.dispatcher().are_peers(&members) {
            return Ok(None);
        }
        let calls = pairs.into_iter().map(|[nodes, rows]| {
            let home = if in_parts { rows.0 } else { nodes.0 };
            let runs = [nodes, rows].map(|(stored, from)| Digests::Device(stored, from)).to_vec();
            (home.member(), Subtree::<H> { runs, count, approach: self.approach() })
        });
        let calls = calls.collect();
        self.run(|| {
            self.report(Stage::Tree, 0, 1);
            let built = self.dispatcher().divided(Each { calls })?;
            // Of a heap over pairs, the levels above these.
            let tree = |built| match built {
                Built::Device(heap, root) => DeviceTree::on_device(self, count, heap, root),
                Built::Host(tree) => DeviceTree::on_host(self, without_leaves(&tree)),
            };
            let mut trees: Vec<_> = built.into_iter().map(tree).collect();
            self.report(Stage::Tree, 1, 1);
            Ok(Some(match trees.len() {
                1 => trees.remove(0),
                _ => DeviceTree::of_subtrees(self, trees),
            }))
        })
    }
}

/// The tree over the nodes above the leaves.
fn without_leaves<H: Hasher>(tree: &MerkleTree<H>) -> MerkleTree<H> {
    MerkleTree::from_filled_heap(tree.heap()[..tree.leaf_count()].to_vec())
}
