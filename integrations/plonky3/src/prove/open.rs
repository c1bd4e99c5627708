//! The opening of commitments, with the transcript of `TwoAdicFriPcs`.

use p3_challenger::{CanObserve, FieldChallenger, GrindingChallenger};
use p3_commit::OpenedValues;
use p3_field::{ExtensionField, PrimeCharacteristicRing};
use p3_fri::{BatchMultiOpening, FriParameters, FriProof, PcsProverTranscript, PcsShape};
use p3_goldilocks::Goldilocks;
use p3_merkle_tree::MerkleCap;
use tracing::info_span;
use zkaccel::Error;
use zkaccel_proofs::Memory;

use super::LayerMmcs;
use super::columns::Columns;
use super::commitment::Commitment;
use super::fri;
use super::points::{Points, Round};
use crate::hashes::Accelerated;
use crate::mmcs::Mmcs;

/// One commitment's openings.
pub(super) struct Request<'a, H: Accelerated> {
    pub(super) commitment: &'a Commitment<H>,
    /// The number of columns of each matrix that it is to.
    pub(super) widths: Vec<usize>,
    /// The points at which each is opened, by their indices; several only for a matrix alone.
    pub(super) points: Vec<usize>,
}

/// FRI's proof of openings.
pub(super) type OpeningProof<H, L, EF> =
    FriProof<EF, LayerMmcs<EF, L>, Goldilocks, Vec<BatchMultiOpening<Goldilocks, Mmcs<H>>>>;

/// The values of all matrices at their points, and the proof of it.
pub(super) type Opened<H, L, EF> = (OpenedValues<EF>, OpeningProof<H, L, EF>);

/// Opens all matrices at their points.
pub(super) fn open<H, L, EF, C>(
    memory: Memory<'_>,
    parameters: &FriParameters<LayerMmcs<EF, L>>,
    layer_cap_height: usize,
    columns: &Columns,
    points: Vec<EF>,
    requests: &[Request<'_, H>],
    challenger: &mut C,
) -> Result<Opened<H, L, EF>, Error>
where
    H: Accelerated,
    L: Accelerated,
    EF: ExtensionField<Goldilocks>,
    C: FieldChallenger<Goldilocks>
        + GrindingChallenger<Witness = Goldilocks>
        + CanObserve<MerkleCap<Goldilocks, L::Digest>>,
{
    let span = info_span!("openings").entered();
    let rounds: Vec<Round<'_>> = requests.iter().map(Request::round).collect();
    let points = Points::new(memory, columns, points)?;
    let opened = points.evaluate(&rounds)?;
    let shape = PcsShape::from_opened_values(parameters, &opened);
    let mut transcript = PcsProverTranscript::<C, Goldilocks, EF>::new(challenger, shape);
    transcript.claimed_openings(&opened);
    let (alpha, batch_pow_witness) = transcript.batch_phase();
    let layer = points.combine(&rounds, &opened, alpha);
    drop(span);
    let folded = transcript.delegate(|challenger| {
        let _span = info_span!("fri").entered();
        let roots = &columns.inverse_roots;
        fri::fold::<EF, L, _, _>(memory, parameters, layer_cap_height, layer?, roots, challenger)
    });
    match folded {
        Ok(_) => transcript.finish(),
        Err(_) => transcript.abort(),
    }
    let folded = folded?;

    let _span = info_span!("queries").entered();
    let input_openings =
        requests.iter().map(|request| request.open(&folded.indices)).collect::<Result<Vec<_>, _>>()?;
    let commit_phase_openings = folded.open()?;
    let proof = FriProof {
        batch_pow_witness: batch_pow_witness.unwrap_or(Goldilocks::ZERO),
        commit_phase_commits: folded.commitments,
        commit_pow_witnesses: folded.pow_witnesses,
        input_openings,
        commit_phase_openings,
        final_poly: folded.final_polynomial,
        query_pow_witness: folded.query_pow_witness,
    };
    Ok((opened, proof))
}

impl<H: Accelerated> Request<'_, H> {
    fn round(&self) -> Round<'_> {
        let Self { commitment, widths, points } = self;
        Round { matrix: &commitment.matrix, widths: widths.clone(), points: points.clone() }
    }

    /// The rows that are queried.
    fn open(&self, indices: &[usize]) -> Result<BatchMultiOpening<Goldilocks, Mmcs<H>>, Error> {
        let (rows, opening_proof) = self.commitment.open(indices)?;
        let divide = |row: Vec<Goldilocks>| {
            let mut rest = row.into_iter();
            self.widths.iter().map(|&width| rest.by_ref().take(width).collect()).collect()
        };
        Ok(BatchMultiOpening { opened_values: rows.into_iter().map(divide).collect(), opening_proof })
    }
}
