//! Sums, transforms and proofs are arkworks' own, and its verifier accepts them.

#[path = "../examples/mimc/circuit.rs"]
mod circuit;

use ark_bn254::{Bn254, Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, VariableBaseMSM};
use ark_ff::{AdditiveGroup, Field, UniformRand};
use ark_groth16::{Groth16, Proof, ProvingKey, VerifyingKey, r1cs_to_qap::LibsnarkReduction};
use ark_models_ext::transmute::TransmuteInto;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use ark_snark::SNARK;
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use circuit::{Chain, end};
use zkaccel::Engine;
use zkaccel_arkworks::{Domain, Prover};

fn keys(rounds: usize) -> (ProvingKey<Bn254>, VerifyingKey<Bn254>) {
    let circuit = Chain { start: None, rounds };
    Groth16::<Bn254>::circuit_specific_setup(circuit, &mut StdRng::seed_from_u64(5)).unwrap()
}

fn accepts(key: &VerifyingKey<Bn254>, public: Fr, proof: &Proof<Bn254>) -> bool {
    Groth16::<Bn254>::verify(key, &[public], proof).unwrap()
}

#[test]
fn sums_through_the_hooks() {
    type Hooked = ark_bn254_ext::G1Projective<zkaccel_arkworks::Hooks>;
    let mut rng = StdRng::seed_from_u64(1);
    for len in [0, 1, 2, 31, 1000] {
        let scalars: Vec<Fr> = (0..len).map(|_| Fr::rand(&mut rng)).collect();
        let mut points: Vec<G1Affine> = (0..len).map(|_| G1Affine::rand(&mut rng)).collect();
        if len > 1 {
            points[1] = G1Affine::zero();
        }
        let hooked: Vec<_> = points.iter().map(|&point| point.transmute_into()).collect();
        let expected: Hooked = G1Projective::msm(&points, &scalars).unwrap().transmute_into();
        assert_eq!(Hooked::msm(&hooked, &scalars).unwrap(), expected, "{len} points");
    }
}

#[test]
fn transforms() {
    let engine = Engine::global().unwrap();
    let mut rng = StdRng::seed_from_u64(2);
    for coefficients in [1, 2, 5, 64, 1000] {
        let values: Vec<Fr> = (0..coefficients).map(|_| Fr::rand(&mut rng)).collect();
        let ours = Domain::new(&engine, coefficients).unwrap();
        let theirs = Radix2EvaluationDomain::<Fr>::new(coefficients).unwrap();
        let offset = Fr::from(5);
        for (ours, theirs) in
            [(ours.clone(), theirs), (ours.get_coset(offset).unwrap(), theirs.get_coset(offset).unwrap())]
        {
            assert_eq!(ours.size(), theirs.size());
            let mut found = values.clone();
            ours.fft_in_place(&mut found).unwrap();
            assert_eq!(found, theirs.fft(&values));
            ours.ifft_in_place(&mut found).unwrap();
            assert_eq!(found[..coefficients], values);
            assert!(found[coefficients..].iter().all(|x| *x == Fr::ZERO));
        }
        ours.fft_in_place(&mut vec![Fr::ONE; ours.size() + 1]).expect_err("too many coefficients");
        ours.get_coset(Fr::ZERO).err().expect("no coset by zero");
    }
}

#[test]
fn the_proof_is_that_of_the_stock_prover() {
    let engine = Engine::global().unwrap();
    for rounds in [1, 5, 1000] {
        let (key, verifying) = keys(rounds);
        let (start, r, s) = (Fr::from(9), Fr::from(1234), Fr::from(77));
        let circuit = Chain { start: Some(start), rounds };
        let prover = Prover::new(&engine, key.clone(), Default::default()).unwrap();
        for (r, s) in [(r, s), (Fr::ZERO, s), (Fr::ZERO, Fr::ZERO)] {
            let proof = prover.prove_with(circuit, r, s).unwrap();
            let stock = Groth16::<Bn254, LibsnarkReduction>::create_proof_with_reduction(circuit, &key, r, s);
            assert_eq!(proof, stock.unwrap(), "{rounds} rounds");
            assert!(accepts(&verifying, end(start, rounds), &proof));
            assert!(!accepts(&verifying, end(start, rounds) + Fr::ONE, &proof));
        }
    }
}

#[test]
fn proofs_at_the_same_time() {
    let engine = Engine::global().unwrap();
    let (key, verifying) = keys(300);
    let prover = Prover::new(&engine, key, Default::default()).unwrap();
    std::thread::scope(|scope| {
        for start in 0..4 {
            let (prover, verifying) = (&prover, &verifying);
            scope.spawn(move || {
                let start = Fr::from(start);
                let mut rng = StdRng::seed_from_u64(7);
                let proof = prover.prove(Chain { start: Some(start), rounds: 300 }, &mut rng).unwrap();
                assert!(accepts(verifying, end(start, 300), &proof));
            });
        }
    });
}
