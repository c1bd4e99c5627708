//! Four doubles in a vector of AVX2, with the fused products that all its processors have.

use std::arch::x86_64::*;
use std::ops::{Add, Sub};

use super::{Doubles, vector};

vector! {
    /// Four doubles.
    Avx2(__m256d) of [f64; 4], ["avx2,fma"];
    impl Add {
        add(a, b) = _mm256_add_pd(a, b);
    } with {
        type Output = Self;
    }
    impl Sub {
        sub(a, b) = _mm256_sub_pd(a, b);
    } with {
        type Output = Self;
    }
    impl Doubles {
        splat(value: f64) = _mm256_set1_pd(value);
        mul_add(a, b, c) = _mm256_fmadd_pd(a, b, c);
        mul_sub(a, b, c) = _mm256_fmsub_pd(a, b, c);
        sub_from(a, b, c) = _mm256_fnmadd_pd(a, b, c);
    }
}
