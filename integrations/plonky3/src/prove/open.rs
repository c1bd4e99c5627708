//! The opening of commitments, with the transcript of `TwoAdicFriPcs`.

use std::collections::BTreeMap;
use std::sync::Arc;

use p3_challenger::{CanObserve, FieldChallenger, GrindingChallenger};
use p3_commit::OpenedValues;
use p3_field::{ExtensionField, PrimeCharacteristicRing, TwoAdicField};
use p3_fri::{PcsProverTranscript, PcsShape};
use p3_goldilocks::Goldilocks;
use p3_merkle_tree::MerkleCap;
use rayon::prelude::*;
use tracing::info_span;
use zkaccel::Error;
use zkaccel_proofs::Memory;

use super::columns::Columns;
use super::commitment::{Commitment, Part};
use super::fri;
use super::points::{Points, Round};
use super::scheme::{Openings, Terms};
use crate::hashes::Accelerated;

/// One commitment's openings.
pub(super) struct Request<'a, H: Accelerated> {
    pub(super) commitment: &'a Commitment<H>,
    /// For each of its parts, whether it is opened at the next row's point, too: only one that is a matrix alone.
    pub(super) next: Vec<bool>,
    /// The number of each matrix' last columns that are random.
    pub(super) codewords: usize,
}

/// The values of all matrices at their points, without those of random columns, and the proof of all.
pub(super) type Opened<EF, H, L> = (OpenedValues<EF>, Openings<EF, H, L>);

/// Matrices of one height, of all commitments.
struct Group<'a, EF> {
    columns: &'a Columns,
    points: Points<'a, EF>,
    rounds: Vec<Round<'a>>,
    opened: OpenedValues<EF>,
}

/// Opens all matrices at a point, and where requests say so at that of the next row, which depends on the height. `columns` has some for every height.
pub(super) fn open<H, L, EF, C>(
    memory: Memory<'_>,
    terms: &Terms,
    columns: &[Arc<Columns>],
    zeta: EF,
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
    let groups = groups(memory, columns, zeta, requests)?;
    // In the order of commitments and of their matrices.
    let mut of_groups: Vec<_> = groups.iter().map(|group| group.opened.iter()).collect();
    let mut take = |part: &Part| {
        let group = groups.iter().position(|group| group.columns.sizes.log_extended() == part.log_rows());
        of_groups[group.expect("a height of a group")].next().expect("values of every part").clone()
    };
    let of_request = |request: &Request<'_, H>| request.commitment.parts.iter().flat_map(&mut take).collect();
    let mut opened: OpenedValues<EF> = requests.iter().map(of_request).collect();
    let shape = PcsShape::from_opened_values(&terms.fri, &opened);
    let mut transcript = PcsProverTranscript::<C, Goldilocks, EF>::new(challenger, shape);
    transcript.claimed_openings(&opened);
    let (alpha, batch_pow_witness) = transcript.batch_phase();
    let combine = |group: &Group<'_, EF>| group.points.combine(&group.rounds, &group.opened, alpha);
    let layers: Result<Vec<_>, _> = groups.iter().map(combine).collect();
    let tallest = groups[0].columns;
    drop(groups);
    drop(span);
    let folded = transcript.delegate(|challenger| {
        let _span = info_span!("fri").entered();
        fri::fold::<EF, L, _>(memory, terms, layers?, &tallest.inverse_roots, challenger)
    });
    match folded {
        Ok(_) => transcript.finish(),
        Err(_) => transcript.abort(),
    }
    let folded = folded?;

    let _span = info_span!("queries").entered();
    let log_tallest = tallest.sizes.log_extended();
    let open = |request: &Request<'_, H>| {
        let above = log_tallest - request.commitment.log_rows();
        request.commitment.open(&folded.indices.iter().map(|index| index >> above).collect::<Vec<_>>())
    };
    // A device takes longest to answer, so all are asked for at once.
    let (inputs, layers) =
        rayon::join(|| requests.par_iter().map(open).collect::<Result<Vec<_>, _>>(), || folded.open());
    let (inputs, layers) = (inputs?, layers?);
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

/// The matrices of each height, from the tallest down, with their values.
fn groups<'a, H: Accelerated, EF: ExtensionField<Goldilocks>>(
    memory: Memory<'a>,
    columns: &'a [Arc<Columns>],
    zeta: EF,
    requests: &'a [Request<'_, H>],
) -> Result<Vec<Group<'a, EF>>, Error> {
    let mut of_heights: BTreeMap<usize, &'a Columns> = BTreeMap::new();
    for columns in columns {
        of_heights.entry(columns.sizes.log_extended()).or_insert(columns);
    }
    let group = |(log_rows, columns): (usize, &'a Columns)| {
        let parts = requests.iter().flat_map(|request| request.commitment.parts.iter().zip(&request.next));
        let parts = parts.filter(|(part, _)| part.log_rows() == log_rows);
        let rounds = parts.map(|(Part { matrix, widths, salts }, &next)| Round {
            matrix,
            widths,
            salts: *salts,
            points: if next { vec![0, 1] } else { vec![0] },
        });
        let rounds: Vec<_> = rounds.collect();
        let zeta_next = zeta * Goldilocks::two_adic_generator(columns.sizes.log_rows);
        let next = rounds.iter().any(|round| round.points.len() > 1);
        let points = if next { vec![zeta, zeta_next] } else { vec![zeta] };
        let points = Points::new(memory, columns, points)?;
        let opened = points.evaluate(&rounds)?;
        Ok(Group { columns, points, rounds, opened })
    };
    of_heights.into_iter().rev().map(group).collect()
}
