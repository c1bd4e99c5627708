//! Traces, AIRs that make them, and the stock prover of any such AIR.

use std::marker::PhantomData;

use winter_air::proof::Proof;
use winter_air::{
    Air, AuxRandElements, BatchingMethod, ConstraintCompositionCoefficients, EvaluationFrame, FieldExtension,
    PartitionOptions, ProofOptions, TraceInfo,
};
use winter_crypto::{DefaultRandomCoin, MerkleTree};
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use winter_prover::matrix::ColMatrix;
use winter_prover::{
    CompositionPoly, CompositionPolyTrace, DefaultConstraintCommitment, DefaultConstraintEvaluator,
    DefaultTraceLde, Prover, StarkDomain, Trace, TracePolyTable,
};
use winter_verifier::{AcceptableOptions, VerifierError, verify};
use zkaccel_winterfell::Accelerated;

/// A main segment, with room for an auxiliary one.
#[derive(Clone)]
pub struct Table {
    pub info: TraceInfo,
    pub columns: Vec<Vec<BaseElement>>,
    pub matrix: ColMatrix<BaseElement>,
}

impl Table {
    pub fn new(columns: Vec<Vec<BaseElement>>, auxiliary: usize, random: usize) -> Self {
        let info = TraceInfo::new_multi_segment(columns.len(), auxiliary, random, columns[0].len(), vec![]);
        Self { info, matrix: ColMatrix::new(columns.clone()), columns }
    }

    /// The same with another entry.
    pub fn with(&self, column: usize, row: usize, value: BaseElement) -> Self {
        let mut columns = self.columns.clone();
        columns[column][row] = value;
        Self { info: self.info.clone(), matrix: ColMatrix::new(columns.clone()), columns }
    }
}

impl Trace for Table {
    type BaseField = BaseElement;

    fn info(&self) -> &TraceInfo {
        &self.info
    }

    fn main_segment(&self) -> &ColMatrix<BaseElement> {
        &self.matrix
    }

    fn read_main_frame(&self, row: usize, frame: &mut EvaluationFrame<BaseElement>) {
        let next = (row + 1) % self.info.length();
        self.matrix.read_row_into(row, frame.current_mut());
        self.matrix.read_row_into(next, frame.next_mut());
    }
}

/// An AIR whose public inputs follow from its trace.
pub trait Provable: Air<BaseField = BaseElement, PublicInputs: Clone> + 'static {
    fn public_inputs(trace: &Table) -> Self::PublicInputs;

    /// The auxiliary segment, column by column.
    fn auxiliary<E: FieldElement<BaseField = BaseElement>>(_: &Table, _: &[E]) -> Vec<Vec<E>> {
        unreachable!("an AIR without an auxiliary segment")
    }
}

/// The stock prover.
pub struct Stock<A, H> {
    pub options: ProofOptions,
    types: PhantomData<fn() -> (A, H)>,
}

impl<A, H> Stock<A, H> {
    pub fn new(options: ProofOptions) -> Self {
        Self { options, types: PhantomData }
    }
}

impl<A: Provable, H: Accelerated> Prover for Stock<A, H> {
    type BaseField = BaseElement;
    type Air = A;
    type Trace = Table;
    type HashFn = H;
    type VC = MerkleTree<H>;
    type RandomCoin = DefaultRandomCoin<H>;
    type TraceLde<E: FieldElement<BaseField = BaseElement>> = DefaultTraceLde<E, H, MerkleTree<H>>;
    type ConstraintEvaluator<'a, E: FieldElement<BaseField = BaseElement>> =
        DefaultConstraintEvaluator<'a, A, E>;
    type ConstraintCommitment<E: FieldElement<BaseField = BaseElement>> =
        DefaultConstraintCommitment<E, H, MerkleTree<H>>;

    fn get_pub_inputs(&self, trace: &Table) -> A::PublicInputs {
        A::public_inputs(trace)
    }

    fn options(&self) -> &ProofOptions {
        &self.options
    }

    fn new_trace_lde<E: FieldElement<BaseField = BaseElement>>(
        &self,
        info: &TraceInfo,
        trace: &ColMatrix<BaseElement>,
        domain: &StarkDomain<BaseElement>,
        partitions: PartitionOptions,
    ) -> (Self::TraceLde<E>, TracePolyTable<E>) {
        DefaultTraceLde::new(info, trace, domain, partitions)
    }

    fn new_evaluator<'a, E: FieldElement<BaseField = BaseElement>>(
        &self,
        air: &'a A,
        auxiliary: Option<AuxRandElements<E>>,
        coefficients: ConstraintCompositionCoefficients<E>,
    ) -> Self::ConstraintEvaluator<'a, E> {
        DefaultConstraintEvaluator::new(air, auxiliary, coefficients)
    }

    fn build_constraint_commitment<E: FieldElement<BaseField = BaseElement>>(
        &self,
        trace: CompositionPolyTrace<E>,
        columns: usize,
        domain: &StarkDomain<BaseElement>,
        partitions: PartitionOptions,
    ) -> (Self::ConstraintCommitment<E>, CompositionPoly<E>) {
        DefaultConstraintCommitment::new(trace, columns, domain, partitions)
    }

    fn build_aux_trace<E: FieldElement<BaseField = BaseElement>>(
        &self,
        trace: &Table,
        random: &AuxRandElements<E>,
    ) -> ColMatrix<E> {
        ColMatrix::new(A::auxiliary(trace, random.rand_elements()))
    }
}

/// Options of proofs.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub queries: usize,
    pub blowup: usize,
    pub grinding: u32,
    pub extension: FieldExtension,
    pub folding: usize,
    pub remainder: usize,
    pub batching: [BatchingMethod; 2],
    pub partitions: usize,
}

pub const OPTIONS: Options = Options {
    queries: 20,
    blowup: 8,
    grinding: 0,
    extension: FieldExtension::Quadratic,
    folding: 4,
    remainder: 3,
    batching: [BatchingMethod::Algebraic, BatchingMethod::Linear],
    partitions: 1,
};

impl From<Options> for ProofOptions {
    fn from(options: Options) -> Self {
        let Options { queries, blowup, grinding, extension, folding, remainder, batching, partitions } =
            options;
        let [constraints, deep] = batching;
        ProofOptions::new(queries, blowup, grinding, extension, folding, remainder, constraints, deep)
            .with_partitions(partitions, 4)
    }
}

/// The stock prover's proof with the nonce 1, which is the least; its threads take any.
pub fn stock<A: Provable, H: Accelerated>(prover: &Stock<A, H>, trace: &Table) -> Proof {
    let proofs = std::iter::repeat_with(|| prover.prove(trace.clone()).unwrap());
    proofs.take(64).find(|proof| proof.pow_nonce == 1).expect("the first nonce, once in 64 proofs")
}

pub fn check<A: Provable, H: Accelerated>(
    proof: Proof,
    trace: &Table,
    options: Options,
) -> Result<(), VerifierError> {
    let acceptable = AcceptableOptions::OptionSet(vec![options.into()]);
    verify::<A, H, DefaultRandomCoin<H>, MerkleTree<H>>(proof, A::public_inputs(trace), &acceptable)
}

/// The proofs of both provers are equal, and the stock verifier accepts ours.
pub fn same<A: Provable, H: Accelerated>(trace: &Table, options: Options) {
    let prover = Stock::<A, H>::new(options.into());
    let found = zkaccel_winterfell::prove(&prover, trace.clone()).unwrap();
    assert!(found.to_bytes() == stock(&prover, trace).to_bytes(), "the proofs differ: {options:?}");
    check::<A, H>(found, trace, options).unwrap();
}
