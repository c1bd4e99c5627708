//! The knowledge of a preimage under a long chain of MiMC rounds, x -> (x + c_i)^5 (Albrecht, Grassi, Rechberger, Roy, Tiessen,
//! ASIACRYPT 2016): three constraints a round.

use ark_bn254::Fr;
use ark_ff::Field;
use ark_relations::gr1cs::{ConstraintSynthesizer, ConstraintSystemRef, SynthesisError, Variable};
use ark_relations::lc;

/// So many rounds from a secret start.
#[derive(Clone, Copy)]
pub struct Chain {
    pub start: Option<Fr>,
    pub rounds: usize,
}

fn constant(round: usize) -> Fr {
    Fr::from(round as u64 * round as u64 + 7)
}

/// Where the chain ends, which is public.
pub fn end(start: Fr, rounds: usize) -> Fr {
    (0..rounds).fold(start, |x, round| (x + constant(round)).pow([5]))
}

impl ConstraintSynthesizer<Fr> for Chain {
    fn generate_constraints(self, system: ConstraintSystemRef<Fr>) -> Result<(), SynthesisError> {
        let known = |value: Option<Fr>| value.ok_or(SynthesisError::AssignmentMissing);
        let public = system.new_input_variable(|| known(self.start.map(|start| end(start, self.rounds))))?;
        let (mut value, mut variable) = (self.start, system.new_witness_variable(|| known(self.start))?);
        for round in 0..self.rounds {
            let sum = value.map(|x| x + constant(round));
            let square = sum.map(|x| x.square());
            let fourth = square.map(|x| x.square());
            value = sum.zip(fourth).map(|(x, fourth)| x * fourth);
            let term = || lc!() + variable + (constant(round), Variable::One);
            let square = system.new_witness_variable(|| known(square))?;
            system.enforce_r1cs_constraint(term, term, || lc!() + square)?;
            let fourth = system.new_witness_variable(|| known(fourth))?;
            system.enforce_r1cs_constraint(|| lc!() + square, || lc!() + square, || lc!() + fourth)?;
            let next = match round + 1 == self.rounds {
                true => public,
                false => system.new_witness_variable(|| known(value))?,
            };
            system.enforce_r1cs_constraint(term, || lc!() + fourth, || lc!() + next)?;
            variable = next;
        }
        Ok(())
    }
}
