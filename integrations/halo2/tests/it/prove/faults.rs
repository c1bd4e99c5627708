//! Proofs on a device that fails.

use zkaccel_halo2::{ProveError, Prover};
use zkaccel_proofs::faults::survive;

use super::random::{SMALL, Shape};
use super::setup::{Setup, Shplonk, engine};

#[test]
fn at_every_moment() {
    let shape = Shape { lookups: 1, inputs: 2, gates: 1, copies: 1, ..SMALL };
    let (circuits, instances) = super::circuits(shape, 1);
    let setup = Setup::new(shape.k, &circuits[0]);
    let prove = |prover: &Prover| setup.prove::<Shplonk, _>(prover, &circuits, &instances);
    let expected = prove(&Prover::with_engine(&engine())).unwrap();
    survive(&expected, |engine| {
        prove(&Prover::with_engine(engine)).map_err(|error| match error {
            ProveError::Engine(error) => error,
            error => panic!("{error}"),
        })
    });
}
