//! Matrices on their way to where a proof has them.

use tracing::info_span;
use zkaccel::Engine;
use zkaccel::field::Goldilocks as Element;
use zkaccel::matrix::{Matrix, MatrixInput};
use zkaccel::resident::DeviceMatrix;
use zkaccel_proofs::{Claim, Memory, Required};

use super::error::ProveError;

/// Does something with wide matrices in a place for which there is room; where the device turns out to have less, in the next one. What the device has is claimed.
pub(super) fn placed<R>(
    engine: &Engine,
    required: Required,
    matrices: Vec<Matrix<Element>>,
    run: impl Fn(Memory<'_>, Vec<DeviceMatrix<Element>>) -> Result<R, ProveError>,
) -> Result<(R, Claim), ProveError> {
    let mut matrices: Vec<_> = matrices.into_iter().map(Some).collect();
    let done = zkaccel_proofs::placed(engine, required, ProveError::of_engine, |memory| {
        let upload = |matrix: &mut Option<Matrix<Element>>| {
            // It is needed again in a further place.
            let input: Option<MatrixInput<'_, Element>> = match memory.is_last() {
                true => matrix.take().map(Into::into),
                false => matrix.as_ref().map(Into::into),
            };
            memory.wide(input.expect("a matrix until the last place"))
        };
        let upload = || matrices.iter_mut().map(upload).collect::<Result<Vec<_>, _>>();
        let uploaded = info_span!("upload").in_scope(upload)?;
        run(memory, uploaded)
    });
    // To give back the memory of a large trace takes as long as to copy it.
    rayon::spawn(move || drop(matrices));
    done
}
