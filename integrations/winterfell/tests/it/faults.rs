//! Proofs on a device that fails.

use zkaccel_proofs::faults::survive;
use zkaccel_winterfell::{ProveError, Resident};

use super::Blake3;
use super::airs::Permutation;
use super::table::{OPTIONS, Options, Stock, stock};

#[test]
fn at_every_moment() {
    let trace = Permutation::trace(16);
    let prover = Stock::<Permutation, Blake3>::new(Options { queries: 3, ..OPTIONS }.into());
    let expected = stock(&prover, &trace).to_bytes();
    survive(&expected, |engine| {
        let proof = Resident::with_engine(engine).prove(&prover, trace.clone());
        proof.map(|made| made.proof.to_bytes()).map_err(|error| match error {
            ProveError::Engine(error) => error,
            error => panic!("{error}"),
        })
    });
}
