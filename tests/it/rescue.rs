//! Rescue Prime against its textbook form; `tests/oracles` compares it, and BLAKE3, with winter-crypto.

use proptest::prelude::*;
use zkaccel::field::{Goldilocks, MODULUS};
use zkaccel::hash::{Hasher, Rp64_256, Rp64_256V2021, Sponge, Textbook};

use crate::edges::{EDGES, element};

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
    fn hashes_of_elements(elements in prop::collection::vec(element(), 0..40)) {
        prop_assert_eq!(Rp64_256::hash_elements(&elements), Textbook::<Rp64_256>::hash_elements(&elements));
        prop_assert_eq!(
            Rp64_256V2021::hash_elements(&elements),
            Textbook::<Rp64_256V2021>::hash_elements(&elements)
        );
    }
}
