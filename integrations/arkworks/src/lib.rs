//! arkworks' BN254 on zkaccel.
//!
//! | what | instead of |
//! |---|---|
//! | [`Hooks`], for the curve of `ark-bn254-ext` | `ark_bn254::Bn254` |
//! | [`Domain`] | `Radix2EvaluationDomain<Fr>` |
//! | [`Prover`], which makes Groth16 proofs | `Groth16::<Bn254>::prove` |
//!
//! Sums over G1 and transforms are the engine's; sums over G2 are arkworks'. `VariableBaseMSM::msm_unchecked` and `msm_bigint` pass
//! the hooks of a curve by, and `ark-groth16` calls nothing else: with [`Hooks`] alone it would be as slow as ever, so its proofs are
//! made by [`Prover`], from its own keys and circuits. They are those of the stock prover for the same randomness.
//!
//! The engine of the hooks is [`zkaccel::Engine::global`], because hooks are types; a failure there is a panic with the engine's
//! words. [`Domain`] and [`Prover`] take an engine and return errors.

mod domain;
mod groth16;
mod hooks;
mod qap;

pub use domain::Domain;
pub use groth16::{ProveError, Prover};
pub use hooks::{Bn254, Hooks};
