//! Inverses over prime fields: chains of lazy residues, side by side.
//!
//! Products are divided by powers of 2 ([`residues`](crate::backend::cpu::residues)), in both directions alike: with z = 2^(2 `SHIFT`), P_0 = z and
//! P_i = P_(i-1) x_i / z, the product of 1 / P_i with P_(i-1), divided by z, is 1 / x_i, and its product with x_i, divided by z, is 1 / P_(i-1).
//! So nothing is to be corrected, and z is what stands for zeros.

use std::marker::PhantomData;

use super::in_pieces;
use crate::backend::cpu::Cpu;
use crate::backend::cpu::quadwords::MAX_WIDTH;
use crate::backend::cpu::residues::{Residues, on_residues};
use crate::backend::cpu::simd::Vectorised;
use crate::backend::{BaseField, Inversion};
use crate::checks;
use crate::error::Error;
use crate::field::coordinates::LazyElement;
use crate::field::montgomery::Residue;
use crate::field::prime::residues_mut;
use crate::field::{MontgomeryField, TwoAdic};

/// The most vectors of chains.
const CHAINS: usize = 2;

/// Elements of a piece: with their products they take 288 KiB.
const PIECE: usize = 1 << 12;

impl<F: MontgomeryField + TwoAdic + BaseField> Inversion<F> for Cpu {
    fn invert(&self, elements: &mut [F], unchecked: bool) -> Result<(), Error> {
        checks::if_unchecked(elements, unchecked)?;
        on_residues!(self.simd, F, residues, {
            in_pieces(residues_mut(elements), PIECE, |elements, products| {
                enter(residues, elements, products)
            });
        });
        Ok(())
    }
}

fn enter<R: Residues<Field: TwoAdic>>(
    _: PhantomData<R>,
    elements: &mut [Residue<R::Field>],
    products: &mut Vec<R::Factor>,
) {
    R::enter(Piece::<R> { elements, products });
}

/// A piece of elements.
struct Piece<'a, R: Residues> {
    elements: &'a mut [Residue<R::Field>],
    products: &'a mut Vec<R::Factor>,
}

impl<R: Residues<Field: TwoAdic>> Vectorised<R> for Piece<'_, R> {
    #[inline(always)]
    fn run(self) {
        // Products of vectors wait for each other; one of residues alone fills the processor.
        let (width, count) = (R::WIDTH, if R::WIDTH == 1 { 1 } else { CHAINS });
        let row = count * width;
        let (elements, rest) = self.elements.split_at_mut(self.elements.len() / row * row);
        let one = Residue::from_word(1 << (2 * R::SHIFT));
        let mut chains = [R::splat(one); CHAINS];
        self.products.resize(elements.len() / width, chains[0]);
        for (elements, products) in elements.chunks_exact(row).zip(self.products.chunks_exact_mut(count)) {
            for i in 0..count {
                products[i] = chains[i];
                let x = factors::<R>(&elements[i * width..], &one);
                chains[i] = R::of_product(R::product(chains[i], x));
            }
        }
        let mut ends = Vec::with_capacity(row + rest.len());
        for chain in &chains[..count] {
            ends.extend(R::rows_of_factors(*chain)[..width].iter().copied());
        }
        ends.extend_from_slice(rest);
        Residue::invert_all(&mut ends);
        for (x, inverse) in rest.iter_mut().zip(&ends[row..]) {
            *x = Residue::from_montgomery(inverse.canonical());
        }
        for (chain, ends) in chains.iter_mut().zip(ends[..row].chunks_exact(width)) {
            *chain = factors::<R>(ends, &one);
        }
        for (elements, products) in
            elements.chunks_exact_mut(row).zip(self.products.chunks_exact(count)).rev()
        {
            for i in 0..count {
                let elements = &mut elements[i * width..][..width];
                let x = factors::<R>(elements, &one);
                let inverses = R::rows(R::canonical(R::reduced(R::product(chains[i], products[i]))));
                chains[i] = R::of_product(R::product(chains[i], x));
                for lane in 0..width {
                    let zero = elements[lane].has_no_bits();
                    elements[lane] = if zero { Residue::ZERO } else { inverses[lane] };
                }
            }
        }
    }
}

/// A vector of elements below p, of which zeros are replaced.
#[inline(always)]
fn factors<R: Residues>(elements: &[Residue<R::Field>], one: &Residue<R::Field>) -> R::Factor {
    let mut rows = [one; MAX_WIDTH];
    for lane in 0..R::WIDTH {
        let x = &elements[lane];
        rows[lane] = if x.has_no_bits() { one } else { x };
    }
    R::factors(rows)
}
