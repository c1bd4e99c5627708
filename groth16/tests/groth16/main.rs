//! The prover and the verifier as their users see them, on keys and witnesses of published tools.

mod flipped;
mod formats;
mod malformed;
mod proofs;
mod submitted;
mod support;
