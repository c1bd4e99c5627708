//! Integers of a number of 64-bit limbs, lowest first: elements of prime fields in memory, and the arithmetic beneath that of [`Residue`](super::montgomery::Residue).
//!
//! The number of limbs follows from the prime: four for primes of up to 255 bits, six for those of the coordinates of BLS12-381 and BLS12-377, twelve for BW6-761's. What is written here is for any number of up to twelve: statements for
//! every limb by [`for_each_limb`] and not loops, so that every index is a constant, carries stay in flags, and limbs in registers.

use std::fmt::Debug;
use std::hint::select_unpredictable;

use bytemuck::Pod;

/// The most limbs of a factor whose square has fewer products than a product: a block for each pair of limbs, of which twelve would have too many.
const SQUARED: usize = 6;

/// A block for every index from a first one to below a number, each time with a constant of that name.
macro_rules! for_each_limb {
    // Of twice as many limbs. There is no index below the first, from which a block may subtract 1.
    ($i:ident in 1, 2 * $to:expr => $block:block) => {
        for_each_limb!($i in 1, 2 * $to => $block; 1 2 3 4 5 6 7 8 9 10 11)
    };
    ($i:ident in 1, $to:expr => $block:block) => {
        for_each_limb!($i in 1, $to => $block; 1 2 3 4 5 6 7 8 9 10 11)
    };
    // Of up to six limbs.
    ($i:ident in few $from:expr, $to:expr => $block:block) => {
        for_each_limb!($i in $from, $to => $block; 0 1 2 3 4 5)
    };
    ($i:ident in $from:expr, $to:expr => $block:block) => {
        for_each_limb!($i in $from, $to => $block; 0 1 2 3 4 5 6 7 8 9 10 11)
    };
    ($i:ident in $from:expr, $to:expr => $block:block; $($index:literal)+) => {$({
        const $i: usize = $index;
        if is_within($i, $from, $to) $block
    })+};
}

/// Whether from <= i < to.
#[inline(always)]
pub(crate) const fn is_within(i: usize, from: usize, to: usize) -> bool {
    from <= i && i < to
}

/// The limbs of an integer: an array of them.
pub trait Integer: Pod + Eq + Debug + Send + Sync + AsRef<[u64]> + AsMut<[u64]> + sealed::Sealed {
    /// The number of limbs.
    const LIMBS: usize = size_of::<Self>() / size_of::<u64>();

    /// 0.
    const ZERO: Self;

    /// A word.
    fn of_word(word: u64) -> Self;

    /// The sum modulo 2^(64 `LIMBS`), and whether it wrapped.
    fn plus(self, rhs: Self) -> (Self, bool);

    /// The difference modulo 2^(64 `LIMBS`), and whether it wrapped.
    fn minus(self, rhs: Self) -> (Self, bool);

    /// Whether this is less.
    #[inline(always)]
    fn is_below(self, rhs: Self) -> bool {
        self.minus(rhs).1
    }

    /// Whether both are the same, without a jump for each limb.
    fn is(self, other: Self) -> bool;

    /// `self` if `first`, else `other`, without a branch.
    fn select(self, first: bool, other: Self) -> Self;

    /// The number of bits.
    fn bits(self) -> u32;

    /// The quotient by a word, rounded down, and the rest.
    fn quotient(self, divisor: u64) -> (Self, u64);

    /// a b / R modulo p, by Montgomery's reduction: below p + a b / R. R is 2^(64 `LIMBS`), and what is carried from step to step stays below b + p, which must be below R. The last factor is -1/p
    /// modulo 2^64.
    fn product(self, b: Self, p: Self, negative_inverse: u64) -> Self;

    /// a^2 / R likewise, of up to six limbs with about half of the products of limbs.
    fn square(self, p: Self, negative_inverse: u64) -> Self;
}

mod sealed {
    /// Seals [`Integer`](super::Integer): other crates cannot implement it.
    pub trait Sealed {}
    impl<const N: usize> Sealed for [u64; N] {}
}

impl<const N: usize> Integer for [u64; N]
where
    Self: Pod,
{
    const ZERO: Self = [0; N];

    #[inline(always)]
    fn of_word(word: u64) -> Self {
        let mut integer = [0; N];
        integer[0] = word;
        integer
    }

    #[inline(always)]
    fn plus(self, rhs: Self) -> (Self, bool) {
        add_limbs(self, rhs)
    }

    #[inline(always)]
    fn minus(self, rhs: Self) -> (Self, bool) {
        sub_limbs(self, rhs)
    }

    #[inline(always)]
    fn is(self, other: Self) -> bool {
        let mut differs = 0;
        for_each_limb!(I in 0, N => { differs |= self[I] ^ other[I]; });
        differs == 0
    }

    #[inline(always)]
    fn select(self, first: bool, other: Self) -> Self {
        // Limb by limb and not in a loop, where the compiler may choose an address to read from and not a value: limbs that were just
        // written singly are then read in pairs, which waits for the cache.
        let mut selected = [0; N];
        for_each_limb!(I in 0, N => { selected[I] = select_unpredictable(first, self[I], other[I]); });
        selected
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        bits(self)
    }

    fn quotient(self, divisor: u64) -> (Self, u64) {
        quotient(self, divisor)
    }

    #[inline(always)]
    fn product(self, b: Self, p: Self, negative_inverse: u64) -> Self {
        product(self, b, p, negative_inverse)
    }

    #[inline(always)]
    fn square(self, p: Self, negative_inverse: u64) -> Self {
        if N > SQUARED {
            return self.product(self, p, negative_inverse);
        }
        let a = self;
        // Products of different limbs, once.
        let mut t = [0; 2 * SQUARED];
        for_each_limb!(I in few 0, N => {
            let mut carry = 0;
            for_each_limb!(J in few I + 1, N => { (t[I + J], carry) = mac(t[I + J], a[I], a[J], carry); });
            t[I + N] = carry;
        });
        // Twice these, and the squares of the limbs.
        let mut twice = [0; 2 * SQUARED];
        for_each_limb!(I in 1, 2 * N => { twice[I] = t[I] << 1 | t[I - 1] >> 63; });
        let mut over = false;
        for_each_limb!(I in few 0, N => {
            let (low, high) = mac(0, a[I], a[I], 0);
            (t[2 * I], over) = adc(twice[2 * I], low, over);
            (t[2 * I + 1], over) = adc(twice[2 * I + 1], high, over);
        });
        debug_assert!(!over, "a square has twice as many limbs");
        // The reduction of the lower half is at most p, the upper half below a^2 / R.
        let (mut lower, mut upper) = ([0; N], [0; N]);
        for_each_limb!(I in few 0, N => { (lower[I], upper[I]) = (t[I], t[I + N]); });
        let mut step = 0;
        while step < N {
            let m = lower[0].wrapping_mul(negative_inverse);
            let (_, mut carry) = mac(lower[0], m, p[0], 0);
            for_each_limb!(J in 1, N => { (lower[J - 1], carry) = mac(lower[J], m, p[J], carry); });
            lower[N - 1] = carry;
            step += 1;
        }
        add_limbs(lower, upper).0
    }
}

/// a + b + carry.
#[inline(always)]
const fn adc(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, over) = a.overflowing_add(b);
    let (sum, over_again) = sum.overflowing_add(carry as u64);
    (sum, over | over_again)
}

/// a - b - borrow.
#[inline(always)]
const fn sbb(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, under) = a.overflowing_sub(b);
    let (difference, under_again) = difference.overflowing_sub(borrow as u64);
    (difference, under | under_again)
}

/// The low and high word of t + a b + carry.
#[inline(always)]
pub(crate) const fn mac(t: u64, a: u64, b: u64, carry: u64) -> (u64, u64) {
    let wide = t as u128 + a as u128 * b as u128 + carry as u128;
    (wide as u64, (wide >> 64) as u64)
}

/// a + b modulo 2^(64 N), and whether it wrapped.
#[inline(always)]
pub(crate) const fn add_limbs<const N: usize>(a: [u64; N], b: [u64; N]) -> ([u64; N], bool) {
    let (mut sum, mut carry) = ([0; N], false);
    for_each_limb!(I in 0, N => { (sum[I], carry) = adc(a[I], b[I], carry); });
    (sum, carry)
}

/// a - b modulo 2^(64 N), and whether it wrapped.
#[inline(always)]
pub(crate) const fn sub_limbs<const N: usize>(a: [u64; N], b: [u64; N]) -> ([u64; N], bool) {
    let (mut difference, mut borrow) = ([0; N], false);
    for_each_limb!(I in 0, N => { (difference[I], borrow) = sbb(a[I], b[I], borrow); });
    (difference, borrow)
}

/// [`Integer::product`], in constants too.
#[inline(always)]
pub(crate) const fn product<const N: usize>(
    a: [u64; N],
    b: [u64; N],
    p: [u64; N],
    negative_inverse: u64,
) -> [u64; N] {
    let (mut t, mut i) = ([0; N], 0);
    while i < N {
        let (t0, mut carry) = mac(t[0], a[i], b[0], 0);
        let m = t0.wrapping_mul(negative_inverse);
        let (_, mut reduction) = mac(t0, m, p[0], 0);
        for_each_limb!(J in 1, N => {
            let sum;
            (sum, carry) = mac(t[J], a[i], b[J], carry);
            (t[J - 1], reduction) = mac(sum, m, p[J], reduction);
        });
        // No limb more between steps.
        t[N - 1] = reduction.wrapping_add(carry);
        i += 1;
    }
    t
}

/// Whether a < b.
pub(crate) const fn is_below<const N: usize>(a: [u64; N], b: [u64; N]) -> bool {
    sub_limbs(a, b).1
}

/// The number of bits of an integer.
#[inline(always)]
pub(crate) const fn bits<const N: usize>(integer: [u64; N]) -> u32 {
    // The highest limb that is not 0, by selects and not by jumps.
    let (mut limb, mut top, mut i) = (0, integer[0], 1);
    while i < N {
        (limb, top) = if integer[i] != 0 { (i, integer[i]) } else { (limb, top) };
        i += 1;
    }
    u64::BITS * limb as u32 + u64::BITS - top.leading_zeros()
}

/// The integer that a text of hexadecimal digits behind `0x` stands for.
pub(crate) const fn parse_hexadecimal<const N: usize>(text: &str) -> [u64; N] {
    let text = text.as_bytes();
    assert!(text.len() > 2 && text[0] == b'0' && text[1] == b'x', "hexadecimal digits behind 0x");
    let (mut integer, mut i) = ([0; N], 2);
    while i < text.len() {
        assert!(integer[N - 1] >> 60 == 0, "an integer of as many limbs as elements have");
        let digit = (text[i] as char).to_digit(16).expect("a hexadecimal digit");
        let mut limb = N - 1;
        while limb > 0 {
            integer[limb] = integer[limb] << 4 | integer[limb - 1] >> 60;
            limb -= 1;
        }
        integer[0] = integer[0] << 4 | digit as u64;
        i += 1;
    }
    integer
}

/// All the hexadecimal digits of an integer, highest first.
pub(crate) fn hexadecimal(integer: impl AsRef<[u64]>) -> String {
    integer.as_ref().iter().rev().map(|limb| format!("{limb:016x}")).collect()
}

/// The quotient by a word, rounded down, and the rest.
pub(crate) const fn quotient<const N: usize>(mut integer: [u64; N], divisor: u64) -> ([u64; N], u64) {
    let (mut rest, mut i) = (0, N);
    while i > 0 {
        i -= 1;
        let wide = rest << 64 | integer[i] as u128;
        (integer[i], rest) = ((wide / divisor as u128) as u64, wide % divisor as u128);
    }
    (integer, rest as u64)
}

/// Half an integer, rounded down.
pub(crate) const fn half<const N: usize>(integer: [u64; N]) -> [u64; N] {
    let (mut half, mut i) = ([0; N], 0);
    while i < N {
        let above = if i + 1 < N { integer[i + 1] << 63 } else { 0 };
        half[i] = integer[i] >> 1 | above;
        i += 1;
    }
    half
}

#[cfg(test)]
mod tests {
    use super::{Integer, half, parse_hexadecimal, quotient};

    /// a b + c, which has to fit.
    fn times_and<const N: usize>(a: [u64; N], b: u64, c: u64) -> [u64; N] {
        let mut carry = u128::from(c);
        let product = a.map(|limb| {
            let sum = u128::from(limb) * u128::from(b) + carry;
            carry = sum >> 64;
            sum as u64
        });
        assert!(carry == 0, "a product of so many limbs");
        product
    }

    #[test]
    fn quotients_and_rests_make_the_integer() {
        let integers = [[0, 0, 0], [5, 0, 0], [0, 7, 0], [3, u64::MAX, 1], [1, 2, u64::MAX], [u64::MAX; 3]];
        for integer in integers {
            for divisor in [1, 2, 3, 6, 10, 1 << 63, u64::MAX] {
                let (found, rest) = quotient(integer, divisor);
                assert!(rest < divisor, "{integer:?} by {divisor}");
                assert_eq!(times_and(found, divisor, rest), integer, "{integer:?} by {divisor}");
                assert_eq!(Integer::quotient(integer, divisor), (found, rest));
            }
            assert_eq!(half(integer), quotient(integer, 2).0);
        }
    }

    #[test]
    fn bits_up_to_the_highest_one() {
        for (integer, bits) in [
            ([0, 0], 0),
            ([1, 0], 1),
            ([u64::MAX, 0], 64),
            ([0, 1], 65),
            ([9, 1 << 62], 127),
            ([0, 1 << 63], 128),
        ] {
            assert_eq!(Integer::bits(integer), bits, "{integer:?}");
        }
        assert!(Integer::is_below([u64::MAX, 1], [0, 2]) && !Integer::is_below([0, 2], [0, 2]));
        assert_eq!(parse_hexadecimal("0x1fedcba98765432100"), [0xedcb_a987_6543_2100, 0x1f]);
    }
}
