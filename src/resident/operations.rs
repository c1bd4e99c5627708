//! The engine's operations on matrices that stay on the device.
//!
//! Words are checked when a matrix is uploaded, and results are canonical, so nothing need be checked twice. A matrix in
//! host memory goes through the operations on host data.

use std::sync::Arc;

use super::{DeviceMatrix, DeviceTree, Location, bytes_mut};
use crate::backend::{Accelerated, AcceleratedField, Memory, OnBackends, ResidentBackend};
use crate::columns::sealed::Sealed;
use crate::columns::{Columns, ColumnsMut, Operand, Rows};
use crate::dispatch::Stored;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::extended::ExtendedDomain;
use crate::field::{Field, Goldilocks};
use crate::matrix::{BaseField, Element, Layout, Matrix, MatrixInput, MatrixMut, MatrixRef, Shape};
use crate::memory;
use crate::merkle::check_leaf_count;
use crate::ntt::{Lde, Ntt, Order};
use crate::operation::{
    Invert, Purpose, apart, download, hash_resident, make, tree_resident, upload, upload_beside,
};
#[cfg(feature = "bn254")]
use crate::operation::{are_scalars, keep_scalars};
use crate::progress::Stage;
use crate::work::Activity;

/// So many elements and more are checked by the device to which they are copied: to read fewer takes the host less time than a launch.
const MANY: usize = 1 << 16;

impl Engine {
    /// Copies a matrix to the device, to stay there. Where the host is the device an owned matrix is moved, and a borrowed
    /// one is copied. Over the scalars of a curve it is prepared for sums, and its columns come to lie one after another.
    ///
    /// [`Error::NotCanonical`], [`Error::OverDeviceBudget`], [`Error::DeviceOutOfMemory`]; on the host
    /// [`Error::OverBudget`] and [`Error::HostOutOfMemory`].
    pub fn upload<'a, E: Element>(
        &self,
        matrix: impl Into<MatrixInput<'a, E>>,
    ) -> Result<DeviceMatrix<E>, Error> {
        self.upload_by_size(matrix.into(), false)
    }

    /// [`upload`](Self::upload), or in host memory ([`keep_in_host_memory`](Self::keep_in_host_memory)) if the device has no room for the matrix.
    pub fn upload_if_it_fits<'a, E: Element>(
        &self,
        matrix: impl Into<MatrixInput<'a, E>>,
    ) -> Result<DeviceMatrix<E>, Error> {
        self.upload_by_size(matrix.into(), true)
    }

    fn upload_by_size<E: Element>(
        &self,
        matrix: MatrixInput<'_, E>,
        or_on_host: bool,
    ) -> Result<DeviceMatrix<E>, Error> {
        let purpose = Purpose::of::<E::Base>(matrix.view().base().len());
        self.upload_for(&purpose, matrix, or_on_host)
    }

    /// [`upload`](Self::upload) of a matrix of a whole proof, whose matrices have so many elements in all. Where the engine chooses among devices, all of them come to
    /// the one that suits the extension and the hashing of so many, rather than each to the one that suits a transform of it.
    pub fn upload_for_proof<'a>(
        &self,
        matrix: impl Into<MatrixInput<'a, Goldilocks>>,
        elements: usize,
    ) -> Result<DeviceMatrix<Goldilocks>, Error> {
        self.upload_for(&Purpose::proof(elements), matrix.into(), false)
    }

    /// [`upload`](Self::upload) to where another matrix is: on the same device, or in host memory. So operations on both copy nothing.
    ///
    /// [`Error::WrongEngine`] if another engine made that matrix.
    pub fn upload_beside<'a, E: Element, R: Element>(
        &self,
        other: &DeviceMatrix<R>,
        matrix: impl Into<MatrixInput<'a, E>>,
    ) -> Result<DeviceMatrix<E>, Error> {
        self.check_ours(other)?;
        let matrix = self.with_columns_apart(matrix.into())?;
        self.check_elements(matrix.view().base())?;
        self.kept_beside(other, matrix)
    }

    /// The same for checked entries in the layout of their field.
    pub(super) fn kept_beside<E: Element, R: Element>(
        &self,
        other: &DeviceMatrix<R>,
        matrix: MatrixInput<'_, E>,
    ) -> Result<DeviceMatrix<E>, Error> {
        match &other.location {
            Location::Host(_) => self.kept(matrix),
            Location::Device(stored) => {
                let (view, shape) = (matrix.view(), matrix.shape());
                let stored = self.perform(upload_beside(stored, E::Base::words(view.base())))?;
                self.let_go(matrix);
                Ok(DeviceMatrix::on_device(self, shape, stored))
            }
        }
    }

    fn upload_for<E: Element>(
        &self,
        purpose: &Purpose,
        matrix: MatrixInput<'_, E>,
        or_on_host: bool,
    ) -> Result<DeviceMatrix<E>, Error> {
        let matrix = self.with_columns_apart(matrix)?;
        match self.uploaded(matrix.view(), purpose) {
            Ok(Some(on_device)) => {
                self.let_go(matrix);
                Ok(on_device)
            }
            Ok(None) => self.kept(matrix),
            Err(error) if or_on_host && error.is_of_device_memory() => self.keep_in_host_memory(matrix),
            Err(error) => Err(error),
        }
    }

    /// Keeps a matrix in host memory, whatever the device. An operation on it copies to the device what it needs, in parts where that exceeds the
    /// [budget](crate::EngineBuilder::device_memory), and its result is in host memory, too. An owned matrix is moved, and a borrowed one is copied.
    ///
    /// [`Error::NotCanonical`], [`Error::OverBudget`] and [`Error::HostOutOfMemory`].
    pub fn keep_in_host_memory<'a, E: Element>(
        &self,
        matrix: impl Into<MatrixInput<'a, E>>,
    ) -> Result<DeviceMatrix<E>, Error> {
        let matrix = self.with_columns_apart(matrix.into())?;
        self.check_elements(matrix.view().base())?;
        self.kept(matrix)
    }

    /// A checked matrix in host memory.
    fn kept<E: Element>(&self, matrix: MatrixInput<'_, E>) -> Result<DeviceMatrix<E>, Error> {
        let shape = matrix.shape();
        if matrix.is_borrowed() {
            self.check_budget(memory_of::<E>(shape.rows, shape.columns))?;
        }
        let entries = self.run_on(size_of_val(matrix.view().as_slice()), || matrix.into_vec())?;
        self.prepared(Matrix::new(entries, shape)?)
    }

    /// A matrix in host memory, prepared for sums if its entries are scalars.
    fn prepared<E: Element>(&self, matrix: Matrix<E>) -> Result<DeviceMatrix<E>, Error> {
        #[cfg(feature = "bn254")]
        if are_scalars::<E::Base>() {
            let Shape { rows, columns, .. } = matrix.shape();
            self.check_budget(memory_of::<E>(rows, columns))?;
            let kept = self.perform(keep_scalars(matrix.view().base()))?;
            return Ok(DeviceMatrix::of(self, super::OnHost { matrix, kept }));
        }
        Ok(DeviceMatrix::on_host(self, matrix))
    }

    /// A matrix with the layout that the transforms of its field ask for.
    pub(super) fn with_columns_apart<'a, E: Element>(
        &self,
        matrix: MatrixInput<'a, E>,
    ) -> Result<MatrixInput<'a, E>, Error> {
        let shape = matrix.shape();
        if E::Base::ROW_MAJOR || shape.layout == Layout::ColumnMajor {
            return Ok(matrix);
        }
        self.columns_apart(matrix.view()).map(Into::into)
    }

    /// A row-major matrix with its columns one after another, in host memory; [`Error::OverBudget`], [`Error::HostOutOfMemory`].
    pub(super) fn columns_apart<E: Element>(&self, matrix: MatrixRef<'_, E>) -> Result<Matrix<E>, Error> {
        let Shape { rows, columns, .. } = matrix.shape();
        self.check_budget(memory_of::<E>(rows, columns))?;
        let entries = self.run(|| apart(matrix.as_slice(), columns))?;
        Matrix::from_columns(entries, rows, columns)
    }

    /// Checks entries, and copies them to a device with memory of its own; `None` where they should stay in host memory.
    pub(crate) fn uploaded<E: Element>(
        &self,
        matrix: MatrixRef<'_, E>,
        purpose: &Purpose,
    ) -> Result<Option<DeviceMatrix<E>>, Error> {
        let elements = matrix.base();
        let unchecked = elements.len() >= MANY;
        if !unchecked {
            self.check_elements(elements)?;
        }
        let upload = || upload(self.dispatcher(), elements, unchecked, purpose);
        // Among several devices one is chosen, by measurements if need be.
        let stored = match self.dispatcher().is_one() {
            true => self.run_on(size_of_val(matrix.as_slice()), upload),
            false => self.run(upload),
        };
        let stored = self.with_place(stored, elements)?;
        if stored.is_none() && unchecked {
            self.check_elements(elements)?;
        }
        Ok(stored.map(|stored| DeviceMatrix::on_device(self, matrix.shape(), stored)))
    }

    /// [`lde`](Self::lde) of a matrix that stays. Where the result is in host memory and has as many entries as `memory`, it is made there: the pages of memory that
    /// a matrix had before ([`DeviceMatrix::into_memory`]) need not be cleared again, which may take as long as the extension. Other memory is given back.
    pub fn lde_reusing<E: Element<Base: AcceleratedField>>(
        &self,
        lde: &Lde<E::Base>,
        matrix: DeviceMatrix<E>,
        memory: Vec<E>,
    ) -> Result<DeviceMatrix<E>, Error> {
        if matrix.as_host().is_none() {
            return self.lde(lde, matrix);
        }
        self.check_ours(&matrix)?;
        self.check_rows(lde.from().size(), matrix.shape.rows)?;
        matrix.lde_in_host_memory(self, lde, memory)
    }

    /// A copy of a matrix in host memory.
    ///
    /// [`Error::WrongEngine`], [`Error::OverBudget`], [`Error::HostOutOfMemory`], [`Error::DeviceFailed`].
    pub fn download<E: Element>(&self, matrix: &DeviceMatrix<E>) -> Result<Matrix<E>, Error> {
        self.check_ours(matrix)?;
        let Shape { rows, columns, .. } = matrix.shape;
        self.check_budget(memory_of::<E>(rows, columns))?;
        let mut entries = self.memory_to_fill(rows * columns)?;
        self.download_into(matrix, &mut entries)?;
        Matrix::new(entries, matrix.shape)
    }

    /// The same into memory that there is: the system needs as long to find pages for new memory as a device to fill them.
    ///
    /// [`Error::WrongEngine`], [`Error::LengthMismatch`] unless there is room for all entries and no more, [`Error::DeviceFailed`].
    pub fn download_into<E: Element>(
        &self,
        matrix: &DeviceMatrix<E>,
        entries: &mut [E],
    ) -> Result<(), Error> {
        self.check_ours(matrix)?;
        let (expected, found) = (matrix.shape.rows * matrix.shape.columns, entries.len());
        if expected != found {
            return Err(Error::LengthMismatch { what: "entries of the matrix", expected, found });
        }
        match &matrix.location {
            Location::Host(host) => memory::copy(host.matrix.as_slice(), entries),
            Location::Device(stored) => self.perform(download(stored, 0, bytes_mut(entries)))?,
        }
        Ok(())
    }

    /// [`Error::WrongEngine`] unless this engine made the matrix.
    pub(crate) fn check_ours<E>(&self, matrix: &DeviceMatrix<E>) -> Result<(), Error> {
        self.check_owner("matrix", &matrix.engine)
    }
}

impl<E: Element> Sealed for &mut DeviceMatrix<E> {}

impl<E: Element> Operand for &mut DeviceMatrix<E> {
    type Element = E;
}

impl<E: Element<Base: AcceleratedField>> ColumnsMut for &mut DeviceMatrix<E> {
    fn ntt_on(self, engine: &Engine, ntt: &Ntt<E::Base>) -> Result<(), Error> {
        engine.check_ours(self)?;
        engine.check_rows(ntt.domain.size(), self.shape.rows)?;
        let extent = self.extent();
        match &self.location {
            Location::Device(stored) => {
                *self = self.make(stored, E::Base::TRANSFORM, self.shape.rows, |device, matrix| {
                    E::Base::resident_transforms(device).ntt(ntt, matrix, extent)
                })?;
                Ok(())
            }
            Location::Host(_) => self.change_on_host(engine, |matrix| engine.transform(ntt, matrix, false)),
        }
    }

    fn invert_on(self, engine: &Engine) -> Result<(), Error>
    where
        E: AcceleratedField,
    {
        engine.check_ours(self)?;
        let extent = self.extent();
        match &self.location {
            Location::Device(stored) => {
                *self = self.make(stored, Activity::INVERSION, self.shape.rows, |device, matrix| {
                    E::resident_inversion(device).invert(matrix, extent)
                })?;
                Ok(())
            }
            Location::Host(_) => self.change_on_host(engine, |mut matrix| {
                engine.perform(Invert { elements: matrix.base(), unchecked: false })
            }),
        }
    }
}

impl<E: Element> From<&DeviceMatrix<E>> for DeviceMatrix<E> {
    /// A clone, which shares the entries.
    fn from(matrix: &DeviceMatrix<E>) -> Self {
        matrix.clone()
    }
}

impl<E: Element<Base: AcceleratedField>> DeviceMatrix<E> {
    /// As the extension of an owned matrix where nothing else shares the entries, and else of a borrowed one; into memory that is not needed any more if that is as large.
    fn lde_in_host_memory(self, engine: &Engine, lde: &Lde<E::Base>, memory: Vec<E>) -> Result<Self, Error> {
        let Shape { rows, columns, .. } = self.shape;
        let extended = memory_of::<E>(lde.to().size(), columns);
        engine.check_budget(memory_of::<E>(rows, columns).saturating_add(extended))?;
        let shape = self.shape;
        let Location::Host(host) = self.location else { unreachable!("a matrix in host memory") };
        let extended = match Arc::try_unwrap(host) {
            Ok(own) => engine.extend(lde, Matrix::new(own.matrix.into_vec(), shape)?.into(), memory)?,
            Err(shared) => {
                engine.extend(lde, MatrixRef::new(shared.matrix.as_slice(), shape)?.into(), memory)?
            }
        };
        Ok(DeviceMatrix::on_host(engine, extended))
    }
}

impl<E: Element> DeviceMatrix<E> {
    /// A matrix of so many rows that a device makes of this one, which it stores.
    pub(super) fn make(
        &self,
        stored: &Stored,
        activity: Activity,
        rows: usize,
        run: impl FnOnce(&dyn ResidentBackend, &Memory) -> Result<Memory, Error> + Send,
    ) -> Result<Self, Error> {
        let elements = rows.saturating_mul(self.shape.columns).saturating_mul(E::WIDTH);
        let words = elements.saturating_mul(size_of::<E::Base>() / 8);
        let made = self.engine.perform(make(stored, activity.of(elements, 0, 0), words, run))?;
        Ok(self.of_rows(rows, made))
    }

    /// Changes a matrix that is in host memory, or a copy of one that clones share.
    pub(super) fn change_on_host(
        &mut self,
        engine: &Engine,
        change: impl FnOnce(MatrixMut<'_, E>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let Location::Host(shared) = &mut self.location
            && let Some(own) = Arc::get_mut(shared)
        {
            return change(MatrixMut::new(own.matrix_mut().as_mut_slice(), self.shape)?);
        }
        let mut copy = engine.download(self)?;
        change(copy.view_mut())?;
        *self = DeviceMatrix::on_host(engine, copy);
        Ok(())
    }
}

/// A matrix that stays, or a reference to one, which results are made of.
macro_rules! operands {
    ($($matrix:ty),*) => {$(
        impl<E: Element> Sealed for $matrix {}

        impl<E: Element> Operand for $matrix {
            type Element = E;
        }

        impl<E: Element<Base: AcceleratedField>> Columns for $matrix {
            type Matrix = DeviceMatrix<E>;

            fn lde_on(self, engine: &Engine, lde: &Lde<E::Base>) -> Result<DeviceMatrix<E>, Error> {
                engine.check_ours(&self)?;
                engine.check_rows(lde.from().size(), self.shape.rows)?;
                let (extent, rows) = (self.extent(), lde.to().size());
                let stored = match &self.location {
                    Location::Device(stored) => stored,
                    Location::Host(_) => return DeviceMatrix::<E>::from(self).lde_in_host_memory(engine, lde, Vec::new()),
                };
                self.make(stored, E::Base::EXTENSION, rows, |device, matrix| {
                    E::Base::resident_transforms(device).lde(lde, matrix, extent)
                })
            }

            fn evaluate_on(self, engine: &Engine, domain: &ExtendedDomain<E::Base>) -> Result<DeviceMatrix<E>, Error> {
                engine.check_ours(&self)?;
                engine.check_rows(domain.coefficients(), self.shape.rows)?;
                let (extent, points) = (self.extent(), domain.points());
                match &self.location {
                    Location::Device(stored) => {
                        self.make(stored, E::Base::TRANSFORM, points.size(), |device, matrix| {
                            let transforms = E::Base::resident_transforms(device);
                            transforms.evaluate(&points, Order::Natural, matrix, extent)
                        })
                    }
                    Location::Host(host) => {
                        Ok(DeviceMatrix::on_host(engine, engine.coeff_to_extended(domain, self.host_view(host))?))
                    }
                }
            }

            fn interpolate_on(
                self,
                engine: &Engine,
                domain: &ExtendedDomain<E::Base>,
                coefficients: usize,
            ) -> Result<DeviceMatrix<E>, Error> {
                let mut matrix = self.clone();
                engine.ntt(&Ntt::inverse(domain.points()), &mut matrix)?;
                match matrix.location {
                    Location::Device(stored) => {
                        let (extent, size) = (self.extent(), Activity::GATHER.of(coefficients, 0, 0));
                        let first = make(&stored, size, coefficients * extent.width, |device, matrix| {
                            device.first_rows(matrix, extent, coefficients)
                        });
                        Ok(self.of_rows(coefficients, engine.perform(first)?))
                    }
                    Location::Host(host) => {
                        let host = Arc::into_inner(host).expect("a transform in place leaves a matrix of its own");
                        let matrix = Matrix::new(host.matrix.into_vec(), matrix.shape)?;
                        Ok(DeviceMatrix::on_host(engine, matrix.first_rows(coefficients)))
                    }
                }
            }
        }

        impl<E: Field> Rows for $matrix {
            type Tree<H: Accelerated> = DeviceTree<H>;

            fn hash_rows_on<H: Accelerated>(self, engine: &Engine) -> Result<Vec<H::Digest>, Error> {
                engine.check_ours(&self)?;
                let rows = self.shape.rows;
                engine.check_budget(memory_of::<H::Digest>(rows, 1))?;
                let mut digests = memory::zeroed::<H::Digest>(rows)?;
                match &self.location {
                    Location::Host(host) => engine.hash_rows_into::<H, E>(self.host_view(host), &mut digests)?,
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
                engine.check_ours(&self)?;
                let rows = self.shape.rows;
                check_leaf_count(rows)?;
                let stored = match &self.location {
                    Location::Device(stored) => stored,
                    Location::Host(host) => {
                        let fill = |leaves: &mut [_]| engine.hash_rows_into::<H, E>(self.host_view(host), leaves);
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
    )*};
}
operands!(&DeviceMatrix<E>, DeviceMatrix<E>);
