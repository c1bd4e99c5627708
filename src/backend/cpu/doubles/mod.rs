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

use std::ops::{Add, Sub};

#[cfg(target_arch = "x86_64")]
pub(super) use self::{avx2::Avx2, avx512::Avx512};
#[cfg(target_arch = "aarch64")]
pub(super) use neon::Neon;

use super::simd::Vectors;

/// The most doubles in any implementation.
pub(super) const MAX_WIDTH: usize = 8;

/// `WIDTH` doubles; the operations act on each separately.
pub(super) trait Doubles: Vectors + Copy + Add<Output = Self> + Sub<Output = Self> {
    /// The doubles at the head of `values`.
    fn load(values: &[f64]) -> Self;

    /// Writes the doubles to the head of `values`.
    fn store(self, values: &mut [f64]);

    /// The same double in every lane.
    fn splat(value: f64) -> Self;

    /// self * factor + addend, rounded once.
    fn mul_add(self, factor: Self, addend: Self) -> Self;

    /// self * factor - subtrahend, rounded once.
    fn mul_sub(self, factor: Self, subtrahend: Self) -> Self;

    /// minuend - self * factor, rounded once.
    fn sub_from(self, factor: Self, minuend: Self) -> Self;
}

/// Implements [`Doubles`] for a vector by the functions of its module, which need instructions beyond the portable.
macro_rules! vector {
    ($vector:ident, $width:literal) => {
        const _: () = assert!($width <= super::MAX_WIDTH);

        impl super::Vectors for $vector {
            type Level = crate::backend::cpu::simd::level::$vector;
            const WIDTH: usize = $width;
        }

        // SAFETY, of all calls: the vectors are entered only where the processor has their instructions: see `Vectors::enter`.
        impl Doubles for $vector {
            #[inline(always)]
            fn load(values: &[f64]) -> Self {
                let values = values.first_chunk().expect("a vector of doubles");
                // SAFETY: as above.
                Self(unsafe { load(values) })
            }

            #[inline(always)]
            fn store(self, values: &mut [f64]) {
                let values = values.first_chunk_mut().expect("a vector of doubles");
                // SAFETY: as above.
                unsafe { store(self.0, values) }
            }

            #[inline(always)]
            fn splat(value: f64) -> Self {
                // SAFETY: as above.
                Self(unsafe { splat(value) })
            }

            #[inline(always)]
            fn mul_add(self, factor: Self, addend: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { mul_add(self.0, factor.0, addend.0) })
            }

            #[inline(always)]
            fn mul_sub(self, factor: Self, subtrahend: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { mul_sub(self.0, factor.0, subtrahend.0) })
            }

            #[inline(always)]
            fn sub_from(self, factor: Self, minuend: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { sub_from(self.0, factor.0, minuend.0) })
            }
        }

        impl Add for $vector {
            type Output = Self;

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { add(self.0, other.0) })
            }
        }

        impl Sub for $vector {
            type Output = Self;

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { sub(self.0, other.0) })
            }
        }
    };
}
use vector;

/// One double, by the standard library: for tests only, since without hardware the fused product is slow.
#[cfg(test)]
impl Vectors for f64 {
    type Level = super::simd::level::Portable;
    const WIDTH: usize = 1;
}

#[cfg(test)]
impl Doubles for f64 {
    fn load(values: &[f64]) -> Self {
        values[0]
    }

    fn store(self, values: &mut [f64]) {
        values[0] = self;
    }

    fn splat(value: f64) -> Self {
        value
    }

    fn mul_add(self, factor: Self, addend: Self) -> Self {
        self.mul_add(factor, addend)
    }

    fn mul_sub(self, factor: Self, subtrahend: Self) -> Self {
        self.mul_add(factor, -subtrahend)
    }

    fn sub_from(self, factor: Self, minuend: Self) -> Self {
        (-self).mul_add(factor, minuend)
    }
}

/// Does the work with the vectors of every level of this machine, and with one double: for tests.
#[cfg(test)]
macro_rules! enter_each {
    ($work:expr) => {
        f64::enter($work);
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
        simd::{Vectorised, on_vectors},
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
