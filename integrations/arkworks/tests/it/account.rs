//! The engine did what the prover gave away: its account holds the proof's sums and transforms, pair by pair. In a process of its own,
//! for the hooks' engine is the process's.

use ark_bn254::{Bn254, Fr, G1Affine};
use ark_ec::{AffineRepr, VariableBaseMSM};
use ark_groth16::Groth16;
use ark_models_ext::transmute::TransmuteInto;
use ark_snark::SNARK;
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use zkaccel::Engine;
use zkaccel::work::items;
use zkaccel_arkworks::Prover;

use crate::child::{elsewhere, is_child};
use crate::circuit::Chain;

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
    let rounds = 400;
    let mut rng = StdRng::seed_from_u64(5);
    let (key, _) = Groth16::<Bn254>::circuit_specific_setup(Chain { start: None, rounds }, &mut rng).unwrap();
    let engine = Engine::global().unwrap();
    let done = |operation| items(&engine.work(), operation);
    // Points that are the identity add nothing, and are dropped; one stands behind those of H, for a coefficient of the quotient that is 0.
    let queries = [&key.a_query, &key.b_g1_query, &key.l_query, &key.h_query];
    let pairs = queries.iter().flat_map(|query| query.iter()).filter(|point| !point.is_zero()).count()
        + 1
        + key.b_g2_query.iter().filter(|point| !point.is_zero()).count();
    let circuit = Chain { start: Some(Fr::from(3)), rounds };

    let before = [done("msm"), done("fft")];
    Groth16::<Bn254>::prove(&key, circuit, &mut rng).unwrap();
    assert_eq!(before, [done("msm"), done("fft")], "the stock prover knows nothing of the engine");
    let prover = Prover::new(&engine, key.clone(), Default::default()).unwrap();
    prover.prove(circuit, &mut rng).unwrap();
    assert_eq!(done("msm") - before[0], pairs as u64);
    // 1200 constraints and two inputs: seven transforms of 2048 points.
    assert_eq!(done("fft") - before[1], 7 * 2048);

    let before = done("msm");
    let points: Vec<_> = key.h_query[..10].iter().map(|&point: &G1Affine| point.transmute_into()).collect();
    let _sum =
        ark_bn254_ext::G1Projective::<zkaccel_arkworks::Hooks>::msm(&points, &[Fr::from(2); 10]).unwrap();
    assert_eq!(done("msm") - before, 10);
}
