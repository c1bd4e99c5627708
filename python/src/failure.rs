//! Errors of the library as exceptions of the classes in `zkaccel.errors`, with the library's texts.

use accel::Error;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use zkaccel_cluster as cluster;
use zkaccel_groth16 as groth16;

/// Why a call fails.
pub(crate) enum Failure {
    /// The library's error.
    Library(Error),
    /// An error of a Groth16 proof, but none of the library's.
    Groth16(groth16::Error),
    /// An error between ranks, but none of the library's.
    Cluster(cluster::Error),
    /// An exception that there is already.
    Python(PyErr),
    /// An argument of the wrong type.
    Type(String),
    /// An argument of the right type and no meaning.
    Value(String),
    /// A device of which something was asked that it does not offer.
    Unsupported(String),
}

/// The result of a call.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl From<groth16::Error> for Failure {
    fn from(error: groth16::Error) -> Self {
        match error {
            groth16::Error::Engine(error) => error.into(),
            other => Self::Groth16(other),
        }
    }
}

impl From<cluster::Error> for Failure {
    fn from(error: cluster::Error) -> Self {
        match error {
            cluster::Error::Engine(error) => error.into(),
            other => Self::Cluster(other),
        }
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        let (class, text) = match failure {
            Failure::Python(error) => return error,
            Failure::Type(text) => ("InputTypeError", text),
            Failure::Value(text) => ("InputError", text),
            Failure::Unsupported(text) => ("UnsupportedError", text),
            Failure::Library(error) => (class_of(&error), error.to_string()),
            Failure::Groth16(error) => (class_of_groth16(&error), error.to_string()),
            Failure::Cluster(error) => (class_of_cluster(&error), error.to_string()),
        };
        Python::attach(|py| match find(py, class) {
            Ok(class) => PyErr::from_type(class, text),
            Err(error) => error,
        })
    }
}

/// The name of the class of an error.
fn class_of(error: &Error) -> &'static str {
    match error {
        Error::WrongEngine { .. } => "WrongEngineError",
        Error::DeviceMissing { .. } | Error::DriverTooOld { .. } | Error::PolicyUnmet { .. } => {
            "DeviceUnavailableError"
        }
        Error::Unsupported { .. } => "UnsupportedError",
        Error::DeviceFailed { .. } | Error::ResultLost { .. } | Error::CheckFailed { .. } => {
            "DeviceFailedError"
        }
        Error::DeviceOutOfMemory { .. }
        | Error::OverDeviceBudget { .. }
        | Error::HostOutOfMemory { .. }
        | Error::OverBudget { .. } => "OutOfMemoryError",
        Error::NotVerified | Error::JobConsumed | Error::JobPanicked { .. } => "Error",
        // All others are about arguments.
        _ => "InputError",
    }
}

/// The same of an error of a Groth16 proof.
fn class_of_groth16(error: &groth16::Error) -> &'static str {
    match error {
        groth16::Error::Io { .. } => "FileError",
        groth16::Error::NotVerified | groth16::Error::Cancelled | groth16::Error::NoRandomness { .. } => {
            "Error"
        }
        // All others are about keys, witnesses and proofs, which are arguments.
        _ => "InputError",
    }
}

/// The same of an error between ranks.
fn class_of_cluster(error: &cluster::Error) -> &'static str {
    match error {
        cluster::Error::BadPart { .. } | cluster::Error::TooManyRanks { .. } => "InputError",
        _ => "ClusterError",
    }
}

/// A class of `zkaccel.errors`.
fn find<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let errors = ERRORS.get_or_try_init(py, || Ok::<_, PyErr>(py.import("zkaccel.errors")?.unbind()))?;
    let class = errors.bind(py).getattr(name)?.cast_into::<PyType>()?;
    debug_assert!(class.is_subclass_of::<PyException>()?);
    Ok(class)
}

/// The name of an object's type, for messages.
pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().fully_qualified_name().map_or_else(|_| "an object".into(), |name| name.to_string())
}
