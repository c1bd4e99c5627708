//! Sparse matrices over fields of curves, and their products with vectors that stay.

use std::any::Any;
use std::sync::Arc;

use accel::resident::DeviceMatrix;
use accel::sparse::{DeviceSparseMatrix, SparseMatrix};
use accel::vectors::AcceleratedPrime;
use accel::{Engine, Error};

use crate::any_matrix::AnyMatrix;
use crate::arguments::{Arguments, product};
use crate::engine::{SharedEngine, zka_engine};
use crate::fields::{Field, Words};
use crate::future::{Call, later, now, zka_future};
use crate::handles::{Handles, Kind};
use crate::matrix::{MatrixKept, make, zka_matrix};
use crate::status::{Failure, ZKA_BAD_ARGUMENT, ZKA_BAD_LENGTH, ZKA_UNSUPPORTED, guard, zka_status};
use crate::transforms::Making;

/// A sparse matrix that an engine keeps in the form that its device wants. It may be used by any threads at once.
pub struct zka_sparse {
    _opaque: (),
}

/// Keeps a sparse matrix over a field of curves, which is any but `ZKA_GOLDILOCKS`, of `rows` rows, `cols` columns and `entries` entries; the
/// others are 0. Over Goldilocks it is `ZKA_UNSUPPORTED`. Free it with `zka_sparse_free`.
///
/// The entries of row i are those from number `row_starts`[i] to before number `row_starts`[i + 1], so there are `rows` + 1 starts, 0 is the
/// first, and `entries` the last. An entry is the index of a column and a value, an element of the field. Entries of a row with the same
/// index add up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_sparse_new(
    engine: *mut zka_engine,
    out: *mut *mut zka_sparse,
    field: u32,
    row_starts: *const usize,
    indices: *const u32,
    values: *const u64,
    rows: usize,
    cols: usize,
    entries: usize,
) -> zka_status {
    let input = Rows { row_starts, indices, values, rows, cols, entries };
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| keep(arguments, shared, out, field, input)) }
}

/// `zka_sparse_new`, started: `out`, `row_starts`, `indices` and `values` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_sparse_new_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_sparse,
    field: u32,
    row_starts: *const usize,
    indices: *const u32,
    values: *const u64,
    rows: usize,
    cols: usize,
    entries: usize,
    future: *mut zka_future,
) -> zka_status {
    let input = Rows { row_starts, indices, values, rows, cols, entries };
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, shared| keep(arguments, shared, out, field, input)) }
}

/// The field of a sparse matrix, and its numbers of rows, columns and entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_sparse_shape(
    sparse: *const zka_sparse,
    field: *mut u32,
    rows: *mut usize,
    cols: *mut usize,
    entries: *mut usize,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut arguments = unsafe { Arguments::new() };
        let field = arguments.output("field", field, 1)?;
        let rows = arguments.output("rows", rows, 1)?;
        let cols = arguments.output("cols", cols, 1)?;
        let entries = arguments.output("entries", entries, 1)?;
        arguments.check_aliases()?;
        let kept = MATRICES.get(sparse)?;
        let [all_rows, columns, count] = kept.matrix.shape();
        field.write(&[kept.field]);
        rows.write(&[all_rows]);
        cols.write(&[columns]);
        entries.write(&[count]);
        Ok(())
    })
}

/// Frees a sparse matrix; NULL is nothing to free. Operations under way keep it until they are done; the engine may be gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_sparse_free(sparse: *mut zka_sparse) -> zka_status {
    guard(|| MATRICES.free(sparse))
}

/// The product of a sparse matrix of at least one row with a vector: a matrix that stays, over the same field, of one column and as many rows
/// as the sparse matrix has columns. The product is another, with a row for each row of the sparse matrix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_sparse_multiply(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    sparse: *const zka_sparse,
    vector: *const zka_matrix,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| multiply(arguments, shared, out, sparse, vector)) }
}

/// `zka_sparse_multiply`, started: `out` is the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_sparse_multiply_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    sparse: *const zka_sparse,
    vector: *const zka_matrix,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, shared| multiply(arguments, shared, out, sparse, vector)) }
}

/// A sparse matrix in memory of the caller.
struct Rows {
    row_starts: *const usize,
    indices: *const u32,
    values: *const u64,
    rows: usize,
    cols: usize,
    entries: usize,
}

/// A sparse matrix over any field.
pub(crate) trait AnySparse: Send + Sync {
    /// Rows, columns and entries.
    fn shape(&self) -> [usize; 3];
    /// Checks the product with a vector.
    fn multiply(&self, vector: &dyn AnyMatrix) -> Result<Making, Failure>;
}

impl<F: AcceleratedPrime + Words> AnySparse for DeviceSparseMatrix<F> {
    fn shape(&self) -> [usize; 3] {
        let matrix = self.as_host();
        [matrix.rows(), matrix.columns(), matrix.entries()]
    }

    fn multiply(&self, vector: &dyn AnyMatrix) -> Result<Making, Failure> {
        let any: &dyn Any = vector;
        let Some(vector) = any.downcast_ref::<DeviceMatrix<F>>().cloned() else {
            let text = format!("a vector over {}, expected {}", vector.field().name, <F as Words>::NAME);
            return Err(Failure::new(ZKA_BAD_ARGUMENT, text));
        };
        let (matrix, shape) = (self.clone(), vector.shape());
        let [rows, columns, _] = AnySparse::shape(self);
        if rows == 0 || shape.columns != 1 || shape.rows != columns {
            let text = format!(
                "a sparse matrix of {rows} rows and {columns} columns, and a vector of {} rows and {} columns, expected at least one \
                 row, and {columns} rows and 1 column",
                shape.rows, shape.columns
            );
            return Err(Failure::new(ZKA_BAD_LENGTH, text));
        }
        Ok(Box::new(move |engine| Ok(Box::new(engine.sparse_product(&matrix, &vector)?))))
    }
}

/// Keeps a sparse matrix over a field: of so many columns, by its row starts, indices and the words of its values.
pub(crate) type Keeper = fn(&Engine, usize, &[usize], &[u32], &[u64]) -> Result<Box<dyn AnySparse>, Error>;

/// A [`Keeper`].
pub(crate) fn keep_over<F: AcceleratedPrime + Words>(
    engine: &Engine,
    columns: usize,
    row_starts: &[usize],
    indices: &[u32],
    values: &[u64],
) -> Result<Box<dyn AnySparse>, Error> {
    let matrix = SparseMatrix::new(columns, row_starts, indices, <F as Words>::elements(values)?)?;
    Ok(Box::new(engine.sparse_matrix(matrix)?))
}

static MATRICES: Handles<SparseKept> = Handles::new(Kind::Sparse);

/// A sparse matrix, the number of its field, and that of the engine that keeps it.
struct SparseKept {
    matrix: Box<dyn AnySparse>,
    field: u32,
    engine: u64,
}

fn keep(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_sparse,
    number: u32,
    input: Rows,
) -> Result<impl Call + use<>, Failure> {
    let field = Field::of(number)?;
    let Some(keep) = field.keep_sparse else {
        let text = format!("sparse matrices over {}, expected a field of curves", field.name);
        return Err(Failure::new(ZKA_UNSUPPORTED, text));
    };
    let Rows { row_starts, indices, values, rows, cols, entries } = input;
    let starts = rows.checked_add(1).ok_or_else(|| {
        Failure::new(ZKA_BAD_LENGTH, format!("row_starts is longer than memory: {rows} + 1 entries"))
    })?;
    let out = arguments.output("out", out, 1)?;
    let row_starts = arguments.input("row_starts", row_starts, starts)?;
    let indices = arguments.input("indices", indices, entries)?;
    let values = arguments.input("values", values, product("values", entries, field.words)?)?;
    let engine_number = shared.number;
    Ok(move |engine: &Engine| {
        let matrix = keep(engine, cols, row_starts.as_slice(), indices.as_slice(), values.as_slice())?;
        let kept = SparseKept { matrix, field: number, engine: engine_number };
        out.write(&[MATRICES.insert(Arc::new(kept))]);
        Ok(())
    })
}

fn multiply(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_matrix,
    sparse: *const zka_sparse,
    vector: *const zka_matrix,
) -> Result<impl Call + use<>, Failure> {
    let kept = MATRICES.get(sparse)?;
    shared.check_owner(kept.engine, "the sparse matrix belongs")?;
    let vector = MatrixKept::find(shared, vector)?;
    let making = kept.matrix.multiply(&*vector.matrix)?;
    make(arguments, shared, out, kept.field, making)
}
