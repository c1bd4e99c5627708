//! The commitment to the constraint composition polynomial.

use winter_air::PartitionOptions;
use winter_air::proof::Queries;
use winter_crypto::VectorCommitment;
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use winter_prover::{CompositionPoly, CompositionPolyTrace, StarkDomain};

use crate::columns::{Committed, Extension, commit};
use crate::extension::Given;
use crate::hashes::Accelerated;
use crate::trace::queries;
use crate::tree::Tree;

/// The columns of the composition polynomial on the extended domain, with their commitment.
pub struct ConstraintCommitment<E: FieldElement<BaseField = BaseElement>, H: Accelerated> {
    extension: Extension,
    tree: Tree<H>,
    field: std::marker::PhantomData<E>,
}

impl<E: FieldElement<BaseField = BaseElement>, H: Accelerated> ConstraintCommitment<E, H> {
    /// Interpolates, extends and commits: what `Prover::build_constraint_commitment` returns.
    pub fn new(
        trace: CompositionPolyTrace<E>,
        columns: usize,
        domain: &StarkDomain<BaseElement>,
        partitions: PartitionOptions,
    ) -> (Self, CompositionPoly<E>) {
        let polynomial = CompositionPoly::new(trace, domain, columns);
        let Committed { extension, tree, .. } =
            commit(polynomial.data(), Given::Coefficients, domain, partitions);
        (Self { extension, tree, field: std::marker::PhantomData }, polynomial)
    }
}

impl<E, H> winter_prover::ConstraintCommitment<E> for ConstraintCommitment<E, H>
where
    E: FieldElement<BaseField = BaseElement>,
    H: Accelerated,
{
    type HashFn = H;
    type VC = Tree<H>;

    fn commitment(&self) -> H::Digest {
        self.tree.commitment()
    }

    fn query(self, positions: &[usize]) -> Queries {
        queries::<E, H>(&self.extension, &self.tree, positions)
    }
}
