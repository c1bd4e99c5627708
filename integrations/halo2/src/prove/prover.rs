//! The prover: `halo2_axiom::plonk::create_proof`, step by step, with the same transcript.

use std::sync::{Arc, OnceLock};

use ff::Field;
use halo2_axiom::halo2curves::bn256::{self, Bn256, G1Affine};
use halo2_axiom::plonk::{self, Circuit, ProvingKey};
use halo2_axiom::poly::commitment::{CommitmentScheme, Prover as Halo2Prover};
use halo2_axiom::poly::kzg::commitment::ParamsKZG;
use halo2_axiom::transcript::{EncodedChallenge, TranscriptWrite};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand_core::RngCore;
use rayon::prelude::*;
use tracing::info_span;
use zkaccel::bn254::Fr;
use zkaccel::program::Builder;
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};

use super::arguments::{Lookups, permuted_tails, product_tails, products};
use super::convert::{slice, theirs};
use super::domain::powers;
use super::error::ProveError;
use super::evaluations::{Evaluations, Polynomials, satisfied};
use super::key::{Key, Keys};
use super::opening::{MultiOpen, Opening};
use super::order::{Order, rotations};
use super::quotient::{Coefficients, pieces};
use super::residence::Residence;
use super::run::{Run, squeeze, write_points};
use super::synthesis::{absorb_instances, synthesize};
use crate::constraints::Constraints;
use crate::constraints::layout::{CIRCUIT, Layout, Scalars};

/// Coefficients that one generator draws.
const DRAWN: usize = 1 << 10;

/// What fills the random polynomial in place of the caller's generator.
type Fill = Arc<dyn Fn(&mut [bn256::Fr]) + Send + Sync>;

/// Makes proofs in an engine's memory, and keeps there what the next proof of the same key needs.
#[derive(Clone)]
pub struct Prover {
    engine: Engine,
    keys: Arc<Keys>,
    fill: Option<Fill>,
}

impl std::fmt::Debug for Prover {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prover").field("engine", &self.engine).finish_non_exhaustive()
    }
}

/// [`Prover::create_proof`] by the engine of the process, with the parameters of the function of that name of `halo2_axiom::plonk`.
#[allow(clippy::too_many_arguments, reason = "halo2's")]
pub fn create_proof<'params, Scheme, P, E, R, T, C>(
    params: &'params ParamsKZG<Bn256>,
    pk: &ProvingKey<G1Affine>,
    circuits: &[C],
    instances: &[&[&[bn256::Fr]]],
    rng: R,
    transcript: &mut T,
) -> Result<(), ProveError>
where
    Scheme: CommitmentScheme<Scalar = bn256::Fr, Curve = G1Affine, ParamsProver = ParamsKZG<Bn256>>,
    P: Halo2Prover<'params, Scheme> + MultiOpen,
    E: EncodedChallenge<G1Affine>,
    R: RngCore,
    T: TranscriptWrite<G1Affine, E>,
    C: Circuit<bn256::Fr>,
{
    static PROVER: OnceLock<Prover> = OnceLock::new();
    let engine = Engine::global()?;
    let prover = PROVER.get_or_init(|| Prover::with_engine(&engine));
    prover.create_proof::<Scheme, P, E, R, T, C>(params, pk, circuits, instances, rng, transcript)
}

impl Prover {
    /// By the engine of the process.
    pub fn new() -> Result<Self, Error> {
        Ok(Self::with_engine(&Engine::global()?))
    }

    /// By an engine of its own.
    pub fn with_engine(engine: &Engine) -> Self {
        Self { engine: engine.clone(), keys: Arc::default(), fill: None }
    }

    /// With a random polynomial from elsewhere, to compare proofs with those of another prover. Such proofs hide the witness only if `fill` draws numbers that nobody can know.
    #[doc(hidden)]
    pub fn with_random_polynomial(self, fill: impl Fn(&mut [bn256::Fr]) + Send + Sync + 'static) -> Self {
        Self { fill: Some(Arc::new(fill)), ..self }
    }

    /// Brings a key to the engine's memory, and records its programs; the first proof does so otherwise.
    pub fn keep(&self, params: &ParamsKZG<Bn256>, pk: &ProvingKey<G1Affine>) -> Result<(), ProveError> {
        self.keys.get(&self.engine, params, pk).map(|_| ())
    }

    /// Writes a proof for circuits of a key to a transcript, as `halo2_axiom::plonk::create_proof` does with KZG over BN254 and either scheme of openings: its verifier takes the proof.
    ///
    /// All blinding is drawn from the caller's generator, in halo2's order but for the random polynomial, which halo2 draws from a thread's: so equal inputs have equal proofs. Rows of lookups are permuted
    /// in an order that depends on nothing but them, where halo2's depends on a hash map.
    ///
    /// The transcript is written to from the first step on: after an error what it has is no proof. [`ProveError::NotSatisfied`] and [`ProveError::NotInTable`] for a witness
    /// that does not satisfy the constraints, where halo2 makes a proof that does not verify, or panics; [`ProveError::Unsupported`] and
    /// [`ProveError::Parameters`], before anything is written, for circuits that this prover cannot do and for parameters of another size; halo2's errors, and panics, of synthesis.
    pub fn create_proof<'params, Scheme, P, E, R, T, C>(
        &self,
        params: &'params ParamsKZG<Bn256>,
        pk: &ProvingKey<G1Affine>,
        circuits: &[C],
        instances: &[&[&[bn256::Fr]]],
        mut rng: R,
        transcript: &mut T,
    ) -> Result<(), ProveError>
    where
        Scheme: CommitmentScheme<Scalar = bn256::Fr, Curve = G1Affine, ParamsProver = ParamsKZG<Bn256>>,
        P: Halo2Prover<'params, Scheme> + MultiOpen,
        E: EncodedChallenge<G1Affine>,
        R: RngCore,
        T: TranscriptWrite<G1Affine, E>,
        C: Circuit<bn256::Fr>,
    {
        let system = pk.get_vk().cs();
        check(pk, circuits.len(), instances)?;
        let key = self.keys.get(&self.engine, params, pk)?;
        let layout = &key.layout;
        let n = key.domain.size();
        let residence = Residence::of(&self.engine, required(layout, circuits.len(), &key), n);
        let run = Run { key: &key, residence: &residence, params };
        let constraints = Constraints { system, layout };

        let span = info_span!("synthesis").entered();
        pk.get_vk().hash_into(transcript)?;
        absorb_instances(instances, transcript)?;
        let mut challenges = Vec::new();
        let witnesses = circuits.iter().zip(instances).map(|(circuit, instances)| {
            let (witness, drawn) = synthesize(&run, system, circuit, instances, &mut rng, transcript)?;
            challenges = drawn;
            Ok(witness)
        });
        let witnesses = witnesses.collect::<Result<Vec<_>, ProveError>>()?;
        let mut scalars = Scalars::new(layout, slice(&challenges));
        drop(span);

        scalars.set_theta(layout, squeeze(transcript));
        let names: Vec<String> = system.lookups().iter().map(|lookup| lookup.name().into()).collect();
        let span = info_span!("lookups").entered();
        let tails: Vec<_> = witnesses.iter().map(|_| permuted_tails(layout, &mut rng)).collect();
        let lookups = witnesses.iter().zip(&tails);
        let lookups = lookups.map(|(witness, tails)| {
            let lookups = Lookups::new((&key, &residence), &names, witness, &scalars, tails)?;
            if let Some(lookups) = &lookups {
                write_points(transcript, &run.commit(&lookups.permuted.coefficients)?)?;
            }
            Ok(lookups)
        });
        let lookups = lookups.collect::<Result<Vec<_>, ProveError>>()?;
        drop(span);

        let [beta, gamma] = [(); 2].map(|()| squeeze(transcript));
        scalars.set_beta_and_gamma(layout, beta, gamma);
        let span = info_span!("grand products").entered();
        // Those of permutations are drawn and written before those of lookups.
        let of_sets: Vec<_> =
            witnesses.iter().map(|_| product_tails(layout, layout.sets(), &mut rng)).collect();
        let of_lookups: Vec<_> =
            witnesses.iter().map(|_| product_tails(layout, layout.lookups, &mut rng)).collect();
        let mut grand_products = Vec::with_capacity(witnesses.len());
        let mut commitments = Vec::with_capacity(witnesses.len());
        for (circuit, witness) in witnesses.iter().enumerate() {
            let tails = [&of_sets[circuit][..], &of_lookups[circuit]].concat();
            let lookups = lookups[circuit].as_ref();
            let values = products((&key, &residence), witness, lookups, &scalars, &tails)?;
            let coefficients =
                values.map(|values| residence.coefficients(&key.domain, &values)).transpose()?;
            commitments.push(coefficients.as_ref().map_or(Ok(Vec::new()), |c| run.commit(c))?);
            grand_products.push(coefficients);
        }
        for half in [0, 1] {
            for commitments in commitments.iter().filter(|commitments| !commitments.is_empty()) {
                let (sets, lookups) = commitments.split_at(layout.sets());
                write_points(transcript, [sets, lookups][half])?;
            }
        }
        drop(span);

        let random = info_span!("random polynomial").in_scope(|| {
            let random = residence.bring_columns(self.random_polynomial(n, &mut rng), n)?;
            write_points(transcript, &run.commit(&random)?)?;
            Ok::<_, ProveError>(random)
        })?;

        let y = squeeze(transcript);
        let circuits: Vec<Coefficients<'_>> = witnesses
            .iter()
            .zip(&lookups)
            .zip(&grand_products)
            .map(|((witness, lookups), products)| {
                let [advice, instances] = [&witness.advice, &witness.instances]
                    .map(|columns| columns.as_ref().map(|columns| &columns.coefficients));
                let permuted = lookups.as_ref().map(|lookups| &lookups.permuted.coefficients);
                [advice, instances, permuted, products.as_ref()]
            })
            .collect();
        let pieces = info_span!("quotient").in_scope(|| {
            let pieces = pieces(&key, &residence, &circuits, &scalars, y)?;
            write_points(transcript, &run.commit(&pieces)?)?;
            Ok::<_, ProveError>(pieces)
        })?;

        let x = squeeze(transcript);
        let span = info_span!("evaluations").entered();
        let last = run.quotient_at(&pieces, &random, x)?;
        drop((pieces, random));
        let polynomials = Polynomials::new(&key.coefficients, &circuits, &last);
        let rotations = rotations(pk, layout);
        let evaluations = Evaluations::new(&key, &residence, &polynomials, rotations, x)?;
        let holds =
            satisfied(&key, &constraints, (&polynomials, &evaluations), circuits.len(), &scalars, [x, y]);
        if !holds {
            return Err(ProveError::NotSatisfied);
        }
        let order = Order { pk, layout, polynomials: &polynomials, evaluations: &evaluations };
        for query in order.evaluated(circuits.len()) {
            transcript.write_scalar(theirs(evaluations.at(query.polynomial, query.point)))?;
        }
        drop(span);

        let queries = order.opened(circuits.len());
        let opening = Opening { run, polynomials: &polynomials, evaluations: &evaluations };
        info_span!("openings").in_scope(|| opening.prove(P::OPENINGS, &queries, transcript))
    }

    /// Random coefficients: from a seed of the caller's generator, by all threads.
    fn random_polynomial(&self, n: usize, rng: &mut impl RngCore) -> Vec<Fr> {
        let mut polynomial = vec![bn256::Fr::ZERO; n];
        match &self.fill {
            Some(fill) => fill(&mut polynomial),
            None => {
                let mut seed = <StdRng as SeedableRng>::Seed::default();
                rng.fill_bytes(&mut seed);
                let mut seeds = StdRng::from_seed(seed);
                let parts = polynomial.chunks_mut(DRAWN).map(|part| {
                    let mut seed = <StdRng as SeedableRng>::Seed::default();
                    seeds.fill_bytes(&mut seed);
                    (part, seed)
                });
                parts.collect::<Vec<_>>().into_par_iter().for_each(|(part, seed)| {
                    let mut rng = StdRng::from_seed(seed);
                    part.iter_mut().for_each(|coefficient| *coefficient = bn256::Fr::random(&mut rng));
                });
            }
        }
        slice(&polynomial).to_vec()
    }
}

impl Run<'_> {
    /// The pieces of the quotient, added up by powers of x^n, beside the random polynomial.
    fn quotient_at(
        &self,
        pieces: &DeviceMatrix<Fr>,
        random: &DeviceMatrix<Fr>,
        x: Fr,
    ) -> Result<DeviceMatrix<Fr>, Error> {
        let (count, power) = (pieces.shape().columns, x.pow_vartime([self.key.domain.size() as u64]));
        let mut builder = Builder::new();
        let terms = (0..count).map(|piece| (builder.column(0, piece, 0), piece)).collect();
        builder.weighted_sum(terms, 1);
        let random_node = builder.column(1, 0, 0);
        builder.output(random_node);
        let powers: Vec<Fr> = powers(power).take(count).collect();
        let program = builder.finish()?;
        self.residence.engine.run_program(&program, self.key.domain.rows, &[pieces, random], &powers)
    }
}

/// Errors of the arguments, before anything is written.
fn check(
    pk: &ProvingKey<G1Affine>,
    circuits: usize,
    instances: &[&[&[bn256::Fr]]],
) -> Result<(), ProveError> {
    let (vk, system) = (pk.get_vk(), pk.get_vk().cs());
    if circuits != instances.len() {
        return Err(plonk::Error::InvalidInstances.into());
    }
    if circuits == 0 {
        return Err(ProveError::Unsupported("a proof of no circuit".into()));
    }
    let usable = (1_usize << vk.get_domain().k()).saturating_sub(system.blinding_factors() + 1);
    for instance in instances {
        if instance.len() != system.num_instance_columns() {
            return Err(plonk::Error::InvalidInstances.into());
        }
        if instance.iter().any(|column| column.len() > usable) {
            return Err(plonk::Error::InstanceTooLarge.into());
        }
    }
    if system.num_challenges() > 0 && circuits > 1 {
        return Err(ProveError::Unsupported(format!(
            "{circuits} circuits with challenges, expected one: those of a phase are drawn when all circuits have come to its end"
        )));
    }
    Ok(())
}

/// Columns of n rows that a proof has at once, at most.
fn required(layout: &Layout, circuits: usize, key: &Key) -> usize {
    let [advice, instances, permuted, products] = CIRCUIT.map(|matrix| layout.columns(matrix));
    let witness = advice + instances;
    let staying = 2 * witness + 3 * permuted + products;
    let passing = witness + permuted + 3 * products + layout.key_columns();
    circuits * staying + passing + 3 * key.domain.cosets.len()
}
