//! Matrices whose rows several matrices hold in turn, each on a device of its own.

use super::DeviceMatrix;
use crate::error::Error;
use crate::matrix::{Element, Matrix, MatrixRef, Shape};
use crate::merkle::check_index;
use crate::ntt::Order;
use crate::parallel;

/// A matrix in parts: of P parts, part k holds rows k, k + P, k + 2P, ... of the matrix if its rows are in natural order, and the k-th of P runs of rows if they are in bit-reversed order. All parts have
/// the same shape. In either order, the rows of an extension that are in one part are the values on a coset, whence the name. Clones share the entries.
///
/// An engine of several devices commits to a trace like this, if all of it together is expected to end earlier; a matrix of one part is whole.
#[derive(Clone, Debug)]
pub struct Cosets<E> {
    parts: Vec<DeviceMatrix<E>>,
    order: Order,
}

impl<E: Element> From<DeviceMatrix<E>> for Cosets<E> {
    fn from(matrix: DeviceMatrix<E>) -> Self {
        Self { parts: vec![matrix], order: Order::Natural }
    }
}

impl<E: Element> Cosets<E> {
    /// A matrix of parts of one shape, in the order of their first rows; there is at least one.
    pub(crate) fn of(parts: Vec<DeviceMatrix<E>>, order: Order) -> Self {
        Self { parts, order }
    }

    /// The order of the rows, which says what parts have; for a matrix that is whole it says nothing.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The parts, in the order of their first rows.
    pub fn parts(&self) -> &[DeviceMatrix<E>] {
        &self.parts
    }

    /// The parts of a matrix that is needed no more.
    pub fn into_parts(self) -> Vec<DeviceMatrix<E>> {
        self.parts
    }

    /// Parts that have the first rows, and perhaps further ones where one part has enough: no entry is copied. In bit-reversed order these rows of an extension are its values on a smaller coset.
    ///
    /// [`Error::LengthMismatch`] for more rows than there are, for none, and unless they are those of whole parts or of one; in natural order every part has some of them.
    pub fn first_rows(&self, rows: usize) -> Result<Self, Error> {
        let (all, of_part) = (self.shape().rows, self.parts[0].shape().rows);
        let count = rows.div_ceil(of_part);
        let whole_parts = match self.order {
            _ if self.parts.len() == 1 => true,
            Order::Natural => rows == all,
            Order::BitReversed => count == 1 || rows == count * of_part,
        };
        match whole_parts && (1..=all).contains(&rows) {
            true => Ok(Self { parts: self.parts[..count].to_vec(), order: self.order }),
            false => {
                let what = "first rows of a matrix in parts, all of one or of several";
                Err(Error::LengthMismatch {
                    what,
                    expected: count.clamp(1, self.parts.len()) * of_part,
                    found: rows,
                })
            }
        }
    }

    /// Parts that have the values of an extension on the coset of so many points with the same first point, and perhaps further rows where one part has enough: no entry is copied. In bit-reversed order
    /// these are the [first rows](Self::first_rows), in natural order every second one, every fourth and so on.
    ///
    /// [`Error::LengthMismatch`] unless there are as many rows, or more by a power of two.
    pub fn smaller_coset(&self, rows: usize) -> Result<Self, Error> {
        let all = self.shape().rows;
        let step = all / rows.max(1);
        if rows == 0 || !step.is_power_of_two() || step * rows != all {
            let what = "rows of a matrix in parts on a smaller coset, fewer by a power of two";
            let expected = all >> step.max(1).ilog2();
            return Err(Error::LengthMismatch { what, expected, found: rows });
        }
        match self.order {
            Order::Natural => {
                let parts = self.parts.iter().step_by(step).cloned().collect();
                Ok(Self { parts, order: self.order })
            }
            Order::BitReversed => self.first_rows(rows),
        }
    }

    /// The matrix, if it is whole.
    pub fn whole(&self) -> Option<&DeviceMatrix<E>> {
        match &self.parts[..] {
            [whole] => Some(whole),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(super) fn whole_mut(&mut self) -> Option<&mut DeviceMatrix<E>> {
        match &mut self.parts[..] {
            [whole] => Some(whole),
            _ => None,
        }
    }

    /// Rows, columns and layout of all of it.
    pub fn shape(&self) -> Shape {
        let part = self.parts[0].shape();
        Shape { rows: part.rows * self.parts.len(), ..part }
    }

    /// The entries, if the matrix is whole and in host memory.
    pub fn as_host(&self) -> Option<MatrixRef<'_, E>> {
        self.whole()?.as_host()
    }

    /// A matrix of what a function makes of each part and its number, all parts at once: rows that are in the same order, as many of each. For operations that a device does by itself with the rows that
    /// it has.
    ///
    /// [`Error::LengthMismatch`] and [`Error::NotRowMajor`] unless all results have one shape, [`Error::WrongEngine`] if another engine made one, and the function's errors.
    pub fn map_parts<R: Element>(
        &self,
        work: impl Fn(usize, &DeviceMatrix<E>) -> Result<DeviceMatrix<R>, Error> + Sync,
    ) -> Result<Cosets<R>, Error> {
        let made = self.made(work)?;
        let Shape { rows, columns, layout } = made.parts[0].shape;
        for part in &made.parts {
            self.parts[0].engine.check_ours(part)?;
            for (what, expected, found) in [
                ("rows of a part, those of the first", rows, part.shape.rows),
                ("columns of a part, those of the first", columns, part.shape.columns),
            ] {
                if expected != found {
                    return Err(Error::LengthMismatch { what, expected, found });
                }
            }
            if columns > 1 && layout != part.shape.layout {
                return Err(Error::NotRowMajor { columns });
            }
        }
        Ok(made)
    }

    /// The part that has a row, and its number there.
    fn place(&self, row: usize) -> (usize, usize) {
        match self.order {
            Order::Natural => (row % self.parts.len(), row / self.parts.len()),
            Order::BitReversed => (row / self.parts[0].shape().rows, row % self.parts[0].shape().rows),
        }
    }

    /// Where the row of a part is in the matrix, if there may be several columns one after another: by rows of blocks, the first of every column and so on.
    pub(super) fn place_in_whole(&self, part: usize, row: usize, rows: usize) -> usize {
        let count = self.parts.len();
        match self.order {
            Order::Natural => row * count + part,
            Order::BitReversed => (row / rows * count + part) * rows + row % rows,
        }
    }

    /// The entries of some rows, as [`DeviceMatrix::read_rows`].
    pub fn read_rows(&self, rows: &[usize]) -> Result<Vec<Vec<E>>, Error> {
        let all = self.shape().rows;
        rows.iter().try_for_each(|&row| check_index(row, all))?;
        let mut read = vec![Vec::new(); rows.len()];
        for (k, part) in self.parts.iter().enumerate() {
            let wanted: Vec<usize> = (0..rows.len()).filter(|&i| self.place(rows[i]).0 == k).collect();
            if wanted.is_empty() {
                continue;
            }
            let own: Vec<usize> = wanted.iter().map(|&i| self.place(rows[i]).1).collect();
            wanted.into_iter().zip(part.read_rows(&own)?).for_each(|(i, row)| read[i] = row);
        }
        Ok(read)
    }

    /// A copy in host memory, as [`Engine::download`](crate::Engine::download).
    pub fn download(&self) -> Result<Matrix<E>, Error> {
        if let Some(whole) = self.whole() {
            return whole.download();
        }
        let parts = self.parts.iter().map(DeviceMatrix::download).collect::<Result<Vec<_>, _>>()?;
        let (shape, rows) = (self.shape(), self.parts[0].shape().rows);
        let mut entries = E::zeros(shape.rows * shape.columns)?;
        let width = shape.block_width::<E>() / E::WIDTH;
        let parts: Vec<&[E]> = parts.iter().map(Matrix::as_slice).collect();
        self.join(rows, width, &parts, &mut entries);
        Matrix::new(entries, shape)
    }

    /// Puts what there is of each part's rows, so many entries for each of so many rows and further columns, in the places of the whole.
    pub(super) fn join<T: Copy + Send + Sync>(
        &self,
        rows: usize,
        width: usize,
        parts: &[&[T]],
        whole: &mut [T],
    ) {
        match self.order {
            // A row of every part in turn.
            Order::Natural => parallel::for_each_chunk(whole, parts.len() * width, |turn, whole| {
                for (part, to) in parts.iter().zip(whole.chunks_exact_mut(width)) {
                    to.copy_from_slice(&part[turn * width..][..width]);
                }
            }),
            // All rows of a column of every part in turn.
            Order::BitReversed => parallel::for_each_chunk(whole, rows * width, |turn, whole| {
                let (part, column) = (parts[turn % parts.len()], turn / parts.len());
                whole.copy_from_slice(&part[column * rows * width..][..rows * width]);
            }),
        }
    }
}
