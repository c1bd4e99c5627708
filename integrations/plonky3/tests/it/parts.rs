//! Proofs whose traces are extended by several devices together, and stay in parts.

use p3_batch_stark::ProverData;
use p3_blake3::Blake3;
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::{QuotientAir, prove, prove_with_preprocessed, setup_preprocessed};
use zkaccel::Engine;
use zkaccel::matrix::MatrixRef;
use zkaccel::work::DeviceWork;
use zkaccel_plonky3::{BatchProver, Prover};

use super::airs::{Fibonacci, Periodic, Preprocessed, Wide};
use super::batch::airs::Instance;
use super::config::Val;
use super::hiding;
use super::{FRI, Fri, Resident, by_other_words, bytes, elements};

/// The device that the tests are for and the processor, as one engine, with shares in these proportions; of the processor alone, that.
fn engine(weights: &[usize]) -> Engine {
    let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("cpu".into());
    let devices = if device == "cpu" { device } else { format!("{device},cpu") };
    Engine::builder().device(devices.parse().unwrap()).weights(weights.to_vec()).build().unwrap()
}

/// Shares that make two cosets or four.
const WEIGHTS: [&[usize]; 2] = [&[1], &[3, 1]];

fn same<A>(air: &A, trace: &RowMajorMatrix<Val>, public_values: &[Val], fri: Fri, expected: &[u8])
where
    A: QuotientAir<Resident<Blake3>>,
{
    let ours = fri.resident();
    for weights in WEIGHTS {
        let engine = engine(weights);
        let prover = Prover::with_engine(&engine, &ours, air).unwrap();
        let before = engine.work();
        // The second time with what the prover kept.
        for (time, trace) in [trace.clone(), by_other_words(trace)].into_iter().enumerate() {
            let found = prover.prove(trace, public_values).unwrap();
            assert!(bytes(&found) == *expected, "{weights:?}, {time}: the proofs differ");
        }
        let mut pinned = engine.pinned(trace.values.len()).unwrap();
        pinned.copy_from_slice(elements(trace).as_slice());
        let view = MatrixRef::new(&pinned, elements(trace).shape()).unwrap();
        let found = prover.prove_borrowed(view, public_values, None).unwrap();
        assert!(bytes(&found) == *expected, "{weights:?}, page-locked: the proofs differ");
        assert_divided(&engine, weights, &before, trace.values.len() << fri.log_blowup);
    }
}

/// Every device of an engine with equal shares, and with data that stay on devices, has extended so many words.
fn assert_divided(engine: &Engine, weights: &[usize], before: &[DeviceWork], words: usize) {
    let least = if engine.keeps_parts() && weights.len() == 1 { words as u64 } else { 0 };
    let items = |work: &DeviceWork| work.of("lde").map_or(0, |line| line.items);
    for (work, before) in engine.work().iter().zip(before) {
        let extended = items(work) - items(before);
        assert!(extended >= least, "{} extended {extended} words, expected {least}", work.device);
    }
}

/// The same with the stock proof.
macro_rules! same_in_parts {
    ($air:expr, $trace:expr, $public_values:expr, $fri:expr) => {
        let (air, trace, public_values) = (&$air, $trace, &$public_values[..]);
        let stock = prove(&$fri.stock(), air, trace.clone(), public_values).unwrap();
        same(air, &trace, public_values, $fri, &bytes(&stock));
    };
}

/// Quotients on a coset that is as large as the extensions', a smaller or a larger one.
#[test]
fn cosets_of_any_size() {
    for (columns, degree, log_blowup) in [(70, 3, 1), (5, 3, 2), (70, 2, 3), (12, 9, 1)] {
        let air = Wide { columns, degree };
        same_in_parts!(air, air.trace(6), [], Fri { log_blowup, ..FRI });
    }
}

#[test]
fn few_rows_and_columns() {
    for log_rows in [2, 3, 9] {
        let (trace, public_values) = Fibonacci::trace(log_rows);
        same_in_parts!(Fibonacci, trace, public_values, Fri { log_blowup: 2, max_log_arity: 2, ..FRI });
    }
    same_in_parts!(Periodic, Periodic::trace(6), [], FRI);
}

#[test]
fn preprocessed_columns() {
    let air = Preprocessed { log_rows: 6, next: true };
    let (stock, ours) = (FRI.stock(), FRI.resident());
    let (data, key) = setup_preprocessed(&stock, &air, 6).unwrap().unwrap();
    let expected = bytes(&prove_with_preprocessed(&stock, &air, air.trace(), &[], Some(&data)).unwrap());
    for weights in WEIGHTS {
        let engine = engine(weights);
        let prover = Prover::with_engine(&engine, &ours, &air).unwrap();
        let (columns, our_key) = prover.preprocess(6).unwrap().unwrap();
        assert_eq!(our_key.commitment, key.commitment);
        let found = bytes(&prover.prove_with_preprocessed(air.trace(), &[], &columns).unwrap());
        assert!(found == expected, "the proofs differ");
    }
}

/// Zero knowledge: random numbers are drawn in the same order, and salts come to where rows are.
#[test]
fn hidden_traces() {
    for (columns, degree, log_blowup) in [(70, 3, 1), (5, 3, 2), (7, 9, 1)] {
        let (air, fri) = (Wide { columns, degree }, Fri { log_blowup, ..hiding::FRI });
        let trace = air.trace(6);
        let expected = bytes(&prove(&hiding::stock(fri), &air, trace.clone(), &[]).unwrap());
        for weights in WEIGHTS {
            let engine = engine(weights);
            let before = engine.work();
            for time in 0..2 {
                let ours = hiding::ours(fri);
                let prover = Prover::with_engine(&engine, &ours, &air).unwrap();
                let found = bytes(&prover.prove(trace.clone(), &[]).unwrap());
                assert!(found == expected, "{weights:?}, {time}: the proofs differ");
            }
            assert_divided(&engine, weights, &before, 2 * trace.values.len() << log_blowup);
        }
    }
}

/// Traces of several heights, matrices of one height side by side, and columns of lookups.
#[test]
fn batches() {
    let alone = [Instance::fibonacci(7), Instance::preprocessed(6, true), Instance::wide(7, 5, 2)];
    let instances = [&alone[..], &Instance::squares(&[6, 3], 5, true)].concat();
    for fri in [FRI, Fri { log_blowup: 2, max_log_arity: 2, cap_heights: (0, 2), ..FRI }] {
        let (stock, ours) = (fri.stock(), fri.resident());
        let expected = stock_proof!(&stock, &instances);
        let airs: Vec<_> = instances.iter().map(|instance| &instance.air).collect();
        let traces: Vec<_> = instances.iter().map(|instance| &instance.trace).collect();
        let publics: Vec<_> = instances.iter().map(|instance| &instance.public_values[..]).collect();
        let longest = traces.iter().map(|trace| trace.values.len()).max().unwrap();
        let common = ProverData::from_instances(&ours, &batch!(&instances)).unwrap().common;
        for weights in WEIGHTS {
            let engine = engine(weights);
            let before = engine.work();
            let prover = BatchProver::with_engine(&engine, &ours, &airs, &common).unwrap();
            for time in 0..2 {
                let found = bytes(&prover.prove(&traces, &publics).unwrap());
                assert!(found == expected, "{weights:?}, {time}: the proofs differ");
            }
            assert_divided(&engine, weights, &before, longest << fri.log_blowup);
        }
    }
}
