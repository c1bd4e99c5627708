//! Proves the knowledge of messages, verifies, and says what the engine had to do with it.
//!
//! ```text
//! halo2-chain prove  K DIRECTORY COUNT   proves COUNT messages at the same time, and writes the proofs
//! halo2-chain verify K DIRECTORY COUNT   verifies proofs that were written
//! halo2-chain time   K                   proves five times, after a first proof; seconds of the fastest, and of its sums, transforms and constraints
//! ```
//!
//! `--expect stock` and `--expect accelerated` make `prove` and `time` fail unless the engine did nothing of the proofs, or all their sums,
//! transforms and constraints. There are 2^K rows. Nothing here depends on which halo2 the program is built with.

mod circuit;

use std::path::{Path, PathBuf};
use std::time::Instant;

use circuit::{Chain, message};
use halo2_axiom::halo2curves::bn256::{Bn256, Fr, G1Affine};
use halo2_axiom::plonk::{self, ProvingKey, create_proof, keygen_pk, keygen_vk, verify_proof};
use halo2_axiom::poly::kzg::commitment::{KZGCommitmentScheme, ParamsKZG};
use halo2_axiom::poly::kzg::multiopen::{ProverSHPLONK, VerifierSHPLONK};
use halo2_axiom::poly::kzg::strategy::SingleStrategy;
use halo2_axiom::transcript::{
    Blake2bRead, Blake2bWrite, Challenge255, TranscriptReadBuffer, TranscriptWriterBuffer,
};
use rand::SeedableRng;
use rand::rngs::StdRng;
use zkaccel::Engine;
use zkaccel::work::items;

/// Pairs of the sums of a proof of n rows: commitments to four columns of advice, the lookup's two permuted columns, two grand products, a
/// random polynomial and three pieces of the quotient, and two openings, of which the second is of degree n - 2.
fn pairs(n: u64) -> u64 {
    (4 + 2 + 2 + 1 + 3 + 2) * n - 1
}

/// Points of the transforms of a proof of n rows: one instance, four columns of advice, two permuted columns and two grand products become
/// coefficients; on each of the four cosets that make the extended domain are values of those, of three fixed columns, of three
/// Lagrange polynomials, of two permutations and of X; and the quotient, of 4 n values, becomes coefficients.
fn points(n: u64) -> u64 {
    let polynomials = 1 + 4 + 2 + 2;
    (polynomials + 4 * (polynomials + 3 + 3 + 2 + 1) + 4) * n
}

/// Rows of the row programs of a proof of n rows: all constraints are one program, which runs on each of the four cosets.
fn rows(n: u64) -> u64 {
    4 * n
}

/// Of so many proofs the fastest is the one that other work on the machine disturbed least.
const PROOFS_TIMED: u64 = 5;

type Answer<T> = Result<T, Box<dyn std::error::Error>>;

struct Prover {
    k: u32,
    srs: ParamsKZG<Bn256>,
    key: ProvingKey<G1Affine>,
}

impl Prover {
    /// A setup whose secret anybody can know: for proofs that convince nobody.
    fn new(k: u32) -> Answer<Self> {
        let srs = ParamsKZG::setup(k, StdRng::seed_from_u64(1));
        let circuit = Chain { k, message: None };
        let key = keygen_pk(&srs, keygen_vk(&srs, &circuit)?, &circuit)?;
        Ok(Self { k, srs, key })
    }

    fn prove(&self, number: u64) -> Result<Vec<u8>, plonk::Error> {
        let message = message(self.k, number);
        let ends = [circuit::start(), circuit::end(&message)];
        let circuit = Chain { k: self.k, message: Some(message) };
        let mut transcript = Blake2bWrite::<_, _, Challenge255<_>>::init(Vec::new());
        create_proof::<KZGCommitmentScheme<Bn256>, ProverSHPLONK<Bn256>, _, _, _, _>(
            &self.srs,
            &self.key,
            &[circuit],
            &[&[&ends[..]]],
            StdRng::seed_from_u64(number),
            &mut transcript,
        )?;
        Ok(transcript.finalize())
    }

    fn accepts(&self, end: Fr, proof: &[u8]) -> bool {
        let mut transcript = Blake2bRead::<_, _, Challenge255<_>>::init(proof);
        verify_proof::<KZGCommitmentScheme<Bn256>, VerifierSHPLONK<Bn256>, _, _, _>(
            &self.srs,
            self.key.get_vk(),
            SingleStrategy::new(&self.srs),
            &[&[&[circuit::start(), end]]],
            &mut transcript,
        )
        .is_ok()
    }

    /// Errors unless a proof is accepted for its message, and for no other.
    fn check(&self, number: u64, proof: &[u8]) -> Answer<()> {
        let end = circuit::end(&message(self.k, number));
        match (self.accepts(end, proof), self.accepts(end + Fr::one(), proof)) {
            (true, false) => Ok(()),
            (false, _) => Err(format!("proof {number} is refused").into()),
            (true, true) => Err(format!("proof {number} is accepted for another hash").into()),
        }
    }
}

fn path(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("proof-{number}.bin"))
}

/// What the engine did so far: pairs of sums, points of transforms, rows of row programs.
fn account(engine: &Engine) -> [u64; 3] {
    ["msm", "fft", "row program"].map(|operation| items(&engine.work(), operation))
}

/// Errors unless the engine did what was expected of so many proofs.
fn compare(expected: Option<&str>, k: u32, proofs: u64, before: [u64; 3], engine: &Engine) -> Answer<()> {
    let after = account(engine);
    let found: [u64; 3] = std::array::from_fn(|i| after[i] - before[i]);
    let [pairs_found, points_found, rows_found] = found;
    println!(
        "the engine had {pairs_found} pairs, {points_found} points and {rows_found} rows of {proofs} proofs"
    );
    let expected = match expected {
        None => return Ok(()),
        Some("stock") => [0; 3],
        Some("accelerated") => [pairs(1 << k), points(1 << k), rows(1 << k)].map(|one| one * proofs),
        Some(other) => return Err(format!("--expect {other}: expected stock or accelerated").into()),
    };
    match found == expected {
        true => Ok(()),
        false => {
            let [pairs, points, rows] = expected;
            Err(format!("expected {pairs} pairs, {points} points and {rows} rows").into())
        }
    }
}

fn main() -> Answer<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let expected = match arguments.iter().position(|argument| argument == "--expect") {
        Some(index) if index + 1 < arguments.len() => arguments.drain(index..index + 2).nth(1),
        Some(_) => return Err("--expect what?".into()),
        None => None,
    };
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let engine = Engine::global()?;
    match words[..] {
        ["prove", k, directory, count] => {
            let (prover, directory, count) =
                (Prover::new(k.parse()?)?, Path::new(directory), count.parse::<u64>()?);
            let before = account(&engine);
            let proofs: Vec<_> = std::thread::scope(|scope| {
                let prover = &prover;
                let threads: Vec<_> =
                    (0..count).map(|number| scope.spawn(move || prover.prove(number))).collect();
                threads.into_iter().map(|thread| thread.join().expect("a prover")).collect()
            });
            compare(expected.as_deref(), prover.k, count, before, &engine)?;
            std::fs::create_dir_all(directory)?;
            for (number, proof) in (0..).zip(proofs) {
                let proof = proof?;
                prover.check(number, &proof)?;
                std::fs::write(path(directory, number), proof)?;
            }
            for device in engine.work() {
                device.operations.iter().for_each(|line| println!("{}: {line}", device.device));
            }
        }
        ["verify", k, directory, count] => {
            let prover = Prover::new(k.parse()?)?;
            for number in 0..count.parse::<u64>()? {
                prover.check(number, &std::fs::read(path(Path::new(directory), number))?)?;
            }
        }
        ["time", k] => {
            let prover = Prover::new(k.parse()?)?;
            // What the first proof of a process costs besides: tables, kernels, bases that are kept.
            prover.prove(0)?;
            let before = account(&engine);
            let measured: Vec<_> =
                (0..PROOFS_TIMED).map(|_| zkaccel_halo2::CLOCK.measure(|| prover.prove(1))).collect();
            compare(expected.as_deref(), prover.k, PROOFS_TIMED, before, &engine)?;
            let (proof, times) =
                measured.into_iter().min_by_key(|(_, times)| times.whole).expect("one proof or more");
            prover.check(1, &proof?)?;
            println!("seconds {:.4} {:.4}", times.whole.as_secs_f64(), times.share.as_secs_f64());
        }
        _ => return Err("expected prove K DIRECTORY COUNT, verify K DIRECTORY COUNT, or time K".into()),
    }
    Ok(())
}
