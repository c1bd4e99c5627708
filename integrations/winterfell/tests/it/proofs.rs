//! Proofs of the accelerated prover are those of the stock prover, and the stock verifier accepts them.

use std::marker::PhantomData;

use winter_air::ProofOptions;
use winter_air::proof::Proof;
use winter_crypto::hashers::{Blake3_256, Rp64_256, RpJive64_256, Sha3_256};
use winter_crypto::{DefaultRandomCoin, MerkleTree};
use winter_math::fields::f64::BaseElement;
use winter_verifier::{AcceptableOptions, VerifierError, verify};
use zkaccel::Engine;
use zkaccel::device::DeviceKind;

use crate::air::{self, ChainAir, Ends};
use crate::prover::{self, Accelerated, Stock, options};

fn seed(first: u64) -> [BaseElement; 4] {
    [first, first + 1, 5, 7].map(BaseElement::new)
}

fn prove<H: zkaccel_winterfell::Accelerated>(
    seed: [BaseElement; 4],
    steps: usize,
    options: &ProofOptions,
) -> (Proof, Ends) {
    let trace = air::trace(seed, steps);
    let prover = Accelerated::<H> { options: options.clone(), hash: PhantomData };
    (prover::proof(&prover, &trace), air::ends(&trace))
}

fn stock<H: zkaccel_winterfell::Accelerated>(
    seed: [BaseElement; 4],
    steps: usize,
    options: &ProofOptions,
) -> Proof {
    let prover = Stock::<H> { options: options.clone(), hash: PhantomData };
    prover::proof(&prover, &air::trace(seed, steps))
}

fn check<H: zkaccel_winterfell::Accelerated>(
    proof: Proof,
    ends: Ends,
    options: ProofOptions,
) -> Result<(), VerifierError> {
    let options = AcceptableOptions::OptionSet(vec![options]);
    verify::<ChainAir, H, DefaultRandomCoin<H>, MerkleTree<H>>(proof, ends, &options)
}

fn same_proof<H: zkaccel_winterfell::Accelerated>(log_steps: u32, options: ProofOptions) {
    let (proof, ends) = prove::<H>(seed(1), 1 << log_steps, &options);
    assert_eq!(proof.to_bytes(), stock::<H>(seed(1), 1 << log_steps, &options).to_bytes());
    check::<H>(proof.clone(), ends, options.clone()).unwrap();
    let wrong = Ends { seed: seed(2), ..ends };
    check::<H>(proof, wrong, options).expect_err("a proof of another chain");
}

#[test]
fn rescue() {
    for log_steps in [3, 4, 8, 10] {
        same_proof::<Rp64_256>(log_steps, options());
    }
}

#[test]
fn jive() {
    same_proof::<RpJive64_256>(9, options());
}

#[test]
fn blake3() {
    same_proof::<Blake3_256<BaseElement>>(9, options());
}

#[test]
fn sha3() {
    same_proof::<Sha3_256<BaseElement>>(9, options());
    same_proof::<Sha3_256<BaseElement>>(8, options().with_partitions(4, 8));
}

#[test]
fn columns_hashed_in_partitions() {
    same_proof::<Rp64_256>(8, options().with_partitions(4, 8));
}

/// The size that is asked of a real proof: 8192 hashes. Where the processor's cores stand for an OpenCL device, beside the stock prover on them, an eighth of it.
#[test]
fn a_long_chain_of_hashes() {
    let device = Engine::global().unwrap().device().clone();
    let is_stand_in = device.kind == DeviceKind::Cpu && device.driver.is_some();
    same_proof::<Rp64_256>(if is_stand_in { 13 } else { 16 }, options());
}

#[test]
fn proofs_at_the_same_time() {
    std::thread::scope(|scope| {
        for first in 0..4 {
            scope.spawn(move || {
                let (proof, ends) = prove::<Rp64_256>(seed(first), 512, &options());
                check::<Rp64_256>(proof, ends, options()).unwrap();
            });
        }
    });
}
