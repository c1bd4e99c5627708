//! 64-bit words side by side whose lower 52 bits are multiplied: what integers of many limbs ask of the hardware.
//!
//! Algorithms are written once over [`Quadwords`], by the rules of [`dispatch`](super::simd).

#[cfg(target_arch = "x86_64")]
mod avx512ifma;
#[cfg(test)]
mod portable;

#[cfg(target_arch = "x86_64")]
pub(super) use avx512ifma::Avx512Ifma;
#[cfg(test)]
pub(super) use portable::Portable;

use super::simd::{Vectors, vector};

/// The four limbs of an element in memory.
pub(super) type Limbs = [u64; 4];

/// The most words in any implementation.
pub(super) const MAX_WIDTH: usize = 8;

/// Bits that are multiplied.
pub(super) const BITS: u32 = 52;

/// `WIDTH` words, a power of two up to [`MAX_WIDTH`]; the operations act on each separately, but for those between rows and columns.
pub(super) trait Quadwords: Vectors + Copy + Send + Sync + 'static {
    /// The same word in every lane.
    fn splat(word: u64) -> Self;

    /// The words at the heads of the first `WIDTH` rows, the second words, and so on.
    fn columns(rows: [&Limbs; MAX_WIDTH]) -> [Self; 4];

    /// The inverse of [`columns`](Self::columns); rows beyond `WIDTH` are unspecified.
    fn rows(columns: [Self; 4]) -> [Limbs; MAX_WIDTH];

    /// Exchanges lanes and vectors: word j of vector i with word i of vector j, among the first `WIDTH` vectors.
    fn transposed(vectors: [Self; MAX_WIDTH]) -> [Self; MAX_WIDTH];

    /// The sum modulo 2^64.
    fn add(self, other: Self) -> Self;

    /// The difference modulo 2^64.
    fn sub(self, other: Self) -> Self;

    /// Bits set in both.
    fn and(self, other: Self) -> Self;

    /// Bits set in one of the two at least.
    fn or(self, other: Self) -> Self;

    /// The product with 2^`N` modulo 2^64, for N below 64.
    fn shl<const N: u32>(self) -> Self;

    /// The quotient by 2^`N`, rounded down, for N below 64.
    fn shr<const N: u32>(self) -> Self;

    /// The same of a signed word.
    fn shr_signed<const N: u32>(self) -> Self;

    /// The sum with bits 0 to 51 of the product of the lower 52 bits of both factors.
    fn add_low(self, a: Self, b: Self) -> Self;

    /// The sum with bits 52 to 103 of that product.
    fn add_high(self, a: Self, b: Self) -> Self;

    /// A bit for each lane, lowest first: whether the words are equal.
    fn equal(self, other: Self) -> u8;

    /// A bit for each lane, lowest first: whether the signed word is negative.
    fn negative(self) -> u8;

    /// `self` in lanes whose bit is set, else `other`.
    fn select(self, other: Self, lanes: u8) -> Self;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::{
        Simd,
        simd::{Vectorised, on_vectors},
    };

    /// Words with carries at every bit.
    fn words(count: usize) -> Vec<u64> {
        let edges = [0, 1, u64::MAX, 1 << 63, (1 << 52) - 1, 1 << 52, (1 << 51) + 1, 0x000f_0000_ffff_fffe];
        let random = (1..).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i << 50);
        edges.into_iter().chain(random).take(count).collect()
    }

    struct Check;

    impl<Q: Quadwords> Vectorised<Q> for Check {
        #[inline(always)]
        fn run(self) {
            let rows: Vec<Limbs> = words(64).chunks(4).map(|row| row.try_into().unwrap()).collect();
            for shift in 0..rows.len() {
                let row = |lane: usize| rows[(lane + shift) % rows.len()];
                let eight: [Limbs; MAX_WIDTH] = std::array::from_fn(row);
                let columns = Q::columns(std::array::from_fn(|i| &eight[i]));
                assert_eq!(Q::rows(columns)[..Q::WIDTH], eight[..Q::WIDTH]);
                let [x, y, z, _] = columns;
                let zeros = [Q::splat(0); 3];
                let lanes = |v: Q| {
                    let [a, b, c] = zeros;
                    Q::rows([v, a, b, c])[..Q::WIDTH].iter().map(|row| row[0]).collect::<Vec<_>>()
                };
                let expect = |what: &str, found: Q, op: &dyn Fn(u64, u64, u64) -> u64| {
                    let expected: Vec<_> =
                        eight[..Q::WIDTH].iter().map(|&[x, y, z, _]| op(x, y, z)).collect();
                    assert_eq!(lanes(found), expected, "{what}");
                };
                expect("splat", Q::splat(7), &|_, _, _| 7);
                expect("add", x.add(y), &|x, y, _| x.wrapping_add(y));
                expect("sub", x.sub(y), &|x, y, _| x.wrapping_sub(y));
                expect("and", x.and(y), &|x, y, _| x & y);
                expect("or", x.or(y), &|x, y, _| x | y);
                expect("shl", x.shl::<12>(), &|x, _, _| x << 12);
                expect("shr", x.shr::<52>(), &|x, _, _| x >> 52);
                expect("shr_signed", x.shr_signed::<52>(), &|x, _, _| (x as i64 >> 52) as u64);
                let mask = (1 << BITS) - 1;
                let product = |x, y| u128::from(x & mask) * u128::from(y & mask);
                expect("add_low", z.add_low(x, y), &|x, y, z| z.wrapping_add(product(x, y) as u64 & mask));
                expect("add_high", z.add_high(x, y), &|x, y, z| {
                    z.wrapping_add((product(x, y) >> BITS) as u64)
                });
                let bits = |op: &dyn Fn(&Limbs) -> bool| {
                    eight[..Q::WIDTH].iter().rev().fold(0, |bits, row| bits << 1 | u8::from(op(row)))
                };
                assert_eq!(x.negative(), bits(&|row| (row[0] as i64) < 0));
                assert_eq!(x.equal(Q::splat(eight[0][0])), bits(&|row| row[0] == eight[0][0]));
                let chosen = x.select(y, 0b0110_0101);
                let expected = eight[..Q::WIDTH].iter().enumerate();
                let expected: Vec<_> =
                    expected.map(|(i, row)| row[usize::from(0b0110_0101_u8 >> i & 1 == 0)]).collect();
                assert_eq!(lanes(chosen), expected);
            }
            let square: [Q; MAX_WIDTH] = std::array::from_fn(|i| {
                let eight: [Limbs; MAX_WIDTH] = std::array::from_fn(|lane| [(8 * i + lane) as u64; 4]);
                Q::columns(std::array::from_fn(|lane| &eight[lane]))[0]
            });
            let transposed = Q::transposed(square);
            for (i, &vector) in transposed.iter().enumerate().take(Q::WIDTH) {
                let found = Q::rows([vector; 4]);
                for (lane, row) in found.iter().enumerate().take(Q::WIDTH) {
                    assert_eq!(row[0], (8 * lane + i) as u64);
                }
            }
        }
    }

    #[test]
    fn operations() {
        Portable::enter(Check);
        for simd in Simd::available() {
            on_vectors!(simd, Quadwords as Q => Q::enter(Check), else ());
        }
    }
}
