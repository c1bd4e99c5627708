//! Sums, transforms and proofs are arkworks' own, and its verifier accepts them.

use ark_bn254::{Bn254, Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, VariableBaseMSM};
use ark_ff::{AdditiveGroup, Field, UniformRand};
use ark_groth16::{Groth16, Proof, ProvingKey, VerifyingKey, r1cs_to_qap::LibsnarkReduction};
use ark_models_ext::transmute::TransmuteInto;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use ark_relations::gr1cs::{ConstraintSynthesizer, ConstraintSystemRef, SynthesisError};
use ark_snark::SNARK;
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use zkaccel::Engine;
use zkaccel_arkworks::{Domain, ProveError, Prover};

use crate::circuit::{Chain, end};

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

/// A witness that does not satisfy the constraints gives no proof; the stock prover, where debug assertions are off, makes one that its verifier refuses.
#[test]
fn false_witnesses() {
    /// A chain whose end is another.
    #[derive(Clone, Copy)]
    struct False(Chain);

    impl ConstraintSynthesizer<Fr> for False {
        fn generate_constraints(self, system: ConstraintSystemRef<Fr>) -> Result<(), SynthesisError> {
            self.0.generate_constraints(system.clone())?;
            let mut system = system.borrow_mut().ok_or(SynthesisError::MissingCS)?;
            system.assignments.instance_assignment[1] += Fr::ONE;
            Ok(())
        }
    }

    let engine = Engine::global().unwrap();
    let (key, _) = keys(50);
    let (start, r, s) = (Fr::from(9), Fr::from(1234), Fr::from(77));
    let chain = Chain { start: Some(start), rounds: 50 };
    let prover = Prover::new(&engine, key.clone(), Default::default()).unwrap();
    let error = prover.prove_with(False(chain), r, s).unwrap_err();
    assert!(matches!(error, ProveError::Unsatisfied(_)), "{error}");
    assert!(error.to_string().contains("does not verify"), "{error}");
    let expected =
        Groth16::<Bn254, LibsnarkReduction>::create_proof_with_reduction(chain, &key, r, s).unwrap();
    assert_eq!(prover.prove_with(chain, r, s).unwrap(), expected);
    let account = prover.account();
    assert_eq!((account.proofs, account.refused), (1, 1));
}

/// A proof from a key of snarkjs, by arkworks' verifier.
#[test]
fn proofs_of_circom() {
    use zkaccel_groth16::{Prover, ProverOptions, json, wtns, zkey::Zkey};
    macro_rules! file {
        ($circuit:literal, $name:literal) => {
            include_bytes!(concat!("../../../../groth16/tests/data/", $circuit, "/", $name))
        };
    }
    let engine = Engine::global().unwrap();
    let number = |text: &serde_json::Value| text.as_str().unwrap().parse().unwrap();
    let first = |x: &serde_json::Value| G1Affine::new(number(&x[0]), number(&x[1]));
    let pair = |x: &serde_json::Value| ark_bn254::Fq2::new(number(&x[0]), number(&x[1]));
    let second = |x: &serde_json::Value| ark_bn254::G2Affine::new(pair(&x[0]), pair(&x[1]));
    for (key, verifying, witness) in [
        (
            &file!("multiplier", "circuit.zkey")[..],
            &file!("multiplier", "verification_key.json")[..],
            &file!("multiplier", "witness.wtns")[..],
        ),
        (
            file!("membership", "circuit.zkey"),
            file!("membership", "verification_key.json"),
            file!("membership", "witness.wtns"),
        ),
    ] {
        let key = Zkey::<zkaccel_groth16::Bn254>::parse(key).unwrap().proving_key().unwrap();
        let prover = Prover::new(&engine, key, ProverOptions::default()).unwrap();
        let witness = wtns::parse(witness).unwrap();
        let verifying: serde_json::Value = serde_json::from_slice(verifying).unwrap();
        let verifying = VerifyingKey::<Bn254> {
            alpha_g1: first(&verifying["vk_alpha_1"]),
            beta_g2: second(&verifying["vk_beta_2"]),
            gamma_g2: second(&verifying["vk_gamma_2"]),
            delta_g2: second(&verifying["vk_delta_2"]),
            gamma_abc_g1: verifying["IC"].as_array().unwrap().iter().map(first).collect(),
        };
        let public: serde_json::Value =
            serde_json::from_str(&json::write_public(prover.public(&witness).unwrap())).unwrap();
        let public: Vec<Fr> =
            public.as_array().unwrap().iter().map(|text| text.as_str().unwrap().parse().unwrap()).collect();
        for _ in 0..5 {
            let proof = json::write_proof(&prover.prove(&witness).unwrap());
            let proof: serde_json::Value = serde_json::from_str(&proof).unwrap();
            let proof =
                Proof { a: first(&proof["pi_a"]), b: second(&proof["pi_b"]), c: first(&proof["pi_c"]) };
            assert!(Groth16::<Bn254>::verify(&verifying, &public, &proof).unwrap());
            let wrong: Vec<Fr> = public.iter().map(|x| *x + Fr::ONE).collect();
            assert!(!Groth16::<Bn254>::verify(&verifying, &wrong, &proof).unwrap());
        }
    }
}
