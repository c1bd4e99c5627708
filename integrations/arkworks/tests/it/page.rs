//! The program of the adaptor's page, `docs/integrations/arkworks.md`, as its readers write it. `tools/book/blocks.py` finds the page's lines here.

use std::error::Error;

use ark_bn254::{Bn254, Fr};
use ark_ec::pairing::Pairing;
use ark_groth16::Groth16;
use ark_snark::SNARK;
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use zkaccel::msm::BasesOptions;

use crate::circuit::{Chain, end};

#[test]
fn a_proof_with_a_kept_key() -> Result<(), Box<dyn Error>> {
    let mut rng = StdRng::seed_from_u64(7);
    let start = Fr::from(3);
    let circuit = Chain { start: None, rounds: 20 };
    let (proving_key, verifying_key) = Groth16::<Bn254>::circuit_specific_setup(circuit, &mut rng)?;
    let circuit = Chain { start: Some(start), rounds: 20 };

    let engine = zkaccel::Engine::new()?;
    let prover = zkaccel_arkworks::Prover::new(&engine, proving_key, BasesOptions::default())?;
    let proof = prover.prove(circuit, &mut rng)?;

    assert!(Groth16::<Bn254>::verify(&verifying_key, &[end(start, 20)], &proof)?);
    Ok(())
}

/// The curve with the engine's hooks is a pairing-friendly one like the stock curve, so that it can take its place.
#[test]
fn the_curve_of_the_hooks() {
    use zkaccel_arkworks::Bn254;

    fn scalar_of<E: Pairing<ScalarField = Fr>>() -> Fr {
        E::ScalarField::from(1)
    }
    assert_eq!(scalar_of::<Bn254>(), Fr::from(1));
}
