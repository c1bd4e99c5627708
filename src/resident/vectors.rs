//! Products of vectors that stay on the device, element by element and with sparse matrices.

use super::elsewhere::InHostMemory;
use super::{DeviceMatrix, Location};
use crate::backend::AcceleratedPrime;
use crate::dispatch::Stored;
use crate::engine::Engine;
use crate::error::Error;
use crate::matrix::{Matrix, Shape};
use crate::operation::{kept_beside, upload_beside};
use crate::sparse::{self, DeviceSparseMatrix, Operand};
use crate::vectors::{Vector, check_lengths, sealed};
use crate::work::Activity;

impl<F: AcceleratedPrime> sealed::Sealed for DeviceMatrix<F> {}

impl<F: AcceleratedPrime> Vector for DeviceMatrix<F> {
    fn multiply_on(&mut self, engine: &Engine, b: &Self, c: Option<&Self>) -> Result<(), Error> {
        let others = || [Some(b), c].into_iter().flatten();
        engine.check_ours(self)?;
        others().try_for_each(|other| engine.check_ours(other))?;
        check_lengths(self.shape.rows, others().map(|other| other.shape.rows))?;
        check_lengths(self.shape.columns, others().map(|other| other.shape.columns))?;
        let len = self.shape.rows * self.shape.columns;
        match &self.location {
            Location::Device(stored) => {
                let others = others().map(|other| other.beside(stored)).collect::<Result<Vec<_>, _>>()?;
                let [b, c] = [0, 1].map(|i| others.get(i).map(Stored::contents));
                *self = self.make(stored, Activity::POINTWISE, self.shape.rows, |device, a| {
                    F::resident_pointwise(device).multiply(len, a, b.expect("a factor"), c)
                })?;
                Ok(())
            }
            Location::Host(_) => {
                let others = others().map(|other| other.in_host_memory()).collect::<Result<Vec<_>, _>>()?;
                self.change_on_host(engine, |mut matrix| {
                    let [b, c] = [0, 1].map(|i| others.get(i).map(InHostMemory::as_slice));
                    matrix.base().multiply_on(engine, b.expect("a factor"), c)
                })
            }
        }
    }
}

/// A matrix that stays, or a reference to one.
macro_rules! operands {
    ($($matrix:ty),*) => {$(
        impl<F: AcceleratedPrime> sparse::sealed::Sealed for $matrix {}

        impl<F: AcceleratedPrime> Operand for $matrix {
            type Element = F;
            type Product = DeviceMatrix<F>;

            fn product_on(
                self,
                engine: &Engine,
                matrix: &DeviceSparseMatrix<F>,
            ) -> Result<DeviceMatrix<F>, Error> {
                self.sparse_product(engine, matrix)
            }
        }
    )*};
}
operands!(&DeviceMatrix<F>, DeviceMatrix<F>);

impl<F: AcceleratedPrime> DeviceMatrix<F> {
    fn sparse_product(
        &self,
        engine: &Engine,
        matrix: &DeviceSparseMatrix<F>,
    ) -> Result<DeviceMatrix<F>, Error> {
        engine.check_ours(self)?;
        let host = matrix.as_host();
        check_lengths(1, std::iter::once(self.shape.columns))?;
        engine.check_vector(host.columns(), self.shape.rows)?;
        if host.rows() == 0 {
            return Err(Error::BadShape { rows: 0, columns: 1, entries: 0 });
        }
        let on_host = || {
            let vector = self.in_host_memory()?;
            vector.as_slice().product_on(engine, matrix)
        };
        match &self.location {
            Location::Device(stored) => match kept_beside(&host.view(), matrix.kept(), stored) {
                Some(kept) => self.make(stored, Activity::SPARSE, host.rows(), |device, vector| {
                    F::resident_sparse(device).sparse_product(kept.contents(), vector)
                }),
                None => {
                    let product = on_host()?;
                    let shape = Shape { rows: product.len(), ..self.shape };
                    let product = engine.perform(upload_beside(stored, F::words(&product)))?;
                    Ok(DeviceMatrix::on_device(engine, shape, product))
                }
            },
            Location::Host(_) => Ok(DeviceMatrix::on_host(engine, Matrix::from_column(on_host()?)?)),
        }
    }
}
