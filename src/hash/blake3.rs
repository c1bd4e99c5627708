//! BLAKE3 (O'Connor, Aumasson, Neves, Wilcox-O'Hearn, 2020), by its authors' own crate.
//!
//! Elements are hashed as their canonical little-endian words; a node is the hash of its children's 64 bytes.

use super::ByteDigest;
use super::bytes::byte_hasher;

/// BLAKE3 with 256-bit digests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blake3;

byte_hasher!(Blake3, "blake3", |bytes: &[u8]| ByteDigest(::blake3::hash(bytes).into()));
