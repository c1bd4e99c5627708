//! Eight words in a vector of AVX2.

use std::arch::x86_64::*;

use super::Words32;

/// Eight words. Values are made only where [`Vectors::enter`](super::Vectors::enter) may be called.
#[derive(Clone, Copy)]
pub(in crate::backend::cpu) struct Avx2(__m256i);

#[inline]
#[target_feature(enable = "avx2")]
fn add(a: __m256i, b: __m256i) -> __m256i {
    _mm256_add_epi32(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor(a: __m256i, b: __m256i) -> __m256i {
    _mm256_xor_si256(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn rotate_right<const BITS: i32>(a: __m256i) -> __m256i {
    // Whole bytes in one instruction: byte i of a word comes from byte i + BITS / 8, and words stay in their halves.
    match BITS {
        16 => {
            let from = _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
            _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(from))
        }
        8 => {
            let from = _mm_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12);
            _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(from))
        }
        _ => {
            let left = _mm256_sll_epi32(a, _mm_cvtsi32_si128(32 - BITS));
            _mm256_or_si256(_mm256_srli_epi32::<BITS>(a), left)
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn shift_right<const BITS: i32>(a: __m256i) -> __m256i {
    _mm256_srli_epi32::<BITS>(a)
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor3(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    xor(xor(a, b), c)
}

#[inline]
#[target_feature(enable = "avx2")]
fn choose(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    xor(c, _mm256_and_si256(a, xor(b, c)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn majority(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    // Where a and b differ c decides.
    xor(b, _mm256_and_si256(xor(a, b), xor(b, c)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn zip(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
    // The instructions work on halves apart: words 0, 1, 4 and 5 of both in turn, and 2, 3, 6 and 7.
    let (even, odd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    (_mm256_permute2x128_si256::<0x20>(even, odd), _mm256_permute2x128_si256::<0x31>(even, odd))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: the bytes of eight words are what is read.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(a: __m256i, bytes: &mut [u8; 32]) {
    // SAFETY: the bytes of eight words are what is written.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), a) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat(word: u32) -> __m256i {
    _mm256_set1_epi32(word as i32)
}

super::vector!(Avx2, 8);
