//! The linear layers of Rescue Prime on doubles: circulant matrices by the convolutions that the scalar code uses, on each
//! coordinate; the dense one by products with its entries cut in two.

use super::super::doubles::Doubles;
use super::element::Element;
use crate::hash::rescue_constants::{MDS_2021, WIDTH};
use crate::hash::rescue_linear::Convolve;
use crate::hash::rescue_power_maps::Powers;

/// A linear layer on `N` words: takes what S-boxes return, makes coordinates below 2^53.
pub(super) trait Linear<const N: usize> {
    /// The matrix times the state.
    fn times<D: Doubles>(x: &[Element<D>; N]) -> [Element<D>; N];
}

/// The circulant matrix of so many words; grows by at most its row sum, 160 for twelve and 96 for eight.
pub(super) struct Circulant;

/// The matrix of 2021.
pub(super) struct Dense;

impl Linear<12> for Circulant {
    #[inline(always)]
    fn times<D: Doubles>(x: &[Element<D>; 12]) -> [Element<D>; 12] {
        circulant(x)
    }
}

impl Linear<8> for Circulant {
    #[inline(always)]
    fn times<D: Doubles>(x: &[Element<D>; 8]) -> [Element<D>; 8] {
        circulant(x)
    }
}

impl Linear<WIDTH> for Dense {
    #[inline(always)]
    fn times<D: Doubles>(x: &[Element<D>; WIDTH]) -> [Element<D>; WIDTH] {
        dense(&x.normalise())
    }
}

#[inline(always)]
fn circulant<D: Doubles, const N: usize>(x: &[Element<D>; N]) -> [Element<D>; N]
where
    [D; N]: Convolve,
{
    let (mut x0, mut x1) = ([x[0].x0; N], [x[0].x1; N]);
    for i in 0..N {
        (x0[i], x1[i]) = (x[i].x0, x[i].x1);
    }
    let (y0, y1) = (x0.convolve(), x1.convolve());
    let mut y = *x;
    for i in 0..N {
        y[i] = Element { x0: y0[i], x1: y1[i] };
    }
    y
}

/// The bits of the lower part of an entry of the dense matrix.
const CUT: u32 = 16;

/// An entry c0 + c1 f of the dense matrix: c0, c1 and c0 + c1, each as (lower, upper) with lower + 2^16 upper. Lower parts
/// are at most 2^15 in absolute value, upper ones 2^15, that of the sum 2^16.
type Entry = [[f64; 2]; 3];

/// The entry for a word.
const fn entry(word: u64) -> Entry {
    let c0 = word as i32 as i64;
    let c1 = word.wrapping_sub(c0 as u64) >> 32;
    // f^2 = f - 1 where the upper half is too large to be signed.
    let (c0, c1) = if c1 < 1 << 31 { (c0, c1 as i64) } else { (c0 - 1, c1 as i64 - (1 << 32) + 1) };
    [cut(c0), cut(c1), cut(c0 + c1)]
}

const fn cut(x: i64) -> [f64; 2] {
    let lower = x as i16 as i64;
    [lower as f64, ((x - lower) >> CUT) as f64]
}

/// The dense matrix.
static DENSE: [[Entry; WIDTH]; WIDTH] = {
    let mut entries = [[[[0.0; 2]; 3]; WIDTH]; WIDTH];
    let mut i = 0;
    while i < WIDTH * WIDTH {
        entries[i / WIDTH][i % WIDTH] = entry(MDS_2021[i / WIDTH][i % WIDTH]);
        i += 1;
    }
    entries
};

/// Rows of the dense matrix at a time: twelve sums, which leave some registers of sixteen.
const ROWS: usize = 2;

/// The dense matrix times the state, whose coordinates are at most 2^31 and a little; those of the result are below 2^52.
///
/// With a = sum c0 x0, b = sum c1 x1 and s = sum (c0 + c1) (x0 + x1), the word is (a - b) + (s - a) f. Each sum is made of
/// two, for the parts of the entries: 12 products of at most 2^32 and 2^16 are below 2^52, exact in a double.
#[inline(always)]
fn dense<D: Doubles>(x: &[Element<D>; WIDTH]) -> [Element<D>; WIDTH] {
    let mut factors = [[x[0].x0; 3]; WIDTH];
    for j in 0..WIDTH {
        factors[j] = [x[j].x0, x[j].x1, x[j].x0 + x[j].x1];
    }
    let mut y = *x;
    for (rows, words) in DENSE.chunks_exact(ROWS).zip(y.chunks_exact_mut(ROWS)) {
        let mut sums = [[[D::splat(0.0); 2]; 3]; ROWS];
        for j in 0..WIDTH {
            for i in 0..ROWS {
                for k in 0..3 {
                    for part in 0..2 {
                        let sum = sums[i][k][part];
                        sums[i][k][part] = factors[j][k].mul_add(D::splat(rows[i][j][k][part]), sum);
                    }
                }
            }
        }
        for i in 0..ROWS {
            words[i] = dense_word(sums[i]);
        }
    }
    y
}

/// The word of three sums in two parts each.
#[inline(always)]
fn dense_word<D: Doubles>([a, b, s]: [[D; 2]; 3]) -> Element<D> {
    let (shift, inverse_shift) = (D::splat((1u64 << CUT) as f64), D::splat(1.0 / (1u64 << CUT) as f64));
    // The doubles around this are the multiples of 2^16.
    let round = D::splat(1.5 * (1u128 << (52 + CUT)) as f64);
    // The upper parts of a - b and s - a, split in their turn: 2^16 (low + high) is 2^16 low + f (2^-16 high).
    let (p, q) = (a[1] - b[1], s[1] - a[1]);
    let (p_high, q_high) = ((p + round) - round, (q + round) - round);
    let p_low = (p - p_high).mul_add(shift, a[0] - b[0]);
    let q_low = (q - q_high).mul_add(shift, s[0] - a[0]);
    Element { x0: q_high.sub_from(inverse_shift, p_low), x1: (p_high + q_high).mul_add(inverse_shift, q_low) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::super::doubles::enter_each;
    use super::*;
    use crate::backend::cpu::{
        Simd,
        simd::{Vectorised, Vectors, on_vectors},
    };
    use crate::field::Goldilocks;
    use crate::hash::rescue_constants::MDS_CIRCULANT_ROW;

    /// The size of a word of [`circulant`] from the largest size of the words it takes.
    pub(in super::super) fn grow_circulant(size: f64, coordinate: impl Fn(f64) -> f64) -> f64 {
        assert!(512.0 * coordinate(size) < 2f64.powi(53), "an inexact convolution");
        size * MDS_CIRCULANT_ROW.iter().sum::<u64>() as f64
    }

    /// The same of [`dense`], which normalises first.
    pub(in super::super) fn grow_dense(_: f64, _: impl Fn(f64) -> f64) -> f64 {
        // A little above 2^31, and twice that for a sum.
        let largest = [1.01, 1.01, 2.02].map(|x| x * 2f64.powi(31));
        let mut sums: Vec<[[f64; 2]; 3]> = vec![[[0.0; 2]; 3]; WIDTH];
        for (row, sums) in DENSE.iter().zip(&mut sums) {
            for (k, part) in (0..3).flat_map(|k| [(k, 0), (k, 1)]) {
                sums[k][part] = row.iter().map(|entry| entry[k][part].abs() * largest[k]).sum();
            }
        }
        let lower = sums.iter().map(|[a, b, s]| a[0] + b[0].max(s[0])).fold(0.0, f64::max);
        let upper = sums.iter().map(|[a, b, s]| a[1] + b[1].max(s[1])).fold(0.0, f64::max);
        assert!(lower < 2f64.powi(52) && upper < 2f64.powi(53), "inexact sums: {lower} {upper}");
        // Both coordinates: lower parts, a shifted rest of 2^31, two upper parts of 2^-16.
        let coordinate = lower + 2f64.powi(31) + 2.0 * (upper / 65536.0 + 1.0);
        3f64.sqrt() * coordinate / 2f64.powi(31)
    }

    #[test]
    fn entries_are_those_of_the_matrix() {
        for (entries, words) in DENSE.iter().flatten().zip(MDS_2021.iter().flatten()) {
            let value = |[lower, upper]: [f64; 2]| lower as i128 + ((upper as i128) << CUT);
            let [c0, c1, sum] = entries.map(value);
            assert_eq!(c0 + c1, sum);
            let found = (c0 + (c1 << 32)).rem_euclid(Goldilocks::MODULUS as i128);
            assert_eq!(found, *words as i128);
            assert!(entries.iter().all(|[lower, upper]| lower.abs() <= 32768.0 && upper.abs() <= 65536.0));
        }
    }

    struct Check;

    impl<D: Doubles> Vectorised<D> for Check {
        #[inline(always)]
        fn run(self) {
            let residue = |x0: f64, x1: f64| {
                let value = x0 as i128 + ((x1 as i128) << 32);
                Goldilocks::from_u128(value.rem_euclid(Goldilocks::MODULUS as i128) as u128)
            };
            let half = 2f64.powi(31);
            let mut states = vec![[[half, half]; WIDTH], [[-half, half]; WIDTH], [[-half, -half]; WIDTH]];
            for i in 0..WIDTH {
                states.push(std::array::from_fn(|j| if i == j { [half, -half] } else { [0.0, 1.0] }));
                states.push(std::array::from_fn(|j| {
                    [(1 << 31 >> ((i * j) % 32)) as f64, -half + (i * j) as f64]
                }));
            }
            for values in states {
                let state: [Element<D>; WIDTH] =
                    values.map(|[x0, x1]| Element { x0: D::splat(x0), x1: D::splat(x1) });
                for (found, entry) in [
                    (
                        circulant(&state),
                        (|i, j| MDS_CIRCULANT_ROW[(WIDTH + j - i) % WIDTH]) as fn(usize, usize) -> u64,
                    ),
                    (dense(&state), |i, j| MDS_2021[i][j]),
                ] {
                    for (i, found) in found.iter().enumerate() {
                        let (mut x0, mut x1) = ([0.0; 8], [0.0; 8]);
                        found.x0.store(&mut x0);
                        found.x1.store(&mut x1);
                        let products = (0..WIDTH)
                            .map(|j| residue(values[j][0], values[j][1]) * Goldilocks::new(entry(i, j)));
                        assert_eq!(
                            residue(x0[D::WIDTH - 1], x1[0]),
                            products.sum(),
                            "word {i} of {values:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn layers_of_extreme_states() {
        enter_each!(Check);
    }
}
