//! Matrices on their way to where a proof has them.

use tracing::info_span;
use zkaccel::field::Goldilocks as Element;
use zkaccel::matrix::{Matrix, MatrixInput, MatrixRef, Shape};
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};
use zkaccel_proofs::{Claim, Memory, Required};

use super::error::ProveError;
use crate::elements::{copied, reduce_matrix};

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
///
/// Words of the matrices need not be canonical. Those of few are not, and a device looks while it copies them, so they are made so where they are refused or used up. Borrowed
/// matrices are copied to devices from where they lie; where they are refused or used up, a copy in host memory takes their place.
pub(super) fn placed<R>(
    engine: &Engine,
    required: Required,
    matrices: Vec<MatrixInput<'_, Element>>,
    in_parts: bool,
    run: impl Fn(Memory<'_>, Vec<Values<'_>>) -> Result<R, ProveError>,
) -> Result<(R, Claim), ProveError> {
    let mut matrices: Vec<_> = matrices.into_iter().map(Some).collect();
    let mut done = placed_as_they_are(engine, required, &mut matrices, in_parts, &run);
    if let Err(error) = &done
        && let Some(Error::NotCanonical { .. }) = ProveError::of_engine(error)
        && matrices.iter().all(Option::is_some)
    {
        matrices.iter_mut().for_each(|matrix| *matrix = matrix.take().map(|matrix| canonical(matrix).into()));
        done = placed_as_they_are(engine, required, &mut matrices, in_parts, &run);
    }
    let owned = |matrix| match matrix {
        MatrixInput::Owned(matrix) => Some(matrix),
        MatrixInput::Borrowed(_) => None,
    };
    let owned: Vec<Matrix<Element>> = matrices.into_iter().flatten().filter_map(owned).collect();
    // To give back the memory of a large trace takes as long as to copy it.
    rayon::spawn(move || drop(owned));
    done
}

/// A matrix of canonical words, copied if it is borrowed.
fn canonical(matrix: MatrixInput<'_, Element>) -> Matrix<Element> {
    let mut matrix = match matrix {
        MatrixInput::Owned(matrix) => matrix,
        MatrixInput::Borrowed(view) => copied(view),
    };
    reduce_matrix(&mut matrix);
    matrix
}

/// The same, but words that are not canonical are refused.
fn placed_as_they_are<R>(
    engine: &Engine,
    required: Required,
    matrices: &mut [Option<MatrixInput<'_, Element>>],
    in_parts: bool,
    run: impl Fn(Memory<'_>, Vec<Values<'_>>) -> Result<R, ProveError>,
) -> Result<(R, Claim), ProveError> {
    zkaccel_proofs::placed(engine, required, ProveError::of_engine, |memory| {
        if in_parts && memory.keeps_parts() && !memory.is_last() {
            let values = matrices.iter().flatten().map(|matrix| Values::InHostMemory(matrix.view()));
            return run(memory, values.collect());
        }
        let upload = || {
            let mut there: Vec<DeviceMatrix<Element>> = Vec::new();
            for matrix in matrices.iter_mut() {
                // It is needed again in a further place.
                let input: Option<MatrixInput<'_, Element>> = match memory.is_last() {
                    true => matrix.take().map(|matrix| canonical(matrix).into()),
                    false => matrix.as_ref().map(|matrix| matrix.view().into()),
                };
                let input = input.expect("a matrix until the last place");
                let matrix = match there.first() {
                    Some(first) => memory.beside(first).wide(input)?,
                    None => memory.wide(input)?,
                };
                there.push(matrix);
            }
            Ok::<_, ProveError>(there.into_iter().map(Values::There).collect())
        };
        let uploaded = info_span!("upload").in_scope(upload)?;
        run(memory, uploaded)
    })
}
