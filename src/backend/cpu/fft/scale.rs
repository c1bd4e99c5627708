//! Products of all elements with the powers of a number: shifts of cosets and what an inverse transform divides by.

use super::butterflies::store;
use crate::backend::cpu::quadwords::MAX_WIDTH;
use crate::backend::cpu::residues::{Residues, load};
use crate::backend::cpu::simd::Vectorised;
use crate::field::MontgomeryField;
use crate::field::coordinates::LazyElement;
use crate::field::montgomery::{Limbs, Modulus, Residue};
use crate::ntt::Order;
use crate::parallel::for_each_chunk;

/// Scalars that one thread scales at a time.
const PIECE: usize = 1 << 12;

/// The factors c, c r, c r^2, ... .
#[derive(Clone, Copy)]
pub(super) struct Scale<F: Modulus> {
    pub(super) factor: Residue<F>,
    pub(super) ratio: Residue<F>,
}

impl<F: MontgomeryField> Scale<F> {
    /// Multiplies element number i by c r^i. What comes out is reduced. There are whole vectors of elements.
    pub(super) fn apply<R: Residues<Field = F>>(self, values: &mut [Residue<F>], order: Order) {
        let ratio = self.ratio;
        // What products with the factors lack.
        let factor = self.factor.mul(Residue::from_word(1 << (2 * R::SHIFT)));
        let constant = ratio.canonical() == Residue::<F>::ONE.canonical();
        match order {
            _ if constant => {
                let twiddle = R::TWIDDLES.limbs(self.factor);
                for_each_chunk(values, PIECE, |_, values| {
                    R::enter(Constant { values, twiddle });
                });
            }
            Order::BitReversed => {
                let log_size = values.len().trailing_zeros();
                reversed::<R>(values, factor, ratio, log_size);
            }
            _ => for_each_chunk(values, PIECE, |i, values| {
                let first = factor.mul(ratio.pow(&[(i * PIECE) as u64]));
                R::enter(Powers { values, first, ratio });
            }),
        }
    }
}

/// Element number i is at index i reversed: a bit of the index is a power of the ratio.
fn reversed<R: Residues>(
    values: &mut [Residue<R::Field>],
    factor: Residue<R::Field>,
    ratio: Residue<R::Field>,
    log_size: u32,
) {
    let mut squares = vec![ratio];
    squares.extend((1..log_size).scan(ratio, |power, _| {
        *power = power.square();
        Some(*power)
    }));
    for_each_chunk(values, PIECE, |i, values| {
        let bits = (0..log_size).filter(|bit| (i * PIECE) >> bit & 1 == 1);
        let first = bits.fold(factor, |power, bit| power.mul(squares[(log_size - 1 - bit) as usize]));
        // Counting up flips 1...1 at the end: the powers of all lower bits, by doubling the table.
        let mut powers = vec![first];
        for bit in 0..values.len().trailing_zeros() {
            let square = squares[(log_size - 1 - bit) as usize];
            let upper: Vec<_> = powers.iter().map(|power| power.mul(square)).collect();
            powers.extend(upper);
        }
        R::enter(Table { values, powers: &powers });
    });
}

/// Products with the same factor, in the rows of a twiddle.
struct Constant<'a, F: Modulus> {
    values: &'a mut [Residue<F>],
    twiddle: [Limbs; 2],
}

/// Products with c, c r, c r^2, ...
struct Powers<'a, F: Modulus> {
    values: &'a mut [Residue<F>],
    first: Residue<F>,
    ratio: Residue<F>,
}

/// Products with as many factors.
struct Table<'a, F: Modulus> {
    values: &'a mut [Residue<F>],
    powers: &'a [Residue<F>],
}

impl<R: Residues> Vectorised<R> for Constant<'_, R::Field> {
    #[inline(always)]
    fn run(self) {
        let twiddle = R::twiddle(&self.twiddle);
        for values in self.values.chunks_exact_mut(R::WIDTH) {
            store::<R>(R::times_twiddle(load::<R>(values, 1), twiddle), values, 1, true);
        }
    }
}

impl<R: Residues> Vectorised<R> for Powers<'_, R::Field> {
    #[inline(always)]
    fn run(self) {
        let Self { values, first, ratio } = self;
        let mut powers = [first; MAX_WIDTH];
        for lane in 1..R::WIDTH {
            powers[lane] = powers[lane - 1].mul(ratio);
        }
        let mut factors = factors::<R>(&powers);
        // From one vector to the next.
        let step = ratio.pow(&[R::WIDTH as u64]);
        let step = R::splat(step.mul(Residue::from_word(1 << (2 * R::SHIFT))));
        for values in values.chunks_exact_mut(R::WIDTH) {
            store::<R>(R::scaled(load::<R>(values, 1), factors), values, 1, true);
            factors = R::of_product(R::product(factors, step));
        }
    }
}

impl<R: Residues> Vectorised<R> for Table<'_, R::Field> {
    #[inline(always)]
    fn run(self) {
        let pairs = self.values.chunks_exact_mut(R::WIDTH).zip(self.powers.chunks_exact(R::WIDTH));
        for (values, powers) in pairs {
            store::<R>(R::scaled(load::<R>(values, 1), factors::<R>(powers)), values, 1, true);
        }
    }
}

#[inline(always)]
fn factors<R: Residues>(powers: &[Residue<R::Field>]) -> R::Factor {
    let mut rows = [&powers[0]; MAX_WIDTH];
    for lane in 0..R::WIDTH {
        rows[lane] = &powers[lane];
    }
    R::factors(rows)
}
