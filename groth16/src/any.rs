//! Provers and verification over the pairing that a file names, for callers who have files, texts and words, and no type for the pairing.

use std::borrow::Cow;
use std::fmt;

use zkaccel::Engine;
use zkaccel::curve::{limbs_of_points, scalars_of_integers};
use zkaccel::field::elements;

use crate::Error;
use crate::json;
use crate::numbers::Limbs;
use crate::pairing::{AnyPairing, Pairing, PairingVisitor};
use crate::prover::{Account, Proof, Prover, ProverOptions};
use crate::verifier::Verifier;
use crate::wtns;
use crate::zkey::{self, Zkey};

/// A witness: the constant 1, the public signals, then those that are private.
#[derive(Clone, Copy, Debug)]
pub enum Witness<'a> {
    /// The bytes of a `.wtns` file.
    File(&'a [u8]),
    /// Integers below r, the lowest word first.
    Integers(&'a [Limbs]),
    /// Scalars in Montgomery form, the lowest word first.
    Montgomery(&'a [Limbs]),
}

/// A proof and its public signals as snarkjs has them in JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    /// `proof.json`.
    pub proof: String,
    /// `public.json`.
    pub public: String,
}

/// A [`Prover`] over the pairing of its key's file.
pub struct AnyProver(Box<dyn Erased>);

/// What a prover does whose pairing is no part of its type.
trait Erased: Send + Sync {
    fn pairing(&self) -> AnyPairing;
    fn signals(&self) -> usize;
    fn public_signals(&self) -> usize;
    fn public_bytes(&self) -> usize;
    fn account(&self) -> Account;
    fn verifying_key(&self) -> String;
    fn prove(&self, witness: Witness<'_>) -> Result<Texts, Error>;
    fn prove_batch(&self, witnesses: &[Witness<'_>]) -> Result<Vec<Texts>, Error>;
    fn prove_words(&self, witnesses: &[Witness<'_>]) -> Result<Vec<u64>, Error>;
    fn verify(&self, public: &[u8], proof: &[u8]) -> Result<(), Error>;
}

impl AnyProver {
    /// Hands the points of a key to an engine: those in the bytes of a `.zkey` file. Errors as [`Zkey::proving_key`] and [`Prover::new`].
    pub fn new(engine: &Engine, key: &[u8], options: ProverOptions) -> Result<Self, Error> {
        zkey::pairing_of(key)?.visit(Keeping { engine, key, options })
    }

    /// The pairing.
    pub fn pairing(&self) -> AnyPairing {
        self.0.pairing()
    }

    /// The number of signals of a witness, the constant 1 included.
    pub fn signals(&self) -> usize {
        self.0.signals()
    }

    /// The number of public signals.
    pub fn public_signals(&self) -> usize {
        self.0.public_signals()
    }

    /// The bytes of the longest text of public signals.
    pub fn public_bytes(&self) -> usize {
        self.0.public_bytes()
    }

    /// What was done so far.
    pub fn account(&self) -> Account {
        self.0.account()
    }

    /// The verification key as snarkjs has it in JSON, without `vk_alphabeta_12`.
    pub fn verifying_key(&self) -> String {
        self.0.verifying_key()
    }

    /// The proof of a witness. Errors as the reader of the witness and [`Prover::prove`].
    pub fn prove(&self, witness: Witness<'_>) -> Result<Texts, Error> {
        self.0.prove(witness)
    }

    /// The proofs of several witnesses, verified together. Errors as [`prove`](Self::prove); after one there is no proof.
    pub fn prove_batch(&self, witnesses: &[Witness<'_>]) -> Result<Vec<Texts>, Error> {
        self.0.prove_batch(witnesses)
    }

    /// The same proofs as words: of each the points A over G1, B over G2 and C over G1, as the library has points in memory.
    pub fn prove_words(&self, witnesses: &[Witness<'_>]) -> Result<Vec<u64>, Error> {
        self.0.prove_words(witnesses)
    }

    /// Verifies a proof by the texts of `public.json` and `proof.json`. Errors as their readers and [`Verifier::verify`].
    pub fn verify(&self, public: &[u8], proof: &[u8]) -> Result<(), Error> {
        self.0.verify(public, proof)
    }
}

/// Verifies a proof by the texts of `verification_key.json`, `public.json` and `proof.json`, over the pairing that the first names. Errors as their readers,
/// [`Verifier::new`] and [`Verifier::verify`].
pub fn verify(key: &[u8], public: &[u8], proof: &[u8]) -> Result<(), Error> {
    json::pairing_of_verifying_key(key)?.visit(Verification { key, public, proof })
}

impl fmt::Debug for AnyProver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyProver")
            .field("pairing", &self.pairing())
            .field("signals", &self.signals())
            .finish_non_exhaustive()
    }
}

/// Makes a prover.
struct Keeping<'a> {
    engine: &'a Engine,
    key: &'a [u8],
    options: ProverOptions,
}

impl PairingVisitor for Keeping<'_> {
    type Output = Result<AnyProver, Error>;

    fn visit<P: Pairing>(self) -> Self::Output {
        let key = Zkey::<P>::parse(self.key)?.proving_key()?;
        Ok(AnyProver(Box::new(Prover::new(self.engine, key, self.options)?)))
    }
}

/// Verifies a proof.
struct Verification<'a> {
    key: &'a [u8],
    public: &'a [u8],
    proof: &'a [u8],
}

impl PairingVisitor for Verification<'_> {
    type Output = Result<(), Error>;

    fn visit<P: Pairing>(self) -> Self::Output {
        let verifier = Verifier::<P>::new(json::parse_verifying_key(self.key)?)?;
        verify_texts(&verifier, self.public, self.proof)
    }
}

fn verify_texts<P: Pairing>(verifier: &Verifier<P>, public: &[u8], proof: &[u8]) -> Result<(), Error> {
    let public = json::parse_public::<P::Fr>(public)?;
    verifier.verify(&json::parse_proof(proof)?, &public)
}

impl<P: Pairing> Erased for Prover<P> {
    fn pairing(&self) -> AnyPairing {
        P::VALUE
    }

    fn signals(&self) -> usize {
        Prover::signals(self)
    }

    fn public_signals(&self) -> usize {
        self.verifier().key().public_signals()
    }

    fn public_bytes(&self) -> usize {
        json::longest_public::<P::Fr>(self.public_signals())
    }

    fn account(&self) -> Account {
        Prover::account(self)
    }

    fn verifying_key(&self) -> String {
        json::write_verifying_key(self.verifier().key())
    }

    fn prove(&self, witness: Witness<'_>) -> Result<Texts, Error> {
        let witness = witness.scalars::<P>()?;
        texts(self, &Prover::prove(self, &witness)?, &witness)
    }

    fn prove_batch(&self, witnesses: &[Witness<'_>]) -> Result<Vec<Texts>, Error> {
        let witnesses = scalars_of::<P>(witnesses)?;
        let proofs = Prover::prove_batch(self, &witnesses)?;
        proofs.iter().zip(&witnesses).map(|(proof, witness)| texts(self, proof, witness)).collect()
    }

    fn prove_words(&self, witnesses: &[Witness<'_>]) -> Result<Vec<u64>, Error> {
        let proofs = Prover::prove_batch(self, &scalars_of::<P>(witnesses)?)?;
        Ok(proofs.iter().flat_map(words).collect())
    }

    fn verify(&self, public: &[u8], proof: &[u8]) -> Result<(), Error> {
        verify_texts(self.verifier(), public, proof)
    }
}

impl<'a> Witness<'a> {
    fn scalars<P: Pairing>(self) -> Result<Cow<'a, [P::Fr]>, Error> {
        Ok(match self {
            Self::File(bytes) => wtns::parse(bytes)?.into(),
            Self::Integers(integers) => scalars_of_integers(integers)?.into(),
            Self::Montgomery(limbs) => elements::<P::Fr>(limbs, "signal")?.into(),
        })
    }
}

fn scalars_of<'a, P: Pairing>(witnesses: &[Witness<'a>]) -> Result<Vec<Cow<'a, [P::Fr]>>, Error> {
    witnesses.iter().map(|witness| witness.scalars::<P>()).collect()
}

fn texts<P: Pairing>(prover: &Prover<P>, proof: &Proof<P>, witness: &[P::Fr]) -> Result<Texts, Error> {
    Ok(Texts { proof: json::write_proof(proof), public: json::write_public(prover.public(witness)?) })
}

/// The words of a proof's points.
fn words<P: Pairing>(proof: &Proof<P>) -> Vec<u64> {
    let a = limbs_of_points(std::slice::from_ref(&proof.a));
    let b = limbs_of_points(std::slice::from_ref(&proof.b));
    let c = limbs_of_points(std::slice::from_ref(&proof.c));
    [bytemuck::cast_slice(a), bytemuck::cast_slice(b), bytemuck::cast_slice(c)].concat()
}
