//! Synthesis, and commitments to advice.
//!
//! Of several circuits halo2-axiom 0.5.3 absorbs the public values of each before its advice, and its verifier those of all before any advice, so that it refuses its own proofs of several circuits with
//! public values. Here they are absorbed in the verifier's order, which for one circuit is the same.

use halo2_axiom::halo2curves::bn256;
use halo2_axiom::plonk::{Circuit, ConstraintSystem};
use halo2_axiom::transcript::{EncodedChallenge, TranscriptWrite};
use rand_core::RngCore;
use zkaccel::Error;
use zkaccel::bn254::Fr;
use zkaccel::program::Builder;
use zkaccel::resident::DeviceMatrix;

use super::arguments::random;
use super::convert::{concatenated_slices, slice};
use super::error::ProveError;
use super::run::{Run, write_points};
use super::witness;
use crate::constraints::programs::MATRICES;

/// Columns in the engine's memory.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    pub(super) values: DeviceMatrix<Fr>,
    pub(super) coefficients: DeviceMatrix<Fr>,
}

/// The witness of a circuit: what there is of advice and of instances.
#[derive(Debug)]
pub(super) struct Witness {
    pub(super) advice: Option<Columns>,
    pub(super) instances: Option<Columns>,
}

impl Witness {
    /// The values of advice.
    pub(super) fn advice(&self) -> Option<&DeviceMatrix<Fr>> {
        self.advice.as_ref().map(|columns| &columns.values)
    }

    /// Those of instances.
    pub(super) fn instances(&self) -> Option<&DeviceMatrix<Fr>> {
        self.instances.as_ref().map(|columns| &columns.values)
    }
}

/// Absorbs the public values of all circuits.
pub(super) fn absorb_instances<E, T>(
    instances: &[&[&[bn256::Fr]]],
    transcript: &mut T,
) -> Result<(), ProveError>
where
    E: EncodedChallenge<bn256::G1Affine>,
    T: TranscriptWrite<bn256::G1Affine, E>,
{
    for value in instances.iter().copied().flatten().copied().flatten() {
        transcript.common_scalar(*value)?;
    }
    Ok(())
}

/// Runs the phases of a circuit, as halo2 does: the transcript has its commitments afterwards. The challenges of the circuit come with the witness.
pub(super) fn synthesize<E, R, T, C>(
    run: &Run<'_>,
    system: &ConstraintSystem<bn256::Fr>,
    circuit: &C,
    instances: &[&[bn256::Fr]],
    rng: &mut R,
    transcript: &mut T,
) -> Result<(Witness, Vec<bn256::Fr>), ProveError>
where
    E: EncodedChallenge<bn256::G1Affine>,
    R: RngCore,
    T: TranscriptWrite<bn256::G1Affine, E>,
    C: Circuit<bn256::Fr>,
{
    let (residence, n) = (run.residence, run.key.domain.size());
    let of_challenges = system.challenge_phase();
    let mut phases: Vec<Columns> = Vec::new();
    let mut end_phase = |phase: usize, mut values: Vec<bn256::Fr>, challenges: &mut [Option<bn256::Fr>]| {
        let tail = run.key.layout.blinding + 1;
        for column in values.chunks_mut(n) {
            column[n - tail..].fill_with(|| <bn256::Fr as ff::Field>::random(&mut *rng));
        }
        // Blinds of commitments, which KZG does not use.
        random(rng, values.len() / n);
        if !values.is_empty() {
            let values = residence.bring_borrowed(slice(&values), n)?;
            let coefficients = residence.coefficients(&run.key.domain, &values)?;
            write_points(transcript, &run.commit(&coefficients)?)?;
            phases.push(Columns { values, coefficients });
        }
        for (challenge, _) in
            challenges.iter_mut().zip(&of_challenges).filter(|(_, of)| usize::from(**of) == phase)
        {
            *challenge = Some(*transcript.squeeze_challenge_scalar::<()>());
        }
        Ok(())
    };
    let challenges = witness::run(system, n, circuit, instances, &mut end_phase)?;
    let advice = match phases.len() {
        0 | 1 => phases.pop(),
        _ => {
            let order = order(&system.advice_column_phase());
            let [values, coefficients] = [
                |columns: &Columns| columns.values.clone(),
                |columns: &Columns| columns.coefficients.clone(),
            ]
            .map(|part| in_order(run, &phases.iter().map(part).collect::<Vec<_>>(), &order));
            Some(Columns { values: values?, coefficients: coefficients? })
        }
    };
    let instances = match instances.is_empty() {
        true => None,
        false => {
            let values = residence.bring_columns(concatenated_slices(instances, n), n)?;
            let coefficients = residence.coefficients(&run.key.domain, &values)?;
            Some(Columns { values, coefficients })
        }
    };
    Ok((Witness { advice, instances }, challenges))
}

/// For each column its matrix among those of phases that have columns, and its place there.
fn order(phases: &[u8]) -> Vec<(usize, usize)> {
    let mut present: Vec<u8> = phases.to_vec();
    present.sort_unstable();
    present.dedup();
    let mut counts = vec![0; present.len()];
    let places = phases.iter().map(|phase| {
        let matrix = present.binary_search(phase).expect("one of them");
        counts[matrix] += 1;
        (matrix, counts[matrix] - 1)
    });
    places.collect()
}

/// The columns of the phases' matrices, of which there are at most three, in the order of the circuit.
fn in_order(
    run: &Run<'_>,
    matrices: &[DeviceMatrix<Fr>],
    order: &[(usize, usize)],
) -> Result<DeviceMatrix<Fr>, Error> {
    assert!(matrices.len() <= MATRICES);
    let mut builder = Builder::new();
    for &(matrix, column) in order {
        let node = builder.column(matrix, column, 0);
        builder.output(node);
    }
    let inputs: Vec<_> = matrices.iter().collect();
    run.residence.engine.run_program(&builder.finish()?, run.key.domain.rows, &inputs, &[])
}
