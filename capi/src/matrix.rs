//! Matrices over any field that stay on the engine's device between operations.

use std::any::Any;
use std::sync::Arc;

use accel::Engine;
use accel::field::Goldilocks;
use accel::matrix::{Layout, Shape};
use accel::resident::DeviceMatrix;

use crate::any_matrix::AnyMatrix;
use crate::arguments::{Arguments, check_flags};
use crate::engine::{SharedEngine, zka_engine};
use crate::fields::Field;
use crate::future::{Call, later, now, zka_future};
use crate::handles::{Handles, Kind};
use crate::merkle::{Functions, TREES, zka_tree};
use crate::status::{Failure, ZKA_BAD_LENGTH, ZKA_UNSUPPORTED, guard, zka_status};
use crate::transforms::{Making, Roots, RootsInput, Transform, ZKA_COLUMN_MAJOR, log_rows, shape, words};

/// A matrix over a field in the memory of an engine's device, or in host memory where that is the device's. It never changes:
/// operations make new ones. It may be used by any threads at once.
pub struct zka_matrix {
    _opaque: (),
}

/// Brings a matrix to the device, to stay there: `rows` * `cols` elements of `field`, one of `ZKA_GOLDILOCKS`, `ZKA_BN254_FR`,
/// `ZKA_BN254_FQ`, `ZKA_PASTA_FP`, `ZKA_PASTA_FQ`, `ZKA_BLS12_381_FR` and `ZKA_BLS12_377_FR`. Flags: `ZKA_COLUMN_MAJOR`. Free it with `zka_matrix_free`.
///
/// A matrix over another field than Goldilocks is column-major from then on, whatever it was. Its columns are also rows of scalars, for
/// `zka_msm_matrix`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_upload(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    field: u32,
    r#in: *const u64,
    rows: usize,
    cols: usize,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        now(engine, |arguments, shared| upload(arguments, shared, out, field, r#in, [rows, cols], flags))
    }
}

/// `zka_matrix_upload`, started: `out` and `in` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_upload_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    field: u32,
    r#in: *const u64,
    rows: usize,
    cols: usize,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| {
            upload(arguments, shared, out, field, r#in, [rows, cols], flags)
        })
    }
}

/// Copies a matrix to host memory, in its layout. `len` is the number of its words: `rows` * `cols` times those of an element.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_download(
    engine: *mut zka_engine,
    out: *mut u64,
    r#in: *const zka_matrix,
    len: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| download(arguments, shared, out, r#in, len)) }
}

/// `zka_matrix_download`, started: `out` is the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_download_async(
    engine: *mut zka_engine,
    out: *mut u64,
    r#in: *const zka_matrix,
    len: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, shared| download(arguments, shared, out, r#in, len)) }
}

/// Copies `count` rows of a matrix, by their indices, to host memory, one after another, each from left to right: `count` * `cols`
/// elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_rows(
    engine: *mut zka_engine,
    out: *mut u64,
    r#in: *const zka_matrix,
    indices: *const usize,
    count: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| some_rows(arguments, shared, out, r#in, indices, count)) }
}

/// `zka_matrix_rows`, started: `out` and `indices` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_rows_async(
    engine: *mut zka_engine,
    out: *mut u64,
    r#in: *const zka_matrix,
    indices: *const usize,
    count: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| some_rows(arguments, shared, out, r#in, indices, count))
    }
}

/// The same entries in another shape, without a copy: one after another they fill `rows` rows of `cols`, row by row. So the matrix is row by row itself, or has a single column; the
/// new one may be freed before it or after it. Over another field than Goldilocks both have one column.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_reshape(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    rows: usize,
    cols: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| reshaped(arguments, shared, out, r#in, rows, cols)) }
}

/// Transforms every column of a matrix that stays, to another that does; its layout too.
///
/// Row i of the values belongs to the point `coset` * `omega`^i. `omega` is a root of unity whose order is exactly the number of rows;
/// `coset` is not 0, and NULL is 1; both are elements of the matrix' field. The inverse includes the factor 1/n. Flags: `ZKA_INVERSE`,
/// `ZKA_IN_BITREV`, `ZKA_OUT_BITREV`. A field without transforms is `ZKA_UNSUPPORTED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_ntt(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    omega: *const u64,
    coset: *const u64,
    flags: u32,
) -> zka_status {
    let what = Transform::Ntt { flags };
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| transformed(arguments, shared, out, r#in, what, omega, coset)) }
}

/// `zka_matrix_ntt`, started: `out` is the operation's until the future was waited for; `omega` and `coset` are not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_ntt_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    omega: *const u64,
    coset: *const u64,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    let what = Transform::Ntt { flags };
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| {
            transformed(arguments, shared, out, r#in, what, omega, coset)
        })
    }
}

/// Extends every column of a matrix that stays, values on a subgroup, to the values of the same polynomials on a coset that is
/// 2^log_blowup times as large, both in natural order; its layout too.
///
/// `omega` is a root of unity of the larger order; its power by 2^log_blowup generates the subgroup. Row i of the extension belongs to
/// the point `coset` * `omega`^i; `coset` NULL is 1. Flags: `ZKA_OUT_BITREV`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_lde(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    log_blowup: u32,
    omega: *const u64,
    coset: *const u64,
    flags: u32,
) -> zka_status {
    let what = Transform::Lde { log_blowup, flags };
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| transformed(arguments, shared, out, r#in, what, omega, coset)) }
}

/// `zka_matrix_lde`, started: `out` is the operation's until the future was waited for; `omega` and `coset` are not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_lde_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    log_blowup: u32,
    omega: *const u64,
    coset: *const u64,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    let what = Transform::Lde { log_blowup, flags };
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| {
            transformed(arguments, shared, out, r#in, what, omega, coset)
        })
    }
}

/// Evaluates the polynomials in the columns of a matrix that stays, a coefficient in each row, on 2^log_points points, at least as many as
/// there are rows: row i of the result belongs to the point `coset` * `omega`^i; `coset` NULL is 1. The result has the matrix'
/// layout. `flags` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_evaluate(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    log_points: u32,
    omega: *const u64,
    coset: *const u64,
    flags: u32,
) -> zka_status {
    let what = Transform::Evaluate { log_points, flags };
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| transformed(arguments, shared, out, r#in, what, omega, coset)) }
}

/// `zka_matrix_evaluate`, started: `out` is the operation's until the future was waited for; `omega` and `coset` are not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_evaluate_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    log_points: u32,
    omega: *const u64,
    coset: *const u64,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    let what = Transform::Evaluate { log_points, flags };
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| {
            transformed(arguments, shared, out, r#in, what, omega, coset)
        })
    }
}

/// The inverse of `zka_matrix_evaluate`: the lowest `coefficients` coefficients of the polynomials whose values are the columns of a
/// matrix that stays, a coefficient in each row; the others are cut off. `coefficients` is at least 1 and at most the number of rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_interpolate(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    coefficients: usize,
    omega: *const u64,
    coset: *const u64,
) -> zka_status {
    let what = Transform::Interpolate { coefficients };
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| transformed(arguments, shared, out, r#in, what, omega, coset)) }
}

/// `zka_matrix_interpolate`, started: `out` is the operation's until the future was waited for; `omega` and `coset` are not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_interpolate_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    coefficients: usize,
    omega: *const u64,
    coset: *const u64,
    future: *mut zka_future,
) -> zka_status {
    let what = Transform::Interpolate { coefficients };
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| {
            transformed(arguments, shared, out, r#in, what, omega, coset)
        })
    }
}

/// The Merkle tree whose leaf i is the hash of row i of a matrix over Goldilocks that stays; the tree stays too, and what is asked of it is
/// brought back. The number of rows is a power of two. Rows over another field are `ZKA_UNSUPPORTED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_merkle(
    engine: *mut zka_engine,
    out: *mut *mut zka_tree,
    r#in: *const zka_matrix,
    hash: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| tree(arguments, shared, out, r#in, hash)) }
}

/// `zka_matrix_merkle`, started: `out` is the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_merkle_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_tree,
    r#in: *const zka_matrix,
    hash: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, shared| tree(arguments, shared, out, r#in, hash)) }
}

/// The field of a matrix that stays, its number of rows and of columns, and its layout: `flags` is `ZKA_COLUMN_MAJOR` or 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_shape(
    matrix: *const zka_matrix,
    field: *mut u32,
    rows: *mut usize,
    cols: *mut usize,
    flags: *mut u32,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut arguments = unsafe { Arguments::new() };
        let field = arguments.output("field", field, 1)?;
        let rows = arguments.output("rows", rows, 1)?;
        let cols = arguments.output("cols", cols, 1)?;
        let flags = arguments.output("flags", flags, 1)?;
        arguments.check_aliases()?;
        let kept = MATRICES.get(matrix)?;
        let shape = kept.matrix.shape();
        field.write(&[kept.field]);
        rows.write(&[shape.rows]);
        cols.write(&[shape.columns]);
        flags.write(&[if shape.layout == Layout::ColumnMajor { ZKA_COLUMN_MAJOR } else { 0 }]);
        Ok(())
    })
}

/// Frees a matrix that stays; NULL is nothing to free. Operations under way keep it until they are done; the engine may be gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_free(matrix: *mut zka_matrix) -> zka_status {
    guard(|| MATRICES.free(matrix))
}

static MATRICES: Handles<MatrixKept> = Handles::new(Kind::Matrix);

/// A matrix, the number of its field, and that of its engine.
pub(crate) struct MatrixKept {
    pub(crate) matrix: Box<dyn AnyMatrix>,
    pub(crate) field: u32,
    engine: u64,
}

impl MatrixKept {
    /// The matrix behind a handle; `ZKA_WRONG_ENGINE` if another engine made it.
    pub(crate) fn find(shared: &SharedEngine, matrix: *const zka_matrix) -> Result<Arc<Self>, Failure> {
        let kept = MATRICES.get(matrix)?;
        shared.check_owner(kept.engine, "the matrix belongs")?;
        Ok(kept)
    }
}

/// Makes a matrix over a field and a handle of it.
pub(crate) fn make(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_matrix,
    field: u32,
    making: Making,
) -> Result<impl Call + use<>, Failure> {
    let (out, number) = (arguments.output("out", out, 1)?, shared.number);
    Ok(move |engine: &Engine| {
        let kept = MatrixKept { matrix: making(engine)?, field, engine: number };
        out.write(&[MATRICES.insert(Arc::new(kept))]);
        Ok(())
    })
}

fn upload(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_matrix,
    number: u32,
    input: *const u64,
    [rows, cols]: [usize; 2],
    flags: u32,
) -> Result<impl Call + use<>, Failure> {
    check_flags(flags, ZKA_COLUMN_MAJOR)?;
    let field = Field::of(number)?;
    if rows == 0 {
        return Err(Failure::new(ZKA_BAD_LENGTH, "the matrix has no rows, expected at least one"));
    }
    let shape = shape(rows, cols, flags)?;
    let input = arguments.input("in", input, words("in", shape, field.words)?)?;
    let upload: Making = Box::new(move |engine| (field.upload)(engine, input.as_slice(), shape));
    make(arguments, shared, out, number, upload)
}

fn download(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut u64,
    matrix: *const zka_matrix,
    len: usize,
) -> Result<impl Call + use<>, Failure> {
    let kept = MatrixKept::find(shared, matrix)?;
    let (shape, Field { words, .. }) = (kept.matrix.shape(), kept.matrix.field());
    let Shape { rows, columns, .. } = shape;
    if len != rows * columns * words {
        let text =
            format!("room for {len} words, expected {rows} x {columns} x {words}, those of the matrix");
        return Err(Failure::new(ZKA_BAD_LENGTH, text));
    }
    let out = arguments.output("out", out, len)?;
    Ok(move |engine: &Engine| Ok(kept.matrix.copy_all(engine, &out)?))
}

fn some_rows(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut u64,
    matrix: *const zka_matrix,
    indices: *const usize,
    count: usize,
) -> Result<impl Call + use<>, Failure> {
    let kept = MatrixKept::find(shared, matrix)?;
    let rows = Shape { rows: count, ..kept.matrix.shape() };
    let out = arguments.output("out", out, words("out", rows, kept.matrix.field().words)?)?;
    let indices = arguments.input("indices", indices, count)?;
    Ok(move |_: &Engine| Ok(kept.matrix.copy_rows(indices.as_slice(), &out)?))
}

fn reshaped(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_matrix,
    matrix: *const zka_matrix,
    rows: usize,
    cols: usize,
) -> Result<impl Call + use<>, Failure> {
    let kept = MatrixKept::find(shared, matrix)?;
    let reshaped = kept.matrix.reshaped(rows, cols)?;
    make(arguments, shared, out, kept.field, Box::new(|_| Ok(reshaped)))
}

fn transformed(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_matrix,
    matrix: *const zka_matrix,
    what: Transform,
    omega: *const u64,
    coset: *const u64,
) -> Result<impl Call + use<>, Failure> {
    let kept = MatrixKept::find(shared, matrix)?;
    let roots = RootsInput::new(arguments, omega, coset, kept.matrix.field().words)?;
    let making = kept.matrix.transform(what, roots.as_roots())?;
    make(arguments, shared, out, kept.field, making)
}

/// The inverses of all elements of a matrix.
pub(crate) fn inverted(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_matrix,
    matrix: *const zka_matrix,
) -> Result<impl Call + use<>, Failure> {
    let kept = MatrixKept::find(shared, matrix)?;
    let making = kept.matrix.transform(Transform::Invert, Roots { omega: &[], coset: &[] })?;
    make(arguments, shared, out, kept.field, making)
}

/// The product of matrices; the last may be NULL.
pub(crate) fn multiplied(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_matrix,
    [a, b, c]: [*const zka_matrix; 3],
) -> Result<impl Call + use<>, Failure> {
    let (a, b) = (MatrixKept::find(shared, a)?, MatrixKept::find(shared, b)?);
    let c = if c.is_null() { None } else { Some(MatrixKept::find(shared, c)?) };
    let making = a.matrix.multiply(&*b.matrix, c.as_ref().map(|c| &*c.matrix))?;
    make(arguments, shared, out, a.field, making)
}

fn tree(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_tree,
    matrix: *const zka_matrix,
    hash: u32,
) -> Result<impl Call + use<>, Failure> {
    let make = Functions::of(hash)?.resident_tree;
    let kept = MatrixKept::find(shared, matrix)?;
    let matrix: &dyn Any = &*kept.matrix;
    let Some(matrix) = matrix.downcast_ref::<DeviceMatrix<Goldilocks>>().cloned() else {
        let text = format!("hashes of rows over {}, expected Goldilocks", kept.matrix.field().name);
        return Err(Failure::new(ZKA_UNSUPPORTED, text));
    };
    log_rows(matrix.shape())?;
    let out = arguments.output("out", out, 1)?;
    Ok(move |engine: &Engine| {
        out.write(&[TREES.insert(Arc::new(make(engine, &matrix)?))]);
        Ok(())
    })
}
