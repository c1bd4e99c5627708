//! Trees in files: streamed writing, and openings read by position.

use zkaccel::Engine;
use zkaccel::field::Goldilocks;
use zkaccel::hash::{Digest, ElementDigest, Rp64_256};
use zkaccel::merkle::{MerkleTree, MultiOpening};

#[test]
fn an_opening_read_by_position_is_the_tree_s() {
    let leaves: Vec<_> = (0..16).map(|i| ElementDigest([Goldilocks::new(i); 4])).collect();
    let tree = Engine::new().unwrap().merkle_tree::<Rp64_256>(&leaves).unwrap();
    let mut bytes = Vec::new();
    tree.write_to(&mut bytes).unwrap();
    assert_eq!(bytes, tree.to_bytes());
    assert_eq!(bytes[..32], MerkleTree::<Rp64_256>::encoded_header(16));

    let (indices, positions) = MultiOpening::<Rp64_256>::plan(16, &[9, 3, 2]).unwrap();
    let digest_at = |position| {
        let at = MerkleTree::<Rp64_256>::encoded_position(position) as usize;
        ElementDigest::from_bytes(bytes[at..at + 32].try_into().unwrap()).unwrap()
    };
    let siblings = positions.into_iter().map(digest_at).collect();
    assert_eq!(MultiOpening { indices, siblings }, tree.open_many(&[2, 3, 9]).unwrap());
}

#[test]
fn plans_refuse_what_trees_refuse() {
    let tree = Engine::new().unwrap().merkle_tree::<Rp64_256>(&[ElementDigest::default(); 8]).unwrap();
    for indices in [&[][..], &[8], &[3, 1, 3]] {
        let refusal = MultiOpening::<Rp64_256>::plan(8, indices).unwrap_err();
        assert_eq!(refusal, tree.open_many(indices).unwrap_err());
    }
    assert!(MultiOpening::<Rp64_256>::plan(6, &[0]).is_err());
}
