//! Merkle trees: known answers, the holes found elsewhere, and bytes. `tests/oracles` compares them with winter-crypto's, node by
//! node.

use proptest::prelude::*;
use zkaccel::field::Goldilocks;
use zkaccel::hash::{Blake3, ByteDigest, Digest, ElementDigest, Hasher, Rp64_256, Rp64_256V2021};
use zkaccel::merkle::{Cap, MerkleTree, MultiOpening, Opening};
use zkaccel::{Engine, Error};

/// Leaf i = (4i, 4i + 1, 4i + 2, 4i + 3).
fn iota(leaves: u64) -> Vec<ElementDigest> {
    (0..leaves).map(|i| ElementDigest(std::array::from_fn(|j| Goldilocks::new(4 * i + j as u64)))).collect()
}

fn tree(leaves: u64) -> MerkleTree<Rp64_256> {
    Engine::new().unwrap().merkle_tree(&iota(leaves)).unwrap()
}

fn known_answers() -> serde_json::Value {
    serde_json::from_str(include_str!("../../vectors/rescue_known_answers.json")).unwrap()
}

fn digest(value: &serde_json::Value) -> ElementDigest {
    let words = value.as_array().unwrap();
    ElementDigest(std::array::from_fn(|i| {
        words[i].as_str().unwrap().parse::<u64>().unwrap().try_into().unwrap()
    }))
}

fn digests(value: &serde_json::Value) -> Vec<ElementDigest> {
    value.as_array().unwrap().iter().map(digest).collect()
}

#[test]
fn known_roots_nodes_and_paths() {
    let engine = Engine::new().unwrap();
    let answers = known_answers();
    let current = &answers["variants"]["current"]["vectors"];
    for leaves in [2, 4, 8, 16, 1024] {
        let expected = digest(&current[&format!("merkle_root_{leaves}_leaves_iota")]);
        assert_eq!(tree(leaves).root(), expected, "{leaves} leaves");
    }
    let zeros = engine.merkle_tree::<Rp64_256>(&[ElementDigest::default(); 8]).unwrap();
    assert_eq!(zeros.root(), digest(&current["merkle_root_8_leaves_zero"]));
    let eight = tree(8);
    assert_eq!(eight.nodes(), digests(&current["merkle_nodes_8_leaves_iota_index0_is_default"]));
    assert_eq!(eight.root().to_string(), current["merkle_root_8_leaves_iota_bytes_hex"].as_str().unwrap());
    assert_eq!(eight.open(5).unwrap().siblings, digests(&current["merkle_proof_8_leaves_index5"]["path"]));
    let old = &answers["variants"]["nov2021_seed"]["vectors"];
    for leaves in [8, 16, 1024] {
        let expected = digest(&old[&format!("merkle_root_{leaves}_leaves_iota")]);
        let found = engine.merkle_tree::<Rp64_256V2021>(&iota(leaves)).unwrap();
        assert_eq!(found.root(), expected, "{leaves} leaves");
        // The published SYCL tree builder reads pairs with the wrong stride; its roots must not come out here.
        let published = &answers["variants"]["seed_author_ff_gpu"]["vectors"];
        let wrong = digest(&published[&format!("merklize_approach_1_as_written_root_{leaves}_leaves_iota")]);
        assert_ne!(found.root(), wrong);
    }
}

#[test]
fn a_leaf_is_its_own_root() {
    let one = tree(1);
    assert_eq!((one.root(), one.depth()), (iota(1)[0], 0));
    let opening = one.open(0).unwrap();
    assert!(opening.siblings.is_empty());
    one.cap(0).unwrap().verify(&iota(1)[0], &opening).unwrap();
    let many = one.open_many(&[0]).unwrap();
    one.cap(0).unwrap().verify_many(&iota(1), &many).unwrap();
}

/// Elsewhere indices 13 and 21 verify on a tree of 8 leaves, because only their lowest bits are read.
#[test]
fn hole_index_beyond_the_leaves() {
    let tree = tree(8);
    let mut opening = tree.open(5).unwrap();
    for index in [13, 21, 8, usize::MAX] {
        opening.index = index;
        let found = tree.cap(0).unwrap().verify(&iota(8)[5], &opening);
        assert_eq!(found, Err(Error::IndexOutOfRange { index, len: 8 }));
        let mut many = tree.open_many(&[5]).unwrap();
        many.indices[0] = index;
        let found = tree.cap(0).unwrap().verify_many(&iota(8)[5..6], &many);
        assert_eq!(found, Err(Error::IndexOutOfRange { index, len: 8 }));
        assert_eq!(tree.open(index).unwrap_err(), Error::IndexOutOfRange { index, len: 8 });
    }
}

/// Elsewhere an inner node verifies as a leaf with a path that is one shorter.
#[test]
fn hole_inner_node_as_leaf() {
    let tree = tree(8);
    let path = tree.open(4).unwrap().siblings;
    let short = Opening { index: 2, siblings: path[1..].to_vec() };
    let inner = tree.nodes()[4 + 2];
    let found = tree.cap(0).unwrap().verify(&inner, &short);
    assert_eq!(found, Err(Error::SiblingCount { expected: 3, found: 2 }));
    let many = MultiOpening { indices: vec![2], siblings: path[1..].to_vec() };
    let found = tree.cap(0).unwrap().verify_many(&[inner], &many);
    assert_eq!(found, Err(Error::SiblingCount { expected: 3, found: 2 }));
}

/// Elsewhere an empty path, or a depth of 255, ends in a panic.
#[test]
fn hole_empty_and_huge_paths() {
    let tree = tree(8);
    let cap = tree.cap(0).unwrap();
    for found in [0, 4, 255] {
        let opening = Opening { index: 0, siblings: vec![ElementDigest::default(); found] };
        assert_eq!(cap.verify(&iota(1)[0], &opening), Err(Error::SiblingCount { expected: 3, found }));
        let many = MultiOpening { indices: vec![0], siblings: opening.siblings };
        assert_eq!(cap.verify_many(&iota(1), &many), Err(Error::SiblingCount { expected: 3, found }));
    }
    let nothing = MultiOpening { indices: vec![], siblings: vec![] };
    assert_eq!(cap.verify_many(&[], &nothing), Err(Error::NoIndices));
    let over = Cap::<Rp64_256>::new(8, vec![ElementDigest::default(); 16]);
    assert_eq!(over, Err(Error::CapTooHigh { height: 4, depth: 3 }));
    assert_eq!(tree.cap(255).unwrap_err(), Error::CapTooHigh { height: 255, depth: 3 });
}

/// Elsewhere digests whose words are p or above are read from the wire.
#[test]
fn hole_non_canonical_digests() {
    let tree = tree(4);
    for value in [Goldilocks::MODULUS, Goldilocks::MODULUS + 4, u64::MAX] {
        let expected = |index| Err(Error::NotCanonical { index, value });
        let mut bytes = tree.open(1).unwrap().to_bytes();
        bytes[40 + 32 + 16..][..8].copy_from_slice(&value.to_le_bytes());
        assert_eq!(Opening::<Rp64_256>::from_bytes(&bytes).map(|_| ()), expected(6));
        let mut bytes = tree.open_many(&[1]).unwrap().to_bytes();
        bytes[48..][..8].copy_from_slice(&value.to_le_bytes());
        assert_eq!(MultiOpening::<Rp64_256>::from_bytes(&bytes).map(|_| ()), expected(0));
        let mut bytes = tree.to_bytes();
        bytes[32..][..8].copy_from_slice(&value.to_le_bytes());
        assert_eq!(MerkleTree::<Rp64_256>::from_bytes(&bytes).map(|_| ()), expected(4));
        // 4 = 4 + p in the field, but only one of them is a digest.
        let mut raw = [[0u64; 4]; 1];
        raw[0][3] = value;
        let leaf: ElementDigest = bytemuck::cast(raw);
        assert_eq!(tree.cap(0).unwrap().verify(&leaf, &tree.open(1).unwrap()), expected(3));
        assert_eq!(Cap::<Rp64_256>::from_root(4, leaf).map(|_| ()), expected(3));
        assert!("ffffffffffffffff".repeat(4).parse::<ElementDigest>().is_err());
    }
    // A byte hash has no such words.
    assert!("ffffffffffffffff".repeat(4).parse::<ByteDigest>().is_ok());
}

/// Elsewhere lengths from the wire are allocated before the bytes are seen to be there.
#[test]
fn hole_allocation_from_untrusted_lengths() {
    let tree = tree(4);
    for count in [10, 1 << 40, u64::MAX / 32, u64::MAX / 8, u64::MAX] {
        let count_bytes = count.to_le_bytes();
        let mut bytes = tree.open(1).unwrap().to_bytes();
        bytes[24..32].copy_from_slice(&count_bytes);
        assert!(matches!(Opening::<Rp64_256>::from_bytes(&bytes), Err(Error::BadEncoding { .. })));
        for field in [24, 32] {
            let mut bytes = tree.open_many(&[1]).unwrap().to_bytes();
            bytes[field..field + 8].copy_from_slice(&count_bytes);
            let left = bytes.len() - 40 - if field == 24 { 0 } else { 8 };
            let found = match field {
                24 => format!("{left} bytes are left for {count} indices"),
                _ => format!("{left} bytes are left for {count} digests of 32"),
            };
            let expected = Error::BadEncoding { what: "an opening of many leaves", found };
            assert_eq!(MultiOpening::<Rp64_256>::from_bytes(&bytes), Err(expected));
        }
    }
    for log_leaves in [3, 40, 62, 63] {
        let mut bytes = tree.to_bytes();
        bytes[24..32].copy_from_slice(&(1u64 << log_leaves).to_le_bytes());
        assert!(matches!(MerkleTree::<Rp64_256>::from_bytes(&bytes), Err(Error::BadEncoding { .. })));
    }
}

#[test]
fn bytes_have_one_form() {
    let tree = tree(8);
    let (one, many) = (tree.open(6).unwrap(), tree.open_many(&[7, 2, 3]).unwrap());
    assert_eq!(many.indices, [2, 3, 7]);
    assert_eq!(Opening::from_bytes(&one.to_bytes()), Ok(one.clone()));
    assert_eq!(MultiOpening::from_bytes(&many.to_bytes()), Ok(many.clone()));
    assert_eq!(MerkleTree::from_bytes(&tree.to_bytes()), Ok(tree.clone()));
    for bytes in [one.to_bytes(), many.to_bytes(), tree.to_bytes()] {
        let reads = |bytes: &[u8]| {
            Opening::<Rp64_256>::from_bytes(bytes).is_ok()
                || MultiOpening::<Rp64_256>::from_bytes(bytes).is_ok()
                || MerkleTree::<Rp64_256>::from_bytes(bytes).is_ok()
        };
        assert!(reads(&bytes));
        assert!((0..bytes.len()).all(|len| !reads(&bytes[..len])), "a prefix is no encoding");
        assert!(!reads(&[&bytes[..], &[0]].concat()), "a trailing byte is refused");
        assert!((0..24).all(|i| {
            let mut other = bytes.clone();
            other[i] ^= 1;
            !reads(&other)
        }));
        assert!(Opening::<Blake3>::from_bytes(&bytes).is_err(), "another hash's object is refused");
    }
    let found = Opening::<Blake3>::from_bytes(&one.to_bytes()).unwrap_err().to_string();
    assert!(found.contains("its hash is rp64_256, expected blake3"), "{found}");
    // All leaves need no siblings.
    let all = tree.open_many(&[0, 1, 2, 3, 4, 5, 6, 7]).unwrap();
    assert!(all.siblings.is_empty());
    assert_eq!(MultiOpening::from_bytes(&all.to_bytes()), Ok(all));
    let mut unsorted = many.clone();
    unsorted.indices = vec![3, 2, 7];
    let expected = Err(Error::UnsortedIndex { index: 2, after: 3 });
    assert_eq!(MultiOpening::<Rp64_256>::from_bytes(&unsorted.to_bytes()).map(|_| ()), expected);
    assert_eq!(tree.open_many(&[2, 2]).unwrap_err(), Error::DuplicateIndex { index: 2 });
    // A digest's position in the encoding, for readers that seek.
    let bytes = tree.to_bytes();
    for (index, digest) in tree.heap().iter().enumerate().skip(1) {
        let at = MerkleTree::<Rp64_256>::encoded_position(index) as usize;
        assert_eq!(bytes[at..at + 32], digest.to_bytes());
    }
}

#[test]
fn from_heap_checks() {
    let tree = tree(4);
    assert_eq!(MerkleTree::<Rp64_256>::from_heap(tree.heap().to_vec()), Ok(tree.clone()));
    assert_eq!(tree.leaves(), iota(4));
    let leaves = "leaves of a Merkle tree";
    let heap = "digests of a tree's heap";
    for (len, what, found) in
        [(0, leaves, 0), (1, leaves, 0), (3, heap, 3), (6, leaves, 3), (9, heap, 9), (12, leaves, 6)]
    {
        let refused = MerkleTree::<Rp64_256>::from_heap(vec![ElementDigest::default(); len]);
        assert_eq!(refused, Err(Error::NotPowerOfTwo { what, found }), "{len} digests");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any set of leaves opens, against any cap; changing any part of the opening makes it false or malformed.
    #[test]
    fn multi_openings(seed in any::<u64>(), log in 0u32..7, picks in prop::collection::btree_set(0usize..64, 1..20), cap_height in 0u32..7) {
        let count = 1usize << log;
        let mut indices: Vec<usize> = picks.into_iter().map(|i| i % count).collect();
        indices.sort_unstable();
        indices.dedup();
        let cap_height = cap_height.min(log);
        let leaves: Vec<ByteDigest> = (0..count as u64).map(|i| Blake3::hash(&(seed ^ i).to_le_bytes())).collect();
        let tree = Engine::builder().threads(1).build().unwrap().merkle_tree::<Blake3>(&leaves).unwrap();
        let cap = tree.cap(cap_height).unwrap();
        let opening = tree.open_many_to_cap(&indices, cap_height).unwrap();
        let opened: Vec<_> = indices.iter().map(|&i| leaves[i]).collect();
        prop_assert_eq!(cap.verify_many(&opened, &opening), Ok(()));
        for &i in &indices {
            let one = tree.open_to_cap(i, cap_height).unwrap();
            prop_assert_eq!(cap.verify(&leaves[i], &one), Ok(()));
            let other = Blake3::hash(&leaves[i].0);
            prop_assert_eq!(cap.verify(&other, &one), Err(Error::NotVerified));
        }
        // No more siblings than single paths would need, and none that follows from the leaves.
        prop_assert!(opening.siblings.len() <= indices.len() * (log - cap_height) as usize);
        for i in 0..opening.siblings.len() {
            let mut other = opening.clone();
            other.siblings[i].0[7] ^= 0x10;
            prop_assert_eq!(cap.verify_many(&opened, &other), Err(Error::NotVerified));
        }
        for i in 0..opened.len() {
            let mut other = opened.clone();
            other[i].0[0] ^= 1;
            prop_assert_eq!(cap.verify_many(&other, &opening), Err(Error::NotVerified));
        }
        let mut missing = opening.clone();
        if missing.siblings.pop().is_some() {
            let malformed = matches!(cap.verify_many(&opened, &missing), Err(Error::SiblingCount { .. }));
            prop_assert!(malformed);
        }
        prop_assert!(cap.verify_many(&opened[1..], &opening).is_err());
    }

    /// Arbitrary bytes never panic.
    #[test]
    fn arbitrary_bytes(mut bytes in prop::collection::vec(any::<u8>(), 0..200), kind in 0usize..4) {
        if let Some(magic) = [b"zkaOPEN1", b"zkaMULT1", b"zkaTREE1"].get(kind) && bytes.len() >= 32 {
            bytes[..8].copy_from_slice(*magic);
            bytes[8..24].copy_from_slice(b"blake3\0\0\0\0\0\0\0\0\0\0");
            bytes[25..32].fill(0);
        }
        let _ = Opening::<Blake3>::from_bytes(&bytes).map(|read| assert_eq!(read.to_bytes(), bytes));
        let _ = MultiOpening::<Blake3>::from_bytes(&bytes).map(|read| assert_eq!(read.to_bytes(), bytes));
        let _ = MerkleTree::<Blake3>::from_bytes(&bytes).map(|read| assert_eq!(read.to_bytes(), bytes));
    }
}
