//! Merkle trees over the rows of matrices of several heights.
//!
//! The rows of the tallest matrices, side by side, are the leaves. Where a level has as many nodes as another matrix has rows, each
//! node is merged with the hash of its row. So the levels are those of several trees: one from the leaves to the first such
//! level, one over nodes and hashes of rows in turn, of which one level is used, one from there on.

use p3_goldilocks::Goldilocks;
use p3_matrix::Matrix;
use rayon::prelude::*;
use zkaccel::hash::ByteDigest;
use zkaccel::matrix::Matrix as EngineMatrix;
use zkaccel::merkle::MerkleTree;
use zkaccel::{Engine, Error};

use crate::elements::to_engine;
use crate::hashes::Accelerated;

/// Rows that a task gathers.
const ROWS: usize = 256;

/// Matrices, and the tree over their rows.
pub struct Committed<M, H: Accelerated> {
    pub(crate) matrices: Vec<M>,
    trees: Vec<MerkleTree<H::Engine>>,
    /// For each level from the leaves up, the tree that it is in and its depth there, the root's being 0.
    levels: Vec<(usize, u32)>,
}

impl<M: Matrix<Goldilocks>, H: Accelerated> Committed<M, H> {
    /// Hashes the rows and builds the tree. Heights are powers of two.
    pub(crate) fn new(matrices: Vec<M>) -> Result<Self, Error> {
        let mut heights: Vec<usize> = matrices.iter().map(|matrix| matrix.height()).collect();
        assert!(
            !heights.is_empty() && heights.iter().all(|height| height.is_power_of_two()),
            "matrices of {heights:?} rows, expected one or more, of powers of two"
        );
        heights.sort_unstable_by(|a, b| b.cmp(a));
        heights.dedup();
        let engine = Engine::global()?;
        let rows = |height| {
            let matrices: Vec<&M> = matrices.iter().filter(|matrix| matrix.height() == height).collect();
            hash_rows::<M, H>(&engine, &matrices)
        };

        let (mut trees, mut levels) = (Vec::new(), Vec::new());
        let mut nodes = rows(heights[0])?;
        for (i, &height) in heights.iter().enumerate() {
            if i > 0 {
                let leaves: Vec<_> =
                    nodes.iter().zip(rows(height)?).flat_map(|(node, row)| [*node, row]).collect();
                let tree = engine.merkle_tree::<H::Engine>(&leaves)?;
                nodes = tree.heap()[height..2 * height].to_vec();
            }
            let tree = engine.merkle_tree::<H::Engine>(&nodes)?;
            // The level of the next matrix is made with it.
            let end = heights.get(i + 1).map_or(0, |next| next.ilog2() + 1);
            levels.extend((end..=height.ilog2()).rev().map(|depth| (trees.len(), depth)));
            if let Some(&next) = heights.get(i + 1) {
                nodes = tree.heap()[next..2 * next].to_vec();
            }
            trees.push(tree);
        }
        Ok(Self { matrices, trees, levels })
    }

    /// The number of levels, leaves and root included.
    pub(crate) fn levels(&self) -> usize {
        self.levels.len()
    }

    /// The digests of a level, 0 being the leaves.
    pub(crate) fn level(&self, level: usize) -> &[ByteDigest] {
        let (tree, depth) = self.levels[level];
        &self.trees[tree].heap()[1 << depth..2 << depth]
    }
}

/// The digest of every row of matrices of one height, side by side.
fn hash_rows<M: Matrix<Goldilocks>, H: Accelerated>(
    engine: &Engine,
    matrices: &[&M],
) -> Result<Vec<ByteDigest>, Error> {
    let (height, width) = (matrices[0].height(), matrices.iter().map(|matrix| matrix.width()).sum::<usize>());
    let mut words = vec![zkaccel::field::Goldilocks::default(); height * width];
    words.par_chunks_mut(ROWS * width).enumerate().for_each(|(task, words)| {
        for (i, words) in words.chunks_exact_mut(width).enumerate() {
            let elements = matrices.iter().flat_map(|matrix| matrix.row(task * ROWS + i).expect("a row"));
            for (word, element) in words.iter_mut().zip(elements) {
                *word = to_engine(element);
            }
        }
    });
    engine.hash_rows::<H::Engine, _>(EngineMatrix::from_rows(words, height, width)?.view())
}
