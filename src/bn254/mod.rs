//! BN254: scalars, coordinates and points, as halo2curves has them, and their layout in memory.
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
//! types is `repr(C)`, so the layout above is asserted when the crate is compiled, and a version with another layout
//! does not compile. Slices of limbs become slices of elements without a copy, checked: [`scalars`], [`points`].

#[cfg(feature = "arkworks")]
pub mod arkworks;
mod layout;
#[cfg(test)]
mod tests;

pub use crate::curve::{
    affine, coordinates, hex, integers_of_scalars, parse_scalar, points_of_integers, scalars_of_integers,
};
pub use halo2curves::bn256::{Fq, Fq2, Fr, G1, G1Affine, G2, G2Affine};
pub use layout::{limbs, limbs_of_points, points, scalars, scalars_mut};
