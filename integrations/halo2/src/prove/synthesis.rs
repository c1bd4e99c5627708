//! Synthesis by halo2 itself, with commitments to advice by the engine.
//!
//! halo2's `synthesize_witness` runs a circuit's phases with any commitment scheme. This one is KZG's, as far as synthesis asks: it keeps what it has committed to in the engine's memory, by
//! the address of the values, which halo2 hands over without copying them.
//!
//! Of several circuits halo2-axiom 0.5.3 absorbs the public values of each before its advice, and its verifier those of all before any advice, so that it refuses its own proofs of several circuits with
//! public values. Here they are absorbed in the verifier's order, which for one circuit is the same.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use halo2_axiom::halo2curves::bn256::{self, Bn256};
use halo2_axiom::plonk::{Circuit, ProvingKey, synthesize_witness};
use halo2_axiom::poly::commitment::{Blind, CommitmentScheme, Params, ParamsProver, ParamsVerifier, Prover};
use halo2_axiom::poly::kzg::commitment::ParamsKZG;
use halo2_axiom::poly::kzg::msm::MSMKZG;
use halo2_axiom::poly::{Coeff, LagrangeCoeff, Polynomial, ProverQuery};
use halo2_axiom::transcript::{EncodedChallenge, Transcript, TranscriptWrite};
use rand_core::RngCore;
use zkaccel::Error;
use zkaccel::bn254::Fr;
use zkaccel::matrix::{Layout, MatrixRef, Shape};
use zkaccel::resident::DeviceMatrix;

use super::convert::{concatenated, slice, sum};
use super::error::ProveError;
use super::key::Key;
use super::place::Place;
use crate::lock;

/// A polynomial in the engine's memory.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) values: DeviceMatrix<Fr>,
    pub(super) coefficients: DeviceMatrix<Fr>,
}

/// The witness of a circuit.
pub(super) struct Witness {
    /// Advice and instances, if there are any.
    pub(super) columns: Option<Column>,
}

/// Runs the phases of circuits, as halo2 does: the transcript has their commitments afterwards. The challenges of the circuit come with the witnesses.
///
/// What a circuit gets wrong panics in halo2's way.
pub(super) fn synthesize<E, R, T, C>(
    (key, place): (&Arc<Key>, &Arc<Place>),
    params: &ParamsKZG<Bn256>,
    proving_key: &ProvingKey<bn256::G1Affine>,
    circuits: &[C],
    instances: &[&[&[bn256::Fr]]],
    rng: R,
    transcript: &mut T,
) -> Result<(Vec<Witness>, Vec<bn256::Fr>), ProveError>
where
    E: EncodedChallenge<bn256::G1Affine>,
    R: RngCore,
    T: TranscriptWrite<bn256::G1Affine, E>,
    C: Circuit<bn256::Fr>,
{
    let recorder = Recorder(Arc::new(Recording {
        key: key.clone(),
        place: place.clone(),
        powers: params.get_g().to_vec(),
        columns: Mutex::default(),
        failed: Mutex::default(),
    }));
    let mut transcript = InstancesFirst { transcript, instances: Some(instances) };
    let (instances, advice, challenges) = synthesize_witness::<Scheme, Synthesis, E, R, _, C>(
        &recorder,
        proving_key,
        circuits,
        instances,
        rng,
        &mut transcript,
    )?;
    let recording = &recorder.0;
    if let Some(error) = lock(&recording.failed).take() {
        return Err(error.into());
    }
    let columns = std::mem::take(&mut *lock(&recording.columns));
    let witnesses = advice.iter().zip(&instances).map(|(advice, instance)| {
        let of_advice = advice.advice_values.iter().map(|polynomial| {
            match columns.get(&(polynomial.values().as_ptr() as usize)) {
                Some(column) => Ok(column.clone()),
                None => recording.column(polynomial.values()),
            }
        });
        let mut all = of_advice.collect::<Result<Vec<_>, Error>>()?;
        if !instance.instance_values.is_empty() {
            let values = place.bring_columns(concatenated(&instance.instance_values), key.domain.size())?;
            let coefficients = place.coefficients(&key.domain, &values)?;
            all.push(Column { values, coefficients });
        }
        if all.is_empty() {
            return Ok(Witness { columns: None });
        }
        let (values, coefficients) =
            all.into_iter().map(|column| (column.values, column.coefficients)).unzip();
        let values = place.beside(key.domain.rows, values)?;
        let coefficients = place.beside(key.domain.rows, coefficients)?;
        Ok(Witness { columns: Some(Column { values, coefficients }) })
    });
    let witnesses = witnesses.collect::<Result<_, Error>>()?;
    Ok((witnesses, challenges))
}

/// A transcript for synthesis: behind the first scalar, the key's representative, it absorbs all public values, and then ignores them.
struct InstancesFirst<'a, T> {
    transcript: &'a mut T,
    instances: Option<&'a [&'a [&'a [bn256::Fr]]]>,
}

impl<E, T> Transcript<bn256::G1Affine, E> for InstancesFirst<'_, T>
where
    E: EncodedChallenge<bn256::G1Affine>,
    T: Transcript<bn256::G1Affine, E>,
{
    fn squeeze_challenge(&mut self) -> E {
        self.transcript.squeeze_challenge()
    }

    fn common_point(&mut self, point: bn256::G1Affine) -> io::Result<()> {
        self.transcript.common_point(point)
    }

    fn common_scalar(&mut self, scalar: bn256::Fr) -> io::Result<()> {
        let Some(instances) = self.instances.take() else { return Ok(()) };
        self.transcript.common_scalar(scalar)?;
        let mut scalars =
            instances.iter().flat_map(|columns| columns.iter()).flat_map(|column| column.iter());
        scalars.try_for_each(|&scalar| self.transcript.common_scalar(scalar))
    }
}

impl<E, T> TranscriptWrite<bn256::G1Affine, E> for InstancesFirst<'_, T>
where
    E: EncodedChallenge<bn256::G1Affine>,
    T: TranscriptWrite<bn256::G1Affine, E>,
{
    fn write_point(&mut self, point: bn256::G1Affine) -> io::Result<()> {
        self.transcript.write_point(point)
    }

    fn write_scalar(&mut self, scalar: bn256::Fr) -> io::Result<()> {
        self.transcript.write_scalar(scalar)
    }
}

/// What was committed to.
struct Recording {
    key: Arc<Key>,
    place: Arc<Place>,
    powers: Vec<bn256::G1Affine>,
    /// By the address of the values.
    columns: Mutex<HashMap<usize, Column>>,
    failed: Mutex<Option<Error>>,
}

impl Recording {
    fn column(&self, values: &[bn256::Fr]) -> Result<Column, Error> {
        let shape = Shape { rows: values.len(), columns: 1, layout: Layout::ColumnMajor };
        let values = self.place.bring(MatrixRef::new(slice(values), shape)?)?;
        let coefficients = self.place.coefficients(&self.key.domain, &values)?;
        Ok(Column { values, coefficients })
    }

    fn commit(&self, values: &[bn256::Fr]) -> Result<bn256::G1, Error> {
        let column = self.column(values)?;
        let commitment = self.place.engine.msm(&column.coefficients, self.key.bases(&self.powers))?;
        lock(&self.columns).insert(values.as_ptr() as usize, column);
        Ok(sum(&commitment))
    }
}

/// KZG's commitments to advice, for synthesis alone.
#[derive(Debug)]
struct Scheme;

/// Its parameters.
#[derive(Clone)]
struct Recorder(Arc<Recording>);

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

/// Its openings, of which synthesis asks only whether instances are queried.
#[derive(Debug)]
struct Synthesis;

fn unsupported() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "parameters for synthesis alone")
}

impl CommitmentScheme for Scheme {
    type Scalar = bn256::Fr;
    type Curve = bn256::G1Affine;
    type ParamsProver = Recorder;
    type ParamsVerifier = Recorder;

    fn new_params(_: u32) -> Recorder {
        unreachable!("parameters for synthesis are made of those of KZG")
    }

    fn read_params<R: io::Read>(_: &mut R) -> io::Result<Recorder> {
        Err(unsupported())
    }
}

impl<'p> Params<'p, bn256::G1Affine> for Recorder {
    type MSM = MSMKZG<Bn256>;

    fn k(&self) -> u32 {
        self.0.key.domain.subgroup.log_size()
    }

    fn n(&self) -> u64 {
        self.0.key.domain.size() as u64
    }

    fn downsize(&mut self, _: u32) {
        unreachable!("parameters for synthesis are of one size")
    }

    fn empty_msm(&'p self) -> MSMKZG<Bn256> {
        MSMKZG::new()
    }

    fn commit_lagrange(
        &self,
        polynomial: &Polynomial<bn256::Fr, LagrangeCoeff>,
        _: Blind<bn256::Fr>,
    ) -> bn256::G1 {
        self.0.commit(polynomial.values()).unwrap_or_else(|error| {
            // The first error is told after synthesis; until then any point will do that transcripts take.
            lock(&self.0.failed).get_or_insert(error);
            bn256::G1::generator()
        })
    }

    fn write<W: io::Write>(&self, _: &mut W) -> io::Result<()> {
        Err(unsupported())
    }

    fn read<R: io::Read>(_: &mut R) -> io::Result<Self> {
        Err(unsupported())
    }
}

impl ParamsVerifier<'_, bn256::G1Affine> for Recorder {}

impl<'p> ParamsProver<'p, bn256::G1Affine> for Recorder {
    type ParamsVerifier = Self;

    fn new(_: u32) -> Self {
        unreachable!("parameters for synthesis are made of those of KZG")
    }

    fn commit(&self, _: &Polynomial<bn256::Fr, Coeff>, _: Blind<bn256::Fr>) -> bn256::G1 {
        unreachable!("synthesis commits to values")
    }

    fn get_g(&self) -> &[bn256::G1Affine] {
        &self.0.powers
    }

    fn verifier_params(&'p self) -> &'p Self {
        self
    }
}

impl Prover<'_, Scheme> for Synthesis {
    const QUERY_INSTANCE: bool = false;

    fn new(_: &Recorder) -> Self {
        Self
    }

    fn create_proof<'com, E, T, R, I>(&self, _: R, _: &mut T, _: I) -> io::Result<()>
    where
        E: EncodedChallenge<bn256::G1Affine>,
        T: TranscriptWrite<bn256::G1Affine, E>,
        I: IntoIterator<Item = ProverQuery<'com, bn256::G1Affine>> + Clone,
        R: RngCore,
    {
        Err(unsupported())
    }
}
