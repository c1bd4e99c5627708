//! Elements from and to plain integers, for callers that do not have Montgomery form. These copy.

use halo2curves::ff::PrimeField;
use halo2curves::group::Curve;

use super::{Fr, G1, G1Affine};
use crate::error::Error;
use crate::field::MontgomeryField;
use crate::field::montgomery::{Limbs, Residue, is_below};
use crate::field::prime::{hexadecimal, not_reduced, residues};
use crate::memory;

/// An integer below the modulus as an element, or [`Error::NotReduced`].
fn element<F: MontgomeryField>(what: &'static str, index: usize, integer: Limbs) -> Result<F, Error> {
    match is_below(integer, F::P) {
        true => Ok(Residue::from_integer(integer).element()),
        false => Err(not_reduced::<F>(what, index, integer)),
    }
}

/// Integers, four limbs each, lowest first, as scalars; [`Error::NotReduced`] with the index of the first that is r or above.
pub fn scalars_of_integers(integers: &[Limbs]) -> Result<Vec<Fr>, Error> {
    let mut scalars = memory::filled(integers.len(), Fr::from(0))?;
    for (index, (scalar, &integer)) in scalars.iter_mut().zip(integers).enumerate() {
        *scalar = element("scalar", index, integer)?;
    }
    Ok(scalars)
}

/// Scalars as integers, four limbs each, lowest first.
pub fn integers_of_scalars(scalars: &[Fr]) -> Result<Vec<Limbs>, Error> {
    let mut integers = memory::zeroed(scalars.len())?;
    for (integer, scalar) in integers.iter_mut().zip(residues(scalars)) {
        *integer = scalar.to_integer();
    }
    Ok(integers)
}

/// Pairs of integers x, y as affine points, (0, 0) as the identity; [`Error::NotReduced`] with the index of the first point
/// with a coordinate of q or above. Whether the points are on the curve is not looked at.
pub fn points_of_integers(integers: &[[u64; 8]]) -> Result<Vec<G1Affine>, Error> {
    let mut points = memory::filled(integers.len(), G1Affine::default())?;
    for (index, (point, integers)) in points.iter_mut().zip(integers).enumerate() {
        let [x, y] = bytemuck::cast::<_, [Limbs; 2]>(*integers);
        point.x = element("x of point", index, x)?;
        point.y = element("y of point", index, y)?;
    }
    Ok(points)
}

/// The affine coordinates of a point as integers; `None` for the identity.
pub fn coordinates(point: &G1) -> Option<[Limbs; 2]> {
    let point = point.to_affine();
    let [x, y] = [point.x, point.y].map(|x| Residue::of(x).to_integer());
    (point != G1Affine::default()).then_some([x, y])
}

/// The affine forms of points, with one inversion for all.
pub fn affine(points: &[G1]) -> Vec<G1Affine> {
    let mut affine = vec![G1Affine::default(); points.len()];
    G1::batch_normalize(points, &mut affine);
    affine
}

/// An integer of 64 hexadecimal digits, highest first.
pub fn hex(integer: Limbs) -> String {
    hexadecimal(integer)
}

/// A scalar from a text: a decimal number, or a hexadecimal one with `0x` before it, below r. [`Error::BadScalar`] for
/// anything else.
pub fn parse_scalar(text: &str) -> Result<Fr, Error> {
    let refused = || Error::BadScalar { found: text.into() };
    let (digits, base) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
    if digits.is_empty() || digits.len() > 80 {
        return Err(refused());
    }
    let mut integer = [0_u64; 4];
    for digit in digits.chars() {
        let mut carry = u64::from(digit.to_digit(base).ok_or_else(refused)?);
        for limb in &mut integer {
            let wide = u128::from(*limb) * u128::from(base) + u128::from(carry);
            (*limb, carry) = (wide as u64, (wide >> 64) as u64);
        }
        if carry > 0 {
            return Err(refused());
        }
    }
    element("scalar", 0, integer).map_err(|_| refused())
}

// `NUM_BITS` is what the limbs of integers rest on.
const _: () = assert!(Fr::NUM_BITS == 254);
