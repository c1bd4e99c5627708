//! Slices of limbs as slices of elements and points, and the reverse, without copies.

use super::{Fr, G1Affine};
use crate::curve;
use crate::error::Error;
use crate::field::montgomery::Limbs;
use crate::field::prime;

/// The limbs of scalars, in Montgomery form, in place.
pub fn limbs(scalars: &[Fr]) -> &[Limbs] {
    prime::limbs(scalars)
}

/// The limbs of points, x before y, in Montgomery form, in place.
pub fn limbs_of_points(points: &[G1Affine]) -> &[[u64; 8]] {
    bytemuck::cast_slice(curve::limbs_of_points(points))
}

/// Limbs in Montgomery form as scalars, in place.
///
/// [`Error::NotReduced`] with the index of the first that is r or above.
pub fn scalars(limbs: &[Limbs]) -> Result<&[Fr], Error> {
    prime::elements(limbs, "scalar")
}

/// Limbs in Montgomery form as scalars to change, in place.
///
/// [`Error::NotReduced`] with the index of the first that is r or above.
pub fn scalars_mut(limbs: &mut [Limbs]) -> Result<&mut [Fr], Error> {
    prime::elements_mut(limbs, "scalar")
}

/// Limbs in Montgomery form, x before y, as affine points, in place. All zero is the identity.
///
/// [`Error::NotReduced`] with the index of the first point with a coordinate of q or above. Whether the points are on
/// the curve is not checked; [`Engine::bases`](crate::Engine::bases) can check it.
pub fn points(limbs: &[[u64; 8]]) -> Result<&[G1Affine], Error> {
    curve::points(bytemuck::cast_slice(limbs))
}
