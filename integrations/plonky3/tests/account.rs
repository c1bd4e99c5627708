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
    let (rows, columns) = (trace.height() as u64, trace.width() as u64);
    let engine = Engine::global().unwrap();
    let done = |operation| items(&engine.work(), operation);
    let before = [done("lde"), done("row hashing")];
    prove(&config::stock(), &KeccakAir {}, trace.clone(), &[]).unwrap();
    assert_eq!(before, [done("lde"), done("row hashing")], "the stock prover knows nothing of the engine");
    prove(&config::accelerated(), &KeccakAir {}, trace, &[]).unwrap();
    // Blow-up 2 of the trace; the quotient comes on top.
    let extension = 2 * rows * columns;
    assert!(done("lde") - before[0] > extension, "extensions of {} words", done("lde") - before[0]);
    assert!(
        done("row hashing") - before[1] > extension,
        "hashes of {} words",
        done("row hashing") - before[1]
    );
}
