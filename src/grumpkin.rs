//! Grumpkin: scalars, coordinates and points, as halo2curves has them.
//!
//! # Mathematical description
//!
//! Grumpkin is the curve y^2 = x^3 - 17 over [BN254](crate::bn254)'s scalars; its points form a group whose order is the prime of BN254's
//! coordinates. So each curve's scalars are the other's coordinates, a cycle, as recursive proofs want one. Its scalars have roots of unity of order
//! 2 alone: there are sums over it, and no transforms.

pub use halo2curves::grumpkin::{Fq, Fr, G1, G1Affine};
