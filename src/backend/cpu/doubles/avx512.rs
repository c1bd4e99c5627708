//! Eight doubles in a vector of AVX-512.

use std::arch::x86_64::*;
use std::ops::{Add, Sub};

use super::Doubles;

/// Eight doubles. Values are made only where [`Vectors::enter`](super::Vectors::enter) may be called.
#[derive(Clone, Copy)]
pub(in crate::backend::cpu) struct Avx512(__m512d);

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn add(a: __m512d, b: __m512d) -> __m512d {
    _mm512_add_pd(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn sub(a: __m512d, b: __m512d) -> __m512d {
    _mm512_sub_pd(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn mul_add(a: __m512d, b: __m512d, c: __m512d) -> __m512d {
    _mm512_fmadd_pd(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn mul_sub(a: __m512d, b: __m512d, c: __m512d) -> __m512d {
    _mm512_fmsub_pd(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn sub_from(a: __m512d, b: __m512d, c: __m512d) -> __m512d {
    _mm512_fnmadd_pd(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn load(values: &[f64; 8]) -> __m512d {
    // SAFETY: eight doubles are what is read.
    unsafe { _mm512_loadu_pd(values.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn store(a: __m512d, values: &mut [f64; 8]) {
    // SAFETY: eight doubles are what is written.
    unsafe { _mm512_storeu_pd(values.as_mut_ptr(), a) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn splat(value: f64) -> __m512d {
    _mm512_set1_pd(value)
}

super::vector!(Avx512, 8);
