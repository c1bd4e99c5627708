//! Matrices whose rows several matrices hold in turn, each on a device of its own.

use super::DeviceMatrix;
use crate::error::Error;
use crate::matrix::{Element, Matrix, MatrixRef, Shape};
use crate::merkle::check_index;
use crate::parallel;

/// A matrix in parts: of P parts, part k holds rows k, k + P, k + 2P, ... of the matrix. All parts have the same shape. The rows of an extension that are in one part
/// are the values on a coset, whence the name. Clones share the entries.
///
/// An engine of several devices commits to a trace like this, if all of it together is expected to end earlier; a matrix of one part is whole.
#[derive(Clone, Debug)]
pub struct Cosets<E> {
    parts: Vec<DeviceMatrix<E>>,
}

impl<E: Element> From<DeviceMatrix<E>> for Cosets<E> {
    fn from(matrix: DeviceMatrix<E>) -> Self {
        Self { parts: vec![matrix] }
    }
}

impl<E: Element> Cosets<E> {
    /// A matrix of parts of one shape, in the order of their first rows; there is at least one.
    pub(crate) fn of(parts: Vec<DeviceMatrix<E>>) -> Self {
        Self { parts }
    }

    /// The parts, in the order of their first rows.
    pub fn parts(&self) -> &[DeviceMatrix<E>] {
        &self.parts
    }

    /// The matrix, if it is whole.
    pub fn whole(&self) -> Option<&DeviceMatrix<E>> {
        match &self.parts[..] {
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

    /// The entries of some rows, as [`DeviceMatrix::read_rows`].
    pub fn read_rows(&self, rows: &[usize]) -> Result<Vec<Vec<E>>, Error> {
        let (count, all) = (self.parts.len(), self.shape().rows);
        rows.iter().try_for_each(|&row| check_index(row, all))?;
        let mut read = vec![Vec::new(); rows.len()];
        for (k, part) in self.parts.iter().enumerate() {
            let wanted: Vec<usize> = (0..rows.len()).filter(|&i| rows[i] % count == k).collect();
            if wanted.is_empty() {
                continue;
            }
            let own: Vec<usize> = wanted.iter().map(|&i| rows[i] / count).collect();
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
        let (shape, count) = (self.shape(), parts.len());
        let mut entries = E::zeros(shape.rows * shape.columns)?;
        let width = shape.block_width::<E>() / E::WIDTH;
        // A row of a block, of every coset in turn.
        parallel::for_each_chunk(&mut entries, count * width, |turn, entries| {
            for (part, row) in parts.iter().zip(entries.chunks_exact_mut(width)) {
                row.copy_from_slice(&part.as_slice()[turn * width..(turn + 1) * width]);
            }
        });
        Matrix::new(entries, shape)
    }
}
