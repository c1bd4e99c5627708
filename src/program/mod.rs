//! Row programs: one straight-line program for every row of matrices.
//!
//! # Mathematical description
//!
//! A program computes, for every row i of a number n of rows, some outputs from entries of input matrices in the rows i + o s, where an offset o belongs
//! to the entry and the stride s to the run, by additions, subtractions and products. Rows are counted modulo n, as points of a coset are. What is the same
//! in every row is a constant of the program or a value of the run.
//!
//! This is the form of the constraints of a STARK over an extended trace: a column in the next row of the trace is an entry s rows further
//! on, with s the blow-up; selectors, inverses of vanishing polynomials and periodic columns are columns of further matrices; challenges and their powers are
//! values. The sum of constraints c_k by powers of a challenge, sum a^k c_k, is a [weighted sum](Builder::weighted_sum). So are quotients out of domain, and the
//! folding of FRI, of which a row holds the values that are folded into one.
//!
//! A program is over a base field. An element of an extension of degree d is d nodes, and d columns: a product with an element of the extension is made of products in the base field
//! by whoever records the program, who knows the extension.
//!
//! Equal nodes are one node, and operations on constants are done when they are recorded.
//!
//! ```
//! use zkaccel::{Engine, field::Goldilocks, matrix::Matrix, ntt::Order, program::{Builder, ProgramRows}};
//! // The differences between x^2 in a row and x in the next.
//! let mut program = Builder::<Goldilocks>::new();
//! let (x, next) = (program.column(0, 0, 0), program.column(0, 0, 1));
//! let square = program.mul(x, x);
//! let difference = program.sub(square, next);
//! program.output(difference);
//! let program = program.finish()?;
//! let trace = Matrix::from_column([2, 4, 16, 256].map(Goldilocks::new).to_vec())?;
//! let rows = ProgramRows { count: 4, stride: 1, order: Order::Natural };
//! let differences = Engine::new()?.run_program(&program, rows, &[&trace], &[])?;
//! assert_eq!(differences.as_slice(), [0, 0, 0, 65534].map(Goldilocks::new));
//! # Ok::<(), zkaccel::Error>(())
//! ```

mod batches;
mod builder;
mod code;
mod divide;
mod entries;
mod run;
mod slots;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

pub(crate) use batches::{Batches, Near, PART};
pub use builder::{Builder, Node};
pub(crate) use builder::{Expression, Output};
pub(crate) use code::{Access, Code, MAX_ACCESSES, MAX_MATRICES, Operand, Operation};
use divide::MAX_PIECES;
pub use run::ProgramInput;

use crate::backend::AcceleratedField;
use crate::error::Error;
use crate::matrix::Shape;
use crate::ntt::Order;

/// The most coordinates of a weighted sum.
pub const MAX_COORDINATES: usize = 5;

/// A recorded program. [`Engine::run_program`](crate::Engine::run_program) runs it.
#[derive(Clone, Debug)]
pub struct Program<F> {
    /// Each only of those before it.
    nodes: Vec<Expression>,
    constants: Vec<F>,
    outputs: Vec<Output>,
    /// What it asks of each input matrix: so many columns.
    columns: Vec<usize>,
    /// So many values are given for a run.
    values: usize,
    code: Code,
    /// The form for GPUs in 1, 2, 4, ... pieces, made when it is first asked for.
    batches: [OnceLock<Batches>; MAX_PIECES.ilog2() as usize + 1],
}

/// The rows of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramRows {
    /// Their number n, a power of two.
    pub count: usize,
    /// The number of rows that an offset of one stands for.
    pub stride: usize,
    /// The order of the rows of all inputs and of the result. An offset is in natural order.
    pub order: Order,
}

impl<F: AcceleratedField> Program<F> {
    /// The number of output columns.
    pub fn outputs(&self) -> usize {
        self.outputs.iter().map(Output::columns).sum()
    }

    /// For each input matrix the number of columns that it must have at least.
    pub fn inputs(&self) -> &[usize] {
        &self.columns
    }

    /// The number of values that a run must be given at least.
    pub fn values(&self) -> usize {
        self.values
    }

    /// The number of instructions for each row.
    pub fn instructions(&self) -> usize {
        self.code.instructions.len()
    }

    /// Whether it reads other rows than the one it is at.
    pub(crate) fn has_offsets(&self) -> bool {
        self.code.accesses.iter().any(|access| access.offset != 0)
    }

    /// Its nodes, outputs and constants, for the reference.
    pub(crate) fn graph(&self) -> (&[Expression], &[Output], &[F]) {
        (&self.nodes, &self.outputs, &self.constants)
    }

    /// Its form for machines.
    pub(crate) fn code(&self) -> &Code {
        &self.code
    }

    /// Its form for GPUs, in at most so many pieces, fewer where more would not pay.
    pub(crate) fn batches(&self, wanted: usize) -> &Batches {
        let Self { nodes, outputs, constants, code, .. } = self;
        let pieces = divide::worth(outputs, self.instructions(), wanted);
        self.batches[pieces.ilog2() as usize].get_or_init(|| {
            let near = Near::of::<F>();
            if pieces == 1 {
                return Batches::new(near, std::slice::from_ref(code));
            }
            let divided = divide::pieces::<F>(nodes, outputs, constants.len(), &code.accesses, pieces);
            // A piece has no access that the whole has not, and no more nodes in use at once than there are.
            divided.map_or_else(
                |_| Batches::new(near, std::slice::from_ref(code)),
                |pieces| Batches::new(near, &pieces),
            )
        })
    }

    /// What instructions find by constants' indices: the constants, and behind them the values of a run.
    pub(crate) fn constants(&self, values: &[F]) -> Vec<F> {
        [&self.constants, &values[..self.values]].concat()
    }

    /// An error unless rows, inputs of these shapes and so many values are those of a run: [`Error::NotPowerOfTwo`] and [`Error::LengthMismatch`], as of
    /// [`Engine::run_program`](crate::Engine::run_program).
    pub fn check(&self, rows: ProgramRows, inputs: &[Shape], values: usize) -> Result<(), Error> {
        let found = rows.count;
        if !found.is_power_of_two() {
            return Err(Error::NotPowerOfTwo { what: "rows of a run of a row program", found });
        }
        let (expected, found) = (self.columns.len(), inputs.len());
        if expected != found {
            return Err(Error::LengthMismatch { what: "input matrices of a row program", expected, found });
        }
        for (input, &expected) in inputs.iter().zip(&self.columns) {
            if input.columns < expected {
                let what = "columns of an input of a row program, at least";
                return Err(Error::LengthMismatch { what, expected, found: input.columns });
            }
            if !input.rows.is_power_of_two() {
                let what = "rows of an input of a row program";
                return Err(Error::NotPowerOfTwo { what, found: input.rows });
            }
        }
        match values < self.values {
            true => {
                let what = "values of a row program, at least";
                Err(Error::LengthMismatch { what, expected: self.values, found: values })
            }
            false => Ok(()),
        }
    }
}

impl ProgramRows {
    /// The row of an input of so many rows that is read with an offset where the run is at row `row`, in the order of both. An input of fewer
    /// rows than the run is repeated, and of one of more rows only every (rows / `count`)th is read, in natural order.
    pub(crate) fn row(self, row: usize, offset: i32, rows: usize) -> usize {
        let Self { count, stride, order } = self;
        let further = (offset as isize as usize).wrapping_mul(stride);
        let index = order.index_of(row, count).wrapping_add(further) & (count - 1);
        order.index_of(if rows < count { index & (rows - 1) } else { index * (rows / count) }, rows)
    }
}
