//! Row hashing and Merkle trees: what goes to the device and comes back. Which kernels build a tree is in `tree.rs`.

use super::Gpu;
use super::device::{Arg, Device, Launch, Limits};
use super::program::{self, Program};
use super::tree;
use super::work::{Region, Work};
use crate::backend::Hashing;
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::{Blake3, Hasher, Rp64_256, Rp64_256V2021};
use crate::merkle::Approach;

/// A hash with kernels.
pub trait DeviceHash: Hasher {
    /// Its kernels.
    const PROGRAM: &'static Program;

    /// Whether they are those of every [`Approach`]; else trees are built level by level.
    const APPROACHES: bool;

    /// The kernel that hashes rows of so many words; its parameters are those of `hash_rows`.
    fn row_kernel(_width: usize) -> &'static str {
        "hash_rows"
    }
}

impl DeviceHash for Rp64_256 {
    const PROGRAM: &'static Program = &program::RP64_256;
    const APPROACHES: bool = true;
}

impl DeviceHash for Rp64_256V2021 {
    const PROGRAM: &'static Program = &program::RP64_256_V2021;
    const APPROACHES: bool = true;
}

impl DeviceHash for Blake3 {
    const PROGRAM: &'static Program = &program::BLAKE3;
    const APPROACHES: bool = false;

    fn row_kernel(width: usize) -> &'static str {
        // A row of one chunk needs no stack of subtrees.
        if width <= 128 { "hash_rows" } else { "hash_rows_wide" }
    }
}

/// Words of a digest.
pub(super) const DIGEST: usize = 4;

/// The digests of `rows` rows of `width` words in blocks of `degree` words a row.
fn hash_rows<H: DeviceHash>(
    limits: Limits,
    matrix: Region,
    (rows, width, degree): (usize, usize, usize),
    digests: Region,
) -> Launch<Region> {
    assert!(matrix.words() >= rows * width && digests.words() >= rows * DIGEST && width % degree == 0);
    let [rows_word, width_word, degree_word] = [rows, width, degree].map(|number| Arg::Word(number as u64));
    let args = vec![Arg::Buffer(matrix, 0), rows_word, width_word, degree_word, Arg::Buffer(digests, 0)];
    // SAFETY: every program of a hash has hash_rows, which reads rows x width words and writes rows digests.
    unsafe { Launch::new(H::PROGRAM, H::row_kernel(width), limits.grid(rows), args) }
}

impl<D: Device> Gpu<D> {
    /// Hashes the rows of a matrix of either layout.
    fn digests<H: DeviceHash>(
        &self,
        matrix: &[Goldilocks],
        degree: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        let (rows, width) = (digests.len(), matrix.len() / digests.len());
        let at_once = self.parts_at_once(rows, width + DIGEST);
        let mut work = Work::new(self)?;
        let input = work.allocate(at_once * width)?;
        let output = work.allocate(at_once * DIGEST)?;
        for (part, digests) in digests.chunks_mut(at_once).enumerate() {
            if at_once == rows {
                work.upload(bytemuck::cast_slice(matrix), input, 0)?;
            } else {
                // These rows of every block, side by side.
                let (first, len) = (part * at_once * degree, digests.len() * degree);
                for (number, block) in matrix.chunks_exact(rows * degree).enumerate() {
                    work.upload(bytemuck::cast_slice(&block[first..first + len]), input, 8 * number * len)?;
                }
            }
            let launch = hash_rows::<H>(work.limits(), input, (digests.len(), width, degree), output);
            work.launch(&[launch])?;
            work.download(output, 0, bytemuck::cast_slice_mut(digests))?;
        }
        Ok(())
    }
}

impl<D: Device, H: DeviceHash> Hashing<H> for Gpu<D> {
    fn hash_rows(&self, matrix: &[Goldilocks], width: usize, digests: &mut [H::Digest]) -> Result<(), Error> {
        // A row-major matrix is one block.
        self.digests::<H>(matrix, width, digests)
    }

    fn hash_columns(
        &self,
        matrix: &[Goldilocks],
        degree: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        self.digests::<H>(matrix, degree, digests)
    }

    fn build_tree(&self, heap: &mut [H::Digest], approach: Approach) -> Result<(), Error> {
        let leaves = heap.len() / 2;
        if leaves < 2 {
            return Ok(());
        }
        let mut work = Work::new(self)?;
        let region = work.allocate(2 * leaves * DIGEST)?;
        work.upload(bytemuck::cast_slice(&heap[leaves..]), region, 8 * DIGEST * leaves)?;
        work.launch(&tree::plan::<H>(approach, work.limits(), region, leaves))?;
        work.download(region, 8 * DIGEST, bytemuck::cast_slice_mut(&mut heap[1..leaves]))
    }
}
