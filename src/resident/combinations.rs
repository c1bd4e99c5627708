//! Combinations of the columns and of the rows of matrices that stay on the device.

use super::{DeviceMatrix, Location};
use crate::backend::AcceleratedField;
use crate::combinations::{Combinable, check_coefficients, checked_rows, shape_of_rows};
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::matrix::{Layout, Matrix, Shape};
use crate::operation::{Combined, make, sums_of_rows};

/// A matrix that stays, or a reference to one.
macro_rules! operands {
    ($($matrix:ty),*) => {$(
        impl<F: AcceleratedField> Combinable for $matrix {
            type Matrix = DeviceMatrix<F>;

            fn combine_columns_on(
                self,
                engine: &Engine,
                rows: Option<usize>,
                coefficients: &Matrix<F>,
            ) -> Result<DeviceMatrix<F>, Error> {
                self.combined_columns(engine, rows, coefficients)
            }

            fn combine_rows_on(self, engine: &Engine, weights: Self) -> Result<Matrix<F>, Error> {
                self.combined_rows(engine, &weights)
            }
        }
    )*};
}
operands!(&DeviceMatrix<F>, DeviceMatrix<F>);

impl<F: AcceleratedField> DeviceMatrix<F> {
    fn combined_columns(
        &self,
        engine: &Engine,
        rows: Option<usize>,
        coefficients: &Matrix<F>,
    ) -> Result<Self, Error> {
        engine.check_ours(self)?;
        let rows = checked_rows(self.shape, rows)?;
        check_coefficients(self.shape, coefficients.shape())?;
        engine.check_elements(coefficients.as_slice())?;
        let stored = match &self.location {
            Location::Host(host) => {
                let combined = engine.columns_combined(self.host_view(host), rows, coefficients.view())?;
                return Ok(Self::on_host(engine, combined));
            }
            Location::Device(stored) => stored,
        };
        let (extent, columns) = (self.extent(), coefficients.shape().columns);
        let shape = Shape { rows, columns, layout: Layout::ColumnMajor };
        let elements = rows * self.shape.columns;
        let size = Combined::Columns.activity().of(elements, size_of_val(coefficients.as_slice()), 0);
        let words = shape.rows.saturating_mul(columns).saturating_mul(size_of::<F>() / 8);
        let combined = engine.perform(make(stored, size, words, |device, matrix| {
            F::resident_combinations(device).combine_columns(
                (matrix, extent),
                rows,
                coefficients.view().entries(),
            )
        }))?;
        Ok(Self::on_device(engine, shape, combined))
    }

    fn combined_rows(&self, engine: &Engine, weights: &Self) -> Result<Matrix<F>, Error> {
        engine.check_ours(self)?;
        engine.check_ours(weights)?;
        checked_rows(self.shape, Some(weights.shape.rows))?;
        let stored = match &self.location {
            Location::Host(host) => {
                let weights = weights.in_host_memory()?;
                return engine.rows_combined(weights.view(), self.host_view(host));
            }
            Location::Device(stored) => stored,
        };
        let shape = shape_of_rows(weights.shape, self.shape);
        engine.check_budget(memory_of::<F>(shape.rows, shape.columns))?;
        let mut sums = F::zeros(shape.rows.saturating_mul(shape.columns))?;
        let beside = weights.beside(stored)?;
        let weights = (&beside, weights.extent());
        engine.perform(sums_of_rows(weights, (stored, self.extent()), &mut sums))?;
        Matrix::new(sums, shape)
    }
}
