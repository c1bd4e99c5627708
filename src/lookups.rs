//! The permuted columns of lookup arguments.
//!
//! In halo2's lookup argument (the [halo2 book](https://zcash.github.io/halo2/design/proving-system/lookup.html), after Plookup by Gabizon and Williamson, 2020) a prover shows that all values of a column A are
//! among those of a column S by permuting both: A' has equal values side by side, and the first of each run of them has its like beside it in S'. That every row of A' is equal to the row above or to the one
//! beside it is a constraint, and that A' and S' are permutations of A and S is a [grand product](crate::prefix).

use crate::backend::AcceleratedField;
use crate::columns::Operand;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::job::Job;
use crate::matrix::{Matrix, MatrixInput, MatrixRef, Shape};
use crate::operation::PermuteLookups;

/// A matrix with the columns of lookups: a [`Matrix`], a reference to one or a [`MatrixRef`], in host memory; or a
/// [`DeviceMatrix`](crate::resident::DeviceMatrix) or a reference to one.
pub trait LookupColumns: Operand<Element: AcceleratedField> {
    /// The type of a matrix computed from this one.
    type Matrix: Send;

    /// [`Engine::permute_lookups`].
    #[doc(hidden)]
    fn permute_lookups_on(self, engine: &Engine, rows: usize) -> Result<Self::Matrix, Error>;
}

impl Engine {
    /// The permuted inputs and tables of lookups.
    ///
    /// Columns 2j and 2j + 1 of the matrix are the input and the table of lookup j, and those of the result the permuted ones. Only the first `rows` rows are permuted; those below, where provers
    /// have random values, are copied. The order is one: groups of equal inputs come in the order in which their values first stand in the table, and the rows of the table that are beside no first
    /// input of a group fill the rows beside the others in their order. The result has the layout of the matrix, and is on the device if the matrix is.
    ///
    /// [`Error::NotInTable`] for an input that its table lacks: of the first lookup that has one, the first row. [`Error::LengthMismatch`] for an odd number of columns, for more rows than the matrix has, and for
    /// more than 2^32 - 2; [`Error::NotCanonical`], and on the host [`Error::OverBudget`] and [`Error::HostOutOfMemory`]. For a [`DeviceMatrix`](crate::resident::DeviceMatrix) further errors
    /// are [`Error::WrongEngine`], [`Error::OverDeviceBudget`], [`Error::DeviceOutOfMemory`] and [`Error::DeviceFailed`].
    ///
    /// ```
    /// use zkaccel::{Engine, field::Goldilocks, matrix::Matrix};
    /// // Inputs 5 5 2 5 in a table 2 3 4 5.
    /// let columns = Matrix::from_columns([5, 5, 2, 5, 2, 3, 4, 5].map(Goldilocks::new).to_vec(), 4, 2)?;
    /// let permuted = Engine::new()?.permute_lookups(&columns, 4)?;
    /// assert_eq!(permuted.as_slice(), [2, 5, 5, 5, 2, 5, 3, 4].map(Goldilocks::new));
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn permute_lookups<M: LookupColumns>(&self, matrix: M, rows: usize) -> Result<M::Matrix, Error> {
        matrix.permute_lookups_on(self, rows)
    }

    /// [`permute_lookups`](Self::permute_lookups) as a job.
    pub fn permute_lookups_async<M: LookupColumns + Send + 'static>(
        &self,
        matrix: M,
        rows: usize,
    ) -> Job<M::Matrix> {
        self.spawn(move |engine| engine.permute_lookups(matrix, rows))
    }

    /// The permuted columns of a matrix in host memory, of words and a shape that were checked.
    pub(crate) fn permuted<F: AcceleratedField>(
        &self,
        matrix: MatrixRef<'_, F>,
        used: usize,
    ) -> Result<Matrix<F>, Error> {
        let shape = matrix.shape();
        self.check_budget(memory_of::<F>(shape.rows, shape.columns))?;
        let mut permuted = F::zeros(matrix.as_slice().len())?;
        self.perform(PermuteLookups { matrix: matrix.entries(), used, permuted: &mut permuted })?;
        Matrix::new(permuted, shape)
    }
}

/// Errors for a shape that is none of lookups of so many rows.
pub(crate) fn check_lookups(shape: Shape, used: usize) -> Result<(), Error> {
    if shape.columns % 2 == 1 {
        let what = "columns, an input and a table for each lookup";
        return Err(Error::LengthMismatch { what, expected: shape.columns + 1, found: shape.columns });
    }
    let expected = shape.rows.min(u32::MAX as usize - 1);
    if used > expected {
        return Err(Error::LengthMismatch { what: "rows of lookups, at most", expected, found: used });
    }
    Ok(())
}

macro_rules! in_host_memory {
    ($($matrix:ty),*) => {$(
        impl<F: AcceleratedField> LookupColumns for $matrix {
            type Matrix = Matrix<F>;

            fn permute_lookups_on(self, engine: &Engine, rows: usize) -> Result<Matrix<F>, Error> {
                let matrix = MatrixInput::from(self);
                check_lookups(matrix.shape(), rows)?;
                engine.check_elements(matrix.view().as_slice())?;
                engine.permuted(matrix.view(), rows)
            }
        }
    )*};
}
in_host_memory!(Matrix<F>, &Matrix<F>, MatrixRef<'_, F>);
