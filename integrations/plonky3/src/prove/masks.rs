//! What hides a trace: random rows, columns, polynomials and salts, drawn as the stock scheme draws them.
//!
//! # Mathematical description
//!
//! Between the n rows of a trace are n random ones, so that its columns are polynomials of degree below 2 n; beside them are some random columns, the codewords. The chunks of the
//! quotient, which are of degree below n, become q_i + v_i t_i, where v_i vanishes on the chunk's coset and the t_i are random but for their sum, which is zero. That leaves the quotient as it
//! is, because the normalising constants of the chunks' Lagrange selectors are equal: on cosets by a subgroup of order c they are products of (w^k - 1) for all roots of unity w^k of that
//! order but 1. A random polynomial is opened beside the others. Section 4.2 of <https://eprint.iacr.org/2024/1037>, and `p3_fri::HidingFriPcs`.

use p3_fri::{FriParameters, HidingFriProverError};
use p3_goldilocks::Goldilocks;
use p3_matrix::Matrix as _;
use p3_matrix::dense::RowMajorMatrix;
use rayon::prelude::*;
use zkaccel::field::{Field as _, Goldilocks as Element};
use zkaccel::matrix::{Layout, Matrix, MatrixRef, Shape};
use zkaccel::resident::Cosets;
use zkaccel::{Engine, Error};

use super::Builder;
use super::columns::reversed;
use crate::elements::{from_engine, matrix, to_engine};
use crate::randomness::{Random, lock};

/// The random numbers of a scheme that hides.
#[derive(Clone)]
pub(super) struct Masks {
    /// The number of random columns.
    pub(super) codewords: usize,
    /// Those of rows, columns and polynomials.
    pub(super) columns: Random,
    /// Those of rows that are committed to.
    pub(super) inputs: Salts,
    /// Those of FRI's layers.
    pub(super) layers: Salts,
}

/// Random elements behind each row that is hashed.
#[derive(Clone)]
pub(super) struct Salts {
    pub(super) count: usize,
    pub(super) rng: Random,
}

/// So many random matrices of this size, one drawn after another, side by side.
pub(super) fn side_by_side(
    rng: &Random,
    matrices: usize,
    rows: usize,
    columns: usize,
) -> Result<Matrix<Element>, Error> {
    let drawn = RowMajorMatrix::<Goldilocks>::rand(&mut &mut *lock(rng), matrices * rows, columns);
    let mut apart = vec![Element::ZERO; drawn.values.len()];
    for (i, row) in drawn.row_slices().enumerate() {
        let first = i / rows * columns * rows + i % rows;
        for (column, &value) in row.iter().enumerate() {
            apart[first + column * rows] = to_engine(value);
        }
    }
    Matrix::from_columns(apart, rows, matrices * columns)
}

impl Masks {
    /// The bounds of `p3_fri::HidingFriPcs`: a trace of so many rows hides what is opened of it.
    pub(super) fn check<M>(
        &self,
        fri: &FriParameters<M>,
        rows: usize,
        extension_degree: usize,
        num_opening_points: usize,
    ) -> Result<(), HidingFriProverError> {
        if self.codewords < extension_degree {
            let (required, got) = (extension_degree, self.codewords);
            return Err(HidingFriProverError::InsufficientRandomCodewords { required, got });
        }
        let num_queries = fri.num_queries;
        let required = num_queries.checked_add(extension_degree * num_opening_points);
        let required = required.and_then(|required| required.checked_mul(2));
        match required.ok_or(HidingFriProverError::BudgetOverflow)? > rows {
            true => Err(HidingFriProverError::HidingBudgetExceeded {
                mask_height: rows,
                num_queries,
                num_opening_points,
                extension_degree,
            }),
            false => Ok(()),
        }
    }

    /// A trace with a random row after each, and random columns.
    pub(super) fn hide(&self, trace: &RowMajorMatrix<Goldilocks>) -> RowMajorMatrix<Goldilocks> {
        let width = trace.width();
        let mut hidden = trace.with_random_cols(width + 2 * self.codewords, &mut *lock(&self.columns));
        hidden.width = width + self.codewords;
        hidden
    }

    /// A random polynomial over an extension of that degree, by its values in so many rows, and random columns.
    pub(super) fn polynomial(&self, rows: usize, degree: usize) -> Matrix<Element> {
        matrix(RowMajorMatrix::rand(&mut &mut *lock(&self.columns), rows, degree + self.codewords))
    }
}

impl Salts {
    /// Matrices of these widths, which are side by side in one, each with its salts behind it.
    pub(super) fn behind(
        &self,
        engine: &Engine,
        matrices: &Cosets<Element>,
        widths: &[usize],
    ) -> Result<Cosets<Element>, Error> {
        let rows = matrices.shape().rows;
        let salts = side_by_side(&self.rng, widths.len(), rows, self.count)?;
        let salts = match matrices.as_host() {
            Some(view) if view.shape().layout == Layout::RowMajor => {
                return Ok(engine.keep_in_host_memory(self.behind_rows(view, &salts, widths)?)?.into());
            }
            Some(_) => engine.keep_in_host_memory(salts)?.into(),
            None => matrices.upload_beside(salts)?,
        };
        let mut builder = Builder::new();
        let (mut first, mut first_salt) = (0, 0);
        for width in widths {
            for (input, first, count) in [(0, &mut first, *width), (1, &mut first_salt, self.count)] {
                for column in *first..*first + count {
                    let entry = builder.column(input, column, 0);
                    builder.output(entry);
                }
                *first += count;
            }
        }
        engine.run_program(&builder.finish()?, reversed(rows.ilog2() as usize), &[matrices, &salts], &[])
    }

    /// The same in host memory where rows lie one after another, and so are copied as they are.
    fn behind_rows(
        &self,
        matrices: MatrixRef<'_, Element>,
        salts: &Matrix<Element>,
        widths: &[usize],
    ) -> Result<Matrix<Element>, Error> {
        let Shape { rows, columns, .. } = matrices.shape();
        let all = columns + widths.len() * self.count;
        let mut salted = vec![Element::ZERO; rows * all];
        let salted_rows = salted.par_chunks_exact_mut(all).zip(matrices.as_slice().par_chunks_exact(columns));
        salted_rows.enumerate().for_each(|(row, (mut rest, mut entries))| {
            let mut salts = salts.as_slice()[row..].iter().step_by(rows);
            for &width in widths {
                let (head, others) = entries.split_at(width);
                let (matrix, behind) = rest.split_at_mut(width);
                matrix.copy_from_slice(head);
                let (behind, next) = behind.split_at_mut(self.count);
                behind.iter_mut().zip(&mut salts).for_each(|(place, &salt)| *place = salt);
                (entries, rest) = (others, next);
            }
        });
        Matrix::from_rows(salted, rows, all)
    }
}

/// A matrix as Plonky3 takes it, row by row whatever its layout.
pub(super) fn rows_of(matrix: MatrixRef<'_, Element>) -> RowMajorMatrix<Goldilocks> {
    let shape = matrix.shape();
    let rows = (0..shape.rows).flat_map(|row| matrix.row(row)).map(from_engine);
    RowMajorMatrix::new(rows.collect(), shape.columns)
}
