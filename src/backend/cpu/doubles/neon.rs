//! Two doubles in a vector of NEON, which every AArch64 processor has.

use std::arch::aarch64::*;
use std::ops::{Add, Sub};

use super::{Doubles, vector};

vector! {
    /// Two doubles.
    Neon(float64x2_t) of [f64; 2], ["neon"];
    impl Add {
        add(a, b) = vaddq_f64(a, b);
    } with {
        type Output = Self;
    }
    impl Sub {
        sub(a, b) = vsubq_f64(a, b);
    } with {
        type Output = Self;
    }
    impl Doubles {
        splat(value: f64) = vdupq_n_f64(value);
        mul_add(a, b, c) = vfmaq_f64(c, a, b);
        mul_sub(a, b, c) = vfmaq_f64(vnegq_f64(c), a, b);
        sub_from(a, b, c) = vfmsq_f64(c, a, b);
    }
}
