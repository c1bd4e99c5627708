//! Commitments to traces, openings of their rows, and the verification of openings, over any hash.

use accel::Error;
use accel::commit::{self, RowOpening, TraceSpec};
use accel::field::{Goldilocks, MODULUS};
use accel::hash::{Accelerated, Digest};
use accel::merkle::{Cap, MultiOpening};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::{array_of, view};
use crate::engine::Live;
use crate::failure::{Failure, Outcome};
use crate::fields::{Form, Words};
use crate::hashes::{self, HashVisitor};
use crate::integers::{Unsigned, indices};
use crate::matrix::{DeviceMatrix, Operand};

/// A commitment to a trace: the extended trace and the Merkle tree over its rows, where the engine worked. `commit` makes one.
#[pyclass(frozen, module = "zkaccel")]
pub(crate) struct Commitment {
    live: Live,
    commitment: Box<dyn AnyCommitment>,
    flat: bool,
    spec: TraceSpec,
}

/// A commitment over any hash.
trait AnyCommitment: Send + Sync {
    fn hash(&self) -> &'static str;
    fn root(&self) -> String;
    fn open(&self, rows: &[usize]) -> Result<Opening, Error>;
    fn extension(&self) -> &accel::resident::Cosets<Goldilocks>;
    /// The words of the extension in host memory, where they stay as long as the commitment.
    fn words(&self) -> Result<&[u64], Error>;
}

impl<H: Accelerated> AnyCommitment for commit::Commitment<H> {
    fn hash(&self) -> &'static str {
        H::NAME
    }

    fn root(&self) -> String {
        self.root().to_string()
    }

    fn open(&self, rows: &[usize]) -> Result<Opening, Error> {
        Ok(Opening::of((self.shape().rows, self.shape().columns), self.open(rows)?))
    }

    fn extension(&self) -> &accel::resident::Cosets<Goldilocks> {
        self.resident_extension()
    }

    fn words(&self) -> Result<&[u64], Error> {
        Ok(bytemuck::cast_slice(commit::Commitment::extension(self)?.as_slice()))
    }
}

/// Commits to a trace.
pub(crate) fn commit(
    live: &Live,
    trace: &Bound<'_, PyAny>,
    spec: TraceSpec,
    hash: &str,
) -> Outcome<Commitment> {
    hashes::visit(hash, Commit { live, trace, spec })?
}

struct Commit<'a, 'py> {
    live: &'a Live,
    trace: &'a Bound<'py, PyAny>,
    spec: TraceSpec,
}

impl HashVisitor for Commit<'_, '_> {
    type Output = Outcome<Commitment>;

    fn visit<H: Accelerated>(self) -> Outcome<Commitment> {
        let Self { live, trace, spec } = self;
        let py = trace.py();
        let (commitment, flat) = match Operand::new::<Goldilocks>(live, trace)? {
            Operand::Kept(kept) => {
                let matrix = kept.get().entries::<Goldilocks>()?;
                (live.run(py, |engine| engine.commit::<H>(&spec, matrix))?, kept.get().is_flat())
            }
            Operand::Host(input) => {
                let form = Form::of::<Goldilocks>("trace", input.dims(), input.is_fortran())?;
                let words = input.words();
                let commit = |engine: &accel::Engine| {
                    let matrix = accel::matrix::MatrixRef::new(Goldilocks::elements(words)?, form.shape)?;
                    engine.commit::<H>(&spec, matrix)
                };
                (live.run(py, commit)?, form.flat)
            }
        };
        Ok(Commitment { live: live.clone(), commitment: Box::new(commitment), flat, spec })
    }
}

#[pymethods]
impl Commitment {
    /// The root of the Merkle tree: 64 hexadecimal digits.
    #[getter]
    fn root(&self) -> String {
        self.commitment.root()
    }

    /// The name of the hash: one of `zkaccel.HASHES`.
    #[getter]
    fn hash(&self) -> &'static str {
        self.commitment.hash()
    }

    /// Rows of the extended trace, which are the leaves of the tree: `blowup` times those of the trace.
    #[getter]
    fn rows(&self) -> usize {
        self.commitment.extension().shape().rows
    }

    /// Columns of the trace.
    #[getter]
    fn columns(&self) -> usize {
        self.commitment.extension().shape().columns
    }

    /// Rows of the extended trace for each row of the trace.
    #[getter]
    fn blowup(&self) -> u64 {
        self.spec.blowup
    }

    fn __repr__(&self) -> String {
        let (rows, columns) = (self.rows(), self.columns());
        format!(
            "<zkaccel.Commitment {} over {rows} rows and {columns} columns, {}>",
            self.root(),
            self.hash()
        )
    }

    /// Opens rows of the extended trace, by their indices, each once. Only these rows and their siblings are copied.
    ///
    /// `InputError` for no index, an index past the last row or twice the same.
    fn open(&self, py: Python<'_>, rows: &Bound<'_, PyAny>) -> Outcome<Opening> {
        let rows = indices(rows, "rows")?;
        self.live.run(py, |_| self.commitment.open(&rows))
    }

    /// Whether an opening is one of this commitment.
    fn verify(&self, opening: &Opening) -> Outcome<bool> {
        verify(
            opening,
            &self.root(),
            self.hash(),
            Unsigned(self.rows() as u64),
            Unsigned(self.columns() as u64),
        )
    }

    /// The extended trace: a read-only array of uint64 of the shape (rows, columns) on the commitment's own memory. What lies on a
    /// device is copied to host memory the first time.
    fn extension<'py>(slf: &Bound<'py, Self>, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        let this = slf.get();
        let words = this.live.run(py, |_| this.commitment.words())?;
        let form = Form::new::<Goldilocks>(this.commitment.extension().shape(), this.flat);
        // SAFETY: the commitment keeps the words as they are, and lives as long as the object.
        Ok(unsafe { view(words, &form, slf.clone().into_any()) }?)
    }

    /// The extended trace where it lies, without a copy.
    ///
    /// `UnsupportedError` if several devices hold it in cosets, which `device_cosets` has.
    fn device_extension(&self) -> Outcome<DeviceMatrix> {
        let extension = self.commitment.extension();
        match extension.whole() {
            Some(whole) => Ok(DeviceMatrix::new(&self.live, whole.clone(), self.flat)),
            None => Err(Failure::Unsupported(format!(
                "the extension lies in {} cosets on several devices, expected one matrix: device_cosets() has them",
                extension.parts().len()
            ))),
        }
    }

    /// The extended trace where it lies, without a copy, as a list of P matrices: matrix k has rows k, k + P, k + 2P, ... P is 1 where one device
    /// made it, and else a power of two.
    fn device_cosets(&self) -> Vec<DeviceMatrix> {
        let parts = self.commitment.extension().parts().iter();
        parts.map(|part| DeviceMatrix::new(&self.live, part.clone(), self.flat)).collect()
    }
}

/// Opened rows of an extended trace, with the digests that lead from them to the root: what a prover sends.
///
/// `Commitment.open` makes one, and `Opening.from_dict`.
#[pyclass(frozen, eq, module = "zkaccel")]
#[derive(PartialEq)]
pub(crate) struct Opening {
    hash: &'static str,
    rows: usize,
    columns: usize,
    indices: Vec<usize>,
    values: Vec<Vec<u64>>,
    siblings: Vec<[u8; 32]>,
}

impl Opening {
    /// That of rows of an extended trace with so many rows and columns.
    pub(crate) fn of<H: Accelerated>((rows, columns): (usize, usize), opening: RowOpening<H>) -> Self {
        let RowOpening { rows: values, opening } = opening;
        Self {
            hash: H::NAME,
            rows,
            columns,
            indices: opening.indices,
            values: values.into_iter().map(bytemuck::cast_vec).collect(),
            siblings: opening.siblings.into_iter().map(Digest::to_bytes).collect(),
        }
    }
}

/// The format of `Opening.to_dict`, which is that of the command's proofs.
const FORMAT: &str = "zkaccel-row-opening-1";

#[pymethods]
impl Opening {
    /// The name of the hash.
    #[getter]
    fn hash(&self) -> &'static str {
        self.hash
    }

    /// Rows of the extended trace, as the prover claims.
    #[getter]
    fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of the extended trace, as the prover claims.
    #[getter]
    fn columns(&self) -> usize {
        self.columns
    }

    /// The indices of the opened rows, ascending.
    #[getter]
    fn indices(&self) -> Vec<usize> {
        self.indices.clone()
    }

    /// The opened rows: an array of uint64 of the shape (len(indices), columns), a copy.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyAny>> {
        let dims = [self.values.len(), self.columns];
        match self.values.iter().all(|row| row.len() == self.columns) {
            true => Ok(array_of(py, self.values.concat(), &dims, false)),
            false => {
                Err(Failure::Value(format!("the opened rows do not have {} columns each", self.columns)))
            }
        }
    }

    /// The digests beside the paths to the root, by level from the leaves up and from left to right: 64 hexadecimal digits each.
    #[getter]
    fn siblings(&self) -> Vec<String> {
        self.siblings.iter().map(hex).collect()
    }

    fn __repr__(&self) -> String {
        let Self { indices, rows, columns, hash, .. } = self;
        format!("<zkaccel.Opening of {} of {rows} rows and {columns} columns, {hash}>", indices.len())
    }

    /// The opening as a dictionary of texts, numbers and lists, for `json.dumps`: a proof that `zkaccel verify` reads.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("format", FORMAT)?;
        dict.set_item("hash", self.hash)?;
        dict.set_item("rows", self.rows)?;
        dict.set_item("columns", self.columns)?;
        dict.set_item("indices", &self.indices)?;
        // Not every reader preserves JSON numbers above 2^53.
        let values = self.values.iter().map(|row| row.iter().map(u64::to_string).collect::<Vec<_>>());
        dict.set_item("values", PyList::new(py, values.collect::<Vec<_>>())?)?;
        dict.set_item("siblings", self.siblings())?;
        Ok(dict)
    }

    /// The opening of a dictionary that `to_dict` has made, or of a proof that `zkaccel open` has written.
    ///
    /// `InputError` for anything else. Whether the opening is true is for `verify` to say.
    #[staticmethod]
    fn from_dict(dict: &Bound<'_, PyDict>) -> Outcome<Self> {
        let get = |key: &str| {
            let missing = || Failure::Value(format!("the opening has no {key:?}"));
            dict.get_item(key)?.ok_or_else(missing)
        };
        let format: String = get("format")?.extract()?;
        if format != FORMAT {
            return Err(Failure::Value(format!("the format is {format:?}, expected {FORMAT:?}")));
        }
        if dict.len() != 7 {
            return Err(Failure::Value(format!("the opening has {} entries, expected 7", dict.len())));
        }
        let hash: String = get("hash")?.extract()?;
        let [rows, columns] = [get("rows")?.extract::<Unsigned>()?, get("columns")?.extract::<Unsigned>()?];
        let texts: Vec<Vec<String>> = get("values")?.extract()?;
        let values = texts.iter().map(|row| row.iter().map(|text| element(text)).collect::<Outcome<_>>());
        let siblings: Vec<String> = get("siblings")?.extract()?;
        hashes::visit(
            &hash,
            Parts {
                rows: rows.size(),
                columns: columns.size(),
                indices: indices(&get("indices")?, "indices")?,
                values: values.collect::<Outcome<_>>()?,
                siblings,
            },
        )?
    }
}

/// A field element from its one decimal form.
fn element(text: &str) -> Outcome<u64> {
    let value = text.parse::<u64>().ok().filter(|&value| value < MODULUS && value.to_string() == text);
    value.ok_or_else(|| {
        Failure::Value(format!("{text:?} is no field element, expected a decimal number below {MODULUS}"))
    })
}

fn hex(digest: &[u8; 32]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The parts of an opening, with siblings as texts.
struct Parts {
    rows: usize,
    columns: usize,
    indices: Vec<usize>,
    values: Vec<Vec<u64>>,
    siblings: Vec<String>,
}

impl HashVisitor for Parts {
    type Output = Outcome<Opening>;

    fn visit<H: Accelerated>(self) -> Outcome<Opening> {
        let Self { rows, columns, indices, values, siblings } = self;
        let digest = |text: &String| Ok::<_, Error>(text.parse::<H::Digest>()?.to_bytes());
        let siblings = siblings.iter().map(digest).collect::<Result<_, _>>()?;
        Ok(Opening { hash: H::NAME, rows, columns, indices, values, siblings })
    }
}

/// Whether an opening is true: whether its rows are rows of the extended trace of `rows` rows and `columns` columns that was committed
/// to with `root`.
///
/// The verifier states what the root does not say: the hash and the shape of the extended trace. An opening for another hash or shape,
/// or one that is malformed, is false. `InputError` for a root that is none of this hash.
#[pyfunction]
#[pyo3(signature = (opening, root, *, hash, rows, columns))]
pub(crate) fn verify(
    opening: &Opening,
    root: &str,
    hash: &str,
    rows: Unsigned,
    columns: Unsigned,
) -> Outcome<bool> {
    Ok(hashes::visit(hash, Verify { opening, root, rows: rows.size(), columns: columns.size() })??)
}

struct Verify<'a> {
    opening: &'a Opening,
    root: &'a str,
    rows: usize,
    columns: usize,
}

impl HashVisitor for Verify<'_> {
    type Output = Result<bool, Error>;

    fn visit<H: Accelerated>(self) -> Result<bool, Error> {
        let Self { opening, root, rows, columns } = self;
        let cap = Cap::<H>::from_root(rows, root.parse()?)?;
        if (opening.hash, opening.rows, opening.columns) != (H::NAME, rows, columns) {
            return Ok(false);
        }
        let siblings = opening.siblings.iter().map(|&sibling| H::Digest::from_bytes(sibling));
        let Ok(siblings) = siblings.collect::<Result<_, _>>() else { return Ok(false) };
        let rows = opening.values.iter().map(|row| bytemuck::cast_vec(row.clone())).collect();
        let opening = MultiOpening { indices: opening.indices.clone(), siblings };
        Ok(RowOpening::<H> { rows, opening }.verify(&cap, columns).is_ok())
    }
}
