//! How many products in a field an operation consists of, for rooflines.
//!
//! The counts are those of the best algorithm that the library knows, whatever a device really does: a device that multiplies more
//! than it must lies lower in the roofline, as it should. Sums, differences, and products by constants that are shifts are not counted.
//!
//! | operation | products |
//! |---|---|
//! | transform of n points | n/2 log n - (n - 1): a butterfly has one, and the factor of the first of each block is 1 |
//! | the same on a coset | n/2 log n: the shift is in the roots, and no factor is 1 |
//! | low-degree extension, blow-up B | an inverse transform and B transforms on cosets; zeros are not transformed |
//! | Merkle tree of n leaves | n - 1 permutations for one merge each |
//! | digests of rows | a permutation for each rate's worth of a row |
//! | commitment | extensions of the columns, digests of the rows, and the tree |
//! | multi-scalar multiplication | see [`msm`] |
//! | n inverses | 3n |
//! | combinations of columns, prefix products, products of vectors | one for each entry |
//! | row program | those of its rows |
//! | product with a sparse matrix | one for each entry that is neither 1 nor -1 |
//!
//! The logs in `docs/performance` (`rescue-gpu.md`, `fft-gpu.md`, `msm-gpu.md`) derive them.

use super::report::{Field, Products};
use crate::hashes::HashName;

/// Products of x^7: two squarings and two products.
const SEVENTH_POWER: u64 = 4;

/// Products of x^(1/7) over Goldilocks, an exponent of 64 bits: 63 squarings and 8 products (`docs/performance/rescue-gpu.md`).
const SEVENTH_ROOT: u64 = 71;

/// A sponge over Goldilocks: the words that a permutation absorbs, and its products.
struct Permutation {
    rate: u64,
    products: u64,
}

/// The permutation of a hash; none for hashes of bytes, which multiply nothing.
fn permutation(hash: HashName) -> Option<Permutation> {
    // A round of Rescue raises every word to the 7th power and every word to the power 1/7; linear layers have small factors.
    let rescue = |rounds: u64, words: u64| rounds * words * (SEVENTH_POWER + SEVENTH_ROOT);
    // Eight full rounds, and 22 that raise one word.
    let poseidon2 = |words: u64| (8 * words + 22) * SEVENTH_POWER;
    let (rate, products) = match hash {
        HashName::Rp64_256 | HashName::Rp64_256V2021 | HashName::Rpo256 => (8, rescue(7, 12)),
        HashName::RpJive64_256 => (4, rescue(7, 8)),
        // Three such rounds, and three that raise four elements of the cubic extension to the 7th power: each of the four
        // products there is six by Karatsuba's method.
        HashName::Rpx256 => (8, rescue(3, 12) + 3 * 4 * SEVENTH_POWER * 6),
        HashName::Poseidon2_8 => (4, poseidon2(8)),
        HashName::Poseidon2_12 => (8, poseidon2(12)),
        HashName::Blake3 | HashName::Keccak256 | HashName::Sha256 | HashName::Sha3_256 => return None,
    };
    Some(Permutation { rate, products })
}

fn goldilocks(count: u64) -> Products {
    Products { field: Field::Goldilocks, count }
}

/// A transform of 2^`log_size` points.
fn transform(log_size: u32) -> u64 {
    coset_transform(log_size) - ((1 << log_size) - 1)
}

/// The same on a coset.
fn coset_transform(log_size: u32) -> u64 {
    (u64::from(log_size) << log_size) / 2
}

fn extension(log_size: u32, blowup: u64) -> u64 {
    transform(log_size).saturating_add(blowup.saturating_mul(coset_transform(log_size)))
}

/// Transforms of columns over Goldilocks.
pub(super) fn ntt(log_size: u32, columns: usize) -> Products {
    goldilocks(transform(log_size).saturating_mul(columns as u64))
}

/// Transforms over BN254's scalars.
pub(super) fn fft(log_size: u32, polynomials: usize) -> Products {
    products(transform(log_size).saturating_mul(polynomials as u64))
}

/// Products of elements of BN254's scalars.
pub(super) fn products(count: u64) -> Products {
    Products { field: Field::Bn254, count }
}

/// Inverses of so many elements, by one inversion for many: Montgomery's trick.
pub(super) fn inverses(count: u64) -> Products {
    products(count.saturating_mul(3))
}

/// Extensions of columns of 2^`log_size` rows.
pub(super) fn lde(log_size: u32, columns: usize, blowup: u64) -> Products {
    goldilocks(extension(log_size, blowup).saturating_mul(columns as u64))
}

/// A tree over 2^`log_size` leaves.
pub(super) fn tree(hash: HashName, log_size: u32) -> Option<Products> {
    permutation(hash).map(|permutation| goldilocks(permutation.products * ((1 << log_size) - 1)))
}

/// Digests of 2^`log_size` rows.
pub(super) fn rows(hash: HashName, log_size: u32, columns: usize) -> Option<Products> {
    let Permutation { rate, products } = permutation(hash)?;
    Some(goldilocks(((columns as u64).div_ceil(rate) << log_size).saturating_mul(products)))
}

/// A commitment. Where the hash multiplies nothing, the extension is all.
pub(super) fn commitment(hash: HashName, log_size: u32, columns: usize, blowup: u64) -> Products {
    let log_rows = log_size + blowup.ilog2();
    let hashing = [rows(hash, log_rows, columns), tree(hash, log_rows)];
    let hashing = hashing.into_iter().flatten().fold(0_u64, |sum, part| sum.saturating_add(part.count));
    goldilocks(lde(log_size, columns, blowup).count.saturating_add(hashing))
}

/// A sum of 2^`log_size` points times scalars of so many bits over a curve y^2 = x^3 + b, by the bucket method with signed digits.
///
/// With windows of c bits there are w = ceil((bits + 1) / c) of them. Every digit but zero, which has the probability 2^-c, or 2^-bits
/// where that is more, adds a point to a bucket: 6 products where batches of affine additions share an inversion. Each of the
/// 2^(c - 1) buckets takes part in two additions of points, of 14 products each; with tables of multiples of the bases all windows
/// share their buckets, and without, doublings join the w sums (8 products each). The count is that of the best c. Over a quadratic extension, `degree` 2,
/// a product of coordinates is three of the prime field, and a square two: 17, 40 and 21 for 6, 14 and 8.
pub(super) fn msm(log_size: u32, bits: u32, tables: bool, degree: usize) -> Products {
    let [of_sum, of_addition, of_doubling] = if degree == 1 { [6.0, 14.0, 8.0] } else { [17.0, 40.0, 21.0] };
    let pairs = (1_u64 << log_size) as f64;
    let of_window = |c: u32| {
        let windows = f64::from((bits + 1).div_ceil(c));
        let nonzero = 1.0 - 0.5_f64.powi(c.min(bits) as i32);
        let buckets = f64::from(c - 1).exp2() * 2.0 * of_addition;
        let (sets, doublings) = if tables { (1.0, 0.0) } else { (windows, f64::from(c) * (windows - 1.0)) };
        windows * pairs * nonzero * of_sum + sets * buckets + doublings * of_doubling
    };
    let least = (1..=26).map(of_window).fold(f64::INFINITY, f64::min);
    Products { field: Field::Bn254, count: least as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_logs() {
        // docs/performance/rescue-gpu.md: a merge is 5460 squarings and 840 products.
        assert_eq!(tree(HashName::Rp64_256, 1).map(|products| products.count), Some(5460 + 840));
        // Poseidon2 of width 12: 96 + 22 S-boxes.
        assert_eq!(tree(HashName::Poseidon2_12, 1).map(|products| products.count), Some(4 * 118));
        assert_eq!(tree(HashName::Blake3, 10), None);
        // Two points: one butterfly, with the factor 1; four: one factor is not 1.
        assert_eq!([0, 1, 2, 3].map(|log_size| ntt(log_size, 1).count), [0, 0, 1, 5]);
        assert_eq!(ntt(10, 3).count, 3 * (5 * 1024 - 1023));
        assert_eq!(lde(2, 1, 8).count, 1 + 8 * 4);
        // Nine columns are two rates' worth.
        assert_eq!(rows(HashName::Rp64_256, 2, 9).map(|products| products.count), Some(4 * 2 * 6300));
        // 2^3 rows of one permutation each, and seven merges.
        assert_eq!(commitment(HashName::Rp64_256, 2, 5, 2).count, 5 * lde(2, 1, 2).count + 15 * 6300);
        // A large sum of one-bit scalars: half of the points are added, and little else is to be done.
        let bits = msm(20, 1, false, 1).count as f64 / f64::from(1 << 20);
        assert!((3.0..=6.0).contains(&bits), "{bits}");
        let uniform = msm(20, 254, false, 1).count as f64 / f64::from(1 << 20);
        assert!((90.0..120.0).contains(&uniform), "{uniform}");
        assert!(msm(20, 254, true, 1).count < msm(20, 254, false, 1).count);
    }
}
