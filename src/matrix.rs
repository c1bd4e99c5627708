//! Matrices: each column is a polynomial or a register of a trace, each row a point or a step.
//!
//! Entry (i, j) of a matrix of n rows and w columns lies at i w + j in row-major and at j n + i in column-major
//! layout. An entry is one or more elements of a base field side by side ([`Element`]): an element of an extension is its
//! coefficients. So each matrix is also a matrix of base-field elements: one *block* of n rows and w d elements in row-major layout,
//! w blocks of n rows and d elements in column-major layout, with d the degree. Transforms work on blocks and need no other notion of
//! layout.

pub use crate::backend::{BaseField, Element};
use crate::backend::{Extent, MatrixView};
use crate::error::Error;

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

    /// The number of adjacent base-field elements in a row of a block, for entries of E.
    pub(crate) fn block_width<E: Element>(&self) -> usize {
        match self.layout {
            Layout::RowMajor => self.columns * E::WIDTH,
            Layout::ColumnMajor => E::WIDTH,
        }
    }

    /// The layout of the 64-bit words of entries of E.
    pub(crate) fn extent<E: Element>(&self) -> Extent {
        let words = size_of::<E>() / 8;
        let block = self.block_width::<E>() / E::WIDTH * words;
        Extent { rows: self.rows, width: self.columns * words, block }
    }

    /// The number of entries from one to the next in its column, and in its row.
    pub(crate) fn steps(&self) -> (usize, usize) {
        match self.layout {
            Layout::RowMajor => (self.columns, 1),
            Layout::ColumnMajor => (1, self.rows),
        }
    }

    fn index(&self, row: usize, column: usize) -> usize {
        assert!(row < self.rows && column < self.columns, "entry ({row}, {column}) is outside the matrix");
        let (row_step, column_step) = self.steps();
        row * row_step + column * column_step
    }
}

/// A matrix that owns its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix<E> {
    data: Vec<E>,
    shape: Shape,
}

/// A borrowed matrix.
#[derive(Clone, Copy, Debug)]
pub struct MatrixRef<'a, E> {
    data: &'a [E],
    shape: Shape,
}

/// A mutably borrowed matrix.
#[derive(Debug)]
pub struct MatrixMut<'a, E> {
    data: &'a mut [E],
    shape: Shape,
}

/// The input of an operation that can reuse its input's memory: `&matrix` or a view is copied, an owned matrix is consumed. Both
/// convert to this type implicitly.
#[derive(Debug)]
pub enum MatrixInput<'a, E> {
    /// Copied by the operation.
    Borrowed(MatrixRef<'a, E>),
    /// Consumed by the operation.
    Owned(Matrix<E>),
}

impl<E: Element> Matrix<E> {
    /// A row-major matrix of `columns` columns; [`Error::BadShape`] unless `rows * columns` entries are given.
    pub fn from_rows(data: Vec<E>, rows: usize, columns: usize) -> Result<Self, Error> {
        Self::new(data, Shape { rows, columns, layout: Layout::RowMajor })
    }

    /// A column-major matrix; [`Error::BadShape`] unless `rows * columns` entries are given.
    pub fn from_columns(data: Vec<E>, rows: usize, columns: usize) -> Result<Self, Error> {
        Self::new(data, Shape { rows, columns, layout: Layout::ColumnMajor })
    }

    /// A matrix of one column; [`Error::BadShape`] for no entries.
    pub fn from_column(data: Vec<E>) -> Result<Self, Error> {
        let rows = data.len();
        Self::from_columns(data, rows, 1)
    }

    /// A matrix of any layout; [`Error::BadShape`] unless `rows * columns` entries are given.
    pub fn new(data: Vec<E>, shape: Shape) -> Result<Self, Error> {
        Ok(Self { shape: shape.check(data.len())?, data })
    }

    /// Rows, columns and layout.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The entries in memory order.
    pub fn as_slice(&self) -> &[E] {
        &self.data
    }

    /// The entries in memory order, mutably.
    pub fn as_mut_slice(&mut self) -> &mut [E] {
        &mut self.data
    }

    /// The entries in memory order, without the shape.
    pub fn into_vec(self) -> Vec<E> {
        self.data
    }

    /// A borrowed view.
    pub fn view(&self) -> MatrixRef<'_, E> {
        MatrixRef { data: &self.data, shape: self.shape }
    }

    /// A mutable view.
    pub fn view_mut(&mut self) -> MatrixMut<'_, E> {
        MatrixMut { data: &mut self.data, shape: self.shape }
    }

    /// The first rows, of which there are as many or more.
    pub(crate) fn first_rows(self, rows: usize) -> Self {
        let Self { mut data, shape } = self;
        if shape.layout == Layout::ColumnMajor {
            for column in 1..shape.columns {
                let start = column * shape.rows;
                data.copy_within(start..start + rows, column * rows);
            }
        }
        data.truncate(rows * shape.columns);
        Self { data, shape: Shape { rows, ..shape } }
    }

    /// Entry (row, column).
    ///
    /// # Panics
    /// When the entry is outside the matrix.
    pub fn get(&self, row: usize, column: usize) -> E {
        self.data[self.shape.index(row, column)]
    }

    /// The entries of one row, from left to right.
    ///
    /// # Panics
    /// When the row is outside the matrix.
    pub fn row(&self, row: usize) -> Vec<E> {
        self.view().row(row)
    }
}

impl<E: Element> AsRef<[E]> for Matrix<E> {
    fn as_ref(&self) -> &[E] {
        &self.data
    }
}

impl<'a, E: Element> MatrixRef<'a, E> {
    /// A view of a slice; [`Error::BadShape`] unless it has `rows * columns` entries.
    pub fn new(data: &'a [E], shape: Shape) -> Result<Self, Error> {
        Ok(Self { shape: shape.check(data.len())?, data })
    }

    /// Rows, columns and layout.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The entries in memory order.
    pub fn as_slice(&self) -> &'a [E] {
        self.data
    }

    /// Entry (row, column), which is one of the matrix.
    pub(crate) fn get(&self, row: usize, column: usize) -> E {
        self.data[self.shape.index(row, column)]
    }

    /// The entries as elements of the base field.
    pub(crate) fn base(&self) -> &'a [E::Base] {
        E::base(self.data)
    }

    /// The entries of one row, from left to right.
    ///
    /// # Panics
    /// When the row is outside the matrix.
    pub fn row(&self, row: usize) -> Vec<E> {
        (0..self.shape.columns).map(|column| self.data[self.shape.index(row, column)]).collect()
    }

    /// The entries by their places, for backends.
    pub(crate) fn entries(&self) -> MatrixView<'a, E> {
        let Shape { rows, columns, .. } = self.shape;
        let (row_step, column_step) = self.shape.steps();
        MatrixView { elements: self.data, rows, columns, row_step, column_step }
    }
}

impl<'a, E: Element> MatrixMut<'a, E> {
    /// A view of a slice; [`Error::BadShape`] unless it has `rows * columns` entries.
    pub fn new(data: &'a mut [E], shape: Shape) -> Result<Self, Error> {
        Ok(Self { shape: shape.check(data.len())?, data })
    }

    /// Rows, columns and layout.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The same view, borrowed for a while.
    pub(crate) fn reborrow(&mut self) -> MatrixMut<'_, E> {
        MatrixMut { data: self.data, shape: self.shape }
    }

    /// The entries as elements of the base field.
    pub(crate) fn base(&mut self) -> &mut [E::Base] {
        E::base_mut(self.data)
    }
}

impl<E: Element> MatrixInput<'_, E> {
    /// Rows, columns and layout.
    pub fn shape(&self) -> Shape {
        self.view().shape
    }

    /// A borrowed view.
    pub fn view(&self) -> MatrixRef<'_, E> {
        match self {
            Self::Borrowed(view) => *view,
            Self::Owned(matrix) => matrix.view(),
        }
    }

    /// Whether operations have to copy it.
    pub(crate) fn is_borrowed(&self) -> bool {
        matches!(self, Self::Borrowed(_))
    }

    /// The entries, copied if they are borrowed.
    pub(crate) fn into_vec(self) -> Result<Vec<E>, Error> {
        match self {
            Self::Borrowed(view) => {
                let mut copy = E::zeros(view.data.len())?;
                crate::memory::copy(view.data, &mut copy);
                Ok(copy)
            }
            Self::Owned(matrix) => Ok(matrix.data),
        }
    }
}

impl<'a, E: Element> From<MatrixRef<'a, E>> for MatrixInput<'a, E> {
    fn from(view: MatrixRef<'a, E>) -> Self {
        Self::Borrowed(view)
    }
}

impl<'a, E: Element> From<&'a Matrix<E>> for MatrixInput<'a, E> {
    fn from(matrix: &'a Matrix<E>) -> Self {
        Self::Borrowed(matrix.view())
    }
}

impl<E: Element> From<Matrix<E>> for MatrixInput<'_, E> {
    fn from(matrix: Matrix<E>) -> Self {
        Self::Owned(matrix)
    }
}
