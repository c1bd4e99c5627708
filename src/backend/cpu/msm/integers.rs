//! Scalars as integers, and their signed digits.
//!
//! A scalar s stands for the integer s or for -(r - s), whichever is shorter: at most 253 bits and a sign, so that small
//! negative numbers are as narrow as small positive ones. Digits to the base 2^c are those of Booth's recoding (1951): digit
//! w is made of bits c w - 1 to c w + c - 1, lies between -2^(c-1) and 2^(c-1), and needs no carry from its neighbours.

use rayon::prelude::*;

use crate::bn254::{Fr, ScalarResidue, fold_canonical, residues};
use crate::error::Error;
use crate::field::montgomery::Limbs;
use crate::memory;

/// In a digit: it is below 0.
pub(super) const NEGATIVE: u32 = 1 << 31;

/// The bit of an integer that holds the sign.
const SIGN: u64 = 1 << 63;

/// The widest integer there is.
pub(super) const LONGEST: u32 = 253;

/// Scalars as integers of at most 253 bits, the sign in the top bit.
pub(super) fn integers(scalars: &[Fr]) -> Result<Vec<Limbs>, Error> {
    let mut integers = memory::zeroed::<Limbs>(scalars.len())?;
    let pairs = integers.par_iter_mut().zip(residues(scalars));
    pairs.with_min_len(1 << 10).for_each(|(integer, &scalar)| *integer = integer_of(scalar));
    Ok(integers)
}

#[inline]
fn integer_of(scalar: ScalarResidue) -> Limbs {
    // Columns of bits are common, and nothing needs to be computed for them.
    let limbs = scalar.lazy_limbs();
    if limbs == [0; 4] {
        return [0; 4];
    }
    if limbs == ScalarResidue::ONE.lazy_limbs() {
        return [1, 0, 0, 0];
    }
    let (mut integer, negative) = fold_canonical(scalar);
    integer[3] |= if negative { SIGN } else { 0 };
    integer
}

/// How many integers have each number of bits, from 0 to [`LONGEST`].
pub(super) fn widths(integers: &[Limbs]) -> Vec<usize> {
    let count = |integers: &[Limbs]| {
        let mut counts = vec![0; LONGEST as usize + 1];
        for &[a, b, c, d] in integers {
            let (words, top) = match [d & !SIGN, c, b, a] {
                [0, 0, 0, a] => (0, a),
                [0, 0, b, _] => (1, b),
                [0, c, ..] => (2, c),
                [d, ..] => (3, d),
            };
            counts[(64 * words + u64::BITS - top.leading_zeros()) as usize] += 1;
        }
        counts
    };
    let sum = |a: Vec<usize>, b: Vec<usize>| a.into_iter().zip(b).map(|(a, b)| a + b).collect();
    integers.par_chunks(1 << 14).map(count).reduce(|| vec![0; LONGEST as usize + 1], sum)
}

/// How integers are cut into digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digits {
    /// Bits of a digit.
    pub(super) bits: u32,
    /// Number of digits.
    pub(super) count: u32,
    /// The largest magnitude, at least 1.
    pub(super) largest: usize,
}

impl Digits {
    /// Signed digits for integers of `width` bits.
    pub(super) fn signed(bits: u32, width: u32) -> Self {
        // One bit more than the integer's, for the sign of its last digit.
        Self { bits, count: (width + 1).div_ceil(bits), largest: 1 << (bits - 1) }
    }

    /// One unsigned digit, the whole integer.
    pub(super) fn whole(width: u32) -> Self {
        Self { bits: width, count: 1, largest: (1 << width) - 1 }
    }

    /// The digit at a place, of any integer.
    pub(super) fn at(&self, place: u32) -> Place {
        // An unsigned digit is a signed one with a bit more, which is never set.
        let is_whole = self.count == 1 && self.largest + 1 == 1 << self.bits;
        let bits = self.bits + u32::from(is_whole);
        // The bit below the digit's lowest is that of the word before, or for the first digit none.
        let Some(start) = (place * bits).checked_sub(1) else {
            return Place { words: [0, 0], masks: [0, Self::mask(0)], shift: 63, bits };
        };
        let (word, shift) = ((start / 64) as usize, start % 64);
        let next = (word + 1).min(3);
        let masks = [Self::mask(word), if next > word { Self::mask(next) } else { 0 }];
        Place { words: [word, next], masks, shift, bits }
    }

    /// The bits of a word that are not the sign.
    fn mask(word: usize) -> u64 {
        if word == 3 { !SIGN } else { u64::MAX }
    }
}

/// Where a digit lies in an integer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The words that have it, and their bits that count.
    words: [usize; 2],
    masks: [u64; 2],
    /// The place in the first word of the bit below the digit.
    shift: u32,
    bits: u32,
}

impl Place {
    /// The digit's magnitude, with [`NEGATIVE`] if it is below 0, and perhaps if it is 0.
    #[inline(always)]
    pub(super) fn digit(&self, integer: &Limbs) -> u32 {
        let [low, high] = [0, 1].map(|i| integer[self.words[i] & 3] & self.masks[i]);
        // Two shifts, because one by 64 is none.
        let both = low >> self.shift | high << 1 << (63 - self.shift);
        let raw = both as u32 & ((1 << (self.bits + 1)) - 1);
        let upper = raw >> self.bits;
        let magnitude = (raw + 1) >> 1;
        let magnitude = if upper == 0 { magnitude } else { (1 << self.bits) - magnitude };
        let negative = upper ^ (integer[3] >> 63) as u32;
        magnitude | negative << NEGATIVE.trailing_zeros()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bn254::scalar_of_residue;
    use crate::field::montgomery::{Modulus, sub_limbs};
    use halo2curves::ff::Field;

    /// The digits of a scalar, put together again in the field.
    fn value(digits: &Digits, integer: &Limbs) -> Fr {
        let base = Fr::from(1 << digits.bits);
        (0..digits.count).rev().fold(Fr::ZERO, |value, index| {
            let digit = digits.at(index).digit(integer);
            let (magnitude, negative) = (digit & !NEGATIVE, digit & NEGATIVE != 0);
            assert!(magnitude as usize <= digits.largest, "{digits:?} {integer:x?} {index}");
            let digit = Fr::from(u64::from(magnitude));
            value * base + if negative { -digit } else { digit }
        })
    }

    #[test]
    fn digits_make_up_the_scalar() {
        let half = sub_limbs(crate::bn254::ScalarModulus::P, [1, 0, 0, 0]).0;
        let half: Limbs = std::array::from_fn(|i| half[i] >> 1 | half.get(i + 1).unwrap_or(&0) << 63);
        let mut scalars = vec![Fr::ZERO, Fr::ONE, -Fr::ONE, -Fr::from(2), Fr::from(u64::MAX)];
        let half = scalar_of_residue(ScalarResidue::from_integer(half));
        scalars.extend([half, half + Fr::ONE, half - Fr::ONE, half.square(), half.cube()]);
        // Digits of exactly half the base, with carries that run through, and bits around each limb's end.
        scalars.extend((0..253).flat_map(|i| {
            let power = Fr::from(2).pow_vartime([i]);
            [power, power - Fr::ONE, power + Fr::ONE, -power, power * half]
        }));
        let integers = integers(&scalars).unwrap();
        assert_eq!(widths(&integers).iter().sum::<usize>(), scalars.len());
        for bits in 1..=22 {
            let digits = Digits::signed(bits, LONGEST);
            for (scalar, integer) in scalars.iter().zip(&integers) {
                assert_eq!(value(&digits, integer), *scalar, "{bits} bits");
            }
        }
        for width in 1..=16 {
            let narrow: Vec<_> = (0..1 << width).map(Fr::from).collect();
            let negative: Vec<_> = narrow.iter().map(|s| -s).collect();
            for scalars in [narrow, negative] {
                let integers = super::integers(&scalars).unwrap();
                for (scalar, integer) in scalars.iter().zip(&integers) {
                    assert_eq!(value(&Digits::whole(width), integer), *scalar);
                    assert_eq!(value(&Digits::signed(5, width), integer), *scalar);
                }
            }
        }
    }
}
