//! The engine's operations on matrices that stay on the device.
//!
//! Words are checked when a matrix is uploaded, and results are canonical, so nothing is checked twice. A matrix in
//! host memory goes through the operations on host data.

use std::sync::Arc;

use super::{DeviceMatrix, DeviceTree, Place};
use crate::backend::Accelerated;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::field::Field;
use crate::matrix::{Matrix, MatrixInput, MatrixRef, Shape};
use crate::memory;
use crate::merkle::check_leaf_count;
use crate::ntt::{Lde, Ntt};
use crate::operation::{
    Purpose, download, extend_resident, hash_resident, transform_resident, tree_resident, upload,
};
use crate::progress::Stage;

impl Engine {
    /// Brings a matrix to the device, to stay there. Where the host is the device an owned matrix just moves, and a borrowed
    /// one is copied.
    ///
    /// [`Error::NotCanonical`], [`Error::OverDeviceBudget`], [`Error::DeviceOutOfMemory`]; on the host
    /// [`Error::OverBudget`] and [`Error::HostOutOfMemory`].
    pub fn upload<'a, F: Field>(
        &self,
        matrix: impl Into<MatrixInput<'a, F>>,
    ) -> Result<DeviceMatrix<F>, Error> {
        let matrix = matrix.into();
        self.check_canonical(matrix.view().words())?;
        let purpose = Purpose::transform(matrix.view().words().len());
        if let Some(on_device) = self.upload_checked(matrix.view(), &purpose)? {
            return Ok(on_device);
        }
        let shape = matrix.shape();
        if let MatrixInput::Borrowed(_) = matrix {
            self.check_budget(memory_of::<F>(shape.rows, shape.columns))?;
        }
        Ok(DeviceMatrix::on_host(self, Matrix::new(matrix.into_vec()?, shape)?))
    }

    /// Brings canonical words to a device with memory of its own; `None` where they had better stay in host memory.
    pub(crate) fn upload_checked<F: Field>(
        &self,
        matrix: MatrixRef<'_, F>,
        purpose: &Purpose,
    ) -> Result<Option<DeviceMatrix<F>>, Error> {
        let stored = self.run(|| upload(self.dispatcher(), matrix.words(), purpose))?;
        Ok(stored.map(|stored| DeviceMatrix::on_device(self, matrix.shape(), stored)))
    }

    /// A copy of a matrix in host memory.
    ///
    /// [`Error::ForeignBuffer`], [`Error::OverBudget`], [`Error::HostOutOfMemory`], [`Error::DeviceFailed`].
    pub fn download<F: Field>(&self, matrix: &DeviceMatrix<F>) -> Result<Matrix<F>, Error> {
        self.check_ours(matrix)?;
        let Shape { rows, columns, .. } = matrix.shape;
        self.check_budget(memory_of::<F>(rows, columns))?;
        let mut entries = memory::zeroed::<F>(rows * columns)?;
        match &matrix.place {
            Place::Host(matrix) => entries.copy_from_slice(matrix.as_slice()),
            Place::Device(stored) => {
                let data = bytemuck::cast_slice_mut(&mut entries);
                self.perform(download(stored, 0, data))?;
            }
        }
        Matrix::new(entries, matrix.shape)
    }

    /// [`ntt`](Self::ntt) of a matrix that stays on the device. A failure leaves the matrix unchanged; other clones of it
    /// keep what they have.
    ///
    /// [`Error::LengthMismatch`], [`Error::ForeignBuffer`], [`Error::OverDeviceBudget`], [`Error::DeviceOutOfMemory`],
    /// [`Error::DeviceFailed`]; on the host as `ntt`.
    pub fn ntt_on_device<F: Field>(&self, ntt: &Ntt, matrix: &mut DeviceMatrix<F>) -> Result<(), Error> {
        self.check_ours(matrix)?;
        self.check_rows(ntt.domain.size(), matrix.shape.rows)?;
        let extent = matrix.extent();
        match &mut matrix.place {
            Place::Device(stored) => {
                *stored = self.perform(transform_resident(*ntt, stored, extent))?;
            }
            Place::Host(shared) => match Arc::get_mut(shared) {
                Some(own) => self.transform(ntt, own.view_mut())?,
                None => {
                    self.check_budget(memory_of::<F>(matrix.shape.rows, matrix.shape.columns))?;
                    let mut copy = Matrix::new(MatrixInput::from(&**shared).into_vec()?, matrix.shape)?;
                    self.transform(ntt, copy.view_mut())?;
                    *shared = Arc::new(copy);
                }
            },
        }
        Ok(())
    }

    /// [`lde`](Self::lde) of a matrix that stays on the device, to another that does.
    ///
    /// Errors as [`ntt_on_device`](Self::ntt_on_device); on the host as [`lde`](Self::lde) of a borrowed matrix.
    pub fn lde_on_device<F: Field>(
        &self,
        lde: &Lde,
        matrix: &DeviceMatrix<F>,
    ) -> Result<DeviceMatrix<F>, Error> {
        self.check_ours(matrix)?;
        self.check_rows(lde.from().size(), matrix.shape.rows)?;
        match &matrix.place {
            Place::Device(stored) => {
                let extended = self.perform(extend_resident(*lde, stored, matrix.extent()))?;
                let shape = Shape { rows: lde.to().size(), ..matrix.shape };
                Ok(DeviceMatrix::on_device(self, shape, extended))
            }
            Place::Host(values) => {
                let columns = matrix.shape.columns;
                let copied = memory_of::<F>(matrix.shape.rows, columns);
                self.check_budget(copied.saturating_add(memory_of::<F>(lde.to().size(), columns)))?;
                Ok(DeviceMatrix::on_host(self, self.extend(lde, values.view().into())?))
            }
        }
    }

    /// [`hash_rows`](Self::hash_rows) of a matrix that stays on the device; the digests come back.
    ///
    /// Errors as [`ntt_on_device`](Self::ntt_on_device), and [`Error::OverBudget`] or [`Error::HostOutOfMemory`] for the
    /// digests.
    pub fn hash_rows_on_device<H: Accelerated, F: Field>(
        &self,
        matrix: &DeviceMatrix<F>,
    ) -> Result<Vec<H::Digest>, Error> {
        self.check_ours(matrix)?;
        let rows = matrix.shape.rows;
        self.check_budget(memory_of::<H::Digest>(rows, 1))?;
        let mut digests = memory::zeroed::<H::Digest>(rows)?;
        match &matrix.place {
            Place::Host(host) => self.hash_rows_into::<H, F>(host.view(), &mut digests)?,
            Place::Device(stored) => {
                self.report(Stage::Rows, 0, rows as u64);
                let heap = self.perform(hash_resident::<H>(stored, matrix.extent()))?;
                let from = rows * size_of::<H::Digest>() / 8;
                let data = bytemuck::cast_slice_mut(&mut digests);
                self.perform(download(&heap, from, data))?;
                self.report(Stage::Rows, rows as u64, rows as u64);
            }
        }
        Ok(digests)
    }

    /// [`merkle_tree_of_rows`](Self::merkle_tree_of_rows) of a matrix that stays on the device, and so does the tree.
    ///
    /// [`Error::NotPowerOfTwo`] for the number of rows, else errors as [`ntt_on_device`](Self::ntt_on_device).
    pub fn merkle_tree_on_device<H: Accelerated, F: Field>(
        &self,
        matrix: &DeviceMatrix<F>,
    ) -> Result<DeviceTree<H>, Error> {
        self.check_ours(matrix)?;
        let rows = matrix.shape.rows;
        check_leaf_count(rows)?;
        let stored = match &matrix.place {
            Place::Device(stored) => stored,
            Place::Host(host) => {
                let fill = |leaves: &mut [_]| self.hash_rows_into::<H, F>(host.view(), leaves);
                return Ok(DeviceTree::on_host(self, self.build_tree::<H>(rows, fill)?));
            }
        };
        self.report(Stage::Rows, 0, rows as u64);
        let heap = self.perform(hash_resident::<H>(stored, matrix.extent()))?;
        self.report(Stage::Rows, rows as u64, rows as u64);
        self.report(Stage::Tree, 0, 1);
        let root = self.perform(tree_resident::<H>(&heap, rows, self.approach()))?;
        self.report(Stage::Tree, 1, 1);
        Ok(DeviceTree::on_device(self, rows, heap, root))
    }

    /// [`Error::ForeignBuffer`] unless this engine made the matrix.
    pub(crate) fn check_ours<F>(&self, matrix: &DeviceMatrix<F>) -> Result<(), Error> {
        match self.is(&matrix.engine) {
            true => Ok(()),
            false => Err(Error::ForeignBuffer {
                expected: self.device().id.clone(),
                found: matrix.engine.device().id.clone(),
            }),
        }
    }
}
