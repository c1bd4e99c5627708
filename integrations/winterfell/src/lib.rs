//! winterfell provers on zkaccel.
//!
//! The crate is not published yet; depend on it by git, or by the path of a clone:
//!
//! ```toml
//! [dependencies]
//! zkaccel-winterfell = { git = "https://github.com/zkaccel/zkaccel" }
//! ```
//!
//! A winterfell prover names its commitments as associated types. With the types of this crate a zkaccel engine makes the low-degree extensions
//! of the trace and of the constraint composition, the hashes of their rows, and all Merkle trees, including FRI's. Proofs are equal to the stock
//! prover's, byte by byte, and the stock verifier accepts them.
//!
//! ```text
//! type VC = zkaccel_winterfell::Tree<Self::HashFn>;
//! type TraceLde<E> = zkaccel_winterfell::TraceLde<E, Self::HashFn>;
//! type ConstraintCommitment<E> = zkaccel_winterfell::ConstraintCommitment<E, Self::HashFn>;
//! ```
//!
//! with `TraceLde::new` and `ConstraintCommitment::new` in the two methods that make them. The verifier keeps
//! `winter_crypto::MerkleTree`. A prover that is generic in its hash `H` needs the bound `H: zkaccel_winterfell::Accelerated`.
//!
//! The engine is [`zkaccel::Engine::global`], because winterfell makes vector commitments from nothing but digests. An engine's
//! error (a lost device, memory that is refused) is a panic with the engine's words, because winterfell's interfaces have no
//! place for errors.
//!
//! The stock prover keeps the evaluation of constraints, out-of-domain evaluations, the DEEP composition, FRI's
//! folding and the hashes of its rows, and grinding. [`prove`] takes the place of its `prove`: it makes the same proofs with all that is large in
//! the engine's memory. [`Resident`] does so by an engine of its own, and its errors are errors ([`ProveError`]).

mod columns;
mod constraints;
mod extension;
mod hashes;
mod prove;
mod trace;
mod tree;

pub use constraints::ConstraintCommitment;
pub use hashes::Accelerated;
pub use prove::{Constraints, ProveError, Proved, Resident, prove};
pub use trace::TraceLde;
pub use tree::Tree;
