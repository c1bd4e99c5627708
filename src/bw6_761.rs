//! BW6-761: scalars, coordinates and points, in types of our own that have the traits of halo2curves' types.
//!
//! # Mathematical description
//!
//! BW6-761 (El Housni and Guillevic, CANS 2020) has the curve y^2 = x^3 - 1 over [`Fq`], a prime field of 761 bits. A subgroup of its points, [`G1`], has as its order the prime of 377 bits that is that of the coordinates of
//! [BLS12-377](crate::bls12_377): so proofs over that curve can be verified in circuits over this one. The other points of the curve are no elements of the group: where points are [checked](crate::msm::BasesOptions::validate), that is too.
//!
//! # Layout
//!
//! | type | bytes | memory |
//! |---|---|---|
//! | [`Fr`] | 48 | x 2^384 modulo r, below r, six little-endian 64-bit limbs, lowest first |
//! | [`Fq`] | 96 | x 2^768 modulo the prime, below the prime, twelve limbs |
//! | [`G1Affine`] | 192 | x, then y; the identity is all zero |
//! | [`G1`] | 288 | X, Y, Z with x = X/Z and y = Y/Z; the identity is (0, 1, 0). Equal points have many forms |

pub use crate::bls12_377::Fq as Fr;
use crate::curve::{AffinePoint, CurveParameters, HomogeneousPoint};
use crate::field::{PrimeElement, PrimeParameters};

/// The parameters of [`Fq`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FqParameters;

impl PrimeParameters<12> for FqParameters {
    const MODULUS: &'static str = "0x122e824fb83ce0ad187c94004faff3eb926186a81d14688528275ef8087be41707ba638e584e91903cebaff25b423048689c8ed12f9fd9071dcd3dc73ebff2e98a116c25667a8f8160cf8aeeaf0a437e6913e6870000082f49d00000000008b";
    const GENERATOR: u64 = 2;
}

/// The parameters of G1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct G1Parameters;

impl CurveParameters for G1Parameters {
    type Base = Fq;
    type Scalar = Fr;

    // -1.
    const B: Fq = Fq::of_hexadecimal(
        "0x122e824fb83ce0ad187c94004faff3eb926186a81d14688528275ef8087be41707ba638e584e91903cebaff25b423048689c8ed12f9fd9071dcd3dc73ebff2e98a116c25667a8f8160cf8aeeaf0a437e6913e6870000082f49d00000000008a",
    );
    const GENERATOR: [Fq; 2] = [
        Fq::of_hexadecimal(
            "0x1075b020ea190c8b277ce98a477beaee6a0cfb7551b27f0ee05c54b85f56fc779017ffac15520ac11dbfcd294c2e746a17a54ce47729b905bd71fa0c9ea097103758f9a280ca27f6750dd0356133e82055928aca6af603f4088f3af66e5b43d",
        ),
        Fq::of_hexadecimal(
            "0x58b84e0a6fc574e6fd637b45cc2a420f952589884c9ec61a7348d2a2e573a3265909f1af7e0dbac5b8fa1771b5b806cc685d31717a4c55be3fb90b6fc2cdd49f9df141b3053253b2b08119cad0fb93ad1cb2be0b20d2a1bafc8f2db4e95363",
        ),
    ];
}

/// A coordinate.
pub type Fq = PrimeElement<FqParameters, 12>;

/// An affine point.
pub type G1Affine = AffinePoint<G1Parameters>;

/// A point in homogeneous coordinates.
pub type G1 = HomogeneousPoint<G1Parameters>;

/// Slices of arkworks' BW6-761 types, version 0.6, as those here, and results in the other direction: without copies.
#[cfg(feature = "arkworks")]
pub mod arkworks {
    use super::{Fr, G1Affine};
    use crate::curve::arkworks;

    arkworks::scalars!(ark_bw6_761::Fr, Fr);
    arkworks::points!(points, projective: ark_bw6_761::G1Affine, ark_bw6_761::G1Projective, ark_bw6_761::Fq, G1Affine);
}
