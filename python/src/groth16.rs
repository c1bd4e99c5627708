//! Groth16 proofs over BN254 and BLS12-381 from the keys and witnesses of circom and snarkjs: files by their paths or as bytes, witnesses as arrays or integers
//! too, and JSON as Python's own objects.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Deref;
use std::path::PathBuf;

use numpy::PyUntypedArray;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use zkaccel_groth16::{self as groth16, Account, AnyProver, Bytes, Error, ProverOptions, Texts};

use crate::arrays::Input;
use crate::engine::{Engine, Live};
use crate::failure::{Failure, Outcome, type_name};
use crate::integers::{Limbs, list_of_limbs};

/// A proving key that an engine keeps, for any number of proofs. Any threads may use it at once: proving releases the interpreter.
///
/// - `engine`: the `Engine` that makes the proofs; `zkaccel.default_engine()` is that of the process.
/// - `key`: a `.zkey` file of snarkjs, by its path or as bytes. The whole key is checked. A file must not change while it is read.
/// - `tables`: whether multiples of the key's points are kept, as many as fit into memory; this pays for a key that serves hundreds of proofs.
/// - `unchecked`: whether proofs are handed out that were not verified. A device that fails silently then makes false proofs, and so does a false
///   witness.
///
/// `InputError` for bytes that are no key of Groth16 over BN254 or BLS12-381, `FileError` for a file that cannot be read.
#[pyclass(frozen, module = "zkaccel.groth16")]
pub(crate) struct Prover {
    prover: AnyProver,
    live: Live,
}

#[pymethods]
impl Prover {
    #[new]
    #[pyo3(signature = (engine, key, *, tables=false, unchecked=false))]
    fn new(
        py: Python<'_>,
        engine: &Bound<'_, Engine>,
        key: &Bound<'_, PyAny>,
        tables: bool,
        unchecked: bool,
    ) -> Outcome<Self> {
        let live = engine.get().live.clone();
        let options = ProverOptions { tables, unchecked, ..ProverOptions::default() };
        let key = Contents::expected(key, "key", "a path or bytes")?;
        let prover = live.attempt(py, |engine| Ok(AnyProver::new(engine, &key.open()?, options)?))?;
        Ok(Self { prover, live })
    }

    /// The curve that the key is over: `"bn254"` or `"bls12-381"`.
    #[getter]
    fn curve(&self) -> String {
        self.prover.pairing().name().to_lowercase()
    }

    /// The number of signals of a witness, the constant 1 included.
    #[getter]
    fn signals(&self) -> usize {
        self.prover.signals()
    }

    /// The number of public signals.
    #[getter]
    fn public_signals(&self) -> usize {
        self.prover.public_signals()
    }

    /// What was done so far: a dict with the numbers of `proofs` that were handed out, of those that did not verify and were `remade` on the CPU, and of
    /// those that were `refused`, since the second did not verify either.
    #[getter]
    fn account(&self) -> HashMap<&'static str, u64> {
        let Account { proofs, remade, refused } = self.prover.account();
        HashMap::from([("proofs", proofs), ("remade", remade), ("refused", refused)])
    }

    /// The verification key: `json.dumps` makes snarkjs's `verification_key.json` of it.
    #[getter]
    fn verification_key<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, self.prover.verifying_key())
    }

    /// The proof of a witness and its public signals: `(proof, public)`, of which `json.dumps` makes snarkjs's `proof.json` and `public.json`.
    ///
    /// The witness is a `.wtns` file of circom, by its path or as bytes; an array of uint64 of the shape (signals, 4), in Montgomery form or, with
    /// `canonical`, of plain integers; or a list of integers. Its signals are the constant 1, the public ones, then the private ones. The proof is verified before it is
    /// handed out.
    ///
    /// `InputError` for a witness of another circuit, or one that does not satisfy the key's.
    #[pyo3(signature = (witness, *, canonical=false))]
    fn prove<'py>(
        &self,
        py: Python<'py>,
        witness: &Bound<'py, PyAny>,
        canonical: bool,
    ) -> Outcome<Bound<'py, PyTuple>> {
        let witness = Witness::new(witness)?;
        let signals = witness.signals(canonical);
        let made = self.live.attempt(py, |_| Ok(self.prover.prove(signals.open()?.witness())?))?;
        pair(py, made)
    }

    /// The proofs of several witnesses, verified together: a list of what `prove` returns. Errors as `prove`; after one, no proof is handed out.
    #[pyo3(signature = (witnesses, *, canonical=false))]
    fn prove_batch<'py>(
        &self,
        py: Python<'py>,
        witnesses: &Bound<'py, PyAny>,
        canonical: bool,
    ) -> Outcome<Vec<Bound<'py, PyTuple>>> {
        let Ok(items) = witnesses.try_iter() else {
            let found = type_name(witnesses);
            return Err(Failure::Type(format!("witnesses: expected a list of witnesses, found {found}")));
        };
        let items = items.collect::<PyResult<Vec<_>>>()?;
        let witnesses = items.iter().map(Witness::new).collect::<Outcome<Vec<_>>>()?;
        let signals: Vec<_> = witnesses.iter().map(|witness| witness.signals(canonical)).collect();
        let made = self.live.attempt(py, |_| {
            let opened = signals.iter().map(Signals::open).collect::<Outcome<Vec<_>>>()?;
            Ok(self.prover.prove_batch(&opened.iter().map(Opened::witness).collect::<Vec<_>>())?)
        })?;
        made.into_iter().map(|texts| pair(py, texts)).collect()
    }

    /// Whether a proof is true, by the verification key of this prover; arguments and errors as `zkaccel.groth16.verify`.
    fn verify(&self, py: Python<'_>, public: &Bound<'_, PyAny>, proof: &Bound<'_, PyAny>) -> Outcome<bool> {
        let claim = Claim::new(public, proof)?;
        self.live.attempt(py, |_| claim.is_true(|public, proof| self.prover.verify(public, proof)))
    }

    fn __repr__(&self) -> String {
        format!(
            "<zkaccel.groth16.Prover over {}: {} signals, {} of them public>",
            self.curve(),
            self.signals(),
            self.public_signals()
        )
    }
}

/// Whether a Groth16 proof is true: False for one that is well-formed and false.
///
/// `verification_key`, `public` and `proof` are snarkjs's `verification_key.json`, `public.json` and `proof.json`: what `json.load` makes of them, their
/// paths, or their bytes. `InputError` for what is malformed, for points that are not in their groups, and for another number of public signals than
/// the key is for.
#[pyfunction]
pub(crate) fn groth16_verify(
    py: Python<'_>,
    verification_key: &Bound<'_, PyAny>,
    public: &Bound<'_, PyAny>,
    proof: &Bound<'_, PyAny>,
) -> Outcome<bool> {
    let key = Contents::json(verification_key, "verification_key")?;
    let claim = Claim::new(public, proof)?;
    py.detach(|| {
        let key = key.open()?;
        claim.is_true(|public, proof| groth16::verify(&key, public, proof))
    })
}

/// Public signals and a proof.
struct Claim<'a> {
    public: Contents<'a>,
    proof: Contents<'a>,
}

impl<'a> Claim<'a> {
    fn new(public: &'a Bound<'_, PyAny>, proof: &'a Bound<'_, PyAny>) -> Outcome<Self> {
        Ok(Self { public: Contents::json(public, "public")?, proof: Contents::json(proof, "proof")? })
    }

    fn is_true(&self, verify: impl FnOnce(&[u8], &[u8]) -> Result<(), Error>) -> Outcome<bool> {
        match verify(&self.public.open()?, &self.proof.open()?) {
            Ok(()) => Ok(true),
            Err(Error::NotVerified) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// The bytes of a file, or where they are.
enum Contents<'a> {
    Bytes(Cow<'a, [u8]>),
    Path(PathBuf),
}

impl<'a> Contents<'a> {
    /// Those that an argument is or names, if it does.
    fn new(object: &'a Bound<'_, PyAny>) -> Option<Self> {
        match object.cast::<PyBytes>() {
            Ok(bytes) => Some(Self::Bytes(bytes.as_bytes().into())),
            Err(_) => object.extract().ok().map(Self::Path),
        }
    }

    /// The same, where they must be.
    fn expected(object: &'a Bound<'_, PyAny>, what: &str, expected: &str) -> Outcome<Self> {
        Self::new(object)
            .ok_or_else(|| Failure::Type(format!("{what}: expected {expected}, found {}", type_name(object))))
    }

    /// Those of JSON, which may be an object of Python already.
    fn json(object: &'a Bound<'_, PyAny>, what: &str) -> Outcome<Self> {
        if object.cast::<PyDict>().is_err() && object.cast::<PyList>().is_err() {
            return Self::expected(object, what, "a dict or list of JSON, a path or bytes");
        }
        let text = object.py().import("json")?.call_method1("dumps", (object,));
        let text = text.map_err(|error| Failure::Value(format!("{what}: {}", error.value(object.py()))))?;
        let text: String = text.cast_into::<PyString>().map_err(PyErr::from)?.extract()?;
        Ok(Self::Bytes(text.into_bytes().into()))
    }

    /// The bytes.
    fn open(&self) -> Result<File<'_>, Error> {
        Ok(match self {
            Self::Bytes(bytes) => File::Lent(bytes),
            Self::Path(path) => File::Opened(Bytes::open(path)?),
        })
    }
}

/// The bytes of a file that is open.
enum File<'a> {
    Lent(&'a [u8]),
    Opened(Bytes),
}

impl Deref for File<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Lent(bytes) => bytes,
            Self::Opened(bytes) => bytes,
        }
    }
}

/// A witness as Python gives it.
enum Witness<'a, 'py> {
    File(Contents<'a>),
    Array(Input<'py>),
    Integers(Vec<Limbs>),
}

impl<'a, 'py> Witness<'a, 'py> {
    fn new(object: &'a Bound<'py, PyAny>) -> Outcome<Self> {
        if object.cast::<PyUntypedArray>().is_ok() {
            return Ok(Self::Array(Input::of_width(object, "witness", 4)?));
        }
        if let Some(contents) = Contents::new(object) {
            return Ok(Self::File(contents));
        }
        let Ok(list) = object.cast::<PyList>() else {
            let expected = "a path, bytes, an array of uint64 of the shape (n, 4) or a list of integers";
            let found = type_name(object);
            return Err(Failure::Type(format!("witness: expected {expected}, found {found}")));
        };
        let limbs = list_of_limbs(list, Limbs::default().len())?;
        Ok(Self::Integers(limbs.as_chunks().0.to_vec()))
    }

    fn signals(&self, canonical: bool) -> Signals<'_> {
        match self {
            Self::File(contents) => Signals::File(contents),
            Self::Array(input) if canonical => Signals::Integers(input.words().as_chunks().0),
            Self::Array(input) => Signals::Montgomery(input.words().as_chunks().0),
            Self::Integers(integers) => Signals::Integers(integers),
        }
    }
}

/// A witness in memory that other threads may read.
enum Signals<'a> {
    File(&'a Contents<'a>),
    Integers(&'a [Limbs]),
    Montgomery(&'a [Limbs]),
}

impl Signals<'_> {
    fn open(&self) -> Outcome<Opened<'_>> {
        Ok(match self {
            Self::File(contents) => Opened::File(contents.open()?),
            Self::Integers(integers) => Opened::Integers(integers),
            Self::Montgomery(limbs) => Opened::Montgomery(limbs),
        })
    }
}

/// A witness whose file, if it is one, is open.
enum Opened<'a> {
    File(File<'a>),
    Integers(&'a [Limbs]),
    Montgomery(&'a [Limbs]),
}

impl Opened<'_> {
    fn witness(&self) -> groth16::Witness<'_> {
        match self {
            Self::File(bytes) => groth16::Witness::File(bytes),
            Self::Integers(integers) => groth16::Witness::Integers(integers),
            Self::Montgomery(limbs) => groth16::Witness::Montgomery(limbs),
        }
    }
}

/// A proof and its public signals as objects of Python.
fn pair(py: Python<'_>, texts: Texts) -> Outcome<Bound<'_, PyTuple>> {
    Ok(PyTuple::new(py, [loads(py, texts.proof)?, loads(py, texts.public)?])?)
}

/// An object of Python out of JSON.
fn loads(py: Python<'_>, text: String) -> PyResult<Bound<'_, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}
