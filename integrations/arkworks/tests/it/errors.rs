//! Keys and circuits that do not belong together are errors that say what was expected and what was found.

use ark_bn254::{Bn254, Fr};
use ark_groth16::{Groth16, ProvingKey};
use ark_relations::gr1cs::predicate::PredicateConstraintSystem;
use ark_relations::gr1cs::predicate::polynomial_constraint::SR1CS_PREDICATE_LABEL;
use ark_relations::gr1cs::{ConstraintSynthesizer, ConstraintSystemRef, SynthesisError, Variable};
use ark_relations::lc;
use ark_snark::SNARK;
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use zkaccel::{Engine, Error};
use zkaccel_arkworks::{ProveError, Prover};

/// Variables that are all one, and constraints that say so of some.
#[derive(Clone, Copy)]
struct Ones {
    inputs: usize,
    witnesses: usize,
    constraints: usize,
    /// Constraints of the form a^2 = b, which are not rank-1 constraints.
    squares: usize,
}

const KEYS: Ones = Ones { inputs: 2, witnesses: 10, constraints: 20, squares: 0 };

impl ConstraintSynthesizer<Fr> for Ones {
    fn generate_constraints(self, system: ConstraintSystemRef<Fr>) -> Result<(), SynthesisError> {
        let one = || Ok(Fr::from(1));
        let mut variables = Vec::new();
        for _ in 0..self.inputs {
            variables.push(system.new_input_variable(one)?);
        }
        for _ in 0..self.witnesses {
            variables.push(system.new_witness_variable(one)?);
        }
        for i in 0..self.constraints {
            let variable = || lc!() + variables[i % variables.len()];
            system.enforce_r1cs_constraint(variable, variable, || lc!() + Variable::One)?;
        }
        if self.squares > 0 {
            let predicate = PredicateConstraintSystem::new_sr1cs_predicate()?;
            system.register_predicate(SR1CS_PREDICATE_LABEL, predicate)?;
        }
        for i in 0..self.squares {
            let variable = || lc!() + variables[i % variables.len()];
            system.enforce_sr1cs_constraint(variable, || lc!() + Variable::One)?;
        }
        Ok(())
    }
}

fn key() -> ProvingKey<Bn254> {
    Groth16::<Bn254>::circuit_specific_setup(KEYS, &mut StdRng::seed_from_u64(5)).unwrap().0
}

/// What a prover with this key says of a circuit.
fn refusal(circuit: Ones) -> (&'static str, usize, usize) {
    let prover = Prover::new(&Engine::global().unwrap(), key(), Default::default()).unwrap();
    let error = prover.prove(circuit, &mut StdRng::seed_from_u64(6)).expect_err("a circuit of another size");
    let message = error.to_string();
    let ProveError::OtherCircuit { what, expected, found } = error else { panic!("{message}") };
    assert_eq!(message, format!("the circuit is not the key's: {what}: expected {expected}, found {found}"));
    (what, expected, found)
}

#[test]
fn other_circuits_than_the_key_is_for() {
    // 20 constraints, 2 inputs and the constant, on a domain of 32 points.
    let what = "points of the domain for constraints and inputs";
    assert_eq!(refusal(Ones { constraints: 5, ..KEYS }), (what, 32, 8));
    assert_eq!(refusal(Ones { constraints: 0, ..KEYS }), (what, 32, 4));
    assert_eq!(refusal(Ones { constraints: 30, ..KEYS }), (what, 32, 64));
    let what = "inputs, the constant included";
    assert_eq!(refusal(Ones { inputs: 3, witnesses: 9, ..KEYS }), (what, 3, 4));
    let what = "variables, the constant included";
    assert_eq!(refusal(Ones { witnesses: 9, ..KEYS }), (what, 13, 12));
    let what = "rank-1 constraints, of all constraints";
    assert_eq!(refusal(Ones { constraints: 19, squares: 1, ..KEYS }), (what, 20, 19));
}

#[test]
fn keys_whose_queries_do_not_belong_together() {
    let engine = Engine::global().unwrap();
    let refusal = |change: &dyn Fn(&mut ProvingKey<Bn254>)| {
        let mut key = key();
        change(&mut key);
        match Prover::new(&engine, key, Default::default()).err().expect("no key") {
            Error::LengthMismatch { expected, found, .. } => (expected, found),
            error => panic!("{error}"),
        }
    };
    assert_eq!(refusal(&|key| key.a_query.clear()), (13, 0));
    assert_eq!(refusal(&|key| key.b_g1_query.clear()), (13, 0));
    assert_eq!(refusal(&|key| key.b_g2_query.clear()), (13, 0));
    assert_eq!(refusal(&|key| key.l_query.clear()), (3, 13));
    assert_eq!(refusal(&|key| key.vk.gamma_abc_g1.clear()), (1, 0));
    assert_eq!(refusal(&|key| key.b_g2_query.truncate(12)), (13, 12));
    // As many points as no reduction has: 32 are those of a key of circom.
    assert_eq!(refusal(&|key| key.h_query.extend([key.h_query[0]; 2])), (63, 33));
    assert_eq!(refusal(&|key| key.h_query.truncate(30)), (31, 30));
    let empty = |key: &mut ProvingKey<Bn254>| {
        key.vk.gamma_abc_g1.clear();
        for query in [&mut key.a_query, &mut key.b_g1_query, &mut key.h_query, &mut key.l_query] {
            query.clear();
        }
        key.b_g2_query.clear();
    };
    assert_eq!(refusal(&empty), (1, 0));
}
