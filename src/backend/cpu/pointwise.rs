//! Products of vectors, element by element, over prime fields.
//!
//! A product is divided by 2^(2 `SHIFT`) beyond the Montgomery factor ([`residues`](super::residues)), so both factors are taken times
//! 2^`SHIFT`.

use std::marker::PhantomData;

use super::Cpu;
use super::quadwords::MAX_WIDTH;
use super::residues::{Residues, load, on_residues};
use super::simd::Vectorised;
use crate::backend::Pointwise;
use crate::error::Error;
use crate::field::MontgomeryField;
use crate::field::montgomery::Residue;
use crate::field::prime::{residues, residues_mut};
use crate::parallel::for_each_chunk;

/// Elements that a thread takes at a time: those of four vectors take 512 KiB.
const PIECE: usize = 1 << 12;

impl<F: MontgomeryField> Pointwise<F> for Cpu {
    fn multiply(&self, a: &mut [F], b: &[F], c: Option<&[F]>) -> Result<(), Error> {
        let (a, b, c) = (residues_mut(a), residues(b), c.map(residues));
        on_residues!(self.simd, F, vectors, {
            for_each_chunk(a, PIECE, |number, a| {
                let range = number * PIECE..number * PIECE + a.len();
                enter(vectors, a, &b[range.clone()], c.map(|c| &c[range]));
            });
        });
        Ok(())
    }
}

fn enter<R: Residues>(
    _: PhantomData<R>,
    a: &mut [Residue<R::Field>],
    b: &[Residue<R::Field>],
    c: Option<&[Residue<R::Field>]>,
) {
    R::enter(Piece::<R> { a, b, c });
}

/// A piece of the vectors, of one length.
struct Piece<'a, R: Residues> {
    a: &'a mut [Residue<R::Field>],
    b: &'a [Residue<R::Field>],
    c: Option<&'a [Residue<R::Field>]>,
}

impl<R: Residues> Vectorised<R> for Piece<'_, R> {
    #[inline(always)]
    fn run(self) {
        let Self { a, b, c } = self;
        let zeros = R::gather([&Residue::ZERO; MAX_WIDTH]);
        let whole = a.len() / R::WIDTH * R::WIDTH;
        for start in (0..whole).step_by(R::WIDTH) {
            let x = R::shifted_difference(load::<R>(&a[start..], 1), zeros);
            let y = R::shifted_difference(load::<R>(&b[start..], 1), zeros);
            let mut product = R::product(x, y);
            if let Some(c) = c {
                product = R::minus(product, load::<R>(&c[start..], 1));
            }
            let rows = R::rows(R::canonical(R::reduced(product)));
            for (a, row) in a[start..][..R::WIDTH].iter_mut().zip(rows) {
                *a = row;
            }
        }
        for i in whole..a.len() {
            let product = a[i].mul(b[i]);
            let difference = c.map_or(product, |c| product.sub(c[i]));
            a[i] = Residue::from_montgomery(difference.canonical());
        }
    }
}
