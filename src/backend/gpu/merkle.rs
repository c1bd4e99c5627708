//! Row hashing and Merkle trees of host data: transfers to and from the device, and division into parts. `tree.rs` chooses the
//! kernels that build a tree.
//!
//! A tree that is too large for the device is built as subtrees of leaves, and then as the tree over their roots.

use super::Gpu;
use super::device::{Arg, Launch, Limits};
use super::hash::DeviceHash;
use super::pipeline;
use super::session::{Region, Session};
use super::tree;
use crate::backend::{Beside, Extent, Hashing, Levels};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::memory;
use crate::merkle::Approach;
use crate::parallel;

/// Words of a digest.
pub(super) const DIGEST: usize = 4;

/// The digests of the rows of a matrix, written to a region from some word on.
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
    let (kernel, grid) = match tree::teams::<H>(limits, rows) {
        Some(grid) => ("hash_rows_team", grid),
        None => (H::row_kernel(width), limits.grid(rows)),
    };
    // SAFETY: every program of a hash has hash_rows, and those with teams hash_rows_team, which read rows x width words and write rows digests.
    unsafe { Launch::new(H::PROGRAM, kernel, grid, args) }
}

impl Gpu {
    /// Hashes as many rows as there are digests, from some row on, of a matrix of either layout, at once.
    fn digests<H: DeviceHash>(
        &self,
        matrix: &[Goldilocks],
        Extent { rows, width, block }: Extent,
        from: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        let mut session = Session::new(self)?;
        let input = session.allocate(digests.len() * width)?;
        let output = session.allocate(digests.len() * DIGEST)?;
        // These rows of every block, side by side.
        let (first, len) = (from * block, digests.len() * block);
        match digests.len() == rows {
            true => session.upload(bytemuck::cast_slice(matrix), input, 0)?,
            false => matrix.chunks_exact(rows * block).enumerate().try_for_each(|(number, block)| {
                session.upload(bytemuck::cast_slice(&block[first..first + len]), input, 8 * number * len)
            })?,
        }
        let extent = Extent { rows: digests.len(), width, block };
        session.launch(&[hash_rows::<H>(session.limits(), input, extent, (output, 0))])?;
        session.download(output, 0, bytemuck::cast_slice_mut(digests))
    }

    /// A tree that fits on the device. While the device computes, the host does its part of the work and touches the pages of the
    /// nodes.
    fn whole_tree<H: DeviceHash>(
        &self,
        leaves: &[H::Digest],
        levels: &mut Levels<'_, H::Digest>,
        approach: Approach,
        beside: Beside<'_>,
    ) -> Result<(), Error> {
        let count = leaves.len();
        let device = || {
            let mut session = Session::new(self)?;
            let region = session.allocate(2 * count * DIGEST)?;
            session.upload(bytemuck::cast_slice(leaves), region, 8 * DIGEST * count)?;
            session.launch(&tree::plan::<H>(approach, session.limits(), region, count))?;
            Ok((session, region))
        };
        let mut host = || {
            beside()?;
            match levels {
                Levels::Heap(heap) => memory::touch(heap),
                Levels::Apart(levels) => levels.iter_mut().for_each(|level| memory::touch(level)),
            }
            Ok(())
        };
        let (mut session, region) = match self.device.copies_directly(bytemuck::cast_slice(leaves)) {
            true => {
                let (done, started) = parallel::join(host, device);
                done.and(started)?
            }
            // The copy to staging memory takes the threads, and copying leaves to fresh pages beside it would slow it down.
            false => {
                let started = device()?;
                host().map(|()| started)?
            }
        };
        match levels {
            Levels::Heap(heap) => {
                session.download(region, 8 * DIGEST, bytemuck::cast_slice_mut(&mut heap[1..]))
            }
            Levels::Apart(levels) => levels.iter_mut().enumerate().try_for_each(|(depth, level)| {
                session.download(region, (8 * DIGEST) << depth, bytemuck::cast_slice_mut(level))
            }),
        }
    }

    /// A tree as subtrees of at most 2^`height` leaves, and then as the tree over their roots in the same way.
    fn by_subtrees<H: DeviceHash>(
        &self,
        leaves: &[H::Digest],
        levels: &mut [&mut [H::Digest]],
        height: usize,
        approach: Approach,
    ) -> Result<(), Error> {
        if levels.is_empty() {
            return Ok(());
        }
        let (all, height) = (leaves, height.min(levels.len()));
        let (above, own) = levels.split_at_mut(levels.len() - height);
        for (root, leaves) in leaves.chunks_exact(1 << height).enumerate() {
            let subtree = own.iter_mut().enumerate();
            let subtree = subtree.map(|(depth, level)| &mut level[root << depth..(root + 1) << depth]);
            let mut subtree = Levels::Apart(subtree.collect());
            match self.whole_tree::<H>(leaves, &mut subtree, approach, &mut || Ok(())) {
                Err(Error::DeviceOutOfMemory { .. }) if height > 1 => {
                    return self.by_subtrees::<H>(all, levels, height - 1, approach);
                }
                built => built?,
            }
        }
        self.by_subtrees::<H>(own[0], above, height, approach)
    }
}

impl<H: DeviceHash> Hashing<H> for Gpu {
    /// In runs of rows where memory is short.
    fn hash_rows(
        &self,
        matrix: &[Goldilocks],
        extent: Extent,
        from: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        let words = extent.width + DIGEST;
        if let Some(at_once) = self.overlap(digests.len(), 8 * words, words) {
            let parts = digests.chunks_mut(at_once).enumerate();
            let hash = |(number, digests): (usize, &mut [H::Digest])| {
                self.digests::<H>(matrix, extent, from + number * at_once, digests)
            };
            match pipeline::run(parts, hash) {
                Err(Error::DeviceOutOfMemory { .. }) => {}
                done => return done,
            }
        }
        self.divide(digests.len(), words, |part| {
            self.digests::<H>(matrix, extent, from + part.start, &mut digests[part])
        })
    }

    fn build_tree(
        &self,
        leaves: &[H::Digest],
        mut levels: Levels<'_, H::Digest>,
        approach: Approach,
        beside: Beside<'_>,
    ) -> Result<(), Error> {
        let fits = |leaves: usize| self.fits((2 * DIGEST).saturating_mul(leaves));
        if leaves.len() > 1 && fits(leaves.len()) {
            match self.whole_tree::<H>(leaves, &mut levels, approach, beside) {
                Err(Error::DeviceOutOfMemory { .. }) => {}
                built => return built,
            }
        }
        beside()?;
        let mut levels = levels.apart();
        let height = (1..=levels.len()).rev().find(|&height| fits(1 << height)).unwrap_or(1);
        self.by_subtrees::<H>(leaves, &mut levels, height, approach)
    }
}
