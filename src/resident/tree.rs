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
}

impl<H: Hasher> DeviceTree<H> {
    /// A tree in host memory.
    pub(crate) fn on_host(engine: &Engine, tree: MerkleTree<H>) -> Self {
        let (leaf_count, root) = (tree.leaf_count(), tree.root());
        Self { engine: engine.clone(), leaf_count, root, location: Location::Host(Arc::new(tree)) }
    }

    /// A tree in the device's own memory.
    pub(super) fn on_device(engine: &Engine, leaf_count: usize, heap: Stored, root: H::Digest) -> Self {
        Self { engine: engine.clone(), leaf_count, root, location: Location::Device(heap) }
    }

    /// The root.
    pub fn root(&self) -> H::Digest {
        self.root
    }

    /// The tree, if it is in host memory; see [`DeviceMatrix::as_host`](super::DeviceMatrix::as_host).
    pub fn as_host(&self) -> Option<&MerkleTree<H>> {
        match &self.location {
            Location::Host(tree) => Some(tree),
            Location::Device(_) => None,
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

    /// Copies nodes from a number on.
    fn read(&self, from: usize, nodes: &mut [H::Digest]) -> Result<(), Error> {
        match &self.location {
            Location::Host(tree) => nodes.copy_from_slice(&tree.heap()[from..from + nodes.len()]),
            Location::Device(stored) => {
                let data = bytemuck::cast_slice_mut(nodes);
                self.engine.perform(download(stored, DIGEST * from, data))?;
            }
        }
        Ok(())
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
        };
        let mut digests = memory::zeroed::<H::Digest>(positions.len())?;
        let extent = Extent { rows: 2 * self.leaf_count, width: DIGEST, block: DIGEST };
        let data = bytemuck::cast_slice_mut(&mut digests);
        self.engine.perform(gather(stored, extent, positions, data))?;
        Ok(digests)
    }
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
