//! Elements from and to plain integers, for callers that do not have Montgomery form. These copy.

use bytemuck::Zeroable;
use halo2curves::ff::Field;
use halo2curves::group;

use super::points::COORDINATES;
use super::{CoordinateLimbs, Curve, affine_points};
use crate::error::Error;
use crate::field::ScalarField;
use crate::field::coordinates::{CoefficientLimbs, CoordinateField, LazyElement, coefficients};
use crate::field::integer::{Integer, hexadecimal};
use crate::field::montgomery::{Modulus, Residue};
use crate::field::prime::{CoordinatePrime, not_reduced, residues};
use crate::memory;

/// An integer below the modulus as an element, or [`Error::NotReduced`].
fn element<F: CoordinatePrime>(
    what: &'static str,
    index: usize,
    integer: <F as Modulus>::Limbs,
) -> Result<F, Error> {
    match integer.is_below(F::P) {
        true => Ok(Residue::from_integer(integer).element()),
        false => Err(not_reduced::<F>(what, index, integer)),
    }
}

/// Integers, as many limbs each as a scalar has, lowest first, as scalars; [`Error::NotReduced`] with the index of the first that is not below the prime.
pub fn scalars_of_integers<F: ScalarField>(integers: &[F::Limbs]) -> Result<Vec<F>, Error> {
    let mut scalars = memory::filled(integers.len(), F::ZERO)?;
    for (index, (scalar, &integer)) in scalars.iter_mut().zip(integers).enumerate() {
        *scalar = element("scalar", index, integer)?;
    }
    Ok(scalars)
}

/// Scalars as integers, as many limbs each, lowest first.
pub fn integers_of_scalars<F: ScalarField>(scalars: &[F]) -> Result<Vec<F::Limbs>, Error> {
    let mut integers = memory::zeroed(scalars.len())?;
    for (integer, scalar) in integers.iter_mut().zip(residues(scalars)) {
        *integer = scalar.to_integer();
    }
    Ok(integers)
}

/// Pairs of x, y, each an integer or one for each coefficient, as affine points, (0, 0) as the identity; [`Error::NotReduced`] with the index of the first point
/// with a coordinate that is not below the prime. Whether the points are on the curve is not checked.
pub fn points_of_integers<C: Curve>(integers: &[[CoordinateLimbs<C>; 2]]) -> Result<Vec<C>, Error> {
    let mut points = memory::filled(integers.len(), C::default())?;
    for (index, (point, integers)) in points.iter_mut().zip(integers).enumerate() {
        let mut coordinates = [C::Base::ZERO; 2];
        for ((what, coordinate), integers) in COORDINATES.into_iter().zip(&mut coordinates).zip(integers) {
            *coordinate = coordinate_of_integers(what, index, integers)?;
        }
        *point = C::from_affine(coordinates);
    }
    Ok(points)
}

/// Integers below the modulus as the coefficients of a coordinate, or [`Error::NotReduced`].
fn coordinate_of_integers<F: CoordinateField>(
    what: &'static str,
    index: usize,
    integers: &F::Limbs,
) -> Result<F, Error> {
    let mut limbs = F::Limbs::zeroed();
    let of_coefficients =
        bytemuck::cast_slice_mut::<_, CoefficientLimbs<F>>(std::slice::from_mut(&mut limbs));
    for (limbs, &integer) in of_coefficients.iter_mut().zip(coefficients::<F>(integers)) {
        *limbs = Residue::of(element::<F::Prime>(what, index, integer)?).canonical();
    }
    Ok(F::Lazy::of_limbs(limbs).element())
}

/// The affine coordinates of a point as integers, one for each coefficient; `None` for the identity.
pub fn coordinates<P>(point: &P) -> Option<[CoordinateLimbs<P::AffineRepr>; 2]>
where
    P: group::Curve<AffineRepr: Curve>,
{
    let point = point.to_affine();
    let [point_of_residues] = affine_points(std::slice::from_ref(&point)) else { unreachable!("one of one") };
    let (x, y) = (point_of_residues.x.to_integers(), point_of_residues.y.to_integers());
    (!point_of_residues.is_identity()).then_some([x, y])
}

/// The affine forms of points, with one inversion for all.
pub fn affine<P>(points: &[P]) -> Vec<P::AffineRepr>
where
    P: group::Curve<AffineRepr: Curve>,
{
    let mut affine = vec![P::AffineRepr::default(); points.len()];
    P::batch_normalize(points, &mut affine);
    affine
}

/// An integer in hexadecimal digits, highest first: 16 of each limb.
pub fn hex(integer: impl AsRef<[u64]>) -> String {
    hexadecimal(integer)
}

/// A scalar from a text: a decimal number, or a hexadecimal one with `0x` before it, below the prime. [`Error::BadScalar`] for
/// anything else.
pub fn parse_scalar<F: ScalarField>(text: &str) -> Result<F, Error> {
    let refused = || Error::BadScalar { found: text.into() };
    let (digits, base) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
    // Few more than there are in the largest number.
    if digits.is_empty() || digits.len() > 20 * F::Limbs::LIMBS {
        return Err(refused());
    }
    let mut integer = F::Limbs::ZERO;
    for digit in digits.chars() {
        let mut carry = u64::from(digit.to_digit(base).ok_or_else(refused)?);
        for limb in integer.as_mut() {
            let wide = u128::from(*limb) * u128::from(base) + u128::from(carry);
            (*limb, carry) = (wide as u64, (wide >> 64) as u64);
        }
        if carry > 0 {
            return Err(refused());
        }
    }
    element("scalar", 0, integer).map_err(|_| refused())
}
