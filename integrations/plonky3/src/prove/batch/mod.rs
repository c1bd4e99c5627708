//! Proofs of several traces at once: `p3_batch_stark::prove_batch`, with the same transcript.
//!
//! Each instance has an AIR and a trace of its own height. One commitment covers the traces of all, one the chunks of all quotients, one the preprocessed columns, one the columns of lookups; all
//! are opened at one point, and FRI is of all of them.

mod instance;
mod lookups;
mod prover;

use p3_air::Air;
use p3_air::symbolic::SymbolicExpressionExt;
use p3_batch_stark::folder::ProverConstraintFolderWithLookups;
use p3_batch_stark::{BatchProof, ProverData, StarkInstance};
use p3_challenger::{CanObserve, CanSample, FieldChallenger, GrindingChallenger};
use p3_field::{Algebra, ExtensionField};
use p3_goldilocks::Goldilocks;
use p3_lookup::InteractionSymbolicBuilder;
use p3_merkle_tree::MerkleCap;
use p3_uni_stark::StarkGenericConfig;

use super::error::ProveError;
use super::scheme::Scheme;
use crate::hashes::Accelerated;
pub use prover::BatchProver;

/// Proves several traces at once, as `p3_batch_stark::prove_batch`, by the engine of the process: [`BatchProver::new`] and [`BatchProver::prove`]. Preprocessed columns are committed to again in the
/// engine's memory, so of `prover_data` only what is common to prover and verifier is read.
pub fn prove_batch<SC, A, S, EF, C>(
    config: &SC,
    instances: &[StarkInstance<'_, SC, A>],
    prover_data: &ProverData<SC>,
) -> Result<BatchProof<SC>, ProveError>
where
    SC: StarkGenericConfig<Pcs = S, Challenge = EF, Challenger = C>,
    A: Air<InteractionSymbolicBuilder<Goldilocks, EF>>
        + for<'b> Air<ProverConstraintFolderWithLookups<'b, SC>>,
    S: Scheme<EF, C>,
    EF: ExtensionField<Goldilocks>,
    SymbolicExpressionExt<Goldilocks, EF>: Algebra<EF>,
    C: FieldChallenger<Goldilocks>
        + GrindingChallenger<Witness = Goldilocks>
        + CanObserve<MerkleCap<Goldilocks, <S::Inputs as Accelerated>::Digest>>
        + CanObserve<MerkleCap<Goldilocks, <S::Layers as Accelerated>::Digest>>
        + CanSample<EF>,
{
    let airs: Vec<&A> = instances.iter().map(|instance| instance.air).collect();
    let traces: Vec<_> = instances.iter().map(|instance| instance.trace).collect();
    let public_values: Vec<_> = instances.iter().map(|instance| &instance.public_values[..]).collect();
    BatchProver::new(config, &airs, &prover_data.common)?.prove(&traces, &public_values)
}
