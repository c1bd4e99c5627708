//! Every hash beside Rescue Prime of `rescue.rs` and BLAKE3: permutations against their papers' form, and the answers of standards
//! and of authors. `tests/oracles` compares with winterfell's and Plonky3's implementations.

use proptest::prelude::*;
use serde_json::Value;
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::{Digest as _, Keccak256 as PublishedKeccak256, Sha3_256 as PublishedSha3_256, Shake256};
use zkaccel::field::{Goldilocks, MODULUS};
use zkaccel::hash::{
    Blake3, ByteDigest, Digest, ElementDigest, Hasher, Keccak256, Poseidon2_8, Poseidon2_12, RpJive64_256,
    Rpo256, Rpx256, Sha3_256, Sha256, Sponge, Textbook, rp_jive_constants, rpo_constants,
};

use crate::edges::{EDGES, element};

fn iota(n: u64) -> Vec<Goldilocks> {
    (0..n).map(Goldilocks::new).collect()
}

fn iota_digest(first: u64) -> ElementDigest {
    ElementDigest(std::array::from_fn(|i| Goldilocks::new(first + i as u64)))
}

/// The production form of a permutation against its paper's.
fn check_permutation<S: Sponge<State = [Goldilocks; N]>, const N: usize>(state: [Goldilocks; N]) {
    let (mut fast, mut slow) = (state, state);
    S::permute(&mut fast);
    S::permute_textbook(&mut slow);
    assert!(fast.iter().all(|x| x.is_canonical()), "{} of {state:?}: {fast:?}", S::NAME);
    assert_eq!(fast, slow, "{} of {state:?}", S::NAME);
}

fn check_permutations(state: [Goldilocks; 12]) {
    let eight: [Goldilocks; 8] = state[..8].try_into().unwrap();
    check_permutation::<RpJive64_256, 8>(eight);
    check_permutation::<Rpo256, 12>(state);
    check_permutation::<Rpx256, 12>(state);
    check_permutation::<Poseidon2_8, 8>(eight);
    check_permutation::<Poseidon2_12, 12>(state);
}

#[test]
fn equal_words_and_single_words() {
    for value in EDGES.map(Goldilocks::new) {
        check_permutations([value; 12]);
        for place in 0..12 {
            check_permutations(std::array::from_fn(
                |i| if i == place { value } else { Goldilocks::default() },
            ));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn permutations(state in prop::array::uniform12(element())) {
        check_permutations(state);
    }

    #[test]
    fn keccak_as_published(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert_eq!(Keccak256::hash(&bytes).0, <[u8; 32]>::from(PublishedKeccak256::digest(&bytes)));
        prop_assert_eq!(Sha3_256::hash(&bytes).0, <[u8; 32]>::from(PublishedSha3_256::digest(&bytes)));
    }

    /// Digests and integers of byte hashes are their bytes, integers little-endian ones.
    #[test]
    fn digests_and_integers_of_byte_hashes(left: [u8; 32], right: [u8; 32], value: u64) {
        fn check<H: Hasher<Digest = ByteDigest>>(pair: [ByteDigest; 2], value: u64) -> Result<(), TestCaseError> {
            let both = H::hash(&[pair[0].0, pair[1].0].concat());
            prop_assert_eq!(H::merge(&pair), both);
            prop_assert_eq!(H::merge_many(&pair), both);
            let seeded = [&pair[0].0[..], &value.to_le_bytes()].concat();
            prop_assert_eq!(H::merge_with_int(&pair[0], value), H::hash(&seeded));
            Ok(())
        }
        let pair = [left, right].map(ByteDigest);
        check::<Keccak256>(pair, value)?;
        check::<Sha3_256>(pair, value)?;
        check::<Sha256>(pair, value)?;
        check::<Blake3>(pair, value)?;
    }

    /// Elements of byte hashes are their canonical little-endian words.
    #[test]
    fn elements_of_byte_hashes(elements in prop::collection::vec(element(), 0..40)) {
        let bytes: Vec<u8> = elements.iter().flat_map(|x| x.as_u64().to_le_bytes()).collect();
        prop_assert_eq!(Keccak256::hash_elements(&elements), Keccak256::hash(&bytes));
        prop_assert_eq!(Sha3_256::hash_elements(&elements), Sha3_256::hash(&bytes));
        prop_assert_eq!(Sha256::hash_elements(&elements), Sha256::hash(&bytes));
        prop_assert_eq!(Blake3::hash_elements(&elements), Blake3::hash(&bytes));
    }

    /// Where inputs of different lengths could be alike they are not: zeros at the end count, in bytes and in integers.
    #[test]
    fn bytes_and_integers_are_told_apart(bytes in prop::collection::vec(any::<u8>(), 0..40), value: u64) {
        fn check<H: Hasher>(bytes: &[u8], value: u64) -> Result<(), TestCaseError> {
            let longer = [bytes, &[0]].concat();
            prop_assert_ne!(H::hash(bytes), H::hash(&longer));
            let seed = H::hash(bytes);
            prop_assert_ne!(H::merge_with_int(&seed, value), H::merge_with_int(&seed, value ^ 1));
            prop_assert_ne!(H::merge_with_int(&seed, value), H::merge_with_int(&seed, value ^ 1 << 63));
            Ok(())
        }
        check::<RpJive64_256>(&bytes, value)?;
        check::<Rpo256>(&bytes, value)?;
        check::<Rpx256>(&bytes, value)?;
        check::<Poseidon2_8>(&bytes, value)?;
        check::<Poseidon2_12>(&bytes, value)?;
    }
}

/// The answers of the standards and of their authors.
#[test]
fn known_byte_hashes() {
    let hex = |digest: ByteDigest| digest.to_string();
    assert_eq!(hex(Keccak256::hash(b"")), "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
    assert_eq!(hex(Sha3_256::hash(b"")), "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a");
    assert_eq!(
        hex(Sha3_256::hash(b"abc")),
        "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"
    );
    assert_eq!(hex(Sha256::hash(b"abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

fn words(value: &Value) -> Vec<Goldilocks> {
    let word = |value: &Value| value.as_str().unwrap().parse::<u64>().unwrap().try_into().unwrap();
    value.as_array().unwrap().iter().map(word).collect()
}

/// Miden's answers. Its Poseidon2 tells lengths apart, Plonky3's does not: they agree on whole blocks.
fn check_miden<S: Sponge<State = [Goldilocks; 12]>>(answers: &Value, whole_blocks: bool) {
    let answers = &answers["hashes"][if whole_blocks { "poseidon2" } else { S::NAME }];
    let expected = |name: &str| ElementDigest(words(&answers[name]).try_into().unwrap());
    let minus_one = Goldilocks::new(MODULUS - 1);
    for (name, mut state) in
        [("permutation_0_11", iota(12).try_into().unwrap()), ("permutation_of_minus_ones", [minus_one; 12])]
    {
        S::permute(&mut state);
        assert_eq!(state.to_vec(), words(&answers[name]), "{}, {name}", S::NAME);
    }
    assert_eq!(S::merge(&[iota_digest(0), iota_digest(4)]), expected("merge_0_7"));
    assert_eq!(S::merge(&[ElementDigest([minus_one; 4]); 2]), expected("merge_of_minus_ones"));
    let by_length = answers["hash_elements_iota_len_0_to_20"].as_array().unwrap();
    assert_eq!(by_length.len(), 21);
    for (length, expected) in by_length.iter().enumerate() {
        if !whole_blocks || length % 8 == 0 {
            let expected = ElementDigest(words(expected).try_into().unwrap());
            assert_eq!(S::hash_elements(&iota(length as u64)), expected, "{}, length {length}", S::NAME);
            assert_eq!(Textbook::<S>::hash_elements(&iota(length as u64)), expected, "{}", S::NAME);
        }
    }
    if !whole_blocks {
        let three = [iota_digest(0), iota_digest(4), iota_digest(8)];
        assert_eq!(S::merge_many(&three), expected("merge_many_0_11"));
        for (length, expected) in answers["hash_bytes_iota_by_len"].as_object().unwrap() {
            let bytes: Vec<u8> = (0..length.parse::<usize>().unwrap()).map(|i| i as u8).collect();
            let expected = ElementDigest(words(expected).try_into().unwrap());
            assert_eq!(S::hash(&bytes), expected, "{}, {length} bytes", S::NAME);
        }
    }
}

#[test]
fn miden_answers() {
    let answers = serde_json::from_str(include_str!("../../vectors/miden_known_answers.json")).unwrap();
    check_miden::<Rpo256>(&answers, false);
    check_miden::<Rpx256>(&answers, false);
    check_miden::<Poseidon2_12>(&answers, true);
}

/// The round constants that the procedure of the Rescue-Prime specification yields: nine bytes of SHAKE256 a word.
fn check_constants<const N: usize>(seed: &str, ark1: &[[u64; N]], ark2: &[[u64; N]]) {
    let mut hash = Shake256::default();
    hash.update(seed.as_bytes());
    let mut reader = hash.finalize_xof();
    let mut word = || {
        let mut bytes = [0; 16];
        reader.read(&mut bytes[..9]);
        (u128::from_le_bytes(bytes) % u128::from(MODULUS)) as u64
    };
    for (first, second) in ark1.iter().zip(ark2) {
        assert_eq!([*first, *second], [(); 2].map(|()| [(); N].map(|()| word())), "{seed}");
    }
}

#[test]
fn constants_are_derived() {
    let (ark1, ark2) = (rp_jive_constants::ARK1, rp_jive_constants::ARK2);
    check_constants("Rescue-XLIX(18446744069414584321,8,4,128)", &ark1, &ark2);
    let (ark1, ark2) = (rpo_constants::ARK1, rpo_constants::ARK2);
    check_constants("RPO(18446744069414584321,12,4,128)", &ark1, &ark2);
}

/// Each name of the list is the name of its hash, and parses as no other's digest does.
#[test]
fn the_list_names_hashes() {
    macro_rules! names {
        ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
            [$((<zkaccel::hash::$hash as Hasher>::NAME, $name)),*]
        };
    }
    let names = zkaccel::for_every_hash!(names);
    for (own, listed) in names {
        assert_eq!(own, listed);
    }
    let zero = ElementDigest::default();
    assert_eq!(ElementDigest::from_bytes(zero.to_bytes()), Ok(zero));
}
