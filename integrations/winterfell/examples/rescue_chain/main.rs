//! Proves a chain of hashes with the stock prover and with the accelerated one, compares the proofs byte by byte, verifies, and prints
//! the times and what share of them passes in the extension of trace and constraint composition and in their commitments.
//!
//! ```text
//! ZKACCEL_DEVICE=cuda:0 cargo run --release -p zkaccel-winterfell --example rescue_chain -- 16 18
//! ```
//!
//! The arguments are logarithms of the number of steps.

mod air;
mod prover;

use std::marker::PhantomData;

use winter_air::proof::Proof;
use winter_crypto::hashers::Rp64_256;
use winter_crypto::{DefaultRandomCoin, MerkleTree};
use winter_math::fields::f64::BaseElement;
use winter_prover::Prover;
use winter_verifier::{AcceptableOptions, verify};

use air::ChainAir;
use prover::{Accelerated, CLOCK, Stock, options};

type Hash = Rp64_256;

fn main() {
    let sizes: Vec<u32> = std::env::args().skip(1).map(|size| size.parse().expect("a logarithm")).collect();
    let engine = zkaccel::Engine::global().expect("an engine");
    println!("device {}", engine.device().id);
    for log_steps in if sizes.is_empty() { vec![13] } else { sizes } {
        let trace = air::trace([1, 2, 3, 4].map(BaseElement::new), 1 << log_steps);
        let ends = air::ends(&trace);
        let stock = Stock::<Hash> { options: options(), hash: PhantomData };
        let accelerated = Accelerated::<Hash> { options: options(), hash: PhantomData };
        let (theirs, ours, times) = CLOCK.compare(
            || stock.prove(trace.clone()).expect("a proof"),
            || accelerated.prove(trace.clone()).expect("a proof"),
        );
        assert_eq!(ours.to_bytes(), theirs.to_bytes(), "the proofs are the same, byte by byte");
        check(ours, ends);
        println!("2^{log_steps} steps: {times}");
    }
}

fn check(proof: Proof, ends: air::Ends) {
    let acceptable = AcceptableOptions::OptionSet(vec![options()]);
    let verified =
        verify::<ChainAir, Hash, DefaultRandomCoin<Hash>, MerkleTree<Hash>>(proof, ends, &acceptable);
    verified.expect("the stock verifier accepts it");
}
