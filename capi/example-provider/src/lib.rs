//! A provider in a hundred lines: arkworks' multi-scalar multiplication, for zkaccel to load as `provider:PATH`.
//!
//! It exports six functions of `zkaccel.h`: the five that every provider has, and `zka_bn254_g1_msm`. What it can do is
//! told by `zka_capabilities`; zkaccel answers everything else with an error. A provider in C would include the header
//! and define the same functions.

// What callers promise of pointers is said in zkaccel.h.
#![allow(clippy::missing_safety_doc)]

use std::ffi::c_char;
use std::panic::catch_unwind;

use ark_bn254::{Fq, Fr, G1Affine, G1Projective};
use ark_ec::VariableBaseMSM;
use ark_ff::BigInt;

const OK: i32 = 0;
const NULL_POINTER: i32 = 1;
const ABI_MISMATCH: i32 = 18;
const INTERNAL: i32 = 20;

/// The version of the interface that this provider was written for.
const ABI_VERSION: u32 = 0x0001_0000;
const CAN_BN254_MSM: u64 = 32;

/// There is nothing to keep, so all engines are one.
static ENGINE: u8 = 0;

/// The version of the interface.
#[unsafe(no_mangle)]
pub extern "C" fn zka_abi_version() -> u32 {
    ABI_VERSION
}

/// What this provider can do.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_capabilities(bits: *mut u64) -> i32 {
    if bits.is_null() {
        return NULL_POINTER;
    }
    // SAFETY: the caller's promise.
    unsafe { bits.write(CAN_BN254_MSM) };
    OK
}

/// Makes an engine; options are left unread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_engine_new(out: *mut *const u8, abi: u32, _options: *const u8) -> i32 {
    if out.is_null() {
        return NULL_POINTER;
    }
    if abi >> 16 != ABI_VERSION >> 16 {
        return ABI_MISMATCH;
    }
    // SAFETY: the caller's promise.
    unsafe { out.write(&raw const ENGINE) };
    OK
}

/// Ends an engine.
#[unsafe(no_mangle)]
pub extern "C" fn zka_engine_shutdown(_engine: *mut u8) -> i32 {
    OK
}

/// The text of an error: this provider has one for all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_last_error(buf: *mut c_char, cap: usize) -> i32 {
    const TEXT: &std::ffi::CStr = c"a pointer is null, or arkworks panicked";
    let bytes = TEXT.to_bytes_with_nul();
    if buf.is_null() || cap < bytes.len() {
        return NULL_POINTER;
    }
    // SAFETY: the caller's promise, and there is room.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buf.cast(), bytes.len()) };
    OK
}

/// The sum of `len` scalars times points: `[u64; 4]` a scalar, `[u64; 8]` a point, all in Montgomery form.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_bn254_g1_msm(
    _engine: *mut u8,
    out: *mut [[u64; 4]; 3],
    scalars: *const [u64; 4],
    points: *const [[u64; 4]; 2],
    len: usize,
) -> i32 {
    if out.is_null() || (len > 0 && (scalars.is_null() || points.is_null())) {
        return NULL_POINTER;
    }
    let sum = catch_unwind(|| {
        if len == 0 {
            return G1Projective::default();
        }
        // SAFETY: the caller's promise.
        let (scalars, points) =
            unsafe { (std::slice::from_raw_parts(scalars, len), std::slice::from_raw_parts(points, len)) };
        let scalars: Vec<_> = scalars.iter().map(|&limbs| Fr::new_unchecked(BigInt(limbs))).collect();
        let points: Vec<_> = points.iter().map(|&[x, y]| point(x, y)).collect();
        G1Projective::msm_unchecked(&points, &scalars)
    });
    let Ok(sum) = sum else { return INTERNAL };
    // SAFETY: the caller's promise.
    unsafe { out.write(homogeneous(sum)) };
    OK
}

/// A point of the interface, whose identity is all zero.
fn point(x: [u64; 4], y: [u64; 4]) -> G1Affine {
    match (x, y) {
        ([0, 0, 0, 0], [0, 0, 0, 0]) => G1Affine::identity(),
        _ => G1Affine::new_unchecked(Fq::new_unchecked(BigInt(x)), Fq::new_unchecked(BigInt(y))),
    }
}

/// The interface's homogeneous coordinates from arkworks' Jacobian ones: X/Z^2 = (X Z)/Z^3 and Y/Z^3.
fn homogeneous(sum: G1Projective) -> [[u64; 4]; 3] {
    let z_cubed = sum.z * sum.z * sum.z;
    match z_cubed == Fq::from(0u64) {
        true => [Fq::from(0u64), Fq::from(1u64), z_cubed].map(|coordinate| coordinate.0.0),
        false => [sum.x * sum.z, sum.y, z_cubed].map(|coordinate| coordinate.0.0),
    }
}
