//! The numbers that the header has for hashes are those of the library's list.

use accel::provider::HASHES;

use crate::engine::*;
use crate::merkle::*;

#[test]
fn numbers_and_capabilities() {
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
