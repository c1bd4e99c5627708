//! Polynomial commitments beside which a clock runs: while trace and quotient are extended and committed to, and during FRI's commitments.

use p3_commit::{
    BatchOpening, BatchOpeningRef, CommitmentOpening, Mmcs, OpenedValues, OpeningRequest, Pcs,
    UnivariateStarkPcs,
};
use p3_field::ExtensionField;
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::{Dimensions, Matrix};
use zkaccel_clock::Clock;

use super::config::Val;

/// Runs during all extensions and commitments of this process.
pub static CLOCK: Clock = Clock::new();

/// The same, with the clock running.
#[derive(Clone, Debug, Default)]
pub struct Timed<T>(pub T);

type Committed<P, E, C> =
    Result<(<P as Pcs<E, C>>::Commitment, <P as Pcs<E, C>>::ProverData), <P as Pcs<E, C>>::ProverError>;
type Opened<P, E, C> = Result<(OpenedValues<E>, <P as Pcs<E, C>>::Proof), <P as Pcs<E, C>>::ProverError>;

impl<P: Pcs<E, C, Domain: p3_commit::PolynomialSpace<Val = Val>>, E: ExtensionField<Val>, C> Pcs<E, C>
    for Timed<P>
{
    type Domain = P::Domain;
    type Commitment = P::Commitment;
    type ProverData = P::ProverData;
    type Proof = P::Proof;
    type Error = P::Error;
    type ProverError = P::ProverError;

    fn natural_domain_for_degree(&self, degree: usize) -> P::Domain {
        self.0.natural_domain_for_degree(degree)
    }

    fn commit(
        &self,
        evaluations: impl IntoIterator<Item = (P::Domain, RowMajorMatrix<Val>)>,
    ) -> Committed<P, E, C> {
        let _running = CLOCK.run();
        self.0.commit(evaluations)
    }

    fn open(
        &self,
        requests: Vec<OpeningRequest<'_, P::ProverData, E>>,
        challenger: &mut C,
    ) -> Opened<P, E, C> {
        self.0.open(requests, challenger)
    }

    fn verify(
        &self,
        openings: Vec<CommitmentOpening<E, P::Commitment, P::Domain>>,
        proof: &P::Proof,
        challenger: &mut C,
    ) -> Result<(), P::Error> {
        self.0.verify(openings, proof, challenger)
    }
}

impl<P, E, C> UnivariateStarkPcs<E, C> for Timed<P>
where
    P: UnivariateStarkPcs<E, C, Domain: p3_commit::PolynomialSpace<Val = Val>>,
    E: ExtensionField<Val>,
{
    type EvaluationsOnDomain<'a> = P::EvaluationsOnDomain<'a>;

    const ZK: bool = P::ZK;

    fn log_max_trace_height(&self) -> usize {
        self.0.log_max_trace_height()
    }

    fn log_min_trace_height(&self) -> usize {
        self.0.log_min_trace_height()
    }

    fn get_quotient_ldes(
        &self,
        evaluations: impl IntoIterator<Item = (P::Domain, RowMajorMatrix<Val>)>,
        chunks: usize,
    ) -> Result<Vec<RowMajorMatrix<Val>>, P::ProverError> {
        let _running = CLOCK.run();
        self.0.get_quotient_ldes(evaluations, chunks)
    }

    fn commit_ldes(&self, ldes: Vec<RowMajorMatrix<Val>>) -> Committed<P, E, C> {
        let _running = CLOCK.run();
        self.0.commit_ldes(ldes)
    }

    fn get_evaluations_on_domain<'a>(
        &self,
        data: &'a P::ProverData,
        index: usize,
        domain: P::Domain,
    ) -> P::EvaluationsOnDomain<'a> {
        self.0.get_evaluations_on_domain(data, index, domain)
    }
}

impl<S: Mmcs<Val>> Mmcs<Val> for Timed<S> {
    type ProverData<M> = S::ProverData<M>;
    type Commitment = S::Commitment;
    type Proof = S::Proof;
    type MultiProof = S::MultiProof;
    type Error = S::Error;

    fn commit<M: Matrix<Val>>(&self, inputs: Vec<M>) -> (S::Commitment, S::ProverData<M>) {
        let _running = CLOCK.run();
        self.0.commit(inputs)
    }

    fn open_batch<M: Matrix<Val>>(&self, index: usize, data: &S::ProverData<M>) -> BatchOpening<Val, Self> {
        let (values, proof) = self.0.open_batch(index, data).unpack();
        BatchOpening::new(values, proof)
    }

    fn get_matrices<'a, M: Matrix<Val>>(&self, data: &'a S::ProverData<M>) -> Vec<&'a M> {
        self.0.get_matrices(data)
    }

    fn verify_batch(
        &self,
        commit: &S::Commitment,
        dimensions: &[Dimensions],
        index: usize,
        opening: BatchOpeningRef<'_, Val, Self>,
    ) -> Result<(), S::Error> {
        let (values, proof) = opening.unpack();
        self.0.verify_batch(commit, dimensions, index, BatchOpeningRef::new(values, proof))
    }

    fn open_multi_batch<M: Matrix<Val>>(
        &self,
        indices: &[usize],
        data: &S::ProverData<M>,
    ) -> (Vec<Vec<Vec<Val>>>, S::MultiProof) {
        self.0.open_multi_batch(indices, data)
    }

    fn verify_multi_batch<R: AsRef<[Val]> + PartialEq>(
        &self,
        commit: &S::Commitment,
        dimensions: &[Dimensions],
        indices: &[usize],
        values: &[Vec<R>],
        proof: &S::MultiProof,
    ) -> Result<(), S::Error> {
        self.0.verify_multi_batch(commit, dimensions, indices, values, proof)
    }
}
