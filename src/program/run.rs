//! The engine's method: programs on matrices in host memory, and on those that stay.

use super::{Program, ProgramRows};
use crate::backend::AcceleratedField;
use crate::columns::Operand;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::matrix::{Layout, Matrix, MatrixRef, Shape};
use crate::operation::Run;

/// A matrix that a row program reads: a [`Matrix`], or a [`DeviceMatrix`](crate::resident::DeviceMatrix).
pub trait ProgramInput: Operand<Element: AcceleratedField> + Sized {
    /// [`Engine::run_program`].
    #[doc(hidden)]
    fn run_on(
        engine: &Engine,
        program: &Program<Self::Element>,
        rows: ProgramRows,
        inputs: &[&Self],
        values: &[Self::Element],
    ) -> Result<Self, Error>;
}

impl Engine {
    /// Runs a row program on input matrices, with values that are the same for all rows. The result has `rows.count` rows and a column for each output of the program, one after
    /// another.
    ///
    /// All inputs have their rows in the order that `rows` says, and so has the result. An input with fewer rows is repeated; of one with more rows only every (rows / `rows.count`)th is
    /// read, in natural order, which in bit-reversed order are the first. [`Error::NotPowerOfTwo`] for numbers of rows that are none, [`Error::LengthMismatch`] for other inputs than the program's,
    /// for too few columns or values, [`Error::NotCanonical`]; [`Error::OverBudget`] and [`Error::HostOutOfMemory`] for a result in host memory.
    ///
    /// Inputs in host memory are copied to a device with memory of its own, in parts of the rows where inputs, result and what the device needs beside them exceed its budget. So are all where
    /// one is in host memory. Inputs that stay on a device are all on the same, else [`Error::Unsupported`]; the result stays there, too, and a program on them is run at once. Further errors are
    /// [`Error::WrongEngine`], [`Error::OverDeviceBudget`], [`Error::DeviceOutOfMemory`] and [`Error::DeviceFailed`].
    pub fn run_program<M: ProgramInput>(
        &self,
        program: &Program<M::Element>,
        rows: ProgramRows,
        inputs: &[&M],
        values: &[M::Element],
    ) -> Result<M, Error> {
        M::run_on(self, program, rows, inputs, values)
    }

    /// The same on checked elements in host memory.
    pub(crate) fn run_in_host_memory<F: AcceleratedField>(
        &self,
        program: &Program<F>,
        rows: ProgramRows,
        inputs: &[MatrixRef<'_, F>],
        values: &[F],
    ) -> Result<Matrix<F>, Error> {
        let shapes: Vec<Shape> = inputs.iter().map(MatrixRef::shape).collect();
        program.check(rows, &shapes, values.len())?;
        let shape = Shape { rows: rows.count, columns: program.outputs(), layout: Layout::ColumnMajor };
        self.check_budget(memory_of::<F>(shape.rows, shape.columns))?;
        let mut outputs = F::zeros(shape.rows.saturating_mul(shape.columns))?;
        let constants = program.constants(values);
        self.perform(Run { program, rows, inputs, constants: &constants, outputs: &mut outputs })?;
        Matrix::new(outputs, shape)
    }
}

impl<F: AcceleratedField> ProgramInput for Matrix<F> {
    fn run_on(
        engine: &Engine,
        program: &Program<F>,
        rows: ProgramRows,
        inputs: &[&Self],
        values: &[F],
    ) -> Result<Self, Error> {
        let views: Vec<_> = inputs.iter().map(|input| input.view()).collect();
        views
            .iter()
            .map(MatrixRef::as_slice)
            .chain([values])
            .try_for_each(|all| engine.check_elements(all))?;
        engine.run_in_host_memory(program, rows, &views, values)
    }
}
