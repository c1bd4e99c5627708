//! Combinations of the columns and of the rows of matrices that stay.

use std::any::Any;

use accel::matrix::{Matrix, Shape};
use accel::ntt::AcceleratedField;
use accel::resident::DeviceMatrix;
use accel::{Engine, Error};

use crate::any_matrix::AnyMatrix;
use crate::arguments::{Arguments, check_flags};
use crate::engine::{SharedEngine, zka_engine};
use crate::fields::{Words, two_adic};
use crate::future::{Call, later, now, zka_future};
use crate::matrix::{MatrixKept, make, zka_matrix};
use crate::status::{Failure, ZKA_BAD_ARGUMENT, ZKA_BAD_LENGTH, zka_status};
use crate::transforms::{Making, ZKA_COLUMN_MAJOR, shape, words};

/// The product of a matrix that stays with a matrix of coefficients, as another that stays, column-major: `cols` combinations of its columns,
/// with a row of coefficients for each column. `coefficients` are `rows` * `cols` elements of the matrix' field, where `rows` is the number of its columns.
/// Flags: `ZKA_COLUMN_MAJOR`, of the coefficients. Of fields without transforms it is `ZKA_UNSUPPORTED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_combine_columns(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    coefficients: *const u64,
    rows: usize,
    cols: usize,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        now(engine, |arguments, shared| {
            columns_combined(arguments, shared, out, r#in, coefficients, [rows, cols], flags)
        })
    }
}

/// `zka_matrix_combine_columns`, started: `out` is the operation's until the future was waited for; `coefficients` are not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_combine_columns_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    coefficients: *const u64,
    rows: usize,
    cols: usize,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| {
            columns_combined(arguments, shared, out, r#in, coefficients, [rows, cols], flags)
        })
    }
}

/// Sums of the first rows of a matrix that stays, by weights that stay: as many rows as there are of weights, over the same field. For each column of the
/// matrix `out` gets the sums by each column of weights, side by side. `len` is the number of words: those of an element, times the columns of both.
/// Of fields without transforms it is `ZKA_UNSUPPORTED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_combine_rows(
    engine: *mut zka_engine,
    out: *mut u64,
    weights: *const zka_matrix,
    r#in: *const zka_matrix,
    len: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| rows_combined(arguments, shared, out, weights, r#in, len)) }
}

/// `zka_matrix_combine_rows`, started: `out` is the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_combine_rows_async(
    engine: *mut zka_engine,
    out: *mut u64,
    weights: *const zka_matrix,
    r#in: *const zka_matrix,
    len: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| rows_combined(arguments, shared, out, weights, r#in, len))
    }
}

/// Sums that are still to be made, as words.
pub(crate) type Summing = Box<dyn FnOnce(&Engine) -> Result<Vec<u64>, Error> + Send>;

/// The combinations of matrices over a field.
#[derive(Clone, Copy)]
pub(crate) struct CombinationsOf<F> {
    columns: fn(DeviceMatrix<F>, Matrix<F>) -> Making,
    rows: fn(DeviceMatrix<F>, DeviceMatrix<F>) -> Summing,
}

impl<F: AcceleratedField + Words> CombinationsOf<F> {
    pub(crate) const NEW: Self = Self {
        columns: |matrix, coefficients| {
            Box::new(move |engine| Ok(Box::new(engine.combine_columns(&matrix, &coefficients)?)))
        },
        rows: |weights, matrix| {
            Box::new(move |engine| Ok(F::words(engine.combine_rows(&weights, &matrix)?.as_slice()).to_vec()))
        },
    };
}

fn over<F: Words>() -> Result<CombinationsOf<F>, Failure> {
    Ok(two_adic("combinations")?.combinations)
}

/// Checks combinations of the columns of a matrix.
pub(crate) fn columns_of_any<F: Words>(
    matrix: &DeviceMatrix<F>,
    coefficients: &[u64],
    shape: Shape,
) -> Result<Making, Failure> {
    let (of_field, found, expected) = (over::<F>()?, shape.rows, matrix.shape().columns);
    if found != expected {
        let text = format!("{found} rows of coefficients, expected {expected}, one for each column");
        return Err(Failure::new(ZKA_BAD_LENGTH, text));
    }
    let coefficients = Matrix::new(F::elements(coefficients)?.to_vec(), shape)?;
    Ok((of_field.columns)(matrix.clone(), coefficients))
}

/// Checks combinations of the rows of a matrix.
pub(crate) fn rows_of_any<F: Words>(
    matrix: &DeviceMatrix<F>,
    weights: &dyn AnyMatrix,
) -> Result<Summing, Failure> {
    let of_field = over::<F>()?;
    let any: &dyn Any = weights;
    let Some(of_same) = any.downcast_ref::<DeviceMatrix<F>>() else {
        let text = format!("weights over {}, expected {}", weights.field().name, F::NAME);
        return Err(Failure::new(ZKA_BAD_ARGUMENT, text));
    };
    let (found, expected) = (of_same.shape().rows, matrix.shape().rows);
    if found > expected {
        let text = format!("{found} rows of weights, expected at most {expected}, as many as of the matrix");
        return Err(Failure::new(ZKA_BAD_LENGTH, text));
    }
    Ok((of_field.rows)(of_same.clone(), matrix.clone()))
}

fn columns_combined(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_matrix,
    matrix: *const zka_matrix,
    coefficients: *const u64,
    [rows, cols]: [usize; 2],
    flags: u32,
) -> Result<impl Call + use<>, Failure> {
    check_flags(flags, ZKA_COLUMN_MAJOR)?;
    let kept = MatrixKept::find(shared, matrix)?;
    let shape = shape(rows, cols, flags)?;
    let len = words("coefficients", shape, kept.matrix.field().words)?;
    let coefficients = arguments.input("coefficients", coefficients, len)?;
    let making = kept.matrix.combine_columns(coefficients.as_slice(), shape)?;
    make(arguments, shared, out, kept.field, making)
}

fn rows_combined(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut u64,
    weights: *const zka_matrix,
    matrix: *const zka_matrix,
    len: usize,
) -> Result<impl Call + use<>, Failure> {
    let (weights, kept) = (MatrixKept::find(shared, weights)?, MatrixKept::find(shared, matrix)?);
    let summing = kept.matrix.combine_rows(&*weights.matrix)?;
    let [columns, sums] = [&kept, &weights].map(|kept| kept.matrix.shape().columns);
    let expected = columns.saturating_mul(sums).saturating_mul(kept.matrix.field().words);
    if len != expected {
        let text =
            format!("{len} words for sums of {columns} columns by {sums} of weights, expected {expected}");
        return Err(Failure::new(ZKA_BAD_LENGTH, text));
    }
    let out = arguments.output("out", out, len)?;
    Ok(move |engine: &Engine| {
        out.write(&summing(engine)?);
        Ok(())
    })
}
