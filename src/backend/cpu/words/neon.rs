//! Four words in a vector of NEON, which every AArch64 processor has.

use std::arch::aarch64::*;

use super::Words32;

/// Four words. Values are made only where [`Vectors::enter`](super::Vectors::enter) may be called.
#[derive(Clone, Copy)]
pub(in crate::backend::cpu) struct Neon(uint32x4_t);

#[inline]
#[target_feature(enable = "neon")]
fn add(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
    vaddq_u32(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn xor(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
    veorq_u32(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn rotate_right<const BITS: i32>(a: uint32x4_t) -> uint32x4_t {
    // A negative count shifts to the right.
    vorrq_u32(vshlq_u32(a, vdupq_n_s32(-BITS)), vshlq_u32(a, vdupq_n_s32(32 - BITS)))
}

#[inline]
#[target_feature(enable = "neon")]
fn shift_right<const BITS: i32>(a: uint32x4_t) -> uint32x4_t {
    vshlq_u32(a, vdupq_n_s32(-BITS))
}

#[inline]
#[target_feature(enable = "neon")]
fn xor3(a: uint32x4_t, b: uint32x4_t, c: uint32x4_t) -> uint32x4_t {
    veorq_u32(veorq_u32(a, b), c)
}

#[inline]
#[target_feature(enable = "neon")]
fn choose(a: uint32x4_t, b: uint32x4_t, c: uint32x4_t) -> uint32x4_t {
    vbslq_u32(a, b, c)
}

#[inline]
#[target_feature(enable = "neon")]
fn majority(a: uint32x4_t, b: uint32x4_t, c: uint32x4_t) -> uint32x4_t {
    // Where a and b differ c decides.
    vbslq_u32(veorq_u32(a, b), c, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn zip(a: uint32x4_t, b: uint32x4_t) -> (uint32x4_t, uint32x4_t) {
    (vzip1q_u32(a, b), vzip2q_u32(a, b))
}

#[inline]
#[target_feature(enable = "neon")]
fn load(bytes: &[u8; 16]) -> uint32x4_t {
    // SAFETY: the bytes of four words are what is read.
    unsafe { vreinterpretq_u32_u8(vld1q_u8(bytes.as_ptr())) }
}

#[inline]
#[target_feature(enable = "neon")]
fn store(a: uint32x4_t, bytes: &mut [u8; 16]) {
    // SAFETY: the bytes of four words are what is written.
    unsafe { vst1q_u8(bytes.as_mut_ptr(), vreinterpretq_u8_u32(a)) }
}

#[inline]
#[target_feature(enable = "neon")]
fn splat(word: u32) -> uint32x4_t {
    vdupq_n_u32(word)
}

super::vector!(Neon, 4);
