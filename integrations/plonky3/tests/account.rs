//! The engine did what the prover gave away: its account holds the proof's extensions and trees. In a process of its own, for the
//! engine is the process's.

#[path = "../examples/keccak/config.rs"]
mod config;

use p3_keccak_air::{KeccakAir, generate_trace_rows};
use p3_matrix::Matrix;
use p3_uni_stark::prove;
use zkaccel::Engine;
use zkaccel::work::items;

#[test]
fn the_engine_did_it() {
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
    prove(&config::accelerated_of_elements(), &KeccakAir {}, trace, &[]).unwrap();
    is_done(before);
}
