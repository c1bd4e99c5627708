//! Four words in a vector of AVX2.

use std::arch::x86_64::*;

use super::{MAX_WIDTH, Word, Words64};

/// Four words. Values are made only where [`Vectors::enter`](super::Vectors::enter) may be called.
#[derive(Clone, Copy)]
pub(in crate::backend::cpu) struct Avx2(__m256i);

#[inline]
#[target_feature(enable = "avx2,fma")]
fn splat(word: u64) -> __m256i {
    _mm256_set1_epi64x(word as i64)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn xor(a: __m256i, b: __m256i) -> __m256i {
    _mm256_xor_si256(a, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn xor3(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    xor(xor(a, b), c)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn chi(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    xor(a, _mm256_andnot_si256(b, c))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn rotate(a: __m256i, count: u32) -> __m256i {
    let (left, right) = (_mm256_set1_epi64x(count as i64), _mm256_set1_epi64x(64 - count as i64));
    _mm256_or_si256(_mm256_sllv_epi64(a, left), _mm256_srlv_epi64(a, right))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn load(words: &[u64; MAX_WIDTH]) -> __m256i {
    // SAFETY: four words are what is read, of eight.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn store(a: __m256i, words: &mut [u64; MAX_WIDTH]) {
    // SAFETY: four words are what is written, of eight.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), a) }
}

super::vector!(Avx2, 4);
