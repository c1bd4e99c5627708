//! Vectors of scalars where a proof is made: in the memory of the engine's device, or in host memory where the device has no room.

use halo2curves::bn256::Fr;
use zkaccel::matrix::{Layout, MatrixRef, Shape};
use zkaccel::msm::ScalarsInput;
use zkaccel::ntt::Ntt;
use zkaccel::resident::DeviceMatrix;
use zkaccel::sparse::DeviceSparseMatrix;
use zkaccel::{Engine, Error};

/// A vector with the operations of a proof.
pub(crate) trait Vector: zkaccel::vectors::Vector + Clone + Send + Sync {
    /// Scalars of the caller, brought to where the proof is made.
    fn bring(engine: &Engine, scalars: &[Fr]) -> Result<Self, Error>;

    /// The product of a matrix with this vector.
    fn product(&self, engine: &Engine, matrix: &DeviceSparseMatrix<Fr>) -> Result<Self, Error>;

    /// A transform of this vector in place.
    fn transform(&mut self, engine: &Engine, ntt: &Ntt<Fr>) -> Result<(), Error>;

    /// The elements as the scalars of a sum.
    fn scalars(&self) -> ScalarsInput<'_>;
}

macro_rules! vectors {
    ($($vector:ty, $bring:expr;)*) => {$(
        impl Vector for $vector {
            fn bring(engine: &Engine, scalars: &[Fr]) -> Result<Self, Error> {
                $bring(engine, scalars)
            }

            fn product(&self, engine: &Engine, matrix: &DeviceSparseMatrix<Fr>) -> Result<Self, Error> {
                engine.sparse_product(matrix, self)
            }

            fn transform(&mut self, engine: &Engine, ntt: &Ntt<Fr>) -> Result<(), Error> {
                engine.ntt(ntt, self)
            }

            fn scalars(&self) -> ScalarsInput<'_> {
                self.into()
            }
        }
    )*};
}
vectors! {
    Vec<Fr>, |_: &Engine, scalars: &[Fr]| Ok(scalars.to_vec());
    DeviceMatrix<Fr>, |engine: &Engine, scalars| engine.upload(column(scalars)?);
}

fn column(scalars: &[Fr]) -> Result<MatrixRef<'_, Fr>, Error> {
    MatrixRef::new(scalars, Shape { rows: scalars.len(), columns: 1, layout: Layout::ColumnMajor })
}
