//! The prover of the adaptor's page, `docs/integrations/winterfell.md`, as its readers write it. `tools/book/blocks.py` finds the page's lines here.

use std::marker::PhantomData;

use winter_air::proof::Proof;
use winter_air::{
    AuxRandElements, BatchingMethod, ConstraintCompositionCoefficients, FieldExtension, PartitionOptions,
    ProofOptions, TraceInfo,
};
use winter_crypto::hashers::Rp64_256;
use winter_crypto::{DefaultRandomCoin, MerkleTree};
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use winter_prover::matrix::ColMatrix;
use winter_prover::{
    CompositionPoly, CompositionPolyTrace, DefaultConstraintEvaluator, Prover, ProverError, StarkDomain,
    TracePolyTable, TraceTable,
};
use winter_verifier::{AcceptableOptions, verify};

use crate::air::{ChainAir, Ends, ends, trace};

struct MyProver<H> {
    options: ProofOptions,
    hash: PhantomData<H>,
}

impl<H> Prover for MyProver<H>
where
    H: zkaccel_winterfell::Accelerated,
{
    type BaseField = BaseElement;
    type Air = ChainAir;
    type Trace = TraceTable<BaseElement>;
    type HashFn = H;
    type VC = zkaccel_winterfell::Tree<Self::HashFn>;
    type RandomCoin = DefaultRandomCoin<H>;
    type TraceLde<E: FieldElement<BaseField = Self::BaseField>> =
        zkaccel_winterfell::TraceLde<E, Self::HashFn>;
    type ConstraintEvaluator<'a, E: FieldElement<BaseField = BaseElement>> =
        DefaultConstraintEvaluator<'a, ChainAir, E>;
    type ConstraintCommitment<E: FieldElement<BaseField = Self::BaseField>> =
        zkaccel_winterfell::ConstraintCommitment<E, Self::HashFn>;

    fn get_pub_inputs(&self, trace: &Self::Trace) -> Ends {
        ends(trace)
    }

    fn options(&self) -> &ProofOptions {
        &self.options
    }

    fn new_trace_lde<E: FieldElement<BaseField = BaseElement>>(
        &self,
        trace_info: &TraceInfo,
        main_trace: &ColMatrix<BaseElement>,
        domain: &StarkDomain<BaseElement>,
        partition_options: PartitionOptions,
    ) -> (Self::TraceLde<E>, TracePolyTable<E>) {
        zkaccel_winterfell::TraceLde::new(trace_info, main_trace, domain, partition_options)
    }

    fn new_evaluator<'a, E: FieldElement<BaseField = BaseElement>>(
        &self,
        air: &'a ChainAir,
        auxiliary: Option<AuxRandElements<E>>,
        coefficients: ConstraintCompositionCoefficients<E>,
    ) -> Self::ConstraintEvaluator<'a, E> {
        DefaultConstraintEvaluator::new(air, auxiliary, coefficients)
    }

    fn prove(&self, trace: Self::Trace) -> Result<Proof, ProverError> {
        zkaccel_winterfell::prove(self, trace)
    }

    fn build_constraint_commitment<E: FieldElement<BaseField = BaseElement>>(
        &self,
        composition_poly_trace: CompositionPolyTrace<E>,
        num_columns: usize,
        domain: &StarkDomain<BaseElement>,
        partition_options: PartitionOptions,
    ) -> (Self::ConstraintCommitment<E>, CompositionPoly<E>) {
        zkaccel_winterfell::ConstraintCommitment::new(
            composition_poly_trace,
            num_columns,
            domain,
            partition_options,
        )
    }
}

#[test]
fn the_stock_verifier_accepts_its_proof() -> Result<(), Box<dyn std::error::Error>> {
    let batching = BatchingMethod::Algebraic;
    let options = ProofOptions::new(32, 8, 0, FieldExtension::Quadratic, 8, 31, batching, batching);
    let trace = trace([1, 2, 3, 4].map(BaseElement::new), 1 << 8);
    let ends = ends(&trace);
    let prover = MyProver::<Rp64_256> { options: options.clone(), hash: PhantomData };
    let proof = prover.prove(trace.clone())?;
    let engine = zkaccel::Engine::global()?;

    let resident = zkaccel_winterfell::Resident::with_engine(&engine).or_stock_evaluator();
    let proved = resident.prove(&prover, trace)?;
    assert_eq!(proved.constraints, zkaccel_winterfell::Constraints::Recorded);

    assert_eq!(proved.proof.to_bytes(), proof.to_bytes());
    let acceptable = AcceptableOptions::OptionSet(vec![options]);
    verify::<ChainAir, Rp64_256, DefaultRandomCoin<Rp64_256>, MerkleTree<Rp64_256>>(
        proof,
        ends,
        &acceptable,
    )?;
    Ok(())
}
