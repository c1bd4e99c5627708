//! The engine's operations on matrices that stay on the device.
//!
//! Words are checked when a matrix is uploaded, and results are canonical, so nothing is checked twice. A matrix in
//! host memory goes through the operations on host data.

use std::sync::Arc;

use super::{DeviceMatrix, DeviceTree, Location};
use crate::backend::Accelerated;
use crate::columns::sealed::Sealed;
use crate::columns::{Columns, ColumnsMut};
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
    /// Copies a matrix to the device, to stay there. Where the host is the device an owned matrix is moved, and a borrowed
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

    /// Copies canonical words to a device with memory of its own; `None` where they should stay in host memory.
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
        match &matrix.location {
            Location::Host(matrix) => entries.copy_from_slice(matrix.as_slice()),
            Location::Device(stored) => {
                let data = bytemuck::cast_slice_mut(&mut entries);
                self.perform(download(stored, 0, data))?;
            }
        }
        Matrix::new(entries, matrix.shape)
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

impl<F: Field> Sealed for &mut DeviceMatrix<F> {}

impl<F: Field> ColumnsMut for &mut DeviceMatrix<F> {
    fn ntt_on(self, engine: &Engine, ntt: &Ntt) -> Result<(), Error> {
        engine.check_ours(self)?;
        engine.check_rows(ntt.domain.size(), self.shape.rows)?;
        let extent = self.extent();
        match &mut self.location {
            Location::Device(stored) => {
                *stored = engine.perform(transform_resident(*ntt, stored, extent))?;
            }
            Location::Host(shared) => match Arc::get_mut(shared) {
                Some(own) => engine.transform(ntt, own.view_mut(), false)?,
                None => {
                    engine.check_budget(memory_of::<F>(self.shape.rows, self.shape.columns))?;
                    let mut copy = Matrix::new(MatrixInput::from(&**shared).into_vec()?, self.shape)?;
                    engine.transform(ntt, copy.view_mut(), false)?;
                    *shared = Arc::new(copy);
                }
            },
        }
        Ok(())
    }
}

impl<F: Field> Sealed for &DeviceMatrix<F> {}

impl<F: Field> Columns for &DeviceMatrix<F> {
    type Matrix = DeviceMatrix<F>;
    type Tree<H: Accelerated> = DeviceTree<H>;

    /// In host memory as the extension of a borrowed matrix.
    fn lde_on(self, engine: &Engine, lde: &Lde) -> Result<DeviceMatrix<F>, Error> {
        engine.check_ours(self)?;
        engine.check_rows(lde.from().size(), self.shape.rows)?;
        match &self.location {
            Location::Device(stored) => {
                let extended = engine.perform(extend_resident(*lde, stored, self.extent()))?;
                let shape = Shape { rows: lde.to().size(), ..self.shape };
                Ok(DeviceMatrix::on_device(engine, shape, extended))
            }
            Location::Host(values) => {
                let columns = self.shape.columns;
                let copied = memory_of::<F>(self.shape.rows, columns);
                engine.check_budget(copied.saturating_add(memory_of::<F>(lde.to().size(), columns)))?;
                Ok(DeviceMatrix::on_host(engine, engine.extend(lde, values.view().into())?))
            }
        }
    }

    fn hash_rows_on<H: Accelerated>(self, engine: &Engine) -> Result<Vec<H::Digest>, Error> {
        engine.check_ours(self)?;
        let rows = self.shape.rows;
        engine.check_budget(memory_of::<H::Digest>(rows, 1))?;
        let mut digests = memory::zeroed::<H::Digest>(rows)?;
        match &self.location {
            Location::Host(host) => engine.hash_rows_into::<H, F>(host.view(), &mut digests)?,
            Location::Device(stored) => {
                engine.report(Stage::Rows, 0, rows as u64);
                let heap = engine.perform(hash_resident::<H>(stored, self.extent()))?;
                let from = rows * size_of::<H::Digest>() / 8;
                engine.perform(download(&heap, from, bytemuck::cast_slice_mut(&mut digests)))?;
                engine.report(Stage::Rows, rows as u64, rows as u64);
            }
        }
        Ok(digests)
    }

    fn tree_on<H: Accelerated>(self, engine: &Engine) -> Result<DeviceTree<H>, Error> {
        engine.check_ours(self)?;
        let rows = self.shape.rows;
        check_leaf_count(rows)?;
        let stored = match &self.location {
            Location::Device(stored) => stored,
            Location::Host(host) => {
                let fill = |leaves: &mut [_]| engine.hash_rows_into::<H, F>(host.view(), leaves);
                return Ok(DeviceTree::on_host(engine, engine.build_tree::<H>(rows, fill)?));
            }
        };
        engine.report(Stage::Rows, 0, rows as u64);
        let heap = engine.perform(hash_resident::<H>(stored, self.extent()))?;
        engine.report(Stage::Rows, rows as u64, rows as u64);
        engine.report(Stage::Tree, 0, 1);
        let root = engine.perform(tree_resident::<H>(&heap, rows, engine.approach()))?;
        engine.report(Stage::Tree, 1, 1);
        Ok(DeviceTree::on_device(engine, rows, heap, root))
    }
}

impl<F: Field> Sealed for DeviceMatrix<F> {}

impl<F: Field> Columns for DeviceMatrix<F> {
    type Matrix = Self;
    type Tree<H: Accelerated> = DeviceTree<H>;

    fn lde_on(self, engine: &Engine, lde: &Lde) -> Result<Self, Error> {
        (&self).lde_on(engine, lde)
    }

    fn hash_rows_on<H: Accelerated>(self, engine: &Engine) -> Result<Vec<H::Digest>, Error> {
        (&self).hash_rows_on::<H>(engine)
    }

    fn tree_on<H: Accelerated>(self, engine: &Engine) -> Result<DeviceTree<H>, Error> {
        (&self).tree_on::<H>(engine)
    }
}
