//! Hashes of bytes: elements are hashed as their canonical little-endian words, and a node is the hash of its children's 64 bytes.

/// Makes a hash of a type, its name and a function from bytes to a digest.
macro_rules! byte_hasher {
    ($hash:ident, $name:literal, $digest:expr) => {
        impl $crate::hash::Hasher for $hash {
            const NAME: &'static str = $name;
            type Digest = $crate::hash::ByteDigest;
            type Textbook = Self;

            fn hash_elements(elements: &[$crate::field::Goldilocks]) -> Self::Digest {
                // Elements in memory are little-endian words on a little-endian machine; the crate supports no other.
                Self::hash(bytemuck::cast_slice(elements))
            }

            fn hash(bytes: &[u8]) -> Self::Digest {
                $digest(bytes)
            }

            fn merge(children: &[Self::Digest; 2]) -> Self::Digest {
                Self::merge_many(children)
            }

            fn merge_many(digests: &[Self::Digest]) -> Self::Digest {
                Self::hash(bytemuck::cast_slice(digests))
            }

            fn merge_with_int(seed: &Self::Digest, value: u64) -> Self::Digest {
                let mut bytes = [0; 40];
                bytes[..32].copy_from_slice(&seed.0);
                bytes[32..].copy_from_slice(&value.to_le_bytes());
                Self::hash(&bytes)
            }
        }
    };
}
pub(super) use byte_hasher;
