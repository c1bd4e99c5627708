//! Transforms over BN254's scalars on all cores.
//!
//! # Mathematical description
//!
//! The values of a polynomial f at the n-th roots of unity are its remainders modulo x - w^i. Modulo x^n - 1 it is f
//! itself; the remainders modulo x^(m/2) - z and x^(m/2) + z follow from that modulo x^m - z^2 by one layer of butterflies
//! with the single factor z ([`network`]). Block k of a layer has the factor w^(k reversed), whatever the layer, so that one
//! table in bit-reversed order serves them all, and all smaller transforms ([`twiddles`]). Coefficients in natural order
//! become values in bit-reversed order; the same layers backwards take bit-reversed coefficients to natural values. Between
//! equal orders, a permutation in place comes between ([`permute`]).
//!
//! A polynomial of m < n coefficients is its own remainder modulo all x^m - z: the first layers are copies.

mod network;
mod permute;
mod scale;
mod twiddles;

use rayon::prelude::*;

use self::network::Way;
use self::scale::Scale;
use self::twiddles::Twiddles;
use super::residues::{Residues, on_residues};
use super::{Cpu, Simd};
use crate::backend::Fft;
use crate::bn254::{Fr, ScalarModulus, ScalarResidue, residues, residues_mut};
use crate::error::Error;
use crate::ntt::{Direction, Domain, Ntt, Order};

pub(super) use self::twiddles::TwiddleCache;

impl Fft for Cpu {
    fn fft(&self, fft: &Ntt<Fr>, values: &mut [Fr]) -> Result<(), Error> {
        let domain = fft.domain;
        let [root, shift] = [domain.root(), domain.shift()].map(|x| residues(&[x])[0]);
        let one = ScalarResidue::ONE;
        let plain = domain.shift() == residues_one();
        let (root, before, after) = match fft.direction {
            Direction::Forward => (root, Scale { factor: one, ratio: shift }, None),
            Direction::Inverse => {
                let factor = inverse(ScalarResidue::from_integer([domain.size() as u64, 0, 0, 0]));
                let after = Scale { factor, ratio: if plain { one } else { inverse(shift) } };
                (inverse(root), Scale { factor: one, ratio: one }, Some(after))
            }
        };
        let before = (fft.direction == Direction::Forward && !plain).then_some(before);
        let orders = [fft.input_order, fft.output_order];
        on_residues!(level(self.simd, domain.size()), ScalarModulus, R, {
            let twiddles = self.twiddles.get(root, domain.log_size(), R::ROOTS);
            let polynomials = residues_mut(values).par_chunks_mut(domain.size());
            polynomials.for_each(|values| transform::<R>(values, &twiddles, orders, before, after));
        });
        Ok(())
    }

    fn fft_of_padded(
        &self,
        domain: &Domain<Fr>,
        coefficients: &[Fr],
        size: usize,
        values: &mut [Fr],
    ) -> Result<(), Error> {
        let [root, ratio] = [domain.root(), domain.shift()].map(|x| residues(&[x])[0]);
        let scale = Scale { factor: ScalarResidue::ONE, ratio };
        on_residues!(level(self.simd, size), ScalarModulus, R, {
            let twiddles = self.twiddles.get(root, domain.log_size(), R::ROOTS);
            let polynomials = residues(coefficients).par_chunks(size);
            polynomials.zip(residues_mut(values).par_chunks_mut(domain.size())).for_each(
                |(polynomial, values)| {
                    let (first, rest) = values.split_at_mut(size);
                    first.copy_from_slice(polynomial);
                    scale.apply::<R>(first, Order::Natural);
                    rest.par_chunks_mut(size).for_each(|block| block.copy_from_slice(first));
                    values
                        .par_chunks_mut(size)
                        .enumerate()
                        .for_each(|(k, block)| network::run::<R>(block, k, &twiddles, Way::Forward));
                    permute::reverse_bits(values);
                },
            );
        });
        Ok(())
    }
}

/// The level for blocks of a size: small ones are done element by element.
fn level(simd: Simd, size: usize) -> Simd {
    if size < network::LEAST { Simd::Portable } else { simd }
}

/// One polynomial: scaled, transformed, scaled, each if asked.
fn transform<R: Residues<Modulus = ScalarModulus>>(
    values: &mut [ScalarResidue],
    twiddles: &Twiddles,
    orders: [Order; 2],
    before: Option<Scale>,
    after: Option<Scale>,
) {
    if let Some(scale) = before {
        scale.apply::<R>(values, orders[0]);
    }
    match orders {
        [Order::Natural, _] => network::run::<R>(values, 0, twiddles, Way::Forward),
        [Order::BitReversed, _] => network::run::<R>(values, 0, twiddles, Way::Backward),
    }
    if orders[0] == orders[1] {
        permute::reverse_bits(values);
    }
    if let Some(scale) = after {
        scale.apply::<R>(values, orders[1]);
    }
}

fn residues_one() -> Fr {
    use halo2curves::ff::Field;
    Fr::ONE
}

/// The inverse of an element other than zero.
fn inverse(x: ScalarResidue) -> ScalarResidue {
    use halo2curves::ff::Field;
    let inverse = crate::bn254::scalar_of_residue(x).invert().expect("roots, shifts and sizes are not zero");
    residues(&[inverse])[0]
}
