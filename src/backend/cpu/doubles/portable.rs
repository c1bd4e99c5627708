//! One double, by the standard library: for tests only, since without hardware the fused product is slow.

use std::ops::{Add, Sub};

use super::{Doubles, vector};

vector! {
    /// One double.
    Portable(f64) of [f64; 1], [];
    impl Add {
        add(a, b) = a + b;
    } with {
        type Output = Self;
    }
    impl Sub {
        sub(a, b) = a - b;
    } with {
        type Output = Self;
    }
    impl Doubles {
        splat(value: f64) = value;
        mul_add(a, b, c) = a.mul_add(b, c);
        mul_sub(a, b, c) = a.mul_add(b, -c);
        sub_from(a, b, c) = (-a).mul_add(b, c);
    }
}
