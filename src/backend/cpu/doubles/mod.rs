//! Doubles side by side: what exact integer arithmetic in floating point asks of the hardware.
//!
//! Every operation is that of IEEE 754, rounded to nearest, ties to even; a fused product and sum is rounded once. So all
//! implementations give the same bits. Algorithms are written once over [`Doubles`], by the rules of [`dispatch`](super::simd).

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(test)]
mod portable;

use std::ops::{Add, Sub};

#[cfg(target_arch = "x86_64")]
pub(super) use self::{avx2::Avx2, avx512::Avx512};
#[cfg(target_arch = "aarch64")]
pub(super) use neon::Neon;
#[cfg(test)]
pub(super) use portable::Portable;

use super::simd::{Elements, vector};

/// The most doubles in any implementation.
pub(super) const MAX_WIDTH: usize = 8;

/// `WIDTH` doubles; the operations act on each separately.
pub(super) trait Doubles: Elements<Element = f64> + Add<Output = Self> + Sub<Output = Self> {
    /// The same double in every lane.
    fn splat(value: f64) -> Self;

    /// self * factor + addend, rounded once.
    fn mul_add(self, factor: Self, addend: Self) -> Self;

    /// self * factor - subtrahend, rounded once.
    fn mul_sub(self, factor: Self, subtrahend: Self) -> Self;

    /// minuend - self * factor, rounded once.
    fn sub_from(self, factor: Self, minuend: Self) -> Self;
}

/// Does the work with the vectors of every level of this machine, and with one double: for tests.
#[cfg(test)]
macro_rules! enter_each {
    ($work:expr) => {
        $crate::backend::cpu::doubles::Portable::enter($work);
        for simd in Simd::available() {
            on_vectors!(simd, Doubles as D => D::enter($work), else ());
        }
    };
}
#[cfg(test)]
pub(super) use enter_each;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::{
        Simd,
        simd::{Vectorised, Vectors, on_vectors},
    };

    struct Check;

    impl<D: Doubles> Vectorised<D> for Check {
        #[inline(always)]
        fn run(self) {
            let magic = 1.5 * (1u128 << 84) as f64;
            let values = [0.0, 1.0, -1.0, 3.0e9, -4294967295.0, 4294967297.0, 1e15 + 1.0, magic, -magic, 0.1];
            let mut found = [(); 6].map(|()| vec![0.0; D::WIDTH]);
            for (i, &b) in values.iter().enumerate() {
                for &c in &values {
                    // Neighbouring lanes hold different values of a.
                    let a: Vec<f64> =
                        (0..D::WIDTH).map(|lane| values[(i + 3 * lane) % values.len()]).collect();
                    let (x, y, z) = (D::load(&a), D::splat(b), D::splat(c));
                    (x + y).store(&mut found[0]);
                    (x - y).store(&mut found[1]);
                    x.mul_add(y, z).store(&mut found[2]);
                    x.mul_sub(y, z).store(&mut found[3]);
                    x.sub_from(y, z).store(&mut found[4]);
                    x.store(&mut found[5]);
                    for (lane, &a) in a.iter().enumerate() {
                        let fused = [a.mul_add(b, c), a.mul_add(b, -c), (-a).mul_add(b, c)];
                        let expected = [a + b, a - b, fused[0], fused[1], fused[2], a];
                        assert_eq!(
                            [0, 1, 2, 3, 4, 5].map(|k: usize| found[k][lane]),
                            expected,
                            "{a} {b} {c}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn operations_round_once() {
        enter_each!(Check);
    }
}
