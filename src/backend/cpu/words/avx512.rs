//! Sixteen words in a vector of AVX-512.

use std::arch::x86_64::*;

use super::{Words32, vector};

/// The number of each lane in the lower half of the words of two vectors in turn: lane i / 2 of the first, or of the second, which counts
/// from 16.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn lower() -> __m512i {
    _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
}

vector! {
    /// Sixteen words.
    Avx512(__m512i) of [[u8; 4]; 16], ["avx512f,avx512dq"];
    impl Words32 {
        splat(word: u32) = _mm512_set1_epi32(word as i32);
        add(a, b) = _mm512_add_epi32(a, b);
        xor(a, b) = _mm512_xor_si512(a, b);
        rotate_right<BITS: i32>(a) = _mm512_ror_epi32::<BITS>(a);
        shift_right<BITS: i32>(a) = _mm512_srl_epi32(a, _mm_cvtsi32_si128(BITS));
        // The tables of the functions of three bits.
        xor3(a, b, c) = _mm512_ternarylogic_epi32::<0x96>(a, b, c);
        choose(a, b, c) = _mm512_ternarylogic_epi32::<0xca>(a, b, c);
        majority(a, b, c) = _mm512_ternarylogic_epi32::<0xe8>(a, b, c);
        zip_lower(a, b) = _mm512_permutex2var_epi32(a, lower(), b);
        zip_upper(a, b) = _mm512_permutex2var_epi32(a, _mm512_add_epi32(lower(), _mm512_set1_epi32(8)), b);
    }
}
