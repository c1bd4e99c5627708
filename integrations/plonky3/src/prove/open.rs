//! The opening of commitments, with the transcript of `TwoAdicFriPcs`.

use p3_challenger::{CanObserve, FieldChallenger, GrindingChallenger};
use p3_commit::OpenedValues;
use p3_field::{ExtensionField, PrimeCharacteristicRing};
use p3_fri::{PcsProverTranscript, PcsShape};
use p3_goldilocks::Goldilocks;
use p3_merkle_tree::MerkleCap;
use tracing::info_span;
use zkaccel::Error;
use zkaccel_proofs::Memory;

use super::columns::Columns;
use super::commitment::Commitment;
use super::fri;
use super::points::{Points, Round};
use super::scheme::{Openings, Terms};
use crate::hashes::Accelerated;

/// One commitment's openings.
pub(super) struct Request<'a, H: Accelerated> {
    pub(super) commitment: &'a Commitment<H>,
    /// The points at which each of its matrices is opened, by their indices; several only for a matrix alone.
    pub(super) points: Vec<usize>,
    /// The number of each matrix' last columns that are random.
    pub(super) codewords: usize,
}

/// The values of all matrices at their points, without those of random columns, and the proof of all.
pub(super) type Opened<EF, H, L> = (OpenedValues<EF>, Openings<EF, H, L>);

/// Opens all matrices at their points.
pub(super) fn open<H, L, EF, C>(
    memory: Memory<'_>,
    terms: &Terms,
    columns: &Columns,
    points: Vec<EF>,
    requests: &[Request<'_, H>],
    challenger: &mut C,
) -> Result<Opened<EF, H, L>, Error>
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
    let mut opened = points.evaluate(&rounds)?;
    let shape = PcsShape::from_opened_values(&terms.fri, &opened);
    let mut transcript = PcsProverTranscript::<C, Goldilocks, EF>::new(challenger, shape);
    transcript.claimed_openings(&opened);
    let (alpha, batch_pow_witness) = transcript.batch_phase();
    let layer = points.combine(&rounds, &opened, alpha);
    drop(span);
    let folded = transcript.delegate(|challenger| {
        let _span = info_span!("fri").entered();
        fri::fold::<EF, L, _>(memory, terms, layer?, &columns.inverse_roots, challenger)
    });
    match folded {
        Ok(_) => transcript.finish(),
        Err(_) => transcript.abort(),
    }
    let folded = folded?;

    let _span = info_span!("queries").entered();
    let inputs = requests.iter().map(|request| request.commitment.open(&folded.indices));
    let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    let layers = folded.open()?;
    let hidden = requests.iter().zip(&mut opened).map(|(request, round)| {
        let mut divide = |values: &mut Vec<EF>| values.split_off(values.len() - request.codewords);
        round.iter_mut().map(|matrix| matrix.iter_mut().map(&mut divide).collect()).collect()
    });
    let openings = Openings {
        hidden: hidden.collect(),
        batch_pow_witness: batch_pow_witness.unwrap_or(Goldilocks::ZERO),
        commitments: folded.commitments,
        commit_pow_witnesses: folded.pow_witnesses,
        inputs,
        layers,
        final_polynomial: folded.final_polynomial,
        query_pow_witness: folded.query_pow_witness,
    };
    Ok((opened, openings))
}

impl<H: Accelerated> Request<'_, H> {
    fn round(&self) -> Round<'_> {
        let Commitment { matrix, widths, salts, .. } = self.commitment;
        Round { matrix, widths, salts: *salts, points: self.points.clone() }
    }
}
