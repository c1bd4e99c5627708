//! Four words in a vector of AVX2.

use std::arch::x86_64::*;

use super::{Word, vector};

vector! {
    /// Four words.
    Avx2(__m256i) of [u64; 4], ["avx2"];
    impl Word {
        splat(word: u64) = _mm256_set1_epi64x(word as i64);
        xor(a, b) = _mm256_xor_si256(a, b);
        xor3(a, b, c) = _mm256_xor_si256(_mm256_xor_si256(a, b), c);
        chi(a, b, c) = _mm256_xor_si256(a, _mm256_andnot_si256(b, c));
        rotate(a; count: u32) = {
            let (left, right) = (_mm256_set1_epi64x(count as i64), _mm256_set1_epi64x(64 - count as i64));
            _mm256_or_si256(_mm256_sllv_epi64(a, left), _mm256_srlv_epi64(a, right))
        };
    }
}
