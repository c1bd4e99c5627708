//! The production hashes against their textbook form and against winter-crypto.

use std::sync::LazyLock;

use proptest::prelude::*;
use winter_crypto::hashers::{Blake3_256, Rp64_256 as WinterRp64_256};
use winter_crypto::{Digest as _, ElementHasher, Hasher as WinterHasher, build_merkle_nodes};
use winter_math::fields::f64::BaseElement;
use zkaccel::Engine;
use zkaccel::device::DeviceChoice;
use zkaccel::field::{Goldilocks, MODULUS};
use zkaccel::hash::{
    Accelerated, Blake3, ByteDigest, Digest, ElementDigest, Hasher, Rp64_256, Rp64_256V2021, Sponge, Textbook,
};

/// Values at which carries, borrows and the last reduction change their ways.
const EDGES: [u64; 14] = [
    0,
    1,
    2,
    6,
    (1 << 32) - 2,
    (1 << 32) - 1,
    1 << 32,
    (1 << 32) + 1,
    (1 << 63) - 1,
    1 << 63,
    MODULUS - (1 << 32),
    MODULUS - 7,
    MODULUS - 2,
    MODULUS - 1,
];

type WinterBlake3 = Blake3_256<BaseElement>;

fn check_permutation<S: Sponge<State = [Goldilocks; 12]>>(state: [Goldilocks; 12]) {
    let (mut fast, mut slow) = (state, state);
    S::permute(&mut fast);
    S::permute_textbook(&mut slow);
    assert!(fast.iter().all(|x| x.is_canonical()), "{} of {state:?}: {fast:?}", S::NAME);
    assert_eq!(fast, slow, "{} of {state:?}", S::NAME);
}

fn check_permutations(words: [u64; 12]) {
    check_permutation::<Rp64_256>(words.map(Goldilocks::new));
    check_permutation::<Rp64_256V2021>(words.map(Goldilocks::new));
}

#[test]
fn equal_words_and_single_words() {
    for value in EDGES {
        check_permutations([value; 12]);
        for place in 0..12 {
            check_permutations(std::array::from_fn(|i| if i == place { value } else { 0 }));
        }
    }
}

/// Long orbits: each result is the next state, compared at the end of a chain and along the way.
#[test]
fn orbits() {
    let mut state = [Goldilocks::new(MODULUS - 1); 12];
    for _ in 0..200 {
        check_permutation::<Rp64_256>(state);
        check_permutation::<Rp64_256V2021>(state);
        Rp64_256::permute(&mut state);
    }
}

fn element() -> impl Strategy<Value = Goldilocks> {
    prop_oneof![any::<u64>(), proptest::sample::select(EDGES.to_vec())].prop_map(Goldilocks::new)
}

fn to_winter(x: Goldilocks) -> BaseElement {
    BaseElement::new(x.as_u64())
}

fn winter_digest(digest: ElementDigest) -> <WinterRp64_256 as WinterHasher>::Digest {
    let words: [BaseElement; 4] = digest.0.map(to_winter);
    words.into()
}

fn from_winter(digest: <WinterRp64_256 as WinterHasher>::Digest) -> ElementDigest {
    ElementDigest(std::array::from_fn(|i| Goldilocks::new(digest.as_elements()[i].as_int())))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_states(words: [u64; 12]) {
        check_permutations(words);
    }

    #[test]
    fn states_of_edge_values(words in prop::array::uniform12(proptest::sample::select(EDGES.to_vec()))) {
        check_permutations(words);
    }

    #[test]
    fn mixed_states(state in prop::array::uniform12(element())) {
        check_permutation::<Rp64_256>(state);
        check_permutation::<Rp64_256V2021>(state);
    }

    #[test]
    fn elements_as_winter_crypto(elements in prop::collection::vec(element(), 0..40)) {
        let theirs: Vec<BaseElement> = elements.iter().copied().map(to_winter).collect();
        let found = Rp64_256::hash_elements(&elements);
        prop_assert_eq!(found, from_winter(WinterRp64_256::hash_elements(&theirs)));
        prop_assert_eq!(found, Textbook::<Rp64_256>::hash_elements(&elements));
        prop_assert_eq!(
            Rp64_256V2021::hash_elements(&elements),
            Textbook::<Rp64_256V2021>::hash_elements(&elements)
        );
    }

    #[test]
    fn merges_as_winter_crypto(words in prop::array::uniform8(element()), value: u64) {
        let children: [ElementDigest; 2] = std::array::from_fn(|i| ElementDigest(std::array::from_fn(|j| words[4 * i + j])));
        let theirs = children.map(winter_digest);
        prop_assert_eq!(Rp64_256::merge(&children), from_winter(WinterRp64_256::merge(&theirs)));
        prop_assert_eq!(
            Rp64_256::merge_with_int(&children[0], value),
            from_winter(WinterRp64_256::merge_with_int(theirs[0], value))
        );
    }

    #[test]
    fn blake3_as_winter_crypto(left: Vec<u8>, right: Vec<u8>, value: u64) {
        let theirs = [&left, &right].map(|bytes| WinterBlake3::hash(bytes));
        let found = [&left, &right].map(|bytes| Blake3::hash(bytes));
        prop_assert_eq!(found.map(|digest| digest.0), theirs.map(|digest| digest.as_bytes()));
        prop_assert_eq!(Blake3::merge(&found).0, WinterBlake3::merge(&theirs).as_bytes());
        prop_assert_eq!(
            Blake3::merge_with_int(&found[0], value).0,
            WinterBlake3::merge_with_int(theirs[0], value).as_bytes()
        );
    }

    /// winter-crypto hashes elements in their Montgomery form when a byte hash takes them, so its digest of the
    /// canonical bytes is the one to compare with.
    #[test]
    fn blake3_of_elements(elements in prop::collection::vec(element(), 0..40)) {
        let bytes: Vec<u8> = elements.iter().flat_map(|x| x.as_u64().to_le_bytes()).collect();
        prop_assert_eq!(
            Blake3::hash_elements(&elements).0,
            WinterBlake3::hash(&bytes).as_bytes()
        );
    }
}

/// Digests drawn from all canonical words.
fn leaves(n: usize) -> Vec<ElementDigest> {
    let mut word = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        word = word.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
        Goldilocks::new(word ^ word >> 29)
    };
    (0..n).map(|_| ElementDigest(std::array::from_fn(|_| next()))).collect()
}

/// The inner nodes, equal from both devices; index 0 is the zero digest.
fn nodes<H: Accelerated>(leaves: &[H::Digest]) -> Vec<H::Digest> {
    static ENGINES: LazyLock<[Engine; 2]> = LazyLock::new(|| {
        let engine = |device| Engine::builder().device(device).build().unwrap();
        [engine(DeviceChoice::Cpu), engine(DeviceChoice::Reference)]
    });
    let [fast, slow] = ENGINES.each_ref().map(|engine| engine.merkle_tree::<H>(leaves).unwrap());
    assert_eq!(fast.heap(), slow.heap(), "{} of {} leaves", H::NAME, leaves.len());
    fast.heap()[..leaves.len()].to_vec()
}

/// Node by node: both devices, and winter-crypto where it has the hash.
#[test]
fn trees() {
    // Around the number of nodes that one task computes, and well above it.
    for log_n in [1, 2, 5, 6, 7, 8, 9, 11] {
        let leaves = leaves(1 << log_n);
        nodes::<Rp64_256V2021>(&leaves);

        let theirs: Vec<_> = leaves.iter().copied().map(winter_digest).collect();
        let theirs = build_merkle_nodes::<WinterRp64_256>(&theirs);
        let theirs: Vec<_> = theirs.into_iter().map(from_winter).collect();
        assert_eq!(nodes::<Rp64_256>(&leaves)[1..], theirs[1..]);

        let theirs: Vec<_> = leaves.iter().map(|leaf| WinterBlake3::hash(&leaf.to_bytes())).collect();
        let leaves: Vec<_> = theirs.iter().map(|digest| ByteDigest(digest.as_bytes())).collect();
        let theirs = build_merkle_nodes::<WinterBlake3>(&theirs);
        let theirs: Vec<_> = theirs.iter().map(|digest| ByteDigest(digest.as_bytes())).collect();
        assert_eq!(nodes::<Blake3>(&leaves)[1..], theirs[1..]);
    }
}
