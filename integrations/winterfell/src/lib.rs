//! winterfell provers on zkaccel.
//!
//! A winterfell prover names its commitments as associated types. With those of this crate the low-degree extensions of the
//! trace and of the constraint composition, the hashes of their rows and all Merkle trees, FRI's among them, are made by a
//! zkaccel engine; proofs are those of the stock prover, byte by byte, and the stock verifier takes them.
//!
//! ```text
//! type VC = zkaccel_winterfell::Tree<Self::HashFn>;
//! type TraceLde<E> = zkaccel_winterfell::TraceLde<E, Self::HashFn>;
//! type ConstraintCommitment<E> = zkaccel_winterfell::ConstraintCommitment<E, Self::HashFn>;
//! ```
//!
//! with `TraceLde::new` and `ConstraintCommitment::new` in the two methods that make them. The verifier keeps
//! `winter_crypto::MerkleTree`.
//!
//! The engine is [`zkaccel::Engine::global`], because winterfell makes vector commitments out of digests alone. An engine's
//! error (a device that is lost, memory that is refused) is a panic with the engine's words: winterfell's interfaces have no
//! place for errors.
//!
//! What stays with the stock prover: the evaluation of constraints, out-of-domain evaluations, the DEEP composition, FRI's
//! folding and the hashes of its rows, and grinding.

mod columns;
mod constraints;
mod hashes;
mod trace;
mod tree;

pub use constraints::ConstraintCommitment;
pub use hashes::Accelerated;
pub use trace::TraceLde;
pub use tree::Tree;
