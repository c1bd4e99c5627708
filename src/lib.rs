//! zkaccel accelerates the operations in which provers of zero-knowledge proofs spend their time: Merkle trees over arithmetic
//! hashes, number theoretic transforms, commitments to execution traces, which combine both, and multi-scalar multiplication.
//!
//! Everything goes through one [`Engine`], which owns a device and its threads. It checks its inputs once and returns a right
//! result or one clear [`Error`]. Every operation also runs as a [`Job`], a future that can be awaited on any executor, waited
//! for, or dropped.
//!
//! ```toml
//! [dependencies]
//! zkaccel = { git = "https://github.com/zkaccel/zkaccel" }
//! # Slices of arkworks' types without conversion:
//! # zkaccel = { git = "https://github.com/zkaccel/zkaccel", features = ["arkworks"] }
//! # The CPU alone, without BN254 and without GPUs:
//! # zkaccel = { git = "https://github.com/zkaccel/zkaccel", default-features = false }
//! ```
//!
//! Commit to an execution trace, open rows, verify them:
//!
//! ```
//! use zkaccel::{Engine, commit::TraceSpec, field::Goldilocks, hash::Rp64_256, matrix::Matrix};
//! let engine = Engine::new()?;
//! // 16 steps of 5 registers, row by row; extended eightfold, each row a leaf of a Rescue Prime tree.
//! let trace = Matrix::from_rows((0..80).map(Goldilocks::new).collect(), 16, 5)?;
//! let commitment = engine.commit::<Rp64_256>(&TraceSpec::default(), trace)?;
//! assert_eq!(
//!     commitment.root().to_string(),
//!     "762feef5db869ab155942e70f42b974e32a629a7fef821f058bd66523c6cb727",
//! );
//! let opening = commitment.open(&[3, 77])?;
//! // The verifier knows the cap (here the root, with the number of rows) and the number of columns.
//! opening.verify(&commitment.cap(0)?, 5)?;
//! # Ok::<(), zkaccel::Error>(())
//! ```
//!
//! Transform every column of a matrix, on a coset, and back:
//!
//! ```
//! use zkaccel::{Engine, field::Goldilocks, matrix::Matrix, ntt::{Convention, Domain, Ntt}};
//! let engine = Engine::new()?;
//! let mut matrix = Matrix::from_columns((0..64).map(Goldilocks::new).collect(), 16, 4)?;
//! let before = matrix.clone();
//! let domain = Domain::new(4, Convention::Plonky3)?.coset(Goldilocks::GENERATOR)?;
//! engine.ntt(&Ntt::forward(domain), matrix.view_mut())?;
//! engine.ntt(&Ntt::inverse(domain), matrix.view_mut())?;
//! assert_eq!(matrix, before);
//! # Ok::<(), zkaccel::Error>(())
//! ```
//!
//! Multiply bases by scalars and add, over the curve BN254, in the types of halo2curves ([`msm`]; feature `bn254`):
//!
//! ```
//! # #[cfg(feature = "bn254")] {
//! use zkaccel::{Engine, bn254::{Fr, G1, G1Affine}, msm::BasesOptions};
//! let engine = Engine::new()?;
//! let points = vec![G1Affine::generator(); 3];
//! let bases = engine.bases(points, BasesOptions { validate: true, ..BasesOptions::default() })?;
//! let sum = engine.msm(&[1, 2, 3].map(Fr::from), &bases)?;
//! assert_eq!(sum, G1::generator() * Fr::from(6));
//! # }
//! # Ok::<(), zkaccel::Error>(())
//! ```
//!
//! Build two Merkle trees at once:
//!
//! ```
//! use zkaccel::{Engine, hash::{Blake3, Hasher}};
//! let engine = Engine::new()?;
//! let leaves = |name: &str| -> Vec<_> { (0..8).map(|i| Blake3::hash(format!("{name} {i}").as_bytes())).collect() };
//! let left = engine.merkle_tree_async::<Blake3>(leaves("left"));
//! let right = engine.merkle_tree_async::<Blake3>(leaves("right"));
//! assert_ne!(left.wait()?.root(), right.wait()?.root());
//! # Ok::<(), zkaccel::Error>(())
//! ```
//!
//! The crate is for 64-bit little-endian machines: elements in memory are their canonical little-endian encoding.

// On docs.rs, whose compiler is a nightly one, items of a feature say so.
#![cfg_attr(docsrs, feature(doc_cfg))]
// What serves features that are off is not looked for.
#![cfg_attr(
    not(all(feature = "bn254", any(feature = "cuda", feature = "opencl"))),
    allow(dead_code, unused_imports)
)]

#[cfg(not(all(target_endian = "little", target_pointer_width = "64")))]
compile_error!("zkaccel is for 64-bit little-endian machines");

// Public items there are public within the crate only, because backends trust what the engine has checked.
#[allow(unreachable_pub)]
mod backend;
#[cfg(feature = "bn254")]
pub mod bls12_377;
#[cfg(feature = "bn254")]
pub mod bls12_381;
#[cfg(feature = "bn254")]
pub mod bn254;
mod builder;
#[cfg(feature = "bn254")]
pub mod bw6_761;
pub mod cache;
mod checks;
pub mod choice;
pub mod columns;
pub mod combinations;
pub mod commit;
mod crew;
#[cfg(feature = "bn254")]
pub mod curve;
pub mod device;
mod dispatch;
mod engine;
mod error;
pub mod extended;
pub mod faults;
pub mod field;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod gate;
mod global;
#[cfg(feature = "bn254")]
pub mod grumpkin;
mod hardware;
pub mod hash;
mod job;
mod job_threads;
#[doc(hidden)]
pub mod kernels;
mod lend;
mod lock;
pub mod lookups;
pub mod matrix;
mod memory;
pub mod merkle;
mod meter;
#[cfg(all(test, shuttle))]
mod models;
#[cfg(feature = "bn254")]
pub mod msm;
mod named;
pub mod ntt;
mod operation;
mod parallel;
#[cfg(feature = "bn254")]
pub mod pasta;
pub mod pinned;
#[cfg(feature = "bn254")]
pub mod points;
pub mod policy;
pub mod prefix;
pub mod program;
pub mod progress;
#[cfg(feature = "providers")]
pub mod provider;
pub mod resident;
#[cfg(feature = "bn254")]
pub mod sparse;
mod spawn;
mod stack;
mod sync;
#[cfg(feature = "bn254")]
pub mod vectors;
#[cfg(test)]
mod words;
pub mod work;

pub use builder::EngineBuilder;
pub use engine::Engine;
pub use error::Error;
pub use job::Job;
pub use spawn::Scope;
