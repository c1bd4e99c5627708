//! Rescue Prime, its Jive variant, BLAKE3 and SHA3-256, in every part of the interface.

use proptest::prelude::*;
use winter_crypto::hashers::{Rp64_256 as WinterRescue, RpJive64_256 as WinterJive, Sha3_256 as WinterSha3};
use winter_crypto::{Digest as _, ElementHasher, Hasher as WinterHasher};
use winter_math::fields::f64::BaseElement;
use zkaccel::field::{Goldilocks, MODULUS};
use zkaccel::hash::{Blake3, ByteDigest, Hasher, Rp64_256, RpJive64_256, Sha3_256};

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
    fn blake3(
        elements in prop::collection::vec(element(), 0..40), left: Vec<u8>, right: Vec<u8>, value: u64,
    ) {
        check_bytes::<Blake3, WinterBlake3>(&elements, [&left, &right], value)?;
    }

    #[test]
    fn sha3(
        elements in prop::collection::vec(element(), 0..40), left: Vec<u8>, right: Vec<u8>, value: u64,
    ) {
        check_bytes::<Sha3_256, WinterSha3<BaseElement>>(&elements, [&left, &right], value)?;
    }
}

/// A hash of bytes, which winterfell gives elements as their canonical words, in whatever form it keeps them.
fn check_bytes<H: Hasher<Digest = ByteDigest>, W: ElementHasher<BaseField = BaseElement>>(
    elements: &[Goldilocks],
    inputs: [&[u8]; 2],
    value: u64,
) -> Result<(), TestCaseError> {
    let theirs: Vec<BaseElement> = elements.iter().copied().map(to_winter).collect();
    prop_assert_eq!(H::hash_elements(elements).0, W::hash_elements(&theirs).as_bytes());
    let theirs = inputs.map(W::hash);
    let found = inputs.map(H::hash);
    prop_assert_eq!(found.map(|digest| digest.0), theirs.map(|digest| digest.as_bytes()));
    prop_assert_eq!(H::merge(&found).0, W::merge(&theirs).as_bytes());
    prop_assert_eq!(H::merge_many(&found).0, W::merge_many(&theirs).as_bytes());
    prop_assert_eq!(H::merge_with_int(&found[0], value).0, W::merge_with_int(theirs[0], value).as_bytes());
    Ok(())
}
