//! Merkle trees over the rows of matrices of several heights.
//!
//! The rows of the tallest matrices, side by side, are the leaves. Where a level has as many nodes as another matrix has rows, each
//! node is merged with the hash of its row. So the levels are those of several trees: one from the leaves to the first such
//! level, and from each such level one over nodes and hashes of rows in turn, whose leaves are not used.

use std::collections::VecDeque;
use std::ops::Range;

use p3_field::PrimeCharacteristicRing;
use p3_goldilocks::Goldilocks;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use rayon::prelude::*;
use zkaccel::matrix::Matrix as EngineMatrix;
use zkaccel::merkle::MerkleTree;
use zkaccel::{Engine, Error};

use crate::elements::{dense, matrix as to_engine_matrix};
use crate::hashes::{Accelerated, DigestOf};

/// Words of a band of rows that the host hashes, for each of its threads: 512 KiB, which stay in its caches from where they are gathered to
/// where they are hashed.
const ON_HOST: usize = 1 << 16;

/// Rows that the engine gives to one thread: a band on the host has as many for each, or wide rows would all be hashed by the first.
const ROWS_OF_THREAD: usize = 64;

/// Words of a band that a device hashes: 64 MiB, beside which launches and waits are short.
const ON_DEVICE: usize = 1 << 23;

/// Bands that a device hashes while another is gathered. Of wide rows a band has few, each of which is hashed by one thread there.
const AHEAD: usize = 2;

/// Matrices, and the tree over their rows.
pub struct Committed<M, H: Accelerated> {
    pub(crate) matrices: Vec<M>,
    trees: Vec<MerkleTree<H::Engine>>,
    /// For each level from the leaves up, the tree that it is in and its depth there, the root's being 0.
    levels: Vec<(usize, u32)>,
}

impl<M: Matrix<Goldilocks>, H: Accelerated> Committed<M, H> {
    /// Hashes the rows and builds the tree. Heights are powers of two. Where the digests of a matrix' rows are known and it is alone with its
    /// height, they are taken.
    pub(crate) fn new(matrices: Vec<M>, mut known: Vec<Option<Vec<DigestOf<H>>>>) -> Result<Self, Error> {
        let mut heights: Vec<usize> = matrices.iter().map(|matrix| matrix.height()).collect();
        assert!(
            !heights.is_empty() && heights.iter().all(|height| height.is_power_of_two()),
            "matrices of {heights:?} rows, expected one or more, of powers of two"
        );
        heights.sort_unstable_by(|a, b| b.cmp(a));
        heights.dedup();
        let engine = Engine::global()?;
        let mut rows = |height| {
            let of_height: Vec<usize> =
                (0..matrices.len()).filter(|&i| matrices[i].height() == height).collect();
            if let [alone] = of_height[..]
                && let Some(digests) = known[alone].take()
            {
                return Ok(digests);
            }
            let matrices: Vec<&M> = of_height.into_iter().map(|i| &matrices[i]).collect();
            hash_rows::<M, H>(&engine, &matrices)
        };

        let (mut trees, mut levels) = (Vec::<MerkleTree<H::Engine>>::new(), Vec::new());
        for (i, &height) in heights.iter().enumerate() {
            let rows = rows(height)?;
            let tree = match trees.last() {
                None => engine.merkle_tree::<H::Engine>(&rows)?,
                Some(below) => merge_rows::<H::Engine>(&engine, &below.heap()[height..2 * height], &rows)?,
            };
            // The level of the next matrix is made with it.
            let end = heights.get(i + 1).map_or(0, |next| next.ilog2() + 1);
            levels.extend((end..=height.ilog2()).rev().map(|depth| (trees.len(), depth)));
            trees.push(tree);
        }
        Ok(Self { matrices, trees, levels })
    }

    /// The number of levels, leaves and root included.
    pub(crate) fn levels(&self) -> usize {
        self.levels.len()
    }

    /// The digests of a level, 0 being the leaves.
    pub(crate) fn level(&self, level: usize) -> &[DigestOf<H>] {
        let (tree, depth) = self.levels[level];
        &self.trees[tree].heap()[1 << depth..2 << depth]
    }
}

/// The tree over the nodes of a level, each merged with the digest of its row: that over all pairs, without its leaves.
fn merge_rows<H: zkaccel::hash::Accelerated>(
    engine: &Engine,
    nodes: &[H::Digest],
    rows: &[H::Digest],
) -> Result<MerkleTree<H>, Error> {
    let pairs: Vec<_> = nodes.iter().zip(rows).flat_map(|(node, row)| [*node, *row]).collect();
    let tree = engine.merkle_tree::<H>(&pairs)?;
    MerkleTree::from_heap(tree.heap()[..2 * rows.len()].to_vec())
}

/// The digest of every row of matrices of one height, side by side.
fn hash_rows<M: Matrix<Goldilocks>, H: Accelerated>(
    engine: &Engine,
    matrices: &[&M],
) -> Result<Vec<DigestOf<H>>, Error> {
    match engine.device().driver {
        None => {
            let width: usize = matrices.iter().map(|matrix| matrix.width()).sum();
            let words = ON_HOST.max(ROWS_OF_THREAD * width);
            hash_bands::<M, H>(engine, matrices, words * engine.device().units, 0)
        }
        Some(_) => hash_bands::<M, H>(engine, matrices, ON_DEVICE, AHEAD),
    }
}

/// The same by bands of so many words, while so many others are being hashed.
fn hash_bands<M: Matrix<Goldilocks>, H: Accelerated>(
    engine: &Engine,
    matrices: &[&M],
    words: usize,
    ahead: usize,
) -> Result<Vec<DigestOf<H>>, Error> {
    let (height, width) = (matrices[0].height(), matrices.iter().map(|matrix| matrix.width()).sum::<usize>());
    let rows = (words / width).clamp(1, height);
    let mut digests = Vec::with_capacity(height);
    let mut jobs = VecDeque::new();
    let mut collect = |done: (Vec<DigestOf<H>>, _)| {
        digests.extend(done.0);
        done.1
    };
    let mut buffer = None;
    for first in (0..height).step_by(rows) {
        let elements = buffer.take().unwrap_or_else(|| Goldilocks::zero_vec(rows * width));
        let band = gather(matrices, width, first..height.min(first + rows), elements);
        let hash = move |engine: &Engine| {
            let digests = engine.hash_rows::<H::Engine, _>(band.view())?;
            Ok((digests, dense(band).values))
        };
        if ahead == 0 {
            buffer = Some(collect(hash(engine)?));
            continue;
        }
        jobs.push_back(engine.spawn(hash));
        if jobs.len() > ahead {
            buffer = Some(collect(jobs.pop_front().expect("more than none").wait()?));
        }
    }
    for job in jobs {
        collect(job.wait()?);
    }
    Ok(digests)
}

/// Some rows, side by side, in memory that held at least as many.
fn gather<M: Matrix<Goldilocks>>(
    matrices: &[&M],
    width: usize,
    band: Range<usize>,
    mut elements: Vec<Goldilocks>,
) -> EngineMatrix<zkaccel::field::Goldilocks> {
    elements.truncate(band.len() * width);
    elements.par_chunks_exact_mut(width).zip(band).for_each(|(mut elements, row)| {
        for matrix in matrices {
            let (head, rest) = elements.split_at_mut(matrix.width());
            head.copy_from_slice(&matrix.row_slice(row).expect("a row"));
            elements = rest;
        }
    });
    to_engine_matrix(RowMajorMatrix::new(elements, width))
}

#[cfg(test)]
mod tests {
    use p3_blake3::Blake3;
    use p3_field::PrimeCharacteristicRing;
    use p3_goldilocks::Goldilocks;
    use p3_matrix::dense::RowMajorMatrix;
    use p3_symmetric::{CryptographicHasher, SerializingHasher};
    use zkaccel::Engine;

    use super::hash_bands;

    #[test]
    fn bands_of_any_height() {
        let engine = Engine::global().unwrap();
        // Words that are not canonical among them.
        let element = |i: u64| {
            if i.is_multiple_of(3) { Goldilocks::new(u64::MAX - i) } else { Goldilocks::from_u64(i) }
        };
        let [left, right] = [3_u64, 5].map(|width| {
            RowMajorMatrix::new((0..16 * width).map(|i| element(i * width)).collect(), width as usize)
        });
        let hasher = SerializingHasher::new(Blake3);
        let rows = left.row_slices().zip(right.row_slices());
        let expected: Vec<[u8; 32]> =
            rows.map(|(left, right)| hasher.hash_iter(left.iter().chain(right).copied())).collect();
        for words in [0, 8, 24, 56, 127, 128, 1000] {
            for ahead in 0..3 {
                let digests = hash_bands::<_, Blake3>(&engine, &[&left, &right], words, ahead).unwrap();
                assert!(
                    digests.iter().map(|digest| digest.0).eq(expected.iter().copied()),
                    "{words} words, {ahead} ahead"
                );
            }
        }
    }
}
