//! Eight words in a vector of AVX-512 with IFMA, the multiplication of 52-bit integers.

use std::arch::x86_64::*;

use super::{Limbs, MAX_WIDTH, Quadwords, vector};
use crate::backend::cpu::lanes::transposed;

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn pair(lower: &Limbs, upper: &Limbs) -> __m512i {
    // SAFETY: the four words of each row are what is read.
    let (lower, upper) =
        unsafe { (_mm256_loadu_si256(lower.as_ptr().cast()), _mm256_loadu_si256(upper.as_ptr().cast())) };
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(lower), upper)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn columns(rows: [&Limbs; MAX_WIDTH]) -> [__m512i; 4] {
    // Two rows in a vector, in the order that the shuffles below undo.
    let [a, b] = [pair(rows[0], rows[2]), pair(rows[1], rows[3])];
    let [c, d] = [pair(rows[4], rows[6]), pair(rows[5], rows[7])];
    // Quarters: words 0 of rows 0 and 1, words 2 of rows 0 and 1, and the same of rows 2 and 3; the odd words.
    let (even, odd) = (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    let (even_upper, odd_upper) = (_mm512_unpacklo_epi64(c, d), _mm512_unpackhi_epi64(c, d));
    [
        _mm512_shuffle_i64x2::<0b10_00_10_00>(even, even_upper),
        _mm512_shuffle_i64x2::<0b10_00_10_00>(odd, odd_upper),
        _mm512_shuffle_i64x2::<0b11_01_11_01>(even, even_upper),
        _mm512_shuffle_i64x2::<0b11_01_11_01>(odd, odd_upper),
    ]
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn rows([a, b, c, d]: [__m512i; 4]) -> [Limbs; MAX_WIDTH] {
    // Quarters: words 0 and 1 of row 0, of row 2, of row 4, of row 6; of the odd rows; words 2 and 3 of the same.
    let (even, odd) = (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    let (even_ends, odd_ends) = (_mm512_unpacklo_epi64(c, d), _mm512_unpackhi_epi64(c, d));
    let mut rows = [[0; 4]; MAX_WIDTH];
    let halves: [(__m512i, __m512i); 2] = [(even, even_ends), (odd, odd_ends)];
    let mut parity = 0;
    while parity < 2 {
        let (heads, ends) = halves[parity];
        // Rows 0 and 2, then 4 and 6, as quarters 0, 0', 1, 1' and 2, 2', 3, 3'.
        let order = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
        let lower = _mm512_permutex2var_epi64(heads, order, ends);
        let upper = _mm512_permutex2var_epi64(heads, _mm512_add_epi64(order, _mm512_set1_epi64(4)), ends);
        let quarter = [
            _mm512_castsi512_si256(lower),
            _mm512_extracti64x4_epi64::<1>(lower),
            _mm512_castsi512_si256(upper),
            _mm512_extracti64x4_epi64::<1>(upper),
        ];
        let mut i = 0;
        while i < 4 {
            // SAFETY: the four words of a row are what is written.
            unsafe { _mm256_storeu_si256(rows[2 * i + parity].as_mut_ptr().cast(), quarter[i]) };
            i += 1;
        }
        parity += 1;
    }
    rows
}

vector! {
    /// Eight words.
    Avx512Ifma(__m512i) of [u64; 8], ["avx512f,avx512dq,avx512ifma"];
    impl Quadwords {
        splat(word: u64) = _mm512_set1_epi64(word as i64);
        add(a, b) = _mm512_add_epi64(a, b);
        sub(a, b) = _mm512_sub_epi64(a, b);
        and(a, b) = _mm512_and_si512(a, b);
        or(a, b) = _mm512_or_si512(a, b);
        shl<N: u32>(a) = _mm512_slli_epi64::<N>(a);
        shr<N: u32>(a) = _mm512_srli_epi64::<N>(a);
        shr_signed<N: u32>(a) = _mm512_srai_epi64::<N>(a);
        add_low(sum, a, b) = _mm512_madd52lo_epu64(sum, a, b);
        add_high(sum, a, b) = _mm512_madd52hi_epu64(sum, a, b);
        equal(a, b) -> u8 = _mm512_cmpeq_epi64_mask(a, b);
        negative(a) -> u8 = _mm512_movepi64_mask(a);
        select(a, b; lanes: u8) = _mm512_mask_blend_epi64(lanes, b, a);
    } with {
        #[inline(always)]
        fn columns(rows: [&Limbs; MAX_WIDTH]) -> [Self; 4] {
            // SAFETY: as in tables, here and below.
            let [a, b, c, d] = unsafe { columns(rows) };
            [Self(a), Self(b), Self(c), Self(d)]
        }

        #[inline(always)]
        fn rows([a, b, c, d]: [Self; 4]) -> [Limbs; MAX_WIDTH] {
            // SAFETY: as above.
            unsafe { rows([a.0, b.0, c.0, d.0]) }
        }

        #[inline(always)]
        fn transposed([a, b, c, d, e, f, g, h]: [Self; MAX_WIDTH]) -> [Self; MAX_WIDTH] {
            // SAFETY: as above.
            let [a, b, c, d, e, f, g, h] = unsafe { transposed([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]) };
            [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)]
        }
    }
}
