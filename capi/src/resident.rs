//! Matrices over Goldilocks that stay on the engine's device between operations.

use std::sync::Arc;

use accel::field::Goldilocks;
use accel::matrix::{Layout, MatrixRef, Shape};
use accel::ntt::{Lde, Ntt};
use accel::resident::DeviceMatrix;
use accel::{Engine, Error};

use crate::arguments::{Arguments, Input, Output, check_flags, product};
use crate::engine::{State, zka_engine};
use crate::future::{Call, later, now, zka_future};
use crate::goldilocks::{
    ZKA_COLUMN_MAJOR, ZKA_IN_BITREV, ZKA_INVERSE, ZKA_OUT_BITREV, extension, shape, transform,
};
use crate::handles::{Handles, Kind};
use crate::merkle::{Functions, ResidentMaker, TREES, zka_tree};
use crate::status::{Failure, ZKA_BAD_LENGTH, ZKA_WRONG_ENGINE, guard, zka_status};

/// A matrix over Goldilocks in the memory of an engine's device, or in host memory where that is the device's. It never changes:
/// operations make new ones. It may be used by any threads at once.
pub struct zka_matrix {
    _opaque: (),
}

/// Brings a matrix to the device, to stay there. Flags: `ZKA_COLUMN_MAJOR`. Free it with `zka_matrix_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_upload(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const u64,
    rows: usize,
    cols: usize,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, state| Upload::new(arguments, state, out, r#in, rows, cols, flags)) }
}

/// `zka_matrix_upload`, started: `out` and `in` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_upload_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const u64,
    rows: usize,
    cols: usize,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, state| Upload::new(arguments, state, out, r#in, rows, cols, flags))
    }
}

/// Copies a matrix to host memory, in its layout. `len` is the number of its words, `rows` * `cols`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_download(
    engine: *mut zka_engine,
    out: *mut u64,
    r#in: *const zka_matrix,
    len: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, state| Download::new(arguments, state, out, r#in, len)) }
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
    unsafe { later(engine, future, |arguments, state| Download::new(arguments, state, out, r#in, len)) }
}

/// Copies `count` rows of a matrix, by their indices, to host memory, one after another, each from left to right.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_rows(
    engine: *mut zka_engine,
    out: *mut u64,
    r#in: *const zka_matrix,
    indices: *const usize,
    count: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, state| Rows::new(arguments, state, out, r#in, indices, count)) }
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
        later(engine, future, |arguments, state| Rows::new(arguments, state, out, r#in, indices, count))
    }
}

/// `zka_goldilocks_ntt` of a matrix that stays, to another that does; its layout too. Flags: `ZKA_INVERSE`, `ZKA_IN_BITREV`,
/// `ZKA_OUT_BITREV`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_ntt(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    omega: u64,
    coset: u64,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, state| NttOf::new(arguments, state, out, r#in, omega, coset, flags)) }
}

/// `zka_matrix_ntt`, started: `out` is the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_ntt_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    omega: u64,
    coset: u64,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, state| NttOf::new(arguments, state, out, r#in, omega, coset, flags))
    }
}

/// `zka_goldilocks_lde` of a matrix that stays, to another that does; its layout too. Flags: `ZKA_OUT_BITREV`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_lde(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    log_blowup: u32,
    omega: u64,
    coset: u64,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        now(engine, |arguments, state| {
            LdeOf::new(arguments, state, out, r#in, [omega, coset], log_blowup, flags)
        })
    }
}

/// `zka_matrix_lde`, started: `out` is the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_lde_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    r#in: *const zka_matrix,
    log_blowup: u32,
    omega: u64,
    coset: u64,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, state| {
            LdeOf::new(arguments, state, out, r#in, [omega, coset], log_blowup, flags)
        })
    }
}

/// The Merkle tree whose leaf i is the hash of row i of a matrix that stays; the tree stays too, and what is asked of it is brought
/// back. The number of rows is a power of two.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_merkle(
    engine: *mut zka_engine,
    out: *mut *mut zka_tree,
    r#in: *const zka_matrix,
    hash: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, state| TreeOf::new(arguments, state, out, r#in, hash)) }
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
    unsafe { later(engine, future, |arguments, state| TreeOf::new(arguments, state, out, r#in, hash)) }
}

/// The number of rows and of columns of a matrix that stays, and its layout: `flags` is `ZKA_COLUMN_MAJOR` or 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_shape(
    matrix: *const zka_matrix,
    rows: *mut usize,
    cols: *mut usize,
    flags: *mut u32,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut arguments = unsafe { Arguments::new() };
        let rows = arguments.output("rows", rows, 1)?;
        let cols = arguments.output("cols", cols, 1)?;
        let flags = arguments.output("flags", flags, 1)?;
        arguments.check_aliases()?;
        let shape = MATRICES.get(matrix)?.matrix.shape();
        rows.write(&[shape.rows]);
        cols.write(&[shape.columns]);
        flags.write(&[if shape.layout == Layout::ColumnMajor { ZKA_COLUMN_MAJOR } else { 0 }]);
        Ok(())
    })
}

/// Frees a matrix that stays; NULL is nothing to free. Operations under way keep it until they are done; the engine may be gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_matrix_free(matrix: *mut zka_matrix) -> zka_status {
    guard(|| match matrix.is_null() {
        true => Ok(()),
        false => MATRICES.remove(matrix).map(drop),
    })
}

static MATRICES: Handles<Kept> = Handles::new(Kind::Matrix);

/// A matrix and the number of its engine.
struct Kept {
    matrix: DeviceMatrix<Goldilocks>,
    engine: u64,
}

/// The matrix behind a handle; `ZKA_WRONG_ENGINE` if another engine made it.
fn find(state: &State, matrix: *const zka_matrix) -> Result<Arc<Kept>, Failure> {
    let kept = MATRICES.get(matrix)?;
    match kept.engine == state.number {
        true => Ok(kept),
        false => Err(Failure::new(ZKA_WRONG_ENGINE, "the matrix belongs to another engine")),
    }
}

/// Where a new matrix of an engine goes.
struct Place {
    out: Output<*mut zka_matrix>,
    engine: u64,
}

impl Place {
    fn new(arguments: &mut Arguments, state: &State, out: *mut *mut zka_matrix) -> Result<Self, Failure> {
        Ok(Self { out: arguments.output("out", out, 1)?, engine: state.number })
    }

    fn fill(self, matrix: DeviceMatrix<Goldilocks>) {
        self.out.write(&[MATRICES.insert(Arc::new(Kept { matrix, engine: self.engine }))]);
    }
}

/// The binary logarithm of the rows; `ZKA_BAD_LENGTH` where they are no power of two.
fn log_rows(matrix: &DeviceMatrix<Goldilocks>) -> Result<u32, Failure> {
    let rows = matrix.shape().rows;
    match rows.is_power_of_two() {
        true => Ok(rows.trailing_zeros()),
        false => Err(Error::NotPowerOfTwo { what: "rows of the matrix", found: rows }.into()),
    }
}

struct Upload {
    place: Place,
    input: Input<Goldilocks>,
    shape: Shape,
}

impl Upload {
    fn new(
        arguments: &mut Arguments,
        state: &State,
        out: *mut *mut zka_matrix,
        input: *const u64,
        rows: usize,
        cols: usize,
        flags: u32,
    ) -> Result<Self, Failure> {
        check_flags(flags, ZKA_COLUMN_MAJOR)?;
        if rows == 0 {
            return Err(Failure::new(ZKA_BAD_LENGTH, "the matrix has no rows, expected at least one"));
        }
        let shape = shape(rows, cols, flags)?;
        let place = Place::new(arguments, state, out)?;
        let input = arguments.input("in", input.cast(), product("in", rows, cols)?)?;
        Ok(Self { place, input, shape })
    }
}

impl Call for Upload {
    fn run(self, engine: &Engine) -> Result<(), Error> {
        self.place.fill(engine.upload(MatrixRef::new(self.input.as_slice(), self.shape)?)?);
        Ok(())
    }
}

struct Download {
    out: Output<Goldilocks>,
    kept: Arc<Kept>,
}

impl Download {
    fn new(
        arguments: &mut Arguments,
        state: &State,
        out: *mut u64,
        matrix: *const zka_matrix,
        len: usize,
    ) -> Result<Self, Failure> {
        let kept = find(state, matrix)?;
        let Shape { rows, columns, .. } = kept.matrix.shape();
        if len != rows * columns {
            let text = format!("room for {len} words, expected {rows} x {columns}, those of the matrix");
            return Err(Failure::new(ZKA_BAD_LENGTH, text));
        }
        Ok(Self { out: arguments.output("out", out.cast(), len)?, kept })
    }
}

impl Call for Download {
    fn run(self, engine: &Engine) -> Result<(), Error> {
        match self.kept.matrix.as_host() {
            Some(matrix) => self.out.write(matrix.as_slice()),
            None => self.out.write(engine.download(&self.kept.matrix)?.as_slice()),
        }
        Ok(())
    }
}

struct Rows {
    out: Output<Goldilocks>,
    kept: Arc<Kept>,
    indices: Input<usize>,
}

impl Rows {
    fn new(
        arguments: &mut Arguments,
        state: &State,
        out: *mut u64,
        matrix: *const zka_matrix,
        indices: *const usize,
        count: usize,
    ) -> Result<Self, Failure> {
        let kept = find(state, matrix)?;
        let words = product("out", count, kept.matrix.shape().columns)?;
        let out = arguments.output("out", out.cast(), words)?;
        Ok(Self { out, kept, indices: arguments.input("indices", indices, count)? })
    }
}

impl Call for Rows {
    fn run(self, _: &Engine) -> Result<(), Error> {
        self.out.write(&self.kept.matrix.read_rows(self.indices.as_slice())?.concat());
        Ok(())
    }
}

struct NttOf {
    place: Place,
    kept: Arc<Kept>,
    ntt: Ntt,
}

impl NttOf {
    fn new(
        arguments: &mut Arguments,
        state: &State,
        out: *mut *mut zka_matrix,
        matrix: *const zka_matrix,
        omega: u64,
        coset: u64,
        flags: u32,
    ) -> Result<Self, Failure> {
        check_flags(flags, ZKA_INVERSE | ZKA_IN_BITREV | ZKA_OUT_BITREV)?;
        let kept = find(state, matrix)?;
        let ntt = transform(log_rows(&kept.matrix)?, omega, coset, flags)?;
        Ok(Self { place: Place::new(arguments, state, out)?, kept, ntt })
    }
}

impl Call for NttOf {
    fn run(self, engine: &Engine) -> Result<(), Error> {
        let mut matrix = self.kept.matrix.clone();
        engine.ntt(&self.ntt, &mut matrix)?;
        self.place.fill(matrix);
        Ok(())
    }
}

struct LdeOf {
    place: Place,
    kept: Arc<Kept>,
    lde: Lde,
}

impl LdeOf {
    fn new(
        arguments: &mut Arguments,
        state: &State,
        out: *mut *mut zka_matrix,
        matrix: *const zka_matrix,
        [omega, coset]: [u64; 2],
        log_blowup: u32,
        flags: u32,
    ) -> Result<Self, Failure> {
        check_flags(flags, ZKA_OUT_BITREV)?;
        let kept = find(state, matrix)?;
        let lde = extension(log_rows(&kept.matrix)?, log_blowup, omega, coset, flags)?;
        Ok(Self { place: Place::new(arguments, state, out)?, kept, lde })
    }
}

impl Call for LdeOf {
    fn run(self, engine: &Engine) -> Result<(), Error> {
        self.place.fill(engine.lde(&self.lde, &self.kept.matrix)?);
        Ok(())
    }
}

struct TreeOf {
    out: Output<*mut zka_tree>,
    kept: Arc<Kept>,
    make: ResidentMaker,
}

impl TreeOf {
    fn new(
        arguments: &mut Arguments,
        state: &State,
        out: *mut *mut zka_tree,
        matrix: *const zka_matrix,
        hash: u32,
    ) -> Result<Self, Failure> {
        let make = Functions::of(hash)?.resident_tree;
        let kept = find(state, matrix)?;
        log_rows(&kept.matrix)?;
        Ok(Self { out: arguments.output("out", out, 1)?, kept, make })
    }
}

impl Call for TreeOf {
    fn run(self, engine: &Engine) -> Result<(), Error> {
        let tree = (self.make)(engine, &self.kept.matrix)?;
        self.out.write(&[TREES.insert(Arc::new(tree))]);
        Ok(())
    }
}
