//! BLAKE3 (O'Connor, Aumasson, Neves, Wilcox-O'Hearn, 2020), by its authors' own crate.
//!
//! Elements are hashed as their canonical little-endian words; a node is the hash of its children's 64 bytes.

use super::{ByteDigest, Hasher};
use crate::field::Goldilocks;

/// BLAKE3 with 256-bit digests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blake3;

impl Hasher for Blake3 {
    const NAME: &'static str = "blake3";
    type Digest = ByteDigest;
    type Textbook = Self;

    fn hash_elements(elements: &[Goldilocks]) -> ByteDigest {
        // Elements in memory are little-endian words on a little-endian machine; the crate supports no other.
        Self::hash(bytemuck::cast_slice(elements))
    }

    fn hash(bytes: &[u8]) -> ByteDigest {
        ByteDigest(::blake3::hash(bytes).into())
    }

    fn merge(children: &[ByteDigest; 2]) -> ByteDigest {
        Self::merge_many(children)
    }

    fn merge_many(digests: &[ByteDigest]) -> ByteDigest {
        Self::hash(bytemuck::cast_slice(digests))
    }

    fn merge_with_int(seed: &ByteDigest, value: u64) -> ByteDigest {
        let mut bytes = [0; 40];
        bytes[..32].copy_from_slice(&seed.0);
        bytes[32..].copy_from_slice(&value.to_le_bytes());
        Self::hash(&bytes)
    }
}
