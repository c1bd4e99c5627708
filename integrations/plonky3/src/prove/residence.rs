//! Matrices on their way to where a proof has them.

use tracing::info_span;
use zkaccel::field::Goldilocks as Element;
use zkaccel::matrix::{Matrix, MatrixInput, Shape};
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};
use zkaccel_proofs::{Claim, Memory, Required};

use super::error::ProveError;
use crate::elements::{copied, reduce_matrix};

/// Columns that are to be extended.
pub(super) enum Values<'a> {
    /// Where a proof has them.
    There(DeviceMatrix<Element>),
    /// In host memory, from which several devices may take them and extend them together.
    InHostMemory(MatrixInput<'a, Element>),
}

impl From<DeviceMatrix<Element>> for Values<'_> {
    fn from(matrix: DeviceMatrix<Element>) -> Self {
        Self::There(matrix)
    }
}

impl<'a> Values<'a> {
    /// A wide matrix where a proof has it, unless several devices may take it from host memory.
    pub(super) fn of(memory: Memory<'_>, matrix: impl Into<MatrixInput<'a, Element>>) -> Result<Self, Error> {
        let values = Self::InHostMemory(matrix.into());
        match may_be_in_parts(memory) {
            true => Ok(values),
            false => values.there(memory).map(Self::There),
        }
    }

    /// The matrix where a proof has it.
    pub(super) fn there(self, memory: Memory<'_>) -> Result<DeviceMatrix<Element>, Error> {
        match self {
            Self::There(matrix) => Ok(matrix),
            Self::InHostMemory(matrix) => info_span!("upload").in_scope(|| memory.wide(matrix)),
        }
    }

    /// Rows, columns and layout.
    pub(super) fn shape(&self) -> Shape {
        match self {
            Self::There(matrix) => matrix.shape(),
            Self::InHostMemory(matrix) => matrix.shape(),
        }
    }
}

/// Whether extensions may be in the memory of several devices.
fn may_be_in_parts(memory: Memory<'_>) -> bool {
    memory.keeps_parts() && !memory.is_last()
}

/// Does something with wide matrices in a place for which there is room; where the device turns out to have less, in the next one. What the device has is claimed.
///
/// Words of the matrices need not be canonical. Those of few are not, and a device looks while it copies them, so they are made so where they are refused or used up. Borrowed
/// matrices are copied to devices from where they lie; where they are refused or used up, a copy in host memory takes their place.
pub(super) fn placed<R>(
    engine: &Engine,
    required: Required,
    matrices: Vec<MatrixInput<'_, Element>>,
    run: impl Fn(Memory<'_>, Vec<Values<'_>>) -> Result<R, ProveError>,
) -> Result<(R, Claim), ProveError> {
    let mut matrices: Vec<_> = matrices.into_iter().map(Some).collect();
    let mut done = placed_as_they_are(engine, required, &mut matrices, &run);
    if let Err(error) = &done
        && let Some(Error::NotCanonical { .. }) = ProveError::of_engine(error)
        && matrices.iter().all(Option::is_some)
    {
        matrices.iter_mut().for_each(|matrix| *matrix = matrix.take().map(|matrix| canonical(matrix).into()));
        done = placed_as_they_are(engine, required, &mut matrices, &run);
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
    run: impl Fn(Memory<'_>, Vec<Values<'_>>) -> Result<R, ProveError>,
) -> Result<(R, Claim), ProveError> {
    zkaccel_proofs::placed(engine, required, ProveError::of_engine, |memory| {
        if may_be_in_parts(memory) {
            let values = matrices.iter().flatten().map(|matrix| Values::InHostMemory(matrix.view().into()));
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
