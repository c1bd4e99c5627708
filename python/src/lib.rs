//! The Python bindings: the module `zkaccel._zkaccel`, of which the package `zkaccel` (in `python/package`) is the face.
//!
//! ```text
//!  engine.rs       Engine: every operation, its arguments and its documentation
//!  arrays.rs       NumPy arrays as words in place, and words as arrays
//!  fields.rs       what an element of a field is in an array; integers.rs, Python's integers
//!  transforms.rs   transforms of arrays and of matrices that stay; sums.rs, sums over curves
//!  commitment.rs   Commitment, Opening, verify; hashes.rs, hashes by name
//!  groth16.rs      Prover, groth16_verify
//!  cluster.rs      Ranks, of which the package makes its Cluster
//!  matrix.rs       DeviceMatrix; dlpack.rs and foreign.rs, memory of GPUs shared with other libraries
//!  failure.rs      errors as exceptions
//! ```
//!
//! An operation borrows its arrays, releases the interpreter (`Python::detach`) and calls the engine, which validates. What is
//! checked here is what only Python can get wrong: types, dimensions, strides.

mod arrays;
mod cluster;
mod commitment;
mod dlpack;
mod engine;
mod failure;
mod fields;
mod foreign;
mod groth16;
mod hashes;
mod integers;
mod matrix;
mod sums;
mod transforms;

use pyo3::prelude::*;

/// The compiled part of zkaccel; import `zkaccel` instead.
#[pymodule(gil_used = false)]
mod _zkaccel {
    #[pymodule_export]
    use super::cluster::{Ranks, RanksCommitment};
    #[pymodule_export]
    use super::commitment::{Commitment, Opening, verify};
    #[pymodule_export]
    use super::engine::{Device, Engine, default_engine, devices};
    #[pymodule_export]
    use super::groth16::{Prover, groth16_verify};
    #[pymodule_export]
    use super::matrix::DeviceMatrix;
    #[pymodule_export]
    use super::sums::{Bases, generator_multiples};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("CONVENTIONS", accel::ntt::Convention::ALL.map(|convention| convention.name()))?;
        module.add("CURVES", PyTuple::new(module.py(), sums::CURVES)?)?;
        module.add("FIELDS", PyTuple::new(module.py(), fields::FIELDS)?)?;
        module.add("HASHES", PyTuple::new(module.py(), hashes::HASHES)?)?;
        module.add("MODULUS", accel::field::MODULUS)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    use pyo3::types::PyTuple;
}
