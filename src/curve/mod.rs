//! Curves y^2 = x^3 + b over prime fields and their quadratic extensions: those in the crate's list, and the layout of their points in memory.
//!
//! # Mathematical description
//!
//! The points (x, y) of a curve y^2 = x^3 + b, with the identity, form a group. Sums are
//! over a group of prime order in it, the modulus of the curve's *scalars*. BN254's G1, Grumpkin, Pallas and Vesta have no other points; the curves of the G1 of BLS12-381 and BLS12-377 and of a
//! G2 have, and where points are checked, it is checked too that they are in the subgroup. Sums of points
//! do not need b or anything else of the curve except the field of its coordinates, and whether it has such other points: the product of one of these with a scalar is that with the integer from 0 to r - 1.
//!
//! # Layout
//!
//! | type | memory |
//! |---|---|
//! | scalars, and coefficients of coordinates | elements of a [`ScalarField`] |
//! | coordinates | elements of a [`CoordinateField`]: one coefficient, or c0 and then c1 of c0 + c1 u |
//! | affine points | x, then y; the identity is all zero |
//! | results | X, Y, Z with x = X/Z and y = Y/Z; the identity is (0, 1, 0). Equal points have many forms |
//!
//! Types are those of halo2curves, or for want of these [our own](AffinePoint). None of them is `repr(C)`, so the layout is asserted for each curve when the crate is compiled.

#[cfg(feature = "arkworks")]
pub(crate) mod arkworks;
mod endomorphism;
mod fixed_base;
mod integers;
mod own;
mod points;
#[cfg(test)]
pub(crate) mod samples;
mod subgroup;
#[cfg(test)]
mod tests;
mod weierstrass;

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Neg};

use halo2curves::CurveAffine;
use halo2curves::group::{self, prime::PrimeCurveAffine};

pub(crate) use endomorphism::{Half, TwoAdicCurve};
pub use fixed_base::FixedBase;
pub use integers::{
    affine, coordinates, hex, integers_of_scalars, parse_scalar, points_of_integers, scalars_of_integers,
};
pub use own::{AffinePoint, CurveParameters, HomogeneousPoint};
pub use points::{CoordinateLimbs, limbs_of_points, points};
pub(crate) use points::{affine_points, check_points, projective};
pub use subgroup::Subgroup;
pub(crate) use weierstrass::{Affine, Xyzz};

use crate::field::{CoordinateField, ScalarField};

/// The one list of curves: calls a macro with the type of affine points and the name, for each.
///
/// Backends' operations, programs of devices and tests of sums are made from here. To add a curve, add a line here, and lines for
/// its fields in `for_every_prime_field` and `for_every_quadratic_extension`. Names are never reused.
#[doc(hidden)]
#[macro_export]
macro_rules! for_every_curve {
    ($then:ident) => {
        $then! {
            $crate::bn254::G1Affine, "bn254-g1";
            $crate::grumpkin::G1Affine, "grumpkin";
            $crate::bn254::G2Affine, "bn254-g2";
            $crate::pasta::PallasAffine, "pallas";
            $crate::pasta::VestaAffine, "vesta";
            $crate::bls12_381::G1Affine, "bls12-381-g1";
            $crate::bls12_381::G2Affine, "bls12-381-g2";
            $crate::bls12_377::G1Affine, "bls12-377-g1";
            $crate::bls12_377::G2Affine, "bls12-377-g2";
            $crate::bw6_761::G1Affine, "bw6-761-g1";
        }
    };
}

/// Those of the [list](for_every_curve) whose scalars have transforms: calls a macro with the type of affine points and the name, for each. Points of these have transforms too.
#[doc(hidden)]
#[macro_export]
macro_rules! for_every_two_adic_curve {
    ($then:ident) => {
        $then! {
            $crate::bn254::G1Affine, "bn254-g1";
            $crate::bn254::G2Affine, "bn254-g2";
            $crate::pasta::PallasAffine, "pallas";
            $crate::pasta::VestaAffine, "vesta";
            $crate::bls12_381::G1Affine, "bls12-381-g1";
            $crate::bls12_381::G2Affine, "bls12-381-g2";
            $crate::bls12_377::G1Affine, "bls12-377-g1";
            $crate::bls12_377::G2Affine, "bls12-377-g2";
        }
    };
}

/// A curve y^2 = x^3 + b with a group of prime order, by the type of its affine points. Implemented for the curves of the crate's list alone.
pub trait Curve:
    Copy + Debug + Default + Eq + Neg<Output = Self> + Send + Sync + Subgroup + sealed::Sealed + 'static
{
    /// The name used on the command line and in files, such as `bn254-g1`.
    const NAME: &'static str;

    /// The field of the coordinates.
    type Base: CoordinateField;

    /// The field of the scalars: integers modulo the order of the group.
    type Scalar: ScalarField;

    /// Points in homogeneous form, as results of sums.
    type Projective: group::Curve<AffineRepr = Self>
        + group::Group<Scalar = Self::Scalar>
        + From<Self>
        + Add<Self, Output = Self::Projective>
        + AddAssign<Self>
        + Default;

    /// The b of y^2 = x^3 + b.
    fn b() -> Self::Base;

    /// The usual generator of the group.
    fn generator() -> Self;

    /// The affine point (x, y); (0, 0) is the identity.
    fn from_affine(coordinates: [Self::Base; 2]) -> Self;

    /// The point with x = X/Z and y = Y/Z, on the curve; (0, 1, 0) is the identity.
    fn from_homogeneous(coordinates: [Self::Base; 3]) -> Self::Projective;
}

/// A coordinate in computations.
pub(crate) type Coordinate<C> = <<C as Curve>::Base as CoordinateField>::Lazy;

mod sealed {
    /// Seals [`Curve`](super::Curve): other crates cannot implement it.
    pub trait Sealed {}
}

/// What the type of affine points says of a curve: those of halo2curves by its trait, our own by their parameters.
#[doc(hidden)]
pub trait Equation {
    type Base;
    type Scalar;
    type Projective;

    fn b() -> Self::Base;
    fn generator() -> Self;
}

impl<A: CurveAffine> Equation for A {
    type Base = A::Base;
    type Scalar = A::ScalarExt;
    type Projective = <A as PrimeCurveAffine>::Curve;

    fn b() -> A::Base {
        <A as CurveAffine>::b()
    }

    fn generator() -> Self {
        <A as PrimeCurveAffine>::generator()
    }
}

impl<C: CurveParameters> Equation for AffinePoint<C> {
    type Base = C::Base;
    type Scalar = C::Scalar;
    type Projective = HomogeneousPoint<C>;

    fn b() -> C::Base {
        C::B
    }

    fn generator() -> Self {
        Self::generator()
    }
}

macro_rules! curves {
    ($($affine:path, $name:literal;)*) => {$(
        impl sealed::Sealed for $affine {}

        impl Curve for $affine {
            const NAME: &'static str = $name;

            type Base = <Self as Equation>::Base;
            type Scalar = <Self as Equation>::Scalar;
            type Projective = <Self as Equation>::Projective;

            fn b() -> Self::Base {
                <Self as Equation>::b()
            }

            fn generator() -> Self {
                <Self as Equation>::generator()
            }

            fn from_affine([x, y]: [Self::Base; 2]) -> Self {
                type Affine = $affine;
                Affine { x, y }
            }

            fn from_homogeneous([x, y, z]: [Self::Base; 3]) -> Self::Projective {
                type Projective = <$affine as Curve>::Projective;
                Projective { x, y, z }
            }
        }

        const _: () = {
            use std::mem::{align_of, offset_of, size_of};
            type Base = <$affine as Curve>::Base;
            assert!(size_of::<$affine>() == 2 * size_of::<Base>() && align_of::<$affine>() == align_of::<Base>());
            assert!(offset_of!($affine, x) == 0 && offset_of!($affine, y) == size_of::<Base>());
            type Point = Affine<Coordinate<$affine>>;
            assert!(size_of::<Point>() == size_of::<$affine>() && align_of::<Point>() == align_of::<$affine>());
            assert!(offset_of!(Point, x) == 0 && offset_of!(Point, y) == size_of::<Base>());
        };
    )*};
}
crate::for_every_curve!(curves);
