//! Permutations of lookups whose columns stay.

use accel::Engine;
use accel::ntt::AcceleratedField;
use accel::resident::DeviceMatrix;

use crate::arguments::Arguments;
use crate::engine::{SharedEngine, zka_engine};
use crate::fields::{Words, two_adic};
use crate::future::{Call, later, now, zka_future};
use crate::matrix::{MatrixKept, make, zka_matrix};
use crate::status::{Failure, ZKA_BAD_LENGTH, zka_status};
use crate::transforms::Making;

/// The permuted inputs and tables of lookups, as a matrix of the shape and the layout of the one that has both: columns 2j and 2j + 1 are the input and the table of lookup j. Only the
/// first `rows` rows are permuted, and the others copied. Equal inputs become neighbours, in the order in which their values first stand in the table; the first of them has its like
/// beside it, and the other rows of the table are beside the others in their order. An input that is not in its table is `ZKA_BAD_WITNESS`. Of fields without transforms it is
/// `ZKA_UNSUPPORTED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_permute_lookups(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    rows: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| permuted(arguments, shared, out, r#in, rows)) }
}

/// `zka_matrix_permute_lookups`, started: `out` is the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_permute_lookups_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    rows: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, shared| permuted(arguments, shared, out, r#in, rows)) }
}

/// [`permuting`] over a field.
pub(crate) type PermutingOf<F> = fn(DeviceMatrix<F>, usize) -> Making;

/// The permutations of lookups of so many rows.
pub(crate) fn permuting<F: AcceleratedField + Words>(matrix: DeviceMatrix<F>, rows: usize) -> Making {
    Box::new(move |engine: &Engine| Ok(Box::new(engine.permute_lookups(&matrix, rows)?)))
}

/// Checks permutations of lookups of so many rows.
pub(crate) fn permute_any<F: Words>(matrix: &DeviceMatrix<F>, rows: usize) -> Result<Making, Failure> {
    let permuting = two_adic::<F>("permutations of lookups")?.permuting;
    let shape = matrix.shape();
    if shape.columns % 2 == 1 || rows > shape.rows {
        let text = format!(
            "lookups of {rows} rows in a matrix of {} rows and {} columns, expected two columns for each and no more rows than the matrix has",
            shape.rows, shape.columns
        );
        return Err(Failure::new(ZKA_BAD_LENGTH, text));
    }
    Ok(permuting(matrix.clone(), rows))
}

fn permuted(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_matrix,
    matrix: *const zka_matrix,
    rows: usize,
) -> Result<impl Call + use<>, Failure> {
    let kept = MatrixKept::find(shared, matrix)?;
    let permuting = kept.matrix.permute_lookups(rows)?;
    make(arguments, shared, out, kept.field, permuting)
}
