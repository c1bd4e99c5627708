//! Verification of proofs, alone and together.
//!
//! # Mathematical description
//!
//! With the public signals x_1 ... x_l and IC(x) = IC_0 + sum of x_i IC_i, a proof (A, B, C) is true if and only if
//!
//! e(A, B) = e(alpha, beta) e(IC(x), gamma) e(C, delta)
//!
//! (Groth, "On the size of pairing-based non-interactive arguments", EUROCRYPT 2016). e(alpha, beta) is computed once for a key, so a proof takes three Miller
//! loops and one final exponentiation. The points must be on their curves and in the groups of order r, which over BN254 all points of the curve of A and C are.
//!
//! *Several proofs* are verified together: equation i is raised to z_i, random integers of 128 bits, and the product of all is tested. That takes a Miller
//! loop for each proof and two for all, and passes with a false proof among them with a probability of about 2^-128.

use std::fmt;

use halo2curves::ff::{Field, PrimeField};
use halo2curves::group::{Curve, Group};
use halo2curves::pairing::{self, MillerLoopResult, MultiMillerLoop};
use rayon::prelude::*;

use crate::Error;
use crate::key::VerifyingKey;
use crate::numbers::fill_random;
use crate::pairing::{Bn254, First, Pairing};
use crate::points;
use crate::prover::Proof;
use crate::sums;

/// A verification key whose points were checked, with what depends on it alone.
#[derive(Clone)]
pub struct Verifier<P: Pairing = Bn254> {
    key: VerifyingKey<P>,
    /// e(alpha, beta).
    alpha_beta: Gt<P>,
}

/// A proof with its public signals.
pub type Claim<'a, P = Bn254> = (&'a Proof<P>, &'a [<P as Pairing>::Fr]);

/// Values of the pairing, written as a sum.
type Gt<P> = <<P as Pairing>::Engine as pairing::Engine>::Gt;

impl<P: Pairing> Verifier<P> {
    /// A verifier with a key; [`Error::Malformed`] for a point that is not in its group, [`Error::BadKey`] for a key without points in IC.
    pub fn new(key: VerifyingKey<P>) -> Result<Self, Error> {
        key.check()?;
        let alpha_beta = product::<P>(&[(key.alpha_g1, key.beta_g2)]);
        Ok(Self { key, alpha_beta })
    }

    /// The key.
    pub fn key(&self) -> &VerifyingKey<P> {
        &self.key
    }

    /// Whether a proof is true: [`Error::NotVerified`] if it is well-formed and false, [`Error::Malformed`] for a point that is not in its group,
    /// [`Error::PublicSignals`] for another number of them than the key is for.
    pub fn verify(&self, proof: &Proof<P>, public: &[P::Fr]) -> Result<(), Error> {
        let (flaw, ic) = rayon::join(|| check(proof), || self.ic(public));
        flaw?;
        let left = product::<P>(&[
            (proof.a, proof.b),
            ((-ic?).to_affine(), self.key.gamma_g2),
            (-proof.c, self.key.delta_g2),
        ]);
        if left == self.alpha_beta { Ok(()) } else { Err(Error::NotVerified) }
    }

    /// Whether several proofs are all true; errors as [`verify`](Self::verify) of any of them. A false proof passes with a probability of about 2^-128.
    pub fn verify_batch(&self, claims: &[Claim<'_, P>]) -> Result<(), Error> {
        let (mut ic, mut c) = (First::<P>::identity(), First::<P>::identity());
        let mut factors = P::Fr::from(0);
        let mut pairs = Vec::with_capacity(claims.len() + 2);
        for &(proof, public) in claims {
            check(proof)?;
            let mut random = [0; 16];
            fill_random(&mut random)?;
            let factor = P::Fr::from_u128(u128::from_le_bytes(random));
            factors += factor;
            ic += self.ic(public)? * factor;
            c += First::<P>::from(proof.c) * factor;
            pairs.push(((First::<P>::from(proof.a) * factor).to_affine(), proof.b));
        }
        pairs.push(((-ic).to_affine(), self.key.gamma_g2));
        pairs.push(((-c).to_affine(), self.key.delta_g2));
        if product::<P>(&pairs) == self.alpha_beta * factors { Ok(()) } else { Err(Error::NotVerified) }
    }

    /// IC(x).
    fn ic(&self, public: &[P::Fr]) -> Result<First<P>, Error> {
        let (first, rest) = self.key.ic.split_first().expect("a key that was checked");
        match public.len() == rest.len() {
            true => Ok(sums::on_host(public, rest) + *first),
            false => Err(Error::PublicSignals { found: public.len(), expected: rest.len() }),
        }
    }
}

impl<P: Pairing> fmt::Debug for Verifier<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verifier").field("key", &self.key).finish_non_exhaustive()
    }
}

/// The product of pairings, whose Miller loops all threads share.
fn product<P: Pairing>(pairs: &[(P::G1, P::G2)]) -> Gt<P> {
    let piece = pairs.len().div_ceil(rayon::current_num_threads()).max(1);
    let loops = pairs.par_chunks(piece).map(|pairs| {
        let pairs: Vec<_> = pairs.iter().map(|(first, second)| (first, second)).collect();
        P::Engine::multi_miller_loop(&pairs)
    });
    loops.reduce(|| Field::ONE, |a, b| a * b).final_exponentiation()
}

/// [`Error::Malformed`] for a point of a proof that is not in its group.
fn check<P: Pairing>(proof: &Proof<P>) -> Result<(), Error> {
    let place = "the proof";
    points::check(place, "A", &proof.a)?;
    points::check(place, "B", &proof.b)?;
    points::check(place, "C", &proof.c)
}
