//! Prefix products of the columns of a matrix: the grand products of permutation and lookup arguments.
//!
//! In PLONK (Gabizon, Williamson and Ciobotaru, 2019, section 5) and its descendants a column z of a prover starts with 1, and each further entry is the one above it times a
//! quotient of that row. The quotients are a row program and [inverses](Engine::invert); z is their prefix products, and their product over all rows
//! is what the column would go on with: 1 where the argument holds, or the first value of the next column of a chain of them.

use crate::backend::AcceleratedField;
use crate::columns::Operand;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::job::Job;
use crate::matrix::{Matrix, MatrixInput, MatrixRef};
use crate::operation::Prefix;

/// A matrix whose prefix products are computed: a [`Matrix`], a reference to one or a [`MatrixRef`], in host memory; or a
/// [`DeviceMatrix`](crate::resident::DeviceMatrix) or a reference to one.
pub trait Scannable: Operand<Element: AcceleratedField> {
    /// The type of a matrix computed from this one.
    type Matrix: Send;

    /// [`Engine::prefix_products`].
    #[doc(hidden)]
    fn prefix_products_on(
        self,
        engine: &Engine,
        first: &[Self::Element],
    ) -> Result<(Self::Matrix, Vec<Self::Element>), Error>;
}

impl Engine {
    /// The prefix products of every column of a matrix, and the product of each column.
    ///
    /// Entry 0 of a column of the result is its value in `first`, and entry i is that times the entries 0 to i - 1 of the column, so that the last entry is in none of
    /// them; the product of all, the first value included, is in the vector, which has an element for each column. `first` has an element for each column, or
    /// none, which stands for ones. The result has the layout of the matrix, and is on the device if the matrix is.
    ///
    /// The matrix has any number of rows. Zeros need no care: what follows one is zero. [`Error::LengthMismatch`] for another number of first values,
    /// [`Error::NotCanonical`], and on the host [`Error::OverBudget`] and [`Error::HostOutOfMemory`]. For a [`DeviceMatrix`](crate::resident::DeviceMatrix) further errors are
    /// [`Error::WrongEngine`], [`Error::OverDeviceBudget`], [`Error::DeviceOutOfMemory`] and [`Error::DeviceFailed`].
    ///
    /// ```
    /// use zkaccel::{Engine, field::Goldilocks, matrix::Matrix};
    /// let column = Matrix::from_column([2, 3, 5, 7].map(Goldilocks::new).to_vec())?;
    /// let (products, all) = Engine::new()?.prefix_products(&column, &[])?;
    /// assert_eq!(products.as_slice(), [1, 2, 6, 30].map(Goldilocks::new));
    /// assert_eq!(all, [Goldilocks::new(210)]);
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn prefix_products<M: Scannable>(
        &self,
        matrix: M,
        first: &[M::Element],
    ) -> Result<(M::Matrix, Vec<M::Element>), Error> {
        matrix.prefix_products_on(self, first)
    }

    /// [`prefix_products`](Self::prefix_products) as a job.
    pub fn prefix_products_async<M: Scannable + Send + 'static>(
        &self,
        matrix: M,
        first: Vec<M::Element>,
    ) -> Job<(M::Matrix, Vec<M::Element>)> {
        self.spawn(move |engine| engine.prefix_products(matrix, &first))
    }

    /// What is carried into each column: checked first values, or ones.
    pub(crate) fn first_values<F: AcceleratedField>(
        &self,
        columns: usize,
        first: &[F],
    ) -> Result<Vec<F>, Error> {
        if first.is_empty() {
            return Ok(vec![F::ONE; columns]);
        }
        if first.len() != columns {
            let what = "first values, one for each column or none";
            return Err(Error::LengthMismatch { what, expected: columns, found: first.len() });
        }
        self.check_elements(first)?;
        Ok(first.to_vec())
    }

    /// The prefix products of checked elements.
    pub(crate) fn scanned<F: AcceleratedField>(
        &self,
        matrix: MatrixRef<'_, F>,
        mut carry: Vec<F>,
    ) -> Result<(Matrix<F>, Vec<F>), Error> {
        let shape = matrix.shape();
        self.check_budget(memory_of::<F>(shape.rows, shape.columns))?;
        let mut products = F::zeros(matrix.as_slice().len())?;
        let (input, width) = (matrix.as_slice(), shape.block_width::<F>());
        self.perform(Prefix { input, width, products: &mut products, carry: &mut carry })?;
        Ok((Matrix::new(products, shape)?, carry))
    }
}

macro_rules! in_host_memory {
    ($($matrix:ty),*) => {$(
        impl<F: AcceleratedField> Scannable for $matrix {
            type Matrix = Matrix<F>;

            fn prefix_products_on(self, engine: &Engine, first: &[F]) -> Result<(Matrix<F>, Vec<F>), Error> {
                let matrix = MatrixInput::from(self);
                let carry = engine.first_values(matrix.shape().columns, first)?;
                engine.check_elements(matrix.view().as_slice())?;
                engine.scanned(matrix.view(), carry)
            }
        }
    )*};
}
in_host_memory!(Matrix<F>, &Matrix<F>, MatrixRef<'_, F>);
