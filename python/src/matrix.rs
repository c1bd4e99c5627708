//! Matrices that stay on an engine's device, over any field.

use std::any::Any;
use std::sync::OnceLock;

use accel::matrix::{MatrixRef, Shape};
use accel::resident;
use accel::{Engine, Error};
use numpy::PyUntypedArray;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrays::{Input, array, array_of, view};
use crate::dlpack::{CPU, CUDA, Lent, buffer_error, export, strides};
use crate::engine::Live;
use crate::failure::{Failure, Outcome};
use crate::fields::{self, FieldVisitor, Form, Words, into_words};
use crate::foreign;
use crate::integers::indices;

/// A matrix in an engine's memory: on the device if that has memory of its own, else in host memory.
///
/// `Engine.upload` makes one, and so do operations on others. It never changes. As an array it has the shape of the array that
/// was uploaded, which is C-contiguous or, over Goldilocks, Fortran-contiguous. It belongs to its engine: operations of another
/// engine refuse it with `WrongEngineError`.
#[pyclass(frozen, module = "zkaccel")]
pub(crate) struct DeviceMatrix {
    live: Live,
    matrix: Box<dyn AnyMatrix>,
    flat: bool,
    /// What lends it to other libraries by its address, from the first time on: the CUDA array interface has no other end.
    lent: OnceLock<Option<Lent>>,
}

/// A matrix over any field.
pub(crate) trait AnyMatrix: Any + Send + Sync {
    /// The name of the field.
    fn field(&self) -> &'static str;
    /// The form of the array.
    fn form(&self, flat: bool) -> Form;
    /// Its words in host memory, if they are there.
    fn host_words(&self) -> Option<&[u64]>;
    /// A copy of all words.
    fn download(&self, engine: &Engine) -> Result<Vec<u64>, Error>;
    /// A copy of some rows.
    fn rows(&self, rows: &[usize]) -> Result<Vec<u64>, Error>;
    /// Its words for other libraries, if they are in the memory of an NVIDIA GPU.
    fn cuda(&self) -> Option<Lent>;
    /// The same if they are in host memory.
    fn host(&self) -> Option<Lent>;
}

impl<F: Words> AnyMatrix for resident::DeviceMatrix<F> {
    fn field(&self) -> &'static str {
        F::FIELD
    }

    fn form(&self, flat: bool) -> Form {
        Form::new::<F>(self.shape(), flat)
    }

    fn host_words(&self) -> Option<&[u64]> {
        self.as_host().map(|matrix| F::words(matrix.as_slice()))
    }

    fn download(&self, engine: &Engine) -> Result<Vec<u64>, Error> {
        Ok(into_words(engine.download(self)?.into_vec()))
    }

    fn rows(&self, rows: &[usize]) -> Result<Vec<u64>, Error> {
        Ok(into_words(self.read_rows(rows)?.concat()))
    }

    fn cuda(&self) -> Option<Lent> {
        let view = resident::DeviceMatrix::cuda(self)?;
        let (address, device) = (view.address(), (CUDA, view.ordinal() as i32));
        Some(Lent { address, device, owner: Box::new(view) })
    }

    fn host(&self) -> Option<Lent> {
        let address = self.host_words()?.as_ptr() as u64;
        Some(Lent { address, device: (CPU, 0), owner: Box::new(self.clone()) })
    }
}

/// An operand: an array, or a matrix that stays.
pub(crate) enum Operand<'py> {
    Host(Input<'py>),
    Kept(Bound<'py, DeviceMatrix>),
}

impl<'py> Operand<'py> {
    /// The operand that an object is, over a field. An array of another library on a GPU is copied there to a matrix that stays.
    pub(crate) fn new<F: Words>(live: &Live, object: &Bound<'py, PyAny>) -> Outcome<Self> {
        if let Ok(kept) = object.cast::<DeviceMatrix>() {
            return Ok(Self::Kept(kept.clone()));
        }
        if object.cast::<PyUntypedArray>().is_err()
            && let Some(matrix) = foreign::upload::<F>(live, object)?
        {
            return Ok(Self::Kept(Bound::new(object.py(), matrix)?));
        }
        Ok(Self::Host(Input::new(object, "matrix")?))
    }
}

impl DeviceMatrix {
    pub(crate) fn new<F: Words>(live: &Live, matrix: resident::DeviceMatrix<F>, flat: bool) -> Self {
        Self { live: live.clone(), matrix: Box::new(matrix), flat, lent: OnceLock::new() }
    }

    /// Whether its one column has no axis.
    pub(crate) fn is_flat(&self) -> bool {
        self.flat
    }

    /// The matrix over a field, which must be its own.
    pub(crate) fn entries<F: Words>(&self) -> Outcome<&resident::DeviceMatrix<F>> {
        let matrix: &dyn Any = &*self.matrix;
        matrix.downcast_ref().ok_or_else(|| {
            let found = self.matrix.field();
            Failure::Value(format!("matrix: expected a matrix over {}, found one over {found}", F::FIELD))
        })
    }

    fn form(&self) -> Form {
        self.matrix.form(self.flat)
    }

    /// The matrix for other libraries, as long as this object lives, if it is in the memory of an NVIDIA GPU.
    fn lent_by_cuda(&self) -> Option<&Lent> {
        self.lent.get_or_init(|| self.matrix.cuda()).as_ref()
    }
}

#[pymethods]
impl DeviceMatrix {
    /// The name of its field: one of `zkaccel.FIELDS`.
    #[getter]
    fn field(&self) -> &'static str {
        self.matrix.field()
    }

    /// The shape of the array: `(rows,)` or `(rows, columns)` over Goldilocks, `(n, 4)` or `(columns, n, 4)` over other fields.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.form().dims().0)
    }

    /// Whether the array is in Fortran order: its columns lie one after another.
    #[getter]
    fn fortran(&self) -> bool {
        self.form().dims().1
    }

    /// Whether it is in host memory, where `view` shows it without a copy.
    #[getter]
    fn on_host(&self) -> bool {
        self.matrix.host_words().is_some()
    }

    fn __repr__(&self) -> String {
        let (dims, fortran) = self.form().dims();
        let order = if fortran { ", Fortran order" } else { "" };
        let place = if self.on_host() { "in host memory" } else { "on a device" };
        format!("<zkaccel.DeviceMatrix {}{order} over {}, {place}>", fields::text_of(&dims), self.field())
    }

    /// A copy in host memory: an array of dtype uint64 of the matrix' shape and order. With `canonical`, elements of BN254's
    /// fields are integers instead of residues in Montgomery form.
    #[pyo3(signature = (*, canonical=false))]
    fn download<'py>(&self, py: Python<'py>, canonical: bool) -> Outcome<Bound<'py, PyAny>> {
        let words = self.live.run(py, |engine| {
            let mut words = self.matrix.download(engine)?;
            if canonical {
                fields::from_montgomery(self.field(), &mut words)?;
            }
            Ok(words)
        })?;
        Ok(array(py, words, &self.form()))
    }

    /// A read-only array on the matrix itself, without a copy. `UnsupportedError` unless it is in host memory (`on_host`).
    fn view<'py>(slf: &Bound<'py, Self>) -> Outcome<Bound<'py, PyAny>> {
        let this = slf.get();
        let Some(words) = this.matrix.host_words() else {
            let text =
                "a view of a matrix in a device's memory, expected one in host memory; download copies it";
            return Err(Failure::Unsupported(text.into()));
        };
        // SAFETY: the matrix is never changed, and lives as long as the object.
        Ok(unsafe { view(words, &this.form(), slf.clone().into_any()) }?)
    }

    /// The device of `__dlpack__`: (1, 0) for host memory, (2, N) for `cuda:N`. `BufferError` for others, such as those of OpenCL.
    fn __dlpack_device__(&self) -> Outcome<(i32, i32)> {
        if self.on_host() {
            return Ok((CPU, 0));
        }
        Ok(self.lent_by_cuda().ok_or_else(unreachable_memory)?.device)
    }

    /// The matrix as a tensor of another library (`numpy.from_dlpack`, `cupy.from_dlpack`, `torch.from_dlpack`), without a copy.
    ///
    /// It is read-only. DLPack before version 1 cannot say so: do not write to it then. Operations end when their results are ready, so there is
    /// nothing to wait for, whatever the `stream`. On a GPU, releasing the tensor waits for the device.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> Outcome<Bound<'py, PyAny>> {
        let _ = stream;
        let lent = self.matrix.host().or_else(|| self.matrix.cuda()).ok_or_else(unreachable_memory)?;
        if dl_device.is_some_and(|device| device != lent.device) {
            let (found, expected) = (dl_device.unwrap_or_default(), lent.device);
            return Err(buffer_error(format!(
                "dl_device: expected {expected:?}, where the matrix is, found {found:?}"
            )));
        }
        if copy == Some(true) {
            return Err(buffer_error("copy: expected False or None; download makes a copy".into()));
        }
        let (dims, fortran) = self.form().dims();
        Ok(export(py, lent, &dims, fortran, max_version.is_some_and(|(major, _)| major >= 1))?)
    }

    /// The CUDA array interface, version 3, read-only: for libraries that take device memory by it. The attribute is absent unless the matrix is on
    /// `cuda:N`. Whoever uses the memory must keep this object alive; dropping it waits for the device.
    #[getter(__cuda_array_interface__)]
    fn cuda_array_interface<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let lent = self.lent_by_cuda().ok_or_else(|| {
            PyAttributeError::new_err(
                "__cuda_array_interface__: the matrix is not in the memory of an NVIDIA GPU",
            )
        })?;
        let (dims, fortran) = self.form().dims();
        let interface = PyDict::new(py);
        let bytes = strides(&dims, fortran).into_iter().map(|stride| 8 * stride);
        interface
            .set_item("strides", fortran.then(|| PyTuple::new(py, bytes.collect::<Vec<_>>())).transpose()?)?;
        interface.set_item("shape", PyTuple::new(py, dims)?)?;
        interface.set_item("typestr", "<u8")?;
        interface.set_item("data", (lent.address, true))?;
        interface.set_item("version", 3)?;
        // Its contents are ready.
        interface.set_item("stream", py.None())?;
        Ok(interface)
    }

    /// Some rows, by their indices, in that order; only these are copied. An array of shape `(len(indices), columns)`, over
    /// other fields than Goldilocks with a last axis of 4 limbs. `InputError` for an index past the last row.
    fn rows<'py>(&self, py: Python<'py>, indices: &Bound<'py, PyAny>) -> Outcome<Bound<'py, PyAny>> {
        let indices = self::indices(indices, "indices")?;
        let words = self.live.run(py, |_| self.matrix.rows(&indices))?;
        let mut dims = vec![indices.len(), self.form().shape.columns];
        dims.extend(Some(self.form().limbs()).filter(|&limbs| limbs > 1));
        Ok(array_of(py, words, &dims, false))
    }
}

/// A failure of DLPack for a matrix that other libraries cannot reach.
fn unreachable_memory() -> Failure {
    buffer_error(
        "the matrix is in the memory of a device that DLPack has no addresses for; download copies it".into(),
    )
}

/// Copies an array to the device.
pub(crate) fn upload<'py>(
    live: &Live,
    object: &Bound<'py, PyAny>,
    field: &str,
    canonical: bool,
) -> Outcome<DeviceMatrix> {
    fields::visit(field, Upload { live, object, canonical })?
}

struct Upload<'a, 'py> {
    live: &'a Live,
    object: &'a Bound<'py, PyAny>,
    canonical: bool,
}

impl FieldVisitor for Upload<'_, '_> {
    type Output = Outcome<DeviceMatrix>;

    fn visit<F: Words>(self) -> Outcome<DeviceMatrix> {
        let Self { live, object, canonical } = self;
        if object.cast::<PyUntypedArray>().is_err() {
            match foreign::upload::<F>(live, object)? {
                Some(_) if canonical => {
                    let text = "canonical: an array on a GPU is taken in Montgomery form, expected False";
                    return Err(Failure::Value(text.into()));
                }
                Some(matrix) => return Ok(matrix),
                None => {}
            }
        }
        let input = Input::new(object, "matrix")?;
        let form = Form::of::<F>("matrix", input.dims(), input.is_fortran())?;
        let (shape, words): (Shape, _) = (form.shape, input.words());
        let matrix = live.run(object.py(), |engine| {
            let copy;
            let words = match canonical {
                false => words,
                true => {
                    copy = fields::montgomery(F::FIELD, words)?;
                    &copy
                }
            };
            engine.upload(MatrixRef::new(F::elements(words)?, shape)?)
        })?;
        Ok(DeviceMatrix::new(live, matrix, form.flat))
    }
}
