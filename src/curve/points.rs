//! Views of memory as points, and points of computations as those of halo2curves.

use halo2curves::ff::Field;

use super::{Affine, Curve, Xyzz};
use crate::error::Error;
use crate::field::montgomery::{Limbs, Modulus, Residue, is_below};
use crate::field::prime::{cast, not_reduced};

/// The limbs of points, x before y, in Montgomery form, in place.
pub fn limbs_of_points<C: Curve>(points: &[C]) -> &[[Limbs; 2]] {
    // SAFETY: the layout that is asserted for every curve; any bits are limbs.
    unsafe { cast(points) }
}

/// Limbs in Montgomery form, x before y, as affine points, in place. All zero is the identity.
///
/// [`Error::NotReduced`] with the index of the first point with a coordinate that is not below the prime. Whether the points are on
/// the curve is not checked.
pub fn points<C: Curve>(limbs: &[[Limbs; 2]]) -> Result<&[C], Error> {
    for (index, point) in limbs.iter().enumerate() {
        for (what, &coordinate) in ["x of point", "y of point"].into_iter().zip(point) {
            if !is_below(coordinate, C::Base::P) {
                return Err(not_reduced::<C::Base>(what, index, coordinate));
            }
        }
    }
    // SAFETY: the layout that is asserted for every curve; all coordinates are below the prime.
    Ok(unsafe { cast(limbs) })
}

/// Points to compute with; the identity is all zero in both types.
pub(crate) fn affine_points<C: Curve>(points: &[C]) -> &[Affine<Residue<C::Base>>] {
    // SAFETY: the layouts that are asserted for every curve; values below p are below 2p.
    unsafe { cast(points) }
}

/// A point in the projective form of halo2curves: x = X/ZZ and y = Y/ZZZ over the common denominator ZZ ZZZ.
pub(crate) fn projective<C: Curve>(point: Xyzz<Residue<C::Base>>) -> C::Projective {
    if point.is_identity() {
        return C::from_homogeneous([C::Base::ZERO, C::Base::ONE, C::Base::ZERO]);
    }
    let Xyzz { x, y, zz, zzz } = point;
    C::from_homogeneous([x.mul(zzz), y.mul(zz), zz.mul(zzz)].map(Residue::element))
}

/// [`Error::NotOnCurve`] with the first point that is neither on the curve nor the identity. The group has prime order
/// and the curve no other points, so there is no subgroup to check.
pub(crate) fn check_on_curve<C: Curve>(points: &[C]) -> Result<(), Error> {
    let b = Residue::of(C::b());
    let off = |point: &Affine<Residue<C::Base>>| {
        let cube = point.x.square().mul(point.x);
        !point.is_identity() && !point.y.square().sub(cube).sub(b).is_zero()
    };
    match affine_points(points).iter().position(off) {
        Some(index) => Err(Error::NotOnCurve { index }),
        None => Ok(()),
    }
}
