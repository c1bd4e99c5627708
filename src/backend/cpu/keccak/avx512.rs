//! Eight words in a vector of AVX-512.

use std::arch::x86_64::*;

use super::{MAX_WIDTH, Word, Words64};

/// Eight words. Values are made only where [`Vectors::enter`](super::Vectors::enter) may be called.
#[derive(Clone, Copy)]
pub(in crate::backend::cpu) struct Avx512(__m512i);

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn splat(word: u64) -> __m512i {
    _mm512_set1_epi64(word as i64)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn xor(a: __m512i, b: __m512i) -> __m512i {
    _mm512_xor_si512(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn xor3(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    // The table of a ^ b ^ c.
    _mm512_ternarylogic_epi64::<0x96>(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn chi(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    // The table of a ^ (!b & c).
    _mm512_ternarylogic_epi64::<0xd2>(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn rotate(a: __m512i, count: u32) -> __m512i {
    _mm512_rolv_epi64(a, _mm512_set1_epi64(count as i64))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn load(words: &[u64; MAX_WIDTH]) -> __m512i {
    // SAFETY: eight words are what is read.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn store(a: __m512i, words: &mut [u64; MAX_WIDTH]) {
    // SAFETY: eight words are what is written.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), a) }
}

super::vector!(Avx512, 8);
