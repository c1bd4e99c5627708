//! Proves permutations of Keccak with the stock configuration and with the accelerated one, compares the proofs byte by byte, verifies,
//! and prints the times.
//!
//! ```text
//! ZKACCEL_DEVICE=cuda:0 cargo run --release -p zkaccel-plonky3 --example keccak -- 10 14
//! ```
//!
//! The arguments are logarithms of the number of rows; a permutation takes 24 rows of 2633 columns.

mod config;

use std::time::Instant;

use config::{Val, accelerated, stock};
use p3_keccak_air::{KeccakAir, generate_trace_rows};
use p3_uni_stark::{prove, verify};

fn main() {
    let sizes: Vec<u32> = std::env::args().skip(1).map(|size| size.parse().expect("a logarithm")).collect();
    let engine = zkaccel::Engine::global().expect("an engine");
    println!("device {}", engine.device().id);
    for log_rows in if sizes.is_empty() { vec![10] } else { sizes } {
        let inputs: Vec<[u64; 25]> = (0..(1u64 << log_rows) / 24)
            .map(|i| std::array::from_fn(|j| i * 0x9e37_79b9 + j as u64))
            .collect();
        let trace = generate_trace_rows::<Val>(inputs, 1);
        let (stock, accelerated) = (stock(), accelerated());
        // Tables, kernels and thresholds of the first run are the process's, not the proof's.
        let first = prove(&accelerated, &KeccakAir {}, trace.clone(), &[]).expect("a proof");
        let start = Instant::now();
        prove(&accelerated, &KeccakAir {}, trace.clone(), &[]).expect("a proof");
        let accelerated_time = start.elapsed().as_secs_f64() * 1e3;
        let start = Instant::now();
        let proof = prove(&stock, &KeccakAir {}, trace, &[]).expect("a proof");
        let stock_time = start.elapsed().as_secs_f64() * 1e3;
        let bytes = postcard::to_allocvec(&first).expect("bytes");
        assert!(
            bytes == postcard::to_allocvec(&proof).expect("bytes"),
            "the proofs are the same, byte by byte"
        );
        let read = postcard::from_bytes(&bytes).expect("a proof");
        verify(&stock, &KeccakAir {}, &read, &[]).expect("the stock verifier accepts it");
        println!(
            "2^{log_rows} rows: stock {stock_time:.0} ms, accelerated {accelerated_time:.0} ms, {:.2} times as fast",
            stock_time / accelerated_time
        );
    }
}
