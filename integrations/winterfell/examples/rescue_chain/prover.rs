//! The stock prover of the chain and the accelerated one. They differ in three types and two constructors.

use std::marker::PhantomData;

use winter_air::proof::Proof;
use winter_air::{
    AuxRandElements, BatchingMethod, ConstraintCompositionCoefficients, FieldExtension, PartitionOptions,
    ProofOptions, TraceInfo,
};
use winter_crypto::{DefaultRandomCoin, ElementHasher, MerkleTree};
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use winter_prover::matrix::ColMatrix;
use winter_prover::{
    CompositionPoly, CompositionPolyTrace, DefaultConstraintCommitment, DefaultConstraintEvaluator,
    DefaultTraceLde, Prover, StarkDomain, TracePolyTable, TraceTable,
};

use zkaccel_clock::Clock;

use super::air::{ChainAir, Ends, ends};

/// Runs while traces and constraint compositions are extended and committed to.
pub static CLOCK: Clock = Clock::new();

/// The options of all proofs here: about 100 bits, a quadratic extension, blow-up 8.
pub fn options() -> ProofOptions {
    let batching = BatchingMethod::Algebraic;
    ProofOptions::new(32, 8, 0, FieldExtension::Quadratic, 8, 31, batching, batching)
}

/// A prover's proof with the nonce 1. winterfell's threads search for a nonce together and take any that fits; without grinding every one fits,
/// and it decides which rows are opened. Nearly always it is the first.
pub fn proof<P: Prover>(prover: &P, trace: &P::Trace) -> Proof
where
    P::Trace: Clone,
{
    let proofs = std::iter::repeat_with(|| prover.prove(trace.clone()).expect("a proof"));
    proofs.take(64).find(|proof| proof.pow_nonce == 1).expect("the first nonce, once in 64 proofs")
}

/// winterfell as it is.
pub struct Stock<H> {
    pub options: ProofOptions,
    pub hash: PhantomData<H>,
}

/// winterfell on zkaccel.
pub struct Accelerated<H> {
    pub options: ProofOptions,
    pub hash: PhantomData<H>,
}

macro_rules! prover {
    ($prover:ident, $hash:path, $tree:ident, $trace:ident, $constraints:ident) => {
        impl<H: $hash> Prover for $prover<H> {
            type BaseField = BaseElement;
            type Air = ChainAir;
            type Trace = TraceTable<BaseElement>;
            type HashFn = H;
            type VC = $tree<H>;
            type RandomCoin = DefaultRandomCoin<H>;
            type TraceLde<E: FieldElement<BaseField = BaseElement>> = $trace<E, H>;
            type ConstraintEvaluator<'a, E: FieldElement<BaseField = BaseElement>> =
                DefaultConstraintEvaluator<'a, ChainAir, E>;
            type ConstraintCommitment<E: FieldElement<BaseField = BaseElement>> = $constraints<E, H>;

            fn get_pub_inputs(&self, trace: &Self::Trace) -> Ends {
                ends(trace)
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
                let _running = CLOCK.run();
                $trace::new(info, trace, domain, partitions)
            }

            fn new_evaluator<'a, E: FieldElement<BaseField = BaseElement>>(
                &self,
                air: &'a ChainAir,
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
                let _running = CLOCK.run();
                $constraints::new(trace, columns, domain, partitions)
            }
        }
    };
}

/// A hash that the stock prover can use over this field.
pub trait StockHash: ElementHasher<BaseField = BaseElement> + Send + Sync {}
impl<H: ElementHasher<BaseField = BaseElement> + Send + Sync> StockHash for H {}

type StockTraceLde<E, H> = DefaultTraceLde<E, H, MerkleTree<H>>;
type StockConstraints<E, H> = DefaultConstraintCommitment<E, H, MerkleTree<H>>;
prover!(Stock, StockHash, MerkleTree, StockTraceLde, StockConstraints);

use zkaccel_winterfell::{Accelerated as AcceleratedHash, ConstraintCommitment, TraceLde, Tree};
prover!(Accelerated, AcceleratedHash, Tree, TraceLde, ConstraintCommitment);
