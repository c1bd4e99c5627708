//! Data that stay on the device between operations: matrices and Merkle trees.
//!
//! On a device with memory of its own, operations on host data copy their input there and their result back each time. A
//! [`DeviceMatrix`] is copied there once; transforms, extensions and trees of it stay there; only requested data are copied to
//! the host: roots, rows, paths. Where the host is the device, all of it is host memory and nothing is copied, so the same
//! program serves both.
//!
//! A matrix over a curve's scalars is also an operand of [sums](Engine::msm_batch), prepared for them: each column of a
//! column-major matrix is a row of scalars. Such a matrix always has its columns one after another; one that is row-major is rearranged when
//! it is uploaded. Several devices keep a range of its elements each.
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
//! with [`Error::WrongEngine`]. Engines made of each other, by cloning or [`with_approach`](Engine::with_approach), are one
//! engine. Memory returns to the device when the last clone is dropped.

mod by_cosets;
mod combinations;
mod cosets;
#[cfg(feature = "cuda")]
pub mod cuda;
mod digests;
mod elsewhere;
mod layout;
mod lookups;
mod merged;
mod operations;
mod prefix;
mod programs;
mod rows_in_parts;
mod transforms_in_parts;
mod tree;
#[cfg(feature = "bn254")]
mod vectors;

use std::fmt;
use std::sync::Arc;

use crate::backend::Extent;
use crate::dispatch::Stored;
use crate::engine::Engine;
use crate::error::Error;
use crate::matrix::{BaseField, Element, Layout, Matrix, MatrixRef, Shape};
use crate::merkle::check_index;
use crate::operation::gather;
#[cfg(feature = "bn254")]
use crate::operation::{KeptRange, Scalars};

pub use cosets::Cosets;
pub use digests::DeviceDigests;
pub use tree::DeviceTree;

/// A matrix in an engine's memory. Clones share the entries until one is changed.
#[derive(Clone)]
pub struct DeviceMatrix<E> {
    engine: Engine,
    shape: Shape,
    location: Location<E>,
}

/// The location of the entries.
#[derive(Clone)]
enum Location<E> {
    Host(Arc<OnHost<E>>),
    Device(Stored),
}

/// A matrix in host memory.
struct OnHost<E> {
    matrix: Matrix<E>,
    /// What devices keep of it for sums.
    #[cfg(feature = "bn254")]
    kept: Vec<KeptRange>,
}

impl<E> OnHost<E> {
    /// The matrix, to be changed: what devices keep of it is let go.
    fn matrix_mut(&mut self) -> &mut Matrix<E> {
        #[cfg(feature = "bn254")]
        self.kept.clear();
        &mut self.matrix
    }
}

impl<E: Element> DeviceMatrix<E> {
    /// A matrix in host memory, of which devices keep nothing.
    pub(crate) fn on_host(engine: &Engine, matrix: Matrix<E>) -> Self {
        let host = OnHost {
            matrix,
            #[cfg(feature = "bn254")]
            kept: Vec::new(),
        };
        Self::of(engine, host)
    }

    /// A matrix in host memory, with what devices keep of it.
    fn of(engine: &Engine, host: OnHost<E>) -> Self {
        let shape = host.matrix.shape();
        Self { engine: engine.clone(), shape, location: Location::Host(Arc::new(host)) }
    }

    /// A matrix of other rows that an operation made of this one, in the device's own memory.
    fn of_rows(&self, rows: usize, stored: Stored) -> Self {
        Self::on_device(&self.engine, Shape { rows, ..self.shape }, stored)
    }

    /// A matrix in the device's own memory.
    pub(crate) fn on_device(engine: &Engine, shape: Shape, stored: Stored) -> Self {
        Self { engine: engine.clone(), shape, location: Location::Device(stored) }
    }

    /// Rows, columns and layout.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The entries in host memory, in the shape of this matrix, which may be another than that of its clones.
    fn host_view<'a>(&self, host: &'a OnHost<E>) -> MatrixRef<'a, E> {
        MatrixRef::new(host.matrix.as_slice(), self.shape).expect("as many entries in any shape")
    }

    /// The same entries in another shape, without a copy: one after another, they fill the rows of the new matrix, which is row-major. So this is a
    /// row-major matrix itself, or of a single column.
    ///
    /// [`Error::BadShape`] for another number of entries, [`Error::NotRowMajor`] for several columns one after another, as those of a matrix
    /// over a prime field always are; so the new matrix over such a field has one column, too.
    pub fn reshaped(&self, rows: usize, columns: usize) -> Result<Self, Error> {
        let Shape { rows: old_rows, columns: old_columns, layout } = self.shape;
        let entries = old_rows * old_columns;
        if rows == 0 || rows.checked_mul(columns) != Some(entries) {
            return Err(Error::BadShape { rows, columns, entries });
        }
        let one_after_another = |columns, layout| columns > 1 && layout == Layout::ColumnMajor;
        let layout_of_several = if E::Base::ROW_MAJOR { Layout::RowMajor } else { Layout::ColumnMajor };
        if one_after_another(old_columns, layout) {
            return Err(Error::NotRowMajor { columns: old_columns });
        }
        if one_after_another(columns, layout_of_several) {
            return Err(Error::NotRowMajor { columns });
        }
        Ok(Self { shape: Shape { rows, columns, layout: layout_of_several }, ..self.clone() })
    }

    /// The entries, if they are in host memory: where the host is the device, and for the extension of a commitment that
    /// exceeded the device's budget.
    pub fn as_host(&self) -> Option<MatrixRef<'_, E>> {
        match &self.location {
            Location::Host(host) => Some(self.host_view(host)),
            Location::Device(_) => None,
        }
    }

    /// Whether another matrix is in the memory of the same device, or both are in host memory.
    pub fn is_beside<R>(&self, other: &DeviceMatrix<R>) -> bool {
        match (&self.location, &other.location) {
            (Location::Host(_), Location::Host(_)) => true,
            (Location::Device(here), Location::Device(there)) => here.member() == there.member(),
            _ => false,
        }
    }

    /// The memory of the entries, for [`Engine::lde_reusing`], if they are in host memory and no clone shares them; else none.
    pub fn into_memory(self) -> Vec<E> {
        match self.location {
            Location::Host(host) => {
                Arc::into_inner(host).map(|host| host.matrix.into_vec()).unwrap_or_default()
            }
            Location::Device(_) => Vec::new(),
        }
    }

    /// The entries of some rows, each from left to right, in the requested order. From a device only these rows are copied.
    ///
    /// [`Error::IndexOutOfRange`] past the last row, [`Error::HostOutOfMemory`], and errors of the device.
    pub fn read_rows(&self, rows: &[usize]) -> Result<Vec<Vec<E>>, Error> {
        rows.iter().try_for_each(|&row| check_index(row, self.shape.rows))?;
        let stored = match &self.location {
            Location::Host(host) => {
                let matrix = self.host_view(host);
                return Ok(rows.iter().map(|&row| matrix.row(row)).collect());
            }
            Location::Device(stored) => stored,
        };
        let columns = self.shape.columns;
        let mut entries = E::zeros(rows.len().saturating_mul(columns))?;
        self.engine.perform(gather(stored, self.extent(), rows, bytes_mut(&mut entries)))?;
        Ok(entries.chunks_exact(columns).map(<[E]>::to_vec).collect())
    }

    /// A copy in host memory, as [`Engine::download`].
    pub fn download(&self) -> Result<Matrix<E>, Error> {
        self.engine.download(self)
    }

    /// The layout of its words.
    fn extent(&self) -> Extent {
        self.shape.extent::<E>()
    }

    /// Its entries as scalars of sums; [`Error::WrongEngine`] if another engine made it.
    #[cfg(feature = "bn254")]
    pub(crate) fn scalars(&self, engine: &Engine) -> Result<Scalars<'_, E>, Error> {
        engine.check_owner("matrix", &self.engine)?;
        Ok(match &self.location {
            Location::Host(host) => Scalars::Host(host.matrix.as_slice(), &host.kept),
            Location::Device(stored) => Scalars::Device(stored, self.shape.rows * self.shape.columns),
        })
    }
}

/// The memory of entries, which a device fills with entries.
fn bytes_mut<E: Element>(entries: &mut [E]) -> &mut [u8] {
    bytemuck::cast_slice_mut(E::Base::words_mut(E::base_mut(entries)))
}

impl<E> fmt::Debug for DeviceMatrix<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceMatrix")
            .field("engine", &self.engine)
            .field("shape", &self.shape)
            .finish_non_exhaustive()
    }
}
