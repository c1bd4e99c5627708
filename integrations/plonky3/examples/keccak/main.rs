//! Proves permutations of Keccak with the stock configuration and with the accelerated one, compares the proofs byte by byte, verifies,
//! and prints the times and what share of them passes in transforms and commitments.
//!
//! ```text
//! export RUSTFLAGS=-Ctarget-cpu=native
//! ZKACCEL_DEVICE=cuda:0 cargo run --release -p zkaccel-plonky3 --example keccak -- blake3 10 14 keccak256 10 poseidon2 10 14
//! ```
//!
//! The arguments are hashes, each with logarithms of the number of rows; a permutation takes 24 rows of 2633 columns. Plonky3 chooses its
//! vector instructions when it is compiled, so the flags are what makes the comparison fair.
//!
//! ```text
//! ZKACCEL_DEVICE=cuda:0 cargo run --release -p zkaccel-plonky3 --example keccak -- resident 5 blake3 10 14 16 poseidon2 14 blake3 fibonacci 20 permutation 16
//! ```
//!
//! With `resident` and a number of runs before them, proofs are made in the engine's memory (`zkaccel_plonky3::Prover`), and the times of their phases are printed. Then the arguments are names of
//! AIRs, too: `keccak`, which is first, `fibonacci` of two columns, and `permutation`, Poseidon2 of 180 columns; or of batches, which are proved at once: `batch`, these three of which the second has 16
//! and the third 4 times as many rows as the first, and `lookups`, two traces of five columns and a table in which they look up squares.

#[allow(dead_code, reason = "tests use the rest")]
#[path = "../../tests/it/airs.rs"]
mod airs;
mod batch;
#[allow(dead_code, reason = "tests use the rest")]
#[path = "../../tests/it/batch/airs.rs"]
mod batch_airs;
mod config;
mod resident;
mod timed;

use config::{
    CAP_HEIGHT, Config, Val, byte_challenger, element_challenger, parameters, stock_mmcs, stock_poseidon2,
};
use p3_blake3::Blake3;
use p3_dft::Radix2DitParallel;
use p3_field::{Field, PackedValue};
use p3_fri::TwoAdicFriPcs;
use p3_goldilocks::default_goldilocks_poseidon2_8;
use p3_keccak::Keccak256Hash;
use p3_keccak_air::{KeccakAir, generate_trace_rows};
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::{prove, verify};
use timed::{CLOCK, Timed};

/// The trace of as many permutations as there is room for.
fn trace(log_rows: u32) -> RowMajorMatrix<Val> {
    let inputs = (0..(1u64 << log_rows) / 24).map(|i| std::array::from_fn(|j| i * 0x9e37_79b9 + j as u64));
    generate_trace_rows(inputs.collect(), 1)
}

/// Proofs with both of two schemes of commitments. A macro, because the bounds of a function would be longer than it.
macro_rules! compare {
    ($log_rows:expr, $stock:expr, $accelerated:expr, $challenger:expr, $verifiers:expr) => {{
        let trace = trace($log_rows);
        let (theirs, ours) = ($stock, $accelerated);
        let fri = parameters(Timed(theirs.clone()));
        let pcs = TwoAdicFriPcs::new(Radix2DitParallel::<Val>::default(), theirs, fri);
        let stock = Config::new(Timed(pcs), $challenger);
        let fri = parameters(Timed(ours.clone()));
        let accelerated = Config::new(Timed(zkaccel_plonky3::FriPcs::new(ours, fri)), $challenger);
        let (theirs, ours, times) = CLOCK.compare(
            || prove(&stock, &KeccakAir {}, trace.clone(), &[]).expect("a proof"),
            || prove(&accelerated, &KeccakAir {}, trace.clone(), &[]).expect("a proof"),
        );
        let bytes = postcard::to_allocvec(&ours).expect("bytes");
        assert!(
            bytes == postcard::to_allocvec(&theirs).expect("bytes"),
            "the proofs are the same, byte by byte"
        );
        let (stock, accelerated) = $verifiers;
        let read = postcard::from_bytes(&bytes).expect("a proof");
        verify(&stock, &KeccakAir {}, &read, &[]).expect("the stock verifier accepts it");
        let read = postcard::from_bytes(&bytes).expect("a proof");
        verify(&accelerated, &KeccakAir {}, &read, &[]).expect("the accelerated one, too");
        times
    }};
}

/// The same with a hash of bytes.
macro_rules! compare_of_bytes {
    ($log_rows:expr, $hash:expr) => {
        compare!(
            $log_rows,
            stock_mmcs($hash, CAP_HEIGHT),
            zkaccel_plonky3::Mmcs::new($hash, CAP_HEIGHT),
            byte_challenger(),
            (config::stock($hash), config::accelerated($hash))
        )
    };
}

fn main() {
    let engine = zkaccel::Engine::global().expect("an engine");
    println!("device {}", engine.device().id);
    println!("{}", zkaccel_clock::compiled_for());
    println!("the stock prover computes on {} elements at once", <Val as Field>::Packing::WIDTH);
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        arguments = ["blake3", "9", "poseidon2", "9"].map(String::from).to_vec();
    }
    // Before them all, whether proofs are made in the engine's memory, and how many.
    let mut runs = None;
    if arguments[0] == "resident" {
        runs = Some(arguments.get(1).and_then(|runs| runs.parse().ok()).expect("a number of runs"));
        arguments.drain(..2);
        zkaccel_clock::Phases::start();
    }
    let (mut air, mut hash) = ("keccak".to_owned(), "blake3".to_owned());
    for argument in arguments {
        let Ok(log_rows) = argument.parse::<u32>() else {
            match runs.is_some()
                && (resident::AIRS.contains(&&*argument) || batch::BATCHES.contains(&&*argument))
            {
                true => air = argument,
                false => hash = argument,
            }
            continue;
        };
        if let Some(runs) = runs {
            match batch::BATCHES.contains(&&*air) {
                true => batch::run(&air, &hash, log_rows, runs),
                false => resident::run(&air, &hash, log_rows, runs),
            }
            continue;
        }
        let times = match &*hash {
            "blake3" => compare_of_bytes!(log_rows, Blake3),
            "keccak256" => compare_of_bytes!(log_rows, Keccak256Hash),
            "poseidon2" => compare!(
                log_rows,
                stock_poseidon2(default_goldilocks_poseidon2_8(), CAP_HEIGHT),
                zkaccel_plonky3::Mmcs::new(default_goldilocks_poseidon2_8(), CAP_HEIGHT),
                element_challenger(),
                (config::stock_of_elements(), config::accelerated_of_elements())
            ),
            _ => panic!("hash {hash:?}, expected blake3, keccak256 or poseidon2"),
        };
        println!("{hash}, 2^{log_rows} rows: {times}");
    }
}
