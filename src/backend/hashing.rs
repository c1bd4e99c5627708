//! Row hashing and Merkle trees, as backends have them, over every hash of the list.

use super::{Backend, Extent, ResidentBackend, ResidentHashing};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::Hasher;
use crate::merkle::Approach;

/// Work of the host that may go on while a device computes. It may be called more than once.
pub type Beside<'a> = &'a mut (dyn FnMut() -> Result<(), Error> + Send);

/// The inner nodes of a tree of n leaves by their levels: level d has the 2^d nodes of depth d, from the root at depth 0 on. There is
/// a level for each depth but the leaves'.
pub enum Levels<'a, D> {
    /// The nodes `1..n` of a heap, level after level; node 0 is unused.
    Heap(&'a mut [D]),
    /// Each level in a slice of its own.
    Apart(Vec<&'a mut [D]>),
}

impl<'a, D> Levels<'a, D> {
    /// Each level in a slice of its own.
    pub fn apart(self) -> Vec<&'a mut [D]> {
        match self {
            Self::Apart(levels) => levels,
            Self::Heap(heap) => {
                let (mut rest, mut levels) = (&mut heap[1..], Vec::new());
                while !rest.is_empty() {
                    let (level, after) = rest.split_at_mut(1 << levels.len());
                    levels.push(level);
                    rest = after;
                }
                levels
            }
        }
    }
}

/// Row hashing and Merkle trees over one hash.
pub trait Hashing<H: Hasher>: Send + Sync {
    /// The digests of as many rows as there are digests, from row `from` on, of a matrix.
    fn hash_rows(
        &self,
        matrix: &[Goldilocks],
        extent: Extent,
        from: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error>;

    /// The inner nodes of a tree over leaves, whose number is a power of two. The approach matters only to backends that have
    /// several. An error of `beside` is returned, and then the nodes are unspecified.
    fn build_tree(
        &self,
        leaves: &[H::Digest],
        levels: Levels<'_, H::Digest>,
        approach: Approach,
        beside: Beside<'_>,
    ) -> Result<(), Error>;
}

/// A hash that every backend offers: how generic code gets from a backend to its operations on one hash.
pub trait Accelerated: Hasher {
    /// The backend's operations on this hash.
    fn hashing(backend: &dyn Backend) -> &dyn Hashing<Self>;

    /// The same on data in a device's memory.
    fn resident_hashing(backend: &dyn ResidentBackend) -> &dyn ResidentHashing<Self>;
}

macro_rules! every_hash {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        /// Row hashing and trees over every hash.
        pub trait EveryHash: $(Hashing<crate::hash::$hash> +)* {}

        impl<T> EveryHash for T where T: $(Hashing<crate::hash::$hash> +)* {}

        /// The same in a device's memory.
        pub trait EveryResidentHash: $(ResidentHashing<crate::hash::$hash> +)* {}

        impl<T> EveryResidentHash for T where T: $(ResidentHashing<crate::hash::$hash> +)* {}

        $(impl Accelerated for crate::hash::$hash {
            fn hashing(backend: &dyn Backend) -> &dyn Hashing<Self> {
                backend
            }

            fn resident_hashing(backend: &dyn ResidentBackend) -> &dyn ResidentHashing<Self> {
                backend
            }
        })*
    };
}
crate::for_every_hash!(every_hash);
