//! Hash functions: the interface that a Merkle tree needs, and the supported functions.
//!
//! [`Hasher`] is the whole interface: elements, bytes, and digests in, a 32-byte digest out. Two families stand behind it:
//! arithmetic sponges over Goldilocks ([`Rp64_256`], [`Rp64_256V2021`], [`RpJive64_256`], [`Rpo256`], [`Rpx256`],
//! [`Poseidon2_8`], [`Poseidon2_12`]), whose digests are four field elements, and byte hashes ([`Blake3`], [`Keccak256`],
//! [`Sha3_256`], [`Sha256`]). Trees, commitments and backends are generic over the trait, so a new hash is files of its own and one
//! line in the list, `for_every_hash`.

mod blake3;
mod bytes;
mod digest;
pub(crate) mod keccak;
pub(crate) mod poseidon2;
pub mod poseidon2_constants;
mod rescue;
pub mod rescue_constants;
pub(crate) mod rescue_linear;
pub(crate) mod rescue_power_maps;
mod rp_jive;
pub mod rp_jive_constants;
mod rpo;
pub mod rpo_constants;
pub(crate) mod sha256;
pub(crate) mod sponge;

pub use crate::backend::Accelerated;
pub use blake3::Blake3;
pub use digest::{ByteDigest, Digest, ElementDigest};
pub use keccak::{Keccak256, Sha3_256};
pub use poseidon2::{Poseidon2_8, Poseidon2_12};
pub use rescue::{Rp64_256, Rp64_256V2021};
pub use rp_jive::RpJive64_256;
pub use rpo::{Rpo256, Rpx256};
pub use sha256::Sha256;
pub use sponge::{Absorb, Merge, Mode, Padding, Sponge, State, Textbook};

use crate::field::Goldilocks;

/// The one list of hashes: calls a macro with type, name, and the number and the capability of the C interface, for each.
///
/// Everything that exists once per hash is made from this list: backends' operations, programs of devices, cases of the
/// conformance suite, names on the command line, numbers in C. To add a hash, add its files and a line here. Numbers and names
/// are never reused.
#[doc(hidden)]
#[macro_export]
macro_rules! for_every_hash {
    ($then:ident) => {
        $then! {
            Rp64_256, "rp64_256", 1, 0x2;
            Rp64_256V2021, "rp64_256_v2021", 2, 0x4;
            Blake3, "blake3", 3, 0x8;
            RpJive64_256, "rp_jive64_256", 4, 0x100;
            Rpo256, "rpo256", 5, 0x200;
            Rpx256, "rpx256", 6, 0x400;
            Poseidon2_8, "poseidon2_8", 7, 0x800;
            Poseidon2_12, "poseidon2_12", 8, 0x1000;
            Keccak256, "keccak256", 9, 0x2000;
            Sha256, "sha256", 10, 0x4000;
            Sha3_256, "sha3_256", 11, 0x8000;
        }
    };
}

/// A hash function with 32-byte digests.
///
/// None of the functions here separates leaves from inner nodes: `merge` of two digests equals the hash of their
/// eight words (or 64 bytes). A verifier must therefore know how many leaves a tree has; see
/// [`merkle::Cap`](crate::merkle::Cap), which carries that number.
pub trait Hasher: Copy + Default + std::fmt::Debug + Send + Sync + 'static {
    /// The name used on the command line and in files, such as `rp64_256`.
    const NAME: &'static str;

    /// The type of its digests.
    type Digest: Digest;

    /// The same function in its slow and obvious form, which the reference backend computes: the hash itself where
    /// there is only one form.
    type Textbook: Hasher<Digest = Self::Digest>;

    /// The digest of a sequence of field elements of any length.
    fn hash_elements(elements: &[Goldilocks]) -> Self::Digest;

    /// The digest of a string of bytes of any length.
    fn hash(bytes: &[u8]) -> Self::Digest;

    /// The digest of two digests: a node of a Merkle tree from its children.
    fn merge(children: &[Self::Digest; 2]) -> Self::Digest;

    /// The digest of any number of digests, in order.
    fn merge_many(digests: &[Self::Digest]) -> Self::Digest;

    /// The digest of a seed and an integer, for drawing pseudo-random values and for grinding.
    fn merge_with_int(seed: &Self::Digest, value: u64) -> Self::Digest;
}
