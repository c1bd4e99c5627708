//! The scalars of the points of H: sparse products, transforms, and what is done point by point.
//!
//! # Mathematical description
//!
//! Let w be the witness, n the number of points of the domain, and a, b, c the polynomials of degree below n with the values A w, B w and C w on the
//! subgroup of order n. The constraints hold if and only if x^n - 1 divides a b - c.
//!
//! *Circom.* There is no matrix C: c has the values (A w) (B w), point by point. The scalars are the values of a b - c on the coset by a root of unity of
//! order 2n. There x^n - 1 is -2 everywhere, so nothing is divided; the key has the points of H on the Lagrange basis of the subgroup of order 2n,
//! of which the coset is the points with odd indices, and a b - c is 0 at the others. Six transforms. For n = 2^S, 2^28 over BN254, there is no root of order 2n,
//! and snarkjs takes the coset by the square of its generator, which is 25.
//!
//! *Libsnark.* The scalars are the coefficients of h = (a b - c) / (x^n - 1), made of values on the coset by arkworks' generator g. There x^n - 1 is
//! g^n - 1 everywhere: sums over the points of H are divided by it, and not every scalar. Seven transforms.
//!
//! The root of unity is the key's: that of snarkjs for the one kind, that of arkworks for the other ([`pairing`](crate::pairing)).

use halo2curves::ff::PrimeField;
use zkaccel::ntt::{Domain, Ntt, Order};
use zkaccel::{Engine, Error};

use crate::key::{KeptMatrices, Reduction};
use crate::numbers::integer;
use crate::pairing::{Pairing, ScalarField};
use crate::vectors::Vector;

/// The integer whose power is the root of unity of a kind of keys.
fn generator<P: Pairing>(reduction: Reduction) -> u64 {
    match reduction {
        Reduction::Circom => P::SNARKJS_GENERATOR,
        Reduction::Libsnark => P::ARKWORKS_GENERATOR,
    }
}

/// The root of unity of order 2^S that is a power of a generator, by (r - 1) / 2^S.
fn largest_root<F: PrimeField>(generator: u64) -> F {
    let odd_part: F = -F::from(1 << F::S).invert().expect("2 is not zero");
    F::from(generator).pow_vartime(integer(&odd_part))
}

/// The domain of a key: the subgroup of order 2^`log_size`.
pub(crate) fn domain<F: ScalarField>(reduction: Reduction, log_size: u32) -> Result<Domain<F>, Error> {
    Domain::of_root(log_size, largest_root(generator::<F::Pairing>(reduction)))
}

/// The shift of the coset on which the quotient is computed.
fn shift<F: ScalarField>(reduction: Reduction, log_size: u32) -> F {
    match reduction {
        Reduction::Circom => match domain(reduction, log_size + 1) {
            Ok(twice) => twice.root(),
            Err(_) => F::from(F::Pairing::SNARKJS_GENERATOR).square(),
        },
        Reduction::Libsnark => F::from(F::Pairing::ARKWORKS_GENERATOR),
    }
}

/// What the sum of the points of H times the scalars is multiplied with.
pub(crate) fn factor<F: ScalarField>(reduction: Reduction, log_size: u32) -> F {
    match reduction {
        Reduction::Circom => F::from(1),
        Reduction::Libsnark => {
            let vanishing = shift::<F>(reduction, log_size).pow_vartime([1 << log_size]) - F::from(1);
            vanishing.invert().expect("the coset is apart from the subgroup")
        }
    }
}

/// The scalars of the points of H, up to the [`factor`], as many as the domain has points; in arkworks' reduction the last one is 0.
pub(crate) fn scalars_of_h<P: Pairing, V: Vector<P::Fr>>(
    engine: &Engine,
    reduction: Reduction,
    matrices: &KeptMatrices<P>,
    witness: &V,
) -> Result<V, Error> {
    let domain = domain::<P::Fr>(reduction, matrices.log_size())?;
    let coset = domain.coset(shift(reduction, domain.log_size()))?;
    // Between the two the order of the coefficients does not matter.
    let to_coefficients = Ntt::inverse(domain).with_orders(Order::Natural, Order::BitReversed);
    let to_coset = Ntt::forward(coset).with_orders(Order::BitReversed, Order::Natural);
    let on_coset = |mut values: V| {
        values.transform(engine, &to_coefficients)?;
        values.transform(engine, &to_coset)?;
        Ok::<V, Error>(values)
    };
    let a = witness.product(engine, &matrices.a)?;
    let b = witness.product(engine, &matrices.b)?;
    let c = match &matrices.c {
        Some(matrix) => witness.product(engine, matrix)?,
        None => {
            let mut c = a.clone();
            engine.multiply(&mut c, &b)?;
            c
        }
    };
    let (mut h, b, c) = (on_coset(a)?, on_coset(b)?, on_coset(c)?);
    engine.multiply_subtract(&mut h, &b, &c)?;
    if reduction == Reduction::Libsnark {
        h.transform(engine, &Ntt::inverse(coset))?;
    }
    Ok(h)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Matrices;
    use crate::pairing::{Bls12_381, Bn254};
    use halo2curves::bls12381;
    use halo2curves::bn256::Fr;
    use halo2curves::ff::Field;
    use zkaccel::sparse::SparseMatrix;

    /// The value at x of the polynomial of degree below n with these values on the subgroup of a reduction.
    fn at<F: ScalarField>(x: F, values: &[F], reduction: Reduction, engine: &Engine) -> F {
        let mut coefficients = values.to_vec();
        let domain = domain(reduction, values.len().ilog2()).unwrap();
        engine.ntt(&Ntt::inverse(domain), &mut coefficients).unwrap();
        horner(x, &coefficients)
    }

    fn horner<F: ScalarField>(x: F, coefficients: &[F]) -> F {
        coefficients.iter().rev().fold(F::from(0), |sum, coefficient| sum * x + coefficient)
    }

    #[test]
    fn quotients() {
        quotients_of::<Bn254>();
        quotients_of::<Bls12_381>();
    }

    /// a b - c = h (x^n - 1), as polynomials, and the values of a b - c on the coset.
    fn quotients_of<P: Pairing>() {
        let engine = Engine::builder().threads(1).device("cpu".parse().unwrap()).build().unwrap();
        let n = 16;
        // Constraints w_i w_(i + 1) = w_(i + 2), with factors.
        let of = |offset: usize, factor: u64| {
            let entries = (0..n - 2).map(|i| (i, i + offset, P::Fr::from(factor)));
            SparseMatrix::from_entries(n, n, entries).unwrap()
        };
        let (a, b, c) = (of(0, 3), of(1, 5), of(2, 15));
        let mut witness = vec![P::Fr::from(7), P::Fr::from(11)];
        for i in 0..n - 2 {
            witness.push(witness[i] * witness[i + 1]);
        }
        let products = [&a, &b, &c].map(|matrix| {
            let row = |i| matrix.row(i).unwrap().map(|(column, value)| value * witness[column]).sum();
            (0..n).map(row).collect::<Vec<P::Fr>>()
        });
        let difference = |x: P::Fr, reduction| {
            let [a, b, c] = [0, 1, 2].map(|i| at(x, &products[i], reduction, &engine));
            a * b - c
        };
        let x = P::Fr::from(0xabcdef);

        let kept = |c| Matrices::<P> { a: a.clone(), b: b.clone(), c }.keep(&engine).unwrap();
        let h = scalars_of_h(&engine, Reduction::Libsnark, &kept(Some(c)), &witness).unwrap();
        assert_eq!(h[n - 1], P::Fr::from(0));
        let factor: P::Fr = factor(Reduction::Libsnark, n.ilog2());
        let vanishing = x.pow_vartime([n as u64]) - P::Fr::from(1);
        assert_eq!(horner(x, &h) * factor * vanishing, difference(x, Reduction::Libsnark));

        let h = scalars_of_h(&engine, Reduction::Circom, &kept(None), &witness).unwrap();
        let root = domain::<P::Fr>(Reduction::Circom, n.ilog2() + 1).unwrap().root();
        let coset = (0..n as u64).map(|i| root.pow_vartime([2 * i + 1]));
        assert_eq!(h, coset.map(|x| difference(x, Reduction::Circom)).collect::<Vec<_>>());
        assert_eq!(super::factor::<P::Fr>(Reduction::Circom, n.ilog2()), P::Fr::from(1));
    }

    /// ffjavascript's w[28] and the roots that follow from it, which are arkworks' too.
    #[test]
    fn roots_are_those_of_snarkjs() {
        let largest = [0x9bd61b6e725b19f0, 0x402d111e41112ed4, 0x00e0a7eb8ef62abc, 0x2a3c09f0a58a7e85];
        let shift = |log_size| super::shift::<Fr>(Reduction::Circom, log_size);
        for reduction in [Reduction::Circom, Reduction::Libsnark] {
            let domain = |log_size| domain::<Fr>(reduction, log_size).unwrap();
            assert_eq!(integer(&domain(28).root()), largest);
            assert_eq!(shift(27), domain(28).root());
            assert_eq!(shift(3).square(), domain(3).root());
            assert_eq!(domain(5), Domain::arkworks(5).unwrap());
        }
        assert_eq!(shift(28), Fr::from(25));
        assert_eq!(super::shift::<Fr>(Reduction::Libsnark, 3), Fr::from(5));
        let error = domain::<Fr>(Reduction::Circom, 29).unwrap_err();
        assert_eq!(error, Error::DomainTooLarge { log_size: 29, limit: 28 });
    }

    /// Over BLS12-381 the two disagree: ffjavascript's w[32], of the least integer that is no square, and arkworks' root.
    #[test]
    fn roots_over_bls12_381() {
        type F = bls12381::Fr;
        let is_square = |x: u64| F::from(x).pow_vartime(integer(&(-F::ONE * F::from(2).invert().unwrap())));
        // The exponent is (r - 1) / 2.
        assert!((2..5).all(|x| is_square(x) == F::ONE) && is_square(5) == -F::ONE);
        for (reduction, largest) in [
            (
                Reduction::Circom,
                [0x1b788f500b912f1f, 0xc4024ff270b3e094, 0x0fd56dc8d168d6c0, 0x0212d79e5b416b6f],
            ),
            (
                Reduction::Libsnark,
                [0x3829971f439f0d2b, 0xb63683508c2280b9, 0xd09b681922c813b4, 0x16a2a19edfe81f20],
            ),
        ] {
            let domain = |log_size| domain::<F>(reduction, log_size).unwrap();
            assert_eq!(integer(&domain(32).root()), largest);
            assert_eq!(domain(32).root().pow_vartime([1 << 31]), -F::ONE);
            assert_eq!(domain(5) == Domain::arkworks(5).unwrap(), reduction == Reduction::Libsnark);
        }
        let shift = |log_size| super::shift::<F>(Reduction::Circom, log_size);
        assert_eq!(shift(31), domain::<F>(Reduction::Circom, 32).unwrap().root());
        assert_eq!(shift(32), F::from(25));
        assert_eq!(super::shift::<F>(Reduction::Libsnark, 3), F::from(7));
    }
}
