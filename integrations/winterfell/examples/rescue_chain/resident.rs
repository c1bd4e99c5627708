//! Proofs in the engine's memory beside those of the stock prover, with the times of their phases.

use std::marker::PhantomData;
use std::time::{Duration, Instant};

use winter_air::ProofOptions;
use winter_math::fields::f64::BaseElement;
use winter_prover::Prover;
use zkaccel_clock::Phases;
use zkaccel_winterfell::{Constraints, Resident};

use super::prover::{Stock, proof};
use super::{Hash, air, check};

/// So many proofs by either prover, of which the shortest times are printed.
pub fn run(log_steps: u32, runs: usize, options: &ProofOptions) {
    println!("2^{log_steps} steps, the shortest of {runs} runs");
    let trace = air::trace([1, 2, 3, 4].map(BaseElement::new), 1 << log_steps);
    let ends = air::ends(&trace);
    let stock = Stock::<Hash> { options: options.clone(), hash: PhantomData };
    let resident = Resident::new().expect("an engine");
    let (mut expected, mut shortest) = (None, Duration::MAX);
    for _ in 0..runs {
        let trace = trace.clone();
        let start = Instant::now();
        let proof = stock.prove(trace).expect("a proof");
        shortest = shortest.min(start.elapsed());
        // Ours has the least nonce, and so have nearly all of theirs.
        expected = expected.or((proof.pow_nonce == 1).then_some(proof));
    }
    let expected = expected.unwrap_or_else(|| proof(&stock, &trace)).to_bytes();
    println!("  stock {}", milliseconds(shortest));
    let mut best = (Duration::MAX, Vec::new());
    Phases::take();
    for _ in 0..runs {
        let trace = trace.clone();
        let start = Instant::now();
        let proved = resident.prove(&stock, trace).expect("a proof");
        let (time, phases) = (start.elapsed(), Phases::take());
        if time < best.0 {
            best = (time, phases);
        }
        assert_eq!(proved.constraints, Constraints::Recorded);
        assert!(proved.proof.to_bytes() == expected, "the proofs are the same, byte by byte");
        check(proved.proof, ends, options);
    }
    let (time, phases) = best;
    println!(
        "  ours {}, {:.1} times as fast:",
        milliseconds(time),
        shortest.as_secs_f64() / time.as_secs_f64()
    );
    let of_phases: Duration = phases.iter().map(|phase| phase.1).sum();
    let rest = time.saturating_sub(of_phases);
    for (name, time) in phases.into_iter().chain([("the rest", rest)]) {
        println!("    {name:<12} {:>12}", milliseconds(time));
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
