//! Views of memory as points, and points of computations as those of halo2curves.

use halo2curves::ff::Field;

use super::{Affine, Coordinate, Curve, Xyzz};
use crate::error::Error;
use crate::field::CoordinateField;
use crate::field::coordinates::{LazyElement, check_reduced};
use crate::field::prime::cast;

/// The limbs of a coordinate of a curve's points: four, or those of coefficient 0 and then those of coefficient 1.
pub type CoordinateLimbs<C> = <<C as Curve>::Base as CoordinateField>::Limbs;

/// The limbs of points, x before y, in Montgomery form, in place.
pub fn limbs_of_points<C: Curve>(points: &[C]) -> &[[CoordinateLimbs<C>; 2]] {
    // SAFETY: the layout that is asserted for every curve; any bits are limbs.
    unsafe { cast(points) }
}

/// Limbs in Montgomery form, x before y, as affine points, in place. All zero is the identity.
///
/// [`Error::NotReduced`] with the index of the first point with a coordinate that is not below the prime. Whether the points are on
/// the curve is not checked.
pub fn points<C: Curve>(limbs: &[[CoordinateLimbs<C>; 2]]) -> Result<&[C], Error> {
    for (index, point) in limbs.iter().enumerate() {
        for (what, coordinate) in COORDINATES.into_iter().zip(point) {
            check_reduced::<C::Base>(what, index, coordinate)?;
        }
    }
    // SAFETY: the layout that is asserted for every curve; all coordinates are below the prime.
    Ok(unsafe { cast(limbs) })
}

/// What errors call the coordinates of a point.
pub(super) const COORDINATES: [&str; 2] = ["x of point", "y of point"];

/// Points to compute with; the identity is all zero in both types.
pub(crate) fn affine_points<C: Curve>(points: &[C]) -> &[Affine<Coordinate<C>>] {
    // SAFETY: the layouts that are asserted for every curve; values below p are below 2p.
    unsafe { cast(points) }
}

/// A point in the projective form of halo2curves.
pub(crate) fn projective<C: Curve>(point: Xyzz<Coordinate<C>>) -> C::Projective {
    C::from_homogeneous(homogeneous(point))
}

/// The coordinates X, Y, Z of a point: x = X/ZZ and y = Y/ZZZ over the common denominator ZZ ZZZ.
pub(super) fn homogeneous<T: LazyElement>(point: Xyzz<T>) -> [T::Field; 3] {
    if point.is_identity() {
        return [T::Field::ZERO, T::Field::ONE, T::Field::ZERO];
    }
    let Xyzz { x, y, zz, zzz } = point;
    [x.mul(zzz), y.mul(zz), zz.mul(zzz)].map(T::element)
}

/// Whether points are of the group: [`Error::NotOnCurve`] with the first that is neither on the curve nor the identity, and
/// [`Error::NotInSubgroup`] with the first that is on the curve and in none but a larger group, whichever comes first.
pub(crate) fn check_points<C: Curve>(points: &[C]) -> Result<(), Error> {
    let b = Coordinate::<C>::of(C::b());
    for (index, (affine, point)) in affine_points(points).iter().zip(points).enumerate() {
        let cube = affine.x.square().mul(affine.x);
        if !affine.is_identity() && !affine.y.square().sub(cube).sub(b).is_zero() {
            return Err(Error::NotOnCurve { index });
        }
        if !point.is_in_subgroup() {
            return Err(Error::NotInSubgroup { index });
        }
    }
    Ok(())
}
