//! Row hashing and Merkle trees: the host's plan.
//!
//! A tree of n leaves is a heap of 2n digests on the device. *Level by level*, one launch makes the n/2 parents of the
//! leaves, the next their n/4 parents, and so on to the root: log2 n launches, each as wide as its level.

use super::Gpu;
use super::device::{Arg, Device, Launch, Limits};
use super::program::{self, Program};
use super::work::{Region, Work};
use crate::backend::Hashing;
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::{Blake3, Hasher, Rp64_256, Rp64_256V2021};

/// A hash with kernels.
pub trait DeviceHash: Hasher {
    /// Its kernels.
    const PROGRAM: &'static Program;

    /// The kernel that hashes rows of so many words; its parameters are those of `hash_rows`.
    fn row_kernel(_width: usize) -> &'static str {
        "hash_rows"
    }
}

impl DeviceHash for Rp64_256 {
    const PROGRAM: &'static Program = &program::RP64_256;
}

impl DeviceHash for Rp64_256V2021 {
    const PROGRAM: &'static Program = &program::RP64_256_V2021;
}

impl DeviceHash for Blake3 {
    const PROGRAM: &'static Program = &program::BLAKE3;

    fn row_kernel(width: usize) -> &'static str {
        // A row of one chunk needs no stack of subtrees.
        if width <= 128 { "hash_rows" } else { "hash_rows_wide" }
    }
}

/// Words of a digest.
const DIGEST: usize = 4;

/// The parents `parents..2 parents` of a heap.
fn merge_level<H: DeviceHash>(limits: Limits, heap: Region, parents: usize) -> Launch<Region> {
    assert!(heap.words() >= 4 * parents * DIGEST, "a heap that holds the children");
    let args = vec![Arg::Buffer(heap, 0), Arg::Word(parents as u64)];
    // SAFETY: every program of a hash has merge_level(heap, parents), which touches digests parents..4 parents.
    unsafe { Launch::new(H::PROGRAM, "merge_level", limits.grid(parents), args) }
}

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

/// Every level of a tree, from the leaves up.
fn levels<H: DeviceHash>(limits: Limits, heap: Region, leaves: usize) -> Vec<Launch<Region>> {
    let parents = std::iter::successors(Some(leaves / 2), |parents| Some(parents / 2));
    parents
        .take_while(|&parents| parents > 0)
        .map(|parents| merge_level::<H>(limits, heap, parents))
        .collect()
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

    fn build_tree(&self, heap: &mut [H::Digest]) -> Result<(), Error> {
        let leaves = heap.len() / 2;
        if leaves < 2 {
            return Ok(());
        }
        let mut work = Work::new(self)?;
        let region = work.allocate(2 * leaves * DIGEST)?;
        work.upload(bytemuck::cast_slice(&heap[leaves..]), region, 8 * DIGEST * leaves)?;
        work.launch(&levels::<H>(work.limits(), region, leaves))?;
        work.download(region, 8 * DIGEST, bytemuck::cast_slice_mut(&mut heap[1..leaves]))
    }
}
