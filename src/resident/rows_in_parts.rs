//! Operations on the rows of matrices in parts, all devices at once, each on the rows that it has.
//!
//! Of P parts, each has the rows k, k + P, k + 2P, ... for some k, numbered in natural order. So a row at a distance of s rows, as the next row of a trace is in its extension by s, is in the same part if P divides
//! s: there it is s / P rows away. The same holds for the partner of a row in folding, half of all rows away. In bit-reversed order part k has a run of rows, those with the number of k with its bits
//! reversed, and the leaves of a subtree are its own rows.

use std::panic::resume_unwind;

use super::{Cosets, DeviceMatrix, DeviceTree};
use crate::backend::{Accelerated, AcceleratedField};
use crate::columns::sealed::Sealed;
use crate::columns::{Operand, Rows};
use crate::combinations::{Combinable, checked_rows};
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::field::Field;
use crate::matrix::{Element, Matrix, MatrixInput, Shape};
use crate::memory;
use crate::merkle::check_leaf_count;
use crate::ntt::Order;
use crate::parallel;
use crate::program::{Program, ProgramInput, ProgramRows};
use crate::sync::thread;

impl<E: Element> Cosets<E> {
    /// Does something with every part, on a thread for each, since one that asks a device for something waits for it.
    pub(super) fn each<R: Send>(
        &self,
        work: impl Fn(usize, &DeviceMatrix<E>) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        let (first, others) = self.parts().split_first().expect("there is a part");
        thread::scope(|scope| {
            let work = &work;
            let others = others.iter().enumerate().map(|(i, part)| scope.spawn(move || work(i + 1, part)));
            let others: Vec<_> = others.collect();
            let mut done = vec![work(0, first)];
            done.extend(
                others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic))),
            );
            done.into_iter().collect()
        })
    }

    /// The same as a matrix of such parts.
    pub(super) fn made<R: Element>(
        &self,
        work: impl Fn(usize, &DeviceMatrix<E>) -> Result<DeviceMatrix<R>, Error> + Sync,
    ) -> Result<Cosets<R>, Error> {
        Ok(Cosets::of(self.each(work)?, self.order()))
    }

    /// How many of so many rows each part has; [`Error::LengthMismatch`] if that is not the same for all, or none.
    fn rows_of_part(&self, what: &'static str, rows: usize) -> Result<usize, Error> {
        let parts = self.parts().len();
        match rows > 0 && rows.is_multiple_of(parts) {
            true => Ok(rows / parts),
            false => {
                let expected = rows.div_ceil(parts).max(1).saturating_mul(parts);
                Err(Error::LengthMismatch { what, expected, found: rows })
            }
        }
    }

    /// [`Error::LengthMismatch`] unless another matrix has as many parts, [`Error::OtherOrder`] unless its rows are in the same order, too.
    fn check_parts<R: Element>(&self, other: &Cosets<R>) -> Result<(), Error> {
        let (expected, found) = (self.parts().len(), other.parts().len());
        match expected == found {
            true => self.check_order(other.order()),
            false => Err(Error::LengthMismatch {
                what: "parts of a matrix, as many as another has",
                expected,
                found,
            }),
        }
    }

    /// [`Error::OtherOrder`] unless parts have rows as they are in an order.
    pub(super) fn check_order(&self, found: Order) -> Result<(), Error> {
        match self.parts().len() == 1 || found == self.order() {
            true => Ok(()),
            false => Err(Error::OtherOrder { expected: self.order(), found }),
        }
    }

    /// Copies a matrix, whose rows are in the same order, to where the parts of this one are, as many parts of it: for operations on rows of both.
    ///
    /// [`Error::LengthMismatch`] unless its rows are a multiple of the number of parts; further errors as [`Engine::upload`].
    pub fn upload_beside<'a, R: Element>(
        &self,
        matrix: impl Into<MatrixInput<'a, R>>,
    ) -> Result<Cosets<R>, Error> {
        let engine = &self.parts()[0].engine;
        let matrix = engine.with_columns_apart(matrix.into())?;
        let (view, shape) = (matrix.view(), matrix.shape());
        let rows = self.rows_of_part("rows of a matrix in parts, a multiple of their number", shape.rows)?;
        engine.check_elements(view.base())?;
        engine.check_budget(memory_of::<R>(shape.rows, shape.columns))?;
        let (shape, width) = (Shape { rows, ..shape }, shape.block_width::<R>() / R::WIDTH);
        self.made(|k, part| {
            let mut own = R::zeros(rows * shape.columns)?;
            engine.run(|| {
                parallel::for_each_chunk(&mut own, width, |row, entries| {
                    let from = self.place_in_whole(k, row, rows) * width;
                    entries.copy_from_slice(&view.as_slice()[from..][..width]);
                });
            });
            engine.kept_beside(part, Matrix::new(own, shape)?.into())
        })
    }
}

impl<E: Element> Sealed for &Cosets<E> {}

impl<E: Element> Operand for &Cosets<E> {
    type Element = E;
}

impl<E: Element> Sealed for Cosets<E> {}

impl<E: Element> Operand for Cosets<E> {
    type Element = E;
}

impl<F: Field> Rows for &Cosets<F> {
    type Tree<H: Accelerated> = DeviceTree<H>;

    fn hash_rows_on<H: Accelerated>(self, engine: &Engine) -> Result<Vec<H::Digest>, Error> {
        if let Some(whole) = self.whole() {
            return engine.hash_rows::<H, _>(whole);
        }
        let rows = self.shape().rows;
        engine.check_budget(memory_of::<H::Digest>(rows, 2))?;
        let parts = self.each(|_, part| engine.hash_rows::<H, _>(part))?;
        let mut digests = memory::zeroed::<H::Digest>(rows)?;
        let parts: Vec<&[H::Digest]> = parts.iter().map(Vec::as_slice).collect();
        engine.run(|| self.join(parts[0].len(), 1, &parts, &mut digests));
        Ok(digests)
    }

    fn tree_on<H: Accelerated>(self, engine: &Engine) -> Result<DeviceTree<H>, Error> {
        if let Some(whole) = self.whole() {
            return engine.merkle_tree_of_rows(whole);
        }
        self.parts().iter().try_for_each(|part| engine.check_ours(part))?;
        check_leaf_count(self.shape().rows)?;
        if self.order() == Order::BitReversed {
            let subtrees = self.each(|_, part| engine.merkle_tree_of_rows::<H, _>(part))?;
            return Ok(DeviceTree::of_subtrees(engine, subtrees));
        }
        match engine.tree_of_cosets(self)? {
            Some(tree) => Ok(tree),
            None => {
                let leaves = engine.hash_rows::<H, _>(self)?;
                Ok(DeviceTree::on_host(engine, engine.merkle_tree::<H>(&leaves)?))
            }
        }
    }
}

impl<F: AcceleratedField> Combinable for &Cosets<F> {
    type Matrix = Cosets<F>;

    fn combine_columns_on(
        self,
        engine: &Engine,
        rows: Option<usize>,
        coefficients: &Matrix<F>,
    ) -> Result<Cosets<F>, Error> {
        let Some(rows) = rows.filter(|_| self.parts().len() > 1) else {
            return self.made(|_, part| part.combine_columns_on(engine, rows, coefficients));
        };
        let all = checked_rows(self.shape(), Some(rows))?;
        match self.order() {
            Order::Natural => {
                let rows =
                    self.rows_of_part("rows that are combined, a multiple of the number of parts", all)?;
                self.made(|_, part| part.combine_columns_on(engine, Some(rows), coefficients))
            }
            Order::BitReversed => {
                let (first, rows) = (self.first_rows(all)?, all.min(self.parts()[0].shape.rows));
                first.made(|_, part| part.combine_columns_on(engine, Some(rows), coefficients))
            }
        }
    }

    fn combine_rows_on(self, engine: &Engine, weights: Self) -> Result<Matrix<F>, Error> {
        let matrix = match self.order() {
            Order::Natural => self,
            Order::BitReversed => &self.first_rows(weights.shape().rows)?,
        };
        matrix.check_parts(weights)?;
        let sums = matrix.each(|k, part| part.combine_rows_on(engine, &weights.parts()[k]))?;
        let sum = |mut sum: Matrix<F>, more: Matrix<F>| {
            let terms = sum.as_mut_slice().iter_mut().zip(more.as_slice());
            terms.for_each(|(sum, &more)| *sum = *sum + more);
            sum
        };
        Ok(sums.into_iter().reduce(sum).expect("there is a part"))
    }
}

impl<F: AcceleratedField> ProgramInput for Cosets<F> {
    fn run_on(
        engine: &Engine,
        program: &Program<F>,
        rows: ProgramRows,
        inputs: &[&Self],
        values: &[F],
    ) -> Result<Self, Error> {
        let shapes: Vec<Shape> = inputs.iter().map(|input| input.shape()).collect();
        program.check(rows, &shapes, values.len())?;
        // In bit-reversed order the rows that are read of a larger input are the first ones.
        let first_rows = |input: &&Self| match (input.order(), rows.order) {
            (Order::BitReversed, Order::BitReversed) if input.shape().rows > rows.count => {
                input.first_rows(rows.count)
            }
            _ => Ok((*input).clone()),
        };
        let inputs = inputs.iter().map(first_rows).collect::<Result<Vec<_>, _>>()?;
        let Some(first) = inputs.first() else {
            let what = "input matrices of a row program on matrices in parts, at least";
            return Err(Error::LengthMismatch { what, expected: 1, found: 0 });
        };
        inputs.iter().try_for_each(|input| first.check_parts(input))?;
        let shapes: Vec<Shape> = inputs.iter().map(Self::shape).collect();
        let rows = first.rows_in_part(rows, program.has_offsets(), &shapes)?;
        first.made(|k, _| {
            let parts: Vec<_> = inputs.iter().map(|input| &input.parts()[k]).collect();
            engine.run_program(program, rows, &parts, values)
        })
    }
}

impl<E: Element> Cosets<E> {
    /// The rows of a run in each part, of a program with or without offsets on inputs of these shapes.
    fn rows_in_part(&self, rows: ProgramRows, offsets: bool, inputs: &[Shape]) -> Result<ProgramRows, Error> {
        let parts = self.parts().len();
        if parts == 1 {
            return Ok(rows);
        }
        let count =
            self.rows_of_part("rows of a run on matrices in parts, a multiple of their number", rows.count)?;
        for input in inputs {
            self.rows_of_part("rows of an input in parts, a multiple of their number", input.rows)?;
            if input.rows > rows.count {
                let what = "rows of an input in parts, at most those of the run";
                return Err(Error::LengthMismatch { what, expected: rows.count, found: input.rows });
            }
        }
        // Otherwise each row is by itself, in whatever order.
        if offsets || inputs.iter().any(|input| input.rows < rows.count) {
            self.check_order(rows.order)?;
        }
        let what = "rows that an offset of one stands for, a multiple of the number of parts";
        let stride = match offsets {
            true => self.rows_of_part(what, rows.stride)?,
            false => 1,
        };
        Ok(ProgramRows { count, stride, ..rows })
    }
}
