//! Transforms over Goldilocks in host memory.

use accel::Engine;
use accel::field::Goldilocks;
use accel::matrix::MatrixRef;

use crate::arguments::{Arguments, check_flags, product};
use crate::engine::zka_engine;
use crate::future::{Call, later, now, zka_future};
use crate::status::{Failure, zka_status};
use crate::transforms::{Roots, ZKA_COLUMN_MAJOR, ZKA_OUT_BITREV, in_place, shape};

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
    unsafe { now(engine, |arguments, _| ntt(arguments, data, log_n, cols, omega, coset, flags)) }
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
    unsafe { later(engine, future, |arguments, _| ntt(arguments, data, log_n, cols, omega, coset, flags)) }
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
        now(engine, |arguments, _| lde(arguments, out, r#in, log_n, log_blowup, cols, omega, coset, flags))
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
            lde(arguments, out, r#in, log_n, log_blowup, cols, omega, coset, flags)
        })
    }
}

fn ntt(
    arguments: &mut Arguments,
    data: *mut u64,
    log_n: u32,
    cols: usize,
    omega: u64,
    coset: u64,
    flags: u32,
) -> Result<impl Call + use<>, Failure> {
    in_place::<Goldilocks>(arguments, data, log_n, cols, Roots { omega: &[omega], coset: &[coset] }, flags)
}

#[expect(clippy::too_many_arguments, reason = "those of the C function")]
fn lde(
    arguments: &mut Arguments,
    out: *mut u64,
    input: *const u64,
    log_n: u32,
    log_blowup: u32,
    cols: usize,
    omega: u64,
    coset: u64,
    flags: u32,
) -> Result<impl Call + use<>, Failure> {
    check_flags(flags, ZKA_OUT_BITREV | ZKA_COLUMN_MAJOR)?;
    let roots = Roots { omega: &[omega], coset: &[coset] };
    let lde = roots.lde::<Goldilocks>(log_n, log_blowup, flags)?;
    let shape = shape(lde.from().size(), cols, flags)?;
    let mut output =
        arguments.in_out("out", out.cast::<Goldilocks>(), product("out", lde.to().size(), cols)?)?;
    let input = arguments.input("in", input.cast::<Goldilocks>(), product("in", shape.rows, cols)?)?;
    Ok(move |engine: &Engine| {
        Ok(engine.lde_copied_into(&lde, MatrixRef::new(input.as_slice(), shape)?, output.as_mut_slice())?)
    })
}
