//! Plonky3 provers over Goldilocks on zkaccel.
//!
//! The crate is not published yet; depend on it by git, or by the path of a clone:
//!
//! ```toml
//! [dependencies]
//! zkaccel-plonky3 = { git = "https://github.com/zkaccel/zkaccel" }
//! ```
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
//! For a device with memory of its own, [`FriPcs`] takes the place of `TwoAdicFriPcs` over them, so that extensions are hashed where they are made.
//!
//! The hash is BLAKE3 or Keccak-256 over bytes, or Poseidon2 with the constants of `p3-goldilocks` ([`Accelerated`]). The sponge over words
//! `PaddingFreeSponge<KeccakF, 25, 17, 4>` is not accelerated. Commitments and proofs are
//! equal to those of the stock scheme, byte by byte, and its verifier accepts them.
//!
//! The engine is [`zkaccel::Engine::global`], because Plonky3 makes transforms from nothing (`Default`). An engine's error (a
//! lost device, memory that is refused) is a panic with the engine's words, because Plonky3's interfaces have no place for errors.
//!
//! The stock prover keeps the evaluation of constraints, openings out of domain, FRI's folding, and the challenger. [`prove`], and [`Prover`] for many traces of
//! an AIR, take its place: with a configuration over [`FriPcs`] they make the same proofs with all that is large in the engine's memory. Their errors are errors
//! ([`ProveError`]). [`prove_batch`], and [`BatchProver`] for many batches, do so for proofs of several AIRs at once. [`HidingFriPcs`] makes those of one AIR zero-knowledge, as the stock scheme of that name does.

mod dft;
mod elements;
mod hashes;
mod hiding;
mod mmcs;
mod pcs;
mod prove;
mod randomness;
mod tree;

pub use dft::Dft;
pub use hashes::Accelerated;
pub use hiding::{HidingFriPcs, Salted};
pub use mmcs::Mmcs;
pub use pcs::FriPcs;
pub use prove::{BatchProver, LayerMmcs, Preprocessed, ProveError, Prover, Scheme, prove, prove_batch};
pub use tree::Committed;

/// What the engine gave; its error is a panic.
fn done<T>(result: Result<T, zkaccel::Error>) -> T {
    result.unwrap_or_else(|error| panic!("zkaccel: {error}"))
}
