//! Many proofs of random witnesses, several at the same time, each verified by arkworks.
//!
//! `ZKACCEL_PROOFS=10000 cargo test --release -p zkaccel-arkworks --test it -- many --nocapture` makes as many.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use ark_bn254::{Bn254, Fr};
use ark_ff::UniformRand;
use ark_groth16::Groth16;
use ark_snark::SNARK;
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use zkaccel::Engine;
use zkaccel_arkworks::Prover;

use crate::circuit::{Chain, end};

/// Proofs under way at once.
const AT_ONCE: usize = 8;

#[test]
fn every_proof_is_true() {
    let proofs = std::env::var("ZKACCEL_PROOFS").map_or(40, |text| text.parse().unwrap());
    let rounds = 1000;
    let engine = Engine::global().unwrap();
    let circuit = Chain { start: None, rounds };
    let (key, verifying) =
        Groth16::<Bn254>::circuit_specific_setup(circuit, &mut StdRng::seed_from_u64(5)).unwrap();
    let verifying = Groth16::<Bn254>::process_vk(&verifying).unwrap();
    let prover = Prover::new(&engine, key, Default::default()).unwrap();
    let (next, begin) = (AtomicUsize::new(0), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= proofs {
                        return;
                    }
                    let mut rng = StdRng::seed_from_u64(number as u64);
                    let start = Fr::rand(&mut rng);
                    let proof = prover.prove(Chain { start: Some(start), rounds }, &mut rng).unwrap();
                    let public = end(start, rounds);
                    let verify = Groth16::<Bn254>::verify_with_processed_vk;
                    assert!(verify(&verifying, &[public], &proof).unwrap(), "proof {number}");
                    if number.is_multiple_of(97) {
                        assert!(!verify(&verifying, &[public + start], &proof).unwrap(), "proof {number}");
                    }
                }
            });
        }
    });
    let account = prover.account();
    println!(
        "{proofs} proofs of {} constraints on {}: {:.1} s, {account:?}",
        3 * rounds,
        engine.device().id,
        begin.elapsed().as_secs_f64()
    );
    assert_eq!((account.proofs, account.remade, account.refused), (proofs as u64, 0, 0));
}
