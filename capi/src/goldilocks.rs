//! Transforms over Goldilocks.

use accel::field::Goldilocks;
use accel::matrix::{Layout, MatrixMut, MatrixRef, Shape};
use accel::ntt::{Direction, Domain, Lde, Ntt, Order};
use accel::{Engine, Error};

use crate::arguments::{Arguments, InOut, Input, check_flags, product};
use crate::engine::zka_engine;
use crate::future::{Call, later, now, zka_future};
use crate::status::{Failure, ZKA_BAD_LENGTH, ZKA_BAD_LOG_SIZE, zka_status};

/// From values to coefficients, the factor 1/n included; else from coefficients to values.
pub const ZKA_INVERSE: u32 = 1;
/// The input is in bit-reversed order.
pub const ZKA_IN_BITREV: u32 = 2;
/// The output is in bit-reversed order.
pub const ZKA_OUT_BITREV: u32 = 4;
/// Entries of a column lie side by side; else entries of a row do.
pub const ZKA_COLUMN_MAJOR: u32 = 8;

/// Transforms every column of a matrix in place: 2^log_n rows, `cols` columns, words below p = 2^64 - 2^32 + 1.
///
/// Row i of the values belongs to the point `coset` * `omega`^i. `omega` is a root of unity of order exactly 2^log_n; `coset` is
/// not 0, and 1 for the subgroup itself. Flags: `ZKA_INVERSE`, `ZKA_IN_BITREV`, `ZKA_OUT_BITREV`, `ZKA_COLUMN_MAJOR`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_goldilocks_ntt(
    engine: *mut zka_engine,
    data: *mut u64,
    log_n: u32,
    cols: usize,
    omega: u64,
    coset: u64,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, _| NttCall::new(arguments, data, log_n, cols, omega, coset, flags)) }
}

/// `zka_goldilocks_ntt`, started: `data` is the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_goldilocks_ntt_async(
    engine: *mut zka_engine,
    data: *mut u64,
    log_n: u32,
    cols: usize,
    omega: u64,
    coset: u64,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, _| NttCall::new(arguments, data, log_n, cols, omega, coset, flags))
    }
}

/// Extends every column of `in`, values on a subgroup of order 2^log_n, to `out`, the values of the same polynomials on a larger
/// coset of order 2^(log_n + log_blowup), both in natural order.
///
/// `omega` is a root of unity of the larger order; its power by 2^log_blowup generates the subgroup. Row i of `out` belongs to the
/// point `coset` * `omega`^i. `in` is unchanged and does not overlap `out`. Flags: `ZKA_OUT_BITREV`, `ZKA_COLUMN_MAJOR` (of both).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_goldilocks_lde(
    engine: *mut zka_engine,
    out: *mut u64,
    r#in: *const u64,
    log_n: u32,
    log_blowup: u32,
    cols: usize,
    omega: u64,
    coset: u64,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        now(engine, |arguments, _| {
            LdeCall::new(arguments, out, r#in, log_n, log_blowup, cols, omega, coset, flags)
        })
    }
}

/// `zka_goldilocks_lde`, started: `out` and `in` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_goldilocks_lde_async(
    engine: *mut zka_engine,
    out: *mut u64,
    r#in: *const u64,
    log_n: u32,
    log_blowup: u32,
    cols: usize,
    omega: u64,
    coset: u64,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, _| {
            LdeCall::new(arguments, out, r#in, log_n, log_blowup, cols, omega, coset, flags)
        })
    }
}

struct NttCall {
    ntt: Ntt,
    data: InOut<Goldilocks>,
    shape: Shape,
}

impl NttCall {
    fn new(
        arguments: &mut Arguments,
        data: *mut u64,
        log_n: u32,
        cols: usize,
        omega: u64,
        coset: u64,
        flags: u32,
    ) -> Result<Self, Failure> {
        check_flags(flags, ZKA_INVERSE | ZKA_IN_BITREV | ZKA_OUT_BITREV | ZKA_COLUMN_MAJOR)?;
        let ntt = transform(log_n, omega, coset, flags)?;
        let shape = shape(ntt.domain.size(), cols, flags)?;
        let data = arguments.in_out("data", data.cast(), product("data", shape.rows, cols)?)?;
        Ok(Self { ntt, data, shape })
    }
}

impl Call for NttCall {
    fn run(mut self, engine: &Engine) -> Result<(), Error> {
        engine.ntt(&self.ntt, MatrixMut::new(self.data.as_mut_slice(), self.shape)?)
    }
}

struct LdeCall {
    lde: Lde,
    input: Input<Goldilocks>,
    output: InOut<Goldilocks>,
    shape: Shape,
}

impl LdeCall {
    #[expect(clippy::too_many_arguments, reason = "those of the C function")]
    fn new(
        arguments: &mut Arguments,
        out: *mut u64,
        input: *const u64,
        log_n: u32,
        log_blowup: u32,
        cols: usize,
        omega: u64,
        coset: u64,
        flags: u32,
    ) -> Result<Self, Failure> {
        check_flags(flags, ZKA_OUT_BITREV | ZKA_COLUMN_MAJOR)?;
        let lde = extension(log_n, log_blowup, omega, coset, flags)?;
        let shape = shape(lde.from().size(), cols, flags)?;
        let output = arguments.in_out("out", out.cast(), product("out", lde.to().size(), cols)?)?;
        let input = arguments.input("in", input.cast(), product("in", shape.rows, cols)?)?;
        Ok(Self { lde, input, output, shape })
    }
}

impl Call for LdeCall {
    fn run(mut self, engine: &Engine) -> Result<(), Error> {
        let matrix = MatrixRef::new(self.input.as_slice(), self.shape)?;
        engine.lde_copied_into(&self.lde, matrix, self.output.as_mut_slice())
    }
}

/// The transform that numbers and flags describe.
pub(crate) fn transform(log_n: u32, omega: u64, coset: u64, flags: u32) -> Result<Ntt, Failure> {
    let domain = Domain::with_root(log_n, bytemuck::cast(omega))?.coset(bytemuck::cast(coset))?;
    let direction = if flags & ZKA_INVERSE == 0 { Direction::Forward } else { Direction::Inverse };
    let (input_order, output_order) = (order(flags, ZKA_IN_BITREV), order(flags, ZKA_OUT_BITREV));
    Ok(Ntt { domain, direction, input_order, output_order })
}

/// The extension that numbers and flags describe.
pub(crate) fn extension(
    log_n: u32,
    log_blowup: u32,
    omega: u64,
    coset: u64,
    flags: u32,
) -> Result<Lde, Failure> {
    let log_size = log_n.checked_add(log_blowup).filter(|_| log_blowup > 0).ok_or_else(|| {
        let text = format!("a blow-up of 2^{log_blowup} was asked for, expected at least 2^1");
        Failure::new(ZKA_BAD_LOG_SIZE, text)
    })?;
    let omega: Goldilocks = bytemuck::cast(omega);
    let to = Domain::with_root(log_size, omega)?.coset(bytemuck::cast(coset))?;
    let subgroup_root = (0..log_blowup).fold(omega, |root, _| root * root);
    let lde = Lde::new(Domain::with_root(log_n, subgroup_root)?, to)?;
    Ok(lde.with_output_order(order(flags, ZKA_OUT_BITREV)))
}

/// The order of a side, by its flag.
pub(crate) fn order(flags: u32, bit_reversed: u32) -> Order {
    if flags & bit_reversed == 0 { Order::Natural } else { Order::BitReversed }
}

/// The shape of a matrix; `ZKA_BAD_LENGTH` if it has no columns.
pub(crate) fn shape(rows: usize, columns: usize, flags: u32) -> Result<Shape, Failure> {
    if columns == 0 {
        return Err(Failure::new(ZKA_BAD_LENGTH, "the matrix has no columns, expected at least one"));
    }
    let layout = if flags & ZKA_COLUMN_MAJOR == 0 { Layout::RowMajor } else { Layout::ColumnMajor };
    Ok(Shape { rows, columns, layout })
}
