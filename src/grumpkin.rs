//! Grumpkin: scalars, coordinates and points, as halo2curves has them.
//!
//! # Mathematical description
//!
//! Grumpkin is the curve y^2 = x^3 - 17 over [BN254](crate::bn254)'s scalars; its points form a group whose order is the prime of
//! BN254's coordinates. So each curve's scalars are the other's coordinates: the two form a cycle, as recursive proofs need one.
//! Its scalar field has no roots of unity of order 4: there are sums over it, but no transforms.

pub use halo2curves::grumpkin::{Fq, Fr, G1, G1Affine};
