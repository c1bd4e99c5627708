//! Products of matrices that stay, element by element.

use std::any::Any;

use accel::matrix::Shape;
use accel::resident::DeviceMatrix;
use accel::vectors::AcceleratedPrime;

use crate::any_matrix::AnyMatrix;
use crate::engine::zka_engine;
use crate::fields::{Words, product_of};
use crate::future::{later, now, zka_future};
use crate::matrix::{multiplied, zka_matrix};
use crate::status::{Failure, ZKA_BAD_ARGUMENT, ZKA_BAD_LENGTH, ZKA_UNSUPPORTED, zka_status};
use crate::transforms::Making;

/// The elements `a`[i] * `b`[i] - `c`[i] of matrices that stay, as another that does; without `c`, which may be NULL, the products alone. All
/// are over the same field, one of those of curves, and have as many rows and columns; they may be the same. Over Goldilocks it is
/// `ZKA_UNSUPPORTED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_multiply(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    a: *const zka_matrix,
    b: *const zka_matrix,
    c: *const zka_matrix,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| multiplied(arguments, shared, out, [a, b, c])) }
}

/// `zka_matrix_multiply`, started: `out` is the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_multiply_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    a: *const zka_matrix,
    b: *const zka_matrix,
    c: *const zka_matrix,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, shared| multiplied(arguments, shared, out, [a, b, c])) }
}

/// [`product`] over a field.
pub(crate) type ProductOf<F> = fn(DeviceMatrix<F>, DeviceMatrix<F>, Option<DeviceMatrix<F>>) -> Making;

/// A product of matrices that is still to be made.
pub(crate) fn product<F: AcceleratedPrime + Words>(
    mut a: DeviceMatrix<F>,
    b: DeviceMatrix<F>,
    c: Option<DeviceMatrix<F>>,
) -> Making {
    Box::new(move |engine| {
        match &c {
            Some(c) => engine.multiply_subtract(&mut a, &b, c)?,
            None => engine.multiply(&mut a, &b)?,
        }
        Ok(Box::new(a))
    })
}

/// Checks the product of a matrix with others, of which the second may be missing.
pub(crate) fn product_of_any<F: Words>(
    a: &DeviceMatrix<F>,
    b: &dyn AnyMatrix,
    c: Option<&dyn AnyMatrix>,
) -> Result<Making, Failure> {
    let product = product_of::<F>().ok_or_else(|| {
        let text = format!("products over {}, expected a field of curves", F::NAME);
        Failure::new(ZKA_UNSUPPORTED, text)
    })?;
    let same = |other: &dyn AnyMatrix| {
        let (any, expected): (&dyn Any, _) = (other, a.shape());
        let Some(matrix) = any.downcast_ref::<DeviceMatrix<F>>() else {
            let text = format!("a matrix over {}, expected {}", other.field().name, F::NAME);
            return Err(Failure::new(ZKA_BAD_ARGUMENT, text));
        };
        match matrix.shape() == expected {
            true => Ok(matrix.clone()),
            false => {
                let (found, Shape { rows, columns, .. }) = (matrix.shape(), expected);
                let text =
                    format!("a matrix of {} x {}, expected {rows} x {columns}", found.rows, found.columns);
                Err(Failure::new(ZKA_BAD_LENGTH, text))
            }
        }
    };
    Ok(product(a.clone(), same(b)?, c.map(same).transpose()?))
}
