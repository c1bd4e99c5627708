//! Merkle trees, node by node, and paths.

use winter_crypto::hashers::Rp64_256 as WinterRescue;
use winter_crypto::{Digest as _, Hasher as _, MerkleTree as WinterTree, build_merkle_nodes};
use zkaccel::hash::{Blake3, ByteDigest, Digest, ElementDigest, Rp64_256};

use super::{Blake3 as WinterBlake3, from_digest, to_digest};
use crate::inputs::{cpu, random};

/// Digests drawn from all canonical words.
fn leaves(n: usize) -> Vec<ElementDigest> {
    random(n as u64, 4 * n).chunks_exact(4).map(|words| ElementDigest(words.try_into().unwrap())).collect()
}

#[test]
fn nodes() {
    let engine = cpu();
    // Around the number of nodes that one task computes, and well above it.
    for log_n in [1, 2, 5, 6, 7, 8, 9, 11] {
        let leaves = leaves(1 << log_n);
        let theirs: Vec<_> = leaves.iter().copied().map(to_digest).collect();
        let theirs: Vec<_> =
            build_merkle_nodes::<WinterRescue>(&theirs).into_iter().map(from_digest).collect();
        let found = engine.merkle_tree::<Rp64_256>(&leaves).unwrap();
        assert_eq!(found.heap()[1..leaves.len()], theirs[1..], "2^{log_n} leaves");

        let theirs: Vec<_> = leaves.iter().map(|leaf| WinterBlake3::hash(&leaf.to_bytes())).collect();
        let leaves: Vec<_> = theirs.iter().map(|digest| ByteDigest(digest.as_bytes())).collect();
        let theirs = build_merkle_nodes::<WinterBlake3>(&theirs);
        let theirs: Vec<_> = theirs.iter().map(|digest| ByteDigest(digest.as_bytes())).collect();
        let found = engine.merkle_tree::<Blake3>(&leaves).unwrap();
        assert_eq!(found.heap()[1..leaves.len()], theirs[1..], "2^{log_n} leaves");
    }
}

#[test]
fn paths() {
    let engine = cpu();
    for log_n in 1..=9 {
        let leaves = leaves(1 << log_n);
        let theirs = leaves.iter().copied().map(to_digest).collect();
        let theirs = WinterTree::<WinterRescue>::new(theirs).unwrap();
        let ours = engine.merkle_tree::<Rp64_256>(&leaves).unwrap();
        assert_eq!(from_digest(*theirs.root()), ours.root());
        for index in 0..leaves.len() {
            let (_, path) = theirs.prove(index).unwrap();
            let expected: Vec<_> = path.into_iter().map(from_digest).collect();
            assert_eq!(ours.open(index).unwrap().siblings, expected);
        }
    }
}
