//! The engine did what the prover gave away: its account holds the proof's extensions and trees. In a process of its own, for the
//! engine is the process's.

use p3_keccak_air::{KeccakAir, generate_trace_rows};
use p3_matrix::Matrix;
use p3_uni_stark::prove;
use zkaccel::Engine;
use zkaccel::work::items;

use crate::child::{elsewhere, is_child};
use crate::config;

#[test]
fn the_engine_did_it() {
    elsewhere("account::child_whose_engine_does_it", &[]);
}

#[test]
#[ignore = "runs in a process of its own"]
fn child_whose_engine_does_it() {
    if !is_child() {
        return;
    }
    let trace = generate_trace_rows::<config::Val>(vec![[3; 25]; 10], 1);
    let engine = Engine::global().unwrap();
    let done = || ["lde", "row hashing"].map(|operation| items(&engine.work(), operation));
    let before = done();
    prove(&config::stock(p3_blake3::Blake3), &KeccakAir {}, trace.clone(), &[]).unwrap();
    prove(&config::stock_of_elements(), &KeccakAir {}, trace.clone(), &[]).unwrap();
    assert_eq!(before, done(), "the stock prover knows nothing of the engine");
    // Blow-up 2 of the trace; the quotient comes on top.
    let extension = 2 * (trace.height() * trace.width()) as u64;
    let is_done = |before: [u64; 2]| {
        let found = done().into_iter().zip(before).map(|(after, before)| after - before).collect::<Vec<_>>();
        assert!(found.iter().all(|&words| words > extension), "{found:?} words extended and hashed");
    };
    prove(&config::accelerated(p3_blake3::Blake3), &KeccakAir {}, trace.clone(), &[]).unwrap();
    is_done(before);
    let before = done();
    prove(&config::accelerated_of_elements(), &KeccakAir {}, trace.clone(), &[]).unwrap();
    is_done(before);
    // A proof in the engine's memory, too; on a device the trace is most of what is copied there, and less than that, 100 rows of the extension above all, comes back.
    let configuration = config::accelerated_of_elements();
    let prover = zkaccel_plonky3::Prover::new(&configuration, &KeccakAir {}).unwrap();
    let copied = || {
        let work = engine.work();
        let lines = || work.iter().flat_map(|device| &device.operations);
        [lines().map(|line| line.bytes_in).sum::<u64>(), lines().map(|line| line.bytes_out).sum()]
    };
    let (before, copied_before) = (done(), copied());
    let bytes = 8 * trace.values.len() as u64;
    prover.prove(trace, &[]).unwrap();
    is_done(before);
    let [copied_in, copied_out] = [0, 1].map(|way| copied()[way] - copied_before[way]);
    if engine.device().driver.is_some() {
        assert!(
            copied_in >= bytes && copied_in < bytes * 3 / 2,
            "{copied_in} bytes in for a trace of {bytes}"
        );
        assert!(copied_out > 0 && copied_out < bytes / 2, "{copied_out} bytes out for a trace of {bytes}");
    }
}
