//! Proofs whose traces are extended by several devices together, and stay in parts.

use winter_air::FieldExtension;
use winter_crypto::hashers::{Rp64_256, Sha3_256};
use winter_math::fields::f64::BaseElement;
use zkaccel::work::{DeviceWork, items};
use zkaccel::{Engine, EngineBuilder};
use zkaccel_winterfell::{Accelerated, Constraints, Resident};

use super::air::ChainAir;
use super::airs::{Evaluation, Mixed, Permutation, Wide, Work};
use super::table::{OPTIONS, Options, Provable, Stock, Table, stock};
use super::{Blake3, chain};

/// The device that the tests are for and the processor, in this order or the other; several devices by themselves.
fn devices(processor_first: bool) -> EngineBuilder {
    let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("cpu".into());
    let devices = match device.as_str() {
        "cpu" => device,
        several if several.contains(',') => device,
        device if processor_first => format!("cpu,{device}"),
        device => format!("{device},cpu"),
    };
    Engine::builder().device(devices.parse().unwrap())
}

/// These as one engine, with shares in these proportions; of the processor alone, that.
fn engine(weights: &[usize]) -> Engine {
    devices(false).weights(weights.to_vec()).build().unwrap()
}

/// Shares that make two cosets or four.
const WEIGHTS: [&[usize]; 2] = [&[1], &[3, 1]];

/// Proofs by several devices are the stock prover's, and each device extends its share of the trace.
fn same<A: Provable, H: Accelerated>(trace: &Table, options: Options) {
    let prover = Stock::<A, H>::new(options.into());
    let expected = stock(&prover, trace).to_bytes();
    for weights in WEIGHTS {
        let engine = engine(weights);
        let before = engine.work();
        let found = Resident::with_engine(&engine).prove(&prover, trace.clone()).unwrap();
        assert_eq!(found.constraints, Constraints::Recorded);
        assert!(found.proof.to_bytes() == expected, "{weights:?}: the proofs differ: {options:?}");
        // Of two cosets the second device has none by the other proportions.
        let share = if weights.len() == 1 { options.blowup / 2 } else { options.blowup / 4 };
        if !engine.keeps_parts() {
            continue;
        }
        let least = (trace.info.main_trace_width() * trace.info.length() * share) as u64;
        for (work, before) in engine.work().iter().zip(&before) {
            let items = |work: &DeviceWork| work.of("lde").map_or(0, |line| line.items);
            let extended = items(work) - items(before);
            assert!(extended >= least, "{weights:?}: {} extended {extended} words", work.device);
        }
    }
}

/// Constraints on a coset that is as large as the one that is committed to, or smaller, so that all parts have some of it, or the first alone.
#[test]
fn cosets_of_any_size() {
    let trace = Wide::trace(64, 40);
    for blowup in [2, 4, 8, 16] {
        same::<Wide, Blake3>(&trace, Options { blowup, ..OPTIONS });
    }
    same::<ChainAir, Rp64_256>(&chain(8), OPTIONS);
}

#[test]
fn few_rows_and_columns() {
    for rows in [16, 32, 512] {
        let options = Options { blowup: 4, extension: FieldExtension::None, ..OPTIONS };
        same::<Work, Sha3_256<BaseElement>>(&Work::trace(rows), options);
    }
}

/// Periodic columns, asserted polynomials, exemptions.
#[test]
fn what_constraints_read_beside_the_trace() {
    for blowup in [4, 8] {
        same::<Mixed, Blake3>(&Mixed::trace(256), Options { blowup, ..OPTIONS });
    }
}

#[test]
fn auxiliary_segments() {
    let trace = Permutation::trace(64);
    for extension in [FieldExtension::None, FieldExtension::Quadratic, FieldExtension::Cubic] {
        same::<Permutation, Blake3>(&trace, Options { extension, blowup: 4, ..OPTIONS });
    }
    same::<Permutation, Rp64_256>(&trace, OPTIONS);
}

/// Digests of the rows of parts are merged on the host.
#[test]
fn rows_in_partitions() {
    same::<Permutation, Blake3>(&Permutation::trace(64), Options { partitions: 3, ..OPTIONS });
    same::<Wide, Rp64_256>(&Wide::trace(32, 30), Options { partitions: 2, ..OPTIONS });
}

/// Extensions in parts are copied to the host.
#[test]
fn the_stock_evaluator() {
    let trace = Work::evaluated_by(Evaluation::Divides, 64);
    let prover = Stock::<Work, Blake3>::new(OPTIONS.into());
    let expected = stock(&prover, &trace).to_bytes();
    for weights in WEIGHTS {
        let resident = Resident::with_engine(&engine(weights)).or_stock_evaluator();
        let found = resident.prove(&prover, trace.clone()).unwrap();
        assert!(matches!(found.constraints, Constraints::Stock { .. }));
        assert!(found.proof.to_bytes() == expected, "{weights:?}: the proofs differ");
    }
}

/// The first part is in host memory, and all that is whole on the device.
#[test]
fn the_processor_first() {
    let (chain, permutation) = (chain(4), Permutation::trace(32));
    let of_chain = Stock::<ChainAir, Rp64_256>::new(OPTIONS.into());
    let of_permutation = Stock::<Permutation, Blake3>::new(OPTIONS.into());
    for weights in WEIGHTS {
        let engine = devices(true).weights(weights.to_vec()).build().unwrap();
        let resident = Resident::with_engine(&engine);
        let found = resident.prove(&of_chain, chain.clone()).unwrap().proof;
        assert!(found.to_bytes() == stock(&of_chain, &chain).to_bytes(), "{weights:?}: the proofs differ");
        let found = resident.prove(&of_permutation, permutation.clone()).unwrap().proof;
        let expected = stock(&of_permutation, &permutation);
        assert!(found.to_bytes() == expected.to_bytes(), "{weights:?}: the proofs differ");
    }
}

/// With less and less of what a proof takes on the devices, down to where all of it is in host memory.
#[test]
fn budgets() {
    let trace = Wide::trace(64, 60);
    let prover = Stock::<Wide, Blake3>::new(OPTIONS.into());
    let expected = stock(&prover, &trace).to_bytes();
    let entries = (trace.info.main_trace_width() * trace.info.length()) as u64;
    for (words, in_parts) in [(1200, true), (400, false), (100, false)] {
        let budget = (8 * words * trace.info.length()) as u64;
        let engine = devices(false).weights(vec![1]).device_memory(budget).build().unwrap();
        let found = Resident::with_engine(&engine).prove(&prover, trace.clone()).unwrap().proof;
        assert!(found.to_bytes() == expected, "{words} words in each row: the proofs differ");
        let has_trace = items(&engine.work(), "upload") >= entries;
        assert!(
            has_trace == in_parts || !engine.keeps_parts(),
            "{words} words in each row: a device has the trace: {has_trace}"
        );
    }
}
