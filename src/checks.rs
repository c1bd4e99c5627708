//! Checks of many elements on all threads.

use crate::backend::BaseField;
use crate::error::Error;
use crate::lock::lock;
use crate::parallel::for_each_number;
use crate::sync::{Mutex, PoisonError};

/// Words of a piece that one thread checks.
const PIECE: usize = 1 << 16;

/// The first error of elements, with its index among all.
pub(crate) fn elements<F: BaseField>(elements: &[F]) -> Result<(), Error> {
    in_pieces(elements, 8, F::check_all)
}

/// The same, of elements that have not been checked.
pub(crate) fn if_unchecked<F: BaseField>(elements: &[F], unchecked: bool) -> Result<(), Error> {
    if unchecked { self::elements(elements) } else { Ok(()) }
}

/// The first failure of `check` over pieces of `items`, with its index among all of them. `check` counts in units of `unit` bytes.
pub(crate) fn in_pieces<T: Sync>(
    items: &[T],
    unit: usize,
    check: impl Fn(&[T]) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let at_once = (PIECE * 8 / size_of::<T>()).max(1);
    let before = |piece: usize| piece * at_once * size_of::<T>() / unit;
    let failed: Mutex<Option<(usize, Error)>> = Mutex::default();
    let is_after_a_failure = |piece: usize| lock(&failed).as_ref().is_some_and(|(first, _)| *first < piece);
    for_each_number(items.len().div_ceil(at_once), &|piece| {
        if is_after_a_failure(piece) {
            return;
        }
        let first = piece * at_once;
        let Err(error) = check(&items[first..items.len().min(first + at_once)]) else { return };
        let error = match error {
            Error::NotCanonical { index, value } => {
                Error::NotCanonical { index: before(piece) + index, value }
            }
            Error::NotOnCurve { index } => Error::NotOnCurve { index: before(piece) + index },
            Error::NotInSubgroup { index } => Error::NotInSubgroup { index: before(piece) + index },
            other => other,
        };
        let mut failed = lock(&failed);
        if failed.as_ref().is_none_or(|(first, _)| piece < *first) {
            *failed = Some((piece, error));
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), |(_, error)| Err(error))
}
