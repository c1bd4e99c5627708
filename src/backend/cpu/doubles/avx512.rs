//! Eight doubles in a vector of AVX-512.

use std::arch::x86_64::*;
use std::ops::{Add, Sub};

use super::{Doubles, vector};

vector! {
    /// Eight doubles.
    Avx512(__m512d) of [f64; 8], ["avx512f,avx512dq"];
    impl Add {
        add(a, b) = _mm512_add_pd(a, b);
    } with {
        type Output = Self;
    }
    impl Sub {
        sub(a, b) = _mm512_sub_pd(a, b);
    } with {
        type Output = Self;
    }
    impl Doubles {
        splat(value: f64) = _mm512_set1_pd(value);
        mul_add(a, b, c) = _mm512_fmadd_pd(a, b, c);
        mul_sub(a, b, c) = _mm512_fmsub_pd(a, b, c);
        sub_from(a, b, c) = _mm512_fnmadd_pd(a, b, c);
    }
}
