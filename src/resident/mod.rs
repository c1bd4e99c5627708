//! Data that stay on the device between operations: matrices and Merkle trees.
//!
//! On a device with memory of its own, operations on host data copy their input there and their result back each time. A
//! [`DeviceMatrix`] is copied there once; transforms, extensions and trees of it stay there; only requested data are copied to
//! the host: roots, rows, paths. Where the host is the device, all of it is host memory and nothing is copied, so the same
//! program serves both.
//!
//! ```
//! use zkaccel::{Engine, field::Goldilocks, hash::Rp64_256, matrix::Matrix, ntt::{Convention, Lde}};
//! let engine = Engine::new()?;
//! let matrix = Matrix::from_rows((0..64).map(Goldilocks::new).collect(), 16, 4)?;
//! let lde = Lde::onto_coset(4, 8, Convention::Winterfell, Goldilocks::GENERATOR)?;
//! let values = engine.upload(matrix)?;
//! let extension = engine.lde(&lde, &values)?;
//! let tree = engine.merkle_tree_of_rows::<Rp64_256, _>(&extension)?;
//! let (rows, opening) = (extension.read_rows(&[3, 77])?, tree.open_many(&[3, 77])?);
//! assert_eq!((rows.len(), opening.indices), (2, vec![3, 77]));
//! # Ok::<(), zkaccel::Error>(())
//! ```
//!
//! A matrix belongs to the engine that made it, which stays usable through it as long as it exists; another engine refuses it
//! with [`Error::ForeignBuffer`]. Engines made of each other, by cloning or [`with_approach`](Engine::with_approach), are one
//! engine. Memory returns to the device when the last clone is dropped.

mod operations;
mod tree;

use std::fmt;
use std::sync::Arc;

use crate::backend::Extent;
use crate::dispatch::Stored;
use crate::engine::Engine;
use crate::error::Error;
use crate::field::Field;
use crate::matrix::{Matrix, MatrixRef, Shape};
use crate::memory;
use crate::merkle::check_index;
use crate::operation::gather;

pub use tree::DeviceTree;

/// A matrix in an engine's memory. Clones share the entries until one is changed.
#[derive(Clone)]
pub struct DeviceMatrix<F> {
    engine: Engine,
    shape: Shape,
    location: Location<F>,
}

/// The location of the entries.
#[derive(Clone)]
enum Location<F> {
    Host(Arc<Matrix<F>>),
    Device(Stored),
}

impl<F: Field> DeviceMatrix<F> {
    /// A matrix in host memory.
    pub(crate) fn on_host(engine: &Engine, matrix: Matrix<F>) -> Self {
        Self { engine: engine.clone(), shape: matrix.shape(), location: Location::Host(Arc::new(matrix)) }
    }

    /// A matrix in the device's own memory.
    fn on_device(engine: &Engine, shape: Shape, stored: Stored) -> Self {
        Self { engine: engine.clone(), shape, location: Location::Device(stored) }
    }

    /// Rows, columns and layout.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The entries, if they are in host memory: where the host is the device, and for the extension of a commitment that
    /// exceeded the device's budget.
    pub fn as_host(&self) -> Option<MatrixRef<'_, F>> {
        match &self.location {
            Location::Host(matrix) => Some(matrix.view()),
            Location::Device(_) => None,
        }
    }

    /// The entries of some rows, each from left to right, in the requested order. From a device only these rows are copied.
    ///
    /// [`Error::IndexOutOfRange`] past the last row, [`Error::HostOutOfMemory`], and errors of the device.
    pub fn read_rows(&self, rows: &[usize]) -> Result<Vec<Vec<F>>, Error> {
        rows.iter().try_for_each(|&row| check_index(row, self.shape.rows))?;
        let stored = match &self.location {
            Location::Host(matrix) => return Ok(rows.iter().map(|&row| matrix.row(row)).collect()),
            Location::Device(stored) => stored,
        };
        let columns = self.shape.columns;
        let mut entries = memory::zeroed::<F>(rows.len().saturating_mul(columns))?;
        let (extent, data) = (self.extent(), bytemuck::cast_slice_mut(&mut entries));
        self.engine.perform(gather(stored, extent, rows, data))?;
        Ok(entries.chunks_exact(columns).map(<[F]>::to_vec).collect())
    }

    /// [`Engine::download`] through the engine that made it.
    pub(crate) fn download(&self) -> Result<Matrix<F>, Error> {
        self.engine.download(self)
    }

    /// The layout of its words.
    fn extent(&self) -> Extent {
        self.shape.extent::<F>()
    }
}

impl<F> fmt::Debug for DeviceMatrix<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceMatrix")
            .field("engine", &self.engine)
            .field("shape", &self.shape)
            .finish_non_exhaustive()
    }
}
