//! Proves the knowledge of a preimage with ark-groth16 and with the engine, compares the proofs, verifies, and prints the times
//! beside those that a proof's transforms and sums over G1 take by themselves.
//!
//! ```text
//! export RUSTFLAGS=-Ctarget-cpu=native
//! ZKACCEL_DEVICE=cuda:0 cargo run --release -p zkaccel-arkworks --features asm --example mimc -- 16 18 tables 18
//! ```
//!
//! The arguments are logarithms of the number of constraints; behind `tables` the key is kept with tables of multiples, and behind `alone` ark-groth16 makes
//! no proofs. The flags and the feature have arkworks' assembly compiled in.

mod circuit;
mod shares;

use std::fmt;
use std::time::Instant;

use ark_bn254::{Bn254, Fr};
use ark_groth16::{Groth16, Proof, r1cs_to_qap::LibsnarkReduction};
use ark_snark::SNARK;
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use circuit::{Chain, end};
use zkaccel::msm::BasesOptions;
use zkaccel_arkworks::Prover;
use zkaccel_clock::{Clock, Comparison, Times};

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        arguments.push("12".into());
    }
    let engine = zkaccel::Engine::global().expect("an engine");
    println!("device {}", engine.device().id);
    println!("{}", zkaccel_clock::compiled_for());
    println!("arkworks {} its assembly", if cfg!(feature = "asm") { "with" } else { "without" });
    let mut bases = BasesOptions::default();
    let mut alone = false;
    for argument in arguments {
        if argument == "tables" {
            bases.tables = true;
            continue;
        }
        if argument == "alone" {
            alone = true;
            continue;
        }
        let log_constraints: u32 = argument.parse().expect("a logarithm, or tables");
        let rounds = (1 << log_constraints) / 3 - 1;
        let (start, r, s) = (Fr::from(3), Fr::from(11), Fr::from(12));
        let (circuit, public) = (Chain { start: Some(start), rounds }, end(start, rounds));
        let mut rng = StdRng::seed_from_u64(1);
        let (key, verifying) =
            Groth16::<Bn254>::circuit_specific_setup(Chain { start: None, rounds }, &mut rng).expect("keys");
        let start_of_keeping = Instant::now();
        let prover = Prover::new(&engine, key.clone(), bases).expect("kept bases");
        let keeping = start_of_keeping.elapsed().as_secs_f64();
        let tables = if bases.tables { " with tables" } else { "" };
        if alone {
            let times = Alone::of(&prover, circuit, (r, s), |proof| {
                Groth16::<Bn254>::verify(&verifying, &[public], proof).expect("a verdict")
            });
            println!("2^{log_constraints} constraints, key kept{tables} in {keeping:.2} s: {times}");
            continue;
        }
        let (theirs, ours, proofs) = Clock::new().compare(
            || {
                let stock = Groth16::<Bn254, LibsnarkReduction>::create_proof_with_reduction;
                stock(circuit, &key, r, s).expect("a proof")
            },
            || prover.prove_with(circuit, r, s).expect("a proof"),
        );
        assert_eq!(ours, theirs);
        let start_of_synthesis = Instant::now();
        prover.assign(circuit).expect("a synthesis");
        let synthesis = 1e3 * start_of_synthesis.elapsed().as_secs_f64();
        assert!(Groth16::<Bn254>::verify(&verifying, &[public], &ours).expect("a verdict"));
        let shares = shares::compare(&engine, &key, circuit, bases);
        let times = |proof: Times, share: Times| Times { whole: proof.whole, share: share.whole };
        let comparison = Comparison {
            stock: times(proofs.stock, shares.stock),
            accelerated: times(proofs.accelerated, shares.accelerated),
        };
        println!(
            "2^{log_constraints} constraints, key kept{tables} in {keeping:.2} s, synthesis {synthesis:.1} ms of ours: {comparison}"
        );
    }
}

/// The medians of the parts of several proofs, in milliseconds.
struct Alone {
    synthesis: f64,
    rest: f64,
}

impl Alone {
    fn of(prover: &Prover, circuit: Chain, (r, s): (Fr, Fr), verify: impl Fn(&Proof<Bn254>) -> bool) -> Self {
        let (mut synthesis, mut rest) = (Vec::new(), Vec::new());
        // The first makes tables and sends the matrices.
        for _ in 0..6 {
            let start = Instant::now();
            let assignment = prover.assign(circuit).expect("a synthesis");
            let synthesised = Instant::now();
            let proof = prover.prove_assignment(&assignment, r, s).expect("a proof");
            rest.push(1e3 * synthesised.elapsed().as_secs_f64());
            synthesis.push(1e3 * (synthesised - start).as_secs_f64());
            assert!(verify(&proof));
        }
        let median = |times: &mut [f64]| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        Self { synthesis: median(&mut synthesis), rest: median(&mut rest) }
    }
}

impl fmt::Display for Alone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "synthesis {:.1} ms, the rest {:.1} ms", self.synthesis, self.rest)
    }
}
