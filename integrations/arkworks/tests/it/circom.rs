//! Keys of circom, as `ark-circom` has them: arkworks' types around what a `.zkey` has, and constraints and values of a circuit's signals.

use ark_bn254::{Bn254, Fq, Fq2, Fr, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use ark_ff::{AdditiveGroup, BigInt, Field};
use ark_groth16::{Groth16, ProvingKey, VerifyingKey};
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystemRef, LinearCombination, SynthesisError, Variable,
};
use ark_snark::SNARK;
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use halo2curves::bn256;
use zkaccel::Engine;
use zkaccel::field::limbs;
use zkaccel_arkworks::{ProveError, Prover};
use zkaccel_groth16::r1cs::{self, R1cs};
use zkaccel_groth16::{SparseMatrix, wtns, zkey::Zkey};

fn coordinate(x: &bn256::Fq) -> Fq {
    Fq::new_unchecked(BigInt(limbs(&[*x])[0]))
}

fn first(point: &bn256::G1Affine) -> G1Affine {
    match *point == bn256::G1Affine::default() {
        true => G1Affine::zero(),
        false => G1Affine::new(coordinate(&point.x), coordinate(&point.y)),
    }
}

fn second(point: &bn256::G2Affine) -> G2Affine {
    let of = |x: &bn256::Fq2| Fq2::new(coordinate(x.c0()), coordinate(x.c1()));
    match *point == bn256::G2Affine::default() {
        true => G2Affine::zero(),
        false => G2Affine::new(of(&point.x), of(&point.y)),
    }
}

fn scalar(x: &bn256::Fr) -> Fr {
    Fr::new_unchecked(BigInt(limbs(&[*x])[0]))
}

fn key(file: &[u8]) -> ProvingKey<Bn254> {
    let key = Zkey::<zkaccel_groth16::Bn254>::parse(file).unwrap().proving_key().unwrap();
    let all = |points: &[bn256::G1Affine]| points.iter().map(first).collect::<Vec<_>>();
    ProvingKey {
        vk: VerifyingKey {
            alpha_g1: first(&key.verifying.alpha_g1),
            beta_g2: second(&key.verifying.beta_g2),
            gamma_g2: second(&key.verifying.gamma_g2),
            delta_g2: second(&key.verifying.delta_g2),
            gamma_abc_g1: all(&key.verifying.ic),
        },
        beta_g1: first(&key.beta_g1),
        delta_g1: first(&key.delta_g1),
        a_query: all(&key.a),
        b_g1_query: all(&key.b_g1),
        b_g2_query: key.b_g2.iter().map(second).collect(),
        h_query: all(&key.h),
        l_query: all(&key.c),
    }
}

#[derive(Clone)]
struct Circuit<'a> {
    constraints: &'a R1cs,
    values: Vec<Fr>,
}

impl ConstraintSynthesizer<Fr> for Circuit<'_> {
    fn generate_constraints(self, system: ConstraintSystemRef<Fr>) -> Result<(), SynthesisError> {
        let Self { constraints: R1cs { public_signals, a, b, c, .. }, values } = self;
        let mut signals = vec![Variable::One];
        for (signal, value) in values.iter().enumerate().skip(1) {
            signals.push(match signal <= *public_signals {
                true => system.new_input_variable(|| Ok(*value))?,
                false => system.new_witness_variable(|| Ok(*value))?,
            });
        }
        for row in 0..a.rows() {
            let combination = |matrix: &SparseMatrix<bn256::Fr>| {
                let terms = matrix.row(row).unwrap();
                terms.fold(LinearCombination::zero(), |sum, (signal, factor)| {
                    sum + (scalar(&factor), signals[signal])
                })
            };
            system.enforce_r1cs_constraint(|| combination(a), || combination(b), || combination(c))?;
        }
        Ok(())
    }
}

#[test]
fn proofs() {
    macro_rules! file {
        ($circuit:literal, $name:literal) => {
            &include_bytes!(concat!("../../../../groth16/tests/data/", $circuit, "/", $name))[..]
        };
    }
    let engine = Engine::global().unwrap();
    for (circuit, zkey, witness) in [
        (
            file!("multiplier", "circuit.r1cs"),
            file!("multiplier", "circuit.zkey"),
            file!("multiplier", "witness.wtns"),
        ),
        (
            file!("membership", "circuit.r1cs"),
            file!("membership", "circuit.zkey"),
            file!("membership", "witness.wtns"),
        ),
    ] {
        let (constraints, key) = (&r1cs::parse(circuit).unwrap(), key(zkey));
        let values: Vec<Fr> = wtns::parse(witness).unwrap().iter().map(scalar).collect();
        let public = &values[1..=constraints.public_signals];
        let circuit = Circuit { constraints, values: values.clone() };
        let prover = Prover::new(&engine, key.clone(), Default::default()).unwrap();
        let mut rng = StdRng::seed_from_u64(1);
        for _ in 0..3 {
            let proof = prover.prove(circuit.clone(), &mut rng).unwrap();
            assert!(Groth16::<Bn254>::verify(&key.vk, public, &proof).unwrap());
            let mut wrong = public.to_vec();
            wrong[0] += Fr::ONE;
            assert!(!Groth16::<Bn254>::verify(&key.vk, &wrong, &proof).unwrap());
        }
        // Without randomness a proof is what it has to be, whoever makes it: that of snarkjs's prover is the same function.
        let plain = |prover: &Prover| prover.prove_with(circuit.clone(), Fr::ZERO, Fr::ZERO).unwrap();
        let ours = zkaccel_groth16::Prover::new(
            &engine,
            Zkey::<zkaccel_groth16::Bn254>::parse(zkey).unwrap().proving_key().unwrap(),
            Default::default(),
        );
        let nothing = zkaccel_groth16::Blinding { r: bn256::Fr::zero(), s: bn256::Fr::zero() };
        let expected = ours.unwrap().prove_with(&wtns::parse(witness).unwrap(), &nothing).unwrap();
        let found = plain(&prover);
        assert_eq!(
            (found.a, found.b, found.c),
            (first(&expected.a), second(&expected.b), first(&expected.c))
        );
        let mut values = values;
        *values.last_mut().unwrap() += Fr::ONE;
        let error = prover.prove(Circuit { constraints, values }, &mut rng).unwrap_err();
        assert!(matches!(error, ProveError::Unsatisfied(_)), "{error}");
    }
}
