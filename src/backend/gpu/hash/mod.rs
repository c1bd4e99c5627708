//! Hashes with kernels, one file per family: its programs, and the constants that Rust generates for them.

/// Hashes by their programs: constants as text, kernels, whether these include every approach to trees, and items of their teams.
macro_rules! device_hashes {
    ($($hash:ident, $constants:expr, $kernels:expr, $approaches:literal, $team:expr;)*) => {
        $(impl DeviceHash for $hash {
            const PROGRAM: &'static Program = {
                static PROGRAM: Program = Program {
                    name: <$hash as crate::hash::Hasher>::NAME,
                    constants: $constants,
                    kernels: $kernels,
                    ..Program::EMPTY
                };
                &PROGRAM
            };
            const APPROACHES: bool = $approaches;
            const TEAM: usize = $team;
        })*
    };
}

mod blake3;
mod keccak;
mod poseidon2;
mod rescue;
mod sha256;
mod sponge;
mod text;

use super::program::Program;
use crate::hash::Hasher;

/// A hash with kernels.
pub trait DeviceHash: Hasher {
    /// Its kernels.
    const PROGRAM: &'static Program;

    /// Whether they include those of every [`Approach`](crate::merkle::Approach); otherwise trees are built level by level.
    const APPROACHES: bool;

    /// Items that share a hash in its kernels `hash_rows_team` and `merge_team`, whose parameters are those of `hash_rows` and `merge_level`; 1 if there are none.
    const TEAM: usize = 1;

    /// The kernel that hashes rows of so many words; its parameters are those of `hash_rows`.
    fn row_kernel(_width: usize) -> &'static str {
        "hash_rows"
    }
}

macro_rules! programs {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        /// The programs of all hashes.
        pub(super) static PROGRAMS: &[&Program] = &[$(crate::hash::$hash::PROGRAM),*];
    };
}
crate::for_every_hash!(programs);
