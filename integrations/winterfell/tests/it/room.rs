//! Proofs whose extensions exceed what the device may hold. In a process of its own, for the engine is the process's.

use std::marker::PhantomData;

use winter_crypto::hashers::{Blake3_256, Rp64_256};
use winter_math::fields::f64::BaseElement;
use winter_prover::ProofOptions;
use zkaccel::Engine;
use zkaccel::work::items;

use crate::air;
use crate::child::{elsewhere, is_child};
use crate::prover::{Accelerated, Stock, options};

fn same_proof<H: zkaccel_winterfell::Accelerated>(log_steps: u32, options: ProofOptions) {
    let trace = air::trace([1, 2, 3, 4].map(BaseElement::new), 1 << log_steps);
    let stock = crate::prover::proof(&Stock::<H> { options: options.clone(), hash: PhantomData }, &trace);
    let accelerated = crate::prover::proof(&Accelerated::<H> { options, hash: PhantomData }, &trace);
    assert_eq!(accelerated.to_bytes(), stock.to_bytes(), "2^{log_steps} steps");
}

#[test]
fn extensions_larger_than_the_device_may_hold() {
    elsewhere("room::child_with_little_room", &[]);
}

#[test]
#[ignore = "runs in a process of its own"]
fn child_with_little_room() {
    if !is_child() {
        return;
    }
    let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("cpu".into()).parse().unwrap();
    let engine = Engine::builder().device(device).device_memory(256 << 10).build().unwrap();
    Engine::make_global(engine.clone()).unwrap();
    // The extension of the trace has 12 columns: 24 KiB with room to spare, 768 KiB, and with 2^12 steps more than is uploaded at once.
    for (log_steps, blowup) in [(5, 8), (10, 8), (12, 8)] {
        let before = items(&engine.work(), "lde");
        same_proof::<Rp64_256>(log_steps, options());
        // The main segment at least.
        let words = (12 * blowup) << log_steps;
        assert!(items(&engine.work(), "lde") - before >= words, "2^{log_steps} steps: the engine extends");
    }
    same_proof::<Rp64_256>(10, options().with_partitions(4, 8));
    same_proof::<Blake3_256<BaseElement>>(10, options().with_partitions(2, 8));
}
