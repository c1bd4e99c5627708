//! Matrices as operands: in host memory or on a device, through the same calls.
//!
//! The result for a matrix in host memory is in host memory; that for a [`DeviceMatrix`](crate::resident::DeviceMatrix) stays on
//! the same device.

use crate::backend::Accelerated;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::field::Field;
use crate::matrix::{Matrix, MatrixInput, MatrixMut, MatrixRef};
use crate::memory;
use crate::merkle::{MerkleTree, check_leaf_count};
use crate::ntt::{Lde, Ntt};

/// A matrix whose columns are transformed in place: a [`MatrixMut`], a `&mut` [`Matrix`], or a `&mut`
/// [`DeviceMatrix`](crate::resident::DeviceMatrix).
pub trait ColumnsMut: sealed::Sealed {
    /// [`Engine::ntt`].
    #[doc(hidden)]
    fn ntt_on(self, engine: &Engine, ntt: &Ntt) -> Result<(), Error>;
}

/// A matrix that operations read: a [`Matrix`], a reference to one, a [`MatrixRef`] or a [`MatrixInput`], all in host memory; or a
/// [`DeviceMatrix`](crate::resident::DeviceMatrix) or a reference to one.
pub trait Columns: sealed::Sealed {
    /// The type of a matrix computed from this one.
    type Matrix: Send;
    /// The type of a tree over its rows.
    type Tree<H: Accelerated>: Send;

    /// [`Engine::lde`].
    #[doc(hidden)]
    fn lde_on(self, engine: &Engine, lde: &Lde) -> Result<Self::Matrix, Error>;

    /// [`Engine::hash_rows`].
    #[doc(hidden)]
    fn hash_rows_on<H: Accelerated>(self, engine: &Engine) -> Result<Vec<H::Digest>, Error>;

    /// [`Engine::merkle_tree_of_rows`].
    #[doc(hidden)]
    fn tree_on<H: Accelerated>(self, engine: &Engine) -> Result<Self::Tree<H>, Error>;
}

pub(crate) mod sealed {
    /// Sealed: other types cannot be matrices.
    pub trait Sealed {}
}

impl Engine {
    /// Transforms every column of a matrix in place.
    ///
    /// Rows are points: the matrix has as many as the domain, else [`Error::LengthMismatch`]. Words must be canonical,
    /// else [`Error::NotCanonical`]; a matrix that is refused is unchanged. Between equal orders the transform works
    /// through a scratch of at most 8 columns; from one order to the other it needs none.
    ///
    /// A device that fails leaves the matrix unchanged too, unless it is lost at the very end, while the result is copied back:
    /// then the error is [`Error::ResultLost`].
    ///
    /// For a [`DeviceMatrix`](crate::resident::DeviceMatrix) other clones keep their contents. Further errors are then
    /// [`Error::ForeignBuffer`], [`Error::OverDeviceBudget`], [`Error::DeviceOutOfMemory`] and [`Error::DeviceFailed`].
    pub fn ntt(&self, ntt: &Ntt, matrix: impl ColumnsMut) -> Result<(), Error> {
        matrix.ntt_on(self, ntt)
    }

    /// Extends every column of a matrix to a larger domain: values on `lde.from()` to values on `lde.to()`.
    ///
    /// An owned matrix in host memory is consumed as scratch; a borrowed one is copied. The result has the layout of the input.
    /// Errors as [`ntt`](Self::ntt), and [`Error::OverBudget`] or [`Error::HostOutOfMemory`] for a result in host memory.
    pub fn lde<M: Columns>(&self, lde: &Lde, matrix: M) -> Result<M::Matrix, Error> {
        matrix.lde_on(self, lde)
    }

    /// The digest of every row of a matrix, in host memory. Errors as [`lde`](Self::lde).
    pub fn hash_rows<H: Accelerated, M: Columns>(&self, matrix: M) -> Result<Vec<H::Digest>, Error> {
        matrix.hash_rows_on::<H>(self)
    }

    /// The Merkle tree whose leaves are the digests of a matrix' rows: a [`MerkleTree`], or a
    /// [`DeviceTree`](crate::resident::DeviceTree) that stays with its matrix.
    ///
    /// [`Error::NotPowerOfTwo`] for the number of rows, else errors as [`lde`](Self::lde).
    pub fn merkle_tree_of_rows<H: Accelerated, M: Columns>(&self, matrix: M) -> Result<M::Tree<H>, Error> {
        matrix.tree_on::<H>(self)
    }
}

impl<F: Field> sealed::Sealed for MatrixMut<'_, F> {}

impl<F: Field> ColumnsMut for MatrixMut<'_, F> {
    fn ntt_on(self, engine: &Engine, ntt: &Ntt) -> Result<(), Error> {
        engine.check_rows(ntt.domain.size(), self.shape().rows)?;
        engine.transform(ntt, self, true)
    }
}

impl<F: Field> sealed::Sealed for &mut Matrix<F> {}

impl<F: Field> ColumnsMut for &mut Matrix<F> {
    fn ntt_on(self, engine: &Engine, ntt: &Ntt) -> Result<(), Error> {
        self.view_mut().ntt_on(engine, ntt)
    }
}

impl<F: Field> sealed::Sealed for MatrixInput<'_, F> {}

impl<F: Field> Columns for MatrixInput<'_, F> {
    type Matrix = Matrix<F>;
    type Tree<H: Accelerated> = MerkleTree<H>;

    fn lde_on(self, engine: &Engine, lde: &Lde) -> Result<Matrix<F>, Error> {
        let shape = self.shape();
        engine.check_rows(lde.from().size(), shape.rows)?;
        engine.check_canonical(self.view().words())?;
        let copied =
            matches!(self, MatrixInput::Borrowed(_)) as u64 * memory_of::<F>(shape.rows, shape.columns);
        engine.check_budget(copied.saturating_add(memory_of::<F>(lde.to().size(), shape.columns)))?;
        engine.extend(lde, self)
    }

    fn hash_rows_on<H: Accelerated>(self, engine: &Engine) -> Result<Vec<H::Digest>, Error> {
        let (view, rows) = (self.view(), self.shape().rows);
        engine.check_canonical(view.words())?;
        engine.check_budget(memory_of::<H::Digest>(rows, 1))?;
        let mut digests = memory::zeroed(rows)?;
        engine.hash_rows_into::<H, F>(view, &mut digests)?;
        Ok(digests)
    }

    fn tree_on<H: Accelerated>(self, engine: &Engine) -> Result<MerkleTree<H>, Error> {
        let (view, rows) = (self.view(), self.shape().rows);
        check_leaf_count(rows)?;
        engine.check_canonical(view.words())?;
        engine.build_tree::<H>(rows, |leaves| engine.hash_rows_into::<H, F>(view, leaves))
    }
}

/// Other forms of matrices in host memory.
macro_rules! in_host_memory {
    ($($matrix:ty),*) => {$(
        impl<F: Field> sealed::Sealed for $matrix {}

        impl<F: Field> Columns for $matrix {
            type Matrix = Matrix<F>;
            type Tree<H: Accelerated> = MerkleTree<H>;

            fn lde_on(self, engine: &Engine, lde: &Lde) -> Result<Matrix<F>, Error> {
                MatrixInput::from(self).lde_on(engine, lde)
            }

            fn hash_rows_on<H: Accelerated>(self, engine: &Engine) -> Result<Vec<H::Digest>, Error> {
                MatrixInput::from(self).hash_rows_on::<H>(engine)
            }

            fn tree_on<H: Accelerated>(self, engine: &Engine) -> Result<MerkleTree<H>, Error> {
                MatrixInput::from(self).tree_on::<H>(engine)
            }
        }
    )*};
}
in_host_memory!(Matrix<F>, &Matrix<F>, MatrixRef<'_, F>);
