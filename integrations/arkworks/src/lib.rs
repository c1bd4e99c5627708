//! arkworks' BN254 on zkaccel.
//!
//! The crate is not published yet; depend on it by git, or by the path of a clone:
//!
//! ```toml
//! [dependencies]
//! zkaccel = { git = "https://github.com/zkaccel/zkaccel" }
//! zkaccel-arkworks = { git = "https://github.com/zkaccel/zkaccel" }
//! ```
//!
//! | what | instead of |
//! |---|---|
//! | [`Hooks`], for the curve of `ark-bn254-ext` | `ark_bn254::Bn254` |
//! | [`Domain`] | `Radix2EvaluationDomain<Fr>` |
//! | [`Prover`], which makes Groth16 proofs | `Groth16::<Bn254>::prove` |
//!
//! Sums over G1 and transforms are the engine's; sums over G2 are those of `zkaccel-groth16`, of whose prover [`Prover`] is an adaptor. Every proof is verified before it is
//! handed out. `VariableBaseMSM::msm_unchecked` and `msm_bigint` bypass
//! the hooks of a curve, and `ark-groth16` calls only these, so [`Hooks`] alone would not make it faster. [`Prover`] makes its proofs
//! instead, from its keys and circuits. They are equal to the stock prover's for the same randomness.
//!
//! The engine of the hooks is [`zkaccel::Engine::global`], because hooks are types; a failure there is a panic with the engine's
//! words. [`Domain`] and [`Prover`] take an engine and return errors.

mod domain;
mod groth16;
mod hooks;
mod types;

pub use domain::Domain;
pub use groth16::{Assignment, ProveError, Prover};
pub use hooks::{Bn254, Hooks};
