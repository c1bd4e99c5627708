//! Checks of many elements on all threads.

use rayon::prelude::*;

use crate::error::Error;

/// Words of a piece that one thread checks.
const PIECE: usize = 1 << 16;

/// The first failure of `check` over pieces of `items`, with its index among all of them. `check` counts in units of `unit` bytes.
pub(crate) fn in_pieces<T: Sync>(
    items: &[T],
    unit: usize,
    check: impl Fn(&[T]) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let at_once = (PIECE * 8 / size_of::<T>()).max(1);
    let before = |piece: usize| piece * at_once * size_of::<T>() / unit;
    let pieces = items.par_chunks(at_once).enumerate();
    let first = pieces.find_map_first(|(piece, items)| match check(items) {
        Err(Error::NotCanonical { index, value }) => {
            Some(Error::NotCanonical { index: before(piece) + index, value })
        }
        Err(Error::NotOnCurve { index }) => Some(Error::NotOnCurve { index: before(piece) + index }),
        Err(Error::NotInSubgroup { index }) => Some(Error::NotInSubgroup { index: before(piece) + index }),
        other => other.err(),
    });
    first.map_or(Ok(()), Err)
}
