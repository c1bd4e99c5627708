//! The engine as a class, and what a machine has.

use std::sync::OnceLock;

use accel::commit::TraceSpec;
use accel::device::{DeviceChoice, DeviceInfo};
use accel::field::Goldilocks;
use accel::matrix::MatrixRef;
use accel::msm::BasesOptions;
use accel::ntt::Direction;
use accel::{Error, merkle};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::{Input, array_of};
use crate::commitment::{self, Commitment};
use crate::failure::{Failure, Outcome};
use crate::fields::{Form, Words};
use crate::hashes::{self, HashVisitor};
use crate::integers::{Unsigned, unsigned, zeros};
use crate::matrix::{self, DeviceMatrix, Operand};
use crate::sums::{self, Bases, Msm};
use crate::transforms::{Options, extend, fft, transform};

/// Words of a digest.
pub(crate) const DIGEST: usize = 4;

/// An engine of this process: one of its own, or that of the process, which is made at the first call.
#[derive(Clone)]
pub(crate) enum Live {
    /// With the process that made it.
    Own(accel::Engine, u32),
    Global,
}

impl Live {
    /// The engine. In a process forked from the one that made it, where its threads are not, it would wait for them forever.
    fn engine(&self) -> Outcome<accel::Engine> {
        static MADE_BY: OnceLock<u32> = OnceLock::new();
        let here = std::process::id();
        let made_by = match self {
            Self::Own(_, made_by) => *made_by,
            Self::Global => *MADE_BY.get_or_init(|| here),
        };
        if made_by != here {
            return Err(Failure::Unsupported(
                "an engine in a process forked from the one that made it, expected an engine made in this process; \
                 with multiprocessing use the start method \"spawn\""
                    .into(),
            ));
        }
        Ok(match self {
            Self::Own(engine, _) => engine.clone(),
            Self::Global => accel::Engine::global()?,
        })
    }

    /// Does something with the engine, while other threads of Python run.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        operation: impl FnOnce(&accel::Engine) -> Result<T, Error> + Send,
    ) -> Outcome<T> {
        self.attempt(py, |engine| Ok(operation(engine)?))
    }

    /// The same with an operation that has other failures, too.
    pub(crate) fn attempt<T: Send>(
        &self,
        py: Python<'_>,
        operation: impl FnOnce(&accel::Engine) -> Outcome<T> + Send,
    ) -> Outcome<T> {
        py.detach(|| operation(&self.engine()?))
    }
}

/// A device of this machine.
#[pyclass(frozen, get_all, module = "zkaccel")]
pub(crate) struct Device {
    /// The name by which it is chosen, such as `cpu` or `cuda:0`.
    id: String,
    /// `CPU`, `GPU` or `accelerator`.
    kind: String,
    /// Its description, such as the processor's brand.
    description: String,
    /// Threads or compute units.
    units: usize,
    /// Its memory in bytes, None where the system does not tell.
    memory: Option<u64>,
    /// Its driver and the driver's version, None where it has none.
    driver: Option<String>,
    /// Why it is used, or how it was found.
    reason: String,
}

#[pymethods]
impl Device {
    fn __repr__(&self) -> String {
        format!("<zkaccel.Device {}: {}, {}>", self.id, self.kind, self.description)
    }
}

impl From<DeviceInfo> for Device {
    fn from(info: DeviceInfo) -> Self {
        let DeviceInfo { id, kind, description, units, memory, driver, reason } = info;
        Self { id, kind: kind.to_string(), description, units, memory, driver, reason }
    }
}

/// The devices of this machine: the processor, then what CUDA and OpenCL find. A GPU with two drivers is there twice.
#[pyfunction]
pub(crate) fn devices(py: Python<'_>) -> Vec<Device> {
    py.detach(accel::device::devices).into_iter().map(Device::from).collect()
}

/// The engine of the functions of the module: on the device that the environment variable `ZKACCEL_DEVICE` names, or else `auto`, with all
/// threads. It is made at the first operation.
#[pyfunction]
pub(crate) fn default_engine() -> Engine {
    Engine { live: Live::Global }
}

/// A device, or several, with its threads and limits. Any threads may use one engine at once: operations release the interpreter.
///
/// - `device`: `"auto"`, `"cpu"`, `"reference"`, `"cuda:0"`, `"opencl:0"`, `"provider:PATH"`, several with commas between or as a list;
///   None is the one that the environment variable `ZKACCEL_DEVICE` names, or else `"auto"`.
/// - `policy`: `"any"`, `"require-gpu"`, `"prefer-gpu"`, `"require-cpu"`, `"prefer-cpu"`.
/// - `threads`: the number of threads that compute; None is `RAYON_NUM_THREADS` or all that the system grants.
/// - `memory`, `device_memory`: the most bytes that one operation may allocate in host memory and on a device.
/// - `check`: whether every answer of the device is tested at random before it is used.
/// - `approach`: how a GPU builds Merkle trees: `"auto"`, `"level"`, `"group"`, `"local"`.
///
/// `DeviceUnavailableError` for a device that is missing, `InputError` for an unknown name or a contradiction.
#[pyclass(frozen, module = "zkaccel")]
pub(crate) struct Engine {
    pub(crate) live: Live,
}

#[pymethods]
impl Engine {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    #[pyo3(signature = (device=None, *, policy="any", threads=None, memory=None, device_memory=None, check=false, approach="auto"))]
    fn new(
        py: Python<'_>,
        device: Option<&Bound<'_, PyAny>>,
        policy: &str,
        threads: Option<Unsigned>,
        memory: Option<Unsigned>,
        device_memory: Option<Unsigned>,
        check: bool,
        approach: &str,
    ) -> Outcome<Self> {
        let approach: merkle::Approach = approach.parse()?;
        let mut builder =
            accel::Engine::builder().policy(policy.parse()?).check_answers(check).approach(approach);
        builder = match device {
            None => builder.device_from_environment()?,
            Some(device) => builder.device(device_of(device)?),
        };
        if let Some(threads) = threads {
            builder = builder.threads(threads.size());
        }
        if let Some(bytes) = memory {
            builder = builder.memory_budget(bytes.0);
        }
        if let Some(bytes) = device_memory {
            builder = builder.device_memory(bytes.0);
        }
        let engine = py.detach(|| builder.build())?;
        Ok(Self { live: Live::Own(engine, std::process::id()) })
    }

    /// The device in use, with the reason for its choice.
    #[getter]
    fn device(&self, py: Python<'_>) -> Outcome<Device> {
        Ok(self.live.run(py, |engine| Ok(engine.device().clone()))?.into())
    }

    fn __repr__(&self) -> String {
        match &self.live {
            Live::Own(engine, _) => format!("<zkaccel.Engine on {}>", engine.device().id),
            Live::Global => "<zkaccel.Engine of the process>".into(),
        }
    }

    /// What each device has done so far: a dictionary of each device and kind of operation, with `calls`, `failures`, `items`, their
    /// `unit`, `bytes_in`, `bytes_out` and `seconds`.
    fn work<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let work = PyDict::new(py);
        for device in self.live.run(py, |engine| Ok(engine.work()))? {
            let operations = PyDict::new(py);
            for line in device.operations {
                let entry = PyDict::new(py);
                entry.set_item("calls", line.calls)?;
                entry.set_item("failures", line.failures)?;
                entry.set_item("items", line.items)?;
                entry.set_item("unit", line.unit)?;
                entry.set_item("bytes_in", line.bytes_in)?;
                entry.set_item("bytes_out", line.bytes_out)?;
                entry.set_item("seconds", line.time.as_secs_f64())?;
                operations.set_item(line.operation, entry)?;
            }
            work.set_item(device.device, operations)?;
        }
        Ok(work)
    }

    /// Commits to an execution trace, `(rows, columns)` of Goldilocks: a row a step, a column a register, a power of two of rows.
    ///
    /// Every column is extended from the subgroup of order `rows` to the coset `shift` H, where H has `blowup` times as many points; every
    /// row of the extension is hashed; a Merkle tree is built over the hashes. C order hashes fastest. The trace is an array of uint64 or a
    /// DeviceMatrix; on a device the extension and the tree stay there.
    #[pyo3(signature = (trace, *, blowup=8, hash="rp64_256", convention="winterfell", shift=7))]
    fn commit(
        &self,
        trace: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = unsigned)] blowup: u64,
        hash: &str,
        convention: &str,
        #[pyo3(from_py_with = unsigned)] shift: u64,
    ) -> Outcome<Commitment> {
        let convention = convention.parse()?;
        let spec = TraceSpec { blowup, convention, shift: bytemuck::cast(shift) };
        commitment::commit(&self.live, trace, spec, hash)
    }

    /// Values from coefficients: transforms every column of a matrix over Goldilocks, `(rows,)` or `(rows, columns)` with a power of two of rows.
    ///
    /// Column by column, row i of the result is the value at `shift` w^i of the polynomial whose coefficient of x^j is row j; w is the
    /// convention's root of unity of order `rows`. An order is `"natural"` or `"bit-reversed"`. An array gives a new array of the same shape
    /// and order of memory; `out` takes the result instead, and may be the matrix itself, which is then transformed in place. After an error
    /// another `out` is unspecified. A DeviceMatrix gives another DeviceMatrix.
    #[pyo3(signature = (matrix, *, shift=1, convention="winterfell", input_order="natural", output_order="natural", out=None))]
    fn ntt<'py>(
        &self,
        matrix: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = unsigned)] shift: u64,
        convention: &str,
        input_order: &str,
        output_order: &str,
        out: Option<&Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, PyAny>> {
        let options = Options { convention, shift, input_order, output_order };
        transform::<Goldilocks>(&self.live, matrix, out, false, |rows| {
            Ok(options.ntt(Direction::Forward, rows)?)
        })
    }

    /// Coefficients from values: the inverse of `ntt`, with the factor 1/rows and the same arguments.
    #[pyo3(signature = (matrix, *, shift=1, convention="winterfell", input_order="natural", output_order="natural", out=None))]
    fn intt<'py>(
        &self,
        matrix: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = unsigned)] shift: u64,
        convention: &str,
        input_order: &str,
        output_order: &str,
        out: Option<&Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, PyAny>> {
        let options = Options { convention, shift, input_order, output_order };
        transform::<Goldilocks>(&self.live, matrix, out, false, |rows| {
            Ok(options.ntt(Direction::Inverse, rows)?)
        })
    }

    /// Low-degree extension: values of polynomials, a column each, on the subgroup of order `rows` to their values on the coset `shift` H, where H
    /// has `blowup` times as many points; `blowup` is a power of two of at least 2.
    ///
    /// The result has `blowup` times the rows and the order of memory of the matrix; `out` takes it, if given.
    #[pyo3(signature = (matrix, blowup=8, *, shift=7, convention="winterfell", output_order="natural", out=None))]
    fn lde<'py>(
        &self,
        matrix: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = unsigned)] blowup: u64,
        #[pyo3(from_py_with = unsigned)] shift: u64,
        convention: &str,
        output_order: &str,
        out: Option<&Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, PyAny>> {
        let options = Options { convention, shift, input_order: "natural", output_order };
        extend(&self.live, matrix, out, |rows| options.lde(blowup, rows))
    }

    /// Transforms polynomials over BN254's scalars, `(n, 4)` or `(polynomials, n, 4)` with n a power of two: values from coefficients, or with
    /// `inverse` coefficients from values.
    ///
    /// `root` is `"halo2"` or `"arkworks"`, for the roots of unity of these libraries, or an integer of order n; `shift` is an integer, or
    /// `"zeta"`, halo2's cube root of unity. Limbs are in Montgomery form, with `canonical` plain integers, the lowest limb first. `out` and
    /// DeviceMatrix as in `ntt`.
    #[pyo3(signature = (scalars, *, inverse=false, root=None, shift=None, canonical=false, out=None))]
    fn fft<'py>(
        &self,
        scalars: &Bound<'py, PyAny>,
        inverse: bool,
        root: Option<&Bound<'py, PyAny>>,
        shift: Option<&Bound<'py, PyAny>>,
        canonical: bool,
        out: Option<&Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, PyAny>> {
        let py = scalars.py();
        let direction = if inverse { Direction::Inverse } else { Direction::Forward };
        let root = root
            .map_or_else(|| Ok("halo2".into_pyobject(py)?.into_any()), |root| Ok::<_, PyErr>(root.clone()))?;
        let shift = shift
            .map_or_else(|| Ok(1_u64.into_pyobject(py)?.into_any()), |shift| Ok::<_, PyErr>(shift.clone()))?;
        transform(&self.live, scalars, out, canonical, |rows| fft(direction, rows, &root, &shift))
    }

    /// The digest of every row of a matrix over Goldilocks, an array or a DeviceMatrix: an array of uint64 of the shape (rows, 4).
    ///
    /// A digest is four field elements, or for a hash of bytes its 32 bytes as four little-endian words.
    #[pyo3(signature = (matrix, *, hash="rp64_256"))]
    fn hash_rows<'py>(&self, matrix: &Bound<'py, PyAny>, hash: &str) -> Outcome<Bound<'py, PyAny>> {
        let digests = hashes::visit(hash, HashRows { live: &self.live, matrix })??;
        let dims = [digests.len() / DIGEST, DIGEST];
        Ok(array_of(matrix.py(), digests, &dims, false))
    }

    /// The root of the Merkle tree over leaves, a power of two of them: 64 hexadecimal digits.
    ///
    /// The leaves are digests, an array of uint64 of the shape (n, 4), or with `of="rows"` the digests of the rows of a matrix over Goldilocks, an
    /// array or a DeviceMatrix.
    #[pyo3(signature = (leaves, *, hash="rp64_256", of="digests"))]
    fn merkle_root(&self, leaves: &Bound<'_, PyAny>, hash: &str, of: &str) -> Outcome<String> {
        let rows = match of {
            "digests" => false,
            "rows" => true,
            _ => return Err(crate::fields::unknown("kind of leaves", of, &["digests", "rows"]).into()),
        };
        hashes::visit(hash, Root { live: &self.live, leaves, rows })?
    }

    /// The sum of scalars times points of a curve: affine coordinates `(x, y)` as integers, None for the identity.
    ///
    /// - `scalars`: an array of uint64 of the shape (n, 4), a DeviceMatrix over the curve's scalars, or a list of integers. With one more axis,
    ///   (sums, n, 4), each row of scalars gives a sum over the same points, and the result is a list.
    /// - `bases`: an array of uint64 of the shape (n, 8), the limbs of x and of y, all zero for the identity; a list of `(x, y)` and None; or Bases.
    ///   Over `bn254-g2` a coordinate c0 + c1 u is eight limbs, those of c0 first, so that the shape is (n, 16), or a pair `(c0, c1)`. Over
    ///   BLS12-381 and BLS12-377 six limbs stand for four: (n, 12) over their g1, (n, 24) over their g2; over `bw6-761-g1` twelve limbs, (n, 24), and six a scalar, (n, 6).
    /// - `curve`: one of `zkaccel.CURVES`; by default that of the Bases, or `bn254-g1`.
    /// - `canonical`: whether limbs of arrays are plain integers instead of residues in Montgomery form (x times 2^256 modulo the prime).
    /// - `validate`: whether points that are not kept are checked to be on the curve and in its group, of which they are copied. Without it, the sum over other
    ///   points is meaningless.
    #[pyo3(signature = (scalars, bases, *, curve=None, canonical=false, validate=true))]
    fn msm<'py>(
        &self,
        scalars: &Bound<'py, PyAny>,
        bases: &Bound<'py, PyAny>,
        curve: Option<&str>,
        canonical: bool,
        validate: bool,
    ) -> Outcome<Bound<'py, PyAny>> {
        Msm { live: &self.live, scalars, canonical, validate }.run(bases, curve)
    }

    /// Keeps points for sums over them, as `msm` takes them. With `tables`, multiples of the points are computed once, as many as fit into memory, so
    /// that sums take less time.
    #[pyo3(signature = (points, *, curve=None, canonical=false, validate=true, tables=false))]
    fn bases(
        &self,
        points: &Bound<'_, PyAny>,
        curve: Option<&str>,
        canonical: bool,
        validate: bool,
        tables: bool,
    ) -> Outcome<Bases> {
        let curve = curve.unwrap_or(sums::CURVES[0]);
        sums::keep(&self.live, points, curve, canonical, BasesOptions { validate, tables })
    }

    /// Copies a matrix to the engine's device, to stay there between operations: an array of uint64 of the shape that `DeviceMatrix` says for the
    /// field, one of `zkaccel.FIELDS`. With `canonical`, elements of BN254's fields are plain integers instead of residues in Montgomery form.
    #[pyo3(signature = (matrix, *, field="goldilocks", canonical=false))]
    fn upload(&self, matrix: &Bound<'_, PyAny>, field: &str, canonical: bool) -> Outcome<DeviceMatrix> {
        matrix::upload(&self.live, matrix, field, canonical)
    }
}

/// The device, or several, that an argument names.
fn device_of(device: &Bound<'_, PyAny>) -> Outcome<DeviceChoice> {
    let name = match device.cast::<PyList>() {
        Ok(names) => names.extract::<Vec<String>>()?.join(","),
        Err(_) => device.extract::<String>().map_err(|_| {
            let found = crate::failure::type_name(device);
            Failure::Type(format!("device: expected the name of a device or a list of names, found {found}"))
        })?,
    };
    Ok(name.parse()?)
}

struct HashRows<'a, 'py> {
    live: &'a Live,
    matrix: &'a Bound<'py, PyAny>,
}

impl HashVisitor for HashRows<'_, '_> {
    type Output = Outcome<Vec<u64>>;

    fn visit<H: accel::hash::Accelerated>(self) -> Outcome<Vec<u64>> {
        let Self { live, matrix } = self;
        let py = matrix.py();
        let digests: Vec<H::Digest> = match Operand::new::<Goldilocks>(live, matrix)? {
            Operand::Kept(kept) => {
                let matrix = kept.get().entries::<Goldilocks>()?;
                live.run(py, |engine| engine.hash_rows::<H, _>(matrix))?
            }
            Operand::Host(input) => {
                let form = Form::of::<Goldilocks>("matrix", input.dims(), input.is_fortran())?;
                let words = input.words();
                live.run(py, |engine| {
                    engine.hash_rows::<H, _>(MatrixRef::new(Goldilocks::elements(words)?, form.shape)?)
                })?
            }
        };
        let mut words = zeros(DIGEST * digests.len())?;
        bytemuck::cast_slice_mut(&mut words).copy_from_slice(bytemuck::cast_slice::<_, u8>(&digests));
        Ok(words)
    }
}

struct Root<'a, 'py> {
    live: &'a Live,
    leaves: &'a Bound<'py, PyAny>,
    rows: bool,
}

impl HashVisitor for Root<'_, '_> {
    type Output = Outcome<String>;

    fn visit<H: accel::hash::Accelerated>(self) -> Outcome<String> {
        let Self { live, leaves, rows } = self;
        let py = leaves.py();
        if !rows {
            let input = Input::of_width(leaves, "leaves", DIGEST)?;
            let words = input.words();
            let root =
                live.run(py, |engine| Ok(engine.merkle_tree::<H>(bytemuck::cast_slice(words))?.root()))?;
            return Ok(root.to_string());
        }
        let root = match Operand::new::<Goldilocks>(live, leaves)? {
            Operand::Kept(kept) => {
                let matrix = kept.get().entries::<Goldilocks>()?;
                live.run(py, |engine| Ok(engine.merkle_tree_of_rows::<H, _>(matrix)?.root()))?
            }
            Operand::Host(input) => {
                let form = Form::of::<Goldilocks>("leaves", input.dims(), input.is_fortran())?;
                let words = input.words();
                live.run(py, |engine| {
                    let matrix = MatrixRef::new(Goldilocks::elements(words)?, form.shape)?;
                    Ok(engine.merkle_tree_of_rows::<H, _>(matrix)?.root())
                })?
            }
        };
        Ok(root.to_string())
    }
}
