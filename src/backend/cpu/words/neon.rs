//! Four words in a vector of NEON, which every AArch64 processor has.

use std::arch::aarch64::*;

use super::{Words32, vector};

vector! {
    /// Four words.
    Neon(uint32x4_t) of [[u8; 4]; 4], ["neon"];
    impl Words32 {
        splat(word: u32) = vdupq_n_u32(word);
        add(a, b) = vaddq_u32(a, b);
        xor(a, b) = veorq_u32(a, b);
        // A negative count shifts to the right.
        rotate_right<BITS: i32>(a) = {
            vorrq_u32(vshlq_u32(a, vdupq_n_s32(-BITS)), vshlq_u32(a, vdupq_n_s32(32 - BITS)))
        };
        shift_right<BITS: i32>(a) = vshlq_u32(a, vdupq_n_s32(-BITS));
        xor3(a, b, c) = veorq_u32(veorq_u32(a, b), c);
        choose(a, b, c) = vbslq_u32(a, b, c);
        // Where a and b differ c decides.
        majority(a, b, c) = vbslq_u32(veorq_u32(a, b), c, b);
        zip_lower(a, b) = vzip1q_u32(a, b);
        zip_upper(a, b) = vzip2q_u32(a, b);
    }
}
