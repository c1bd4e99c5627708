//! halo2 provers over BN254, and over Pasta, on zkaccel.
//!
//! halo2's sums and transforms are free functions, generic in the field and the curve, so there is no type to replace. Instead a copy of the crates
//! that contain them gets a line at the head of each, by `[patch.crates-io]` (`patch.sh` makes the copies; the prover's own code stays as
//! it is). This crate is not published yet; the copies depend on it by the path of a clone, other forks by path or by git:
//!
//! ```toml
//! [dependencies]
//! zkaccel-halo2 = { git = "https://github.com/zkaccel/zkaccel" }
//! ```
//!
//! | stock function | its line asks |
//! |---|---|
//! | `halo2curves::msm::msm_best` | [`msm`] |
//! | `halo2curves::fft::best_fft`, `halo2_proofs::arithmetic::best_fft` | [`fft`] |
//! | `EvaluationDomain::ifft` | [`inverse_fft`] |
//! | `EvaluationDomain::coeff_to_extended_part` | [`coset_fft`] |
//! | `Evaluator::evaluate_h` | [`evaluate_h!`], which asks [`evaluate_h`](evaluate_h()) |
//!
//! Each function says whether it did the work: `None` or `false` for another curve, for a transform of points, for sizes at which asking
//! costs more than the work, and the stock code goes on as ever. [`bn254!`] says which types are BN254 in the fork that asks, and asserts that
//! their memory is what zkaccel takes; [`constraint_system!`] says where its circuits' constraints are.
//!
//! zcash's `halo2_proofs`, over Pallas and Vesta, has the same lines with the functions of the module `pasta` (feature `pasta`), but for `evaluate_h`.
//!
//! For forks that have the traits of the ZK acceleration layer, [`zal!`] makes an engine of its own.
//!
//! The engine is [`zkaccel::Engine::global`], but for [`zal!`]'s. An engine's error (a device that is lost, memory that is refused) is a
//! panic with the engine's words: halo2's functions have no place for errors.
//!
//! What stays with the stock prover: synthesis, the permutation of lookups, grand products, openings, the transcript.
//!
//! With the feature `prove` there are whole proofs, too, without a patch: `create_proof` stands beside the function of that name of halo2-axiom.

mod bases;
#[doc(hidden)]
pub mod constraints;
mod evaluation;
#[cfg(feature = "pasta")]
pub mod pasta;
#[cfg(feature = "prove")]
mod prove;
mod store;
mod sums;
mod transforms;
#[doc(hidden)]
pub mod types;
mod zal;

pub use evaluation::{CircuitPolynomials, Quotient, evaluate_h};
#[doc(hidden)]
pub use ff;
#[cfg(feature = "prove")]
pub use prove::{MultiOpen, ProveError, Prover, create_proof};
pub use sums::msm;
pub use transforms::{coset_fft, fft, inverse_fft};
pub use types::{Bn254, CurveTypes};
pub use zal::{BasesDescriptor, ScalarsDescriptor, Zal};
#[doc(hidden)]
pub use zkaccel;

use std::sync::{Mutex, MutexGuard, PoisonError};

use zkaccel::{Engine, Error};
use zkaccel_clock::{Clock, Running};

/// Runs in the functions of [`timed`], in the measured copies of a prover's crates.
pub static CLOCK: Clock = Clock::new();

/// Lets the clock run until what it returns is dropped.
pub fn timed() -> Running<'static> {
    CLOCK.run()
}

/// The engine of the process.
fn engine() -> Engine {
    done(Engine::global())
}

/// What an engine's operation gave; its error is a panic.
fn done<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|error| panic!("zkaccel: {error}"))
}

/// Locks what is never left half changed: nothing that can panic runs under its lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
