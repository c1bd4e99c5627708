//! A proof whose key and transforms exceed what the device may hold.

use ark_bn254::{Bn254, Fr};
use ark_groth16::{Groth16, r1cs_to_qap::LibsnarkReduction};
use ark_snark::SNARK;
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use zkaccel::Engine;
use zkaccel::msm::BasesOptions;
use zkaccel::work::items;
use zkaccel_arkworks::Prover;

use crate::circuit::Chain;

#[test]
fn keys_larger_than_the_device_may_hold() {
    let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("cpu".into()).parse().unwrap();
    let engine = Engine::builder().device(device).device_memory(256 << 10).build().unwrap();
    // 2^14 points: the key's queries and a transform take 768 KiB and more.
    let rounds = 4000;
    let circuit = Chain { start: None, rounds };
    let (key, _) = Groth16::<Bn254>::circuit_specific_setup(circuit, &mut StdRng::seed_from_u64(5)).unwrap();
    let (circuit, r, s) = (Chain { start: Some(Fr::from(9)), ..circuit }, Fr::from(11), Fr::from(12));
    let stock = Groth16::<Bn254, LibsnarkReduction>::create_proof_with_reduction;
    let expected = stock(circuit, &key, r, s).unwrap();
    for tables in [false, true] {
        let options = BasesOptions { tables, ..BasesOptions::default() };
        let prover = Prover::new(&engine, key.clone(), options).unwrap();
        let before = items(&engine.work(), "msm");
        assert_eq!(prover.prove_with(circuit, r, s).unwrap(), expected, "tables: {tables}");
        assert!(items(&engine.work(), "msm") - before > 4 * 3 * rounds as u64, "the engine did the sums");
    }
}
