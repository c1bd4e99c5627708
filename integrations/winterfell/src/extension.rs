//! The low-degree extension of a matrix of words and the Merkle tree over its rows.
//!
//! On a device with memory of its own, the matrix is uploaded once and stays there until the extension and the tree are downloaded. Where the
//! device has no room for that, and where the host is the device, the same is done by operations on host data, which the engine divides into
//! parts that fit; the results are equal.

use rayon::prelude::*;
use zkaccel::field::Goldilocks;
use zkaccel::matrix::{Matrix, MatrixRef, Shape};
use zkaccel::merkle::MerkleTree;
use zkaccel::ntt::{Domain, Lde, Ntt};
use zkaccel::{Engine, Error};

use crate::hashes::{Accelerated, DigestOf};

/// What the columns of the matrix are given as.
#[derive(Clone, Copy)]
pub(crate) enum Given {
    /// Values on the trace domain.
    Values,
    /// Coefficients of the polynomials.
    Coefficients,
}

/// What is done with a matrix.
pub(crate) struct Plan {
    pub(crate) given: Given,
    /// The trace domain.
    pub(crate) trace: Domain,
    /// The extension from the trace domain to the domain of the commitment.
    pub(crate) lde: Lde,
    /// The width of a partition, if rows are hashed in partitions: words of a row that are hashed together, before the digests are merged.
    pub(crate) partition: Option<usize>,
}

/// What is made of it.
pub(crate) struct Extended<H: Accelerated> {
    /// The coefficients of the columns, unless those were given.
    pub(crate) coefficients: Option<Matrix<Goldilocks>>,
    /// The values on the extended domain, row after row.
    pub(crate) values: Matrix<Goldilocks>,
    /// The tree over the rows.
    pub(crate) tree: MerkleTree<H::Engine>,
}

impl Plan {
    /// Extends the columns of a row-major matrix and commits to the rows of the extension.
    pub(crate) fn run<H: Accelerated>(
        &self,
        engine: &Engine,
        matrix: Matrix<Goldilocks>,
    ) -> Result<Extended<H>, Error> {
        if engine.device().driver.is_some() {
            match self.on_device(engine, &matrix) {
                Err(Error::OverDeviceBudget { .. } | Error::DeviceOutOfMemory { .. }) => {}
                result => return result,
            }
        }
        self.on_host(engine, matrix)
    }

    fn on_device<H: Accelerated>(
        &self,
        engine: &Engine,
        matrix: &Matrix<Goldilocks>,
    ) -> Result<Extended<H>, Error> {
        let given = engine.upload(matrix)?;
        let mut transformed = given.clone();
        let (coefficients, values) = match self.given {
            Given::Values => {
                engine.ntt(&Ntt::inverse(self.trace), &mut transformed)?;
                (Some(engine.download(&transformed)?), given)
            }
            Given::Coefficients => {
                engine.ntt(&Ntt::forward(self.trace), &mut transformed)?;
                (None, transformed)
            }
        };
        let extension = engine.lde(&self.lde, &values)?;
        drop(values);
        let tree = match self.partition {
            None => Some(engine.merkle_tree_of_rows::<H::Engine, _>(&extension)?.download()?),
            Some(_) => None,
        };
        let values = engine.download(&extension)?;
        let tree = tree.map_or_else(|| self.tree::<H>(engine, values.view()), Ok)?;
        Ok(Extended { coefficients, values, tree })
    }

    fn on_host<H: Accelerated>(
        &self,
        engine: &Engine,
        mut matrix: Matrix<Goldilocks>,
    ) -> Result<Extended<H>, Error> {
        let coefficients = match self.given {
            Given::Values => {
                let mut coefficients = matrix.clone();
                engine.ntt(&Ntt::inverse(self.trace), coefficients.view_mut())?;
                Some(coefficients)
            }
            Given::Coefficients => {
                engine.ntt(&Ntt::forward(self.trace), matrix.view_mut())?;
                None
            }
        };
        let values = engine.lde(&self.lde, matrix)?;
        let tree = self.tree::<H>(engine, values.view())?;
        Ok(Extended { coefficients, values, tree })
    }

    /// The tree over the rows of a matrix in host memory.
    fn tree<H: Accelerated>(
        &self,
        engine: &Engine,
        values: MatrixRef<'_, Goldilocks>,
    ) -> Result<MerkleTree<H::Engine>, Error> {
        match self.partition {
            None => engine.merkle_tree_of_rows(values),
            Some(width) => engine.merkle_tree(&hash_partitions::<H>(engine, values, width)?),
        }
    }
}

/// The digest of every row whose partitions, `width` words each but for the last, are hashed one by one.
fn hash_partitions<H: Accelerated>(
    engine: &Engine,
    matrix: MatrixRef<'_, Goldilocks>,
    width: usize,
) -> Result<Vec<DigestOf<H>>, Error> {
    let Shape { rows, columns, .. } = matrix.shape();
    let mut partitions = Vec::new();
    for first in (0..columns).step_by(width) {
        let width = width.min(columns - first);
        let partition = matrix.as_slice().par_chunks_exact(columns);
        let partition = partition.flat_map_iter(|row| row[first..][..width].iter().copied()).collect();
        let partition = Matrix::from_rows(partition, rows, width)?;
        partitions.push(engine.hash_rows::<H::Engine, _>(partition.view())?);
    }
    H::merge_partitions(engine, &partitions)
}
