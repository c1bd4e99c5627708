//! The operation of a backend on row programs.

use super::Memory;
use crate::error::Error;
use crate::matrix::{MatrixRef, Shape};
use crate::program::{Program, ProgramRows};

/// Row programs over a field.
pub trait Programs<F>: Send + Sync {
    /// Runs a program on inputs that suit it, with its [constants](Program::constants): a column of `rows.count` elements for each output, one after
    /// another. Their contents are unspecified before.
    fn run_program(
        &self,
        program: &Program<F>,
        rows: ProgramRows,
        inputs: &[MatrixRef<'_, F>],
        constants: &[F],
        outputs: &mut [F],
    ) -> Result<(), Error>;
}

/// Row programs in a device's memory.
pub trait ResidentPrograms<F>: Send + Sync {
    /// The same, in new memory.
    fn run_program(
        &self,
        program: &Program<F>,
        rows: ProgramRows,
        inputs: &[(&Memory, Shape)],
        constants: &[F],
    ) -> Result<Memory, Error>;
}
