//! BN254: scalars, coordinates and points, as halo2curves has them, and what their memory looks like.
//!
//! # Mathematical description
//!
//! BN254 (also bn256, alt_bn128) is the curve y^2 = x^3 + 3 over F_q; its points form the group G1 of prime order r. Both
//! primes have 254 bits (Barreto and Naehrig, SAC 2005, with the parameter 4965661367192848881; EIP-196). The scalar field
//! F_r has roots of unity of order 2^28.
//!
//! # Layout
//!
//! | type | bytes | memory |
//! |---|---|---|
//! | [`Fr`], [`Fq`] | 32 | x 2^256 modulo the prime, below the prime, four little-endian 64-bit limbs, lowest first |
//! | [`G1Affine`] | 64 | x, then y; the identity is all zero |
//! | [`G1`] | 96 | X, Y, Z with x = X/Z and y = Y/Z; the identity is (0, 1, 0). Equal points have many forms |
//!
//! This is the layout of halo2curves 0.7 to 0.10 and, but for results, of arkworks 0.6 (feature `arkworks`). None of these
//! types is `repr(C)`, so what is said here is asserted when the crate is compiled, and a version with another layout
//! does not compile. Slices of limbs become slices of elements without a copy, checked: [`scalars`], [`points`].

#[cfg(feature = "arkworks")]
pub mod arkworks;
mod integers;
mod layout;
mod montgomery;
#[cfg(test)]
mod tests;

pub use halo2curves::bn256::{Fq, Fr, G1, G1Affine};
pub use integers::{
    affine, coordinates, hex, integers_of_scalars, parse_scalar, points_of_integers, scalars_of_integers,
};
pub(crate) use layout::{
    affine_points, fold_canonical, limbs_mut, residues, residues_mut, scalar_of_residue, sum_of_xyzz,
};
pub use layout::{limbs, limbs_of_points, points, scalars, scalars_mut};
pub use montgomery::{
    coordinates_from_montgomery, coordinates_to_montgomery, scalars_from_montgomery, scalars_to_montgomery,
};

use halo2curves::ff::{Field, PrimeField};

use crate::curve::Coordinate;
use crate::error::Error;
use crate::field::TwoAdic;
use crate::field::montgomery::{Limbs, Modulus, Residue};
use crate::ntt::Domain;

/// The modulus q of the coordinates: 21888242871839275222246405745257275088696311157297823662689037894645226208583.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoordinateModulus;

impl Modulus for CoordinateModulus {
    const P: Limbs = [0x3c208c16d87cfd47, 0x97816a916871ca8d, 0xb85045b68181585d, 0x30644e72e131a029];
}

/// The modulus r of the scalars, which is the order of the group:
/// 21888242871839275222246405745257275088548364400416034343698204186575808495617.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScalarModulus;

impl Modulus for ScalarModulus {
    const P: Limbs = [0x43e1f593f0000001, 0x2833e84879b97091, 0xb85045b68181585d, 0x30644e72e131a029];
}

/// A coordinate in computations.
pub(crate) type CoordinateResidue = Residue<CoordinateModulus>;

/// A scalar in computations.
pub(crate) type ScalarResidue = Residue<ScalarModulus>;

impl Coordinate for CoordinateResidue {
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;

    #[inline(always)]
    fn add(self, rhs: Self) -> Self {
        Self::add(self, rhs)
    }

    #[inline(always)]
    fn sub(self, rhs: Self) -> Self {
        Self::sub(self, rhs)
    }

    #[inline(always)]
    fn mul(self, rhs: Self) -> Self {
        Self::mul(self, rhs)
    }

    #[inline(always)]
    fn square(self) -> Self {
        Self::square(self)
    }

    #[inline(always)]
    fn negated_if(self, negative: bool) -> Self {
        Self::negated_if(self, negative)
    }

    #[inline(always)]
    fn is_plain_zero(self) -> bool {
        self.lazy_limbs() == [0; 4]
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        Self::is_zero(self)
    }

    /// By halo2curves: a variant of Bernstein and Yang's division steps (TCHES 2019).
    fn inverse(self) -> Option<Self> {
        let inverse: Option<Fq> = layout::coordinate_of_residue(self).invert().into();
        inverse.map(layout::residue_of_coordinate)
    }
}

impl TwoAdic for Fr {
    const TWO_ADICITY: u32 = <Fr as PrimeField>::S;
    const ZERO: Self = <Fr as Field>::ZERO;
    const ONE: Self = <Fr as Field>::ONE;

    fn of_integer(integer: u64) -> Self {
        integer.into()
    }

    fn inverted(self) -> Option<Self> {
        self.invert().into()
    }

    /// Always `Ok`: limbs become scalars by [`scalars`], which looks at them.
    fn check(self) -> Result<(), Error> {
        Ok(())
    }

    fn text(self) -> String {
        format!("{self:?}")
    }
}

impl Domain<Fr> {
    /// The subgroup of order 2^`log_size` with the root of halo2curves, which comes from the generator 7 of the field;
    /// [`Error::DomainTooLarge`] above 2^28.
    pub fn halo2(log_size: u32) -> Result<Self, Error> {
        Self::of_root(log_size, Fr::ROOT_OF_UNITY)
    }

    /// The same subgroup with the root of arkworks, which comes from the generator 5.
    pub fn arkworks(log_size: u32) -> Result<Self, Error> {
        // (r - 1) / 2^28.
        let odd_part = -Fr::from(1 << Fr::S).invert().expect("2 is not zero");
        let exponent = ScalarResidue::to_integer(residues(&[odd_part])[0]);
        Self::of_root(log_size, Fr::from(5).pow_vartime(exponent))
    }

    /// The subgroup of order 2^`log_size` in that of a root of order 2^28.
    fn of_root(log_size: u32, root: Fr) -> Result<Self, Error> {
        let squarings = Fr::S.saturating_sub(log_size);
        Self::with_root(log_size, (0..squarings).fold(root, |root, _| root.square()))
    }
}

/// [`Error::NotOnCurve`] with the first point that is neither on the curve nor the identity. The group has prime order
/// and the curve no other points, so there is no subgroup to look at.
pub(crate) fn check_on_curve(points: &[G1Affine]) -> Result<(), Error> {
    let three = CoordinateResidue::from_integer([3, 0, 0, 0]);
    let off = |point: &crate::curve::Affine<CoordinateResidue>| {
        let cube = point.x.square().mul(point.x);
        !point.is_identity() && !point.y.square().sub(cube).sub(three).is_zero()
    };
    match affine_points(points).iter().position(off) {
        Some(index) => Err(Error::NotOnCurve { index }),
        None => Ok(()),
    }
}
