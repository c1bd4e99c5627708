//! Slices of arkworks' BN254 types, version 0.6, as those of halo2curves, and results in the other direction: without copies.

use super::{Fr, G1Affine, G2Affine};
use crate::curve::arkworks;

arkworks::scalars!(ark_bn254::Fr, Fr);
arkworks::points!(points, projective: ark_bn254::G1Affine, ark_bn254::G1Projective, ark_bn254::Fq, G1Affine);
arkworks::points!(points_of_g2, projective_of_g2: ark_bn254::G2Affine, ark_bn254::G2Projective, ark_bn254::Fq2, G2Affine);
