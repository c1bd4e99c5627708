//! Rescue Prime, its Jive variant, and BLAKE3, in every part of the interface.

use proptest::prelude::*;
use winter_crypto::hashers::{Rp64_256 as WinterRescue, RpJive64_256 as WinterJive};
use winter_crypto::{Digest as _, ElementHasher, Hasher as WinterHasher};
use winter_math::fields::f64::BaseElement;
use zkaccel::field::MODULUS;
use zkaccel::hash::{Blake3, Hasher, Rp64_256, RpJive64_256};

use super::{Blake3 as WinterBlake3, from_digest, to_digest, to_winter};
use crate::inputs::{digest, element};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn rescue(
        elements in prop::collection::vec(element(), 0..40),
        children in prop::array::uniform2(digest()),
        value: u64,
    ) {
        let theirs: Vec<BaseElement> = elements.iter().copied().map(to_winter).collect();
        prop_assert_eq!(Rp64_256::hash_elements(&elements), from_digest(WinterRescue::hash_elements(&theirs)));
        let theirs = children.map(to_digest);
        prop_assert_eq!(Rp64_256::merge(&children), from_digest(WinterRescue::merge(&theirs)));
        prop_assert_eq!(
            Rp64_256::merge_with_int(&children[0], value),
            from_digest(WinterRescue::merge_with_int(theirs[0], value))
        );
    }

    #[test]
    fn jive(
        elements in prop::collection::vec(element(), 0..30),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        children in prop::array::uniform2(digest()),
        value: u64,
    ) {
        let theirs: Vec<BaseElement> = elements.iter().copied().map(to_winter).collect();
        prop_assert_eq!(RpJive64_256::hash_elements(&elements), from_digest(WinterJive::hash_elements(&theirs)));
        prop_assert_eq!(RpJive64_256::hash(&bytes), from_digest(WinterJive::hash(&bytes)));
        let theirs = children.map(to_digest);
        prop_assert_eq!(RpJive64_256::merge(&children), from_digest(WinterJive::merge(&theirs)));
        prop_assert_eq!(RpJive64_256::merge_many(&children), from_digest(WinterJive::merge_many(&theirs)));
        for value in [value, value % MODULUS] {
            prop_assert_eq!(
                RpJive64_256::merge_with_int(&children[0], value),
                from_digest(WinterJive::merge_with_int(theirs[0], value))
            );
        }
    }

    #[test]
    fn blake3(left: Vec<u8>, right: Vec<u8>, value: u64) {
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
        prop_assert_eq!(Blake3::hash_elements(&elements).0, WinterBlake3::hash(&bytes).as_bytes());
    }
}
