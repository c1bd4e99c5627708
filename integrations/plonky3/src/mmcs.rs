//! The commitment scheme: `MerkleTreeMmcs` with its rows hashed and its nodes merged by the engine.

use std::fmt;

use p3_commit::{BatchOpening, BatchOpeningRef, Mmcs as P3Mmcs};
use p3_goldilocks::Goldilocks;
use p3_matrix::{Dimensions, Matrix};
use p3_merkle_tree::{MerkleCap, MerkleTreeError};

use crate::done;
use crate::hashes::{Accelerated, DigestOf};
use crate::tree::Committed;

/// Merkle trees over the rows of matrices whose heights are powers of two, by the engine of the process.
#[derive(Clone)]
pub struct Mmcs<H: Accelerated> {
    stock: H::Stock,
    cap_height: usize,
}

impl<H: Accelerated> Mmcs<H> {
    /// The scheme over a hash, with commitments of 2^`cap_height` digests.
    ///
    /// # Panics
    /// For Poseidon2 with other constants than those that `p3-goldilocks` has by default.
    pub fn new(hash: H, cap_height: usize) -> Self {
        Self { stock: hash.stock(cap_height), cap_height }
    }

    /// The height of commitments.
    pub(crate) fn cap_height(&self) -> usize {
        self.cap_height
    }

    /// The commitment to matrices, the digests of whose rows may be known.
    pub(crate) fn commit_hashed<M: Matrix<Goldilocks>>(
        &self,
        inputs: Vec<M>,
        known: Vec<Option<Vec<DigestOf<H>>>>,
    ) -> (MerkleCap<Goldilocks, H::Digest>, Committed<M, H>) {
        let committed = done(Committed::new(inputs, known));
        let cap = committed.level(self.cap_level(&committed)).iter().map(H::digest).collect();
        (MerkleCap::new(cap), committed)
    }

    /// The level of a tree that is its commitment; small trees have no level so wide as was asked for.
    fn cap_level<M: Matrix<Goldilocks>>(&self, committed: &Committed<M, H>) -> usize {
        (committed.levels() - 1).saturating_sub(self.cap_height)
    }
}

impl<H: Accelerated> fmt::Debug for Mmcs<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mmcs").field("cap_height", &self.cap_height).finish_non_exhaustive()
    }
}

impl<H: Accelerated> P3Mmcs<Goldilocks> for Mmcs<H> {
    type ProverData<M> = Committed<M, H>;
    type Commitment = MerkleCap<Goldilocks, H::Digest>;
    type Proof = Vec<H::Digest>;
    type MultiProof = <H::Stock as P3Mmcs<Goldilocks>>::MultiProof;
    type Error = MerkleTreeError;

    fn commit<M: Matrix<Goldilocks>>(&self, inputs: Vec<M>) -> (Self::Commitment, Committed<M, H>) {
        let known = inputs.iter().map(|_| None).collect();
        self.commit_hashed(inputs, known)
    }

    fn open_batch<M: Matrix<Goldilocks>>(
        &self,
        index: usize,
        committed: &Committed<M, H>,
    ) -> BatchOpening<Goldilocks, Self> {
        let proof = (0..self.cap_level(committed))
            .map(|level| H::digest(&committed.level(level)[(index >> level) ^ 1]));
        BatchOpening::new(rows(index, committed), proof.collect())
    }

    fn get_matrices<'a, M: Matrix<Goldilocks>>(&self, committed: &'a Committed<M, H>) -> Vec<&'a M> {
        committed.matrices.iter().collect()
    }

    fn verify_batch(
        &self,
        commit: &Self::Commitment,
        dimensions: &[Dimensions],
        index: usize,
        opening: BatchOpeningRef<'_, Goldilocks, Self>,
    ) -> Result<(), MerkleTreeError> {
        let opening = BatchOpeningRef::new(opening.opened_values, opening.opening_proof);
        self.stock.verify_batch(commit, dimensions, index, opening)
    }

    fn open_multi_batch<M: Matrix<Goldilocks>>(
        &self,
        indices: &[usize],
        committed: &Committed<M, H>,
    ) -> (Vec<Vec<Vec<Goldilocks>>>, Self::MultiProof) {
        let values = indices.iter().map(|&index| rows(index, committed)).collect();
        // Level by level, the siblings that are not themselves above an opened leaf.
        let mut nodes = indices.to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        let mut siblings = Vec::new();
        for level in 0..self.cap_level(committed) {
            let missing =
                nodes.iter().map(|node| node ^ 1).filter(|sibling| nodes.binary_search(sibling).is_err());
            siblings.extend(missing.map(|sibling| H::digest(&committed.level(level)[sibling])));
            for node in &mut nodes {
                *node >>= 1;
            }
            nodes.dedup();
        }
        (values, H::pruned(siblings))
    }

    fn verify_multi_batch<R: AsRef<[Goldilocks]> + PartialEq>(
        &self,
        commit: &Self::Commitment,
        dimensions: &[Dimensions],
        indices: &[usize],
        opened_values: &[Vec<R>],
        proof: &Self::MultiProof,
    ) -> Result<(), MerkleTreeError> {
        self.stock.verify_multi_batch(commit, dimensions, indices, opened_values, proof)
    }
}

/// The row of every matrix at an index among the rows of the tallest.
fn rows<M: Matrix<Goldilocks>, H: Accelerated>(
    index: usize,
    committed: &Committed<M, H>,
) -> Vec<Vec<Goldilocks>> {
    let heights = committed.matrices.iter().map(|matrix| matrix.height());
    let tallest = heights.max().expect("one matrix or more");
    assert!(index < tallest, "row {index}, expected one of {tallest}");
    let row = |matrix: &M| {
        let row = index / (tallest / matrix.height());
        matrix.row(row).expect("a row").into_iter().collect()
    };
    committed.matrices.iter().map(row).collect()
}
