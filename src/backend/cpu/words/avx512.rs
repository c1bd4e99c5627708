//! Sixteen words in a vector of AVX-512.

use std::arch::x86_64::*;

use super::Words32;

/// Sixteen words. Values are made only where [`Vectors::enter`](super::Vectors::enter) may be called.
#[derive(Clone, Copy)]
pub(in crate::backend::cpu) struct Avx512(__m512i);

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn add(a: __m512i, b: __m512i) -> __m512i {
    _mm512_add_epi32(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn xor(a: __m512i, b: __m512i) -> __m512i {
    _mm512_xor_si512(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn rotate_right<const BITS: i32>(a: __m512i) -> __m512i {
    _mm512_ror_epi32::<BITS>(a)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn shift_right<const BITS: i32>(a: __m512i) -> __m512i {
    _mm512_srl_epi32(a, _mm_cvtsi32_si128(BITS))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn xor3(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    // The tables of the functions of three bits, here and below.
    _mm512_ternarylogic_epi32::<0x96>(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn choose(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi32::<0xca>(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn majority(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi32::<0xe8>(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn zip(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
    // Lane i of the lower half is lane i / 2 of a, or of b, which counts from 16.
    let lower = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    let upper = _mm512_add_epi32(lower, _mm512_set1_epi32(8));
    (_mm512_permutex2var_epi32(a, lower, b), _mm512_permutex2var_epi32(a, upper, b))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn load(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: the bytes of sixteen words are what is read.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn store(a: __m512i, bytes: &mut [u8; 64]) {
    // SAFETY: the bytes of sixteen words are what is written.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), a) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn splat(word: u32) -> __m512i {
    _mm512_set1_epi32(word as i32)
}

super::vector!(Avx512, 16);
