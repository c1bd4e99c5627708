//! BN254 by its own types: forwards to sums and transforms over any curve and field.

use accel::bn254::Fr;

use crate::arguments::{Arguments, check_flags};
use crate::curves::ZKA_BN254_G1;
use crate::engine::zka_engine;
use crate::fields::Words;
use crate::future::{Call, later, now, zka_future};
use crate::msm::{
    sums, zka_bases, zka_bases_new, zka_bases_new_async, zka_msm, zka_msm_async, zka_point_to_aff,
    zka_point_to_jac,
};
use crate::status::{Failure, zka_status};
use crate::transforms::{RootsInput, ZKA_COLUMN_MAJOR, ZKA_IN_BITREV, ZKA_INVERSE, ZKA_OUT_BITREV, in_place};

/// A scalar: x 2^256 modulo r, below r, four words, the lowest first.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct zka_bn254_fr {
    /// The words.
    pub limbs: [u64; 4],
}

/// A coordinate: x 2^256 modulo q, below q, four words, the lowest first.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct zka_bn254_fp {
    /// The words.
    pub limbs: [u64; 4],
}

/// A point of y^2 = x^3 + 3; the identity is all zero.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct zka_bn254_g1_aff {
    /// x.
    pub x: zka_bn254_fp,
    /// y.
    pub y: zka_bn254_fp,
}

/// A point in homogeneous coordinates, x = X/Z and y = Y/Z, as halo2curves has it; the identity is (0, 1, 0). Equal points have
/// many forms: compare them as `zka_bn254_g1_aff`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct zka_bn254_g1_prj {
    /// X.
    pub x: zka_bn254_fp,
    /// Y.
    pub y: zka_bn254_fp,
    /// Z.
    pub z: zka_bn254_fp,
}

/// A point in Jacobian coordinates, x = X/Z^2 and y = Y/Z^3, as arkworks has it; Z of the identity is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct zka_bn254_g1_jac {
    /// X.
    pub x: zka_bn254_fp,
    /// Y.
    pub y: zka_bn254_fp,
    /// Z.
    pub z: zka_bn254_fp,
}

const _: () = {
    assert!(size_of::<zka_bn254_fr>() == 32 && size_of::<zka_bn254_fp>() == 32);
    assert!(size_of::<zka_bn254_g1_aff>() == 64 && size_of::<zka_bn254_g1_prj>() == 96);
    assert!(size_of::<zka_bn254_g1_jac>() == 96 && align_of::<zka_bn254_g1_jac>() == 8);
};

/// The sum of `len` scalars times points; of none it is the identity.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_msm(
    engine: *mut zka_engine,
    out: *mut zka_bn254_g1_prj,
    scalars: *const zka_bn254_fr,
    points: *const zka_bn254_g1_aff,
    len: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { zka_msm(engine, ZKA_BN254_G1, out.cast(), scalars.cast(), points.cast(), len) }
}

/// `zka_bn254_g1_msm`, started: `out`, `scalars` and `points` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_msm_async(
    engine: *mut zka_engine,
    out: *mut zka_bn254_g1_prj,
    scalars: *const zka_bn254_fr,
    points: *const zka_bn254_g1_aff,
    len: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { zka_msm_async(engine, ZKA_BN254_G1, out.cast(), scalars.cast(), points.cast(), len, future) }
}

/// Keeps a copy of `len` points for many sums. Flags: `ZKA_VALIDATE`, `ZKA_PRECOMPUTE`. Free it with `zka_bases_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_bases_new(
    engine: *mut zka_engine,
    out: *mut *mut zka_bases,
    points: *const zka_bn254_g1_aff,
    len: usize,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { zka_bases_new(engine, out, ZKA_BN254_G1, points.cast(), len, flags) }
}

/// `zka_bn254_g1_bases_new`, started: `out` and `points` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_bases_new_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_bases,
    points: *const zka_bn254_g1_aff,
    len: usize,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { zka_bases_new_async(engine, out, ZKA_BN254_G1, points.cast(), len, flags, future) }
}

/// The sum of `len` scalars times the bases from number `offset` on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_msm_bases(
    engine: *mut zka_engine,
    out: *mut zka_bn254_g1_prj,
    scalars: *const zka_bn254_fr,
    bases: *const zka_bases,
    offset: usize,
    len: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        now(engine, |arguments, shared| {
            sums(arguments, shared, out.cast(), scalars.cast(), bases, G1, [offset, len, 1])
        })
    }
}

/// `zka_bn254_g1_msm_bases`, started: `out` and `scalars` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_msm_bases_async(
    engine: *mut zka_engine,
    out: *mut zka_bn254_g1_prj,
    scalars: *const zka_bn254_fr,
    bases: *const zka_bases,
    offset: usize,
    len: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| {
            sums(arguments, shared, out.cast(), scalars.cast(), bases, G1, [offset, len, 1])
        })
    }
}

/// `batch` sums over the same bases, the first `len`: sum i is of the scalars from number i * `len` on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_msm_batch(
    engine: *mut zka_engine,
    out: *mut zka_bn254_g1_prj,
    scalars: *const zka_bn254_fr,
    bases: *const zka_bases,
    len: usize,
    batch: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        now(engine, |arguments, shared| {
            sums(arguments, shared, out.cast(), scalars.cast(), bases, G1, [0, len, batch])
        })
    }
}

/// `zka_bn254_g1_msm_batch`, started: `out` and `scalars` are the operation's until the future was waited for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_msm_batch_async(
    engine: *mut zka_engine,
    out: *mut zka_bn254_g1_prj,
    scalars: *const zka_bn254_fr,
    bases: *const zka_bases,
    len: usize,
    batch: usize,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        later(engine, future, |arguments, shared| {
            sums(arguments, shared, out.cast(), scalars.cast(), bases, G1, [0, len, batch])
        })
    }
}

/// Transforms `batch` polynomials of 2^log_n scalars, one after another, in place.
///
/// Value i belongs to the point `coset` * `omega`^i; `coset` NULL is 1. `omega` is a root of unity of order exactly 2^log_n, at
/// most 2^28. The inverse includes the factor 1/n. Flags: `ZKA_INVERSE`, `ZKA_IN_BITREV`, `ZKA_OUT_BITREV`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fr_fft(
    engine: *mut zka_engine,
    data: *mut zka_bn254_fr,
    log_n: u32,
    batch: usize,
    omega: *const zka_bn254_fr,
    coset: *const zka_bn254_fr,
    flags: u32,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, _| fft(arguments, data, log_n, batch, omega, coset, flags)) }
}

/// `zka_bn254_fr_fft`, started: `data` is the operation's until the future was waited for; `omega` and `coset` are not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_fr_fft_async(
    engine: *mut zka_engine,
    data: *mut zka_bn254_fr,
    log_n: u32,
    batch: usize,
    omega: *const zka_bn254_fr,
    coset: *const zka_bn254_fr,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, _| fft(arguments, data, log_n, batch, omega, coset, flags)) }
}

/// A point as affine coordinates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_to_aff(
    out: *mut zka_bn254_g1_aff,
    r#in: *const zka_bn254_g1_prj,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { zka_point_to_aff(ZKA_BN254_G1, out.cast(), r#in.cast()) }
}

/// A point in Jacobian coordinates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_to_jac(
    out: *mut zka_bn254_g1_jac,
    r#in: *const zka_bn254_g1_prj,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe { zka_point_to_jac(ZKA_BN254_G1, out.cast(), r#in.cast()) }
}

/// The curve that bases have to be of.
const G1: Option<u32> = Some(ZKA_BN254_G1);

fn fft(
    arguments: &mut Arguments,
    data: *mut zka_bn254_fr,
    log_n: u32,
    batch: usize,
    omega: *const zka_bn254_fr,
    coset: *const zka_bn254_fr,
    flags: u32,
) -> Result<impl Call + use<>, Failure> {
    check_flags(flags, ZKA_INVERSE | ZKA_IN_BITREV | ZKA_OUT_BITREV)?;
    let roots = RootsInput::new(arguments, omega.cast(), coset.cast(), Fr::WORDS)?;
    in_place::<Fr>(arguments, data.cast(), log_n, batch, roots.as_roots(), flags | ZKA_COLUMN_MAJOR)
}
