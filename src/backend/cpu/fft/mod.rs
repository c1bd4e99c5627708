//! Transforms over prime fields in Montgomery form on all cores.
//!
//! # Mathematical description
//!
//! The values of a polynomial f at the n-th roots of unity are its remainders modulo x - w^i. Modulo x^n - 1 it is f
//! itself; the remainders modulo x^(m/2) - z and x^(m/2) + z follow from that modulo x^m - z^2 by one layer of butterflies
//! with the single twiddle z ([`butterflies`]). Block k of a layer has the twiddle w^(k reversed), whatever the layer, so that one
//! table in bit-reversed order serves them all, and all smaller transforms ([`twiddles`]). Coefficients in natural order
//! become values in bit-reversed order (decimation in time); the layers of decimation in frequency, smaller blocks first, take bit-reversed
//! coefficients to values in natural order. Between equal orders, a permutation in place follows ([`permute`]).
//!
//! A polynomial of m < n coefficients is its own remainder modulo all x^m - z: the first layers are copies.

mod butterflies;
mod permute;
mod scale;
#[cfg(test)]
mod tests;
mod twiddles;

use std::marker::PhantomData;

use self::butterflies::Butterflies;
use self::scale::Scale;
use self::twiddles::Twiddles;
use super::residues::{Residues, TwiddleForm, on_residues};
use super::{Cpu, Simd};
use crate::backend::{BaseField, Transforms};
use crate::checks;
use crate::error::Error;
use crate::field::coordinates::LazyElement;
use crate::field::montgomery::{Modulus, Residue};
use crate::field::prime::{residues, residues_mut};
use crate::field::{MontgomeryField, TwoAdic};
use crate::meter::Meter;
use crate::ntt::{Direction, Domain, Ntt, Order};
use crate::parallel::for_each_chunk;

pub(super) use self::twiddles::TwiddleCache;

impl<F: MontgomeryField + TwoAdic + BaseField> Transforms<F> for Cpu {
    /// In place: one or more polynomials, one after another.
    fn ntt(&self, ntt: &Ntt<F>, values: &mut [F], width: usize) -> Result<(), Error> {
        self.ntt_checked(ntt, values, width, false, &Meter::silent())
    }

    fn ntt_checked(
        &self,
        ntt: &Ntt<F>,
        values: &mut [F],
        width: usize,
        unchecked: bool,
        meter: &Meter<'_>,
    ) -> Result<(), Error> {
        assert!(width == 1, "columns one after another");
        checks::if_unchecked(values, unchecked)?;
        let meter = &meter.of(values.len() * ntt.domain.log_size() as usize);
        let domain = ntt.domain;
        let [root, shift] = [domain.root(), domain.shift()].map(Residue::of);
        let one = Residue::ONE;
        let plain = domain.shift() == <F as TwoAdic>::ONE;
        let (root, before, after) = match ntt.direction {
            Direction::Forward => (root, (!plain).then_some(Scale { factor: one, ratio: shift }), None),
            Direction::Inverse => {
                let factor = inverse(Residue::from_word(domain.size() as u64));
                let ratio = if plain { one } else { inverse(shift) };
                (inverse(root), None, Some(Scale { factor, ratio }))
            }
        };
        let polynomial = Polynomial { orders: [ntt.input_order, ntt.output_order], before, after };
        on_residues!(level(self.simd, domain.size()), F, residues, {
            let twiddles = self.twiddles.get(root, domain.log_size(), twiddle_form(residues));
            for_each_chunk(residues_mut(values), domain.size(), |_, values| {
                polynomial.transform(residues, values, &twiddles, meter);
            });
        });
        Ok(())
    }

    fn evaluate(
        &self,
        domain: &Domain<F>,
        order: Order,
        coefficients: &[F],
        (size, width): (usize, usize),
        values: &mut [F],
    ) -> Result<(), Error> {
        assert!(width == 1, "columns one after another");
        let [root, ratio] = [domain.root(), domain.shift()].map(Residue::of);
        let scale = Scale { factor: Residue::ONE, ratio };
        let coefficients = residues(coefficients);
        on_residues!(level(self.simd, size), F, residues, {
            let twiddles = self.twiddles.get(root, domain.log_size(), twiddle_form(residues));
            for_each_chunk(residues_mut(values), domain.size(), |number, values| {
                let polynomial = &coefficients[number * size..][..size];
                padded(residues, polynomial, (values, order), &twiddles, scale);
            });
        });
        Ok(())
    }
}

/// How an implementation has twiddles.
fn twiddle_form<R: Residues>(_: PhantomData<R>) -> TwiddleForm {
    R::TWIDDLES
}

/// The level for blocks of a size: small ones are done element by element.
fn level(simd: Simd, size: usize) -> Simd {
    if size < butterflies::LEAST { Simd::Portable } else { simd }
}

/// What is done with each polynomial: it is scaled, transformed, scaled, each if asked.
struct Polynomial<F: Modulus> {
    orders: [Order; 2],
    before: Option<Scale<F>>,
    after: Option<Scale<F>>,
}

impl<F: MontgomeryField> Polynomial<F> {
    fn transform<R: Residues<Field = F>>(
        &self,
        _: PhantomData<R>,
        values: &mut [Residue<F>],
        twiddles: &Twiddles,
        meter: &Meter<'_>,
    ) {
        let orders = self.orders;
        if let Some(scale) = self.before {
            scale.apply::<R>(values, orders[0]);
        }
        match orders {
            [Order::Natural, _] => {
                butterflies::run::<R>(values, 0, twiddles, Butterflies::CooleyTukey, meter)
            }
            [Order::BitReversed, _] => {
                butterflies::run::<R>(values, 0, twiddles, Butterflies::GentlemanSande, meter)
            }
        }
        if orders[0] == orders[1] {
            permute::reverse_bits(values);
        }
        if let Some(scale) = self.after {
            scale.apply::<R>(values, orders[1]);
        }
    }
}

/// The values, in an order, of a polynomial of fewer coefficients.
fn padded<R: Residues>(
    _: PhantomData<R>,
    polynomial: &[Residue<R::Field>],
    (values, order): (&mut [Residue<R::Field>], Order),
    twiddles: &Twiddles,
    scale: Scale<R::Field>,
) {
    let size = polynomial.len();
    let (first, rest) = values.split_at_mut(size);
    first.copy_from_slice(polynomial);
    scale.apply::<R>(first, Order::Natural);
    for_each_chunk(rest, size, |_, block| block.copy_from_slice(first));
    for_each_chunk(values, size, |k, block| {
        butterflies::run::<R>(block, k, twiddles, Butterflies::CooleyTukey, &Meter::silent());
    });
    if order == Order::Natural {
        permute::reverse_bits(values);
    }
}

/// The inverse of an element other than zero.
fn inverse<F: MontgomeryField>(x: Residue<F>) -> Residue<F> {
    x.inverse().expect("roots, shifts and sizes are not zero")
}
