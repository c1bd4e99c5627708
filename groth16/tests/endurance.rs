//! Memory does not grow with the number of proofs. In a process of its own, where nothing else takes any.
//!
//! `ZKACCEL_PROOFS=10000 cargo test --release -p zkaccel-groth16 --test endurance -- --nocapture` makes as many.

#![cfg(target_os = "linux")]

use zkaccel::Engine;
use zkaccel_groth16::{Bn254, Prover, ProverOptions, wtns, zkey::Zkey};

/// Pages that the process has in memory, in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn memory_is_flat() {
    let proofs = std::env::var("ZKACCEL_PROOFS").map_or(400, |text| text.parse().unwrap());
    let engine = Engine::builder().device("cpu".parse().unwrap()).build().unwrap();
    let key = Zkey::<Bn254>::parse(include_bytes!("data/multiplier/circuit.zkey")).unwrap();
    let key = key.proving_key().unwrap();
    let prover = Prover::new(&engine, key, ProverOptions::default()).unwrap();
    let witness = wtns::parse(include_bytes!("data/multiplier/witness.wtns")).unwrap();
    let make = |count: u64| {
        for _ in 0..count / 4 {
            let pending: Vec<_> = (0..4).map(|_| prover.submit(witness.clone())).collect();
            // Some are given up.
            for pending in pending.into_iter().take(3) {
                pending.wait().unwrap();
            }
        }
    };
    // Threads, pools and tables come with the first.
    make(proofs / 4);
    let before = resident();
    make(proofs);
    let after = resident();
    println!("{proofs} proofs: {before} KiB before, {after} KiB after, {:?}", prover.account());
    assert!(after < before + 4096, "{before} KiB before {proofs} proofs, {after} KiB after");
}
