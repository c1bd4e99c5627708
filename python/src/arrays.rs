//! NumPy arrays as words in place, and words as arrays. Nothing is copied behind the caller's back: an array that is not as it
//! must be is an error.
//!
//! An array is borrowed while an operation reads or writes it, so that two operations of zkaccel cannot write to one array at
//! once. Python itself knows nothing of that: other threads must leave the array alone meanwhile.

use numpy::ndarray::{ArrayD, IxDyn, ShapeBuilder};
use numpy::{
    BorrowError, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn,
    PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;

use crate::failure::{Failure, Outcome, type_name};
use crate::fields::{Form, text_of};

/// An array that is read.
pub(crate) struct Input<'py> {
    array: PyReadonlyArrayDyn<'py, u64>,
    fortran: bool,
}

/// An array that is written.
pub(crate) struct Output<'py> {
    array: PyReadwriteArrayDyn<'py, u64>,
    object: Bound<'py, PyAny>,
    fortran: bool,
}

/// An array of words with no gaps, and whether it is in Fortran order and not in C order.
fn contiguous<'py>(object: &Bound<'py, PyAny>, what: &str) -> Outcome<(Bound<'py, PyArrayDyn<u64>>, bool)> {
    let Ok(untyped) = object.cast::<PyUntypedArray>() else {
        let found = type_name(object);
        return Err(Failure::Type(format!(
            "{what}: expected a NumPy array of dtype uint64, or a DeviceMatrix where the operation takes one, found {found}"
        )));
    };
    let Ok(array) = object.cast::<PyArrayDyn<u64>>() else {
        let dtype = untyped.dtype();
        let order = if dtype.byteorder() == b'>' { " (big-endian)" } else { "" };
        return Err(Failure::Type(format!("{what}: expected the dtype uint64, found {dtype}{order}")));
    };
    let fortran = match (array.is_c_contiguous(), array.is_fortran_contiguous()) {
        (true, _) => false,
        (false, true) => true,
        (false, false) => {
            let strides = array.strides().iter().map(isize::to_string).collect::<Vec<_>>().join(", ");
            return Err(Failure::Value(format!(
                "{what}: expected a contiguous array, in C or in Fortran order, found the strides ({strides}) for the shape {}; \
                 numpy.ascontiguousarray makes a copy that is",
                text_of(array.shape())
            )));
        }
    };
    if !array.is_aligned() {
        return Err(Failure::Value(format!(
            "{what}: expected words at multiples of 8 bytes, found a misaligned array; numpy.require(a, requirements='A') copies it"
        )));
    }
    Ok((array.clone(), fortran))
}

/// The failure for an array that another operation uses, or that is read-only.
fn not_borrowed(what: &str, error: BorrowError) -> Failure {
    Failure::Value(match error {
        BorrowError::NotWriteable => {
            format!("{what}: expected a writeable array, found one that is read-only")
        }
        _ => format!("{what}: another operation is writing to this array, or it overlaps another argument"),
    })
}

impl<'py> Input<'py> {
    /// Borrows an array.
    pub(crate) fn new(object: &Bound<'py, PyAny>, what: &str) -> Outcome<Self> {
        let (array, fortran) = contiguous(object, what)?;
        let array = array.try_readonly().map_err(|error| not_borrowed(what, error))?;
        Ok(Self { array, fortran })
    }

    /// Borrows an array of elements or points: two axes in C order, of which the last has so many words.
    pub(crate) fn of_width(object: &Bound<'py, PyAny>, what: &str, width: usize) -> Outcome<Self> {
        let input = Self::new(object, what)?;
        match *input.dims() {
            [_, last] if last == width && !input.fortran => Ok(input),
            ref dims => Err(Failure::Value(format!(
                "{what}: expected C order and the shape (n, {width}), found {}{}",
                text_of(dims),
                if input.fortran { " in Fortran order" } else { "" },
            ))),
        }
    }

    pub(crate) fn dims(&self) -> &[usize] {
        self.array.shape()
    }

    pub(crate) fn is_fortran(&self) -> bool {
        self.fortran
    }

    /// The words in the order of memory.
    pub(crate) fn words(&self) -> &[u64] {
        self.array.as_slice().expect("contiguous and aligned, as was checked")
    }
}

impl<'py> Output<'py> {
    /// Borrows an array, to write to it.
    pub(crate) fn new(object: &Bound<'py, PyAny>, what: &str) -> Outcome<Self> {
        let (array, fortran) = contiguous(object, what)?;
        let array = array.try_readwrite().map_err(|error| not_borrowed(what, error))?;
        Ok(Self { array, object: object.clone(), fortran })
    }

    /// Fails unless the array has a form.
    pub(crate) fn check(&self, form: &Form) -> Outcome<()> {
        let (dims, fortran) = form.dims();
        // An array of one row or column is in both orders.
        let single = dims.iter().filter(|&&dim| dim > 1).count() < 2;
        let found = self.array.shape();
        match found == dims && (fortran == self.fortran || single) {
            true => Ok(()),
            false => Err(Failure::Value(format!(
                "out: expected the shape {} in {} order, found {} in {} order",
                text_of(&dims),
                order(fortran),
                text_of(found),
                order(self.fortran),
            ))),
        }
    }

    pub(crate) fn dims(&self) -> &[usize] {
        self.array.shape()
    }

    pub(crate) fn is_fortran(&self) -> bool {
        self.fortran
    }

    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        self.array.as_slice_mut().expect("contiguous and aligned, as was checked")
    }

    /// The array, which is no longer borrowed.
    pub(crate) fn into_object(self) -> Bound<'py, PyAny> {
        self.object
    }
}

fn order(fortran: bool) -> &'static str {
    if fortran { "Fortran" } else { "C" }
}

/// A new array of words, which it takes over.
pub(crate) fn array<'py>(py: Python<'py>, words: Vec<u64>, form: &Form) -> Bound<'py, PyAny> {
    let (dims, fortran) = form.dims();
    array_of(py, words, &dims, fortran)
}

/// The same by dimensions.
pub(crate) fn array_of<'py>(
    py: Python<'py>,
    words: Vec<u64>,
    dims: &[usize],
    fortran: bool,
) -> Bound<'py, PyAny> {
    let array = ArrayD::from_shape_vec(IxDyn(dims).set_f(fortran), words)
        .expect("as many words as the dimensions have");
    PyArrayDyn::from_owned_array(py, array).into_any()
}

/// A read-only array of words that an object owns and keeps in place.
///
/// # Safety
/// The words stay where they are and as they are while `owner` lives.
pub(crate) unsafe fn view<'py>(
    words: &[u64],
    form: &Form,
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (dims, fortran) = form.dims();
    let view = numpy::ndarray::ArrayView::from_shape(IxDyn(&dims).set_f(fortran), words)
        .expect("as many words as the dimensions have");
    // SAFETY: the caller's promise.
    let array = unsafe { PyArrayDyn::borrow_from_array(&view, owner) };
    array.call_method1("setflags", (false,))?;
    Ok(array.into_any())
}
