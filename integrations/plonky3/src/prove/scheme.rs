//! The polynomial commitment schemes by which proofs are made, and their forms of an opening proof.

use p3_challenger::{CanObserve, FieldChallenger, GrindingChallenger};
use p3_commit::{Mmcs as P3Mmcs, OpenedValues, Pcs, UnivariateStarkPcs};
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_field::{ExtensionField, TwoAdicField};
use p3_fri::{BatchMultiOpening, CommitPhaseMultiStep, FriParameters, FriProof};
use p3_goldilocks::Goldilocks;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleCap;
use rand::{CryptoRng, SeedableRng};

use super::LayerMmcs;
use super::commitment::OpenedRows;
use super::masks::{Masks, Salts};
use crate::hashes::Accelerated;
use crate::hiding::{HidingFriPcs, with_mmcs};
use crate::pcs::FriPcs;

/// A polynomial commitment scheme by whose configurations proofs are made in the engine's memory: [`FriPcs`](crate::FriPcs), and
/// [`HidingFriPcs`](crate::HidingFriPcs) for zero knowledge.
pub trait Scheme<EF, C>:
    UnivariateStarkPcs<
        EF,
        C,
        Domain = TwoAdicMultiplicativeCoset<Goldilocks>,
        Commitment = MerkleCap<Goldilocks, <<Self as Scheme<EF, C>>::Inputs as Accelerated>::Digest>,
    >
where
    EF: ExtensionField<Goldilocks>,
{
    /// The hash of rows of matrices.
    type Inputs: Accelerated;
    /// The hash of FRI's layers.
    type Layers: Accelerated;

    /// What a prover is to know of it.
    #[doc(hidden)]
    fn terms(&self) -> Terms;

    /// The proof of openings.
    #[doc(hidden)]
    fn proof(openings: Openings<EF, Self::Inputs, Self::Layers>) -> <Self as Pcs<EF, C>>::Proof;
}

/// The parameters of a scheme.
#[derive(Clone)]
pub struct Terms {
    pub(super) fri: FriParameters<()>,
    /// The height of the caps of commitments.
    pub(super) cap_height: usize,
    /// That of FRI's commitments.
    pub(super) layer_cap_height: usize,
    /// What hides a trace, if anything does.
    pub(super) masks: Option<Masks>,
}

/// The openings of a layer of FRI.
pub struct OpenedLayer<EF, L: Accelerated> {
    /// For each query the values beside the one that is folded from before.
    pub(super) siblings: Vec<Vec<EF>>,
    /// The rows, of which the values are in `siblings`.
    pub(super) rows: OpenedRows<L>,
}

/// Openings, and what proves them.
pub struct Openings<EF, H: Accelerated, L: Accelerated> {
    /// The values of random columns.
    pub(super) hidden: OpenedValues<EF>,
    pub(super) batch_pow_witness: Goldilocks,
    pub(super) commitments: Vec<MerkleCap<Goldilocks, L::Digest>>,
    pub(super) commit_pow_witnesses: Vec<Goldilocks>,
    pub(super) inputs: Vec<OpenedRows<H>>,
    pub(super) layers: Vec<OpenedLayer<EF, L>>,
    pub(super) final_polynomial: Vec<EF>,
    pub(super) query_pow_witness: Goldilocks,
}

impl<EF: ExtensionField<Goldilocks>, H: Accelerated, L: Accelerated> Openings<EF, H, L> {
    /// The proof by FRI, where opened rows are proved by what is made of their salts and siblings.
    fn proof<I, M>(
        self,
        input: impl Fn(Salted<H>) -> I::MultiProof,
        layer: impl Fn(Salted<L>) -> M::MultiProof,
    ) -> FriProof<EF, M, Goldilocks, Vec<BatchMultiOpening<Goldilocks, I>>>
    where
        I: P3Mmcs<Goldilocks>,
        M: P3Mmcs<EF, Commitment = MerkleCap<Goldilocks, L::Digest>>,
    {
        let inputs = self.inputs.into_iter().map(|rows| BatchMultiOpening {
            opened_values: rows.values,
            opening_proof: input((rows.salts, H::pruned(rows.siblings))),
        });
        let layers = self.layers.into_iter().map(|opened| CommitPhaseMultiStep {
            sibling_values: opened.siblings,
            opening_proof: layer((opened.rows.salts, L::pruned(opened.rows.siblings))),
        });
        FriProof {
            batch_pow_witness: self.batch_pow_witness,
            commit_phase_commits: self.commitments,
            commit_pow_witnesses: self.commit_pow_witnesses,
            input_openings: inputs.collect(),
            commit_phase_openings: layers.collect(),
            final_poly: self.final_polynomial,
            query_pow_witness: self.query_pow_witness,
        }
    }
}

/// Salts of rows, and what leads to them.
type Salted<H> = (Vec<Vec<Vec<Goldilocks>>>, <<H as Accelerated>::Stock as P3Mmcs<Goldilocks>>::MultiProof);

impl<H, L, EF, C> Scheme<EF, C> for FriPcs<H, LayerMmcs<EF, L>>
where
    H: Accelerated,
    L: Accelerated,
    EF: ExtensionField<Goldilocks>,
    C: FieldChallenger<Goldilocks>
        + CanObserve<MerkleCap<Goldilocks, L::Digest>>
        + GrindingChallenger<Witness = Goldilocks>,
{
    type Inputs = H;
    type Layers = L;

    fn terms(&self) -> Terms {
        let fri = self.parameters();
        Terms {
            fri: with_mmcs(fri, ()),
            cap_height: self.cap_height(),
            layer_cap_height: cap_height(&fri.mmcs),
            masks: None,
        }
    }

    fn proof(openings: Openings<EF, H, L>) -> <Self as Pcs<EF, C>>::Proof {
        openings.proof(|(_, siblings)| siblings, |(_, siblings)| siblings)
    }
}

impl<H, L, EF, C, R, const SALTS: usize> Scheme<EF, C> for HidingFriPcs<H, L, EF, R, SALTS>
where
    H: Accelerated,
    L: Accelerated,
    EF: TwoAdicField + ExtensionField<Goldilocks>,
    C: FieldChallenger<Goldilocks>
        + CanObserve<MerkleCap<Goldilocks, L::Digest>>
        + GrindingChallenger<Witness = Goldilocks>,
    R: CryptoRng + SeedableRng + Send + Sync + 'static,
{
    type Inputs = H;
    type Layers = L;

    fn terms(&self) -> Terms {
        Terms {
            fri: self.fri.clone(),
            cap_height: self.inputs.cap_height,
            layer_cap_height: self.layers.cap_height,
            masks: Some(Masks {
                codewords: self.num_random_codewords,
                columns: self.rng.random(),
                inputs: Salts { count: SALTS, rng: self.inputs.rng.random() },
                layers: Salts { count: SALTS, rng: self.layers.rng.random() },
            }),
        }
    }

    fn proof(mut openings: Openings<EF, H, L>) -> <Self as Pcs<EF, C>>::Proof {
        (std::mem::take(&mut openings.hidden), openings.proof(|salted| salted, |salted| salted))
    }
}

/// The height of the caps of a scheme for matrices over an extension, which does not tell it: small trees have lower ones.
fn cap_height<EF: ExtensionField<Goldilocks>, L: Accelerated>(mmcs: &LayerMmcs<EF, L>) -> usize {
    let height = |log_rows: &usize| {
        let rows = RowMajorMatrix::new_col(EF::zero_vec(1 << log_rows));
        mmcs.commit_matrix(rows).0.height()
    };
    (0..).find(|log_rows| height(&(log_rows + 1)) == *log_rows).expect("a finite height")
}
