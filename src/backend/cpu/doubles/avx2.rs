//! Four doubles in a vector of AVX2, with the fused products that all its processors have.

use std::arch::x86_64::*;
use std::ops::{Add, Sub};

use super::Doubles;

/// Four doubles. Values are made only where [`Vectors::enter`](super::Vectors::enter) may be called.
#[derive(Clone, Copy)]
pub(in crate::backend::cpu) struct Avx2(__m256d);

#[inline]
#[target_feature(enable = "avx2,fma")]
fn add(a: __m256d, b: __m256d) -> __m256d {
    _mm256_add_pd(a, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn sub(a: __m256d, b: __m256d) -> __m256d {
    _mm256_sub_pd(a, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn mul_add(a: __m256d, b: __m256d, c: __m256d) -> __m256d {
    _mm256_fmadd_pd(a, b, c)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn mul_sub(a: __m256d, b: __m256d, c: __m256d) -> __m256d {
    _mm256_fmsub_pd(a, b, c)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn sub_from(a: __m256d, b: __m256d, c: __m256d) -> __m256d {
    _mm256_fnmadd_pd(a, b, c)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn load(values: &[f64; 4]) -> __m256d {
    // SAFETY: four doubles are what is read.
    unsafe { _mm256_loadu_pd(values.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn store(a: __m256d, values: &mut [f64; 4]) {
    // SAFETY: four doubles are what is written.
    unsafe { _mm256_storeu_pd(values.as_mut_ptr(), a) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn splat(value: f64) -> __m256d {
    _mm256_set1_pd(value)
}

super::vector!(Avx2, 4);
