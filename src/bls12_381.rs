//! BLS12-381: scalars, coordinates and points, as halo2curves has them.
//!
//! # Mathematical description
//!
//! BLS12-381 (Bowe, 2017; the family is that of Barreto, Lynn and Scott, SCN 2002, with the parameter z = -0xd201000000010000) has the curve y^2 = x^3 + 4 over [`Fq`], a prime field of 381 bits. A subgroup of
//! its points, [`G1`], has the prime order r = z^4 - z^2 + 1 of 255 bits; [`Fr`] is the field modulo r. [`G2`] is a subgroup of that order on the curve y^2 = x^3 + 4(1 + u) over [`Fq2`], F_q(u) with u^2 = -1.
//! The other points of both curves are no elements of the groups: where points are [checked](crate::msm::BasesOptions::validate), that is too. [`Fr`] has roots of unity of order 2^32, and so there are transforms over it.
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

pub use halo2curves::bls12381::{Fq, Fq2, Fr, G1, G1Affine, G2, G2Affine};

/// Slices of arkworks' BLS12-381 types, version 0.6, as those here, and results in the other direction: without copies.
#[cfg(feature = "arkworks")]
pub mod arkworks {
    use super::{Fr, G1Affine, G2Affine};
    use crate::curve::arkworks;

    arkworks::scalars!(ark_bls12_381::Fr, Fr);
    arkworks::points!(points, projective: ark_bls12_381::G1Affine, ark_bls12_381::G1Projective, ark_bls12_381::Fq, G1Affine);
    arkworks::points!(points_of_g2, projective_of_g2: ark_bls12_381::G2Affine, ark_bls12_381::G2Projective, ark_bls12_381::Fq2, G2Affine);
}
