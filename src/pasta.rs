//! Pallas and Vesta, the curves of Pasta: scalars, coordinates and points, as halo2curves has them.
//!
//! # Mathematical description
//!
//! Pallas is the curve y^2 = x^3 + 5 over [`Fp`], with [`Fq`] for its scalars; Vesta is the curve of the same equation over [`Fq`], with [`Fp`] for its
//! scalars. Both groups have prime order, so the two curves form a cycle, as recursive proofs need one (Hopwood, "The Pasta Curves for Halo 2 and Beyond", 2020). Both primes have 255 bits, and both
//! fields roots of unity of order 2^32: there are transforms over either.

pub use halo2curves::pasta::{Fp, Fq, Pallas, PallasAffine, Vesta, VestaAffine};
