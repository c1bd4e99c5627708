//! Matrices on their way to where a proof has them.

use tracing::info_span;
use zkaccel::Engine;
use zkaccel::field::Goldilocks as Element;
use zkaccel::matrix::{Matrix, MatrixInput, MatrixRef, Shape};
use zkaccel::resident::DeviceMatrix;
use zkaccel_proofs::{Claim, Memory, Required};

use super::error::ProveError;

/// Columns that are to be extended.
pub(super) enum Values<'a> {
    /// Where a proof has them.
    There(DeviceMatrix<Element>),
    /// In the caller's memory, from which several devices take them and extend them together.
    InHostMemory(MatrixRef<'a, Element>),
}

impl From<DeviceMatrix<Element>> for Values<'_> {
    fn from(matrix: DeviceMatrix<Element>) -> Self {
        Self::There(matrix)
    }
}

impl Values<'_> {
    /// Rows, columns and layout.
    pub(super) fn shape(&self) -> Shape {
        match self {
            Self::There(matrix) => matrix.shape(),
            Self::InHostMemory(matrix) => matrix.shape(),
        }
    }
}

/// Does something with wide matrices in a place for which there is room; where the device turns out to have less, in the next one. What the device has is claimed. If extensions of
/// them may be in parts, several devices take them from the caller's memory.
pub(super) fn placed<R>(
    engine: &Engine,
    required: Required,
    matrices: Vec<Matrix<Element>>,
    in_parts: bool,
    run: impl Fn(Memory<'_>, Vec<Values<'_>>) -> Result<R, ProveError>,
) -> Result<(R, Claim), ProveError> {
    let mut matrices: Vec<_> = matrices.into_iter().map(Some).collect();
    let done = zkaccel_proofs::placed(engine, required, ProveError::of_engine, |memory| {
        if in_parts && memory.keeps_parts() && !memory.is_last() {
            let values = matrices.iter().flatten().map(|matrix| Values::InHostMemory(matrix.view()));
            return run(memory, values.collect());
        }
        let upload = |matrix: &mut Option<Matrix<Element>>| {
            // It is needed again in a further place.
            let input: Option<MatrixInput<'_, Element>> = match memory.is_last() {
                true => matrix.take().map(Into::into),
                false => matrix.as_ref().map(Into::into),
            };
            memory.wide(input.expect("a matrix until the last place")).map(Values::There)
        };
        let upload = || matrices.iter_mut().map(upload).collect::<Result<Vec<_>, _>>();
        let uploaded = info_span!("upload").in_scope(upload)?;
        run(memory, uploaded)
    });
    // To give back the memory of a large trace takes as long as to copy it.
    rayon::spawn(move || drop(matrices));
    done
}
