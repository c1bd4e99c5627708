//! Batches on a device that has no room for all of them, and on one that fails.

use p3_batch_stark::ProverData;
use zkaccel::Engine;
use zkaccel::work::items;
use zkaccel_plonky3::{BatchProver, ProveError};
use zkaccel_proofs::faults::survive;

use super::airs::Instance;
use crate::{FRI, Fri, bytes};

/// Our proof by an engine.
macro_rules! proof_by {
    ($engine:expr, $ours:expr, $common:expr, $instances:expr) => {{
        let airs: Vec<_> = $instances.iter().map(|instance| &instance.air).collect();
        let traces: Vec<_> = $instances.iter().map(|instance| &instance.trace).collect();
        let publics: Vec<_> = $instances.iter().map(|instance| &instance.public_values[..]).collect();
        BatchProver::with_engine($engine, $ours, &airs, $common)
            .and_then(|prover| prover.prove(&traces, &publics))
            .map(|proof| bytes(&proof))
    }};
}

#[test]
fn parts_of_what_a_proof_takes() {
    let wide = [Instance::wide(150, 3, 6), Instance::fibonacci(8), Instance::wide(60, 3, 6)];
    let instances = [wide.to_vec(), Instance::squares(&[5], 4, true)].concat();
    let expected = stock_proof!(&FRI.stock(), &instances);
    let ours = FRI.resident();
    let data = ProverData::from_instances(&ours, &batch!(&instances)).unwrap();
    let entries: usize = instances.iter().map(|instance| instance.trace.values.len()).sum();
    // As for single traces: coefficients and extensions, what does not depend on the columns, and the code of constraints.
    let ample = instances.iter().map(|Instance { trace, .. }| {
        let columns = trace.width + 20;
        8 * (trace.values.len() / trace.width) * (7 * columns + 400) + 3000 * columns
    });
    let ample = ample.sum::<usize>() as u64;
    let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("cpu".into());
    for part in [1, 2, 4, 8, 16] {
        let engine = Engine::builder().device(device.parse().unwrap());
        let engine = engine.device_memory((ample / part).max(150_000)).build().unwrap();
        let before = items(&engine.work(), "upload");
        let found = proof_by!(&engine, &ours, &data.common, &instances).unwrap();
        assert!(found == expected, "1/{part}: the proofs differ");
        let is_there = items(&engine.work(), "upload") - before >= entries as u64;
        let has_own = engine.device().driver.is_some();
        assert!(part > 1 || is_there == has_own, "1/{part}: the traces are on the device: {is_there}");
        assert!(part < 8 || !is_there, "1/{part}: the traces are on the device");
    }
}

#[test]
fn a_fault_at_every_moment() {
    let fri = Fri { num_queries: 2, cap_heights: (2, 1), ..FRI };
    let instances = [vec![Instance::wide(5, 3, 3)], Instance::squares(&[2], 3, true)].concat();
    let expected = stock_proof!(&fri.stock(), &instances);
    let ours = fri.resident();
    let data = ProverData::from_instances(&ours, &batch!(&instances)).unwrap();
    survive(&expected, |engine| {
        proof_by!(engine, &ours, &data.common, &instances).map_err(|error| match error {
            ProveError::Engine(error) => error,
            error => panic!("{error}"),
        })
    });
}
