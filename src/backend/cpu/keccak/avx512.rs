//! Eight words in a vector of AVX-512.

use std::arch::x86_64::*;

use super::{Word, vector};

vector! {
    /// Eight words.
    Avx512(__m512i) of [u64; 8], ["avx512f,avx512dq"];
    impl Word {
        splat(word: u64) = _mm512_set1_epi64(word as i64);
        xor(a, b) = _mm512_xor_si512(a, b);
        // The tables of a ^ b ^ c and of a ^ (!b & c).
        xor3(a, b, c) = _mm512_ternarylogic_epi64::<0x96>(a, b, c);
        chi(a, b, c) = _mm512_ternarylogic_epi64::<0xd2>(a, b, c);
        rotate(a; count: u32) = _mm512_rolv_epi64(a, _mm512_set1_epi64(count as i64));
    }
}
