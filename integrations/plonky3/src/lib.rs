//! Plonky3 provers over Goldilocks on zkaccel.
//!
//! A Plonky3 configuration names its transforms and its commitment scheme for matrices. [`Dft`] and [`Mmcs`] take the place of
//! `Radix2DitParallel` and `MerkleTreeMmcs`:
//!
//! ```text
//! type Dft = zkaccel_plonky3::Dft;
//! type ValMmcs = zkaccel_plonky3::Mmcs<Blake3>;
//! let val_mmcs = ValMmcs::new(Blake3, cap_height);
//! ```
//!
//! For a device with memory of its own [`FriPcs`] takes the place of `TwoAdicFriPcs` over them: extensions are hashed where they are made.
//!
//! The hash is one of bytes, BLAKE3 or Keccak-256, or Poseidon2 with `p3-goldilocks`' constants ([`Accelerated`]). Commitments and proofs are
//! those of the stock scheme, byte by byte, and its verifier takes them.
//!
//! The engine is [`zkaccel::Engine::global`], because Plonky3 makes transforms out of nothing (`Default`). An engine's error (a
//! device that is lost, memory that is refused) is a panic with the engine's words: Plonky3's interfaces have no place for errors.
//!
//! What stays with the stock prover: the evaluation of constraints, openings out of domain, FRI's folding, and the challenger.

mod dft;
mod elements;
mod hashes;
mod mmcs;
mod pcs;
mod tree;

pub use dft::Dft;
pub use hashes::Accelerated;
pub use mmcs::Mmcs;
pub use pcs::FriPcs;
pub use tree::Committed;

/// What the engine gave; its error is a panic.
fn done<T>(result: Result<T, zkaccel::Error>) -> T {
    result.unwrap_or_else(|error| panic!("zkaccel: {error}"))
}
