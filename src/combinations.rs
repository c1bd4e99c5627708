//! Linear combinations of the columns of a matrix, and of its rows, with any number of factors for each.
//!
//! An element of an extension field is its coordinates over the base field. So the sum of columns times powers of a random element of an extension of
//! degree d takes d columns of coefficients, and the values of all columns at a point of the extension, by barycentric weights, take d columns of weights.

use crate::backend::{AcceleratedField, MatrixView};
use crate::columns::Operand;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::job::Job;
use crate::matrix::{Layout, Matrix, MatrixInput, MatrixRef, Shape};
use crate::operation::{Combine, Combined};

/// A matrix of which columns or rows are combined: a [`Matrix`], a reference to one or a [`MatrixRef`], in host memory; or a
/// [`DeviceMatrix`](crate::resident::DeviceMatrix) or a reference to one.
pub trait Combinable: Operand<Element: AcceleratedField> {
    /// The type of a matrix computed from this one.
    type Matrix: Send;

    /// [`Engine::combine_columns_of`], or [`Engine::combine_columns`] for all rows.
    #[doc(hidden)]
    fn combine_columns_on(
        self,
        engine: &Engine,
        rows: Option<usize>,
        coefficients: &Matrix<Self::Element>,
    ) -> Result<Self::Matrix, Error>;

    /// [`Engine::combine_rows`].
    #[doc(hidden)]
    fn combine_rows_on(self, engine: &Engine, weights: Self) -> Result<Matrix<Self::Element>, Error>;
}

impl Engine {
    /// Combinations of the columns of a matrix: its product with a matrix of coefficients in host memory, which has a row for each column and a
    /// column for each combination.
    ///
    /// Entry (i, k) of the result is the sum of entry (i, j) times coefficient (j, k) over all columns j. The result is column-major; it is
    /// on the device if the matrix is. The matrix may have any number of rows and columns. There should be a few
    /// combinations: a device with memory of its own reads the matrix once for every four of them, or for every two over prime fields.
    ///
    /// [`Error::LengthMismatch`] for another number of coefficients, [`Error::NotCanonical`], and on the host [`Error::OverBudget`] and
    /// [`Error::HostOutOfMemory`]. For a [`DeviceMatrix`](crate::resident::DeviceMatrix) further errors are [`Error::WrongEngine`],
    /// [`Error::OverDeviceBudget`], [`Error::DeviceOutOfMemory`] and [`Error::DeviceFailed`].
    ///
    /// ```
    /// use zkaccel::{Engine, field::Goldilocks, matrix::Matrix};
    /// let matrix = |entries: &[u64], rows| {
    ///     Matrix::from_rows(entries.iter().map(|&x| Goldilocks::new(x)).collect(), rows, entries.len() / rows)
    /// };
    /// let combined = Engine::new()?.combine_columns(&matrix(&[1, 2, 3, 4, 5, 6], 2)?, &matrix(&[1, 10, 100], 3)?)?;
    /// assert_eq!(combined.as_slice(), [321, 654].map(Goldilocks::new));
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn combine_columns<M: Combinable>(
        &self,
        matrix: M,
        coefficients: &Matrix<M::Element>,
    ) -> Result<M::Matrix, Error> {
        matrix.combine_columns_on(self, None, coefficients)
    }

    /// The same of the first `rows` rows of a matrix.
    ///
    /// An extension of a polynomial of degree below n in bit-reversed order begins with its values on a coset of n points, which determine it: combinations of its columns
    /// are the extensions of combinations of n rows.
    ///
    /// [`Error::LengthMismatch`] also if the matrix has fewer rows, [`Error::BadShape`] for no rows.
    pub fn combine_columns_of<M: Combinable>(
        &self,
        matrix: M,
        rows: usize,
        coefficients: &Matrix<M::Element>,
    ) -> Result<M::Matrix, Error> {
        matrix.combine_columns_on(self, Some(rows), coefficients)
    }

    /// Combinations of the rows of a matrix: the transpose of a matrix of weights, times the first rows of the matrix, as many as there are weights.
    ///
    /// Entry (k, j) of the result is the sum of weight (i, k) times entry (i, j) over the rows i of the weights. The result is in host
    /// memory and column-major: the combinations of a column lie side by side. The matrix has as many rows as the weights or more, else
    /// [`Error::LengthMismatch`]. Further errors as [`combine_columns`](Self::combine_columns).
    ///
    /// ```
    /// use zkaccel::{Engine, field::Goldilocks, matrix::Matrix};
    /// let matrix = |entries: &[u64], rows| {
    ///     Matrix::from_rows(entries.iter().map(|&x| Goldilocks::new(x)).collect(), rows, entries.len() / rows)
    /// };
    /// let sums = Engine::new()?.combine_rows(&matrix(&[1, 10], 2)?, &matrix(&[1, 2, 3, 4, 5, 6], 2)?)?;
    /// assert_eq!(sums.as_slice(), [41, 52, 63].map(Goldilocks::new));
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn combine_rows<M: Combinable>(&self, weights: M, matrix: M) -> Result<Matrix<M::Element>, Error> {
        matrix.combine_rows_on(self, weights)
    }

    /// [`combine_columns`](Self::combine_columns) as a job.
    pub fn combine_columns_async<M: Combinable + Send + 'static>(
        &self,
        matrix: M,
        coefficients: Matrix<M::Element>,
    ) -> Job<M::Matrix> {
        self.spawn(move |engine| engine.combine_columns(matrix, &coefficients))
    }

    /// [`combine_rows`](Self::combine_rows) as a job.
    pub fn combine_rows_async<M: Combinable + Send + 'static>(
        &self,
        weights: M,
        matrix: M,
    ) -> Job<Matrix<M::Element>> {
        self.spawn(move |engine| engine.combine_rows(weights, matrix))
    }

    /// The combinations of columns of checked elements, in so many rows.
    pub(crate) fn columns_combined<F: AcceleratedField>(
        &self,
        matrix: MatrixRef<'_, F>,
        rows: usize,
        coefficients: MatrixRef<'_, F>,
    ) -> Result<Matrix<F>, Error> {
        let shape = Shape { rows, columns: coefficients.shape().columns, layout: Layout::ColumnMajor };
        self.combined(Combined::Columns, matrix.entries().range(0..rows), coefficients.entries(), shape)
    }

    /// The combinations of rows of checked elements.
    pub(crate) fn rows_combined<F: AcceleratedField>(
        &self,
        weights: MatrixRef<'_, F>,
        matrix: MatrixRef<'_, F>,
    ) -> Result<Matrix<F>, Error> {
        let shape = shape_of_rows(weights.shape(), matrix.shape());
        let rows = 0..weights.shape().rows;
        self.combined(Combined::Rows, matrix.entries().range(rows), weights.entries(), shape)
    }

    fn combined<F: AcceleratedField>(
        &self,
        combined: Combined,
        matrix: MatrixView<'_, F>,
        factors: MatrixView<'_, F>,
        shape: Shape,
    ) -> Result<Matrix<F>, Error> {
        self.check_budget(memory_of::<F>(shape.rows, shape.columns))?;
        let mut result = F::zeros(shape.rows.saturating_mul(shape.columns))?;
        self.perform(Combine { combined, matrix, factors, result: &mut result })?;
        Matrix::new(result, shape)
    }
}

/// The shape of combinations of rows.
pub(crate) fn shape_of_rows(weights: Shape, matrix: Shape) -> Shape {
    Shape { rows: weights.columns, columns: matrix.columns, layout: Layout::ColumnMajor }
}

/// [`Error::LengthMismatch`] unless there is a row of coefficients for each column.
pub(crate) fn check_coefficients(matrix: Shape, coefficients: Shape) -> Result<(), Error> {
    let (expected, found) = (matrix.columns, coefficients.rows);
    match expected == found {
        true => Ok(()),
        false => {
            Err(Error::LengthMismatch { what: "rows of coefficients, one for each column", expected, found })
        }
    }
}

/// The number of rows asked for, by default all; [`Error::LengthMismatch`] if the matrix has fewer, [`Error::BadShape`] for none.
pub(crate) fn checked_rows(matrix: Shape, rows: Option<usize>) -> Result<usize, Error> {
    let (expected, found) = (rows.unwrap_or(matrix.rows), matrix.rows);
    if expected == 0 {
        return Err(Error::BadShape { rows: 0, columns: matrix.columns, entries: 0 });
    }
    match expected <= found {
        true => Ok(expected),
        false => {
            let what = "rows of the matrix, at least as many as are combined";
            Err(Error::LengthMismatch { what, expected, found })
        }
    }
}

macro_rules! in_host_memory {
    ($($matrix:ty),*) => {$(
        impl<F: AcceleratedField> Combinable for $matrix {
            type Matrix = Matrix<F>;

            fn combine_columns_on(
                self,
                engine: &Engine,
                rows: Option<usize>,
                coefficients: &Matrix<F>,
            ) -> Result<Matrix<F>, Error> {
                let matrix = MatrixInput::from(self);
                let rows = checked_rows(matrix.shape(), rows)?;
                check_coefficients(matrix.shape(), coefficients.shape())?;
                engine.check_elements(matrix.view().as_slice())?;
                engine.check_elements(coefficients.as_slice())?;
                engine.columns_combined(matrix.view(), rows, coefficients.view())
            }

            fn combine_rows_on(self, engine: &Engine, weights: Self) -> Result<Matrix<F>, Error> {
                let (weights, matrix) = (MatrixInput::from(weights), MatrixInput::from(self));
                checked_rows(matrix.shape(), Some(weights.shape().rows))?;
                engine.check_elements(weights.view().as_slice())?;
                engine.check_elements(matrix.view().as_slice())?;
                engine.rows_combined(weights.view(), matrix.view())
            }
        }
    )*};
}
in_host_memory!(Matrix<F>, &Matrix<F>, MatrixRef<'_, F>);
