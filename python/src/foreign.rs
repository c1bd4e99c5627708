//! Arrays of other libraries in the memory of NVIDIA GPUs: copied within the device to a matrix that stays there.

use accel::matrix::Shape;
use accel::resident::cuda::CudaWords;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::dlpack::{CPU, CUDA, Foreign, Taken, order};
use crate::engine::Live;
use crate::failure::{Failure, Outcome, type_name};
use crate::fields::{Form, Words};
use crate::matrix::DeviceMatrix;

/// The legacy default stream, which producers order their work before.
const DEFAULT_STREAM: u64 = 1;

/// Copies an array of another library to the device; `None` for an object that is none.
pub(crate) fn upload<F: Words>(live: &Live, object: &Bound<'_, PyAny>) -> Outcome<Option<DeviceMatrix>> {
    let py = object.py();
    if let Some(method) = attribute(object, "__dlpack_device__")? {
        let (kind, number): (i32, i32) = method.call0()?.extract()?;
        if kind == CUDA {
            let taken = Taken::new(&capsule(object)?)?;
            let (array, ordinal) = taken.array()?;
            let matrix = copy::<F>(live, py, &array, ordinal, Some(DEFAULT_STREAM))?;
            // What the tensor refers to may be other Python objects.
            drop(taken);
            return Ok(Some(matrix));
        }
        let found = type_name(object);
        return Err(Failure::Type(match kind {
            CPU => format!(
                "matrix: expected a NumPy array, found {found} in host memory; numpy.from_dlpack makes one"
            ),
            _ => format!(
                "matrix: found {found} on DLPack's device ({kind}, {number}), expected host memory or CUDA (2)"
            ),
        }));
    }
    let Some(interface) = attribute(object, "__cuda_array_interface__")? else { return Ok(None) };
    let interface = interface.cast_into::<PyDict>().map_err(PyErr::from)?;
    let (array, stream) = cuda_array(&interface)?;
    // The interface does not say on which device: the engine's first one, unless the array does.
    let ordinal = match attribute(object, "device")? {
        Some(device) => ordinal_of(&device).unwrap_or(0),
        None => 0,
    };
    Ok(Some(copy::<F>(live, py, &array, ordinal, stream)?))
}

/// An attribute, if there is one.
fn attribute<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    match object.getattr(name) {
        Ok(attribute) => Ok(Some(attribute)),
        Err(error) if error.is_instance_of::<PyAttributeError>(object.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The number of a device object: CuPy's and PyTorch's have one, `id` or `index`.
fn ordinal_of(device: &Bound<'_, PyAny>) -> Option<u32> {
    let number = |name: &str| device.getattr(name).ok()?.extract().ok();
    number("id").or_else(|| number("index")).or_else(|| device.extract().ok())
}

/// The capsule of an object whose work is ordered before that of the default stream, of version 1 if the object knows it.
fn capsule<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let keywords = PyDict::new(py);
    keywords.set_item("stream", DEFAULT_STREAM)?;
    keywords.set_item("max_version", (1, 0))?;
    match object.call_method("__dlpack__", (), Some(&keywords)) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            keywords.del_item("max_version")?;
            object.call_method("__dlpack__", (), Some(&keywords))
        }
        result => result,
    }
}

/// The array of a CUDA array interface of version 3 or before, and its stream.
fn cuda_array(interface: &Bound<'_, PyDict>) -> Outcome<(Foreign, Option<u64>)> {
    let get = |key: &str| {
        let missing = || Failure::Value(format!("__cuda_array_interface__ has no {key:?}"));
        interface.get_item(key)?.ok_or_else(missing)
    };
    let optional = |key: &str| Ok::<_, PyErr>(interface.get_item(key)?.filter(|value| !value.is_none()));
    let typestr = get("typestr")?;
    if typestr.cast::<PyString>().is_ok_and(|text| text.to_string_lossy() != "<u8") {
        return Err(Failure::Type(format!(
            "matrix: expected the dtype uint64 (\"<u8\"), found {}",
            typestr.repr()?
        )));
    }
    if optional("mask")?.is_some() {
        return Err(Failure::Value("matrix: expected an array without a mask, found one with a mask".into()));
    }
    let dims: Vec<usize> = get("shape")?.extract()?;
    let (address, _read_only): (u64, bool) = get("data")?.extract()?;
    let strides: Option<Vec<i64>> = optional("strides")?.map(|strides| strides.extract()).transpose()?;
    let strides = strides.map(|strides| strides.iter().map(|bytes| bytes / 8).collect::<Vec<_>>());
    let fortran = order(&dims, strides.as_deref())?;
    let stream: Option<u64> = optional("stream")?.map(|stream| stream.extract()).transpose()?;
    Ok((Foreign { address, dims, fortran }, stream))
}

fn copy<F: Words>(
    live: &Live,
    py: Python<'_>,
    array: &Foreign,
    ordinal: u32,
    stream: Option<u64>,
) -> Outcome<DeviceMatrix> {
    let form = Form::of::<F>("matrix", &array.dims, array.fortran)?;
    let (shape, source): (Shape, _) = (form.shape, CudaWords { address: array.address, ordinal, stream });
    // SAFETY: the array is as its interface says, and its owner lives until this returns; the stream is the one that it gives, or the
    // default stream, after which it has ordered its work.
    let matrix = live.run(py, |engine| unsafe { engine.upload_from_cuda::<F>(source, shape) })?;
    Ok(DeviceMatrix::new(live, matrix, form.flat))
}
