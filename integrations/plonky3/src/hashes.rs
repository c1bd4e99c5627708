//! The hash functions that both sides have.

use p3_blake3::Blake3;
use p3_keccak::Keccak256Hash;
use p3_symmetric::CryptographicHasher;
use zkaccel::hash::{self, ByteDigest};

/// A hash of bytes of Plonky3's that zkaccel computes, of rows in their canonical little-endian words and of two digests.
pub trait Accelerated: CryptographicHasher<u8, [u8; 32]> + Sync + Send + 'static {
    /// The same function there.
    type Engine: zkaccel::backend::Accelerated + hash::Hasher<Digest = ByteDigest>;
}

impl Accelerated for Blake3 {
    type Engine = hash::Blake3;
}

impl Accelerated for Keccak256Hash {
    type Engine = hash::Keccak256;
}
