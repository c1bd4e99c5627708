//! Row programs in host memory, with the interface of the engine's.

use zkaccel::field::{Field, Goldilocks};
use zkaccel::matrix::Matrix;
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};

pub use zkaccel::program::{Node, ProgramRows};
pub type Builder = zkaccel::program::Builder<Goldilocks>;
pub type Program = zkaccel::program::Program<Goldilocks>;

pub trait RunProgram {
    fn combine_columns(
        &self,
        matrix: &DeviceMatrix<Goldilocks>,
        coefficients: &Matrix<Goldilocks>,
    ) -> Result<DeviceMatrix<Goldilocks>, Error>;
    fn combine_rows(
        &self,
        weights: &DeviceMatrix<Goldilocks>,
        matrix: &DeviceMatrix<Goldilocks>,
    ) -> Result<Matrix<Goldilocks>, Error>;
}

pub fn reshaped(
    m: &DeviceMatrix<Goldilocks>,
    rows: usize,
    columns: usize,
) -> Result<DeviceMatrix<Goldilocks>, Error> {
    let engine = Engine::global()?;
    engine.upload(Matrix::from_rows(engine.download(m)?.into_vec(), rows, columns)?)
}

impl RunProgram for Engine {
    fn combine_columns(
        &self,
        matrix: &DeviceMatrix<Goldilocks>,
        coefficients: &Matrix<Goldilocks>,
    ) -> Result<DeviceMatrix<Goldilocks>, Error> {
        let matrix = self.download(matrix)?;
        let (n, d) = (matrix.shape().rows, coefficients.shape().columns);
        let rows: Vec<_> = (0..n).map(|i| matrix.row(i)).collect();
        let out = (0..d).flat_map(|d| {
            let rows = &rows;
            (0..n).map(move |i| rows[i].iter().enumerate().map(|(j, &x)| x * coefficients.get(j, d)).sum())
        });
        self.upload(Matrix::from_columns(out.collect(), n, d)?)
    }

    fn combine_rows(
        &self,
        weights: &DeviceMatrix<Goldilocks>,
        matrix: &DeviceMatrix<Goldilocks>,
    ) -> Result<Matrix<Goldilocks>, Error> {
        let (weights, matrix) = (self.download(weights)?, self.download(matrix)?);
        let (m, d, w) = (weights.shape().rows, weights.shape().columns, matrix.shape().columns);
        let mut sums = vec![Goldilocks::ZERO; d * w];
        for i in 0..m {
            let row = matrix.row(i);
            for k in 0..d {
                let weight = weights.get(i, k);
                for j in 0..w {
                    sums[k * w + j] += weight * row[j];
                }
            }
        }
        Matrix::from_rows(sums, d, w)
    }
}
