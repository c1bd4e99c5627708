//! Vectors of scalars where a proof is made: in the memory of the engine's device, or in host memory where the device has no room.

use zkaccel::matrix::{Layout, MatrixRef, Shape};
use zkaccel::msm::ScalarsInput;
use zkaccel::ntt::Ntt;
use zkaccel::resident::DeviceMatrix;
use zkaccel::sparse::DeviceSparseMatrix;
use zkaccel::{Engine, Error};

use crate::pairing::ScalarField;

/// A vector with the operations of a proof.
pub(crate) trait Vector<F>: zkaccel::vectors::Vector + Clone + Send + Sync {
    /// Scalars of the caller, brought to where the proof is made.
    fn bring(engine: &Engine, scalars: &[F]) -> Result<Self, Error>;

    /// The product of a matrix with this vector.
    fn product(&self, engine: &Engine, matrix: &DeviceSparseMatrix<F>) -> Result<Self, Error>;

    /// A transform of this vector in place.
    fn transform(&mut self, engine: &Engine, ntt: &Ntt<F>) -> Result<(), Error>;

    /// The elements as the scalars of a sum.
    fn scalars(&self) -> ScalarsInput<'_, F>;
}

macro_rules! vectors {
    ($($vector:ty, $bring:expr;)*) => {$(
        impl<F: ScalarField> Vector<F> for $vector {
            fn bring(engine: &Engine, scalars: &[F]) -> Result<Self, Error> {
                $bring(engine, scalars)
            }

            fn product(&self, engine: &Engine, matrix: &DeviceSparseMatrix<F>) -> Result<Self, Error> {
                engine.sparse_product(matrix, self)
            }

            fn transform(&mut self, engine: &Engine, ntt: &Ntt<F>) -> Result<(), Error> {
                engine.ntt(ntt, self)
            }

            fn scalars(&self) -> ScalarsInput<'_, F> {
                self.into()
            }
        }
    )*};
}
vectors! {
    Vec<F>, |_: &Engine, scalars: &[F]| Ok(scalars.to_vec());
    DeviceMatrix<F>, |engine: &Engine, scalars: &[F]| engine.upload(column(scalars)?);
}

fn column<F: ScalarField>(scalars: &[F]) -> Result<MatrixRef<'_, F>, Error> {
    MatrixRef::new(scalars, Shape { rows: scalars.len(), columns: 1, layout: Layout::ColumnMajor })
}
