//! Merkle trees whose subtrees are with several ranks.
//!
//! # Mathematical description
//!
//! A tree over N leaves is the tree over the roots of S subtrees of N / S adjacent leaves each, for S a power of two. Each rank builds some of them; the roots go to all
//! ranks, and each hashes the S - 1 nodes above. A node at position p of the heap, where the root is 1 and the children of p are 2 p and 2 p + 1, is one of those above if p < S, and
//! else in the subtree that its highest bits name.

use std::ops::Range;

use zkaccel::hash::{Accelerated, Hasher};
use zkaccel::merkle::{MerkleTree, MultiOpening};
use zkaccel::resident::{DeviceDigests, DeviceTree};

use crate::cluster::{Cluster, hash};
use crate::error::Error;
use crate::exchange::with_room;
use crate::parts::{owner, parts};
use crate::transport::Transport;

/// A Merkle tree of which this rank has some subtrees, and the nodes above all of them.
#[derive(Clone, Debug)]
pub struct Tree<H: Hasher> {
    /// Over the roots of subtrees.
    top: MerkleTree<H>,
    subtrees: Vec<DeviceTree<H>>,
    /// Which of them each rank has.
    parts: Vec<Range<usize>>,
    rank: usize,
    leaves: usize,
}

/// Subtrees for so many ranks: as many as those, or, if they are no power of two, so many that shares differ little.
pub(crate) fn subtrees(ranks: usize) -> usize {
    match ranks.is_power_of_two() {
        true => ranks,
        false => 4 * ranks.next_power_of_two(),
    }
}

/// Digests as words.
pub(crate) fn words<H: Hasher>(digests: &[H::Digest]) -> Vec<u64> {
    bytemuck::pod_collect_to_vec(digests)
}

/// Words as digests.
pub(crate) fn digests<H: Hasher>(words: &[u64]) -> Vec<H::Digest> {
    bytemuck::pod_collect_to_vec(words)
}

impl<T: Transport> Cluster<T> {
    /// The leaves that this rank has to bring of a tree over so many.
    ///
    /// [`Error::TooManyRanks`] unless there is a leaf for each of the subtrees, and their number is a power of two.
    pub fn leaves(&self, count: usize) -> Result<Range<usize>, Error> {
        let (size, rank) = (self.transport().size(), self.transport().rank());
        let subtrees = subtrees(size);
        if !count.is_power_of_two() || count < subtrees {
            let expected = format!("a power of two of leaves, at least {subtrees}, found {count}");
            return Err(Error::TooManyRanks { what: "a tree", ranks: size, expected });
        }
        let own = parts(subtrees, size)[rank].clone();
        Ok(own.start * (count / subtrees)..own.end * (count / subtrees))
    }

    /// The tree over so many leaves, of which this rank brings [its own](Self::leaves).
    pub fn merkle_tree<H: Accelerated>(&self, count: usize, leaves: &[H::Digest]) -> Result<Tree<H>, Error> {
        let expected = self.leaves(count).and_then(|own| match own.len() == leaves.len() {
            true => Ok(leaves.len()),
            false => {
                let (rank, expected, found) = (self.transport().rank(), own.len(), leaves.len());
                Err(Error::BadPart { what: "leaves", rank, expected, found })
            }
        });
        self.agree("a Merkle tree", &[count as u64, name::<H>()], expected)?;
        let subtrees = subtrees(self.transport().size());
        let kept = self.engine().upload_digests_if_they_fit::<H>(leaves);
        let kept = self.agree("leaves", &[], kept.map_err(Error::from))?;
        let run = count / subtrees;
        let starts = (0..leaves.len()).step_by(run).map(|start| vec![start]).collect();
        self.tree_of_subtrees(count, subtrees, run, &kept, starts)
    }

    /// The tree over so many leaves of so many subtrees: the leaves of each of this rank's are those of runs of so many digests in turn, which begin as told.
    pub(crate) fn tree_of_subtrees<H: Accelerated>(
        &self,
        leaves: usize,
        count: usize,
        run: usize,
        kept_leaves: &DeviceDigests<H>,
        starts: Vec<Vec<usize>>,
    ) -> Result<Tree<H>, Error> {
        let engine = self.engine();
        let build = |kept: &DeviceDigests<H>| {
            starts.iter().map(|starts| engine.merkle_tree_in_turn(kept, starts, run)).collect()
        };
        let built = with_room(engine, kept_leaves, build);
        let subtrees: Vec<_> = self.agree("subtrees", &[], built.map_err(Error::from))?;
        let roots: Vec<_> = subtrees.iter().map(DeviceTree::root).collect();
        let roots = self.transport().all_gather(words::<H>(&roots))?.concat();
        let top = self.engine().merkle_tree::<H>(&digests::<H>(&roots));
        let top = self.agree("the nodes above subtrees", &roots, top.map_err(Error::from))?;
        let (rank, size) = (self.transport().rank(), self.transport().size());
        Ok(Tree { top, subtrees, parts: parts(count, size), rank, leaves })
    }

    /// An opening of leaves against the root, on every rank.
    ///
    /// [`Error::Left`] of a tree that ranks have a share of which have died since; errors as [`MultiOpening::plan`].
    pub fn open<H: Accelerated>(&self, tree: &Tree<H>, indices: &[usize]) -> Result<MultiOpening<H>, Error> {
        let parameters: Vec<u64> = indices.iter().map(|&index| index as u64).collect();
        let plan = match (tree.parts.len(), self.transport().size()) {
            (made, left) if made != left => Err(Error::Left { made, left }),
            _ => MultiOpening::<H>::plan(tree.leaves, indices).map_err(Error::from),
        };
        let (indices, positions) = self.agree("an opening", &parameters, plan)?;
        let own = self.agree("nodes of an opening", &[], tree.own_nodes(&positions).map_err(Error::from))?;
        let nodes = self.transport().all_gather(words::<H>(&own))?;
        let mut nodes: Vec<_> = nodes.iter().map(|words| digests::<H>(words).into_iter()).collect();
        // Each rank has sent its nodes in the order of the plan.
        let sibling = |&position: &usize| match tree.owner(position) {
            Some(rank) => nodes[rank].next().expect("a node that its rank has"),
            None => tree.top.heap()[position],
        };
        Ok(MultiOpening { siblings: positions.iter().map(sibling).collect(), indices })
    }
}

/// A hash as a parameter that ranks agree on.
pub(crate) fn name<H: Hasher>() -> u64 {
    hash(H::NAME.bytes())
}

impl<H: Hasher> Tree<H> {
    /// The root.
    pub fn root(&self) -> H::Digest {
        self.top.root()
    }

    /// The number of leaves, of all ranks.
    pub fn leaf_count(&self) -> usize {
        self.leaves
    }

    /// The tree over the roots of subtrees: its leaves are the cap of that height.
    pub fn top(&self) -> &MerkleTree<H> {
        &self.top
    }

    /// The number that this rank had when the tree was made.
    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// This rank's subtrees, with the number of the first.
    pub fn subtrees(&self) -> (usize, &[DeviceTree<H>]) {
        (self.parts[self.rank].start, &self.subtrees)
    }

    /// The subtree that has a node, and the node's position there; `None` for one that all ranks have.
    fn locate(&self, position: usize) -> Option<(usize, usize)> {
        let below = position.ilog2().checked_sub(self.top.depth())?;
        let within = position & ((1 << below) - 1);
        (below > 0).then(|| ((position >> below) - self.top.leaf_count(), (1 << below) + within))
    }

    /// The rank that has a node which not all have.
    fn owner(&self, position: usize) -> Option<usize> {
        self.locate(position).map(|(subtree, _)| owner(&self.parts, subtree))
    }

    /// The nodes among these that this rank has and others have not, in order.
    fn own_nodes(&self, positions: &[usize]) -> Result<Vec<H::Digest>, zkaccel::Error> {
        let own = &self.parts[self.rank];
        let here = |&position: &usize| self.locate(position).filter(|(subtree, _)| own.contains(subtree));
        let places: Vec<_> = positions.iter().filter_map(here).collect();
        let mut nodes = vec![H::Digest::default(); places.len()];
        for (number, subtree) in own.clone().zip(&self.subtrees) {
            let wanted: Vec<_> = (0..places.len()).filter(|&i| places[i].0 == number).collect();
            let within: Vec<_> = wanted.iter().map(|&i| places[i].1).collect();
            wanted.into_iter().zip(subtree.nodes_at(&within)?).for_each(|(i, node)| nodes[i] = node);
        }
        Ok(nodes)
    }
}
