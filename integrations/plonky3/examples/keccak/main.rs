//! Proves permutations of Keccak with the stock configuration and with the accelerated one, compares the proofs byte by byte, verifies,
//! and prints the times and what share of them passes in transforms and commitments.
//!
//! ```text
//! ZKACCEL_DEVICE=cuda:0 cargo run --release -p zkaccel-plonky3 --example keccak -- 10 14
//! ```
//!
//! The arguments are logarithms of the number of rows; a permutation takes 24 rows of 2633 columns.

mod config;
mod timed;

use config::{Accelerated, AcceleratedMmcs, CAP_HEIGHT, Config, Stock, Val, config, stock_mmcs};
use p3_blake3::Blake3;
use p3_dft::Radix2DitParallel;
use p3_keccak_air::{KeccakAir, generate_trace_rows};
use p3_uni_stark::{prove, verify};
use timed::{CLOCK, Timed};

fn main() {
    let sizes: Vec<u32> = std::env::args().skip(1).map(|size| size.parse().expect("a logarithm")).collect();
    let engine = zkaccel::Engine::global().expect("an engine");
    println!("device {}", engine.device().id);
    for log_rows in if sizes.is_empty() { vec![10] } else { sizes } {
        let inputs: Vec<[u64; 25]> = (0..(1u64 << log_rows) / 24)
            .map(|i| std::array::from_fn(|j| i * 0x9e37_79b9 + j as u64))
            .collect();
        let trace = generate_trace_rows::<Val>(inputs, 1);
        let stock: Config<Timed<Radix2DitParallel<Val>>, _> = config(Timed(stock_mmcs(Blake3, CAP_HEIGHT)));
        let accelerated: Config<Timed<zkaccel_plonky3::Dft>, _> =
            config(Timed(AcceleratedMmcs::new(Blake3, CAP_HEIGHT)));
        let (proof, ours, times) = CLOCK.compare(
            || prove(&stock, &KeccakAir {}, trace.clone(), &[]).expect("a proof"),
            || prove(&accelerated, &KeccakAir {}, trace.clone(), &[]).expect("a proof"),
        );
        let bytes = postcard::to_allocvec(&ours).expect("bytes");
        assert!(
            bytes == postcard::to_allocvec(&proof).expect("bytes"),
            "the proofs are the same, byte by byte"
        );
        let read = postcard::from_bytes(&bytes).expect("a proof");
        verify::<Stock, _>(&config::stock(), &KeccakAir {}, &read, &[])
            .expect("the stock verifier accepts it");
        let read = postcard::from_bytes(&bytes).expect("a proof");
        verify::<Accelerated, _>(&config::accelerated(), &KeccakAir {}, &read, &[]).expect("ours, too");
        println!("2^{log_rows} rows: {times}");
    }
}
