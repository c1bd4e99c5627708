//! Locking despite poisoning.

use crate::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex whose state is valid even if a holder panicked: either nothing that can panic runs under the lock, or the state
/// that it leaves is valid, for a reason that the caller gives.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
