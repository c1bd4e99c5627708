//! What programs that prove with a stock or an accelerated prover have in common.
//!
//! ```text
//! PROGRAM prove  K DIRECTORY COUNT   proves COUNT messages at the same time, and writes the proofs
//! PROGRAM verify K DIRECTORY COUNT   verifies proofs that were written
//! PROGRAM time   K                   proves five times, after a first proof; seconds of the fastest, and of its functions that ask the engine
//! ```
//!
//! `--expect stock` and `--expect accelerated` make `prove` and `time` fail unless the engine did nothing of the proofs, or all that it is asked for.
//! There are 2^K rows. Nothing here depends on which halo2 the program is built with.

use std::path::{Path, PathBuf};

use zkaccel::Engine;
use zkaccel::work::items;

pub type Answer<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// A prover for messages of one length, which numbers stand for.
pub trait Program: Sized + Sync {
    /// A key for 2^k rows, and parameters that convince nobody.
    fn new(k: u32) -> Answer<Self>;

    /// A proof of the knowledge of a message; equal for equal numbers.
    fn prove(&self, number: u64) -> Answer<Vec<u8>>;

    /// Errors unless a proof is accepted for its message, and for no other.
    fn check(&self, number: u64, proof: &[u8]) -> Answer<()>;

    /// What the engine has to do for a proof of 2^k rows.
    fn work(k: u32) -> Amounts;
}

/// Pairs of sums, points of transforms, and rows of row programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amounts {
    pub pairs: u64,
    pub points: u64,
    pub rows: u64,
}

/// Of so many proofs the fastest is the one that other work on the machine disturbed least.
const PROOFS_TIMED: u64 = 5;

fn path(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("proof-{number}.bin"))
}

impl Amounts {
    /// What an engine did so far.
    fn of(engine: &Engine) -> Self {
        let [pairs, points, rows] =
            ["msm", "fft", "row program"].map(|operation| items(&engine.work(), operation));
        Self { pairs, points, rows }
    }

    /// The same operation by operation.
    fn each(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            pairs: operation(self.pairs, other.pairs),
            points: operation(self.points, other.points),
            rows: operation(self.rows, other.rows),
        }
    }
}

/// Errors unless the engine did what was expected of so many proofs.
fn compare(
    expected: Option<&str>,
    of_one: Amounts,
    proofs: u64,
    before: Amounts,
    engine: &Engine,
) -> Answer<()> {
    let found = Amounts::of(engine).each(before, |after, before| after - before);
    println!("the engine had of {proofs} proofs: {found:?}");
    let expected = match expected {
        None => return Ok(()),
        Some("stock") => Amounts { pairs: 0, points: 0, rows: 0 },
        Some("accelerated") => of_one.each(of_one, |one, _| one * proofs),
        Some(other) => return Err(format!("--expect {other}: expected stock or accelerated").into()),
    };
    match found == expected {
        true => Ok(()),
        false => Err(format!("expected {expected:?}").into()),
    }
}

/// Does what the command line asks for.
pub fn run<P: Program>() -> Answer<()> {
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
            let (k, directory, count) = (k.parse()?, Path::new(directory), count.parse::<u64>()?);
            let prover = P::new(k)?;
            let before = Amounts::of(&engine);
            let proofs: Vec<_> = std::thread::scope(|scope| {
                let prover = &prover;
                let threads: Vec<_> =
                    (0..count).map(|number| scope.spawn(move || prover.prove(number))).collect();
                threads.into_iter().map(|thread| thread.join().expect("a prover")).collect()
            });
            compare(expected.as_deref(), P::work(k), count, before, &engine)?;
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
            let prover = P::new(k.parse()?)?;
            for number in 0..count.parse::<u64>()? {
                prover.check(number, &std::fs::read(path(Path::new(directory), number))?)?;
            }
        }
        ["time", k] => {
            let k = k.parse()?;
            let prover = P::new(k)?;
            // What the first proof of a process costs besides: tables, kernels, bases that are kept.
            prover.prove(0)?;
            let before = Amounts::of(&engine);
            let measured: Vec<_> =
                (0..PROOFS_TIMED).map(|_| zkaccel_halo2::CLOCK.measure(|| prover.prove(1))).collect();
            compare(expected.as_deref(), P::work(k), PROOFS_TIMED, before, &engine)?;
            let (proof, times) =
                measured.into_iter().min_by_key(|(_, times)| times.whole).expect("one proof or more");
            prover.check(1, &proof?)?;
            println!("seconds {:.4} {:.4}", times.whole.as_secs_f64(), times.share.as_secs_f64());
        }
        _ => return Err("expected prove K DIRECTORY COUNT, verify K DIRECTORY COUNT, or time K".into()),
    }
    Ok(())
}
