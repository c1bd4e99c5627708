//! Prefix products of the columns of matrices that stay.

use accel::ntt::AcceleratedField;
use accel::resident::DeviceMatrix;
use accel::{Engine, Error};

use crate::any_matrix::AnyMatrix;
use crate::arguments::Arguments;
use crate::engine::{SharedEngine, zka_engine};
use crate::fields::{Words, two_adic};
use crate::future::{Call, later, now, zka_future};
use crate::matrix::{MatrixKept, make, zka_matrix};
use crate::status::{Failure, ZKA_BAD_LENGTH, zka_status};

/// The prefix products of every column of a matrix that stays, as another that does, in its layout: entry 0 of a column is its first value, and entry i that
/// times the entries 0 to i - 1. `last` gets the product of all of each column, its first value included. `first` has a value for each column, and NULL is
/// ones. `len` is the number of words of `last`, and of `first`: those of an element, times the columns. Of fields without transforms it is
/// `ZKA_UNSUPPORTED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_prefix_products(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    last: *mut u64,
    r#in: *const zka_matrix,
    first: *const u64,
    len: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| scanned(arguments, shared, out, last, r#in, first, len)) }
}

/// `zka_matrix_prefix_products`, started: `out` and `last` are the operation's until the future was waited for; `first` is not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_prefix_products_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    last: *mut u64,
    r#in: *const zka_matrix,
    first: *const u64,
    len: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| scanned(arguments, shared, out, last, r#in, first, len))
    }
}

/// Prefix products that are still to be made, and the words of the products of all.
pub(crate) type Scanning = Box<dyn FnOnce(&Engine) -> Result<(Box<dyn AnyMatrix>, Vec<u64>), Error> + Send>;

/// [`scanning`] over a field.
pub(crate) type ScanningOf<F> = fn(DeviceMatrix<F>, Vec<F>) -> Scanning;

/// The prefix products of a matrix from first values, or from ones if there are none.
pub(crate) fn scanning<F: AcceleratedField + Words>(matrix: DeviceMatrix<F>, first: Vec<F>) -> Scanning {
    Box::new(move |engine| {
        let (products, last) = engine.prefix_products(&matrix, &first)?;
        Ok((Box::new(products), F::words(&last).to_vec()))
    })
}

/// Checks prefix products of a matrix, from words of first values or of none.
pub(crate) fn scan_any<F: Words>(matrix: &DeviceMatrix<F>, first: &[u64]) -> Result<Scanning, Failure> {
    let scanning = two_adic::<F>("prefix products")?.scanning;
    Ok(scanning(matrix.clone(), F::elements(first)?.to_vec()))
}

fn scanned(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_matrix,
    last: *mut u64,
    matrix: *const zka_matrix,
    first: *const u64,
    len: usize,
) -> Result<impl Call + use<>, Failure> {
    let kept = MatrixKept::find(shared, matrix)?;
    let (columns, words) = (kept.matrix.shape().columns, kept.matrix.field().words);
    let expected = columns.saturating_mul(words);
    if len != expected {
        let text = format!(
            "{len} words for a value of each of {columns} columns, expected {expected}, {words} each"
        );
        return Err(Failure::new(ZKA_BAD_LENGTH, text));
    }
    let first = arguments.input("first", first, if first.is_null() { 0 } else { len })?;
    let scanning = kept.matrix.prefix_products(first.as_slice())?;
    let last = arguments.output("last", last, len)?;
    let making = move |engine: &Engine| {
        let (products, all) = scanning(engine)?;
        last.write(&all);
        Ok(products)
    };
    make(arguments, shared, out, kept.field, Box::new(making))
}
