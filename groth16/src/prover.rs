//! The prover.
//!
//! # Mathematical description
//!
//! For a witness w, of which x is the public part and y the private one, and the scalars h of `quotient`, the proof with randomness r
//! and s is
//!
//! - A = alpha + sum of w_i A_i + r delta, over G1,
//! - B = beta + sum of w_i B_i + s delta, over G2, and the same over G1, B',
//! - C = sum of y_i C_i + sum of h_i H_i + s A + r B' - r s delta, over G1.
//!
//! Two things decide whether a proof that leaves the prover is right. r and s are uniform modulo r and of no use to anybody who does not know them; and every
//! proof passes the verifier's equation before it is handed out. One that does not was made of a witness that does not satisfy the constraints,
//! or by a device that failed silently, so it is made again on the CPU, from the same points in host memory.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use halo2curves::group::Curve;
use zkaccel::Engine;
use zkaccel::msm::BasesOptions;

use crate::Error;
use crate::host;
use crate::kept::{KeptPoints, Sums, Task};
use crate::key::{KeptMatrices, Matrices, ProvingKey, Reduction};
use crate::numbers::{decimal, integer, random_scalar};
use crate::pairing::{Bn254, First, Pairing, Second};
use crate::submit::{Queue, Wanted};
use crate::verifier::{Claim, Verifier};

/// A proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof<P: Pairing = Bn254> {
    /// A, over G1.
    pub a: P::G1,
    /// B, over G2.
    pub b: P::G2,
    /// C, over G1.
    pub c: P::G1,
}

/// The randomness that hides the witness. Two proofs with the same give secrets away, and so does whoever learns it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Blinding<P: Pairing = Bn254> {
    /// The factor of delta in A.
    pub r: P::Fr,
    /// The factor of delta in B.
    pub s: P::Fr,
}

impl<P: Pairing> Blinding<P> {
    /// Uniform randomness from the system's generator.
    pub fn random() -> Result<Self, Error> {
        Ok(Self { r: random_scalar()?, s: random_scalar()? })
    }
}

/// Says nothing of the secrets.
impl<P: Pairing> fmt::Debug for Blinding<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blinding").finish_non_exhaustive()
    }
}

/// How a prover keeps its key and what it does with proofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProverOptions {
    /// Keep multiples of the points, as [`BasesOptions::tables`] says; it pays for a key that serves hundreds of proofs.
    pub tables: bool,
    /// Hand out proofs that were not verified. A device that fails silently then makes false proofs, and so does a false witness.
    pub unchecked: bool,
    /// The most proofs that [`Prover::submit`] accepts before one of them is done, at least 1. Each has its witness in memory, and those under way have about
    /// four vectors as long as the domain.
    pub queue: usize,
}

impl Default for ProverOptions {
    /// Without tables, checked, with a queue of eight.
    fn default() -> Self {
        Self { tables: false, unchecked: false, queue: 8 }
    }
}

/// What a prover has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Proofs that were handed out.
    pub proofs: u64,
    /// Proofs that did not verify and were made again on the CPU: each is a device's error, unless the second did not verify either.
    pub remade: u64,
    /// Proofs that did not verify, again on the CPU either, and were not handed out.
    pub refused: u64,
}

/// A key whose points are kept by an engine. Clones share it; any threads may use it at once.
#[derive(Clone)]
pub struct Prover<P: Pairing = Bn254>(Arc<Shared<P>>);

struct Shared<P: Pairing> {
    engine: Engine,
    options: ProverOptions,
    verifier: Verifier<P>,
    beta_g1: P::G1,
    delta_g1: P::G1,
    points: KeptPoints<P>,
    matrices: KeptMatrices<P>,
    queue: Arc<Queue>,
    proofs: AtomicU64,
    remade: AtomicU64,
    refused: AtomicU64,
}

impl<P: Pairing> Prover<P> {
    /// Hands the points of a key to an engine.
    ///
    /// [`Error::BadKey`] for a key whose parts do not belong together; [`Error::Malformed`] for points of the verification key that are not in their
    /// groups. Other points are assumed to be, as [`Zkey`](crate::zkey::Zkey) has checked. Errors of [`Engine::bases`].
    pub fn new(engine: &Engine, key: ProvingKey<P>, options: ProverOptions) -> Result<Self, Error> {
        Self::new_with(engine, key, options, &|_| ())
    }

    /// The same, with a function that is called with the number of points of each set that the engine has; together they are [`ProvingKey::points`].
    pub fn new_with(
        engine: &Engine,
        key: ProvingKey<P>,
        options: ProverOptions,
        tell: &dyn Fn(u64),
    ) -> Result<Self, Error> {
        key.check()?;
        let (beta_g1, delta_g1, verifier) =
            (key.beta_g1, key.delta_g1, Verifier::new(key.verifying.clone())?);
        let of_bases = BasesOptions { validate: false, tables: options.tables };
        let (points, matrices) = KeptPoints::keep(engine, key, of_bases, tell)?;
        Ok(Self(Arc::new(Shared {
            engine: engine.clone(),
            options,
            verifier,
            beta_g1,
            delta_g1,
            points,
            matrices,
            queue: Queue::new(options.queue),
            proofs: AtomicU64::new(0),
            remade: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        })))
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    pub(crate) fn queue(&self) -> &Arc<Queue> {
        &self.0.queue
    }

    /// A verifier of this prover's proofs.
    pub fn verifier(&self) -> &Verifier<P> {
        &self.0.verifier
    }

    /// The number of signals of a witness, the constant 1 included.
    pub fn signals(&self) -> usize {
        self.0.matrices.a().columns()
    }

    /// What was done so far.
    pub fn account(&self) -> Account {
        let [proofs, remade, refused] =
            [&self.0.proofs, &self.0.remade, &self.0.refused].map(|counter| counter.load(Ordering::Relaxed));
        Account { proofs, remade, refused }
    }

    /// The public signals of a witness; [`Error::OtherCircuit`] as [`prove`](Self::prove).
    pub fn public<'w>(&self, witness: &'w [P::Fr]) -> Result<&'w [P::Fr], Error> {
        let expected = self.signals();
        if witness.len() != expected {
            return Err(Error::OtherCircuit {
                what: "signals",
                found: witness.len().to_string(),
                expected: expected.to_string(),
            });
        }
        if witness[0] != P::Fr::from(1) {
            return Err(Error::OtherCircuit {
                what: "signal 0",
                found: decimal(&integer(&witness[0])),
                expected: "1".into(),
            });
        }
        Ok(&witness[1..][..self.0.verifier.key().public_signals()])
    }

    /// The proof of a witness: the constant 1, the public signals, then those that are private. Its randomness is the system's.
    ///
    /// [`Error::OtherCircuit`] for a witness of another length than the key's, or without the constant; [`Error::Unsatisfied`] if the proof does not
    /// verify, on the engine or again on the CPU, because the witness does not satisfy the constraints or the key is damaged; errors of the engine.
    pub fn prove(&self, witness: &[P::Fr]) -> Result<Proof<P>, Error> {
        self.prove_with(witness, &Blinding::random()?)
    }

    /// The proof with this randomness, which must be used once and kept secret. Errors as [`prove`](Self::prove).
    pub fn prove_with(&self, witness: &[P::Fr], blinding: &Blinding<P>) -> Result<Proof<P>, Error> {
        self.prove_wanted(witness, blinding, &Wanted::to_the_end())
    }

    /// Hands the matrices of a circuit of this key's size to the engine, for callers whose circuits make them anew.
    ///
    /// [`Error::BadKey`] for matrices of another size. Errors of [`Engine::sparse_matrix`].
    pub fn keep(&self, matrices: Matrices<P>) -> Result<KeptMatrices<P>, Error> {
        let (domain, signals, reduction) = self.0.shape();
        matrices.check(domain, signals, reduction)?;
        Ok(matrices.keep(&self.0.engine)?)
    }

    /// The same proof with the constraints of `matrices`, which this prover [keeps](Self::keep), instead of the key's own.
    ///
    /// [`Error::Engine`] with `WrongEngine` for matrices that another engine keeps. Errors as [`prove`](Self::prove).
    pub fn prove_with_matrices(
        &self,
        matrices: &KeptMatrices<P>,
        witness: &[P::Fr],
        blinding: &Blinding<P>,
    ) -> Result<Proof<P>, Error> {
        let (domain, signals, reduction) = self.0.shape();
        matrices.check(domain, signals, reduction)?;
        let task = Task { matrices, witness, wanted: &Wanted::to_the_end() };
        self.prove_of(task, blinding)
    }

    /// The same, for as long as somebody waits for it.
    pub(crate) fn prove_wanted(
        &self,
        witness: &[P::Fr],
        blinding: &Blinding<P>,
        wanted: &Wanted,
    ) -> Result<Proof<P>, Error> {
        self.prove_of(Task { matrices: &self.0.matrices, witness, wanted }, blinding)
    }

    fn prove_of(&self, task: Task<'_, P>, blinding: &Blinding<P>) -> Result<Proof<P>, Error> {
        let public = self.public(task.witness)?;
        let proof = self.0.attempt(task, blinding)?;
        let proof = match self.0.options.unchecked {
            true => proof,
            false => self.0.checked(proof, public, || self.0.again(task, blinding))?,
        };
        self.0.proofs.fetch_add(1, Ordering::Relaxed);
        Ok(proof)
    }

    /// The proofs of several witnesses, verified together. Errors as [`prove`](Self::prove), of the first witness that has one.
    pub fn prove_batch(&self, witnesses: &[impl AsRef<[P::Fr]>]) -> Result<Vec<Proof<P>>, Error> {
        let (matrices, wanted) = (&self.0.matrices, &Wanted::to_the_end());
        let mut made = Vec::with_capacity(witnesses.len());
        for witness in witnesses {
            let (witness, blinding) = (witness.as_ref(), Blinding::random()?);
            let public = self.public(witness)?;
            let proof = self.0.attempt(Task { matrices, witness, wanted }, &blinding)?;
            made.push((proof, public, witness, blinding));
        }
        let claims: Vec<Claim<'_, P>> = made.iter().map(|(proof, public, ..)| (proof, *public)).collect();
        let proofs: Vec<Proof<P>> =
            match self.0.options.unchecked || self.0.verifier.verify_batch(&claims).is_ok() {
                true => made.iter().map(|(proof, ..)| *proof).collect(),
                false => {
                    let each = made.iter().map(|(proof, public, witness, blinding)| {
                        let again = || self.0.again(Task { matrices, witness, wanted }, blinding);
                        self.0.checked(*proof, public, again)
                    });
                    each.collect::<Result<_, _>>()?
                }
            };
        self.0.proofs.fetch_add(proofs.len() as u64, Ordering::Relaxed);
        Ok(proofs)
    }
}

impl<P: Pairing> Shared<P> {
    /// The numbers of points of the domain and of signals, and the kind of key.
    fn shape(&self) -> (usize, usize, Reduction) {
        let matrix = self.matrices.a();
        (matrix.rows(), matrix.columns(), self.points.reduction)
    }

    /// The proof, if it verifies; else the one that is made again, if there is one and that does.
    fn checked(
        &self,
        proof: Proof<P>,
        public: &[P::Fr],
        again: impl FnOnce() -> Result<Option<Proof<P>>, Error>,
    ) -> Result<Proof<P>, Error> {
        let is_false = |proof: &Proof<P>| match self.verifier.verify(proof, public) {
            Ok(()) => Ok(false),
            // Sums of a device that fails need not be on the curve.
            Err(Error::NotVerified | Error::Malformed { .. }) => Ok(true),
            Err(other) => Err(other),
        };
        if !is_false(&proof)? {
            return Ok(proof);
        }
        let mut devices = self.engine.device().id.clone();
        if let Some(second) = again()? {
            self.remade.fetch_add(1, Ordering::Relaxed);
            if !is_false(&second)? {
                return Ok(second);
            }
            devices += " and again on the CPU";
        }
        self.refused.fetch_add(1, Ordering::Relaxed);
        Err(Error::Unsatisfied { devices })
    }

    /// The proof made on the CPU; `None` where the engine is that.
    fn again(&self, task: Task<'_, P>, blinding: &Blinding<P>) -> Result<Option<Proof<P>>, Error> {
        if self.engine.device().id == "cpu" {
            return Ok(None);
        }
        self.attempt_on(host::engine()?, task, blinding).map(Some)
    }

    /// Makes a proof; nothing is known of it yet.
    fn attempt(&self, task: Task<'_, P>, blinding: &Blinding<P>) -> Result<Proof<P>, Error> {
        self.proof(&self.engine, &self.points, task, blinding)
    }

    /// The same on an engine that keeps nothing, of the points and matrices in host memory.
    fn attempt_on(
        &self,
        engine: &Engine,
        task: Task<'_, P>,
        blinding: &Blinding<P>,
    ) -> Result<Proof<P>, Error> {
        let matrices = &task.matrices.to_host().keep(engine)?;
        self.proof(engine, &self.points.on(engine)?, Task { matrices, ..task }, blinding)
    }

    fn proof(
        &self,
        engine: &Engine,
        points: &KeptPoints<P>,
        task: Task<'_, P>,
        &Blinding { r, s }: &Blinding<P>,
    ) -> Result<Proof<P>, Error> {
        let key = self.verifier.key();
        // What does not depend on the sums, while the device makes them.
        let blinded = || {
            let [by_r, by_s, by_rs] = [r, s, r * s].map(|factor| First::<P>::from(self.delta_g1) * factor);
            let by_s_g2 = Second::<P>::from(key.delta_g2) * s;
            (by_r + key.alpha_g1, by_s + self.beta_g1, by_s_g2 + key.beta_g2, by_rs)
        };
        let (Sums { a, b_g1, b_g2, c, h }, blinded) = points.sums(engine, task, blinded)?;
        let (a, b_g1, b_g2) = (a + blinded.0, b_g1 + blinded.1, b_g2 + blinded.2);
        let (a_by_s, b_by_r) = rayon::join(|| a * s, || b_g1 * r);
        let c = c + h + a_by_s + b_by_r - blinded.3;
        Ok(Proof { a: a.to_affine(), b: b_g2.to_affine(), c: c.to_affine() })
    }
}

impl<P: Pairing> fmt::Debug for Prover<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prover")
            .field("signals", &self.signals())
            .field("reduction", &self.0.points.reduction)
            .field("options", &self.0.options)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fr, G1Affine, wtns, zkey::Zkey};

    fn prover() -> (Prover, Vec<Fr>) {
        let key = Zkey::parse(include_bytes!("../tests/data/multiplier/circuit.zkey"))
            .unwrap()
            .proving_key()
            .unwrap();
        let engine = Engine::builder().device("cpu".parse().unwrap()).build().unwrap();
        let witness = wtns::parse(include_bytes!("../tests/data/multiplier/witness.wtns")).unwrap();
        (Prover::new(&engine, key, ProverOptions::default()).unwrap(), witness)
    }

    /// A device that makes a false proof, whether its points are on the curve or not.
    #[test]
    fn a_false_proof_is_made_again_and_counted() {
        let (prover, witness) = prover();
        let (shared, public) = (&*prover.0, prover.public(&witness).unwrap());
        let (blinding, wanted) = (Blinding::random().unwrap(), Wanted::to_the_end());
        let task = Task { matrices: &shared.matrices, witness: &witness, wanted: &wanted };
        let other = Engine::builder().device("cpu".parse().unwrap()).build().unwrap();
        let again = || shared.attempt_on(&other, task, &blinding).map(Some);
        let right = prover.prove_with(&witness, &blinding).unwrap();
        assert_eq!(again().unwrap(), Some(right), "from host memory as from the engine's");
        let off_curve = G1Affine { x: 5.into(), y: 5.into() };
        for wrong in [Proof { c: -right.c, ..right }, Proof { a: off_curve, ..right }] {
            let before = prover.account();
            assert_eq!(shared.checked(wrong, public, again), Ok(right));
            let remade = before.remade + 1;
            assert_eq!(prover.account(), Account { remade, ..before });
            let refused = shared.checked(wrong, public, || Ok(Some(wrong)));
            assert_eq!(refused, Err(Error::Unsatisfied { devices: "cpu and again on the CPU".into() }));
            let (remade, refused) = (before.remade + 2, before.refused + 1);
            assert_eq!(prover.account(), Account { remade, refused, ..before });
        }
        // A right proof is not made again, and an error of the second attempt is told as it is.
        assert_eq!(shared.checked(right, public, || panic!("made again")), Ok(right));
        let failure = || Err(Error::Engine(zkaccel::Error::BadShift));
        assert_eq!(
            shared.checked(Proof { c: -right.c, ..right }, public, failure),
            failure().map(|_: Option<Proof>| right)
        );
        assert!(shared.again(task, &blinding).unwrap().is_none(), "the engine is the CPU");
    }

    #[test]
    fn blinding_is_not_shown() {
        let shown = format!("{:?}", Blinding::<Bn254> { r: Fr::from(1234567), s: Fr::from(1234567) });
        assert!(!shown.contains("12d687") && !shown.contains("1234567"), "{shown}");
    }
}
