//! Scalars as integers, and the signed digits of their windows.
//!
//! A scalar s stands for the integer s or for -(r - s), whichever is shorter: a bit less than r has, and a sign, so that small
//! negative numbers are as narrow as small positive ones. On a curve with points outside of the group of order r it stands for the integer s alone, because r times such a point is not the identity. Integers are cut into windows of c bits, and each
//! window has a signed digit, by Booth's recoding (1951): that of window w is made of bits c w - 1 to c w + c - 1, lies between -2^(c-1) and 2^(c-1), and needs no carry from other windows.

use crate::backend::widths::Widths;
use crate::curve::Curve;
use crate::error::Error;
use crate::field::ScalarField;
use crate::field::integer::Integer;
use crate::field::montgomery::{Modulus, Residue};
use crate::field::prime::residues;
use crate::lock::lock;
use crate::memory;
use crate::parallel::{for_each_chunk, for_each_number};
use crate::sync::{Mutex, PoisonError};

/// Scalars that a thread converts at a time, and integers that it looks at.
const PIECE: usize = 1 << 10;
const COUNTED: usize = 1 << 14;

/// In a digit: it is below 0.
pub(super) const NEGATIVE: u32 = 1 << 31;

/// The bit of an integer's last limb that holds the sign.
const SIGN: u64 = 1 << 63;

/// One more than the most bits that an integer of any number of limbs can have.
const WIDTHS: usize = u64::BITS as usize * 6;

/// Bits of the widest integers: r/2 has one less than r.
pub(super) const fn longest<C: Curve>() -> u32 {
    <C::Scalar as Modulus>::BITS - C::COFACTOR_IS_ONE as u32
}

/// Scalars of a field as integers, the sign in the top bit.
pub(super) struct Integers<F: Modulus>(Vec<F::Limbs>);

impl<F: ScalarField> Integers<F> {
    /// None.
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    /// The integers of scalars, whichever are shorter.
    pub(super) fn new(scalars: &[F]) -> Result<Self, Error> {
        Self::by(scalars, integer_of)
    }

    /// The integers of scalars from 0 to r - 1.
    pub(super) fn unsigned(scalars: &[F]) -> Result<Self, Error> {
        Self::by(scalars, Residue::to_integer)
    }

    fn by(scalars: &[F], integer_of: impl Fn(Residue<F>) -> F::Limbs + Sync) -> Result<Self, Error> {
        let mut integers = memory::zeroed::<F::Limbs>(scalars.len())?;
        let scalars = residues(scalars);
        for_each_chunk(&mut integers, PIECE, |number, integers| {
            let pairs = integers.iter_mut().zip(&scalars[number * PIECE..]);
            pairs.for_each(|(integer, &scalar)| *integer = integer_of(scalar));
        });
        Ok(Self(integers))
    }

    pub(super) fn as_slice(&self) -> &[F::Limbs] {
        &self.0
    }
}

#[inline]
fn integer_of<F: ScalarField>(scalar: Residue<F>) -> F::Limbs {
    // Columns of bits are common, and nothing needs to be computed for them. One jump for 0 and 1, because which it is cannot be
    // predicted.
    let (limbs, one) = (scalar.lazy_limbs(), Residue::<F>::ONE.lazy_limbs());
    let (limbs, one) = (limbs.as_ref(), one.as_ref());
    let bit = u64::from(limbs[0] != 0);
    if (0..F::Limbs::LIMBS).fold(0, |other, i| other | limbs[i] ^ one[i] & bit.wrapping_neg()) == 0 {
        return F::Limbs::of_word(bit);
    }
    let (mut integer, negative) = shortest(scalar);
    integer.as_mut()[F::Limbs::LIMBS - 1] |= if negative { SIGN } else { 0 };
    integer
}

/// The integer that is s or -s modulo r and at most r/2, and whether it is -s.
#[inline]
fn shortest<F: ScalarField>(scalar: Residue<F>) -> (F::Limbs, bool) {
    let integer = scalar.to_integer();
    let negative = F::P.minus(integer).0;
    match negative.is_below(integer) {
        true => (negative, true),
        false => (integer, false),
    }
}

/// Integers by their numbers of bits.
pub(super) fn widths<I: Integer>(integers: &[I]) -> Widths {
    let count = |integers: &[I]| {
        let mut counts = [0; WIDTHS];
        for &integer in integers {
            let mut magnitude = integer;
            magnitude.as_mut()[I::LIMBS - 1] &= !SIGN;
            counts[magnitude.bits() as usize] += 1;
        }
        counts
    };
    let total = Mutex::new([0; WIDTHS]);
    for_each_number(integers.len().div_ceil(COUNTED), &|number| {
        let first = number * COUNTED;
        let counts = count(&integers[first..integers.len().min(first + COUNTED)]);
        lock(&total).iter_mut().zip(counts).for_each(|(total, count)| *total += count);
    });
    Widths::of_counts(total.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// How integers are cut into windows, each with a digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digits {
    /// Bits of a window.
    pub(super) bits: u32,
    /// The number of windows.
    pub(super) windows: u32,
    /// The largest magnitude of a digit, at least 1.
    pub(super) largest: usize,
}

impl Digits {
    /// Signed digits for integers of `width` bits.
    pub(super) fn signed(bits: u32, width: u32) -> Self {
        // One bit more than the integer's, for the sign of its last digit.
        Self { bits, windows: (width + 1).div_ceil(bits), largest: 1 << (bits - 1) }
    }

    /// One window, the whole integer, whose digit is not negative.
    pub(super) fn whole(width: u32) -> Self {
        Self { bits: width, windows: 1, largest: (1 << width) - 1 }
    }

    /// A window of any integer of so many limbs.
    pub(super) fn window(&self, index: u32, limbs: usize) -> Window {
        // An unsigned digit is a signed one with a bit more, which is never set.
        let is_whole = self.windows == 1 && self.largest + 1 == 1 << self.bits;
        let bits = self.bits + u32::from(is_whole);
        // From the bit below the window's lowest on; the first window has none.
        let Some(start) = (index * bits).checked_sub(1) else {
            return Window { words: [0, 0], masks: [0, Self::mask(0, limbs)], shift: 63, bits };
        };
        let (word, shift) = ((start / 64) as usize, start % 64);
        let next = (word + 1).min(limbs - 1);
        let masks = [Self::mask(word, limbs), if next > word { Self::mask(next, limbs) } else { 0 }];
        Window { words: [word, next], masks, shift, bits }
    }

    /// The bits of a word that are not the sign.
    fn mask(word: usize, limbs: usize) -> u64 {
        if word == limbs - 1 { !SIGN } else { u64::MAX }
    }
}

/// Where a window lies in an integer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// The words that have its bits, and which of theirs are not the sign.
    words: [usize; 2],
    masks: [u64; 2],
    /// Where the bit below the window is in the first word.
    shift: u32,
    bits: u32,
}

impl Window {
    /// The magnitude of the window's digit, with [`NEGATIVE`] if it is below 0, and perhaps if it is 0.
    #[inline(always)]
    pub(super) fn digit<I: Integer>(&self, integer: &I) -> u32 {
        let integer = integer.as_ref();
        let [low, high] = [0, 1].map(|i| integer[self.words[i] % I::LIMBS] & self.masks[i]);
        // Two shifts, because one by 64 is none.
        let both = low >> self.shift | high << 1 << (63 - self.shift);
        let raw = both as u32 & ((1 << (self.bits + 1)) - 1);
        let upper = raw >> self.bits;
        let magnitude = (raw + 1) >> 1;
        let magnitude = if upper == 0 { magnitude } else { (1 << self.bits) - magnitude };
        let negative = upper ^ (integer[I::LIMBS - 1] >> 63) as u32;
        magnitude | negative << NEGATIVE.trailing_zeros()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bn254::{Fq, Fr};
    use crate::field::coordinates::LazyElement;
    use crate::{bls12_377, bls12_381};

    /// The digits of a scalar, put together again in the field.
    fn value<F: ScalarField>(digits: &Digits, integer: &F::Limbs) -> F {
        let base = F::from(1 << digits.bits);
        (0..digits.windows).rev().fold(F::ZERO, |value, index| {
            let digit = digits.window(index, F::Limbs::LIMBS).digit(integer);
            let (magnitude, negative) = (digit & !NEGATIVE, digit & NEGATIVE != 0);
            assert!(magnitude as usize <= digits.largest, "{digits:?} {integer:x?} {index}");
            let digit = F::from(u64::from(magnitude));
            value * base + if negative { -digit } else { digit }
        })
    }

    fn digits_make_up_the_scalar<F: ScalarField>() {
        let longest = F::BITS - 1;
        let half = F::TWO_INV - F::ONE;
        let mut scalars = vec![F::ZERO, F::ONE, -F::ONE, -F::from(2), F::from(u64::MAX)];
        scalars.extend([half, half + F::ONE, half - F::ONE, half.square(), half.cube()]);
        // Digits of exactly half the base, with carries that run through, and bits around each limb's end.
        scalars.extend((0..u64::from(longest)).flat_map(|i| {
            let power = F::from(2).pow_vartime([i]);
            [power, power - F::ONE, power + F::ONE, -power, power * half]
        }));
        let integers = Integers::new(&scalars).unwrap();
        let widths = widths(integers.as_slice());
        assert_eq!((widths.count(), widths.widest()), (scalars.len(), longest as usize));
        for bits in 1..=22 {
            let digits = Digits::signed(bits, longest);
            for (scalar, integer) in scalars.iter().zip(integers.as_slice()) {
                assert_eq!(value::<F>(&digits, integer), *scalar, "{bits} bits");
            }
        }
        for width in 1..=16 {
            let narrow: Vec<F> = (0..1 << width).map(F::from).collect();
            let negative: Vec<F> = narrow.iter().map(|&s| -s).collect();
            for scalars in [narrow, negative] {
                let integers = Integers::new(&scalars).unwrap();
                for (scalar, integer) in scalars.iter().zip(integers.as_slice()) {
                    assert_eq!(value::<F>(&Digits::whole(width), integer), *scalar);
                    assert_eq!(value::<F>(&Digits::signed(5, width), integer), *scalar);
                }
            }
        }
    }

    fn unsigned_digits_make_up_the_scalar<F: ScalarField>() {
        let scalars: Vec<F> = (0..60)
            .map(|i| F::from(i).invert().unwrap_or(F::ZERO))
            .chain([F::ONE, -F::ONE, -F::from(2), F::from(2).pow_vartime([u64::from(F::BITS - 1)])])
            .collect();
        let integers = Integers::unsigned(&scalars).unwrap();
        assert!(integers.as_slice().iter().all(|integer| integer.is_below(F::P)));
        for bits in 1..=22 {
            let digits = Digits::signed(bits, F::BITS);
            for (scalar, integer) in scalars.iter().zip(integers.as_slice()) {
                assert_eq!(value::<F>(&digits, integer), *scalar, "{bits} bits");
            }
        }
    }

    /// Scalars whose Montgomery forms differ from those of 0 and 1, for which nothing is computed, in a bit of one limb or of two.
    fn near_zero_and_one<F: ScalarField>() {
        let radix = F::from(2).pow_vartime([64 * F::Limbs::LIMBS as u64]);
        let by = radix.invert().unwrap();
        let one = residues(&[radix])[0].to_integer();
        let digits = Digits::signed(5, F::BITS - 1);
        let limbs = || 0..F::Limbs::LIMBS;
        for (first, second) in limbs().flat_map(|first| limbs().map(move |second| (first, second))) {
            for (form, bit) in [(F::Limbs::ZERO, 1), (F::Limbs::ZERO, 1 << 40), (one, 1), (one, 1 << 40)] {
                let mut form = form;
                form.as_mut()[first] ^= bit;
                form.as_mut()[second] |= bit;
                let scalar = Residue::<F>::from_integer(form).element() * by;
                let integers = Integers::new(&[scalar]).unwrap();
                assert_eq!(value::<F>(&digits, &integers.as_slice()[0]), scalar, "{form:x?}");
            }
        }
    }

    #[test]
    fn digits_make_up_scalars() {
        near_zero_and_one::<Fr>();
        near_zero_and_one::<Fq>();
        near_zero_and_one::<bls12_377::Fq>();
        digits_make_up_the_scalar::<Fr>();
        digits_make_up_the_scalar::<Fq>();
        unsigned_digits_make_up_the_scalar::<Fr>();
        unsigned_digits_make_up_the_scalar::<bls12_381::Fr>();
        unsigned_digits_make_up_the_scalar::<bls12_377::Fq>();
    }
}
