//! Groth16 proofs (Groth, "On the size of pairing-based non-interactive arguments", EUROCRYPT 2016) from arkworks' keys and circuits, by the prover of
//! `zkaccel-groth16`.
//!
//! A proof has two parts: arkworks synthesises the circuit on the host ([`Prover::assign`]), and the rest happens on the engine's device
//! ([`Prover::prove_assignment`]). The matrices of the constraints come with every synthesis; the device keeps those of the last circuit, and they are sent there
//! again only where a circuit has others.

use std::sync::{Arc, Mutex, PoisonError};

use ark_bn254::{Bn254, Fr};
use ark_ff::UniformRand;
use ark_groth16::{Proof, ProvingKey};
use ark_relations::gr1cs::{
    ConstraintSynthesizer, ConstraintSystem, OptimizationGoal, R1CS_PREDICATE_LABEL, SynthesisError,
    SynthesisMode,
};
use ark_std::rand::Rng;
use zkaccel::bn254::arkworks::scalars;
use zkaccel::msm::BasesOptions;
use zkaccel::{Engine, Error};
use zkaccel_groth16::{Account, Blinding, KeptMatrices, ProverOptions, Reduction};

use crate::types;

/// A proving key whose points are kept by an engine.
pub struct Prover {
    prover: zkaccel_groth16::Prover,
    /// The kind of key.
    reduction: Reduction,
    /// The number of points of the key's domain.
    domain: usize,
    /// The matrices of the last circuit.
    matrices: Mutex<Option<Arc<KeptMatrices>>>,
}

/// A circuit that was synthesised for a prover's key: its matrices, which the engine keeps, and the values of its variables.
#[derive(Clone)]
pub struct Assignment {
    matrices: Arc<KeptMatrices>,
    values: Vec<Fr>,
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
    /// The proof does not verify, and is not handed out: the witness does not satisfy the constraints, or the circuit is not the key's.
    Unsatisfied(zkaccel_groth16::Error),
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
            Self::Unsatisfied(error) => write!(f, "the circuit: {error}"),
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

impl From<zkaccel_groth16::Error> for ProveError {
    fn from(error: zkaccel_groth16::Error) -> Self {
        match error {
            zkaccel_groth16::Error::Engine(error) => Self::Engine(error),
            error => Self::Unsatisfied(error),
        }
    }
}

impl Prover {
    /// Hands the points of a key to an engine; `options` as for [`Engine::bases`]. Tables of multiples (`tables`) pay only for a key that
    /// serves hundreds of proofs.
    ///
    /// The key is one of `LibsnarkReduction`, ark-groth16's own, or of `CircomReduction`, which `ark-circom` reads out of a `.zkey`: the number of points of H
    /// tells which.
    ///
    /// [`Error::LengthMismatch`] for a key whose queries do not belong together, such as one without points; [`Error::NotOnCurve`] for points that are not in their groups: those of the verification key, and with the option
    /// `validate` those over G1; else errors as [`Engine::bases`].
    pub fn new(engine: &Engine, key: ProvingKey<Bn254>, options: BasesOptions) -> Result<Self, Error> {
        check(&key)?;
        let BasesOptions { validate, tables } = options;
        let of_engine = |error| match error {
            zkaccel_groth16::Error::Engine(error) => error,
            // What else there is was checked: this is a point of the verification key.
            _ => Error::NotOnCurve { index: 0 },
        };
        let ours = types::proving_key(&key).map_err(of_engine)?;
        let (reduction, domain) = (ours.reduction, ours.domain_size());
        if validate {
            for points in [&ours.a, &ours.b_g1, &ours.c, &ours.h] {
                engine.bases(points.clone(), BasesOptions { validate, tables: false })?;
            }
        }
        let options = ProverOptions { tables, ..ProverOptions::default() };
        let prover = zkaccel_groth16::Prover::new(engine, ours, options).map_err(of_engine)?;
        Ok(Self { prover, reduction, domain, matrices: Mutex::default() })
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
    /// that its domain has another size, or constraints that are not rank-1. The proof is verified before it is handed out, which the stock prover
    /// leaves to its caller: [`ProveError::Unsatisfied`] for a witness that does not satisfy the constraints. A proof that fails on a device is made again on
    /// the CPU first; [`account`](Self::account) counts them.
    pub fn prove_with(
        &self,
        circuit: impl ConstraintSynthesizer<Fr>,
        r: Fr,
        s: Fr,
    ) -> Result<Proof<Bn254>, ProveError> {
        self.prove_assignment(&self.assign(circuit)?, r, s)
    }

    /// Synthesises a circuit. The matrices of its constraints are handed to the engine, unless those that it keeps are the same.
    ///
    /// [`ProveError::Circuit`] and [`ProveError::OtherCircuit`], as [`prove_with`](Self::prove_with).
    pub fn assign(&self, circuit: impl ConstraintSynthesizer<Fr>) -> Result<Assignment, ProveError> {
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
        let rows = |i: usize| matrices.get(i).map_or(0, Vec::len);
        for (what, expected, found) in [
            ("matrices of rank-1 constraints", 3, matrices.len()),
            ("rank-1 constraints, of all constraints", constraints, rows(0)),
            ("inputs, the constant included", self.prover.verifier().key().ic.len(), inputs),
            ("variables, the constant included", self.prover.signals(), assignment.len()),
            (
                "points of the domain for constraints and inputs",
                self.domain,
                (constraints + inputs).next_power_of_two(),
            ),
        ] {
            if expected != found {
                return Err(ProveError::OtherCircuit { what, expected, found });
            }
        }
        let last = self.matrices.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let matrices = match last.filter(|last| types::are_matrices(last, &matrices, inputs)) {
            Some(last) => last,
            None => {
                let matrices =
                    types::matrices(&matrices, (self.reduction, self.domain), inputs, assignment.len());
                let kept = Arc::new(self.prover.keep(matrices.map_err(ProveError::Engine)?)?);
                *self.matrices.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&kept));
                kept
            }
        };
        Ok(Assignment { matrices, values: assignment })
    }

    /// The proof of a circuit that was synthesised for this prover. Errors as [`prove_with`](Self::prove_with); [`ProveError::Engine`] with
    /// [`Error::WrongEngine`] for one that was synthesised for a prover of another engine.
    pub fn prove_assignment(
        &self,
        assignment: &Assignment,
        r: Fr,
        s: Fr,
    ) -> Result<Proof<Bn254>, ProveError> {
        let [r, s] = [scalars(&[r])[0], scalars(&[s])[0]];
        let Assignment { matrices, values } = assignment;
        let made = self.prover.prove_with_matrices(matrices, scalars(values), &Blinding { r, s })?;
        Ok(types::proof(&made))
    }

    /// What was done so far: proofs that were handed out, made again, and refused.
    pub fn account(&self) -> Account {
        self.prover.account()
    }
}

/// [`Error::LengthMismatch`] unless the queries of a key belong together: a, b over either group and l have a point for each variable (l for
/// none of the inputs, of which the constant is the first), and h has as many as a domain has points, or one less.
fn check(key: &ProvingKey<Bn254>) -> Result<(), Error> {
    let inputs = key.vk.gamma_abc_g1.len();
    let variables = inputs + key.l_query.len();
    let (reduction, domain) = types::kind(key.h_query.len());
    let of_h = domain.next_power_of_two() - usize::from(reduction == Reduction::Libsnark);
    for (what, expected, found) in [
        ("points of the key's gamma_abc_g1, one or more", inputs.max(1), inputs),
        (
            "points of the key's a_query, as many as gamma_abc_g1 and l_query have",
            variables,
            key.a_query.len(),
        ),
        ("points of the key's b_g1_query, as many as a_query has", variables, key.b_g1_query.len()),
        ("points of the key's b_g2_query, as many as a_query has", variables, key.b_g2_query.len()),
        ("points of the key's h_query, a power of two, or one less", of_h, key.h_query.len()),
    ] {
        if expected != found {
            return Err(Error::LengthMismatch { what, expected, found });
        }
    }
    Ok(())
}
