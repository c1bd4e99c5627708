//! Points of curves that halo2curves does not have, with the traits of `group` that its points have.
//!
//! # Mathematical description
//!
//! A point in homogeneous coordinates has x = X/Z and y = Y/Z. With the denominators Z^2 and Z^3 it is (X Z, Y Z^2, Z^2, Z^3) in the form in which [points are added](super::weierstrass), and back it is
//! (X ZZZ, Y ZZ, ZZ ZZZ): no formula is written twice, and all cases are those of that module.

use std::borrow::Borrow;
use std::fmt::Debug;
use std::iter::Sum;
use std::ops::Neg;

use halo2curves::ff::{Field, PrimeField};
use halo2curves::group;
use rand_core::RngCore;
use subtle::Choice;

use super::points::homogeneous;
use super::{Affine, Xyzz};
use crate::field::coordinates::LazyElement;
use crate::field::operators::operators;
use crate::field::{CoordinateField, Modulus, PrimeElement, PrimeParameters};

/// What is known of a curve y^2 = x^3 + b with a group of prime order.
pub trait CurveParameters: Copy + Debug + Default + Eq + Send + Sync + 'static {
    /// The field of the coordinates.
    type Base: CoordinateField;

    /// The field of the scalars: integers modulo the order of the group.
    type Scalar: PrimeField;

    /// The b of the equation.
    const B: Self::Base;

    /// The usual generator of the group: its coordinates.
    const GENERATOR: [Self::Base; 2];
}

/// An affine point; the identity is (0, 0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AffinePoint<C: CurveParameters> {
    /// The coordinate x.
    pub x: C::Base,
    /// The coordinate y.
    pub y: C::Base,
}

/// A point with x = X/Z and y = Y/Z; the identity is (0, 1, 0).
#[derive(Clone, Copy, Debug)]
pub struct HomogeneousPoint<C: CurveParameters> {
    /// X.
    pub x: C::Base,
    /// Y.
    pub y: C::Base,
    /// Z.
    pub z: C::Base,
}

/// A coordinate in computations.
type Lazy<C> = <<C as CurveParameters>::Base as CoordinateField>::Lazy;

impl<C: CurveParameters> AffinePoint<C> {
    /// The usual generator of the group.
    pub fn generator() -> Self {
        let [x, y] = C::GENERATOR;
        Self { x, y }
    }

    fn to_compute(self) -> Affine<Lazy<C>> {
        Affine { x: Lazy::<C>::of(self.x), y: Lazy::<C>::of(self.y) }
    }

    fn of(point: &Affine<Lazy<C>>) -> Self {
        Self { x: point.x.element(), y: point.y.element() }
    }
}

impl<C: CurveParameters> Neg for AffinePoint<C> {
    type Output = Self;

    fn neg(self) -> Self {
        Self { y: -self.y, ..self }
    }
}

impl<C: CurveParameters> HomogeneousPoint<C> {
    fn to_compute(self) -> Xyzz<Lazy<C>> {
        let [x, y, z] = [self.x, self.y, self.z].map(Lazy::<C>::of);
        let zz = z.square();
        Xyzz { x: x.mul(z), y: y.mul(zz), zz, zzz: zz.mul(z) }
    }

    fn of(point: Xyzz<Lazy<C>>) -> Self {
        let [x, y, z] = homogeneous(point);
        Self { x, y, z }
    }

    fn plus(self, rhs: Self) -> Self {
        Self::of(self.to_compute().add(&rhs.to_compute()))
    }

    fn plus_affine(self, rhs: AffinePoint<C>) -> Self {
        Self::of(self.to_compute().add_affine(&rhs.to_compute()))
    }

    /// By doubling and adding.
    fn times(self, scalar: C::Scalar) -> Self {
        let point = self.to_compute();
        let integer = scalar.to_repr();
        let bits =
            integer.as_ref().iter().rev().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
        Self::of(bits.fold(Xyzz::IDENTITY, |sum, bit| match bit {
            0 => sum.double(),
            _ => sum.double().add(&point),
        }))
    }
}

impl<C: CurveParameters> Default for HomogeneousPoint<C> {
    fn default() -> Self {
        Self::of(Xyzz::IDENTITY)
    }
}

impl<C: CurveParameters> From<AffinePoint<C>> for HomogeneousPoint<C> {
    fn from(point: AffinePoint<C>) -> Self {
        Self::of(Xyzz::from(point.to_compute()))
    }
}

/// Whether both stand for the same point.
impl<C: CurveParameters> PartialEq for HomogeneousPoint<C> {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |a: C::Base, b: C::Base| a * other.z == b * self.z;
        (self.z == C::Base::ZERO) == (other.z == C::Base::ZERO)
            && is_same(self.x, other.x)
            && is_same(self.y, other.y)
    }
}

impl<C: CurveParameters> Eq for HomogeneousPoint<C> {}

impl<C: CurveParameters> Neg for HomogeneousPoint<C> {
    type Output = Self;

    fn neg(self) -> Self {
        Self { y: -self.y, ..self }
    }
}

operators! {
    [C: CurveParameters] HomogeneousPoint<C>, HomogeneousPoint<C>, []
    Add add AddAssign add_assign: Self::plus;
    Sub sub SubAssign sub_assign: |a: Self, b: Self| a.plus(-b);
}

operators! {
    [C: CurveParameters] HomogeneousPoint<C>, AffinePoint<C>, []
    Add add AddAssign add_assign: Self::plus_affine;
    Sub sub SubAssign sub_assign: |a: Self, b: AffinePoint<C>| a.plus_affine(-b);
}

operators! {
    [C: CurveParameters<Scalar = PrimeElement<P, N>>, P: PrimeParameters<N>, const N: usize] HomogeneousPoint<C>, PrimeElement<P, N>, [PrimeElement<P, N>: Modulus<Limbs = [u64; N]>]
    Mul mul MulAssign mul_assign: Self::times;
}

impl<T: Borrow<Self>, C: CurveParameters> Sum<T> for HomogeneousPoint<C> {
    fn sum<I: Iterator<Item = T>>(points: I) -> Self {
        points.fold(Self::default(), |sum, point| sum + point.borrow())
    }
}

impl<C, P, const N: usize> group::Group for HomogeneousPoint<C>
where
    C: CurveParameters<Scalar = PrimeElement<P, N>>,
    P: PrimeParameters<N>,
    PrimeElement<P, N>: Modulus<Limbs = [u64; N]>,
{
    type Scalar = PrimeElement<P, N>;

    fn random(mut rng: impl RngCore) -> Self {
        loop {
            let point = Self::generator() * Self::Scalar::random(&mut rng);
            if !bool::from(point.is_identity()) {
                return point;
            }
        }
    }

    fn identity() -> Self {
        Self::default()
    }

    fn generator() -> Self {
        AffinePoint::generator().into()
    }

    fn is_identity(&self) -> Choice {
        self.z.is_zero()
    }

    fn double(&self) -> Self {
        Self::of(self.to_compute().double())
    }
}

impl<C, P, const N: usize> group::Curve for HomogeneousPoint<C>
where
    C: CurveParameters<Scalar = PrimeElement<P, N>>,
    P: PrimeParameters<N>,
    PrimeElement<P, N>: Modulus<Limbs = [u64; N]>,
{
    type AffineRepr = AffinePoint<C>;

    /// With one inversion for all.
    fn batch_normalize(points: &[Self], affine: &mut [AffinePoint<C>]) {
        assert_eq!(points.len(), affine.len());
        let points: Vec<_> = points.iter().map(|point| point.to_compute()).collect();
        affine.iter_mut().zip(Xyzz::normalize(&points)).for_each(|(to, point)| *to = AffinePoint::of(&point));
    }

    fn to_affine(&self) -> AffinePoint<C> {
        AffinePoint::of(&Xyzz::normalize(&[self.to_compute()])[0])
    }
}
