//! Matrices: each column is a polynomial or a register of a trace, each row a point or a step.
//!
//! Entry (i, j) of a matrix of n rows and w columns lies at i w + j in row-major and at j n + i in column-major
//! layout. Entries of an extension field are stored as adjacent coefficients, so each matrix is also a matrix of
//! base-field words: one *block* of n rows and w d words in row-major layout, w blocks of n rows and d words in
//! column-major layout, with d the degree. Transforms work on blocks and need no other notion of layout.

use crate::backend::Extent;
use crate::error::Error;
use crate::field::{Field, Goldilocks};

/// The layout of entries in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// The entries of a row are contiguous.
    #[default]
    RowMajor,
    /// The entries of a column are contiguous.
    ColumnMajor,
}

/// Rows, columns and layout, checked against a number of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Number of rows, at least 1.
    pub rows: usize,
    /// Number of columns, at least 1.
    pub columns: usize,
    /// The layout of entries in memory.
    pub layout: Layout,
}

impl Shape {
    /// [`Error::BadShape`] unless there is a row and a column and `entries` is their product.
    fn check(self, entries: usize) -> Result<Self, Error> {
        let Self { rows, columns, .. } = self;
        match rows > 0 && columns > 0 && rows.checked_mul(columns) == Some(entries) {
            true => Ok(self),
            false => Err(Error::BadShape { rows, columns, entries }),
        }
    }

    /// The number of adjacent base-field words in a row of a block, for entries of F.
    pub(crate) fn block_width<F: Field>(&self) -> usize {
        match self.layout {
            Layout::RowMajor => self.columns * F::DEGREE,
            Layout::ColumnMajor => F::DEGREE,
        }
    }

    /// The layout of the base-field words of entries of F.
    pub(crate) fn extent<F: Field>(&self) -> Extent {
        Extent { rows: self.rows, width: self.columns * F::DEGREE, block: self.block_width::<F>() }
    }

    fn index(&self, row: usize, column: usize) -> usize {
        assert!(row < self.rows && column < self.columns, "entry ({row}, {column}) is outside the matrix");
        match self.layout {
            Layout::RowMajor => row * self.columns + column,
            Layout::ColumnMajor => column * self.rows + row,
        }
    }
}

/// A matrix that owns its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix<F> {
    data: Vec<F>,
    shape: Shape,
}

/// A borrowed matrix.
#[derive(Clone, Copy, Debug)]
pub struct MatrixRef<'a, F> {
    data: &'a [F],
    shape: Shape,
}

/// A mutably borrowed matrix.
#[derive(Debug)]
pub struct MatrixMut<'a, F> {
    data: &'a mut [F],
    shape: Shape,
}

/// The input of an operation that can reuse its input's memory: `&matrix` or a view is copied, an owned matrix is consumed. Both
/// convert to this type implicitly.
#[derive(Debug)]
pub enum MatrixInput<'a, F> {
    /// Copied by the operation.
    Borrowed(MatrixRef<'a, F>),
    /// Consumed by the operation.
    Owned(Matrix<F>),
}

impl<F: Field> Matrix<F> {
    /// A row-major matrix of `columns` columns; [`Error::BadShape`] unless `rows * columns` entries are given.
    pub fn from_rows(data: Vec<F>, rows: usize, columns: usize) -> Result<Self, Error> {
        Self::new(data, Shape { rows, columns, layout: Layout::RowMajor })
    }

    /// A column-major matrix; [`Error::BadShape`] unless `rows * columns` entries are given.
    pub fn from_columns(data: Vec<F>, rows: usize, columns: usize) -> Result<Self, Error> {
        Self::new(data, Shape { rows, columns, layout: Layout::ColumnMajor })
    }

    /// A matrix of any layout; [`Error::BadShape`] unless `rows * columns` entries are given.
    pub fn new(data: Vec<F>, shape: Shape) -> Result<Self, Error> {
        Ok(Self { shape: shape.check(data.len())?, data })
    }

    /// Rows, columns and layout.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The entries in memory order.
    pub fn as_slice(&self) -> &[F] {
        &self.data
    }

    /// The entries in memory order, mutably.
    pub fn as_mut_slice(&mut self) -> &mut [F] {
        &mut self.data
    }

    /// The entries in memory order, without the shape.
    pub fn into_vec(self) -> Vec<F> {
        self.data
    }

    /// A borrowed view.
    pub fn view(&self) -> MatrixRef<'_, F> {
        MatrixRef { data: &self.data, shape: self.shape }
    }

    /// A mutable view.
    pub fn view_mut(&mut self) -> MatrixMut<'_, F> {
        MatrixMut { data: &mut self.data, shape: self.shape }
    }

    /// Entry (row, column).
    ///
    /// # Panics
    /// When the entry is outside the matrix.
    pub fn get(&self, row: usize, column: usize) -> F {
        self.data[self.shape.index(row, column)]
    }

    /// The entries of one row, from left to right.
    ///
    /// # Panics
    /// When the row is outside the matrix.
    pub fn row(&self, row: usize) -> Vec<F> {
        (0..self.shape.columns).map(|column| self.get(row, column)).collect()
    }
}

impl<'a, F: Field> MatrixRef<'a, F> {
    /// A view of a slice; [`Error::BadShape`] unless it has `rows * columns` entries.
    pub fn new(data: &'a [F], shape: Shape) -> Result<Self, Error> {
        Ok(Self { shape: shape.check(data.len())?, data })
    }

    /// Rows, columns and layout.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The entries in memory order.
    pub fn as_slice(&self) -> &'a [F] {
        self.data
    }

    /// The entries as base-field words.
    pub(crate) fn words(&self) -> &'a [Goldilocks] {
        bytemuck::cast_slice(self.data)
    }
}

impl<'a, F: Field> MatrixMut<'a, F> {
    /// A view of a slice; [`Error::BadShape`] unless it has `rows * columns` entries.
    pub fn new(data: &'a mut [F], shape: Shape) -> Result<Self, Error> {
        Ok(Self { shape: shape.check(data.len())?, data })
    }

    /// Rows, columns and layout.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The entries as base-field words.
    pub(crate) fn words(&mut self) -> &mut [Goldilocks] {
        bytemuck::cast_slice_mut(self.data)
    }
}

impl<F: Field> MatrixInput<'_, F> {
    /// Rows, columns and layout.
    pub fn shape(&self) -> Shape {
        self.view().shape
    }

    /// A borrowed view.
    pub fn view(&self) -> MatrixRef<'_, F> {
        match self {
            Self::Borrowed(view) => *view,
            Self::Owned(matrix) => matrix.view(),
        }
    }

    /// The entries, copied if they are borrowed.
    pub(crate) fn into_vec(self) -> Result<Vec<F>, Error> {
        match self {
            Self::Borrowed(view) => {
                let mut copy = crate::memory::zeroed(view.data.len())?;
                crate::memory::copy(view.data, &mut copy);
                Ok(copy)
            }
            Self::Owned(matrix) => Ok(matrix.data),
        }
    }
}

impl<'a, F: Field> From<MatrixRef<'a, F>> for MatrixInput<'a, F> {
    fn from(view: MatrixRef<'a, F>) -> Self {
        Self::Borrowed(view)
    }
}

impl<'a, F: Field> From<&'a Matrix<F>> for MatrixInput<'a, F> {
    fn from(matrix: &'a Matrix<F>) -> Self {
        Self::Borrowed(matrix.view())
    }
}

impl<F: Field> From<Matrix<F>> for MatrixInput<'_, F> {
    fn from(matrix: Matrix<F>) -> Self {
        Self::Owned(matrix)
    }
}
