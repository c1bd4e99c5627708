//! The polynomial commitment scheme: `TwoAdicFriPcs`, whose matrices are hashed where they were extended.
//!
//! Stock code hands an extension from the transforms to the commitment in host memory, so that a device gets it a second time. Here one step
//! does both on the device, and the extension comes to the host once, for openings. All else is `TwoAdicFriPcs` over [`Dft`] and [`Mmcs`].

use std::fmt;

use p3_challenger::{CanObserve, FieldChallenger, GrindingChallenger};
use p3_commit::{
    CommitmentOpening, Mmcs as P3Mmcs, OpenedValues, OpeningRequest, Pcs, PeriodicLdeTable,
    UnivariateStarkPcs,
};
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_field::{ExtensionField, Field};
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_goldilocks::Goldilocks;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use crate::dft::{self, Dft};
use crate::done;
use crate::hashes::Accelerated;
use crate::mmcs::Mmcs;

type Stock<H, FriMmcs> = TwoAdicFriPcs<Goldilocks, Dft, Mmcs<H>, FriMmcs>;
type Result<T, S, Challenge, Challenger> =
    std::result::Result<T, <S as Pcs<Challenge, Challenger>>::ProverError>;

/// `TwoAdicFriPcs<Goldilocks, Dft, Mmcs<H>, FriMmcs>`, by the engine of the process and with one copy less.
#[derive(Clone)]
pub struct FriPcs<H: Accelerated, FriMmcs> {
    stock: Stock<H, FriMmcs>,
    mmcs: Mmcs<H>,
    fri: FriParameters<FriMmcs>,
}

impl<H: Accelerated, FriMmcs: Clone> FriPcs<H, FriMmcs> {
    /// The scheme over a commitment to matrices; parameters as for `TwoAdicFriPcs`.
    pub fn new(mmcs: Mmcs<H>, fri: FriParameters<FriMmcs>) -> Self {
        Self { stock: TwoAdicFriPcs::new(Dft, mmcs.clone(), fri.clone()), mmcs, fri }
    }
}

impl<H: Accelerated, FriMmcs> FriPcs<H, FriMmcs> {
    /// The parameters of FRI.
    pub(crate) fn parameters(&self) -> &FriParameters<FriMmcs> {
        &self.fri
    }

    /// The height of the caps of commitments.
    pub(crate) fn cap_height(&self) -> usize {
        self.mmcs.cap_height()
    }
}

impl<H: Accelerated, FriMmcs> fmt::Debug for FriPcs<H, FriMmcs> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FriPcs").field("log_blowup", &self.fri.log_blowup).finish_non_exhaustive()
    }
}

impl<H, FriMmcs, Challenge, Challenger> Pcs<Challenge, Challenger> for FriPcs<H, FriMmcs>
where
    H: Accelerated,
    <H::Stock as P3Mmcs<Goldilocks>>::MultiProof: Sync,
    FriMmcs: P3Mmcs<Challenge>,
    Challenge: ExtensionField<Goldilocks>,
    Challenger: FieldChallenger<Goldilocks>
        + CanObserve<FriMmcs::Commitment>
        + GrindingChallenger<Witness = Goldilocks>,
{
    type Domain = TwoAdicMultiplicativeCoset<Goldilocks>;
    type Commitment = <Stock<H, FriMmcs> as Pcs<Challenge, Challenger>>::Commitment;
    type ProverData = <Stock<H, FriMmcs> as Pcs<Challenge, Challenger>>::ProverData;
    type Proof = <Stock<H, FriMmcs> as Pcs<Challenge, Challenger>>::Proof;
    type Error = <Stock<H, FriMmcs> as Pcs<Challenge, Challenger>>::Error;
    type ProverError = <Stock<H, FriMmcs> as Pcs<Challenge, Challenger>>::ProverError;

    fn natural_domain_for_degree(&self, degree: usize) -> Self::Domain {
        Pcs::<Challenge, Challenger>::natural_domain_for_degree(&self.stock, degree)
    }

    fn commit(
        &self,
        evaluations: impl IntoIterator<Item = (Self::Domain, RowMajorMatrix<Goldilocks>)>,
    ) -> Result<(Self::Commitment, Self::ProverData), Stock<H, FriMmcs>, Challenge, Challenger> {
        let evaluations: Vec<_> = evaluations.into_iter().collect();
        // Rows of one height are hashed side by side: those of matrices that share a height are gathered on the host.
        let heights: Vec<usize> = evaluations.iter().map(|(_, matrix)| matrix.height()).collect();
        let is_alone = |height| heights.iter().filter(|&&other| other == height).count() == 1;
        let extended = evaluations.into_iter().map(|(domain, matrix)| {
            assert_eq!(domain.size(), matrix.height(), "points of the domain, rows of the matrix");
            let shift = Goldilocks::GENERATOR / domain.shift();
            let is_alone = is_alone(matrix.height());
            done(dft::extend_and_hash::<H>(matrix, self.fri.log_blowup, shift, is_alone))
        });
        let (matrices, digests) = extended.unzip();
        Ok(self.mmcs.commit_hashed(matrices, digests))
    }

    fn open(
        &self,
        requests: Vec<OpeningRequest<'_, Self::ProverData, Challenge>>,
        challenger: &mut Challenger,
    ) -> Result<(OpenedValues<Challenge>, Self::Proof), Stock<H, FriMmcs>, Challenge, Challenger> {
        self.stock.open(requests, challenger)
    }

    fn verify(
        &self,
        openings: Vec<CommitmentOpening<Challenge, Self::Commitment, Self::Domain>>,
        proof: &Self::Proof,
        challenger: &mut Challenger,
    ) -> std::result::Result<(), Self::Error> {
        self.stock.verify(openings, proof, challenger)
    }
}

impl<H, FriMmcs, Challenge, Challenger> UnivariateStarkPcs<Challenge, Challenger> for FriPcs<H, FriMmcs>
where
    H: Accelerated,
    <H::Stock as P3Mmcs<Goldilocks>>::MultiProof: Sync,
    FriMmcs: P3Mmcs<Challenge>,
    Challenge: ExtensionField<Goldilocks>,
    Challenger: FieldChallenger<Goldilocks>
        + CanObserve<FriMmcs::Commitment>
        + GrindingChallenger<Witness = Goldilocks>,
{
    type EvaluationsOnDomain<'a> =
        <Stock<H, FriMmcs> as UnivariateStarkPcs<Challenge, Challenger>>::EvaluationsOnDomain<'a>;

    const ZK: bool = false;

    fn log_max_trace_height(&self) -> usize {
        UnivariateStarkPcs::<Challenge, Challenger>::log_max_trace_height(&self.stock)
    }

    fn log_min_trace_height(&self) -> usize {
        UnivariateStarkPcs::<Challenge, Challenger>::log_min_trace_height(&self.stock)
    }

    fn get_quotient_ldes(
        &self,
        evaluations: impl IntoIterator<Item = (Self::Domain, RowMajorMatrix<Goldilocks>)>,
        num_chunks: usize,
    ) -> Result<Vec<RowMajorMatrix<Goldilocks>>, Stock<H, FriMmcs>, Challenge, Challenger> {
        UnivariateStarkPcs::<Challenge, Challenger>::get_quotient_ldes(&self.stock, evaluations, num_chunks)
    }

    fn commit_ldes(
        &self,
        ldes: Vec<RowMajorMatrix<Goldilocks>>,
    ) -> Result<(Self::Commitment, Self::ProverData), Stock<H, FriMmcs>, Challenge, Challenger> {
        UnivariateStarkPcs::<Challenge, Challenger>::commit_ldes(&self.stock, ldes)
    }

    fn get_evaluations_on_domain<'a>(
        &self,
        data: &'a Self::ProverData,
        index: usize,
        domain: Self::Domain,
    ) -> Self::EvaluationsOnDomain<'a> {
        UnivariateStarkPcs::<Challenge, Challenger>::get_evaluations_on_domain(
            &self.stock,
            data,
            index,
            domain,
        )
    }

    fn build_periodic_lde_table(
        &self,
        columns: &[Vec<Goldilocks>],
        trace: Self::Domain,
        quotient: Self::Domain,
    ) -> PeriodicLdeTable<Goldilocks> {
        UnivariateStarkPcs::<Challenge, Challenger>::build_periodic_lde_table(
            &self.stock,
            columns,
            trace,
            quotient,
        )
    }
}
