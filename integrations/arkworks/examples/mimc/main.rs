//! Proves the knowledge of a preimage with ark-groth16 and with the engine, compares the proofs, verifies, and prints the times.
//!
//! ```text
//! ZKACCEL_DEVICE=cuda:0 cargo run --release -p zkaccel-arkworks --example mimc -- 16 18
//! ```
//!
//! The arguments are logarithms of the number of constraints.

mod circuit;

use std::time::Instant;

use ark_bn254::{Bn254, Fr};
use ark_groth16::{Groth16, r1cs_to_qap::LibsnarkReduction};
use ark_snark::SNARK;
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use circuit::{Chain, end};
use zkaccel_arkworks::Prover;

fn main() {
    let sizes: Vec<u32> = std::env::args().skip(1).map(|size| size.parse().expect("a logarithm")).collect();
    let engine = zkaccel::Engine::global().expect("an engine");
    println!("device {}", engine.device().id);
    for log_constraints in if sizes.is_empty() { vec![12] } else { sizes } {
        let rounds = (1 << log_constraints) / 3 - 1;
        let (start, r, s) = (Fr::from(3), Fr::from(11), Fr::from(12));
        let (circuit, public) = (Chain { start: Some(start), rounds }, end(start, rounds));
        let mut rng = StdRng::seed_from_u64(1);
        let (key, verifying) =
            Groth16::<Bn254>::circuit_specific_setup(Chain { start: None, rounds }, &mut rng).expect("keys");
        let prover = Prover::new(&engine, key.clone(), Default::default()).expect("kept bases");
        // Tables, kernels and thresholds of the first run are the process's, not the proof's.
        let first = prover.prove_with(circuit, r, s).expect("a proof");
        let clock = Instant::now();
        prover.prove_with(circuit, r, s).expect("a proof");
        let accelerated = clock.elapsed().as_secs_f64() * 1e3;
        let clock = Instant::now();
        let proof = Groth16::<Bn254, LibsnarkReduction>::create_proof_with_reduction(circuit, &key, r, s)
            .expect("a proof");
        let stock = clock.elapsed().as_secs_f64() * 1e3;
        assert_eq!(first, proof);
        assert!(Groth16::<Bn254>::verify(&verifying, &[public], &first).expect("a verdict"));
        println!(
            "2^{log_constraints} constraints: stock {stock:.0} ms, accelerated {accelerated:.0} ms, {:.2} times as fast",
            stock / accelerated
        );
    }
}
