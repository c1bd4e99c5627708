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
mod twiddles;

use rayon::prelude::*;

use self::twiddles::Twiddles;
use super::Cpu;
use crate::backend::Fft;
use crate::bn254::{Fr, ScalarResidue, residues, residues_mut};
use crate::error::Error;
use crate::ntt::{Direction, Domain, Ntt, Order};

pub(super) use self::twiddles::TwiddleCache;

/// Scalars that one thread scales at a time.
const PIECE: usize = 1 << 12;

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
        let twiddles = self.twiddles.get(root, domain.log_size());
        let values = residues_mut(values);
        values.par_chunks_mut(domain.size()).for_each(|values| {
            transform(values, &twiddles, [fft.input_order, fft.output_order], before, after);
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
        let twiddles = self.twiddles.get(root, domain.log_size());
        let polynomials = residues(coefficients).par_chunks(size);
        polynomials.zip(residues_mut(values).par_chunks_mut(domain.size())).for_each(
            |(polynomial, values)| {
                let (first, rest) = values.split_at_mut(size);
                first.copy_from_slice(polynomial);
                scale.apply(first, Order::Natural);
                rest.par_chunks_mut(size).for_each(|block| block.copy_from_slice(first));
                values
                    .par_chunks_mut(size)
                    .enumerate()
                    .for_each(|(k, block)| network::forward(block, k, &twiddles));
                permute::reverse_bits(values);
            },
        );
        Ok(())
    }
}

/// One polynomial: scaled, transformed, scaled, each if asked.
fn transform(
    values: &mut [ScalarResidue],
    twiddles: &Twiddles,
    orders: [Order; 2],
    before: Option<Scale>,
    after: Option<Scale>,
) {
    if let Some(scale) = before {
        scale.apply(values, orders[0]);
    }
    match orders {
        [Order::Natural, _] => network::forward(values, 0, twiddles),
        [Order::BitReversed, _] => network::backward(values, 0, twiddles),
    }
    if orders[0] == orders[1] {
        permute::reverse_bits(values);
    }
    if let Some(scale) = after {
        scale.apply(values, orders[1]);
    }
}

/// The factors c, c r, c r^2, ... .
#[derive(Clone, Copy)]
struct Scale {
    factor: ScalarResidue,
    ratio: ScalarResidue,
}

impl Scale {
    /// Multiplies the entry with number i by c r^i. What comes out is reduced.
    fn apply(self, values: &mut [ScalarResidue], order: Order) {
        let Self { factor, ratio } = self;
        let constant = ratio.canonical() == ScalarResidue::ONE.canonical();
        let log_size = values.len().trailing_zeros();
        match order {
            _ if constant => values.par_iter_mut().with_min_len(PIECE).for_each(|value| {
                *value = ScalarResidue::from_montgomery(value.mul(factor).canonical());
            }),
            Order::Natural => values.par_chunks_mut(PIECE).enumerate().for_each(|(i, piece)| {
                let mut power = factor.mul(ratio.pow(&[(i * PIECE) as u64]));
                for value in piece {
                    *value = ScalarResidue::from_montgomery(value.mul(power).canonical());
                    power = power.mul(ratio);
                }
            }),
            // Entry number i stands at i reversed: a bit of the place is a power of the ratio.
            Order::BitReversed => {
                let mut squares = vec![ratio];
                squares.extend((1..log_size).scan(ratio, |power, _| {
                    *power = power.square();
                    Some(*power)
                }));
                values.par_chunks_mut(PIECE).enumerate().for_each(|(i, piece)| {
                    let first = i * PIECE;
                    let product = |bits: u32, place: usize| {
                        (0..bits)
                            .filter(|bit| place >> bit & 1 == 1)
                            .fold(factor, |power, bit| power.mul(squares[(log_size - 1 - bit) as usize]))
                    };
                    // Counting up flips 1...1 at the end: the powers of all lower bits, by doubling the table.
                    let mut powers = vec![product(log_size, first)];
                    for bit in 0..piece.len().trailing_zeros() {
                        let square = squares[(log_size - 1 - bit) as usize];
                        let upper: Vec<_> = powers.iter().map(|power| power.mul(square)).collect();
                        powers.extend(upper);
                    }
                    for (value, power) in piece.iter_mut().zip(powers) {
                        *value = ScalarResidue::from_montgomery(value.mul(power).canonical());
                    }
                });
            }
        }
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
