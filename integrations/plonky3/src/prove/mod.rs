//! Proofs whose trace, commitments and layers stay in the engine's memory.
//!
//! [`prove`] takes the place of `p3_uni_stark::prove`, and makes the same proof, byte by byte where there is no grinding: Plonky3 takes the first nonce
//! that any thread finds. The trace is copied to the device once. Commitments, values out of domain, rows that are queried and their paths come back; the
//! transcript is Plonky3's, on the host. Where the host is the device, all of it is host memory.
//!
//! [`prove_batch`] takes the place of `p3_batch_stark::prove_batch` in the same way. What both provers share is here, what is of batches alone in `batch`.
//!
//! The configuration is one over [`FriPcs`](crate::FriPcs), or over [`HidingFriPcs`](crate::HidingFriPcs) for zero knowledge ([`Scheme`]). The constraints of an AIR are recorded as a row program, and compared with the AIR's own evaluation on random rows, once
//! for a [`Prover`], which proves many traces.

mod batch;
mod check;
mod columns;
mod commitment;
mod constraints;
mod error;
mod extended;
mod extension;
mod fri;
mod levels;
mod masked;
mod masks;
mod open;
mod periodic;
mod points;
mod prover;
mod quotient;
mod record;
mod residence;
mod scheme;

use p3_challenger::{CanObserve, CanSample, FieldChallenger, GrindingChallenger};
use p3_commit::ExtensionMmcs;
use p3_field::ExtensionField;
use p3_goldilocks::Goldilocks;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleCap;
use p3_uni_stark::{Proof, QuotientAir, StarkGenericConfig};

use crate::hashes::Accelerated;
use crate::mmcs::Mmcs;
pub use batch::{BatchProver, prove_batch};
pub use error::ProveError;
pub use prover::{Preprocessed, Prover};
pub use scheme::Scheme;
use zkaccel_proofs::{Builder, Program};

/// So many input matrices a row program has at most.
const MAX_INPUTS: usize = 8;

/// FRI's commitments to matrices over the extension.
pub type LayerMmcs<EF, L> = ExtensionMmcs<Goldilocks, EF, Mmcs<L>>;

/// Proves a trace, as `p3_uni_stark::prove`, by the engine of the process: [`Prover::new`] and [`Prover::prove`]. An AIR with preprocessed columns asks for a [`Prover`] of its own.
pub fn prove<SC, A, S, EF, C>(
    config: &SC,
    air: &A,
    trace: RowMajorMatrix<Goldilocks>,
    public_values: &[Goldilocks],
) -> Result<Proof<SC>, ProveError>
where
    SC: StarkGenericConfig<Pcs = S, Challenge = EF, Challenger = C>,
    A: QuotientAir<SC>,
    S: Scheme<EF, C>,
    EF: ExtensionField<Goldilocks>,
    C: FieldChallenger<Goldilocks>
        + GrindingChallenger<Witness = Goldilocks>
        + CanObserve<MerkleCap<Goldilocks, <S::Inputs as Accelerated>::Digest>>
        + CanObserve<MerkleCap<Goldilocks, <S::Layers as Accelerated>::Digest>>
        + CanSample<EF>,
{
    Prover::new(config, air)?.prove(trace, public_values)
}
