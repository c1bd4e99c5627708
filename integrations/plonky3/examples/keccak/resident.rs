//! Proofs in the engine's memory beside those of the stock prover, with the times of their phases.

use std::time::{Duration, Instant};

use p3_blake3::Blake3;
use p3_goldilocks::default_goldilocks_poseidon2_8;
use p3_keccak_air::KeccakAir;
use p3_uni_stark::{prove, verify};
use zkaccel_clock::Phases;
use zkaccel_plonky3::{FriPcs, Mmcs, Prover};

use super::config::{self, CAP_HEIGHT, Config, byte_challenger, element_challenger, parameters};
use super::trace;

/// So many proofs by either prover, of which the shortest times are printed.
macro_rules! compare {
    ($log_rows:expr, $runs:expr, $stock:expr, $mmcs:expr, $challenger:expr) => {{
        let (stock, mmcs) = ($stock, $mmcs);
        let ours = Config::new(FriPcs::new(mmcs.clone(), parameters(mmcs)), $challenger);
        let trace = trace($log_rows);
        let start = Instant::now();
        let prover = Prover::new(&ours, &KeccakAir {}).expect("constraints that can be recorded");
        println!("  recorded and compared in {}", milliseconds(start.elapsed()));
        let mut expected = Vec::new();
        let mut shortest = Duration::MAX;
        for _ in 0..$runs {
            let trace = trace.clone();
            let start = Instant::now();
            let proof = prove(&stock, &KeccakAir {}, trace, &[]).expect("a proof");
            shortest = shortest.min(start.elapsed());
            expected = postcard::to_allocvec(&proof).expect("bytes");
        }
        println!("  stock {}", milliseconds(shortest));
        let mut best = (Duration::MAX, Vec::new());
        Phases::take();
        for _ in 0..$runs {
            let trace = trace.clone();
            let start = Instant::now();
            let proof = prover.prove(trace, &[]).expect("a proof");
            let (time, phases) = (start.elapsed(), Phases::take());
            if time < best.0 {
                best = (time, phases);
            }
            let bytes = postcard::to_allocvec(&proof).expect("bytes");
            assert!(bytes == expected, "the proofs are the same, byte by byte");
            let read = postcard::from_bytes(&bytes).expect("a proof");
            verify(&stock, &KeccakAir {}, &read, &[]).expect("the stock verifier accepts it");
        }
        let (time, phases) = best;
        println!(
            "  ours {}, {:.1} times as fast:",
            milliseconds(time),
            shortest.as_secs_f64() / time.as_secs_f64()
        );
        let rest = time.saturating_sub(phases.iter().map(|phase| phase.1).sum());
        for (name, time) in phases.into_iter().chain([("the rest", rest)]) {
            println!("    {name:<12} {:>12}", milliseconds(time));
        }
    }};
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

/// Compares for a hash and a number of rows.
pub fn run(hash: &str, log_rows: u32, runs: usize) {
    println!("{hash}, 2^{log_rows} rows, the shortest of {runs} runs");
    match hash {
        "blake3" => {
            compare!(log_rows, runs, config::stock(Blake3), Mmcs::new(Blake3, CAP_HEIGHT), byte_challenger());
        }
        "poseidon2" => {
            let mmcs = Mmcs::new(default_goldilocks_poseidon2_8(), CAP_HEIGHT);
            compare!(log_rows, runs, config::stock_of_elements(), mmcs, element_challenger());
        }
        _ => panic!("hash {hash:?}, expected blake3 or poseidon2"),
    }
}
