//! The numbers that the header has for fields, curves and hashes are those of the library's lists.

use accel::provider::HASHES;

use crate::curves::*;
use crate::engine::*;
use crate::fields::*;
use crate::merkle::*;

#[test]
fn of_fields() {
    let header = [
        ("goldilocks", ZKA_GOLDILOCKS),
        ("bn254-fr", ZKA_BN254_FR),
        ("bn254-fq", ZKA_BN254_FQ),
        ("pasta-fp", ZKA_PASTA_FP),
        ("pasta-fq", ZKA_PASTA_FQ),
        ("bls12-381-fr", ZKA_BLS12_381_FR),
        ("bls12-377-fr", ZKA_BLS12_377_FR),
    ];
    assert_eq!(FIELDS.iter().map(|field| field.name).zip(1..).collect::<Vec<_>>(), header);
    assert!(FIELDS.iter().zip(1..).all(|(field, number)| Field::of(number).unwrap().name == field.name));
}

#[test]
fn of_curves() {
    let header = [
        ("bn254-g1", ZKA_BN254_G1),
        ("grumpkin", ZKA_GRUMPKIN),
        ("bn254-g2", ZKA_BN254_G2),
        ("pallas", ZKA_PALLAS),
        ("vesta", ZKA_VESTA),
        ("bls12-381-g1", ZKA_BLS12_381_G1),
        ("bls12-381-g2", ZKA_BLS12_381_G2),
        ("bls12-377-g1", ZKA_BLS12_377_G1),
        ("bls12-377-g2", ZKA_BLS12_377_G2),
        ("bw6-761-g1", ZKA_BW6_761_G1),
    ];
    assert_eq!(CURVES.iter().map(|curve| curve.name).zip(1..).collect::<Vec<_>>(), header);
    assert!(CURVES.iter().zip(1..).all(|(curve, number)| Curve::of(number).unwrap().name == curve.name));
}

#[test]
fn of_hashes_and_their_capabilities() {
    let header = [
        ("rp64_256", ZKA_HASH_RP64_256, ZKA_CAN_RP64_256),
        ("rp64_256_v2021", ZKA_HASH_RP64_256_V2021, ZKA_CAN_RP64_256_V2021),
        ("blake3", ZKA_HASH_BLAKE3, ZKA_CAN_BLAKE3),
        ("rp_jive64_256", ZKA_HASH_RP_JIVE64_256, ZKA_CAN_RP_JIVE64_256),
        ("rpo256", ZKA_HASH_RPO256, ZKA_CAN_RPO256),
        ("rpx256", ZKA_HASH_RPX256, ZKA_CAN_RPX256),
        ("poseidon2_8", ZKA_HASH_POSEIDON2_8, ZKA_CAN_POSEIDON2_8),
        ("poseidon2_12", ZKA_HASH_POSEIDON2_12, ZKA_CAN_POSEIDON2_12),
        ("keccak256", ZKA_HASH_KECCAK256, ZKA_CAN_KECCAK256),
        ("sha256", ZKA_HASH_SHA256, ZKA_CAN_SHA256),
        ("sha3_256", ZKA_HASH_SHA3_256, ZKA_CAN_SHA3_256),
    ];
    let listed: Vec<_> = HASHES.iter().map(|hash| (hash.name, hash.number, hash.bit)).collect();
    assert_eq!(listed, header);
}
