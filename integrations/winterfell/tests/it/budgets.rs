//! Proofs on a device that has no room for all of them.

use std::sync::atomic::{AtomicU64, Ordering};

use winter_air::{FieldExtension, TraceInfo};
use winter_crypto::hashers::Rp64_256;
use zkaccel::work::items;
use zkaccel::{Engine, Error};
use zkaccel_winterfell::{Accelerated, ProveError, Resident};

use super::air::ChainAir;
use super::airs::{Evaluation, Mixed, Permutation, Wide, Work};
use super::table::{OPTIONS, Options, Provable, Stock, Table, stock};
use super::{Blake3, chain};

/// An engine of the device that the tests are for, which may take so many bytes of its memory, and a few more: claims are of engines with one budget, and those of other tests are not to count.
fn engine(budget: u64) -> Engine {
    static MORE: AtomicU64 = AtomicU64::new(0);
    let budget = budget + MORE.fetch_add(1, Ordering::Relaxed);
    let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("cpu".into());
    Engine::builder().device(device.parse().unwrap()).device_memory(budget).build().unwrap()
}

/// Bytes of a device's memory for so many words in each row of a trace.
fn budget(trace: &Table, words: usize) -> u64 {
    (8 * words * trace.info.length()) as u64
}

/// Proofs within budgets of so many words in each row: for all of a proof, for what does not depend on the AIR's columns, and twice for less, down to what the code of the constraints takes.
fn within<A: Provable, H: Accelerated>(trace: &Table, options: Options, words: [usize; 4]) {
    let prover = Stock::<A, H>::new(options.into());
    let expected = stock(&prover, trace).to_bytes();
    for (index, words) in words.into_iter().enumerate() {
        let engine = engine(budget(trace, words));
        let resident = Resident::with_engine(&engine).or_stock_evaluator();
        let found = resident.prove(&prover, trace.clone()).unwrap();
        assert!(
            found.proof.to_bytes() == expected,
            "{words} words in each row: the proofs differ: {options:?}"
        );
        if engine.device_budget().is_none() {
            continue;
        }
        let uploaded = items(&engine.work(), "upload");
        let width = trace.info.main_trace_width();
        // A narrow trace has fewer entries than there are others.
        if width >= 20 {
            let entries = (width * trace.info.length()) as u64;
            assert_eq!(uploaded >= entries, index == 0, "{words} words in each row: the trace on the device");
        }
        assert_eq!(uploaded > 0, index < 2, "{words} words in each row: matrices on the device");
    }
}

#[test]
fn wide_traces() {
    let trace = Wide::trace(64, 60);
    within::<Wide, Blake3>(&trace, OPTIONS, [1200, 400, 100, 30]);
    within::<Wide, Blake3>(&trace, Options { partitions: 3, ..OPTIONS }, [1600, 500, 100, 30]);
    let options = Options { blowup: 2, extension: FieldExtension::None, ..OPTIONS };
    within::<Wide, Rp64_256>(&Wide::trace(128, 90), options, [700, 150, 20, 15]);
}

#[test]
fn hashes_and_assertions_of_all_kinds() {
    within::<ChainAir, Rp64_256>(&chain(8), OPTIONS, [1000, 450, 150, 100]);
    within::<Mixed, Blake3>(&Mixed::trace(256), OPTIONS, [700, 300, 100, 10]);
    within::<Work, Blake3>(&Work::trace(64), OPTIONS, [700, 300, 100, 10]);
}

#[test]
fn auxiliary_segments() {
    let trace = Permutation::trace(64);
    for extension in [FieldExtension::None, FieldExtension::Cubic] {
        within::<Permutation, Blake3>(&trace, Options { extension, ..OPTIONS }, [1500, 500, 60, 10]);
    }
    within::<Permutation, Blake3>(&trace, Options { partitions: 3, ..OPTIONS }, [1500, 500, 60, 10]);
}

/// Constraints that cannot be recorded, of a trace in any place.
#[test]
fn the_stock_evaluator() {
    within::<Work, Blake3>(&Work::evaluated_by(Evaluation::Divides, 64), OPTIONS, [700, 300, 100, 10]);
    let trace = Permutation::trace(64);
    let trace = Table { info: TraceInfo::new_multi_segment(2, 3, 2, 64, vec![1]), ..trace };
    within::<Permutation, Blake3>(&trace, OPTIONS, [1500, 500, 60, 10]);
}

/// Where not even a row of the constraints has room, that is an error before any work.
#[test]
fn less_than_a_row() {
    let engine = engine(64);
    match Resident::with_engine(&engine)
        .prove(&Stock::<Wide, Blake3>::new(OPTIONS.into()), Wide::trace(64, 60))
    {
        Ok(_) => assert!(engine.device_budget().is_none(), "a proof within 64 bytes"),
        Err(ProveError::Engine(Error::OverDeviceBudget { .. })) => assert!(engine.device_budget().is_some()),
        Err(error) => panic!("{error}"),
    }
}

/// Proofs at once, on a device with room for one of them.
#[test]
fn several_at_once() {
    let traces = [64, 32, 64, 16].map(|rows| Wide::trace(rows, 60));
    let prover = Stock::<Wide, Blake3>::new(OPTIONS.into());
    let expected = traces.each_ref().map(|trace| stock(&prover, trace).to_bytes());
    for words in [1200, 400] {
        let engine = engine(budget(&traces[0], words));
        let resident = Resident::with_engine(&engine);
        std::thread::scope(|scope| {
            for (trace, expected) in traces.iter().zip(&expected) {
                let (resident, prover) = (&resident, &prover);
                scope.spawn(move || {
                    for _ in 0..3 {
                        let found = resident.prove(prover, trace.clone()).unwrap().proof.to_bytes();
                        assert!(found == *expected, "the proofs differ");
                    }
                });
            }
        });
    }
}
