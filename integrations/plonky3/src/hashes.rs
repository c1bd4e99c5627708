//! The hash functions that both sides have.

use p3_blake3::Blake3;
use p3_commit::Mmcs;
use p3_field::Field;
use p3_goldilocks::{Goldilocks, Poseidon2Goldilocks};
use p3_keccak::Keccak256Hash;
use p3_merkle_tree::{MerkleCap, MerkleTreeError, MerkleTreeHidingMmcs, MerkleTreeMmcs, PrunedMerklePaths};
use p3_symmetric::{
    CompressionFunctionFromHasher, PaddingFreeSponge, PseudoCompressionFunction, SerializingHasher,
    TruncatedPermutation,
};
use rand::{CryptoRng, SeedableRng};
use serde::Serialize;
use serde::de::DeserializeOwned;
use zkaccel::hash::{self, ByteDigest, ElementDigest, Hasher};

use crate::elements::{from_engine, to_engine};

/// What Plonky3 makes a commitment scheme of, where zkaccel computes the same: a hash of bytes (BLAKE3, Keccak-256), of rows in their
/// canonical little-endian words and of two digests; or Poseidon2 with the constants that `p3-goldilocks` has by default, as
/// `PaddingFreeSponge<_, 8, 4, 4>` or `<_, 12, 8, 4>` of rows and as `TruncatedPermutation` of two digests.
pub trait Accelerated: Clone + Sync + Send + 'static {
    /// The same function there.
    type Engine: zkaccel::hash::Accelerated;
    /// A digest as Plonky3 has it.
    type Digest: Copy + Eq + Send + Sync + Serialize + DeserializeOwned;
    /// The scheme that is equalled, which verifies.
    type Stock: Mmcs<
            Goldilocks,
            Commitment = MerkleCap<Goldilocks, Self::Digest>,
            Proof = Vec<Self::Digest>,
            MultiProof: Sync,
            Error = MerkleTreeError,
        > + Clone;
    /// The same with salted rows. What opens many rows is preceded by their salts.
    type Hiding<R: CryptoRng + SeedableRng + Send, const SALTS: usize>: Mmcs<
            Goldilocks,
            Commitment = MerkleCap<Goldilocks, Self::Digest>,
            MultiProof = (Vec<Vec<Vec<Goldilocks>>>, <Self::Stock as Mmcs<Goldilocks>>::MultiProof),
            Error = MerkleTreeError,
        > + Clone;

    /// That scheme, with commitments of 2^`cap_height` digests.
    ///
    /// # Panics
    /// For Poseidon2 with other constants.
    fn stock(self, cap_height: usize) -> Self::Stock;

    /// The same with `SALTS` elements of a generator's behind each row.
    ///
    /// # Panics
    /// For Poseidon2 with other constants.
    fn hiding<R, const SALTS: usize>(self, cap_height: usize, rng: R) -> Self::Hiding<R, SALTS>
    where
        R: CryptoRng + SeedableRng + Send;

    /// A digest of the engine's.
    fn digest(digest: &DigestOf<Self>) -> Self::Digest;

    /// The siblings that open many leaves, as Plonky3 has them.
    fn pruned(siblings: Vec<Self::Digest>) -> <Self::Stock as Mmcs<Goldilocks>>::MultiProof;
}

/// A digest as the engine has it.
pub(crate) type DigestOf<H> = <<H as Accelerated>::Engine as Hasher>::Digest;

macro_rules! of_bytes {
    ($hash:ident, $engine:ident) => {
        impl Accelerated for $hash {
            type Engine = hash::$engine;
            type Digest = [u8; 32];
            type Stock = MerkleTreeMmcs<
                Goldilocks,
                u8,
                SerializingHasher<$hash>,
                CompressionFunctionFromHasher<$hash, 2, 32>,
                2,
                32,
            >;
            type Hiding<R: CryptoRng + SeedableRng + Send, const SALTS: usize> = MerkleTreeHidingMmcs<
                Goldilocks,
                u8,
                SerializingHasher<$hash>,
                CompressionFunctionFromHasher<$hash, 2, 32>,
                R,
                2,
                32,
                SALTS,
            >;

            fn stock(self, cap_height: usize) -> Self::Stock {
                let compression = CompressionFunctionFromHasher::new(self.clone());
                MerkleTreeMmcs::new(SerializingHasher::new(self), compression, cap_height)
            }

            fn hiding<R, const SALTS: usize>(self, cap_height: usize, rng: R) -> Self::Hiding<R, SALTS>
            where
                R: CryptoRng + SeedableRng + Send,
            {
                let compression = CompressionFunctionFromHasher::new(self.clone());
                MerkleTreeHidingMmcs::new(SerializingHasher::new(self), compression, cap_height, rng)
            }

            fn digest(digest: &ByteDigest) -> [u8; 32] {
                digest.0
            }

            fn pruned(sibling_hashes: Vec<[u8; 32]>) -> PrunedMerklePaths<u8, 32> {
                PrunedMerklePaths { sibling_hashes }
            }
        }
    };
}

of_bytes!(Blake3, Blake3);
of_bytes!(Keccak256Hash, Keccak256);

/// The compression of two digests by Poseidon2, if it is the engine's.
fn checked<H, C>(compression: C, width: usize) -> C
where
    H: Accelerated<Engine: Hasher<Digest = ElementDigest>, Digest = [Goldilocks; 4]>,
    C: PseudoCompressionFunction<[Goldilocks; 4], 2>,
{
    let pair = [[1, 2, 3, 4], [5, 6, 7, 8]].map(|words| words.map(Goldilocks::new));
    let ours = H::Engine::merge(&pair.map(|digest| ElementDigest(digest.map(to_engine))));
    assert!(
        compression.compress(pair) == H::digest(&ours),
        "Poseidon2 with constants of its own, expected default_goldilocks_poseidon2_{width}"
    );
    compression
}

macro_rules! poseidon2 {
    ($width:literal, $rate:literal, $engine:ident) => {
        impl Accelerated for Poseidon2Goldilocks<$width> {
            type Engine = hash::$engine;
            type Digest = [Goldilocks; 4];
            type Stock = MerkleTreeMmcs<
                <Goldilocks as Field>::Packing,
                <Goldilocks as Field>::Packing,
                PaddingFreeSponge<Self, $width, $rate, 4>,
                TruncatedPermutation<Self, 2, 4, $width>,
                2,
                4,
            >;

            type Hiding<R: CryptoRng + SeedableRng + Send, const SALTS: usize> = MerkleTreeHidingMmcs<
                <Goldilocks as Field>::Packing,
                <Goldilocks as Field>::Packing,
                PaddingFreeSponge<Self, $width, $rate, 4>,
                TruncatedPermutation<Self, 2, 4, $width>,
                R,
                2,
                4,
                SALTS,
            >;

            fn stock(self, cap_height: usize) -> Self::Stock {
                let compression = checked::<Self, _>(TruncatedPermutation::new(self.clone()), $width);
                MerkleTreeMmcs::new(PaddingFreeSponge::new(self), compression, cap_height)
            }

            fn hiding<R, const SALTS: usize>(self, cap_height: usize, rng: R) -> Self::Hiding<R, SALTS>
            where
                R: CryptoRng + SeedableRng + Send,
            {
                let compression = checked::<Self, _>(TruncatedPermutation::new(self.clone()), $width);
                MerkleTreeHidingMmcs::new(PaddingFreeSponge::new(self), compression, cap_height, rng)
            }

            fn digest(digest: &ElementDigest) -> [Goldilocks; 4] {
                digest.0.map(from_engine)
            }

            fn pruned(sibling_hashes: Vec<[Goldilocks; 4]>) -> PrunedMerklePaths<Goldilocks, 4> {
                PrunedMerklePaths { sibling_hashes }
            }
        }
    };
}

poseidon2!(8, 4, Poseidon2_8);
poseidon2!(12, 8, Poseidon2_12);
