//! Row hashing and Merkle trees of host data: what goes to the device, in how many parts, and what comes back. Which kernels
//! build a tree is in `tree.rs`.
//!
//! A tree that is too large for the device is built as subtrees of leaves, and then as the tree over their roots.

use std::ops::Range;

use super::Gpu;
use super::device::{Arg, Device, Launch, Limits};
use super::hash::DeviceHash;
use super::pipeline;
use super::tree;
use super::work::{Region, Work};
use crate::backend::{Check, Extent, Hashing, levels_of_heap};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::memory;
use crate::merkle::Approach;

/// Words of a digest.
pub(super) const DIGEST: usize = 4;

/// The digests of the rows of a matrix, to a region from some word on.
pub(super) fn hash_rows<H: DeviceHash>(
    limits: Limits,
    matrix: Region,
    extent: Extent,
    (digests, at): (Region, usize),
) -> Launch<Region> {
    let Extent { rows, width, block } = extent;
    assert!(matrix.words() >= extent.words() && width % block == 0);
    assert!(digests.words() >= at + rows * DIGEST);
    let mut args = vec![Arg::Buffer(matrix, 0)];
    args.extend([rows, width, block].map(|number| Arg::Word(number as u64)));
    args.push(Arg::Buffer(digests, at as u64));
    // SAFETY: every program of a hash has hash_rows, which reads rows x width words and writes rows digests.
    unsafe { Launch::new(H::PROGRAM, H::row_kernel(width), limits.grid(rows), args) }
}

impl<D: Device> Gpu<D> {
    /// Hashes as many rows as there are digests, from some row on, of a matrix of either layout; in runs of rows where memory is short.
    fn digests<H: DeviceHash>(
        &self,
        matrix: &[Goldilocks],
        (rows, block): (usize, usize),
        from: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        let words = matrix.len() / rows + DIGEST;
        if let Some(at_once) = self.overlap(digests.len(), 8 * words, words) {
            let parts = digests.chunks_mut(at_once).enumerate();
            let hash = |(number, digests): (usize, &mut [H::Digest])| {
                self.digests_from::<H>(matrix, (rows, block), from + number * at_once, digests)
            };
            match pipeline::run(parts, hash) {
                Err(Error::DeviceOutOfMemory { .. }) => {}
                done => return done,
            }
        }
        self.divide(digests.len(), words, |part| {
            self.digests_from::<H>(matrix, (rows, block), from + part.start, &mut digests[part])
        })
    }

    /// The same at once.
    fn digests_from<H: DeviceHash>(
        &self,
        matrix: &[Goldilocks],
        (rows, block): (usize, usize),
        from: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        let width = matrix.len() / rows;
        let mut work = Work::new(self)?;
        let input = work.allocate(digests.len() * width)?;
        let output = work.allocate(digests.len() * DIGEST)?;
        // These rows of every block, side by side.
        let (first, len) = (from * block, digests.len() * block);
        match digests.len() == rows {
            true => work.upload(bytemuck::cast_slice(matrix), input, 0)?,
            false => matrix.chunks_exact(rows * block).enumerate().try_for_each(|(number, block)| {
                work.upload(bytemuck::cast_slice(&block[first..first + len]), input, 8 * number * len)
            })?,
        }
        let extent = Extent { rows: digests.len(), width, block };
        work.launch(&[hash_rows::<H>(work.limits(), input, extent, (output, 0))])?;
        work.download(output, 0, bytemuck::cast_slice_mut(digests))
    }

    /// A whole tree over leaves that stand elsewhere. While the device is at work, the host looks at the leaves, copies them and
    /// has the system find pages for the nodes.
    fn tree_over<H: DeviceHash>(
        &self,
        leaves: &[H::Digest],
        heap: &mut [H::Digest],
        approach: Approach,
        check: Check<'_, H::Digest>,
    ) -> Result<(), Error> {
        let count = leaves.len();
        let (nodes, copies) = heap.split_at_mut(count);
        let device = || {
            let mut work = Work::new(self)?;
            let region = work.allocate(2 * count * DIGEST)?;
            work.upload(bytemuck::cast_slice(leaves), region, 8 * DIGEST * count)?;
            work.launch(&tree::plan::<H>(approach, work.limits(), region, count))?;
            Ok((work, region))
        };
        let mut host = || {
            check(leaves)?;
            memory::copy(leaves, copies);
            memory::touch(nodes);
            Ok(())
        };
        let (mut work, region) = match self.device.copies_directly(bytemuck::cast_slice(leaves)) {
            true => {
                let (looked, started) = rayon::join(host, device);
                looked.and(started)?
            }
            // The copy to staging memory takes all threads.
            false => {
                let started = device()?;
                host().map(|()| started)?
            }
        };
        work.download(region, 8 * DIGEST, bytemuck::cast_slice_mut(&mut nodes[1..]))
    }

    /// A tree whose levels come back each to a place of its own.
    fn levels<H: DeviceHash>(
        &self,
        leaves: &[H::Digest],
        levels: &mut [&mut [H::Digest]],
        approach: Approach,
    ) -> Result<(), Error> {
        let count = leaves.len();
        let mut work = Work::new(self)?;
        let region = work.allocate(2 * count * DIGEST)?;
        work.upload(bytemuck::cast_slice(leaves), region, 8 * DIGEST * count)?;
        work.launch(&tree::plan::<H>(approach, work.limits(), region, count))?;
        // Pages for the nodes, while the device is at work.
        levels.iter_mut().for_each(|level| memory::touch(level));
        levels.iter_mut().enumerate().try_for_each(|(depth, level)| {
            work.download(region, (8 * DIGEST) << depth, bytemuck::cast_slice_mut(level))
        })
    }

    /// Builds the subtree below a node of a heap; below node 1 that is the tree.
    fn subtree<H: DeviceHash>(
        &self,
        heap: &mut [H::Digest],
        node: usize,
        approach: Approach,
    ) -> Result<(), Error> {
        // The descendants of a node on one level stand side by side.
        let level = |width: usize| node * width..(node + 1) * width;
        let leaves = (heap.len() / 2) >> node.ilog2();
        let mut work = Work::new(self)?;
        let region = work.allocate(2 * leaves * DIGEST)?;
        work.upload(bytemuck::cast_slice(&heap[level(leaves)]), region, 8 * DIGEST * leaves)?;
        work.launch(&tree::plan::<H>(approach, work.limits(), region, leaves))?;
        let mut fetch = |from: usize, to: Range<usize>| {
            work.download(region, 8 * DIGEST * from, bytemuck::cast_slice_mut(&mut heap[to]))
        };
        match node {
            1 => fetch(1, 1..leaves),
            _ => (0..leaves.ilog2()).try_for_each(|depth| fetch(1 << depth, level(1 << depth))),
        }
    }
}

impl<D: Device, H: DeviceHash> Hashing<H> for Gpu<D> {
    fn hash_rows(&self, matrix: &[Goldilocks], width: usize, digests: &mut [H::Digest]) -> Result<(), Error> {
        // A row-major matrix is one block.
        self.digests::<H>(matrix, (digests.len(), width), 0, digests)
    }

    fn hash_columns(
        &self,
        matrix: &[Goldilocks],
        degree: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        self.digests::<H>(matrix, (digests.len(), degree), 0, digests)
    }

    fn hash_columns_from(
        &self,
        matrix: &[Goldilocks],
        degree: usize,
        (rows, from): (usize, usize),
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        self.digests::<H>(matrix, (rows, degree), from, digests)
    }

    fn build_levels(
        &self,
        leaves: &[H::Digest],
        levels: &mut [&mut [H::Digest]],
        approach: Approach,
    ) -> Result<(), Error> {
        if leaves.len() > 1 && self.fits(2 * DIGEST * leaves.len()) {
            match self.levels::<H>(leaves, levels, approach) {
                Err(Error::DeviceOutOfMemory { .. }) => {}
                built => return built,
            }
        }
        levels_of_heap(leaves, levels, |heap| Hashing::<H>::build_tree(self, heap, approach))
    }

    fn build_tree_over(
        &self,
        leaves: &[H::Digest],
        heap: &mut [H::Digest],
        approach: Approach,
        check: Check<'_, H::Digest>,
    ) -> Result<(), Error> {
        if leaves.len() > 1 && self.fits(2 * DIGEST * leaves.len()) {
            match self.tree_over::<H>(leaves, heap, approach, check) {
                Err(Error::DeviceOutOfMemory { .. }) => {}
                built => return built,
            }
        }
        check(leaves)?;
        memory::copy(leaves, &mut heap[leaves.len()..]);
        Hashing::<H>::build_tree(self, heap, approach)
    }

    fn build_tree(&self, heap: &mut [H::Digest], approach: Approach) -> Result<(), Error> {
        // Subtrees as high as may be, and then the tree over their roots in the same way.
        let mut leaves = heap.len() / 2;
        let mut height = leaves.ilog2();
        while height > 1 && !self.fits((2 * DIGEST) << height) {
            height -= 1;
        }
        while height > 0 {
            let roots = leaves >> height;
            let heap = &mut heap[..2 * leaves];
            match (roots..2 * roots).try_for_each(|node| self.subtree::<H>(heap, node, approach)) {
                Err(Error::DeviceOutOfMemory { .. }) if height > 1 => height -= 1,
                built => {
                    built?;
                    leaves = roots;
                    height = height.min(leaves.ilog2());
                }
            }
        }
        Ok(())
    }
}
