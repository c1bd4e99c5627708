//! Python's integers as words and as limbs, and back.

use accel::Error;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt};

use crate::failure::{Failure, Outcome, type_name};

/// An integer of four words, the lowest first.
pub(crate) type Limbs = [u64; 4];

/// An argument that is an integer of at least 0 and below 2^64.
#[derive(Clone, Copy)]
pub(crate) struct Unsigned(pub(crate) u64);

impl<'py> FromPyObject<'_, 'py> for Unsigned {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let number = object.extract().map(Self);
        number.map_err(|error: PyErr| refused(&object, &error, "an integer from 0 to 2^64 - 1").into())
    }
}

/// Such an argument as a number, which can have a default.
pub(crate) fn unsigned(object: &Bound<'_, PyAny>) -> PyResult<u64> {
    Ok(object.extract::<Unsigned>()?.0)
}

impl Unsigned {
    /// The number as a size; one that is larger than any is an error of what it is used for.
    pub(crate) fn size(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// The failure for an object that is no such integer.
fn refused(object: &Bound<'_, PyAny>, error: &PyErr, expected: &str) -> Failure {
    let py = object.py();
    if error.is_instance_of::<PyTypeError>(py) {
        return Failure::Type(format!("expected {expected}, found {}", type_name(object)));
    }
    let found = object.str().map_or_else(|_| "another number".into(), |text| text.to_string());
    Failure::Value(format!("expected {expected}, found {found}"))
}

/// Every integer of an iterable, as indices.
pub(crate) fn indices(object: &Bound<'_, PyAny>, what: &str) -> Outcome<Vec<usize>> {
    let Ok(items) = object.try_iter() else {
        return Err(Failure::Type(format!(
            "{what}: expected a list of integers, found {}",
            type_name(object)
        )));
    };
    items.map(|item| Ok(item?.extract::<Unsigned>()?.size())).collect()
}

/// The four limbs of an integer.
pub(crate) fn limbs(object: &Bound<'_, PyAny>) -> Outcome<Limbs> {
    let limbs = limbs_of(object, Limbs::default().len())?;
    Ok(limbs.try_into().expect("as many limbs as were asked for"))
}

/// So many limbs of an integer.
pub(crate) fn limbs_of(object: &Bound<'_, PyAny>, count: usize) -> Outcome<Vec<u64>> {
    let py = object.py();
    let expected = format!("an integer from 0 to 2^{} - 1", 64 * count);
    let refuse = |error: PyErr| refused(object, &error, &expected);
    // NumPy's integers, too.
    let integer = match object.cast::<PyInt>() {
        Ok(integer) => integer.clone().into_any(),
        Err(_) => object.call_method0("__index__").map_err(|_| refuse(PyTypeError::new_err("no integer")))?,
    };
    let bytes = integer.call_method1("to_bytes", (8 * count, "little")).map_err(|error| match error
        .is_instance_of::<PyOverflowError>(
        py,
    ) {
        true => refuse(error),
        false => error.into(),
    })?;
    let bytes = bytes.cast_into::<PyBytes>().map_err(PyErr::from)?;
    Ok(bytes.as_bytes().chunks_exact(8).map(bytemuck::pod_read_unaligned).collect())
}

/// A Python integer of limbs.
pub(crate) fn integer<'py>(py: Python<'py>, limbs: &[u64]) -> PyResult<Bound<'py, PyAny>> {
    let bytes = PyBytes::new(py, bytemuck::cast_slice(limbs));
    py.get_type::<PyInt>().call_method1("from_bytes", (bytes, "little"))
}

/// The limbs of every integer of a list, so many each, one after another.
pub(crate) fn list_of_limbs(object: &Bound<'_, PyAny>, count: usize) -> Outcome<Vec<u64>> {
    let all: Vec<_> = object.try_iter()?.map(|item| limbs_of(&item?, count)).collect::<Outcome<_>>()?;
    Ok(all.concat())
}

/// So many words of zeros.
pub(crate) fn zeros(len: usize) -> Result<Vec<u64>, Error> {
    let bytes = (len as u64).saturating_mul(8);
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| Error::HostOutOfMemory { bytes })
}

/// A copy of words, or of what they stand for.
pub(crate) fn copied<T: Copy>(items: &[T]) -> Result<Vec<T>, Error> {
    let mut copy = Vec::new();
    let bytes = size_of_val(items) as u64;
    copy.try_reserve_exact(items.len()).map_err(|_| Error::HostOutOfMemory { bytes })?;
    copy.extend_from_slice(items);
    Ok(copy)
}
