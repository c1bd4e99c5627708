//! BLS12-377: scalars, coordinates and points, in types of our own that have the traits of halo2curves' types.
//!
//! # Mathematical description
//!
//! BLS12-377 (Bowe, Chiesa, Green, Miers, Mishra and Wu, "Zexe", IEEE S&P 2020; the family is that of Barreto, Lynn and Scott, SCN 2002, with the parameter z = 0x8508c00000000001) has the curve y^2 = x^3 + 1 over
//! [`Fq`], a prime field of 377 bits. A subgroup of its points, [`G1`], has the prime order r = z^4 - z^2 + 1 of 253 bits; [`Fr`] is the field modulo r. [`G2`] is a subgroup of that order on the curve y^2 = x^3 + 1/u over [`Fq2`], F_q(u) with u^2 = -5. The other points of both curves are no elements of the groups:
//! where points are [checked](crate::msm::BasesOptions::validate), that is too. Both primes are 1 modulo a large power of two: [`Fr`] has roots of unity of order 2^47, and so there are transforms over it, and [`Fq`] has those of
//! order 2^46.
//!
//! # Layout
//!
//! | type | bytes | memory |
//! |---|---|---|
//! | [`Fr`] | 32 | x 2^256 modulo r, below r, four little-endian 64-bit limbs, lowest first |
//! | [`Fq`] | 48 | x 2^384 modulo the prime, below the prime, six limbs |
//! | [`G1Affine`] | 96 | x, then y; the identity is all zero |
//! | [`G1`] | 144 | X, Y, Z with x = X/Z and y = Y/Z; the identity is (0, 1, 0). Equal points have many forms |
//! | [`Fq2`] | 96 | c0 and then c1 of c0 + c1 u |
//! | [`G2Affine`], [`G2`] | 192, 288 | as those of G1 |

use crate::curve::{AffinePoint, CurveParameters, HomogeneousPoint};
use crate::field::{PrimeElement, PrimeParameters, QuadraticElement};

/// The parameters of [`Fr`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FrParameters;

impl PrimeParameters<4> for FrParameters {
    const MODULUS: &'static str = "0x12ab655e9a2ca55660b44d1e5c37b00159aa76fed00000010a11800000000001";
    const GENERATOR: u64 = 22;
}

/// The parameters of [`Fq`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FqParameters;

impl PrimeParameters<6> for FqParameters {
    const MODULUS: &'static str =
        "0x1ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d44300000008508c00000000001";
    const GENERATOR: u64 = 15;
}

/// The parameters of G1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct G1Parameters;

impl CurveParameters for G1Parameters {
    type Base = Fq;
    type Scalar = Fr;

    const B: Fq = Fq::of_hexadecimal("0x1");
    const GENERATOR: [Fq; 2] = [
        Fq::of_hexadecimal(
            "0x8848defe740a67c8fc6225bf87ff5485951e2caa9d41bb188282c8bd37cb5cd5481512ffcd394eeab9b16eb21be9ef",
        ),
        Fq::of_hexadecimal(
            "0x1914a69c5102eff1f674f5d30afeec4bd7fb348ca3e52d96d182ad44fb82305c2fe3d3634a9591afd82de55559c8ea6",
        ),
    ];
}

/// The parameters of G2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct G2Parameters;

impl CurveParameters for G2Parameters {
    type Base = Fq2;
    type Scalar = Fr;

    const B: Fq2 = Fq2::new(
        Fq::of_hexadecimal("0x0"),
        Fq::of_hexadecimal(
            "0x10222f6db0fd6f343bd03737460c589dc7b4f91cd5fd889129207b63c6bf8000dd39e5c1ccccccd1c9ed9999999999a",
        ),
    );
    const GENERATOR: [Fq2; 2] = [
        Fq2::new(
            Fq::of_hexadecimal(
                "0x18480be71c785fec89630a2a3841d01c565f071203e50317ea501f557db6b9b71889f52bb53540274e3e48f7c005196",
            ),
            Fq::of_hexadecimal(
                "0xea6040e700403170dc5a51b1b140d5532777ee6651cecbe7223ece0799c9de5cf89984bff76fe6b26bfefa6ea16afe",
            ),
        ),
        Fq2::new(
            Fq::of_hexadecimal(
                "0x690d665d446f7bd960736bcbb2efb4de03ed7274b49a58e458c282f832d204f2cf88886d8c7c2ef094094409fd4ddf",
            ),
            Fq::of_hexadecimal(
                "0xf8169fd28355189e549da3151a70aa61ef11ac3d591bf12463b01acee304c24279b83f5e52270bd9a1cdd185eb8f93",
            ),
        ),
    ];
}

/// A scalar: an integer modulo r.
pub type Fr = PrimeElement<FrParameters, 4>;

/// A coordinate of G1.
pub type Fq = PrimeElement<FqParameters, 6>;

/// A coordinate of G2.
pub type Fq2 = QuadraticElement<Fq>;

/// An affine point of G1.
pub type G1Affine = AffinePoint<G1Parameters>;

/// A point of G1 in homogeneous coordinates.
pub type G1 = HomogeneousPoint<G1Parameters>;

/// An affine point of G2.
pub type G2Affine = AffinePoint<G2Parameters>;

/// A point of G2 in homogeneous coordinates.
pub type G2 = HomogeneousPoint<G2Parameters>;

/// Slices of arkworks' BLS12-377 types, version 0.6, as those here, and results in the other direction: without copies.
#[cfg(feature = "arkworks")]
pub mod arkworks {
    use super::{Fr, G1Affine, G2Affine};
    use crate::curve::arkworks;

    arkworks::scalars!(ark_bls12_377::Fr, Fr);
    arkworks::points!(points, projective: ark_bls12_377::G1Affine, ark_bls12_377::G1Projective, ark_bls12_377::Fq, G1Affine);
    arkworks::points!(points_of_g2, projective_of_g2: ark_bls12_377::G2Affine, ark_bls12_377::G2Projective, ark_bls12_377::Fq2, G2Affine);
}
