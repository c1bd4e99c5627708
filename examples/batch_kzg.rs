//! Verifies several KZG openings at once: three multi-scalar multiplications in flight together, then one pairing check.
//!
//! A commitment C to a polynomial f, made with powers of a secret tau, opens at z to y = f(z) with the quotient's
//! commitment W: e(C - y G + z W, H) = e(W, tau H). With random factors rho^i for n openings, that is one equation,
//! e(sum rho^i C_i + sum (rho^i z_i) W_i - (sum rho^i y_i) G, H) = e(sum rho^i W_i, tau H),
//! in which the three sums of points do not depend on each other (Kate, Zaverucha and Goldberg, ASIACRYPT 2010; Boneh,
//! Drake, Fisch and Gabizon, 2020/081).
//!
//! ```text
//! cargo run --release --example batch_kzg
//! ```

use halo2curves::bn256::{Bn256, G2, G2Affine};
use halo2curves::ff::Field;
use halo2curves::group::{Curve, Group};
use halo2curves::pairing::{MillerLoopResult, MultiMillerLoop};
use zkaccel::bn254::{Fr, G1, G1Affine, affine};
use zkaccel::msm::{Bases, BasesOptions};
use zkaccel::{Engine, Error};

/// Coefficients of each polynomial, and the number of polynomials.
const DEGREE: usize = 256;
const OPENINGS: usize = 64;

/// One opening: a commitment, where it is opened, to what, and the proof.
#[derive(Clone)]
struct Opening {
    commitment: G1Affine,
    point: Fr,
    value: Fr,
    proof: G1Affine,
}

fn powers(x: Fr) -> impl Iterator<Item = Fr> {
    std::iter::successors(Some(Fr::ONE), move |power| Some(power * x))
}

/// Pseudo-random scalars: powers of a generator, from a seed. A real verifier hashes the openings.
fn scalars(seed: u64) -> impl Iterator<Item = Fr> {
    powers(Fr::from(7)).map(move |power| (power + Fr::from(seed)).square() * power)
}

/// Commits to polynomials and opens each somewhere: two batches of sums over the powers of tau.
fn open(engine: &Engine, setup: &Bases) -> Result<Vec<Opening>, Error> {
    let polynomials: Vec<Fr> = scalars(1).take(DEGREE * OPENINGS).collect();
    let points: Vec<Fr> = scalars(2).take(OPENINGS).collect();
    let mut values = Vec::new();
    let mut quotients = vec![Fr::ZERO; polynomials.len()];
    for ((polynomial, quotient), &z) in
        polynomials.chunks(DEGREE).zip(quotients.chunks_mut(DEGREE)).zip(&points)
    {
        // (f - f(z)) / (X - z), by Horner's rule; the last value is f(z).
        let mut value = Fr::ZERO;
        for i in (0..DEGREE).rev() {
            quotient[i] = value;
            value = value * z + polynomial[i];
        }
        values.push(value);
    }
    let commitments = engine.msm_batch_async(polynomials, setup);
    let proofs = engine.msm_batch_async(quotients, setup);
    let (commitments, proofs) = (affine(&commitments.wait()?), affine(&proofs.wait()?));
    let both = commitments.into_iter().zip(proofs).zip(points).zip(values);
    Ok(both
        .map(|(((commitment, proof), point), value)| Opening { commitment, point, value, proof })
        .collect())
}

/// Whether all openings are right.
fn verify(engine: &Engine, openings: &[Opening], tau_h: &G2Affine) -> Result<bool, Error> {
    let factors: Vec<Fr> = powers(Fr::from(0x5eed).square()).take(openings.len()).collect();
    let keep = |points: Vec<G1Affine>| engine.bases(points, BasesOptions { validate: true, tables: false });
    let commitments = keep(openings.iter().map(|opening| opening.commitment).collect())?;
    let proofs = keep(openings.iter().map(|opening| opening.proof).collect())?;
    let shifted = factors.iter().zip(openings).map(|(factor, opening)| factor * opening.point).collect();
    let value: Fr = factors.iter().zip(openings).map(|(factor, opening)| factor * opening.value).sum();

    // Three sums under way before the first is waited for.
    let left = engine.msm_async(factors.clone(), &commitments);
    let middle = engine.msm_async(shifted, &proofs);
    let right = engine.msm_async(factors, &proofs);

    let left = left.wait()? + middle.wait()? - G1::generator() * value;
    let right = -right.wait()?;
    let [left, right] = [left.to_affine(), right.to_affine()];
    let pairings = Bn256::multi_miller_loop(&[(&left, &G2Affine::generator()), (&right, tau_h)]);
    Ok(bool::from(pairings.final_exponentiation().is_identity()))
}

fn main() -> Result<(), Error> {
    let engine = Engine::new()?;
    println!("device: {} ({})", engine.device().id, engine.device().reason);
    // Whoever knows tau can open to anything: a real setup forgets it.
    let tau = Fr::from(0x7a0).invert().expect("not zero");
    let setup: Vec<G1> = powers(tau).take(DEGREE).map(|power| G1::generator() * power).collect();
    let setup = engine.bases(affine(&setup), BasesOptions { validate: true, tables: true })?;
    let tau_h = (G2::generator() * tau).to_affine();

    let openings = open(&engine, &setup)?;
    println!("{OPENINGS} openings verified: {}", verify(&engine, &openings, &tau_h)?);
    let mut forged = openings.clone();
    forged[OPENINGS / 2].value += Fr::ONE;
    println!("with one value changed: {}", verify(&engine, &forged, &tau_h)?);
    assert!(verify(&engine, &openings, &tau_h)? && !verify(&engine, &forged, &tau_h)?);
    Ok(())
}
