//! Proves a chain of hashes with the stock prover and with the accelerated one, compares the proofs byte by byte, verifies, and prints
//! the times and what share of them passes in the extension of trace and constraint composition and in their commitments.
//!
//! ```text
//! export RUSTFLAGS=-Ctarget-cpu=native
//! ZKACCEL_DEVICE=cuda:0 cargo run --release -p zkaccel-winterfell --example rescue_chain -- 16 18 partitions=4 16
//! ```
//!
//! The arguments are logarithms of the number of steps; `partitions=N` has the rows of what follows hashed in N partitions. The flags have the
//! stock prover compiled for the processor's own instructions.
//!
//! ```text
//! ZKACCEL_DEVICE=cuda:0 cargo run --release -p zkaccel-winterfell --example rescue_chain -- resident 5 14 16 18
//! ```
//!
//! With `resident` and a number of runs before them, proofs are made in the engine's memory (`zkaccel_winterfell::Resident`), and the times of their phases are printed.

mod air;
mod prover;
mod resident;

use std::marker::PhantomData;

use winter_air::ProofOptions;
use winter_air::proof::Proof;
use winter_crypto::hashers::Rp64_256;
use winter_crypto::{DefaultRandomCoin, MerkleTree};
use winter_math::fields::f64::BaseElement;
use winter_verifier::{AcceptableOptions, verify};

use air::ChainAir;
use prover::{Accelerated, CLOCK, Stock, options};

type Hash = Rp64_256;

/// Elements that the hash takes at once: no partition is narrower.
const HASH_RATE: usize = 8;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        arguments.push("13".into());
    }
    let engine = zkaccel::Engine::global().expect("an engine");
    println!("device {}", engine.device().id);
    println!("{}", zkaccel_clock::compiled_for());
    // Before them all, whether proofs are made in the engine's memory, and how many.
    let mut runs = None;
    if arguments[0] == "resident" {
        runs = Some(arguments.get(1).and_then(|runs| runs.parse().ok()).expect("a number of runs"));
        arguments.drain(..2);
        zkaccel_clock::Phases::start();
    }
    let (mut options, mut partitions) = (options(), 1);
    for argument in arguments {
        if let Some(number) = argument.strip_prefix("partitions=") {
            partitions = number.parse().expect("a number of partitions");
            options = prover::options().with_partitions(partitions, HASH_RATE);
            continue;
        }
        let log_steps: u32 = argument.parse().expect("a logarithm, or partitions=N");
        if let Some(runs) = runs {
            resident::run(log_steps, runs, &options);
            continue;
        }
        let trace = air::trace([1, 2, 3, 4].map(BaseElement::new), 1 << log_steps);
        let ends = air::ends(&trace);
        let stock = Stock::<Hash> { options: options.clone(), hash: PhantomData };
        let accelerated = Accelerated::<Hash> { options: options.clone(), hash: PhantomData };
        let (theirs, ours, times) =
            CLOCK.compare(|| prover::proof(&stock, &trace), || prover::proof(&accelerated, &trace));
        assert_eq!(ours.to_bytes(), theirs.to_bytes(), "the proofs are the same, byte by byte");
        check(ours, ends, &options);
        let partitions = if partitions == 1 { String::new() } else { format!(", {partitions} partitions") };
        println!("2^{log_steps} steps{partitions}: {times}");
    }
}

fn check(proof: Proof, ends: air::Ends, options: &ProofOptions) {
    let acceptable = AcceptableOptions::OptionSet(vec![options.clone()]);
    let verified =
        verify::<ChainAir, Hash, DefaultRandomCoin<Hash>, MerkleTree<Hash>>(proof, ends, &acceptable);
    verified.expect("the stock verifier accepts it");
}
