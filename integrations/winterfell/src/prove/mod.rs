//! Proofs whose trace, commitments and layers stay in the engine's memory.
//!
//! [`prove`] takes the place of `Prover::prove`, which is a provided method, and makes the same proof, byte by byte but for the nonce: winterfell takes the first that any thread finds, and this the least.
//! The trace is copied to the device once. Commitments, values out of domain, rows that are queried and their paths come back; the public coin is winterfell's, on
//! the host. Where the host is the device, all of it is host memory.

mod channel;
mod check;
mod commitment;
mod composition;
mod constraints;
mod deep;
mod domains;
mod error;
mod extension;
mod fri;
mod memory;
mod parts;
mod periodic;
mod prover;
mod quotient;
mod record;
mod recorder;
mod segment;
mod stock;
mod symbol;

use winter_air::proof::Proof;
use winter_crypto::{BatchMerkleProof, VectorCommitment};
use winter_math::fields::f64::BaseElement;
use winter_prover::{Prover, ProverError};
use zkaccel::Engine;

use crate::hashes::Accelerated;
pub use error::ProveError;
pub use prover::{Constraints, Proved, Resident};

/// Proves a trace by the engine of the process. It is what a prover's `prove` can be:
///
/// ```text
/// fn prove(&self, trace: Self::Trace) -> Result<Proof, ProverError> {
///     zkaccel_winterfell::prove(self, trace)
/// }
/// ```
///
/// # Panics
/// With the words of a [`ProveError`], because winterfell's error has no place for them. [`Resident::prove`] returns it.
pub fn prove<P>(prover: &P, trace: P::Trace) -> Result<Proof, ProverError>
where
    P: Prover<BaseField = BaseElement>,
    P::HashFn: Accelerated,
    P::VC: VectorCommitment<P::HashFn, MultiProof = BatchMerkleProof<P::HashFn>>,
{
    let proved = Engine::global()
        .map_err(ProveError::from)
        .and_then(|engine| Resident::with_engine(&engine).prove(prover, trace));
    Ok(proved.unwrap_or_else(|error| panic!("zkaccel: {error}")).proof)
}
