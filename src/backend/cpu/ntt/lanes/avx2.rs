//! Four words in a vector of AVX2.
//!
//! The product and its reduction are those of the AVX-512 code. There are no masks and no comparison of unsigned
//! words: a comparison of signed ones on words whose highest bits are flipped gives all ones for true, whose upper
//! half is moved down to become e.

use std::arch::x86_64::*;

use super::{EPSILON, Elements, LANES, Lanes, MODULUS, TileRow, vector};

#[inline]
#[target_feature(enable = "avx2")]
fn epsilon() -> __m256i {
    _mm256_set1_epi64x(EPSILON as i64)
}

#[inline]
#[target_feature(enable = "avx2")]
fn modulus() -> __m256i {
    _mm256_set1_epi64x(MODULUS as i64)
}

/// All ones where a < b, as unsigned words.
#[inline]
#[target_feature(enable = "avx2")]
fn less(a: __m256i, b: __m256i) -> __m256i {
    let flip = _mm256_set1_epi64x(i64::MIN);
    _mm256_cmpgt_epi64(_mm256_xor_si256(b, flip), _mm256_xor_si256(a, flip))
}

/// a - b with e less after a borrow; the bounds are argued at [`Lanes::sub`] of the portable word.
#[inline]
#[target_feature(enable = "avx2")]
fn sub(a: __m256i, b: __m256i) -> __m256i {
    let t = _mm256_sub_epi64(a, b);
    _mm256_sub_epi64(t, _mm256_srli_epi64::<32>(less(a, b)))
}

/// The canonical word for lo + 2^64 hi, any words, as the portable `reduce` has it.
#[inline]
#[target_feature(enable = "avx2")]
fn reduce(lo: __m256i, hi: __m256i) -> __m256i {
    // The upper half of hi can only borrow from a lo below 2^32.
    let t = sub(lo, _mm256_srli_epi64::<32>(hi));
    // The product takes the low half of hi by itself. Subtracting e after a borrow is adding p modulo 2^64.
    sub(t, _mm256_sub_epi64(modulus(), _mm256_mul_epu32(hi, epsilon())))
}

vector! {
    /// Four words.
    Avx2(__m256i) of [u64; 4], ["avx2"];
    impl Lanes {
        splat(word: u64) = _mm256_set1_epi64x(word as i64);
        // With e more after a carry; the bounds are argued at the portable word, here and below.
        add(a, b) = {
            let t = _mm256_add_epi64(a, b);
            _mm256_add_epi64(t, _mm256_srli_epi64::<32>(less(t, b)))
        };
        sub(a, b) = sub(a, b);
        neg(a) = _mm256_sub_epi64(modulus(), a);
        mul(a, b) = {
            let (a1, b1) = (_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
            let a0_b0 = _mm256_mul_epu32(a, b);
            let t = _mm256_add_epi64(_mm256_mul_epu32(a1, b), _mm256_srli_epi64::<32>(a0_b0));
            let u = _mm256_add_epi64(_mm256_mul_epu32(a, b1), _mm256_and_si256(t, epsilon()));
            let carried = _mm256_add_epi64(_mm256_srli_epi64::<32>(t), _mm256_srli_epi64::<32>(u));
            let hi = _mm256_add_epi64(_mm256_mul_epu32(a1, b1), carried);
            // The low half of a0 b0 with that of u above it.
            let lo = _mm256_blend_epi32::<0b1010_1010>(a0_b0, _mm256_slli_epi64::<32>(u));
            reduce(lo, hi)
        };
        mul_2_48(a) = reduce(_mm256_slli_epi64::<48>(a), _mm256_srli_epi64::<16>(a));
        canonical(a) = {
            // a - p = a + e modulo 2^64, which is selected where a is not below p.
            let below = less(a, modulus());
            _mm256_add_epi64(a, _mm256_andnot_si256(below, epsilon()))
        };
        plus(a, b) = _mm256_add_epi64(a, b);
        minus(a, b) = _mm256_sub_epi64(a, b);
        and(a, b) = _mm256_and_si256(a, b);
        xor(a, b) = _mm256_xor_si256(a, b);
        shl(a; n: u32) = _mm256_sllv_epi64(a, _mm256_set1_epi64x(n as i64));
        shr(a; n: u32) = _mm256_srlv_epi64(a, _mm256_set1_epi64x(n as i64));
        // The least integer is added before and its quotient subtracted after, because AVX2 lacks the instruction.
        shr_signed(a; n: u32) = {
            let (low, n) = (_mm256_set1_epi64x(i64::MIN), _mm256_set1_epi64x(n as i64));
            _mm256_sub_epi64(_mm256_srlv_epi64(_mm256_xor_si256(a, low), n), _mm256_srlv_epi64(low, n))
        };
        splat_half(half: i32) = _mm256_set1_epi32(half);
        mul_halves(a, b) = _mm256_mul_epi32(a, b);
        low_times_epsilon(a) = _mm256_mul_epu32(a, epsilon());
        stream(a; row: &mut TileRow, lane: usize) -> () = {
            let words = row.0[lane..].first_chunk_mut::<4>().expect("a vector of words");
            assert!(lane.is_multiple_of(4), "a vector that is aligned");
            // SAFETY: as many words are what is written, at a multiple of their size, since a row is at one of a greater.
            unsafe { _mm256_stream_si256(words.as_mut_ptr().cast(), a) }
        };
        fence() -> () = {
            // SAFETY: every processor of the architecture has it, and it does nothing but wait. Older compilers do not mark it as safe.
            unsafe { _mm_sfence() }
        };
        // Four blocks of four rows and columns each.
        transpose(rows: &[TileRow; LANES]) -> [TileRow; LANES] = {
            let mut columns = [TileRow::default(); LANES];
            for (i, j) in [(0, 0), (0, 4), (4, 0), (4, 4)] {
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| Avx2::load(&rows[i + k].0[j..]).0);
                let [even, odd] = [_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)];
                let [even_2, odd_2] = [_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d)];
                let block = [
                    _mm256_permute2x128_si256::<0x20>(even, even_2),
                    _mm256_permute2x128_si256::<0x20>(odd, odd_2),
                    _mm256_permute2x128_si256::<0x31>(even, even_2),
                    _mm256_permute2x128_si256::<0x31>(odd, odd_2),
                ];
                for (k, words) in block.into_iter().enumerate() {
                    Avx2(words).store(&mut columns[j + k].0[i..]);
                }
            }
            columns
        };
    } with {
        const SHIFTS: bool = true;
    }
}
