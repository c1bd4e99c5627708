//! The endomorphism of a curve y^2 = x^3 + b, and scalars as two of half the length.
//!
//! # Mathematical description
//!
//! With a cube root of 1 other than 1, β, in the field of coordinates, (x, y) -> (β x, y) takes points of the curve to points of the curve. On the group of prime order r it is the product with a cube
//! root of 1 modulo r, λ. So k P = a P + b φ(P) wherever k = a + b λ modulo r, and a and b may have half the bits of k (Gallant, Lambert and Vanstone, Crypto 2001).
//!
//! The pairs (a, b) with a + b λ = 0 modulo r are a lattice of determinant r. Euclid's algorithm on r and λ has rests r_i = s_i r + t_i λ, so each (r_i, -t_i) is in the lattice, and with
//! r_i |t_(i+1)| + r_(i+1) |t_i| = r two that follow one another are a basis; the t_i alternate in sign. The basis used is the shortest of these. Now (k, 0) is c_1 = k |t_(i+1)| / r times the first and
//! c_2 = k |t_i| / r times the second vector, and what remains when both are rounded is (a, b), at most half the sum of the vectors in magnitude. The two quotients are products with |t| 2^320 / r.
//!
//! Some of the vectors and their sums have odd first numbers and some odd second ones, as r is odd, so that adding or subtracting each at most once makes a and b odd: odd numbers have digits that
//! are all odd ([`Half::digits`]), among which there is no zero.

use std::sync::LazyLock;

use halo2curves::group::Group;

use super::{Affine, Coordinate, Curve, affine_points};
use crate::field::coordinates::LazyElement;
use crate::field::integer::{Integer, add_limbs, bits, is_below, mac, sub_limbs};
use crate::field::montgomery::{Limbs, Modulus, Residue};
use crate::field::prime::CoordinatePrime;
use crate::field::{MontgomeryField, TwoAdic};

/// The bits of a digit, beside its sign.
const DIGIT: u32 = 4;

/// A curve whose scalars have transforms, and its endomorphism.
pub(crate) trait TwoAdicCurve: Curve<Scalar: MontgomeryField + TwoAdic> {
    /// The endomorphism of the curve.
    fn endomorphism() -> &'static Endomorphism<Self>;
}

macro_rules! two_adic_curves {
    ($($affine:path, $name:literal;)*) => {$(
        impl TwoAdicCurve for $affine {
            fn endomorphism() -> &'static Endomorphism<Self> {
                static ENDOMORPHISM: LazyLock<Endomorphism<$affine>> = LazyLock::new(Endomorphism::new);
                &ENDOMORPHISM
            }
        }
    )*};
}
crate::for_every_two_adic_curve!(two_adic_curves);

/// The endomorphism of a curve.
#[derive(Debug)]
pub(crate) struct Endomorphism<C: Curve> {
    /// The factor of x.
    pub(crate) beta: Coordinate<C>,
    /// The basis.
    short: [Short; 2],
}

/// A vector of the basis, its numbers modulo 2^256, and by what a scalar is multiplied for its share of it: a fraction of 2^320.
#[derive(Clone, Copy, Debug)]
struct Short {
    a: Limbs,
    b: Limbs,
    share: Limbs,
}

/// A number of about half the bits of a scalar, odd, and whether it is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Half {
    magnitude: Limbs,
    negative: bool,
}

/// A cube root of 1 other than 1, modulo a prime that is 1 modulo 3.
pub(super) fn cube_root_of_one<F: CoordinatePrime>() -> Residue<F> {
    let (third, rest) = F::P.quotient(3);
    assert!(rest == 1, "a prime that is 1 modulo 3");
    let power = |base| LazyElement::pow(Residue::<F>::from_word(base), third.as_ref());
    (2..).map(power).find(|root| !root.sub(Residue::ONE).is_zero()).expect("two thirds of all are no cubes")
}

/// The product of integers.
fn product(a: Limbs, b: Limbs) -> [u64; 8] {
    let mut product = [0; 8];
    for (i, &a) in a.iter().enumerate() {
        let mut carry = 0;
        for (j, &b) in b.iter().enumerate() {
            (product[i + j], carry) = mac(product[i + j], a, b, carry);
        }
        product[i + 4] = carry;
    }
    product
}

/// The product modulo 2^256, which is that of signed integers too.
fn wrapping_product(a: Limbs, b: Limbs) -> Limbs {
    *product(a, b).first_chunk().expect("four of eight limbs")
}

/// The quotient of a 2^`zeros` by a divisor below 2^255, modulo 2^256, and the rest.
fn divide(a: Limbs, zeros: u32, divisor: Limbs) -> (Limbs, Limbs) {
    let (mut result, mut rest) = ([0; 4], [0; 4]);
    let bit = |at: u32| a[at as usize / 64] >> (at % 64) & 1;
    for bit in (0..256).rev().map(bit).chain((0..zeros).map(|_| 0)) {
        rest = add_limbs(rest, rest).0;
        rest[0] |= bit;
        result = add_limbs(result, result).0;
        let (less, under) = sub_limbs(rest, divisor);
        if !under {
            rest = less;
            result[0] |= 1;
        }
    }
    (result, rest)
}

fn is_negative(a: Limbs) -> bool {
    a[3] >> 63 == 1
}

fn magnitude(a: Limbs) -> Limbs {
    if is_negative(a) { sub_limbs([0; 4], a).0 } else { a }
}

/// Two vectors of the lattice that follow one another in Euclid's algorithm on r and λ: those whose longest number is the least.
fn basis(r: Limbs, lambda: Limbs) -> [Short; 2] {
    let (mut rests, mut factors) = ([r, lambda], [[0; 4], [1, 0, 0, 0]]);
    let mut best: Option<(Limbs, [Limbs; 2], [Limbs; 2])> = None;
    while rests[1] != [0; 4] {
        let longest = {
            let last = magnitude(factors[1]);
            if is_below(rests[0], last) { last } else { rests[0] }
        };
        if best.is_none_or(|(least, ..)| is_below(longest, least)) {
            best = Some((longest, rests, factors));
        }
        let (quotient, rest) = divide(rests[0], 0, rests[1]);
        rests = [rests[1], rest];
        factors = [factors[1], sub_limbs(factors[0], wrapping_product(quotient, factors[1])).0];
    }
    let (_, rests, factors) = best.expect("λ is not 0");
    let share = |t: Limbs| divide(magnitude(t), 320, r).0;
    let short =
        |i: usize| Short { a: rests[i], b: sub_limbs([0; 4], factors[i]).0, share: share(factors[1 - i]) };
    [short(0), short(1)]
}

impl<C: Curve<Scalar: MontgomeryField>> Endomorphism<C> {
    /// That of a curve, by its generator.
    pub(super) fn new() -> Self {
        let beta = Coordinate::<C>::of_prime(cube_root_of_one());
        let generator = affine_points(&[C::generator()])[0];
        let image = Affine { x: generator.x.mul(beta), y: generator.y };
        let image = C::Projective::from(C::from_affine([image.x.element(), image.y.element()]));
        let root = cube_root_of_one::<C::Scalar>();
        let roots = [root, root.square()];
        let is_factor = |root: &Residue<C::Scalar>| C::Projective::generator() * root.element() == image;
        let lambda = roots.into_iter().find(is_factor).expect("the endomorphism is one of both");
        Self { beta, short: basis(C::Scalar::P, lambda.to_integer()) }
    }

    /// Odd numbers a and b with a + b λ = k.
    pub(crate) fn split(&self, k: Residue<C::Scalar>) -> [Half; 2] {
        let k = k.to_integer();
        let [mut a, mut b] = [k, [0; 4]];
        let subtract = |a: &mut Limbs, b: &mut Limbs, short: &Short, times: Limbs| {
            *a = sub_limbs(*a, wrapping_product(times, short.a)).0;
            *b = sub_limbs(*b, wrapping_product(times, short.b)).0;
        };
        for short in &self.short {
            let share = product(k, short.share);
            // To the nearest integer.
            let (rounded, over) = add_limbs([share[4], share[5], share[6], share[7]], [1 << 63, 0, 0, 0]);
            assert!(!over, "a share is below 2^192");
            subtract(&mut a, &mut b, short, [rounded[1], rounded[2], rounded[3], 0]);
        }
        // Each vector once more or less, or not, so that both are odd and the longer is as short as it can be.
        const FACTORS: [Limbs; 3] = [[0; 4], [1, 0, 0, 0], [u64::MAX; 4]];
        let mut shortest: Option<(Limbs, [Limbs; 2])> = None;
        for first in FACTORS {
            for second in FACTORS {
                let [mut c, mut d] = [a, b];
                subtract(&mut c, &mut d, &self.short[0], first);
                subtract(&mut c, &mut d, &self.short[1], second);
                let [x, y] = [magnitude(c), magnitude(d)];
                let longer = if is_below(x, y) { y } else { x };
                let is_shorter = shortest.is_none_or(|(least, _)| is_below(longer, least));
                if c[0] & d[0] & 1 == 1 && is_shorter {
                    shortest = Some((longer, [c, d]));
                }
            }
        }
        let (_, halves) = shortest.expect("a determinant that is odd");
        halves.map(|half| Half { magnitude: magnitude(half), negative: is_negative(half) })
    }
}

impl Half {
    /// How many digits it has.
    pub(crate) fn len(&self) -> usize {
        bits(self.magnitude).div_ceil(DIGIT) as usize
    }

    /// The largest magnitude of a digit.
    pub(crate) const LARGEST: usize = (1 << DIGIT) - 1;

    /// Bits of a digit.
    pub(crate) const DIGIT: u32 = DIGIT;

    /// The digits in base 16, lowest first, as many as asked for, which are as many as there are or more. All are odd, from -15 to 15 (Joye and Tunstall, Africacrypt 2009): of an odd number the
    /// lowest five bits, less 16, are such a digit, and what remains is odd again.
    pub(crate) fn digits(&self, count: usize) -> impl Iterator<Item = i8> + use<> {
        let Self { magnitude: mut rest, negative } = *self;
        let signed = move |digit: i8| if negative { -digit } else { digit };
        (0..count).map(move |i| {
            if i + 1 == count {
                return signed(rest[0] as i8);
            }
            let digit = (rest[0] & 31) as i8 - 16;
            // What is above the lowest five bits, twice, and 1.
            rest = std::array::from_fn(|limb| {
                rest[limb] >> DIGIT | rest.get(limb + 1).map_or(0, |next| next << (64 - DIGIT))
            });
            rest[0] |= 1;
            signed(digit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::samples::{edges, wide};

    /// a G + b φ(G) = k G, with numbers that are odd and short, and with digits that are odd and make them up.
    fn check<C: Curve<Scalar: MontgomeryField>>() {
        let endomorphism = Endomorphism::<C>::new();
        let generator = affine_points(&[C::generator()])[0];
        let image = [generator.x.mul(endomorphism.beta), generator.y].map(Coordinate::<C>::element);
        let points = [C::generator(), C::from_affine(image)].map(C::Projective::from);
        for k in edges::<C::Scalar>().into_iter().chain((0..200).map(wide)) {
            let halves = endomorphism.split(Residue::of(k));
            let [a, b] = halves.map(|half| {
                let value: C::Scalar = Residue::from_integer(half.magnitude).element();
                let value = if half.negative { -value } else { value };
                assert!(half.magnitude[0] & 1 == 1 && half.len() <= 33, "{}: {half:?}", C::NAME);
                for count in [half.len(), half.len() + 1, 40] {
                    let digits: Vec<_> = half.digits(count).collect();
                    assert!(digits.iter().all(|digit| digit % 2 != 0 && digit.abs() <= 15), "{digits:?}");
                    let sum = digits.iter().rev().fold(C::Scalar::from(0), |sum, &digit| {
                        let magnitude = C::Scalar::from(u64::from(digit.unsigned_abs()));
                        sum * C::Scalar::from(16) + if digit < 0 { -magnitude } else { magnitude }
                    });
                    assert_eq!(sum, value, "{}", C::NAME);
                }
                value
            });
            assert_eq!(points[0] * a + points[1] * b, points[0] * k, "{}", C::NAME);
        }
    }

    macro_rules! curves {
        ($($affine:path, $name:literal;)*) => {
            #[test]
            fn scalars_in_halves_over_every_curve_with_transforms() {
                $(check::<$affine>();)*
            }
        };
    }
    crate::for_every_two_adic_curve!(curves);

    #[test]
    fn quotients_and_products() {
        let [a, b] = [[5, 6, 7, 8], [3, 9, 0, 0]];
        let (quotient, rest) = divide(a, 0, b);
        assert!(is_below(rest, b));
        assert_eq!(add_limbs(wrapping_product(quotient, b), rest).0, a);
        // 2^64 / 3 and 2^128 / 3.
        assert_eq!(divide([1, 0, 0, 0], 64, [3, 0, 0, 0]), ([u64::MAX / 3, 0, 0, 0], [1, 0, 0, 0]));
        assert_eq!(divide([1, 0, 0, 0], 128, [3, 0, 0, 0]).0, [u64::MAX / 3, u64::MAX / 3, 0, 0]);
        assert_eq!(product([u64::MAX; 4], [u64::MAX; 4])[..4], [1, 0, 0, 0]);
        assert_eq!(magnitude([u64::MAX; 4]), [1, 0, 0, 0]);
    }
}
