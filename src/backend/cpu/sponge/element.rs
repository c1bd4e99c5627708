//! Goldilocks in doubles: an element as two integers that floating point handles exactly.
//!
//! # Mathematical description
//!
//! Write f = 2^32. Then f^2 = f - 1 modulo p = 2^64 - 2^32 + 1, so f is a primitive sixth root of unity, and
//! `Z[f]/(f^2 - f + 1)`, the Eisenstein integers, maps onto the field. An [`Element`] is such an integer x = x0 + x1 f, its
//! coordinates signed and kept in doubles. With
//!
//! ```text
//! c = x0 (x0 + 2 x1)     b = x1 (2 x0 + x1)     x^2 = (c - b) + b f
//! ```
//!
//! the square costs two products of coordinates. Each is split as low + f high, low being the remainder of the rounded
//! quotient, and *this* f may be taken for the root of unity, which is all that a reduction is here:
//!
//! ```text
//! x^2 = (c_low - b_low - b_high) + (b_low + c_high) f
//! ```
//!
//! The split is exact and takes three operations: adding 1.5 * 2^84, whose neighbours are 2^32 apart, rounds a fused
//! product to a multiple of f; taking it away again leaves f high; a second fused product less that is low.
//!
//! # Sizes
//!
//! Let |x| be the absolute value of the complex number, |x|^2 = x0^2 + x0 x1 + x1^2, in units of 2^31. Each low part is at
//! most 1 in absolute value, so the low parts of a square make up at most sqrt 3, those of a product 2, and since
//! |f| = 1, |x^2| <= sqrt 3 + |x|^2 / 2 and |x y| <= 2 + |x| |y| / 2 but for 2^-30 of it. A coordinate of x is at
//! most 2 / sqrt 3 |x|, and so are b and c above of x^2. *Normalised* coordinates, split in the same way, are at most 1 and
//! a little, and |x| at most sqrt 3 and a little. From there squarings go to 3.3, 7, 26, 340 and 57000, and what is
//! split must stay below 2^83, 2^21 in these units: five squarings between two normalisations. The tests send sizes
//! through the power maps, which proves that all bounds hold on the way for all inputs.

use super::super::doubles::Doubles;
use crate::field::{Goldilocks, MODULUS};
use crate::hash::rescue_linear::Integer;
use crate::hash::rescue_power_maps::Powers;

/// f = 2^32.
const F: f64 = (1u64 << 32) as f64;

/// 1/f.
const INVERSE_F: f64 = 1.0 / F;

/// 1.5 * 2^84: the doubles around it are the multiples of f.
const ROUND: f64 = 1.5 * (1u128 << 84) as f64;

/// 1.5 * 2^52: the doubles around it are the integers.
const ROUND_TO_ONE: f64 = 1.5 * (1u64 << 52) as f64;

/// Squarings of a normalised element before it must be normalised again.
const SQUARINGS: usize = 5;

/// Elements side by side: x0 + x1 f.
#[derive(Clone, Copy)]
pub(in crate::backend::cpu) struct Element<D> {
    /// x0, an integer.
    pub(in crate::backend::cpu) x0: D,
    /// x1, an integer.
    pub(in crate::backend::cpu) x1: D,
}

/// The product a b as (low, -f high).
#[inline(always)]
fn split_product<D: Doubles>(a: D, b: D) -> (D, D) {
    let round = D::splat(ROUND);
    let minus_high = round - a.mul_add(b, round);
    (a.mul_add(b, minus_high), minus_high)
}

/// An integer as (low, f high).
#[inline(always)]
fn split<D: Doubles>(x: D) -> (D, D) {
    let round = D::splat(ROUND);
    let high = (x + round) - round;
    (x - high, high)
}

impl<D: Doubles> Element<D> {
    /// Zero.
    #[inline(always)]
    pub(super) fn zero() -> Self {
        Self { x0: D::splat(0.0), x1: D::splat(0.0) }
    }

    /// The words at the head of two arrays of halves, lower and upper.
    #[inline(always)]
    pub(super) fn load(lower: &[f64], upper: &[f64]) -> Self {
        Self { x0: D::load(lower), x1: D::load(upper) }
    }

    /// The sum of the coordinates.
    #[inline(always)]
    pub(super) fn plus(self, other: Self) -> Self {
        Self { x0: self.x0 + other.x0, x1: self.x1 + other.x1 }
    }

    /// The difference of the coordinates.
    #[inline(always)]
    pub(super) fn minus(self, other: Self) -> Self {
        Self { x0: self.x0 - other.x0, x1: self.x1 - other.x1 }
    }

    /// A small integer times the coordinates, and those of another added.
    #[inline(always)]
    pub(super) fn times_plus(self, factor: i32, other: Self) -> Self {
        let factor = D::splat(f64::from(factor));
        Self { x0: self.x0.mul_add(factor, other.x0), x1: self.x1.mul_add(factor, other.x1) }
    }

    /// factor / 2^shift times this and another added, for 0 < `shift` < 32 and coordinates below 2^51.
    ///
    /// Since 1/f = 1 - f, x / f = (x0 + x1) - x0 f. With x0 + x1 = r + 2^shift h and x0 = q + 2^shift g, r and q being remainders of rounded
    /// quotients, x / 2^shift = 2^(32 - shift) x / f = (2^(32 - shift) r + g) + (h - g - 2^(32 - shift) q) f: what was carried, and normalised coordinates.
    #[inline(always)]
    pub(super) fn divided_plus(self, factor: i32, shift: u32, other: Self) -> Self {
        let factor = f64::from(factor);
        let power = (1u64 << shift) as f64;
        let (part, whole, round) = (D::splat(1.0 / power), D::splat(power), D::splat(ROUND_TO_ONE));
        let quotient = |x: D| x.mul_add(part, round) - round;
        let sum = self.x0 + self.x1;
        let (h, g) = (quotient(sum), quotient(self.x0));
        let (r, q) = (h.sub_from(whole, sum), g.sub_from(whole, self.x0));
        let (factor, raised) = (D::splat(factor), D::splat(factor * (F / power)));
        Self {
            x0: r.mul_add(raised, g.mul_add(factor, other.x0)),
            x1: q.sub_from(raised, (h - g).mul_add(factor, other.x1)),
        }
    }

    /// The same residue with coordinates of at most 2^31 and, where those here are below 2^52, 2^21 more.
    #[inline(always)]
    pub(super) fn normalise(self) -> Self {
        let inverse_f = D::splat(INVERSE_F);
        let (x0_low, x0_high) = split(self.x0);
        let (x1_low, x1_high) = split(self.x1);
        Self { x0: x1_high.sub_from(inverse_f, x0_low), x1: (x0_high + x1_high).mul_add(inverse_f, x1_low) }
    }

    /// The square, with six sums and six fused products.
    #[inline(always)]
    pub(super) fn square(self) -> Self {
        let sum = self.x0 + self.x1;
        self.square_by(sum + self.x1, sum + self.x0)
    }

    /// The square, with three sums and eight fused products.
    #[inline(always)]
    pub(super) fn square_fused(self) -> Self {
        let two = D::splat(2.0);
        self.square_by(self.x1.mul_add(two, self.x0), self.x0.mul_add(two, self.x1))
    }

    /// The square, given x0 + 2 x1 and 2 x0 + x1.
    #[inline(always)]
    fn square_by(self, c_factor: D, b_factor: D) -> Self {
        let inverse_f = D::splat(INVERSE_F);
        let (c_low, c_minus_high) = split_product(self.x0, c_factor);
        let (b_low, b_minus_high) = split_product(self.x1, b_factor);
        Self {
            x0: b_minus_high.mul_add(inverse_f, c_low - b_low),
            x1: c_minus_high.sub_from(inverse_f, b_low),
        }
    }

    /// With a = x0 y0, b = x1 y1 and c = (x0 + x1) (y0 + y1), x y = (a - b) + (c - a) f.
    #[inline(always)]
    pub(super) fn multiply(self, other: Self) -> Self {
        let inverse_f = D::splat(INVERSE_F);
        let (a_low, a_high) = split_product(self.x0, other.x0);
        let (b_low, b_high) = split_product(self.x1, other.x1);
        let (c_low, c_high) = split_product(self.x0 + self.x1, other.x0 + other.x1);
        // The high parts are negative: f ((a - b) + (c - a) f) = (a - c) + (c - b) f.
        Self {
            x0: (c_high - a_high).mul_add(inverse_f, a_low - b_low),
            x1: (b_high - c_high).mul_add(inverse_f, c_low - a_low),
        }
    }
}

impl<D: Doubles> Integer for D {
    #[inline(always)]
    fn times_plus(self, factor: i32, other: Self) -> Self {
        self.mul_add(D::splat(factor as f64), other)
    }

    #[inline(always)]
    fn times_minus(self, factor: i32, other: Self) -> Self {
        self.mul_sub(D::splat(factor as f64), other)
    }
}

/// Squares each word `count` times, once at least. Some processors have separate units for sums and for products: one square
/// in five by the fused form, and normalisation, which is sums, keep both busy.
#[inline(always)]
fn square_each<D: Doubles, const N: usize>(words: &mut [Element<D>; N], count: usize) {
    for word in words.iter_mut() {
        *word = word.square_fused();
    }
    for _ in 1..count {
        for word in words.iter_mut() {
            *word = word.square();
        }
    }
}

impl<D: Doubles, const N: usize> Powers for [Element<D>; N] {
    #[inline(always)]
    fn multiply(&self, other: &Self) -> Self {
        let mut product = *self;
        for i in 0..N {
            product[i] = self[i].multiply(other[i]);
        }
        product
    }

    #[inline(always)]
    fn square_times(&self, count: usize) -> Self {
        let mut power = *self;
        let mut left = count;
        while left > SQUARINGS {
            square_each(&mut power, SQUARINGS);
            power = power.normalise();
            left -= SQUARINGS;
        }
        square_each(&mut power, left);
        power
    }

    #[inline(always)]
    fn normalise(&self) -> Self {
        let mut same = *self;
        for word in &mut same {
            *word = word.normalise();
        }
        same
    }
}

/// The lower and the upper half of a word.
#[inline(always)]
pub(super) fn halves(word: Goldilocks) -> (f64, f64) {
    let word = word.as_u64();
    // By way of signed integers, whose conversion is one instruction.
    ((word & 0xffff_ffff) as i64 as f64, (word >> 32) as i64 as f64)
}

/// The word for x0 + x1 f, both normalised.
#[inline(always)]
pub(in crate::backend::cpu) fn word(x0: f64, x1: f64) -> Goldilocks {
    // (f + 1) + (f - 2) f = 2^64 - 2^32 + 1 = p, so that both become positive, and the upper at most 2^33.
    let lower = (x0 as i64 + (1i64 << 32) + 1) as u64;
    let upper = (x1 as i64 + (1i64 << 32) - 2) as u64;
    let low = lower + (upper >> 32) * (MODULUS.wrapping_neg());
    let (sum, carry) = (upper << 32).overflowing_add(low);
    // After a carry the sum is below 2^34.
    Goldilocks::new(if carry { sum + MODULUS.wrapping_neg() } else { sum })
}

#[cfg(test)]
mod tests {
    use super::super::super::doubles::enter_each;
    use super::super::linear::tests::{grow_circulant, grow_dense};
    use super::*;
    use crate::backend::cpu::{
        Simd,
        simd::{Vectorised, Vectors, on_vectors},
    };
    use crate::field::Field;
    use crate::hash::rescue_power_maps::{seventh_powers, seventh_roots};

    /// 1 and a little.
    const NEARLY_ONE: f64 = 1.0 + 1.0 / 512.0;

    /// A bound of |x| in units of 2^31, and the rules of the module's text as arithmetic.
    #[derive(Clone, Copy)]
    struct Size(f64);

    impl Size {
        fn normalised() -> Self {
            Self(3f64.sqrt() * NEARLY_ONE)
        }

        /// The largest coordinate.
        fn coordinate(self) -> f64 {
            let coordinate = self.0 * 2.0 / 3f64.sqrt() * 2f64.powi(31);
            assert!(coordinate < 2f64.powi(52), "an inexact coordinate or sum of two");
            coordinate
        }

        /// What low parts of this size and high parts of a product make: these are off by the low parts over 2^32.
        fn reduced(low: f64, product: f64) -> Self {
            let reduced = Self(low * NEARLY_ONE + product / 2.0);
            reduced.coordinate();
            reduced
        }
    }

    impl Powers for Size {
        fn multiply(&self, other: &Self) -> Self {
            assert!(self.coordinate() * other.coordinate() < 2f64.powi(83), "a product that is not split");
            Self::reduced(2.0, self.0 * other.0)
        }

        fn square_times(&self, count: usize) -> Self {
            let mut power = *self;
            for i in 0..count {
                if i > 0 && i % SQUARINGS == 0 {
                    power = power.normalise();
                }
                power.coordinate();
                let square = power.0 * power.0;
                assert!(square * 2.0 / 3f64.sqrt() < 2f64.powi(21), "a square that is not split");
                power = Self::reduced(3f64.sqrt(), square);
            }
            power
        }

        fn normalise(&self) -> Self {
            // Two high parts at most, each rounded, over 2^32.
            let carried = 2.0 * (self.coordinate() / F + 1.0) / 2f64.powi(31);
            assert!(1.0 + carried < NEARLY_ONE, "not normalised by one normalisation");
            Self::normalised()
        }
    }

    #[test]
    fn sizes_stay_within_bounds() {
        // An element absorbed, or a constant added, has unsigned coordinates below 2.
        let added = 2.0 * 3f64.sqrt();
        let start = Size(Size::normalised().0 + added).normalise();
        for grow in [grow_circulant, grow_dense] {
            for powers in [seventh_powers(&start), seventh_roots(&start)] {
                Size(grow(powers.0, |x| Size(x).coordinate()) + added).normalise();
            }
        }
    }

    /// The residue of x0 + x1 f.
    fn residue(x0: f64, x1: f64) -> Goldilocks {
        let value = x0 as i128 + ((x1 as i128) << 32);
        Goldilocks::from_u128(value.rem_euclid(MODULUS as i128) as u128)
    }

    struct Check;

    impl<D: Doubles> Vectorised<D> for Check {
        #[inline(always)]
        fn run(self) {
            let half = 2f64.powi(31);
            // Normalised ones, ones at which splits tie, and those before the last squaring.
            let near = |x: f64| [x - 1.0, x, x + 1.0].into_iter().flat_map(|x| [x, -x]);
            let mut coordinates: Vec<f64> =
                [0.0, 65536.0, half, 2.0 * half, 3.0 * half].into_iter().flat_map(near).collect();
            let mut word = 1u64;
            for _ in 0..20 {
                word = word.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
                coordinates.push((word as i64 >> 24) as f64);
                coordinates.push((word as i64 >> 32) as f64);
            }
            let count = coordinates.len();
            let mut found = [[0.0; 8]; 8];
            for i in 0..count * count {
                let pick = |lane: usize| {
                    let i = i + 7 * lane;
                    [coordinates[i % count], coordinates[i / count % count], coordinates[(i / 3) % count]]
                };
                let lanes: Vec<[f64; 3]> = (0..D::WIDTH).map(pick).collect();
                let column = |k: usize| lanes.iter().map(|lane| lane[k]).collect::<Vec<_>>();
                let x = Element::<D>::load(&column(0), &column(1));
                let y = Element::<D>::load(&column(2), &column(0));
                let results = [x.square(), x.multiply(y), x.normalise(), x.square_fused()];
                for (k, result) in results.into_iter().enumerate() {
                    result.x0.store(&mut found[2 * k]);
                    result.x1.store(&mut found[2 * k + 1]);
                }
                for (lane, &[x0, x1, y0]) in lanes.iter().enumerate() {
                    let (a, b) = (residue(x0, x1), residue(y0, x0));
                    let [square, product, same, square_fused] =
                        [0, 1, 2, 3].map(|k: usize| residue(found[2 * k][lane], found[2 * k + 1][lane]));
                    assert_eq!(square, a.square(), "({x0} + {x1} f)^2");
                    assert_eq!(square_fused, a.square(), "({x0} + {x1} f)^2, fused");
                    assert_eq!(product, a * b, "({x0} + {x1} f) ({y0} + {x0} f)");
                    assert_eq!(same, a, "{x0} + {x1} f");
                    let normal = [found[4][lane], found[5][lane]];
                    assert!(normal.iter().all(|x| x.abs() <= half * NEARLY_ONE), "{x0} + {x1} f: {normal:?}");
                    assert_eq!(super::word(normal[0], normal[1]), a, "{x0} + {x1} f");
                }
            }
        }
    }

    #[test]
    fn arithmetic_of_edge_values() {
        enter_each!(Check);
    }

    #[test]
    fn words_of_extreme_coordinates() {
        let extreme = 2f64.powi(31) * NEARLY_ONE;
        for x0 in [-extreme, -1.0, 0.0, 1.0, extreme] {
            for x1 in [-extreme, -1.0, 0.0, 1.0, extreme] {
                assert_eq!(word(x0, x1), residue(x0, x1), "{x0} + {x1} f");
            }
        }
        for word in [0, 1, 0xffff_ffff, 1 << 32, MODULUS - (1 << 32), MODULUS - 1] {
            let (lower, upper) = halves(Goldilocks::new(word));
            assert_eq!(residue(lower, upper).as_u64(), word);
        }
    }
}
