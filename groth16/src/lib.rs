//! Groth16 proofs over BN254 and BLS12-381 from the keys and witnesses of circom and snarkjs, on CPUs and GPUs.
//!
//! A key is read from a `.zkey` file, its points are kept by an [`Engine`](zkaccel::Engine), and then it serves any number of proofs:
//!
//! ```no_run
//! use zkaccel::Engine;
//! use zkaccel_groth16::{Bn254, Bytes, Prover, ProverOptions, json, wtns, zkey::Zkey};
//!
//! let engine = Engine::new()?;
//! let key = Zkey::<Bn254>::parse(&Bytes::open("circuit.zkey")?)?.proving_key()?;
//! let prover = Prover::new(&engine, key, ProverOptions::default())?;
//! let witness = wtns::parse(&Bytes::open("witness.wtns")?)?;
//! let proof = prover.prove(&witness)?;
//! std::fs::write("proof.json", json::write_proof(&proof))?;
//! std::fs::write("public.json", json::write_public(prover.public(&witness)?))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is read is checked: lengths, fields, points on their curves and in the subgroup, signals in range. Every proof passes the verifier's
//! equation before it is handed out, and one that does not is made again on the CPU; see [`Prover::prove`]. snarkjs and rapidsnark accept the proofs, and
//! [`Verifier`] accepts theirs.
//!
//! The types have the pairing as a parameter, which is [`Bn254`] unless another is named, such as [`Bls12_381`]; [`pairing`] tells what differs from one to
//! another. What reads a file is told the pairing by the types of what becomes of its result, or by name, as in `Zkey::<Bn254>::parse`. A file of another
//! curve is an error. Where the file of a key is to say the pairing, [`zkey::pairing_of`] and its like read it, and [`AnyProver`] is a prover over any. Scalars,
//! coordinates and points are the types of halo2curves 0.10, as the engine has them.

mod any;
mod error;
mod file;
mod host;
pub mod json;
mod kept;
mod key;
pub mod known_tau;
mod numbers;
pub mod pairing;
mod points;
mod prover;
mod quotient;
pub mod r1cs;
mod sections;
mod subgroup;
mod submit;
mod sums;
mod vectors;
mod verifier;
pub mod wtns;
pub mod zkey;

pub use any::{AnyProver, Texts, Witness, verify};
pub use error::Error;
pub use file::Bytes;
pub use halo2curves::bn256::{Fr, G1Affine, G2Affine};
pub use key::{KeptMatrices, Matrices, ProvingKey, Reduction, VerifyingKey};
pub use pairing::{AnyPairing, Bls12_381, Bn254, Pairing, PairingVisitor};
pub use prover::{Account, Blinding, Proof, Prover, ProverOptions};
pub use submit::Pending;
pub use verifier::{Claim, Verifier};
pub use zkaccel::sparse::SparseMatrix;
