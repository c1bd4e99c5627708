//! Groth16 proofs (Groth, "On the size of pairing-based non-interactive arguments", EUROCRYPT 2016) from arkworks' keys and circuits.

use ark_bn254::{Bn254, Fr, G1Projective, G2Affine, G2Projective};
use ark_ec::{CurveGroup, VariableBaseMSM};
use ark_ff::UniformRand;
use ark_groth16::{Proof, ProvingKey};
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystem, OptimizationGoal, R1CS_PREDICATE_LABEL, SynthesisError,
    SynthesisMode,
};
use ark_std::rand::Rng;
use zkaccel::bn254::arkworks::{points, projective, scalars};
use zkaccel::msm::{Bases, BasesOptions};
use zkaccel::{Engine, Error};

use crate::domain::Domain;
use crate::qap;

/// A proving key whose points over G1 are kept by an engine.
pub struct Prover {
    engine: Engine,
    key: ProvingKey<Bn254>,
    /// The queries a and b without their first points, which are added as they are; l; h.
    a: Bases,
    b: Bases,
    l: Bases,
    h: Bases,
}

/// Why there is no proof.
#[derive(Debug)]
pub enum ProveError {
    /// The circuit could not be synthesised.
    Circuit(SynthesisError),
    /// The key is for circuits of another size.
    OtherCircuit {
        /// What was counted.
        what: &'static str,
        /// The number that the key is for.
        expected: usize,
        /// The number in the circuit.
        found: usize,
    },
    /// The engine failed.
    Engine(Error),
}

impl std::fmt::Display for ProveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Circuit(error) => write!(f, "the circuit: {error}"),
            Self::OtherCircuit { what, expected, found } => {
                write!(f, "the circuit is not the key's: {what}: expected {expected}, found {found}")
            }
            Self::Engine(error) => write!(f, "zkaccel: {error}"),
        }
    }
}

impl std::error::Error for ProveError {}

impl From<SynthesisError> for ProveError {
    fn from(error: SynthesisError) -> Self {
        Self::Circuit(error)
    }
}

impl From<Error> for ProveError {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl Prover {
    /// Hands the points of a key to an engine; `options` as for [`Engine::bases`]. Tables of multiples (`tables`) pay only for a key that
    /// serves hundreds of proofs.
    ///
    /// [`Error::LengthMismatch`] for a key whose queries do not belong together, such as one without points, or one that was made by another
    /// reduction than `LibsnarkReduction`; else errors as [`Engine::bases`].
    pub fn new(engine: &Engine, key: ProvingKey<Bn254>, options: BasesOptions) -> Result<Self, Error> {
        check(&key)?;
        let bases = |query: &[ark_bn254::G1Affine]| engine.bases(points(query).to_vec(), options);
        Ok(Self {
            a: bases(&key.a_query[1..])?,
            b: bases(&key.b_g1_query[1..])?,
            l: bases(&key.l_query)?,
            h: bases(&key.h_query)?,
            engine: engine.clone(),
            key,
        })
    }

    /// A proof with randomness of its own.
    pub fn prove(
        &self,
        circuit: impl ConstraintSynthesizer<Fr>,
        rng: &mut impl Rng,
    ) -> Result<Proof<Bn254>, ProveError> {
        let (r, s) = (Fr::rand(rng), Fr::rand(rng));
        self.prove_with(circuit, r, s)
    }

    /// The proof with this randomness: that of `Groth16::create_proof_with_reduction`. Equal randomness for two proofs gives
    /// secrets away.
    ///
    /// [`ProveError::OtherCircuit`] if the circuit has other numbers of inputs and variables than the key's, another number of constraints so
    /// that its domain has another size, or constraints that are not rank-1. As in the stock prover, the witness is not checked
    /// against the constraints: the proof of a wrong witness is a proof that the verifier rejects.
    pub fn prove_with(
        &self,
        circuit: impl ConstraintSynthesizer<Fr>,
        r: Fr,
        s: Fr,
    ) -> Result<Proof<Bn254>, ProveError> {
        let system = ConstraintSystem::new_ref();
        system.set_optimization_goal(OptimizationGoal::Constraints);
        system.set_mode(SynthesisMode::Prove { construct_matrices: true, generate_lc_assignments: false });
        circuit.generate_constraints(system.clone())?;
        system.finalize();
        let matrices = system.to_matrices()?.remove(R1CS_PREDICATE_LABEL).unwrap_or_default();
        let (inputs, constraints) = (system.num_instance_variables(), system.num_constraints());
        let assignment = {
            let system = system.borrow().ok_or(SynthesisError::MissingCS)?;
            [system.instance_assignment()?, system.witness_assignment()?].concat()
        };
        let domain = Domain::new(&self.engine, constraints + inputs)?;
        let rows = |i: usize| matrices.get(i).map_or(0, Vec::len);
        let key = &self.key;
        for (what, expected, found) in [
            ("matrices of rank-1 constraints", 3, matrices.len()),
            ("rank-1 constraints, of all constraints", constraints, rows(0)),
            ("inputs, the constant included", key.vk.gamma_abc_g1.len(), inputs),
            ("variables, the constant included", key.a_query.len(), assignment.len()),
            ("points of the domain for constraints and inputs", key.h_query.len() + 1, domain.size()),
        ] {
            if expected != found {
                return Err(ProveError::OtherCircuit { what, expected, found });
            }
        }
        let h = qap::witness(&domain, &matrices, inputs, &assignment)?;
        self.assemble(&h, inputs, &assignment, r, s)
    }

    /// Sums over the key, and the proof made of them.
    fn assemble(
        &self,
        h: &[Fr],
        inputs: usize,
        assignment: &[Fr],
        r: Fr,
        s: Fr,
    ) -> Result<Proof<Bn254>, ProveError> {
        let sum = |bases: &Bases, by: &[Fr]| -> Result<G1Projective, Error> {
            Ok(projective(&self.engine.msm(scalars(by), bases)?))
        };
        let first_group = || {
            let a = sum(&self.a, &assignment[1..])?;
            let b = sum(&self.b, &assignment[1..])?;
            let l = sum(&self.l, &assignment[inputs..])?;
            Ok::<_, Error>((a, b, l + sum(&self.h, &h[..self.key.h_query.len()])?))
        };
        let second_group = || -> G2Projective {
            let query: &[G2Affine] = &self.key.b_g2_query[1..];
            G2Projective::msm_unchecked(query, &assignment[1..])
        };
        let (first, b_g2) = rayon::join(first_group, second_group);
        let (a, b, c) = first?;
        let key = &self.key;
        let a = a + key.a_query[0] + key.vk.alpha_g1 + key.delta_g1 * r;
        let b_g1 = b + key.b_g1_query[0] + key.beta_g1 + key.delta_g1 * s;
        let b_g2 = b_g2 + key.b_g2_query[0] + key.vk.beta_g2 + key.vk.delta_g2 * s;
        let c = c + a * s + b_g1 * r - key.delta_g1 * (r * s);
        Ok(Proof { a: a.into_affine(), b: b_g2.into_affine(), c: c.into_affine() })
    }
}

/// [`Error::LengthMismatch`] unless the queries of a key belong together: a, b over either group and l have a point for each variable (l for
/// none of the inputs, of which the constant is the first), and h has one less than a domain has points.
fn check(key: &ProvingKey<Bn254>) -> Result<(), Error> {
    let inputs = key.vk.gamma_abc_g1.len();
    let variables = inputs + key.l_query.len();
    let points = key.h_query.len() + 1;
    for (what, expected, found) in [
        ("points of the key's gamma_abc_g1, one or more", inputs.max(1), inputs),
        (
            "points of the key's a_query, as many as gamma_abc_g1 and l_query have",
            variables,
            key.a_query.len(),
        ),
        ("points of the key's b_g1_query, as many as a_query has", variables, key.b_g1_query.len()),
        ("points of the key's b_g2_query, as many as a_query has", variables, key.b_g2_query.len()),
        ("points of the key's h_query, a power of two less one", points.next_power_of_two() - 1, points - 1),
    ] {
        if expected != found {
            return Err(Error::LengthMismatch { what, expected, found });
        }
    }
    Ok(())
}
