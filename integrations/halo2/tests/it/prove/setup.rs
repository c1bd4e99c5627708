//! Keys and parameters of a circuit, the stock prover and verifier, and ours.

use halo2_axiom::halo2curves::bn256::{Bn256, Fr, G1Affine};
use halo2_axiom::plonk::{self, Circuit, ProvingKey, keygen_pk, keygen_vk, verify_proof};
use halo2_axiom::poly::VerificationStrategy;
use halo2_axiom::poly::commitment::{Prover as Halo2Prover, Verifier};
use halo2_axiom::poly::kzg::commitment::{KZGCommitmentScheme, ParamsKZG};
use halo2_axiom::poly::kzg::msm::DualMSM;
use halo2_axiom::poly::kzg::multiopen::{ProverGWC, ProverSHPLONK, VerifierGWC, VerifierSHPLONK};
use halo2_axiom::poly::kzg::strategy::{GuardKZG, SingleStrategy};
use halo2_axiom::transcript::{
    Blake2bRead, Blake2bWrite, Challenge255, TranscriptReadBuffer, TranscriptWriterBuffer,
};
use rand::SeedableRng;
use rand::rngs::StdRng;
use zkaccel::Engine;
use zkaccel_halo2::{MultiOpen, ProveError, Prover};

/// A scheme of openings: the stock prover's and verifier's types.
pub trait Scheme {
    type Prover<'p>: Halo2Prover<'p, KZGCommitmentScheme<Bn256>> + MultiOpen;
    type Verifier<'p>: Verifier<
            'p,
            KZGCommitmentScheme<Bn256>,
            Guard = GuardKZG<'p, Bn256>,
            MSMAccumulator = DualMSM<'p, Bn256>,
        >;
}

pub struct Shplonk;
pub struct Gwc;

impl Scheme for Shplonk {
    type Prover<'p> = ProverSHPLONK<'p, Bn256>;
    type Verifier<'p> = VerifierSHPLONK<'p, Bn256>;
}

impl Scheme for Gwc {
    type Prover<'p> = ProverGWC<'p, Bn256>;
    type Verifier<'p> = VerifierGWC<'p, Bn256>;
}

/// An engine for the device that the tests are for.
pub fn engine() -> Engine {
    let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("cpu".into());
    Engine::builder().device(device.parse().unwrap()).build().unwrap()
}

/// Parameters and a key.
pub struct Setup {
    pub srs: ParamsKZG<Bn256>,
    pub key: ProvingKey<G1Affine>,
}

type Transcript = Blake2bWrite<Vec<u8>, G1Affine, Challenge255<G1Affine>>;

/// Public values: of each circuit, of each column.
pub type Instances = Vec<Vec<Vec<Fr>>>;

impl Setup {
    /// A setup whose secret anybody can know.
    pub fn new<C: Circuit<Fr>>(k: u32, circuit: &C) -> Self {
        let srs = ParamsKZG::setup(k, StdRng::seed_from_u64(7));
        let key = keygen_pk(&srs, keygen_vk(&srs, circuit).unwrap(), circuit).unwrap();
        Self { srs, key }
    }

    /// A proof by ours.
    pub fn prove<S: Scheme, C: Circuit<Fr>>(
        &self,
        prover: &Prover,
        circuits: &[C],
        instances: &Instances,
    ) -> Result<Vec<u8>, ProveError> {
        let mut transcript = Transcript::init(Vec::new());
        with_slices(instances, |instances| {
            prover.create_proof::<KZGCommitmentScheme<Bn256>, S::Prover<'_>, _, _, _, _>(
                &self.srs,
                &self.key,
                circuits,
                instances,
                StdRng::seed_from_u64(11),
                &mut transcript,
            )
        })?;
        Ok(transcript.finalize())
    }

    /// One by the stock prover, with an equal generator.
    pub fn stock<S: Scheme, C: Circuit<Fr>>(
        &self,
        circuits: &[C],
        instances: &Instances,
    ) -> Result<Vec<u8>, plonk::Error> {
        let mut transcript = Transcript::init(Vec::new());
        with_slices(instances, |instances| {
            plonk::create_proof::<KZGCommitmentScheme<Bn256>, S::Prover<'_>, _, _, _, _>(
                &self.srs,
                &self.key,
                circuits,
                instances,
                StdRng::seed_from_u64(11),
                &mut transcript,
            )
        })?;
        Ok(transcript.finalize())
    }

    /// Whether the stock verifier accepts a proof.
    pub fn accepts<S: Scheme>(&self, instances: &Instances, proof: &[u8]) -> bool {
        let mut transcript = Blake2bRead::<_, _, Challenge255<_>>::init(proof);
        with_slices(instances, |instances| {
            let strategy =
                <SingleStrategy<'_, _> as VerificationStrategy<'_, _, S::Verifier<'_>>>::new(&self.srs);
            verify_proof::<KZGCommitmentScheme<Bn256>, S::Verifier<'_>, _, _, _>(
                &self.srs,
                self.key.get_vk(),
                strategy,
                instances,
                &mut transcript,
            )
            .is_ok()
        })
    }
}

fn with_slices<R>(instances: &Instances, then: impl FnOnce(&[&[&[Fr]]]) -> R) -> R {
    let columns: Vec<Vec<&[Fr]>> =
        instances.iter().map(|columns| columns.iter().map(Vec::as_slice).collect()).collect();
    let circuits: Vec<&[&[Fr]]> = columns.iter().map(Vec::as_slice).collect();
    then(&circuits)
}
