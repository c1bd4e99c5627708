//! Eight words in a vector of AVX-512.
//!
//! # Mathematical description
//!
//! There is no product of 64-bit words to 128 bits, so it is put together of four of 32-bit halves. With
//! a = a0 + 2^32 a1 and b alike,
//!
//! ```text
//! t = a1 b0 + floor(a0 b0 / 2^32)     u = a0 b1 + (t mod 2^32)
//! a b = 2^64 (a1 b1 + floor(t / 2^32) + floor(u / 2^32)) + 2^32 (u mod 2^32) + (a0 b0 mod 2^32)
//! ```
//!
//! where t and u are at most (2^32 - 1)^2 + 2^32 - 1 < 2^64. The reduction is that of the portable code, a mask for a
//! branch: a carry or borrow is found by comparing a sum or difference with an operand.

use std::arch::x86_64::*;

use super::{EPSILON, Elements, LANES, Lanes, MODULUS, TileRow, vector};

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn epsilon() -> __m512i {
    _mm512_set1_epi64(EPSILON as i64)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn modulus() -> __m512i {
    _mm512_set1_epi64(MODULUS as i64)
}

/// a - b with e less after a borrow; the bounds are argued at [`Lanes::sub`] of the portable word.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn sub(a: __m512i, b: __m512i) -> __m512i {
    let t = _mm512_sub_epi64(a, b);
    let borrow = _mm512_cmplt_epu64_mask(a, b);
    _mm512_mask_sub_epi64(t, borrow, t, epsilon())
}

/// The canonical word for lo + 2^64 hi, any words, as the portable `reduce` has it.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn reduce(lo: __m512i, hi: __m512i) -> __m512i {
    let t = sub(lo, _mm512_srli_epi64::<32>(hi));
    // The product takes the low half of hi by itself.
    let rest = _mm512_sub_epi64(modulus(), _mm512_mul_epu32(hi, epsilon()));
    let borrow = _mm512_cmplt_epu64_mask(t, rest);
    let t = _mm512_sub_epi64(t, rest);
    _mm512_mask_add_epi64(t, borrow, t, modulus())
}

/// The even and the odd pairs of words of x, each followed by those of y.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn pairs(x: __m512i, y: __m512i) -> [__m512i; 2] {
    [_mm512_shuffle_i64x2::<0b10_00_10_00>(x, y), _mm512_shuffle_i64x2::<0b11_01_11_01>(x, y)]
}

/// Exchanges lanes and vectors, by twos, fours and eights; a name has the numbers of the vectors' words in one.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(in crate::backend::cpu) fn transposed([a, b, c, d, e, f, g, h]: [__m512i; 8]) -> [__m512i; 8] {
    let [low_04, low_26] = pairs(_mm512_unpacklo_epi64(a, b), _mm512_unpacklo_epi64(c, d));
    let [low_15, low_37] = pairs(_mm512_unpackhi_epi64(a, b), _mm512_unpackhi_epi64(c, d));
    let [high_04, high_26] = pairs(_mm512_unpacklo_epi64(e, f), _mm512_unpacklo_epi64(g, h));
    let [high_15, high_37] = pairs(_mm512_unpackhi_epi64(e, f), _mm512_unpackhi_epi64(g, h));
    let [w0, w4] = pairs(low_04, high_04);
    let [w1, w5] = pairs(low_15, high_15);
    let [w2, w6] = pairs(low_26, high_26);
    let [w3, w7] = pairs(low_37, high_37);
    [w0, w1, w2, w3, w4, w5, w6, w7]
}

vector! {
    /// Eight words.
    Avx512(__m512i) of [u64; 8], ["avx512f,avx512dq"];
    impl Lanes {
        splat(word: u64) = _mm512_set1_epi64(word as i64);
        // With e more after a carry; the bounds are argued at the portable word, here and below.
        add(a, b) = {
            let t = _mm512_add_epi64(a, b);
            let carry = _mm512_cmplt_epu64_mask(t, b);
            _mm512_mask_add_epi64(t, carry, t, epsilon())
        };
        sub(a, b) = sub(a, b);
        neg(a) = _mm512_sub_epi64(modulus(), a);
        mul(a, b) = {
            let (a1, b1) = (_mm512_srli_epi64::<32>(a), _mm512_srli_epi64::<32>(b));
            let a0_b0 = _mm512_mul_epu32(a, b);
            let t = _mm512_add_epi64(_mm512_mul_epu32(a1, b), _mm512_srli_epi64::<32>(a0_b0));
            let u = _mm512_add_epi64(_mm512_mul_epu32(a, b1), _mm512_and_si512(t, epsilon()));
            let carried = _mm512_add_epi64(_mm512_srli_epi64::<32>(t), _mm512_srli_epi64::<32>(u));
            let hi = _mm512_add_epi64(_mm512_mul_epu32(a1, b1), carried);
            // The low half of a0 b0 with that of u above it.
            let lo = _mm512_mask_shuffle_epi32::<0b10_10_00_00>(a0_b0, 0xaaaa, u);
            reduce(lo, hi)
        };
        mul_2_48(a) = reduce(_mm512_slli_epi64::<48>(a), _mm512_srli_epi64::<16>(a));
        canonical(a) = {
            // a - p modulo 2^64 is the smaller of the two exactly if a is not below p.
            _mm512_min_epu64(a, _mm512_sub_epi64(a, modulus()))
        };
        plus(a, b) = _mm512_add_epi64(a, b);
        minus(a, b) = _mm512_sub_epi64(a, b);
        and(a, b) = _mm512_and_si512(a, b);
        xor(a, b) = _mm512_xor_si512(a, b);
        shl(a; n: u32) = _mm512_sllv_epi64(a, _mm512_set1_epi64(n as i64));
        shr(a; n: u32) = _mm512_srlv_epi64(a, _mm512_set1_epi64(n as i64));
        shr_signed(a; n: u32) = _mm512_srav_epi64(a, _mm512_set1_epi64(n as i64));
        splat_half(half: i32) = _mm512_set1_epi32(half);
        mul_halves(a, b) = _mm512_mul_epi32(a, b);
        low_times_epsilon(a) = _mm512_mul_epu32(a, epsilon());
        stream(a; row: &mut TileRow, lane: usize) -> () = {
            let words = row.0[lane..].first_chunk_mut::<8>().expect("a vector of words");
            assert!(lane.is_multiple_of(8), "a vector that is aligned");
            // SAFETY: as many words are what is written, at a multiple of their size, since a row is at one of a greater.
            unsafe { _mm512_stream_si512(words.as_mut_ptr().cast(), a) }
        };
        fence() -> () = {
            // SAFETY: every processor of the architecture has it, and it does nothing but wait. Older compilers do not mark it as safe.
            unsafe { _mm_sfence() }
        };
        transpose(rows: &[TileRow; LANES]) -> [TileRow; LANES] = {
            let mut columns = [TileRow::default(); LANES];
            let words = transposed([0, 1, 2, 3, 4, 5, 6, 7].map(|i| Avx512::load(&rows[i].0).0));
            for (column, words) in columns.iter_mut().zip(words) {
                Avx512(words).store(&mut column.0);
            }
            columns
        };
    } with {
        const SHIFTS: bool = true;
    }
}
