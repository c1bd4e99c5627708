//! Keys made with known secrets, for tests and for measurements: whoever knows the secrets proves anything.
//!
//! # Mathematical description
//!
//! Let tau, alpha, beta, gamma and delta be the secrets, and L_i the Lagrange polynomials of the subgroup of order n. Signal s has A_s = sum over the
//! constraints i of A_is L_i(tau), and so have B and C. Behind the m constraints stands in A a row m + s with a 1 for each public signal s and
//! for the constant, so that public signals are independent. The points of a key are these multiples of the generators:
//!
//! | points | multiples |
//! |---|---|
//! | A, B | A_s; B_s |
//! | IC, of the constant and public signals | (beta A_s + alpha B_s + C_s) / gamma |
//! | C, of private signals | (beta A_s + alpha B_s + C_s) / delta |
//! | H of [`Reduction::Circom`] | M_(2i + 1)(tau) / delta, with the Lagrange polynomials M of the subgroup of order 2n |
//! | H of [`Reduction::Libsnark`] | tau^i (tau^n - 1) / delta for i < n - 1 |

use halo2curves::ff::Field;
use rayon::prelude::*;
use zkaccel::curve::{Curve, FixedBase};
use zkaccel::ntt::Domain;
use zkaccel::sparse::SparseMatrix;
use zkaccel::{Engine, Error as EngineError};

use crate::Error;
use crate::key::{Matrices, ProvingKey, Reduction, VerifyingKey};
use crate::numbers::random_scalar;
use crate::pairing::{Bn254, Pairing, ScalarField, SourceGroup};
use crate::quotient;
use crate::r1cs::R1cs;

/// The secrets of a setup.
#[derive(Clone, Copy)]
pub struct Secrets<P: Pairing = Bn254> {
    /// Where the polynomials are evaluated.
    pub tau: P::Fr,
    /// alpha.
    pub alpha: P::Fr,
    /// beta.
    pub beta: P::Fr,
    /// gamma; snarkjs has 1.
    pub gamma: P::Fr,
    /// delta.
    pub delta: P::Fr,
}

impl<P: Pairing> Secrets<P> {
    /// Secrets from the system's generator, with gamma = 1 as snarkjs has it.
    pub fn random() -> Result<Self, Error> {
        Ok(Self {
            tau: random_scalar()?,
            alpha: random_scalar()?,
            beta: random_scalar()?,
            gamma: P::Fr::from(1),
            delta: random_scalar()?,
        })
    }
}

/// The key of a circuit, with the points of H and the matrices that the prover of a reduction takes. The engine inverts.
///
/// [`Error::Engine`] with `DomainTooLarge` for a domain of more points than there are roots of unity, or of [`Reduction::Circom`] half as many, over BN254 2^27; with `BadShift` for a secret of 0 that must not be.
pub fn proving_key<P: Pairing>(
    engine: &Engine,
    circuit: &R1cs<P>,
    secrets: &Secrets<P>,
    reduction: Reduction,
) -> Result<ProvingKey<P>, Error> {
    let (constraints, public) = (circuit.a.rows(), circuit.public_signals);
    let n = (constraints + public + 1).next_power_of_two().max(2);
    let (log_size, tau) = (n.ilog2(), secrets.tau);
    let inverse = |x: P::Fr| Option::from(x.invert()).ok_or(Error::Engine(EngineError::BadShift));
    let (by_gamma, by_delta): (P::Fr, P::Fr) = (inverse(secrets.gamma)?, inverse(secrets.delta)?);

    let of_inputs = (0..=public).map(|signal| (constraints + signal, signal, P::Fr::from(1)));
    let a = on_domain(&circuit.a, n, of_inputs)?;
    let b = on_domain(&circuit.b, n, std::iter::empty())?;
    let c = on_domain(&circuit.c, n, std::iter::empty())?;
    let domain = |log_size| quotient::domain::<P::Fr>(reduction, log_size);
    let lagrange = lagrange(engine, &domain(log_size)?, tau)?;
    let at_tau = |matrix: &SparseMatrix<P::Fr>| {
        let mut values = vec![P::Fr::from(0); circuit.signals];
        for (row, column, value) in entries(matrix) {
            values[column] += value * lagrange[row];
        }
        values
    };
    let (a_at_tau, b_at_tau, c_at_tau) = (at_tau(&a), at_tau(&b), at_tau(&c));
    let mut combined: Vec<P::Fr> = (0..circuit.signals)
        .map(|s| secrets.beta * a_at_tau[s] + secrets.alpha * b_at_tau[s] + c_at_tau[s])
        .collect();
    let (of_ic, of_c) = combined.split_at_mut(public + 1);
    of_ic.iter_mut().for_each(|x| *x *= by_gamma);
    of_c.iter_mut().for_each(|x| *x *= by_delta);
    let (of_h, c): (Vec<P::Fr>, _) = match reduction {
        Reduction::Circom => {
            let twice = self::lagrange(engine, &domain(log_size + 1)?, tau)?;
            (twice.iter().skip(1).step_by(2).map(|x| *x * by_delta).collect(), None)
        }
        Reduction::Libsnark => {
            let first = (tau.pow_vartime([n as u64]) - P::Fr::from(1)) * by_delta;
            (std::iter::successors(Some(first), |x| Some(*x * tau)).take(n - 1).collect(), Some(c))
        }
    };

    let first = FixedBase::<P::G1>::new(Curve::generator(), a_at_tau.len() + b_at_tau.len() + of_h.len());
    let second = FixedBase::<P::G2>::new(Curve::generator(), b_at_tau.len());
    let [alpha_g1, beta_g1, delta_g1] = multiples(&first, &[secrets.alpha, secrets.beta, secrets.delta])?[..]
    else {
        unreachable!("three of three")
    };
    let [beta_g2, gamma_g2, delta_g2] =
        multiples(&second, &[secrets.beta, secrets.gamma, secrets.delta])?[..]
    else {
        unreachable!("three of three")
    };
    let key = ProvingKey {
        verifying: VerifyingKey { alpha_g1, beta_g2, gamma_g2, delta_g2, ic: multiples(&first, of_ic)? },
        beta_g1,
        delta_g1,
        a: multiples(&first, &a_at_tau)?,
        b_g1: multiples(&first, &b_at_tau)?,
        b_g2: multiples(&second, &b_at_tau)?,
        c: multiples(&first, of_c)?,
        h: multiples(&first, &of_h)?,
        matrices: Matrices { a, b, c },
        reduction,
    };
    key.check()?;
    Ok(key)
}

/// The entries of a matrix: row, column and value.
fn entries<F: ScalarField>(matrix: &SparseMatrix<F>) -> impl Iterator<Item = (usize, usize, F)> + '_ {
    (0..matrix.rows()).flat_map(|row| {
        matrix.row(row).into_iter().flatten().map(move |(column, value)| (row, column, value))
    })
}

/// A matrix with as many rows as the domain has points, and more entries in those behind.
fn on_domain<F: ScalarField>(
    matrix: &SparseMatrix<F>,
    rows: usize,
    more: impl Iterator<Item = (usize, usize, F)>,
) -> Result<SparseMatrix<F>, EngineError> {
    SparseMatrix::from_entries(rows, matrix.columns(), entries(matrix).chain(more))
}

/// The values at tau of the Lagrange polynomials of a subgroup: (tau^n - 1) / n times w^i / (tau - w^i).
fn lagrange<F: ScalarField>(engine: &Engine, domain: &Domain<F>, tau: F) -> Result<Vec<F>, Error> {
    let n = domain.size() as u64;
    let powers: Vec<F> = std::iter::successors(Some(F::from(1)), |power| Some(*power * domain.root()))
        .take(domain.size())
        .collect();
    let mut values: Vec<F> = powers.iter().map(|power| tau - power).collect();
    if values.contains(&F::from(0)) {
        return Err(EngineError::BadShift.into());
    }
    engine.invert(&mut values)?;
    let scale = (tau.pow_vartime([n]) - F::from(1)) * F::from(n).invert().expect("a power of two");
    values.iter_mut().zip(powers).for_each(|(value, power)| *value *= power * scale);
    Ok(values)
}

/// Points that are made affine together.
const TOGETHER: usize = 1 << 8;

/// The multiples of a point by scalars, in parts side by side.
fn multiples<C: SourceGroup>(base: &FixedBase<C>, scalars: &[<C as Curve>::Scalar]) -> Result<Vec<C>, Error> {
    let parts = scalars.par_chunks(TOGETHER).map(|scalars| base.multiples(scalars));
    Ok(parts.collect::<Result<Vec<_>, _>>()?.concat())
}
