//! Known answers, as data in `vectors/`, against every hash.

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use zkaccel::field::Goldilocks;
use zkaccel::hash::{ElementDigest, Hasher, Rp64_256, Rp64_256V2021, Sponge};

fn known_answers() -> Value {
    serde_json::from_str(include_str!("../../vectors/rescue_known_answers.json")).unwrap()
}

fn constants() -> Value {
    serde_json::from_str(include_str!("../../vectors/rp64_256_constants.json")).unwrap()
}

fn word(value: &Value) -> u64 {
    value.as_str().unwrap().parse().unwrap()
}

fn words(value: &Value) -> Vec<Goldilocks> {
    value.as_array().unwrap().iter().map(|v| word(v).try_into().unwrap()).collect()
}

fn digest(value: &Value) -> ElementDigest {
    ElementDigest(words(value).try_into().unwrap())
}

fn iota(n: u64) -> Vec<Goldilocks> {
    (0..n).map(Goldilocks::new).collect()
}

fn iota_digest(first: u64) -> ElementDigest {
    ElementDigest(std::array::from_fn(|i| Goldilocks::new(first + i as u64)))
}

/// What both variants' vectors hold.
fn check_common<H: Sponge>(vectors: &Value) {
    let zeros = ElementDigest::default();
    assert_eq!(H::merge(&[iota_digest(0), iota_digest(4)]), digest(&vectors["merge_0_7"]));
    assert_eq!(H::merge(&[zeros, zeros]), digest(&vectors["merge_zeros"]));
    assert_eq!(H::merge_with_int(&iota_digest(0), 5), digest(&vectors["merge_with_int_0_3_seed_value_5"]));
    let by_length = vectors["hash_elements_iota_len_0_to_20"].as_array().unwrap();
    assert_eq!(by_length.len(), 21);
    for (length, expected) in by_length.iter().enumerate() {
        assert_eq!(H::hash_elements(&iota(length as u64)), digest(expected), "length {length}");
    }
}

#[test]
fn rp64_256() {
    let answers = known_answers();
    let vectors = &answers["variants"]["current"]["vectors"];
    check_common::<Rp64_256>(vectors);
    for (name, start) in
        [("permutation_0_11", iota(12)), ("permutation_zeros", vec![Goldilocks::default(); 12])]
    {
        let mut state = start.try_into().unwrap();
        Rp64_256::permute(&mut state);
        assert_eq!(state.to_vec(), words(&vectors[name]), "{name}");
    }
    let minus_one = ElementDigest([Goldilocks::new(Goldilocks::MODULUS - 1); 4]);
    assert_eq!(Rp64_256::merge(&[minus_one; 2]), digest(&vectors["merge_all_pminus1"]));
    assert_eq!(
        Rp64_256::merge_with_int(&iota_digest(0), u64::MAX),
        digest(&vectors["merge_with_int_0_3_seed_value_u64max"])
    );
    let three = [iota_digest(0), iota_digest(4), iota_digest(8)];
    assert_eq!(Rp64_256::merge_many(&three), digest(&vectors["merge_many_3digests_0_11"]));
}

#[test]
fn rp64_256_v2021() {
    let answers = known_answers();
    check_common::<Rp64_256V2021>(&answers["variants"]["nov2021_seed"]["vectors"]);
    // The published SYCL and SIMD implementations, run on their own.
    for published in ["seed_author_ff_gpu", "seed_author_simd"] {
        let vectors = &answers["variants"][published]["vectors"];
        assert_eq!(Rp64_256V2021::merge(&[iota_digest(0), iota_digest(4)]), digest(&vectors["merge_0_7"]));
    }
    let mut state = iota(12).try_into().unwrap();
    Rp64_256V2021::permute(&mut state);
    let expected = &answers["variants"]["seed_author_ff_gpu"]["vectors"]["permutation_0_11"];
    assert_eq!(state.to_vec(), words(expected));
}

/// Bytes: equal to winter-crypto up to 56 bytes; above, where that panics or loses its terminator, different.
#[test]
fn rp64_256_bytes() {
    let answers = known_answers();
    let by_length = &answers["variants"]["current"]["vectors"]["hash_bytes_iota_by_len"];
    for (length, expected) in by_length.as_object().unwrap() {
        let length: usize = length.parse().unwrap();
        let bytes: Vec<u8> = (0..length).map(|i| i as u8).collect();
        let found = Rp64_256::hash(&bytes);
        match length <= 56 {
            true => assert_eq!(found, digest(expected), "length {length}"),
            false if expected.is_string() => assert_eq!(expected, "PANIC"),
            false => assert_ne!(found, digest(expected), "length {length}: the terminator is lost there"),
        }
    }
    // Above one block: the elements of the padded string, hashed as elements.
    for length in [57, 63, 64, 112, 113] {
        let bytes: Vec<u8> = (0..length).map(|i| i as u8).collect();
        let mut elements: Vec<Goldilocks> = Vec::new();
        for chunk in bytes.chunks(7) {
            let value = chunk.iter().rev().fold(0u64, |value, &byte| value << 8 | byte as u64);
            elements.push(Goldilocks::new(value));
        }
        let last = bytes.len() - 7 * (elements.len() - 1);
        *elements.last_mut().unwrap() += Goldilocks::new(1 << (8 * last));
        assert_eq!(Rp64_256::hash(&bytes), Rp64_256::hash_elements(&elements), "length {length}");
    }
}

/// The constants in the code are the constants in the data, and both are what their SHA-256 pins.
#[test]
fn constants_are_pinned() {
    let constants = constants();
    let pins = &constants["pins"];
    let sha256 = |words: Vec<u64>| {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect::<String>()
    };
    let flat = |value: &Value| -> Vec<u64> {
        value.as_array().unwrap().iter().flat_map(|row| row.as_array().unwrap().iter().map(word)).collect()
    };
    use zkaccel::hash::rescue_constants as code;
    let row: Vec<u64> = constants["mds_2022_row0"].as_array().unwrap().iter().map(word).collect();
    assert_eq!(code::MDS_CIRCULANT_ROW.to_vec(), row);
    let circulant = (0..12).flat_map(|i| (0..12).map(move |j| code::MDS_CIRCULANT_ROW[(12 + j - i) % 12]));
    assert_eq!(sha256(circulant.collect()), pins["MDS_circulant_2022_144"].as_str().unwrap());
    for (name, in_code, in_data, pin) in [
        ("ARK1", code::ARK1.as_flattened(), flat(&constants["ark1"]), &pins["ARK1_84"]),
        ("ARK2", code::ARK2.as_flattened(), flat(&constants["ark2"]), &pins["ARK2_84"]),
        (
            "MDS",
            code::MDS_2021.as_flattened(),
            flat(&constants["mds_2021"]),
            &pins["MDS_vandermonde_2021_144"],
        ),
    ] {
        assert_eq!(in_code, in_data, "{name}");
        assert_eq!(sha256(in_data), pin.as_str().unwrap(), "{name}");
    }
}
