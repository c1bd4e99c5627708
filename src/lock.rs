//! Locks that a panic elsewhere does not take away.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex whose state is sound even where a holder panicked: nothing that can panic runs under the lock, or what it
/// leaves behind will do. Where the latter is so, the caller says why.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
