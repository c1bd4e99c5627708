//! Two doubles in a vector of NEON, which every AArch64 processor has.

use std::arch::aarch64::*;
use std::ops::{Add, Sub};

use super::Doubles;

/// Two doubles.
#[derive(Clone, Copy)]
pub(in crate::backend::cpu) struct Neon(float64x2_t);

#[inline]
#[target_feature(enable = "neon")]
fn add(a: float64x2_t, b: float64x2_t) -> float64x2_t {
    vaddq_f64(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn sub(a: float64x2_t, b: float64x2_t) -> float64x2_t {
    vsubq_f64(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn mul_add(a: float64x2_t, b: float64x2_t, c: float64x2_t) -> float64x2_t {
    vfmaq_f64(c, a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn mul_sub(a: float64x2_t, b: float64x2_t, c: float64x2_t) -> float64x2_t {
    vfmaq_f64(vnegq_f64(c), a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn sub_from(a: float64x2_t, b: float64x2_t, c: float64x2_t) -> float64x2_t {
    vfmsq_f64(c, a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn load(values: &[f64; 2]) -> float64x2_t {
    // SAFETY: two doubles are what is read.
    unsafe { vld1q_f64(values.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon")]
fn store(a: float64x2_t, values: &mut [f64; 2]) {
    // SAFETY: two doubles are what is written.
    unsafe { vst1q_f64(values.as_mut_ptr(), a) }
}

#[inline]
#[target_feature(enable = "neon")]
fn splat(value: f64) -> float64x2_t {
    vdupq_n_f64(value)
}

super::vector!(Neon, 2);
