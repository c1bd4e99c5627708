//! Matrices that stay on an engine's device, over any field.

use std::any::Any;

use accel::matrix::{MatrixRef, Shape};
use accel::resident;
use accel::{Engine, Error};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{Input, array, array_of, view};
use crate::engine::Live;
use crate::failure::{Failure, Outcome};
use crate::fields::{self, FieldVisitor, Form, Words, into_words};
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
}

/// An operand: an array, or a matrix that stays.
pub(crate) enum Operand<'py> {
    Host(Input<'py>),
    Kept(Bound<'py, DeviceMatrix>),
}

impl<'py> Operand<'py> {
    /// The operand that an object is, over the field of a name.
    pub(crate) fn new(_live: &Live, object: &Bound<'py, PyAny>, _field: &'static str) -> Outcome<Self> {
        match object.cast::<DeviceMatrix>() {
            Ok(kept) => Ok(Self::Kept(kept.clone())),
            Err(_) => Ok(Self::Host(Input::new(object, "matrix")?)),
        }
    }
}

impl DeviceMatrix {
    pub(crate) fn new<F: Words>(live: &Live, matrix: resident::DeviceMatrix<F>, flat: bool) -> Self {
        Self { live: live.clone(), matrix: Box::new(matrix), flat }
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
