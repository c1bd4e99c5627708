//! Whole proofs of halo2-axiom on polynomials that stay in the engine's memory.
//!
//! # Mathematical description
//!
//! A proof of PLONK with lookups (Gabizon, Williamson and Ciobotaru 2019; Zcash's halo2 book) commits to columns of n = 2^k rows by the coefficients of the polynomials that have them as values on the powers
//! of a root of unity w. Everything after synthesis happens on these: lookups are permuted, permutations and lookups have grand products ([`arguments`]), the
//! constraints ([`constraints`](crate::constraints)) have a quotient ([`quotient`]), polynomials are evaluated ([`evaluations`]) and opened ([`opening`]). No column comes back to the host.
//!
//! Circuits are synthesised by their own floor planners into columns of this module's ([`witness`]), and their phases end with commitments ([`synthesis`]). No crate is patched.

mod arguments;
mod convert;
mod domain;
mod error;
mod evaluations;
mod key;
mod opening;
mod order;
mod prover;
mod quotient;
mod residence;
mod run;
mod synthesis;
mod witness;

pub use error::ProveError;
pub use opening::MultiOpen;
pub use prover::{Prover, create_proof};
