//! Proofs of batches in the engine's memory beside those of the stock prover, with the times of their phases.

use std::time::Instant;

use p3_batch_stark::{ProverData, StarkInstance, prove_batch, verify_batch};
use p3_blake3::Blake3;
use p3_goldilocks::default_goldilocks_poseidon2_8;
use zkaccel_plonky3::{BatchProver, FriPcs, Mmcs};

use super::batch_airs::Instance;
use super::config::{self, CAP_HEIGHT, Config, byte_challenger, element_challenger, parameters};
use super::resident::{Shortest, milliseconds};

/// The names of batches.
pub const BATCHES: [&str; 2] = ["batch", "lookups"];

/// The batch that instances are, for a configuration.
macro_rules! batch {
    ($instances:expr) => {{
        let batch = $instances.iter().map(|instance| StarkInstance {
            air: &instance.air,
            trace: &instance.trace,
            public_values: instance.public_values.clone(),
        });
        batch.collect::<Vec<_>>()
    }};
}

/// So many proofs by either prover in turn, of which the shortest times are printed.
macro_rules! compare {
    ($instances:expr, $runs:expr, $stock:expr, $mmcs:expr, $challenger:expr) => {{
        let (instances, stock, mmcs) = ($instances, $stock, $mmcs);
        let ours = Config::new(FriPcs::new(mmcs.clone(), parameters(mmcs)), $challenger);
        let airs: Vec<_> = instances.iter().map(|instance| &instance.air).collect();
        let traces: Vec<_> = instances.iter().map(|instance| &instance.trace).collect();
        let publics: Vec<_> = instances.iter().map(|instance| &instance.public_values[..]).collect();
        let batch = batch!(instances);
        let data = ProverData::from_instances(&stock, &batch).expect("common data");
        let our_data = ProverData::from_instances(&ours, &batch!(instances)).expect("common data");
        let start = Instant::now();
        let prover =
            BatchProver::new(&ours, &airs, &our_data.common).expect("constraints that can be recorded");
        println!("  recorded and compared in {}", milliseconds(start.elapsed()));
        let [mut theirs, mut best] = [Shortest::NONE; 2];
        for _ in 0..$runs {
            let proof = theirs.of(|| prove_batch(&stock, &batch, &data).expect("a proof"));
            let expected = postcard::to_allocvec(&proof).expect("bytes");
            let proof = best.of(|| prover.prove(&traces, &publics).expect("a proof"));
            let bytes = postcard::to_allocvec(&proof).expect("bytes");
            assert!(bytes == expected, "the proofs are the same, byte by byte");
            let read = postcard::from_bytes(&bytes).expect("a proof");
            let owned: Vec<_> = instances.iter().map(|instance| instance.air.clone()).collect();
            let values: Vec<_> = publics.iter().map(|values| values.to_vec()).collect();
            verify_batch(&stock, &owned, &read, &values, &data.common)
                .expect("the stock verifier accepts it");
        }
        println!("  stock {}", milliseconds(theirs.0));
        theirs.print();
        let ratio = theirs.0.as_secs_f64() / best.0.as_secs_f64();
        best.print_processors(&theirs);
        println!("  ours {}, {ratio:.2} times as fast:", milliseconds(best.0));
        best.print_all();
    }};
}

/// Compares for a batch, a hash and the number of rows of its first trace.
pub fn run(name: &str, hash: &str, log_rows: u32, runs: usize) {
    println!("{name}, {hash}, 2^{log_rows} rows, the shortest of {runs} runs");
    let instances = match name {
        "batch" => vec![
            Instance::keccak((1 << log_rows) / 24),
            Instance::fibonacci(log_rows + 4),
            Instance::permutation(log_rows + 2),
        ],
        _ => Instance::squares(&[log_rows, log_rows], log_rows - 2, true),
    };
    match hash {
        "blake3" => {
            let (stock, mmcs) = (config::stock(Blake3), Mmcs::new(Blake3, CAP_HEIGHT));
            compare!(&instances, runs, stock, mmcs, byte_challenger())
        }
        "poseidon2" => {
            let mmcs = Mmcs::new(default_goldilocks_poseidon2_8(), CAP_HEIGHT);
            compare!(&instances, runs, config::stock_of_elements(), mmcs, element_challenger())
        }
        hash => panic!("hash {hash:?}, expected blake3 or poseidon2"),
    }
}
