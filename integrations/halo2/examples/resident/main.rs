//! Proofs in the engine's memory beside those of the stock prover.
//!
//! ```text
//! resident compare K DIRECTORY COUNT   compares proofs of the hash chain of 2^K rows with those that `compare.sh` has written
//! resident time COUNT K...             proves with both in turn, COUNT times for each K; the shortest times, of synthesis, of all else, and of phases
//! resident wide COUNT K...             the same with a circuit of 30 columns of advice and 10 lookups
//! ```
//!
//! What is timed is to be compiled for this processor and with halo2curves' assembly: `RUSTFLAGS=-Ctarget-cpu=native`, `--features halo2-axiom/asm`.

#[path = "../../example/src/circuit.rs"]
mod circuit;
mod wide;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use circuit::{Chain, message};
use ff::Field;
use halo2_axiom::arithmetic::parallelize;
use halo2_axiom::circuit::{Layouter, SimpleFloorPlanner};
use halo2_axiom::halo2curves::bn256::{Bn256, Fr, G1Affine};
use halo2_axiom::plonk::{self, Circuit, ConstraintSystem, ProvingKey, keygen_pk, keygen_vk, verify_proof};
use halo2_axiom::poly::kzg::commitment::{KZGCommitmentScheme, ParamsKZG};
use halo2_axiom::poly::kzg::multiopen::{ProverSHPLONK, VerifierSHPLONK};
use halo2_axiom::poly::kzg::strategy::SingleStrategy;
use halo2_axiom::transcript::{
    Blake2bRead, Blake2bWrite, Challenge255, TranscriptReadBuffer, TranscriptWriterBuffer,
};
use rand::SeedableRng;
use rand::rngs::StdRng;
use wide::Wide;
use zkaccel::Engine;
use zkaccel_clock::Phases;
use zkaccel_halo2::Prover;

type Answer<T> = Result<T, Box<dyn std::error::Error>>;
type Transcript = Blake2bWrite<Vec<u8>, G1Affine, Challenge255<G1Affine>>;

/// A circuit whose synthesis is timed. It has one phase, so that no commitment is within.
#[derive(Clone)]
struct Timed<C>(C);

/// What syntheses took since it was last asked.
static SYNTHESIS: Mutex<Duration> = Mutex::new(Duration::ZERO);

fn take_synthesis() -> Duration {
    std::mem::take(&mut *SYNTHESIS.lock().expect("a time"))
}

impl<C: Circuit<Fr, FloorPlanner = SimpleFloorPlanner>> Circuit<Fr> for Timed<C> {
    type Config = C::Config;
    type FloorPlanner = SimpleFloorPlanner;

    fn without_witnesses(&self) -> Self {
        Self(self.0.without_witnesses())
    }

    fn configure(system: &mut ConstraintSystem<Fr>) -> C::Config {
        C::configure(system)
    }

    fn synthesize(&self, config: C::Config, layouter: impl Layouter<Fr>) -> Result<(), plonk::Error> {
        let start = Instant::now();
        let done = self.0.synthesize(config, layouter);
        *SYNTHESIS.lock().expect("a time") += start.elapsed();
        done
    }
}

/// Parameters and a key, by a setup whose secret anybody can know: for proofs that convince nobody.
struct Setup {
    srs: ParamsKZG<Bn256>,
    key: ProvingKey<G1Affine>,
}

impl Setup {
    fn new(k: u32, circuit: &impl Circuit<Fr>) -> Answer<Self> {
        let srs = ParamsKZG::setup(k, StdRng::seed_from_u64(1));
        let key = keygen_pk(&srs, keygen_vk(&srs, circuit)?, circuit)?;
        Ok(Self { srs, key })
    }

    fn stock(&self, circuit: impl Circuit<Fr>, public: &[Fr], seed: u64) -> Answer<Vec<u8>> {
        let mut transcript = Transcript::init(Vec::new());
        plonk::create_proof::<KZGCommitmentScheme<Bn256>, ProverSHPLONK<'_, Bn256>, _, _, _, _>(
            &self.srs,
            &self.key,
            &[circuit],
            &[&[public]],
            StdRng::seed_from_u64(seed),
            &mut transcript,
        )?;
        Ok(transcript.finalize())
    }

    fn ours(&self, prover: &Prover, circuit: impl Circuit<Fr>, public: &[Fr], seed: u64) -> Answer<Vec<u8>> {
        let mut transcript = Transcript::init(Vec::new());
        prover.create_proof::<KZGCommitmentScheme<Bn256>, ProverSHPLONK<'_, Bn256>, _, _, _, _>(
            &self.srs,
            &self.key,
            &[circuit],
            &[&[public]],
            StdRng::seed_from_u64(seed),
            &mut transcript,
        )?;
        Ok(transcript.finalize())
    }

    fn check(&self, public: &[Fr], proof: &[u8]) -> Answer<()> {
        let mut transcript = Blake2bRead::<_, _, Challenge255<_>>::init(proof);
        verify_proof::<KZGCommitmentScheme<Bn256>, VerifierSHPLONK<'_, Bn256>, _, _, _>(
            &self.srs,
            self.key.get_vk(),
            SingleStrategy::new(&self.srs),
            &[&[public]],
            &mut transcript,
        )?;
        Ok(())
    }
}

/// The shortest time of proofs without synthesis, that of synthesis then, and of phases.
struct Shortest {
    rest: Duration,
    synthesis: Duration,
    phases: Vec<(&'static str, Duration)>,
}

impl Shortest {
    const NONE: Self = Self { rest: Duration::MAX, synthesis: Duration::ZERO, phases: Vec::new() };

    fn of(&mut self, prove: impl FnOnce() -> Answer<Vec<u8>>) -> Answer<Vec<u8>> {
        take_synthesis();
        Phases::take();
        let start = Instant::now();
        let proof = prove()?;
        let (whole, phases, synthesis) = (start.elapsed(), Phases::take(), take_synthesis());
        let rest = whole - synthesis;
        if rest < self.rest {
            *self = Self { rest, synthesis, phases };
        }
        Ok(proof)
    }
}

fn milliseconds(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}

/// What the engine did so far: calls and times by operation.
fn account() -> Answer<BTreeMap<&'static str, (u64, Duration)>> {
    let mut account = BTreeMap::new();
    for line in Engine::global()?.work().into_iter().flat_map(|device| device.operations) {
        let (calls, time): &mut (u64, Duration) = account.entry(line.operation).or_default();
        *calls += line.calls;
        *time += line.time;
    }
    Ok(account)
}

/// Both provers in turn.
fn compare<C>(name: &str, k: u32, count: usize, circuit: &Timed<C>, public: &[Fr]) -> Answer<()>
where
    C: Circuit<Fr, FloorPlanner = SimpleFloorPlanner> + Clone,
{
    let setup = Setup::new(k, circuit)?;
    let prover = Prover::new()?;
    // Tables, kernels and what stays of a key are not the proof's.
    let start = Instant::now();
    setup.check(public, &setup.ours(&prover, circuit.clone(), public, 0)?)?;
    let first = start.elapsed();
    let [mut theirs, mut best] = [Shortest::NONE; 2];
    let before = account()?;
    for seed in 0..count as u64 {
        setup.check(public, &theirs.of(|| setup.stock(circuit.clone(), public, seed))?)?;
        setup.check(public, &best.of(|| setup.ours(&prover, circuit.clone(), public, seed))?)?;
    }
    println!(
        "{name}, 2^{k} rows: stock {:.1} ms, ours {:.1} ms, {:.2} times as fast; synthesis beside it {:.1} and {:.1} ms; the first proof of the key {:.0} ms",
        milliseconds(theirs.rest),
        milliseconds(best.rest),
        theirs.rest.as_secs_f64() / best.rest.as_secs_f64(),
        milliseconds(theirs.synthesis),
        milliseconds(best.synthesis),
        milliseconds(first),
    );
    for (name, time) in &best.phases {
        println!("    {name:<20} {:>9.2}", milliseconds(*time));
    }
    println!("    operations of a proof, on average");
    for (operation, (calls, time)) in account()? {
        let (calls_before, time_before) = before.get(operation).copied().unwrap_or_default();
        let time = milliseconds(time - time_before) / count as f64;
        println!("    {operation:<20} {time:>9.2} in {} calls", (calls - calls_before) / count as u64);
    }
    Ok(())
}

/// A chain of 2^k rows and its public values.
fn chain(k: u32, number: u64) -> (Chain, [Fr; 2]) {
    let message = message(k, number);
    let public = [circuit::start(), circuit::end(&message)];
    (Chain { k, message: Some(message) }, public)
}

fn main() -> Answer<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["compare", k, directory, count] => {
            let k = k.parse()?;
            let setup = Setup::new(k, &Chain { k, message: None })?;
            // As the copies of halo2-axiom have it that the proofs were made with.
            let prover = Prover::new()?.with_random_polynomial(|polynomial| {
                parallelize(polynomial, |part, _| {
                    let mut rng = StdRng::seed_from_u64(0);
                    part.iter_mut().for_each(|coefficient| *coefficient = Fr::random(&mut rng));
                });
            });
            for number in 0..count.parse()? {
                let path = Path::new(directory).join(format!("proof-{number}.bin"));
                let expected = std::fs::read(&path)?;
                let (chain, public) = chain(k, number);
                let proof = setup.ours(&prover, chain, &public, number)?;
                setup.check(&public, &proof)?;
                if proof != expected {
                    let first = proof.iter().zip(&expected).position(|(a, b)| a != b);
                    return Err(format!("{}: another proof, from byte {first:?} on", path.display()).into());
                }
            }
        }
        [what @ ("time" | "wide"), count, ref sizes @ ..] => {
            Phases::start();
            let (count, engine) = (count.parse()?, Engine::global()?);
            println!("{}; {}", engine.device().id, zkaccel_clock::compiled_for());
            for k in sizes {
                let k: u32 = k.parse()?;
                if what == "time" {
                    let (chain, public) = chain(k, 1);
                    compare("the hash chain", k, count, &Timed(chain), &public)?;
                } else {
                    compare("30 columns, 10 lookups", k, count, &Timed(Wide::new(k)), &[])?;
                }
            }
        }
        _ => return Err("expected compare K DIRECTORY COUNT, time COUNT K..., or wide COUNT K...".into()),
    }
    Ok(())
}
