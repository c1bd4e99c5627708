//! Inverses of all elements of a matrix.

use crate::engine::zka_engine;
use crate::future::{later, now, zka_future};
use crate::matrix::{inverted, zka_matrix};
use crate::status::zka_status;

/// The inverses of all elements of a matrix that stays, as another that does, in its layout; zeros stay zero. Of fields without transforms it is
/// `ZKA_UNSUPPORTED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_invert(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| inverted(arguments, shared, out, r#in)) }
}

/// `zka_matrix_invert`, started: `out` is the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_invert_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, shared| inverted(arguments, shared, out, r#in)) }
}
