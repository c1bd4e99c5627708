//! The engine did what the prover gave away: its account holds the proof's extensions and trees, word by word. In a process of its
//! own, for the engine is the process's.

use std::marker::PhantomData;

use winter_crypto::hashers::Rp64_256;
use winter_math::fields::f64::BaseElement;
use winter_prover::Prover;
use zkaccel::Engine;
use zkaccel::work::items;

use crate::child::{elsewhere, is_child};
use crate::{air, prover};

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
    let (steps, blowup) = (1 << 10, 8);
    let trace = air::trace([BaseElement::new(7); 4], steps);
    let engine = Engine::global().unwrap();
    let done = |operation| items(&engine.work(), operation);
    let before = [done("lde"), done("merkle tree")];
    prover::proof(&prover::Stock::<Rp64_256> { options: prover::options(), hash: PhantomData }, &trace);
    assert_eq!(before, [done("lde"), done("merkle tree")], "the stock prover knows nothing of the engine");
    prover::Accelerated::<Rp64_256> { options: prover::options(), hash: PhantomData }.prove(trace).unwrap();
    // Twelve registers; seven columns of the composition over the quadratic extension.
    let words = (steps * blowup * (12 + 7 * 2)) as u64;
    assert_eq!(done("lde") - before[0], words);
    // Trace, constraints, and the layers of FRI, each an eighth of the one before.
    let domain = (steps * blowup) as u64;
    let leaves = done("merkle tree") - before[1];
    assert!(
        leaves >= 2 * domain + domain / 8,
        "trees over {leaves} leaves, expected those of all commitments"
    );
}
