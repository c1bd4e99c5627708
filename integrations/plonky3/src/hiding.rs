//! The polynomial commitment scheme that hides: `HidingFriPcs` over `MerkleTreeHidingMmcs`, with its generators of random numbers at hand.
//!
//! The stock schemes keep their generators to themselves. Here they are shared between the stock scheme, which verifies and does what `p3_uni_stark::prove` asks for, and
//! [`prove`](crate::prove()), which draws from them what the stock prover would, in the same order.

use std::fmt;

use p3_challenger::{CanObserve, FieldChallenger, GrindingChallenger};
use p3_commit::{
    CommitmentOpening, ExtensionMmcs, OpenedValues, OpeningRequest, Pcs, PeriodicLdeTable, UnivariateStarkPcs,
};
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_field::{ExtensionField, TwoAdicField};
use p3_fri::FriParameters;
use p3_goldilocks::Goldilocks;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleCap;
use rand::{CryptoRng, SeedableRng};

use crate::dft::Dft;
use crate::hashes::Accelerated;
use crate::randomness::Shared;

/// What a `MerkleTreeHidingMmcs` is made of: a hash of rows with `SALTS` random elements behind each, and the generator of these. A clone has a generator of its own, with a seed from this one's, as a
/// clone of the stock scheme has.
pub struct Salted<H, R, const SALTS: usize> {
    pub(crate) hash: H,
    pub(crate) cap_height: usize,
    pub(crate) rng: Shared<R>,
}

impl<H: Accelerated, R: CryptoRng + SeedableRng + Send, const SALTS: usize> Salted<H, R, SALTS> {
    /// A hash, with commitments of 2^`cap_height` digests, and a generator. Salts hide rows only if its seed is unpredictable, and if there are so many that they have the
    /// bits of security asked for: with 64 in each, two or more.
    pub fn new(hash: H, cap_height: usize, rng: R) -> Self {
        Self { hash, cap_height, rng: Shared::new(rng) }
    }

    fn stock(&self) -> H::Hiding<Shared<R>, SALTS> {
        self.hash.clone().hiding(self.cap_height, self.rng.share())
    }
}

impl<H: Clone, R: CryptoRng + SeedableRng, const SALTS: usize> Clone for Salted<H, R, SALTS> {
    fn clone(&self) -> Self {
        Self { hash: self.hash.clone(), cap_height: self.cap_height, rng: self.rng.fork() }
    }
}

type Hiding<H, R, const SALTS: usize> = <H as Accelerated>::Hiding<Shared<R>, SALTS>;

/// The stock scheme.
type Stock<H, L, EF, R, const SALTS: usize> = p3_fri::HidingFriPcs<
    Goldilocks,
    Dft,
    Hiding<H, R, SALTS>,
    ExtensionMmcs<Goldilocks, EF, Hiding<L, R, SALTS>>,
    Shared<R>,
>;

/// `p3_fri::HidingFriPcs` over `MerkleTreeHidingMmcs`, whose random numbers [`prove`](crate::prove()) draws, too: rows of matrices are hashed by `H` and those of FRI's layers by `L`, each with
/// `SALTS` random elements behind it. A clone has generators of its own, with seeds from these, as a clone of the stock scheme has.
pub struct HidingFriPcs<H: Accelerated, L: Accelerated, EF, R, const SALTS: usize>
where
    R: CryptoRng + SeedableRng + Send + Sync + 'static,
{
    stock: Stock<H, L, EF, R, SALTS>,
    pub(crate) inputs: Salted<H, R, SALTS>,
    pub(crate) layers: Salted<L, R, SALTS>,
    pub(crate) fri: FriParameters<()>,
    pub(crate) num_random_codewords: usize,
    pub(crate) rng: Shared<R>,
}

/// Parameters of FRI with another scheme for its layers.
pub(crate) fn with_mmcs<M, N>(fri: &FriParameters<M>, mmcs: N) -> FriParameters<N> {
    FriParameters {
        log_blowup: fri.log_blowup,
        log_final_poly_len: fri.log_final_poly_len,
        max_log_arity: fri.max_log_arity,
        num_queries: fri.num_queries,
        batch_proof_of_work_bits: fri.batch_proof_of_work_bits,
        commit_proof_of_work_bits: fri.commit_proof_of_work_bits,
        query_proof_of_work_bits: fri.query_proof_of_work_bits,
        mmcs,
    }
}

impl<H: Accelerated, L: Accelerated, EF, R, const SALTS: usize> HidingFriPcs<H, L, EF, R, SALTS>
where
    R: CryptoRng + SeedableRng + Send + Sync + 'static,
{
    /// The scheme; parameters as for `p3_fri::HidingFriPcs`, with [`Salted`] in place of commitment schemes. The generator, of unpredictable seed, makes the rows and columns that hide a trace.
    pub fn new(
        inputs: Salted<H, R, SALTS>,
        fri: FriParameters<Salted<L, R, SALTS>>,
        num_random_codewords: usize,
        rng: R,
    ) -> Self {
        Self::with_shared(inputs, fri, num_random_codewords, Shared::new(rng))
    }

    fn with_shared(
        inputs: Salted<H, R, SALTS>,
        fri: FriParameters<Salted<L, R, SALTS>>,
        num_random_codewords: usize,
        rng: Shared<R>,
    ) -> Self {
        let parameters = with_mmcs(&fri, ExtensionMmcs::new(fri.mmcs.stock()));
        let stock =
            p3_fri::HidingFriPcs::new(Dft, inputs.stock(), parameters, num_random_codewords, rng.share());
        Self { stock, inputs, fri: with_mmcs(&fri, ()), layers: fri.mmcs, num_random_codewords, rng }
    }
}

impl<H: Accelerated, L: Accelerated, EF, R, const SALTS: usize> Clone for HidingFriPcs<H, L, EF, R, SALTS>
where
    R: CryptoRng + SeedableRng + Send + Sync + 'static,
{
    fn clone(&self) -> Self {
        let fri = with_mmcs(&self.fri, self.layers.clone());
        Self::with_shared(self.inputs.clone(), fri, self.num_random_codewords, self.rng.fork())
    }
}

impl<H: Accelerated, L: Accelerated, EF, R, const SALTS: usize> fmt::Debug
    for HidingFriPcs<H, L, EF, R, SALTS>
where
    R: CryptoRng + SeedableRng + Send + Sync + 'static,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HidingFriPcs")
            .field("log_blowup", &self.fri.log_blowup)
            .field("num_random_codewords", &self.num_random_codewords)
            .finish_non_exhaustive()
    }
}

type Of<S, EF, C> = (<S as Pcs<EF, C>>::Commitment, <S as Pcs<EF, C>>::ProverData);
type Result<T, S, EF, C> = std::result::Result<T, <S as Pcs<EF, C>>::ProverError>;
type Columns<S, EF, C> = (<S as Pcs<EF, C>>::Domain, RowMajorMatrix<Goldilocks>);
type Claims<S, EF, C> = Vec<CommitmentOpening<EF, <S as Pcs<EF, C>>::Commitment, <S as Pcs<EF, C>>::Domain>>;

impl<H, L, EF, C, R, const SALTS: usize> Pcs<EF, C> for HidingFriPcs<H, L, EF, R, SALTS>
where
    H: Accelerated,
    L: Accelerated,
    EF: TwoAdicField + ExtensionField<Goldilocks>,
    C: FieldChallenger<Goldilocks>
        + CanObserve<MerkleCap<Goldilocks, L::Digest>>
        + GrindingChallenger<Witness = Goldilocks>,
    R: CryptoRng + SeedableRng + Send + Sync + 'static,
{
    type Domain = TwoAdicMultiplicativeCoset<Goldilocks>;
    type Commitment = <Stock<H, L, EF, R, SALTS> as Pcs<EF, C>>::Commitment;
    type ProverData = <Stock<H, L, EF, R, SALTS> as Pcs<EF, C>>::ProverData;
    type Proof = <Stock<H, L, EF, R, SALTS> as Pcs<EF, C>>::Proof;
    type Error = <Stock<H, L, EF, R, SALTS> as Pcs<EF, C>>::Error;
    type ProverError = <Stock<H, L, EF, R, SALTS> as Pcs<EF, C>>::ProverError;

    fn natural_domain_for_degree(&self, degree: usize) -> Self::Domain {
        Pcs::<EF, C>::natural_domain_for_degree(&self.stock, degree)
    }

    fn commit(
        &self,
        evaluations: impl IntoIterator<Item = Columns<Self, EF, C>>,
    ) -> Result<Of<Self, EF, C>, Self, EF, C> {
        Pcs::<EF, C>::commit(&self.stock, evaluations)
    }

    fn open(
        &self,
        requests: Vec<OpeningRequest<'_, Self::ProverData, EF>>,
        challenger: &mut C,
    ) -> Result<(OpenedValues<EF>, Self::Proof), Self, EF, C> {
        self.stock.open(requests, challenger)
    }

    fn verify(
        &self,
        openings: Claims<Self, EF, C>,
        proof: &Self::Proof,
        challenger: &mut C,
    ) -> std::result::Result<(), Self::Error> {
        self.stock.verify(openings, proof, challenger)
    }
}

impl<H, L, EF, C, R, const SALTS: usize> UnivariateStarkPcs<EF, C> for HidingFriPcs<H, L, EF, R, SALTS>
where
    H: Accelerated,
    L: Accelerated,
    EF: TwoAdicField + ExtensionField<Goldilocks>,
    C: FieldChallenger<Goldilocks>
        + CanObserve<MerkleCap<Goldilocks, L::Digest>>
        + GrindingChallenger<Witness = Goldilocks>,
    R: CryptoRng + SeedableRng + Send + Sync + 'static,
{
    type EvaluationsOnDomain<'a> =
        <Stock<H, L, EF, R, SALTS> as UnivariateStarkPcs<EF, C>>::EvaluationsOnDomain<'a>;

    const ZK: bool = true;

    fn log_max_trace_height(&self) -> usize {
        UnivariateStarkPcs::<EF, C>::log_max_trace_height(&self.stock)
    }

    fn log_min_trace_height(&self) -> usize {
        UnivariateStarkPcs::<EF, C>::log_min_trace_height(&self.stock)
    }

    fn commit_preprocessing(
        &self,
        evaluations: impl IntoIterator<Item = Columns<Self, EF, C>>,
    ) -> Result<Of<Self, EF, C>, Self, EF, C> {
        UnivariateStarkPcs::<EF, C>::commit_preprocessing(&self.stock, evaluations)
    }

    fn get_quotient_ldes(
        &self,
        evaluations: impl IntoIterator<Item = Columns<Self, EF, C>>,
        num_chunks: usize,
    ) -> Result<Vec<RowMajorMatrix<Goldilocks>>, Self, EF, C> {
        UnivariateStarkPcs::<EF, C>::get_quotient_ldes(&self.stock, evaluations, num_chunks)
    }

    fn commit_ldes(&self, ldes: Vec<RowMajorMatrix<Goldilocks>>) -> Result<Of<Self, EF, C>, Self, EF, C> {
        UnivariateStarkPcs::<EF, C>::commit_ldes(&self.stock, ldes)
    }

    fn get_evaluations_on_domain<'a>(
        &self,
        data: &'a Self::ProverData,
        index: usize,
        domain: Self::Domain,
    ) -> Self::EvaluationsOnDomain<'a> {
        UnivariateStarkPcs::<EF, C>::get_evaluations_on_domain(&self.stock, data, index, domain)
    }

    fn get_evaluations_on_domain_no_random<'a>(
        &self,
        data: &'a Self::ProverData,
        index: usize,
        domain: Self::Domain,
    ) -> Self::EvaluationsOnDomain<'a> {
        UnivariateStarkPcs::<EF, C>::get_evaluations_on_domain_no_random(&self.stock, data, index, domain)
    }

    fn open_with_preprocessing(
        &self,
        requests: Vec<OpeningRequest<'_, Self::ProverData, EF>>,
        challenger: &mut C,
        preprocessed: Option<usize>,
    ) -> Result<(OpenedValues<EF>, Self::Proof), Self, EF, C> {
        self.stock.open_with_preprocessing(requests, challenger, preprocessed)
    }

    fn verify_with_preprocessing(
        &self,
        openings: Claims<Self, EF, C>,
        proof: &Self::Proof,
        challenger: &mut C,
        preprocessed: Option<usize>,
    ) -> std::result::Result<(), Self::Error> {
        self.stock.verify_with_preprocessing(openings, proof, challenger, preprocessed)
    }

    fn get_opt_randomization_poly_commitment(
        &self,
        domains: impl IntoIterator<Item = Self::Domain>,
    ) -> Result<Option<Of<Self, EF, C>>, Self, EF, C> {
        UnivariateStarkPcs::<EF, C>::get_opt_randomization_poly_commitment(&self.stock, domains)
    }

    fn build_periodic_lde_table(
        &self,
        columns: &[Vec<Goldilocks>],
        trace: Self::Domain,
        quotient: Self::Domain,
    ) -> PeriodicLdeTable<Goldilocks> {
        UnivariateStarkPcs::<EF, C>::build_periodic_lde_table(&self.stock, columns, trace, quotient)
    }
}
