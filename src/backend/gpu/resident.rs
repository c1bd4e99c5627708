//! Operations on data that stay on the device: the launches of the operations on host data, without the copies.
//!
//! What is opened of such data is gathered by one launch: indices go up, and the words that they name come back.

use super::Gpu;
use super::device::{Arg, Device, Launch, Limits};
use super::hash::DeviceHash;
use super::merkle::{DIGEST, hash_rows};
use super::ntt::{lde_words, ntt_words};
use super::program;
use super::tree;
use super::work::{Region, Work};
use crate::backend::{Extent, Memory, Residence, Resident, ResidentBackend, ResidentHashing};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::memory;
use crate::merkle::Approach;
use crate::ntt::{Lde, Ntt};

/// `count` rows of a matrix, by their indices.
fn gather_rows(
    limits: Limits,
    matrix: Region,
    extent: Extent,
    indices: Region,
    count: usize,
    gathered: Region,
) -> Launch<Region> {
    let Extent { rows, width, block } = extent;
    assert!(matrix.words() >= extent.words() && width % block == 0);
    assert!(indices.words() >= count && gathered.words() >= count * width);
    let mut args = vec![Arg::Buffer(matrix, 0)];
    args.extend([rows, width, block].map(|number| Arg::Word(number as u64)));
    args.extend([Arg::Buffer(indices, 0), Arg::Word(count as u64), Arg::Buffer(gathered, 0)]);
    // SAFETY: gather_rows reads `count` indices and the rows that they name, which the caller has looked at, and writes
    // `count` rows.
    unsafe { Launch::new(&program::GATHER, "gather_rows", limits.grid(count * width), args) }
}

impl<D: Device> Gpu<D> {
    /// [`Error::OverDeviceBudget`] for an operation that would take too many words.
    pub(super) fn grant(&self, words: usize) -> Result<(), Error> {
        match self.fits(words) {
            true => Ok(()),
            false => Err(Error::OverDeviceBudget {
                required: (words as u64).saturating_mul(8),
                budget: self.limit,
            }),
        }
    }

    /// The memory of a matrix, in an operation's work.
    fn borrow(&self, work: &mut Work<'_, D>, memory: &Memory, extent: Extent) -> Region {
        let region = work.borrow(memory);
        assert!(region.words() >= extent.words(), "a matrix as large as its shape");
        region
    }
}

impl<D: Device> Residence for Gpu<D> {
    fn resident(&self) -> Option<&dyn ResidentBackend> {
        Some(self)
    }
}

impl<D: Device> Resident for Gpu<D> {
    fn budget(&self) -> u64 {
        self.limit
    }

    fn upload(&self, words: &[Goldilocks]) -> Result<Memory, Error> {
        self.grant(words.len())?;
        let mut work = Work::new(self)?;
        let region = work.upload_new(bytemuck::cast_slice(words))?;
        work.lease(region)
    }

    fn download(&self, memory: &Memory, from: usize, data: &mut [u8]) -> Result<(), Error> {
        let mut work = Work::new(self)?;
        let region = work.borrow(memory);
        work.download(region, 8 * from, data)
    }

    fn gather(&self, memory: &Memory, extent: Extent, rows: &[usize], data: &mut [u8]) -> Result<(), Error> {
        assert!(rows.iter().all(|&row| row < extent.rows), "rows of the matrix");
        self.divide(rows.len(), extent.width + 1, |part| {
            let data = &mut data[8 * extent.width * part.start..8 * extent.width * part.end];
            let (count, indices) = (part.len(), &rows[part]);
            let mut work = Work::new(self)?;
            let matrix = self.borrow(&mut work, memory, extent);
            let wanted = work.upload_new(bytemuck::cast_slice(indices))?;
            let gathered = work.allocate(count * extent.width)?;
            work.launch(&[gather_rows(work.limits(), matrix, extent, wanted, count, gathered)])?;
            work.download(gathered, 0, data)
        })
    }

    fn ntt(&self, ntt: &Ntt, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        self.grant(ntt_words(extent.words()))?;
        let mut work = Work::new(self)?;
        let input = self.borrow(&mut work, matrix, extent);
        let output = self.ntt_region(&mut work, ntt, (extent.block, extent.blocks()), input)?;
        work.lease(output)
    }

    fn lde(&self, lde: &Lde, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        let words = extent.words();
        self.grant(lde_words(words, words.saturating_mul(lde.blowup())))?;
        let mut work = Work::new(self)?;
        let input = self.borrow(&mut work, matrix, extent);
        let output = self.lde_region(&mut work, lde, (extent.block, extent.blocks()), input)?;
        work.lease(output)
    }
}

impl<D: Device, H: DeviceHash> ResidentHashing<H> for Gpu<D> {
    fn hash_rows(&self, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        let leaves = DIGEST * extent.rows;
        self.grant((2 * leaves).saturating_add(extent.words()))?;
        let mut work = Work::new(self)?;
        let matrix = self.borrow(&mut work, matrix, extent);
        let heap = work.allocate(2 * leaves)?;
        work.launch(&[hash_rows::<H>(work.limits(), matrix, extent, (heap, leaves))])?;
        work.lease(heap)
    }

    fn build_tree(&self, heap: &Memory, leaves: usize, approach: Approach) -> Result<H::Digest, Error> {
        let mut work = Work::new(self)?;
        let region = work.borrow(heap);
        work.launch(&tree::plan::<H>(approach, work.limits(), region, leaves))?;
        let mut root = memory::zeroed::<H::Digest>(1)?;
        work.download(region, 8 * DIGEST, bytemuck::cast_slice_mut(&mut root))?;
        Ok(root[0])
    }
}
