//! Eight words in a vector of AVX2.

use std::arch::x86_64::*;

use super::{Words32, vector};

/// The even and the odd quarters of the words of both in turn: the instructions work on halves apart.
#[inline]
#[target_feature(enable = "avx2")]
fn quarters(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
    (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b))
}

vector! {
    /// Eight words.
    Avx2(__m256i) of [[u8; 4]; 8], ["avx2"];
    impl Words32 {
        splat(word: u32) = _mm256_set1_epi32(word as i32);
        add(a, b) = _mm256_add_epi32(a, b);
        xor(a, b) = _mm256_xor_si256(a, b);
        // Whole bytes in one instruction: byte i of a word comes from byte i + BITS / 8, and words stay in their halves.
        rotate_right<BITS: i32>(a) = match BITS {
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
        };
        shift_right<BITS: i32>(a) = _mm256_srli_epi32::<BITS>(a);
        xor3(a, b, c) = _mm256_xor_si256(_mm256_xor_si256(a, b), c);
        choose(a, b, c) = _mm256_xor_si256(c, _mm256_and_si256(a, _mm256_xor_si256(b, c)));
        // Where a and b differ c decides.
        majority(a, b, c) = {
            _mm256_xor_si256(b, _mm256_and_si256(_mm256_xor_si256(a, b), _mm256_xor_si256(b, c)))
        };
        zip_lower(a, b) = {
            let (even, odd) = quarters(a, b);
            _mm256_permute2x128_si256::<0x20>(even, odd)
        };
        zip_upper(a, b) = {
            let (even, odd) = quarters(a, b);
            _mm256_permute2x128_si256::<0x31>(even, odd)
        };
    }
}
