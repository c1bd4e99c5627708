//! Multi-scalar multiplication over any curve, on the memory of halo2curves and arkworks as it is.

use std::sync::Arc;

use accel::Engine;
use accel::msm::BasesOptions;

use crate::arguments::{Arguments, check_flags, product};
use crate::curves::{AnyBases, Conversion, Curve};
use crate::engine::{SharedEngine, zka_engine};
use crate::future::{Call, later, now, zka_future};
use crate::handles::{Handles, Kind};
use crate::matrix::{MatrixKept, zka_matrix};
use crate::status::{Failure, ZKA_BAD_ARGUMENT, ZKA_BAD_LENGTH, guard, zka_status};

/// Points of a curve that an engine keeps in the form that its device wants. They may be used by any threads at once.
pub struct zka_bases {
    _opaque: (),
}

/// Bases are checked to be on the curve and, of `ZKA_BN254_G2` and of the groups of BLS12-381, BLS12-377 and BW6-761, in the group of the scalars' order: `ZKA_NOT_ON_CURVE` if one is not. Without it the sum over points off the curve is of no meaning.
pub const ZKA_VALIDATE: u32 = 1;
/// Multiples of the bases are computed and kept, as many as the memory budget allows.
pub const ZKA_PRECOMPUTE: u32 = 2;

/// The sum of `len` scalars times points of a curve, `ZKA_BN254_G1`, `ZKA_GRUMPKIN`, `ZKA_BN254_G2`, `ZKA_PALLAS`, `ZKA_VESTA`, `ZKA_BLS12_381_G1`, `ZKA_BLS12_381_G2`, `ZKA_BLS12_377_G1`, `ZKA_BLS12_377_G2` or `ZKA_BW6_761_G1`; of none it is the identity.
///
/// A scalar is four words, or six over `ZKA_BW6_761_G1`. A point is x and then y, of four words each, or of eight over `ZKA_BN254_G2`, c0 before c1; the identity is all zero. The
/// sum is X, Y and Z with x = X/Z and y = Y/Z; the identity is (0, 1, 0). Equal sums have many forms: compare them after `zka_point_to_aff`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_msm(
    engine: *mut zka_engine,
    curve: u32,
    out: *mut u64,
    scalars: *const u64,
    points: *const u64,
    len: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, _| msm(arguments, curve, out, scalars, points, len)) }
}

/// `zka_msm`, started: `out`, `scalars` and `points` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_msm_async(
    engine: *mut zka_engine,
    curve: u32,
    out: *mut u64,
    scalars: *const u64,
    points: *const u64,
    len: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, _| msm(arguments, curve, out, scalars, points, len)) }
}

/// Keeps a copy of `len` points of a curve for many sums. Flags: `ZKA_VALIDATE`, `ZKA_PRECOMPUTE`. Free it with `zka_bases_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bases_new(
    engine: *mut zka_engine,
    out: *mut *mut zka_bases,
    curve: u32,
    points: *const u64,
    len: usize,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| keep(arguments, shared, out, curve, points, len, flags)) }
}

/// `zka_bases_new`, started: `out` and `points` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bases_new_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_bases,
    curve: u32,
    points: *const u64,
    len: usize,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| keep(arguments, shared, out, curve, points, len, flags))
    }
}

/// The number of points that are kept.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bases_len(bases: *const zka_bases, out: *mut usize) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, 1)?;
        out.write(&[BASES.get(bases)?.bases.len()]);
        Ok(())
    })
}

/// Frees bases; NULL is nothing to free. Operations under way keep them until they are done; the engine may be gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bases_free(bases: *mut zka_bases) -> zka_status {
    guard(|| BASES.free(bases))
}

/// The sum of `len` scalars times the bases from number `offset` on, a point of their curve.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_msm_bases(
    engine: *mut zka_engine,
    out: *mut u64,
    scalars: *const u64,
    bases: *const zka_bases,
    offset: usize,
    len: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        now(engine, |arguments, shared| sums(arguments, shared, out, scalars, bases, None, [offset, len, 1]))
    }
}

/// `zka_msm_bases`, started: `out` and `scalars` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_msm_bases_async(
    engine: *mut zka_engine,
    out: *mut u64,
    scalars: *const u64,
    bases: *const zka_bases,
    offset: usize,
    len: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| {
            sums(arguments, shared, out, scalars, bases, None, [offset, len, 1])
        })
    }
}

/// `batch` sums over the same bases, the first `len`: sum i is of the scalars from number i * `len` on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_msm_batch(
    engine: *mut zka_engine,
    out: *mut u64,
    scalars: *const u64,
    bases: *const zka_bases,
    len: usize,
    batch: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        now(engine, |arguments, shared| sums(arguments, shared, out, scalars, bases, None, [0, len, batch]))
    }
}

/// `zka_msm_batch`, started: `out` and `scalars` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_msm_batch_async(
    engine: *mut zka_engine,
    out: *mut u64,
    scalars: *const u64,
    bases: *const zka_bases,
    len: usize,
    batch: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| {
            sums(arguments, shared, out, scalars, bases, None, [0, len, batch])
        })
    }
}

/// `batch` sums of the elements of a matrix that stays times the `len` bases from number `offset` on.
///
/// The matrix is over the scalars of the bases' curve and has `len` * `batch` elements: sum i is of those from number i * `len` on, column
/// after column. With `len` rows a sum is that of a column.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_msm_matrix(
    engine: *mut zka_engine,
    out: *mut u64,
    matrix: *const zka_matrix,
    bases: *const zka_bases,
    offset: usize,
    len: usize,
    batch: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        now(engine, |arguments, shared| {
            sums_of_matrix(arguments, shared, out, matrix, bases, [offset, len, batch])
        })
    }
}

/// `zka_msm_matrix`, started: `out` is the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_msm_matrix_async(
    engine: *mut zka_engine,
    out: *mut u64,
    matrix: *const zka_matrix,
    bases: *const zka_bases,
    offset: usize,
    len: usize,
    batch: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| {
            sums_of_matrix(arguments, shared, out, matrix, bases, [offset, len, batch])
        })
    }
}

/// A sum, X, Y and Z, as an affine point: x, y; the identity is all zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_point_to_aff(curve: u32, out: *mut u64, r#in: *const u64) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { convert(curve, out, r#in, |curve| (curve.point, curve.affine)) }
}

/// A sum in Jacobian coordinates, x = X/Z^2 and y = Y/Z^3, as arkworks has it; Z of the identity is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_point_to_jac(curve: u32, out: *mut u64, r#in: *const u64) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { convert(curve, out, r#in, |curve| (curve.sum, curve.jacobian)) }
}

/// # Safety
/// The pointers are null or valid.
unsafe fn convert(
    curve: u32,
    out: *mut u64,
    sum: *const u64,
    conversion: fn(Curve) -> (usize, Conversion),
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's.
        let mut arguments = unsafe { Arguments::new() };
        let curve = Curve::of(curve)?;
        let (words, conversion) = conversion(curve);
        let out = arguments.output("out", out, words)?;
        let sum = arguments.input("in", sum, curve.sum)?;
        arguments.check_aliases()?;
        out.write(&conversion(sum.as_slice())?);
        Ok(())
    })
}

static BASES: Handles<BasesKept> = Handles::new(Kind::Bases);

/// Bases, the number of their curve, and that of the engine that keeps them.
struct BasesKept {
    bases: Box<dyn AnyBases>,
    curve: u32,
    engine: u64,
}

impl BasesKept {
    /// The bases behind a handle, of a certain curve if one is expected.
    fn find(
        shared: &SharedEngine,
        bases: *const zka_bases,
        expected: Option<u32>,
    ) -> Result<Arc<Self>, Failure> {
        let kept = BASES.get(bases)?;
        shared.check_owner(kept.engine, "the bases belong")?;
        match expected {
            Some(curve) if curve != kept.curve => {
                let (expected, found) = (Curve::of(curve)?.name, Curve::of(kept.curve)?.name);
                Err(Failure::new(ZKA_BAD_ARGUMENT, format!("bases of {found}, expected {expected}")))
            }
            _ => Ok(kept),
        }
    }

    /// `ZKA_BAD_LENGTH` unless there are `len` bases from number `offset` on.
    fn check_range(&self, offset: usize, len: usize) -> Result<(), Failure> {
        let count = self.bases.len();
        match offset.checked_add(len).is_some_and(|end| end <= count) {
            true => Ok(()),
            false => {
                let text =
                    format!("{len} bases from number {offset} on, expected no more than there are, {count}");
                Err(Failure::new(ZKA_BAD_LENGTH, text))
            }
        }
    }
}

fn msm(
    arguments: &mut Arguments,
    curve: u32,
    out: *mut u64,
    scalars: *const u64,
    points: *const u64,
    len: usize,
) -> Result<impl Call + use<>, Failure> {
    let curve = Curve::of(curve)?;
    let out = arguments.output("out", out, curve.sum)?;
    let scalars = arguments.input("scalars", scalars, product("scalars", len, curve.scalar)?)?;
    let points = arguments.input("points", points, product("points", len, curve.point)?)?;
    Ok(move |engine: &Engine| {
        out.write(&(curve.msm)(engine, scalars.as_slice(), points.as_slice())?);
        Ok(())
    })
}

fn keep(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_bases,
    number: u32,
    points: *const u64,
    len: usize,
    flags: u32,
) -> Result<impl Call + use<>, Failure> {
    check_flags(flags, ZKA_VALIDATE | ZKA_PRECOMPUTE)?;
    let options = BasesOptions { validate: flags & ZKA_VALIDATE != 0, tables: flags & ZKA_PRECOMPUTE != 0 };
    let (curve, engine_number) = (Curve::of(number)?, shared.number);
    let out = arguments.output("out", out, 1)?;
    let points = arguments.input("points", points, product("points", len, curve.point)?)?;
    Ok(move |engine: &Engine| {
        let bases = (curve.keep)(engine, points.as_slice(), options)?;
        out.write(&[BASES.insert(Arc::new(BasesKept { bases, curve: number, engine: engine_number }))]);
        Ok(())
    })
}

/// Sums over kept bases, of a certain curve if one is expected.
pub(crate) fn sums(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut u64,
    scalars: *const u64,
    bases: *const zka_bases,
    curve: Option<u32>,
    [offset, len, batch]: [usize; 3],
) -> Result<impl Call + use<>, Failure> {
    let kept = BasesKept::find(shared, bases, curve)?;
    kept.check_range(offset, len)?;
    let curve = Curve::of(kept.curve)?;
    let out = arguments.output("out", out, product("out", batch, curve.sum)?)?;
    let count = product("scalars", len, batch)?;
    let scalars = arguments.input("scalars", scalars, product("scalars", count, curve.scalar)?)?;
    Ok(move |engine: &Engine| {
        out.write(&kept.bases.sums(engine, scalars.as_slice(), offset..offset + len, batch)?);
        Ok(())
    })
}

fn sums_of_matrix(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut u64,
    matrix: *const zka_matrix,
    bases: *const zka_bases,
    [offset, len, batch]: [usize; 3],
) -> Result<impl Call + use<>, Failure> {
    let (matrix, kept) = (MatrixKept::find(shared, matrix)?, BasesKept::find(shared, bases, None)?);
    kept.check_range(offset, len)?;
    let shape = matrix.matrix.shape();
    let (found, expected) = (shape.rows * shape.columns, product("scalars", len, batch)?);
    if found != expected {
        let text = format!("the matrix has {found} elements, expected {len} x {batch}");
        return Err(Failure::new(ZKA_BAD_LENGTH, text));
    }
    let sums = kept.bases.sums_of(&*matrix.matrix, offset..offset + len)?;
    let words = Curve::of(kept.curve)?.sum;
    let out = arguments.output("out", out, product("out", batch, words)?)?;
    Ok(move |engine: &Engine| {
        out.write(&sums(engine)?);
        Ok(())
    })
}
