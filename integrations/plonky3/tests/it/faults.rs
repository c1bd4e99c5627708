//! Proofs on a device that fails.

use p3_uni_stark::prove;
use zkaccel_plonky3::{ProveError, Prover};
use zkaccel_proofs::faults::survive;

use super::airs::Wide;
use super::{FRI, Fri, bytes};

#[test]
fn at_every_moment() {
    let air = Wide { columns: 20, degree: 3 };
    let fri = Fri { num_queries: 3, ..FRI };
    let (stock, ours) = (fri.stock(), fri.resident());
    let expected = bytes(&prove(&stock, &air, air.trace(4), &[]).unwrap());
    survive(&expected, |engine| {
        let prover = Prover::with_engine(engine, &ours, &air);
        let proof = prover.and_then(|prover| prover.prove(air.trace(4), &[]));
        proof.map(|proof| bytes(&proof)).map_err(|error| match error {
            ProveError::Engine(error) => error,
            error => panic!("{error}"),
        })
    });
}
