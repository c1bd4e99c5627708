//! Elements of prime fields that halo2curves does not have, with the traits of `ff` that its fields have.
//!
//! # Mathematical description
//!
//! A prime p and a generator g of the multiplicative group modulo p say all that [`ff::PrimeField`] asks of a field. With p - 1 = 2^S t and an odd t, g^t is a root of unity of order 2^S, and
//! g^(2^S) generates the subgroup of order t; where 3 divides p - 1, g^((p-1)/3) is a cube root of 1. All of that is computed when the crate is compiled. Square roots are those of Tonelli and Shanks, by `ff`, and
//! inverses those of Bernstein and Yang (TCHES 2019), by halo2curves. Sums and products are those of [`Residue`], brought below p.

use std::borrow::Borrow;
use std::fmt::{self, Debug};
use std::hash::Hash;
use std::iter::{Product, Sum};
use std::marker::PhantomData;
use std::ops::Neg;

use halo2curves::ff;
use halo2curves::ff_ext::inverse::BYInverter;
use rand_core::RngCore;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, CtOption};

use super::integer::{add_limbs, half, hexadecimal, is_below, parse_hexadecimal, quotient};
use super::montgomery::{Constants, Modulus, Residue};
use super::operators::operators;

/// What is known of a prime field whose elements have N limbs.
pub trait PrimeParameters<const N: usize>:
    Copy + Debug + Default + Eq + Hash + Send + Sync + 'static
{
    /// The prime: hexadecimal digits behind `0x`.
    const MODULUS: &'static str;

    /// A generator of the multiplicative group.
    const GENERATOR: u64;
}

/// An element: x 2^(64 N) modulo the prime, below the prime, N little-endian limbs, the lowest first.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct PrimeElement<P, const N: usize>([u64; N], PhantomData<P>);

/// The integer that an element stands for, as little-endian bytes: [`PrimeField::Repr`](ff::PrimeField::Repr).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes<const N: usize>([u64; N]);

impl<const N: usize> Default for Bytes<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> AsRef<[u8]> for Bytes<N> {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

impl<const N: usize> AsMut<[u8]> for Bytes<N> {
    fn as_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}

/// What follows from the parameters; elements are in Montgomery form.
struct Derived<const N: usize> {
    bits: u32,
    two_adicity: u32,
    /// (t - 1) / 2.
    half_of_odd_part: [u64; N],
    one: [u64; N],
    half: [u64; N],
    generator: [u64; N],
    root: [u64; N],
    inverse_root: [u64; N],
    delta: [u64; N],
}

impl<const N: usize> Derived<N> {
    const fn of(p: [u64; N], generator: u64) -> Self {
        let constants = Constants::<[u64; N]>::of(p);
        let mut integer = [0_u64; N];
        integer[0] = 1;
        let one = constants.form(p, integer);
        integer[0] = generator;
        let generator = constants.form(p, integer);
        // p is odd, so that t begins with half of p - 1, and so does (t - 1) / 2 with half of that.
        let (mut odd_part, mut two_adicity) = (half(p), 1);
        while odd_part[0] & 1 == 0 {
            (odd_part, two_adicity) = (half(odd_part), two_adicity + 1);
        }
        let mut power_of_two = [0_u64; N];
        power_of_two[two_adicity as usize / 64] = 1 << (two_adicity % 64);
        let root = constants.power(p, generator, odd_part);
        let mut less = power_of_two;
        less[0] = less[0].wrapping_sub(1);
        assert!(two_adicity < 64, "a power of two that is a word");
        Self {
            bits: constants.bits(),
            two_adicity,
            half_of_odd_part: half(odd_part),
            one,
            half: half(if one[0] & 1 == 0 { one } else { add_limbs(one, p).0 }),
            generator,
            root,
            inverse_root: constants.power(p, root, less),
            delta: constants.power(p, generator, power_of_two),
        }
    }
}

impl<P: PrimeParameters<N>, const N: usize> PrimeElement<P, N> {
    const P: [u64; N] = parse_hexadecimal(P::MODULUS);

    const DERIVED: Derived<N> = Derived::of(Self::P, P::GENERATOR);

    /// The cube root of 1 that is a power of the generator.
    const CUBE_ROOT: [u64; N] = {
        let (third, rest) = quotient(Self::P, 3);
        assert!(rest == 1, "a prime that is 1 modulo 3");
        Constants::<[u64; N]>::of(Self::P).power(Self::P, Self::DERIVED.generator, third)
    };

    /// 0.
    const ZERO: Self = Self::of_limbs([0; N]);

    /// 1.
    const ONE: Self = Self::of_limbs(Self::DERIVED.one);

    const fn of_limbs(limbs: [u64; N]) -> Self {
        Self(limbs, PhantomData)
    }

    /// The element that is an integer below the prime, given as hexadecimal digits behind `0x`; for constants.
    pub const fn of_hexadecimal(text: &str) -> Self {
        let integer = parse_hexadecimal(text);
        assert!(is_below(integer, Self::P), "an integer below the prime");
        Self::of_limbs(Constants::<[u64; N]>::of(Self::P).form(Self::P, integer))
    }
}

impl<P: PrimeParameters<N>, const N: usize> PrimeElement<P, N>
where
    Self: Modulus<Limbs = [u64; N]>,
{
    /// The value to compute with.
    #[inline(always)]
    fn residue(self) -> Residue<Self> {
        Residue::from_montgomery(self.0)
    }

    /// The element of a value.
    #[inline(always)]
    fn of(residue: Residue<Self>) -> Self {
        Self::of_limbs(residue.canonical())
    }
}

operators! {
    [P: PrimeParameters<N>, const N: usize] PrimeElement<P, N>, PrimeElement<P, N>, [PrimeElement<P, N>: Modulus<Limbs = [u64; N]>]
    Add add AddAssign add_assign: |a: Self, b: Self| Self::of(a.residue().add(b.residue()));
    Sub sub SubAssign sub_assign: |a: Self, b: Self| Self::of(a.residue().sub(b.residue()));
    Mul mul MulAssign mul_assign: |a: Self, b: Self| Self::of(a.residue().mul(b.residue()));
}

impl<P: PrimeParameters<N>, const N: usize> Neg for PrimeElement<P, N>
where
    Self: Modulus<Limbs = [u64; N]>,
{
    type Output = Self;

    fn neg(self) -> Self {
        Self::of(self.residue().neg())
    }
}

impl<T: Borrow<Self>, P: PrimeParameters<N>, const N: usize> Sum<T> for PrimeElement<P, N>
where
    Self: Modulus<Limbs = [u64; N]>,
{
    fn sum<I: Iterator<Item = T>>(elements: I) -> Self {
        elements.fold(Self::ZERO, |sum, element| sum + element.borrow())
    }
}

impl<T: Borrow<Self>, P: PrimeParameters<N>, const N: usize> Product<T> for PrimeElement<P, N>
where
    Self: Modulus<Limbs = [u64; N]>,
{
    fn product<I: Iterator<Item = T>>(elements: I) -> Self {
        elements.fold(Self::ONE, |product, element| product * element.borrow())
    }
}

impl<P, const N: usize> Default for PrimeElement<P, N> {
    fn default() -> Self {
        Self([0; N], PhantomData)
    }
}

/// The integer, in all its hexadecimal digits, as halo2curves has it.
impl<P: PrimeParameters<N>, const N: usize> Debug for PrimeElement<P, N>
where
    Self: Modulus<Limbs = [u64; N]>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{}", hexadecimal(self.residue().to_integer()))
    }
}

impl<P: PrimeParameters<N>, const N: usize> From<u64> for PrimeElement<P, N>
where
    Self: Modulus<Limbs = [u64; N]>,
{
    fn from(word: u64) -> Self {
        Self::of(Residue::from_word(word))
    }
}

impl<P, const N: usize> ConstantTimeEq for PrimeElement<P, N> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

impl<P: Copy, const N: usize> ConditionallySelectable for PrimeElement<P, N> {
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        Self(std::array::from_fn(|i| u64::conditional_select(&a.0[i], &b.0[i], choice)), PhantomData)
    }
}

/// factor / x modulo p; `None` for 0. The integers that halo2curves computes with have limbs of 62 bits, and 64 bits more than p.
fn inverse<const N: usize>(x: [u64; N], p: [u64; N], factor: [u64; N]) -> Option<[u64; N]> {
    match N {
        4 => BYInverter::<6>::new(&p, &factor).invert(&x),
        6 => BYInverter::<8>::new(&p, &factor).invert(&x),
        12 => BYInverter::<14>::new(&p, &factor).invert(&x),
        _ => unreachable!("elements of {N} limbs"),
    }
}

impl<P: PrimeParameters<N>, const N: usize> ff::Field for PrimeElement<P, N>
where
    Self: Modulus<Limbs = [u64; N]>,
{
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;

    fn random(mut rng: impl RngCore) -> Self {
        // Of twice as many bits, which leave no bias.
        let [low, high] = [0; 2].map(|_: u32| Residue::from_integer(std::array::from_fn(|_| rng.next_u64())));
        let shift = Residue::from_integer(Residue::<Self>::ONE.lazy_limbs());
        Self::of(high.mul(shift).add(low))
    }

    fn square(&self) -> Self {
        Self::of(self.residue().square())
    }

    fn double(&self) -> Self {
        *self + self
    }

    fn invert(&self) -> CtOption<Self> {
        // R^2 / (x R) is the form of 1/x.
        let inverse = inverse(self.0, Self::P, Residue::<Self>::R2.lazy_limbs());
        CtOption::new(Self::of_limbs(inverse.unwrap_or([0; N])), Choice::from(u8::from(inverse.is_some())))
    }

    fn sqrt_ratio(numerator: &Self, denominator: &Self) -> (Choice, Self) {
        ff::helpers::sqrt_ratio_generic(numerator, denominator)
    }

    fn sqrt(&self) -> CtOption<Self> {
        ff::helpers::sqrt_tonelli_shanks(self, Self::DERIVED.half_of_odd_part)
    }
}

impl<P: PrimeParameters<N>, const N: usize> ff::PrimeField for PrimeElement<P, N>
where
    Self: Modulus<Limbs = [u64; N]>,
{
    type Repr = Bytes<N>;

    const MODULUS: &'static str = P::MODULUS;
    const NUM_BITS: u32 = Self::DERIVED.bits;
    const CAPACITY: u32 = Self::DERIVED.bits - 1;
    const TWO_INV: Self = Self::of_limbs(Self::DERIVED.half);
    const MULTIPLICATIVE_GENERATOR: Self = Self::of_limbs(Self::DERIVED.generator);
    const S: u32 = Self::DERIVED.two_adicity;
    const ROOT_OF_UNITY: Self = Self::of_limbs(Self::DERIVED.root);
    const ROOT_OF_UNITY_INV: Self = Self::of_limbs(Self::DERIVED.inverse_root);
    const DELTA: Self = Self::of_limbs(Self::DERIVED.delta);

    fn from_repr(bytes: Bytes<N>) -> CtOption<Self> {
        let is_below = is_below(bytes.0, Self::P);
        CtOption::new(Self::of(Residue::from_integer(bytes.0)), Choice::from(u8::from(is_below)))
    }

    fn to_repr(&self) -> Bytes<N> {
        Bytes(self.residue().to_integer())
    }

    fn is_odd(&self) -> Choice {
        Choice::from(self.residue().to_integer()[0] as u8 & 1)
    }
}

impl<P: PrimeParameters<N>, const N: usize> ff::WithSmallOrderMulGroup<3> for PrimeElement<P, N>
where
    Self: Modulus<Limbs = [u64; N]>,
{
    const ZETA: Self = Self::of_limbs(Self::CUBE_ROOT);
}

#[cfg(test)]
mod tests;
