//! The numbers that the header has for hashes are those of the library's list.

use accel::backend::provider::HASHES;

use crate::engine::*;
use crate::merkle::*;

#[test]
fn numbers_and_capabilities() {
    let header = [
        ("rp64_256", ZKA_HASH_RP64_256, ZKA_CAN_RP64_256),
        ("rp64_256_v2021", ZKA_HASH_RP64_256_V2021, ZKA_CAN_RP64_256_V2021),
        ("blake3", ZKA_HASH_BLAKE3, ZKA_CAN_BLAKE3),
    ];
    let listed: Vec<_> = HASHES.iter().map(|hash| (hash.name, hash.number, hash.bit)).collect();
    assert_eq!(listed, header);
}
