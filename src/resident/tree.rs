//! Merkle trees that stay on the device.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::backend::Extent;
use crate::dispatch::Stored;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::hash::Hasher;
use crate::memory;
use crate::merkle::{Cap, Heap, MerkleTree, MultiOpening, Opening, opens};
use crate::operation::{download, gather};

/// Words of a digest.
const DIGEST: usize = 4;

/// A Merkle tree in an engine's memory. Its root is in host memory; of the rest only the digests that a cap or an opening needs
/// are copied to the host. Clones share it.
#[derive(Clone)]
pub struct DeviceTree<H: Hasher> {
    engine: Engine,
    leaf_count: usize,
    root: H::Digest,
    location: Location<H>,
}

/// The location of the heap.
#[derive(Clone)]
enum Location<H: Hasher> {
    Host(Arc<MerkleTree<H>>),
    Device(Stored),
    /// Subtrees of equally many adjacent leaves, and the tree over their roots.
    Subtrees(Arc<MerkleTree<H>>, Arc<[DeviceTree<H>]>),
}

impl<H: Hasher> DeviceTree<H> {
    /// A tree in host memory.
    pub(crate) fn on_host(engine: &Engine, tree: MerkleTree<H>) -> Self {
        let (leaf_count, root) = (tree.leaf_count(), tree.root());
        Self { engine: engine.clone(), leaf_count, root, location: Location::Host(Arc::new(tree)) }
    }

    /// A tree in the device's own memory.
    pub(crate) fn on_device(engine: &Engine, leaf_count: usize, heap: Stored, root: H::Digest) -> Self {
        Self { engine: engine.clone(), leaf_count, root, location: Location::Device(heap) }
    }

    /// A tree of subtrees on several devices, of equally many leaves, from left to right; their number is a power of two.
    pub(crate) fn of_subtrees(engine: &Engine, subtrees: Vec<Self>) -> Self {
        let count = subtrees.len();
        let mut heap = vec![H::Digest::default(); 2 * count];
        heap[count..].iter_mut().zip(&subtrees).for_each(|(leaf, subtree)| *leaf = subtree.root);
        for node in (1..count).rev() {
            heap[node] = H::merge(&[heap[2 * node], heap[2 * node + 1]]);
        }
        let (top, leaf_count) = (MerkleTree::from_filled_heap(heap), count * subtrees[0].leaf_count);
        let root = top.root();
        let location = Location::Subtrees(Arc::new(top), subtrees.into());
        Self { engine: engine.clone(), leaf_count, root, location }
    }

    /// The root.
    pub fn root(&self) -> H::Digest {
        self.root
    }

    /// The tree, if it is in host memory; see [`DeviceMatrix::as_host`](super::DeviceMatrix::as_host).
    pub fn as_host(&self) -> Option<&MerkleTree<H>> {
        match &self.location {
            Location::Host(tree) => Some(tree),
            Location::Device(_) | Location::Subtrees(..) => None,
        }
    }

    /// A copy in host memory: [`Error::OverBudget`], [`Error::HostOutOfMemory`], and errors of the device.
    pub fn download(&self) -> Result<MerkleTree<H>, Error> {
        self.engine.check_budget(memory_of::<H::Digest>(self.leaf_count, 2))?;
        let mut heap = memory::zeroed::<H::Digest>(2 * self.leaf_count)?;
        self.read(1, &mut heap[1..])?;
        Ok(MerkleTree::from_filled_heap(heap))
    }

    /// Nodes by their numbers: 1 is the root, the children of i are 2i and 2i + 1, and leaf i of n is n + i.
    ///
    /// [`Error::IndexOutOfRange`] for number 0 and past the last leaf; [`Error::OverBudget`], [`Error::HostOutOfMemory`], and
    /// errors of the device.
    pub fn nodes(&self, numbers: Range<usize>) -> Result<Vec<H::Digest>, Error> {
        let end = 2 * self.leaf_count;
        if numbers.start == 0 || numbers.start > numbers.end || numbers.end > end {
            return Err(Error::IndexOutOfRange { index: numbers.start.max(numbers.end), len: end });
        }
        self.engine.check_budget(memory_of::<H::Digest>(numbers.len(), 1))?;
        let mut nodes = memory::zeroed::<H::Digest>(numbers.len())?;
        self.read(numbers.start, &mut nodes)?;
        Ok(nodes)
    }

    /// Nodes by their numbers, in any order, of which a device copies no others; as [`nodes`](Self::nodes).
    pub fn nodes_at(&self, numbers: &[usize]) -> Result<Vec<H::Digest>, Error> {
        let end = 2 * self.leaf_count;
        match numbers.iter().find(|&&number| number == 0 || number >= end) {
            Some(&index) => Err(Error::IndexOutOfRange { index, len: end }),
            None => self.digests(numbers),
        }
    }

    /// The engine that has it.
    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// In how many subtrees it is.
    pub(super) fn parts(&self) -> usize {
        match &self.location {
            Location::Host(_) | Location::Device(_) => 1,
            Location::Subtrees(_, subtrees) => subtrees.len(),
        }
    }

    /// Of a level of so many nodes the k-th of so many equal runs: what has it, and from which word on. `None` for what is in host memory, and unless subtrees have one run each.
    pub(super) fn run_of_level(&self, nodes: usize, runs: usize, k: usize) -> Option<(&Stored, usize)> {
        match &self.location {
            Location::Device(stored) => Some((stored, DIGEST * (nodes + k * (nodes / runs)))),
            Location::Subtrees(_, subtrees) if subtrees.len() == runs => {
                subtrees[k].run_of_level(nodes / runs, 1, 0)
            }
            Location::Host(_) | Location::Subtrees(..) => None,
        }
    }

    /// Copies nodes from a number on.
    fn read(&self, from: usize, nodes: &mut [H::Digest]) -> Result<(), Error> {
        match &self.location {
            Location::Host(tree) => nodes.copy_from_slice(&tree.heap()[from..from + nodes.len()]),
            Location::Device(stored) => {
                let data = bytemuck::cast_slice_mut(nodes);
                self.engine.perform(download(stored, DIGEST * from, data))?;
            }
            Location::Subtrees(top, subtrees) => {
                let (mut number, mut rest) = (from, nodes);
                while !rest.is_empty() {
                    // A level of the tree is a level of each subtree, one after another.
                    let (subtree, own, run) = place(number, subtrees.len());
                    let (now, later) = rest.split_at_mut(run.min(rest.len()));
                    match subtree {
                        None => now.copy_from_slice(&top.heap()[own..own + now.len()]),
                        Some(subtree) => subtrees[subtree].read(own, now)?,
                    }
                    number += now.len();
                    rest = later;
                }
            }
        }
        Ok(())
    }
}

/// Where a node is in a tree of so many subtrees, by its number: in the tree over their roots or in a subtree, under which number there, and
/// how many nodes of its level follow there, itself included.
fn place(number: usize, subtrees: usize) -> (Option<usize>, usize, usize) {
    let level = 1 << number.ilog2();
    match level < subtrees {
        true => (None, number, 2 * level - number),
        false => {
            let (own_level, in_level) = (level / subtrees, number - level);
            let own = own_level + in_level % own_level;
            (Some(in_level / own_level), own, 2 * own_level - own)
        }
    }
}

opens!(DeviceTree);

impl<H: Hasher> Heap<H> for DeviceTree<H> {
    fn leaf_count(&self) -> usize {
        self.leaf_count
    }

    fn digests(&self, positions: &[usize]) -> Result<Vec<H::Digest>, Error> {
        let stored = match &self.location {
            // The root is in host memory.
            _ if positions == [1] => return Ok(vec![self.root]),
            Location::Host(tree) => return tree.digests(positions),
            Location::Device(stored) => stored,
            Location::Subtrees(top, subtrees) => return digests_of(top, subtrees, positions),
        };
        let mut digests = memory::zeroed::<H::Digest>(positions.len())?;
        let extent = Extent { rows: 2 * self.leaf_count, width: DIGEST, block: DIGEST };
        let data = bytemuck::cast_slice_mut(&mut digests);
        self.engine.perform(gather(stored, extent, positions, data))?;
        Ok(digests)
    }
}

/// The digests at some positions of a tree of subtrees, each of which is asked once.
fn digests_of<H: Hasher>(
    top: &MerkleTree<H>,
    subtrees: &[DeviceTree<H>],
    positions: &[usize],
) -> Result<Vec<H::Digest>, Error> {
    let mut digests = vec![H::Digest::default(); positions.len()];
    let places: Vec<_> = positions.iter().map(|&number| place(number.max(1), subtrees.len())).collect();
    for (digest, &(subtree, own, _)) in digests.iter_mut().zip(&places) {
        if subtree.is_none() {
            *digest = top.heap()[own];
        }
    }
    for (number, subtree) in subtrees.iter().enumerate() {
        let here: Vec<usize> = (0..places.len()).filter(|&i| places[i].0 == Some(number)).collect();
        if here.is_empty() {
            continue;
        }
        let own: Vec<usize> = here.iter().map(|&i| places[i].1).collect();
        here.into_iter().zip(subtree.digests(&own)?).for_each(|(i, found)| digests[i] = found);
    }
    Ok(digests)
}

impl<H: Hasher> fmt::Debug for DeviceTree<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceTree")
            .field("engine", &self.engine)
            .field("leaf_count", &self.leaf_count)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::place;

    /// Every node of a tree of 16 leaves is in one place, whose neighbours are as many as it tells.
    #[test]
    fn places_of_nodes() {
        for subtrees in [2, 4, 8] {
            let mut seen = std::collections::HashSet::new();
            for number in 1..32 {
                let (subtree, own, run) = place(number, subtrees);
                let size = if subtree.is_some() { 32 / subtrees } else { subtrees };
                assert!((1..size).contains(&own) && run >= 1, "{number} of {subtrees} subtrees");
                assert!(seen.insert((subtree, own)), "{number} of {subtrees} subtrees");
                if run > 1 {
                    assert_eq!(place(number + 1, subtrees), (subtree, own + 1, run - 1));
                }
                // A parent is one level above in the same tree, or the root of a subtree is there.
                let parent = place(number.max(2) / 2, subtrees);
                assert!(own == 1 || number == 1 || (parent.0, parent.1) == (subtree, own / 2));
            }
        }
    }
}
