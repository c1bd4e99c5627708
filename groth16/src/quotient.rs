//! The scalars of the points of H: sparse products, transforms, and what is done point by point.
//!
//! # Mathematical description
//!
//! Let w be the witness, n the number of points of the domain, and a, b, c the polynomials of degree below n with the values A w, B w and C w on the
//! subgroup of order n. The constraints hold if and only if x^n - 1 divides a b - c.
//!
//! *Circom.* There is no matrix C: c has the values (A w) (B w), point by point. The scalars are the values of a b - c on the coset by a root of unity of
//! order 2n. There x^n - 1 is -2 everywhere, so nothing is divided; the key has the points of H on the Lagrange basis of the subgroup of order 2n,
//! of which the coset is the points with odd indices, and a b - c is 0 at the others. Six transforms. For n = 2^28 there is no root of order 2n, and snarkjs
//! takes the coset by 25.
//!
//! *Libsnark.* The scalars are the coefficients of h = (a b - c) / (x^n - 1), made of values on the coset by the field's generator, 5. Seven transforms.
//!
//! The root of unity is the key's: that of snarkjs (ffjavascript) and arkworks, powers of 5, whatever the library beneath has for its own.

use halo2curves::ff::Field;
use rayon::prelude::*;
use zkaccel::bn254::Fr;
use zkaccel::ntt::{Domain, Ntt, Order};
use zkaccel::{Engine, Error};

use crate::key::{Matrices, Reduction};

/// Points that one thread takes at once, at least.
const POINTS: usize = 1 << 12;

/// The domain of a key: the subgroup of order 2^`log_size`.
pub(crate) fn domain(log_size: u32) -> Result<Domain<Fr>, Error> {
    Domain::arkworks(log_size)
}

/// The shift of the coset on which keys of snarkjs have H.
pub(crate) fn shift_of_circom(log_size: u32) -> Fr {
    match domain(log_size + 1) {
        Ok(twice) => twice.root(),
        Err(_) => Fr::from(25),
    }
}

/// The scalars of the points of H, as many as there are.
pub(crate) fn scalars_of_h(
    engine: &Engine,
    reduction: Reduction,
    matrices: &Matrices,
    witness: &[Fr],
) -> Result<Vec<Fr>, Error> {
    let n = matrices.a.rows();
    let domain = domain(n.ilog2())?;
    // a, b and c, one after another.
    let mut values = vec![Fr::ZERO; 3 * n];
    {
        let (a, rest) = values.split_at_mut(n);
        let (b, c) = rest.split_at_mut(n);
        matrices.a.multiply(witness, a);
        matrices.b.multiply(witness, b);
        match &matrices.c {
            Some(matrix) => matrix.multiply(witness, c),
            None => point_by_point(c, a, b, |c, a, b| *c = a * b),
        }
    }
    let shift = match reduction {
        Reduction::Circom => shift_of_circom(n.ilog2()),
        Reduction::Libsnark => Fr::from(5),
    };
    let coset = domain.coset(shift)?;
    // Between the two the order of the coefficients does not matter.
    let to_coefficients = Ntt::inverse(domain).with_orders(Order::Natural, Order::BitReversed);
    let to_coset = Ntt::forward(coset).with_orders(Order::BitReversed, Order::Natural);
    engine.ntt(&to_coefficients, &mut values)?;
    engine.ntt(&to_coset, &mut values)?;
    let (h, rest) = values.split_at_mut(n);
    let (b, c) = rest.split_at(n);
    point_by_point(h, b, c, |h, b, c| *h = *h * b - c);
    values.truncate(n);
    if reduction == Reduction::Libsnark {
        let vanishing = shift.pow_vartime([n as u64]) - Fr::ONE;
        let scale = vanishing.invert().expect("the coset is apart from the subgroup");
        values.par_iter_mut().with_min_len(POINTS).for_each(|value| *value *= scale);
        engine.ntt(&Ntt::inverse(coset), &mut values)?;
        // The degree is n - 2 at most.
        values.truncate(n - 1);
    }
    Ok(values)
}

fn point_by_point(into: &mut [Fr], first: &[Fr], second: &[Fr], each: impl Fn(&mut Fr, Fr, Fr) + Sync) {
    let triples = into.par_iter_mut().zip(first).zip(second).with_min_len(POINTS);
    triples.for_each(|((into, &first), &second)| each(into, first, second));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::integer;
    use crate::sparse::SparseMatrix;

    /// The value at x of the polynomial of degree below n with these values on the subgroup, or with these coefficients.
    fn at(x: Fr, values: &[Fr], engine: &Engine) -> Fr {
        let mut coefficients = values.to_vec();
        engine.ntt(&Ntt::inverse(domain(values.len().ilog2()).unwrap()), &mut coefficients).unwrap();
        horner(x, &coefficients)
    }

    fn horner(x: Fr, coefficients: &[Fr]) -> Fr {
        coefficients.iter().rev().fold(Fr::ZERO, |sum, coefficient| sum * x + coefficient)
    }

    /// a b - c = h (x^n - 1), as polynomials, and the values of a b - c on the coset.
    #[test]
    fn quotients() {
        let engine = Engine::builder().threads(1).device("cpu".parse().unwrap()).build().unwrap();
        let n = 16;
        // Constraints w_i w_(i + 1) = w_(i + 2), with factors.
        let of = |offset: u32, factor: u64| {
            let entries = move || (0..n as u32 - 2).map(move |i| (i, i + offset, Fr::from(factor)));
            SparseMatrix::new(n, entries)
        };
        let (a, b, c) = (of(0, 3), of(1, 5), of(2, 15));
        let mut witness = vec![Fr::from(7), Fr::from(11)];
        for i in 0..n - 2 {
            witness.push(witness[i] * witness[i + 1]);
        }
        let products = [&a, &b, &c].map(|matrix| {
            let mut product = vec![Fr::ZERO; n];
            matrix.multiply(&witness, &mut product);
            product
        });
        let difference = |x: Fr| {
            let [a, b, c] = [0, 1, 2].map(|i| at(x, &products[i], &engine));
            a * b - c
        };
        let x = Fr::from(0xabcdef);

        let matrices = Matrices { a: a.clone(), b: b.clone(), c: Some(c) };
        let h = scalars_of_h(&engine, Reduction::Libsnark, &matrices, &witness).unwrap();
        assert_eq!(h.len(), n - 1);
        assert_eq!(horner(x, &h) * (x.pow_vartime([n as u64]) - Fr::ONE), difference(x));

        let h =
            scalars_of_h(&engine, Reduction::Circom, &Matrices { c: None, ..matrices }, &witness).unwrap();
        let root = domain(n.ilog2() + 1).unwrap().root();
        let coset = (0..n as u64).map(|i| root.pow_vartime([2 * i + 1]));
        assert_eq!(h, coset.map(difference).collect::<Vec<_>>());
    }

    /// ffjavascript's w[28] and the roots that follow from it.
    #[test]
    fn roots_are_those_of_snarkjs() {
        let largest = [0x9bd61b6e725b19f0, 0x402d111e41112ed4, 0x00e0a7eb8ef62abc, 0x2a3c09f0a58a7e85];
        assert_eq!(integer(&domain(28).unwrap().root()), largest);
        assert_eq!(shift_of_circom(27), domain(28).unwrap().root());
        assert_eq!(shift_of_circom(3).square(), domain(3).unwrap().root());
        assert_eq!(shift_of_circom(28), Fr::from(5).square());
    }
}
