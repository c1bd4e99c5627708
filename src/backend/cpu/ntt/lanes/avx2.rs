//! Four words in a vector of AVX2.
//!
//! The product and its reduction are those of the AVX-512 code. There are no masks and no comparison of unsigned
//! words: a comparison of signed ones on words whose highest bits are flipped gives all ones for true, whose upper
//! half is moved down to become e.

use std::arch::x86_64::*;

use super::{EPSILON, LANES, Lanes, MODULUS, TileRow};

/// Four words. Values are made only where [`Vectors::enter`](super::Vectors::enter) may be called.
#[derive(Clone, Copy)]
pub(in crate::backend::cpu) struct Avx2(__m256i);

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

/// a + b with e more after a carry; the bounds are argued at [`Lanes::add`] of the portable word.
#[inline]
#[target_feature(enable = "avx2")]
fn add(a: __m256i, b: __m256i) -> __m256i {
    let t = _mm256_add_epi64(a, b);
    _mm256_add_epi64(t, _mm256_srli_epi64::<32>(less(t, b)))
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

#[inline]
#[target_feature(enable = "avx2")]
fn mul(a: __m256i, b: __m256i) -> __m256i {
    let (a1, b1) = (_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
    let a0_b0 = _mm256_mul_epu32(a, b);
    let t = _mm256_add_epi64(_mm256_mul_epu32(a1, b), _mm256_srli_epi64::<32>(a0_b0));
    let u = _mm256_add_epi64(_mm256_mul_epu32(a, b1), _mm256_and_si256(t, epsilon()));
    let carried = _mm256_add_epi64(_mm256_srli_epi64::<32>(t), _mm256_srli_epi64::<32>(u));
    let hi = _mm256_add_epi64(_mm256_mul_epu32(a1, b1), carried);
    // The low half of a0 b0 with that of u above it.
    let lo = _mm256_blend_epi32::<0b1010_1010>(a0_b0, _mm256_slli_epi64::<32>(u));
    reduce(lo, hi)
}

#[inline]
#[target_feature(enable = "avx2")]
fn mul_2_48(a: __m256i) -> __m256i {
    reduce(_mm256_slli_epi64::<48>(a), _mm256_srli_epi64::<16>(a))
}

#[inline]
#[target_feature(enable = "avx2")]
fn canonical(a: __m256i) -> __m256i {
    // a - p = a + e modulo 2^64, which is selected where a is not below p.
    let below = less(a, modulus());
    _mm256_add_epi64(a, _mm256_andnot_si256(below, epsilon()))
}

#[inline]
#[target_feature(enable = "avx2")]
fn neg(a: __m256i) -> __m256i {
    _mm256_sub_epi64(modulus(), a)
}

#[inline]
#[target_feature(enable = "avx2")]
fn plus(a: __m256i, b: __m256i) -> __m256i {
    _mm256_add_epi64(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn minus(a: __m256i, b: __m256i) -> __m256i {
    _mm256_sub_epi64(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn and(a: __m256i, b: __m256i) -> __m256i {
    _mm256_and_si256(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor(a: __m256i, b: __m256i) -> __m256i {
    _mm256_xor_si256(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn shl(a: __m256i, n: u32) -> __m256i {
    _mm256_sllv_epi64(a, _mm256_set1_epi64x(n as i64))
}

#[inline]
#[target_feature(enable = "avx2")]
fn shr(a: __m256i, n: u32) -> __m256i {
    _mm256_srlv_epi64(a, _mm256_set1_epi64x(n as i64))
}

/// The least integer is added before and its quotient subtracted after, because AVX2 lacks the instruction.
#[inline]
#[target_feature(enable = "avx2")]
fn shr_signed(a: __m256i, n: u32) -> __m256i {
    let low = _mm256_set1_epi64x(i64::MIN);
    minus(shr(_mm256_xor_si256(a, low), n), shr(low, n))
}

#[inline]
#[target_feature(enable = "avx2")]
fn low_times_epsilon(a: __m256i) -> __m256i {
    _mm256_mul_epu32(a, epsilon())
}

#[inline]
#[target_feature(enable = "avx2")]
fn mul_halves(a: __m256i, b: __m256i) -> __m256i {
    _mm256_mul_epi32(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat_half(half: i32) -> __m256i {
    _mm256_set1_epi32(half)
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(words: &[u64; 4]) -> __m256i {
    // SAFETY: four words are what is read.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(a: __m256i, words: &mut [u64; 4]) {
    // SAFETY: four words are what is written.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), a) }
}

/// # Safety
/// `words` begins at a multiple of the vector's size.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn stream(a: __m256i, words: &mut [u64; 4]) {
    // SAFETY: as many words are what is written, at an address that is aligned by the caller's promise.
    unsafe { _mm256_stream_si256(words.as_mut_ptr().cast(), a) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat(word: u64) -> __m256i {
    _mm256_set1_epi64x(word as i64)
}

/// Four blocks of four rows and columns each.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose(rows: &[TileRow; LANES]) -> [TileRow; LANES] {
    let mut columns = [TileRow::default(); LANES];
    for (i, j) in [(0, 0), (0, 4), (4, 0), (4, 4)] {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| load(rows[i + k].0[j..].first_chunk().expect("four words")));
        let [even, odd] = [_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)];
        let [even_2, odd_2] = [_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d)];
        let block = [
            _mm256_permute2x128_si256::<0x20>(even, even_2),
            _mm256_permute2x128_si256::<0x20>(odd, odd_2),
            _mm256_permute2x128_si256::<0x31>(even, even_2),
            _mm256_permute2x128_si256::<0x31>(odd, odd_2),
        ];
        for (k, words) in block.into_iter().enumerate() {
            store(words, columns[j + k].0[i..].first_chunk_mut().expect("four words"));
        }
    }
    columns
}

super::vector!(Avx2, 4);
