//! Matrices whose field is no part of their type: what the operations of the interface ask of one.

use std::any::Any;

use accel::matrix::Shape;
use accel::resident::DeviceMatrix;
use accel::{Engine, Error};

use crate::arguments::Output;
use crate::combinations::{Summing, columns_of_any, rows_of_any};
use crate::fields::{Field, Words, if_two_adic};
use crate::lookups::permute_any;
use crate::pointwise::product_of_any;
use crate::prefix::{Scanning, scan_any};
use crate::status::{Failure, ZKA_UNSUPPORTED};
use crate::transforms::{Making, Roots, Transform};

/// A matrix over any field.
pub(crate) trait AnyMatrix: Any + Send + Sync {
    fn shape(&self) -> Shape;
    fn field(&self) -> Field;
    /// Copies the words of all elements.
    fn copy_all(&self, engine: &Engine, out: &Output<u64>) -> Result<(), Error>;
    /// Copies the words of some rows.
    fn copy_rows(&self, rows: &[usize], out: &Output<u64>) -> Result<(), Error>;
    /// Checks a transform of it.
    fn transform(&self, what: Transform, roots: Roots<'_>) -> Result<Making, Failure>;
    /// Checks the product of it with another, less a third if there is one.
    fn multiply(&self, b: &dyn AnyMatrix, c: Option<&dyn AnyMatrix>) -> Result<Making, Failure>;
    /// Checks combinations of its columns, by words of coefficients.
    fn combine_columns(&self, coefficients: &[u64], shape: Shape) -> Result<Making, Failure>;
    /// Checks combinations of its rows.
    fn combine_rows(&self, weights: &dyn AnyMatrix) -> Result<Summing, Failure>;
    /// Checks the prefix products of its columns, by words of first values.
    fn prefix_products(&self, first: &[u64]) -> Result<Scanning, Failure>;
    /// Checks the permutations of lookups of so many rows.
    fn permute_lookups(&self, rows: usize) -> Result<Making, Failure>;
    /// The same elements in another shape.
    fn reshaped(&self, rows: usize, columns: usize) -> Result<Box<dyn AnyMatrix>, Error>;
}

impl<F: Words> AnyMatrix for DeviceMatrix<F> {
    fn shape(&self) -> Shape {
        self.shape()
    }

    fn field(&self) -> Field {
        Field::new::<F>()
    }

    fn copy_all(&self, engine: &Engine, out: &Output<u64>) -> Result<(), Error> {
        match self.as_host() {
            Some(matrix) => out.write(F::words(matrix.as_slice())),
            None => out.write(F::words(engine.download(self)?.as_slice())),
        }
        Ok(())
    }

    fn copy_rows(&self, rows: &[usize], out: &Output<u64>) -> Result<(), Error> {
        out.write(F::words(&self.read_rows(rows)?.concat()));
        Ok(())
    }

    fn transform(&self, what: Transform, roots: Roots<'_>) -> Result<Making, Failure> {
        match if_two_adic::<F>() {
            Some(of_field) => (of_field.transform)(self, what, roots),
            None => {
                let text = format!("transforms over {}, which has no roots of unity for them", F::NAME);
                Err(Failure::new(ZKA_UNSUPPORTED, text))
            }
        }
    }

    fn multiply(&self, b: &dyn AnyMatrix, c: Option<&dyn AnyMatrix>) -> Result<Making, Failure> {
        product_of_any(self, b, c)
    }

    fn combine_columns(&self, coefficients: &[u64], shape: Shape) -> Result<Making, Failure> {
        columns_of_any(self, coefficients, shape)
    }

    fn combine_rows(&self, weights: &dyn AnyMatrix) -> Result<Summing, Failure> {
        rows_of_any(self, weights)
    }

    fn prefix_products(&self, first: &[u64]) -> Result<Scanning, Failure> {
        scan_any(self, first)
    }

    fn permute_lookups(&self, rows: usize) -> Result<Making, Failure> {
        permute_any(self, rows)
    }

    fn reshaped(&self, rows: usize, columns: usize) -> Result<Box<dyn AnyMatrix>, Error> {
        Ok(Box::new(self.reshaped(rows, columns)?))
    }
}
