//! Proofs on a device that has no room for all of them.

use p3_blake3::Blake3;
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::{QuotientAir, prove, prove_with_preprocessed, setup_preprocessed};
use zkaccel::work::items;
use zkaccel::{Engine, Error};
use zkaccel_plonky3::{ProveError, Prover};

use super::airs::{Fibonacci, Periodic, Preprocessed, Wide};
use super::config::Val;
use super::{FRI, Fri, Resident, bytes, elements};

/// An engine of the device that the tests are for, which may take so many bytes of its memory.
fn engine(budget: u64) -> Engine {
    let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("cpu".into());
    Engine::builder().device(device.parse().unwrap()).device_memory(budget).build().unwrap()
}

/// Bytes for each column that the code of the constraints takes at most.
const CODE: usize = 1000;

/// Bytes of a device's memory with which a proof stays there: more than it needs.
fn ample(trace: &RowMajorMatrix<Val>) -> u64 {
    let (rows, columns) = (trace.values.len() / trace.width, trace.width);
    (8 * rows * (5 * columns + 400) + 3 * CODE * columns) as u64
}

/// Proofs with less and less of what one takes on the device, of a trace in host memory and, where there is room for it, of one on the device.
fn within<A>(air: &A, trace: &RowMajorMatrix<Val>, public_values: &[Val], fri: Fri, expected: &[u8])
where
    A: QuotientAir<Resident<Blake3>>,
{
    let ours = fri.resident();
    let ample = ample(trace);
    let least = (CODE * trace.width) as u64;
    for (part, budget) in [1, 3, 6, 12].map(|part| (part, least.max(ample / part))) {
        let engine = engine(budget);
        let prover = Prover::with_engine(&engine, &ours, air).unwrap();
        let before = items(&engine.work(), "upload");
        let found = prover.prove(trace.clone(), public_values).unwrap();
        assert!(bytes(&found) == *expected, "1/{part}: {budget} bytes: the proofs differ");
        let is_there = items(&engine.work(), "upload") - before >= trace.values.len() as u64;
        let should_be = engine.device().driver.is_some() && part == 1;
        // A narrow trace has fewer entries than there are others.
        assert!(
            is_there == should_be || trace.width < 20,
            "1/{part}: the trace is on the device: {is_there}"
        );
        let found = prover.prove_borrowed(elements(trace).view(), public_values, None).unwrap();
        assert!(bytes(&found) == *expected, "1/{part}: {budget} bytes, borrowed: the proofs differ");
        if let Ok(resident) = engine.upload(elements(trace)) {
            let found = prover.prove_resident(resident, public_values, None).unwrap();
            assert!(bytes(&found) == *expected, "1/{part}: {budget} bytes, resident: the proofs differ");
        }
    }
}

/// The same with the stock proof.
macro_rules! within {
    ($air:expr, $trace:expr, $public_values:expr, $fri:expr) => {
        let (air, trace, public_values) = (&$air, $trace, &$public_values[..]);
        let stock = prove(&$fri.stock(), air, trace.clone(), public_values).unwrap();
        within(air, &trace, public_values, $fri, &bytes(&stock));
    };
}

#[test]
fn parts_of_what_a_proof_takes() {
    let wide = Wide { columns: 150, degree: 3 };
    within!(wide, wide.trace(6), [], FRI);
    within!(wide, wide.trace(5), [], Fri { log_blowup: 2, max_log_arity: 2, ..FRI });
    let chunks = Wide { columns: 50, degree: 9 };
    within!(chunks, chunks.trace(5), [], FRI);
    let (trace, public_values) = Fibonacci::trace(9);
    within!(Fibonacci, trace, public_values, FRI);
    within!(Periodic, Periodic::trace(6), [], FRI);
}

/// Preprocessed columns, in the device's memory or not, beside a trace that is or is not.
#[test]
fn preprocessed_columns() {
    let air = Preprocessed { log_rows: 6, next: true };
    let (stock, ours) = (FRI.stock(), FRI.resident());
    let (data, key) = setup_preprocessed(&stock, &air, 6).unwrap().unwrap();
    let expected = bytes(&prove_with_preprocessed(&stock, &air, air.trace(), &[], Some(&data)).unwrap());
    let ample = 2 * ample(&air.trace());
    for budget in [1, 2, 3, 4, 6, 12, 40].map(|part| ample / part) {
        let engine = engine(budget);
        let prover = Prover::with_engine(&engine, &ours, &air).unwrap();
        let (columns, our_key) = prover.preprocess(6).unwrap().unwrap();
        assert_eq!(our_key.commitment, key.commitment);
        let found = bytes(&prover.prove_with_preprocessed(air.trace(), &[], &columns).unwrap());
        assert!(found == expected, "{budget} bytes: the proofs differ");
    }
}

/// Where not even a row of the constraints has room, that is an error before any work.
#[test]
fn less_than_a_row() {
    let has_own = Engine::global().unwrap().device().driver.is_some();
    let engine = engine(64);
    match Prover::with_engine(&engine, &FRI.resident(), &Fibonacci) {
        Ok(_) => assert!(!has_own, "a prover within 64 bytes"),
        Err(ProveError::Engine(Error::OverDeviceBudget { .. })) => assert!(has_own),
        Err(error) => panic!("{error}"),
    }
}

/// Proofs at once, on a device with room for one of them.
#[test]
fn several_at_once() {
    let air = Wide { columns: 60, degree: 3 };
    let (stock, ours) = (FRI.stock(), FRI.resident());
    let traces = [6, 5, 6, 4].map(|log_rows| air.trace(log_rows));
    let expected = traces.each_ref().map(|trace| bytes(&prove(&stock, &air, trace.clone(), &[]).unwrap()));
    for budget in [1, 3].map(|part| ample(&traces[0]) / part) {
        let engine = engine(budget);
        let prover = Prover::with_engine(&engine, &ours, &air).unwrap();
        std::thread::scope(|scope| {
            for (trace, expected) in traces.iter().zip(&expected) {
                let prover = &prover;
                scope.spawn(move || {
                    for _ in 0..3 {
                        let found = bytes(&prover.prove(trace.clone(), &[]).unwrap());
                        assert!(found == *expected, "the proofs differ");
                    }
                });
            }
        });
    }
}
