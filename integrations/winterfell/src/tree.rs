//! winterfell's Merkle tree, built by the engine.

use rayon::prelude::*;
use winter_crypto::{BatchMerkleProof, MerkleTree, MerkleTreeError, VectorCommitment};
use zkaccel::{Engine, Error};

use crate::hashes::Accelerated;

/// A vector commitment equal to `MerkleTree<H>`, with the same openings; its nodes are computed by the engine.
pub struct Tree<H: Accelerated>(MerkleTree<H>);

impl<H: Accelerated> Tree<H> {
    /// The tree over digests.
    pub(crate) fn build(leaves: Vec<H::Digest>) -> Result<Self, Error> {
        let leaves: Vec<_> = leaves.par_iter().map(H::to_engine).collect();
        Ok(Self::from_engine(&Engine::global()?.merkle_tree::<H::Engine>(&leaves)?))
    }

    /// A tree that the engine made.
    pub(crate) fn from_engine(tree: &zkaccel::merkle::MerkleTree<H::Engine>) -> Self {
        let digests = |digests: &[<H::Engine as zkaccel::hash::Hasher>::Digest]| {
            digests.par_iter().map(H::from_engine).collect()
        };
        let tree = MerkleTree::from_raw_parts(digests(tree.nodes()), digests(tree.leaves()));
        Self(tree.expect("a tree of two leaves or more"))
    }
}

impl<H: Accelerated> VectorCommitment<H> for Tree<H> {
    type Options = ();
    type Proof = Vec<H::Digest>;
    type MultiProof = BatchMerkleProof<H>;
    type Error = MerkleTreeError;

    fn with_options(items: Vec<H::Digest>, (): ()) -> Result<Self, MerkleTreeError> {
        // What winterfell says of such lengths.
        if items.len() < 2 || !items.len().is_power_of_two() {
            return MerkleTree::new(items).map(Self);
        }
        Ok(Self::build(items).unwrap_or_else(|error| panic!("zkaccel: {error}")))
    }

    fn commitment(&self) -> H::Digest {
        self.0.commitment()
    }

    fn domain_len(&self) -> usize {
        self.0.domain_len()
    }

    fn get_proof_domain_len(proof: &Self::Proof) -> usize {
        MerkleTree::<H>::get_proof_domain_len(proof)
    }

    fn get_multiproof_domain_len(proof: &Self::MultiProof) -> usize {
        MerkleTree::<H>::get_multiproof_domain_len(proof)
    }

    fn open(&self, index: usize) -> Result<(H::Digest, Self::Proof), MerkleTreeError> {
        self.0.open(index)
    }

    fn open_many(&self, indexes: &[usize]) -> Result<(Vec<H::Digest>, Self::MultiProof), MerkleTreeError> {
        self.0.open_many(indexes)
    }

    fn verify(
        commitment: H::Digest,
        index: usize,
        item: H::Digest,
        proof: &Self::Proof,
    ) -> Result<(), MerkleTreeError> {
        <MerkleTree<H> as VectorCommitment<H>>::verify(commitment, index, item, proof)
    }

    fn verify_many(
        commitment: H::Digest,
        indexes: &[usize],
        items: &[H::Digest],
        proof: &Self::MultiProof,
    ) -> Result<(), MerkleTreeError> {
        <MerkleTree<H> as VectorCommitment<H>>::verify_many(commitment, indexes, items, proof)
    }
}
