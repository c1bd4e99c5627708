//! Sums of products over Goldilocks, side by side.
//!
//! # Mathematical description
//!
//! With the highest bit of either half flipped, a word is a = l + 2^32 h + 2^31 + 2^63 for signed halves l and h. A factor is
//! c = c_0 + 2^22 c_1 + 2^44 c_2 with digits below 2^22. So products of halves with digits are below 2^53 in magnitude, and sums of up to 2^9 of them
//! below 2^62: six multiplications and as many additions for each a and c, and no carries. What the six sums of a run of terms stand for is
//! added to sums modulo p; with 2^62 more, by which they begin, they are words. The flipped bits are 2^31 + 2^63 times the sum of the
//! factors, which is the same for all items.

use std::ops::Range;

use super::{Products, RUN};
use crate::backend::MatrixView;
use crate::backend::cpu::ntt::lanes::Lanes;
use crate::backend::cpu::simd::Vectorised;
use crate::field::{Field, Goldilocks};

/// What is flipped.
const FLIPPED: u64 = 1 << 63 | 1 << 31;

/// Bits of a digit, and digits of a factor.
const BITS: u32 = 22;
const DIGITS: usize = 3;

/// What a sum begins with.
const START: u64 = 1 << 62;

const _: () = assert!(RUN <= 1 << 9, "sums of products below 2^62");

/// Sums of the lower halves' products, and of the upper ones'.
type Halves<L> = [[L; DIGITS]; 2];

/// [`Products::sums`] on vectors; words alone are summed with carries.
pub(super) fn sums<L: Lanes>(
    products: Products<'_, Goldilocks>,
    items: Range<usize>,
    terms: Range<usize>,
) -> Vec<Goldilocks> {
    if L::WIDTH == 1 {
        return products.sums(items, terms);
    }
    let mut sums = vec![Goldilocks::ZERO; items.len() * products.factors.columns];
    L::enter(Piece { products, items, terms, sums: &mut sums });
    sums
}

/// Some items, over some of their terms.
struct Piece<'a> {
    products: Products<'a, Goldilocks>,
    items: Range<usize>,
    terms: Range<usize>,
    sums: &'a mut [Goldilocks],
}

impl<L: Lanes> Vectorised<L> for Piece<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { products, items, terms, sums } = self;
        for first in terms.clone().step_by(RUN) {
            let factors = Factors::new(&products.factors, first..terms.end.min(first + RUN));
            match products.items.row_step {
                1 => items_side_by_side::<L>(products, items.clone(), &factors, sums),
                _ => terms_side_by_side::<L>(products, items.clone(), &factors, sums),
            }
        }
    }
}

/// The factors of a run of terms.
struct Factors {
    terms: Range<usize>,
    /// Those of sum k, after those of the sums before it.
    all: Vec<Goldilocks>,
    /// Digit j of the factors of sum k, from element (`DIGITS` k + j) times the number of terms on.
    digits: Vec<u64>,
}

impl Factors {
    fn new(factors: &MatrixView<'_, Goldilocks>, terms: Range<usize>) -> Self {
        let sum = |k: usize| terms.clone().map(move |term| factors.get(term, k));
        let all: Vec<_> = (0..factors.columns).flat_map(sum).collect();
        let digit = |word: u64, j: usize| word >> (BITS * j as u32) & ((1 << BITS) - 1);
        let digits = |factors: &[Goldilocks]| -> Vec<u64> {
            (0..DIGITS).flat_map(|j| factors.iter().map(move |factor| digit(factor.as_u64(), j))).collect()
        };
        let digits = all.chunks_exact(terms.len()).flat_map(digits).collect();
        Self { terms, all, digits }
    }

    fn len(&self) -> usize {
        self.terms.len()
    }

    /// Those of a sum.
    fn of_sum(&self, k: usize) -> &[Goldilocks] {
        &self.all[k * self.len()..][..self.len()]
    }

    /// A digit of those of a sum.
    #[inline(always)]
    fn digits(&self, k: usize, j: usize) -> &[u64] {
        &self.digits[(DIGITS * k + j) * self.len()..][..self.len()]
    }

    /// What is to be added to the sums k of the first `len` terms in so many lanes together.
    fn correction(&self, k: usize, len: usize, lanes: usize) -> Goldilocks {
        let sum: Goldilocks = self.of_sum(k)[..len].iter().copied().sum();
        let power = |n: u32| Goldilocks::from_u128(1 << n);
        let digits = Goldilocks::ONE + power(BITS) + power(2 * BITS);
        let starts = Goldilocks::new(START) * digits * (Goldilocks::ONE + power(32));
        sum * Goldilocks::from_u128(FLIPPED as u128) - starts * Goldilocks::new(lanes as u64)
    }
}

/// Adds the products of words, of which bits are flipped, with digits.
#[inline(always)]
fn add_products<L: Lanes>([low, high]: &mut Halves<L>, words: L, digits: [L; DIGITS]) {
    let upper = words.shr(32);
    for j in 0..DIGITS {
        low[j] = low[j].plus(words.mul_halves(digits[j]));
        high[j] = high[j].plus(upper.mul_halves(digits[j]));
    }
}

/// The canonical words that sums stand for, but for the correction.
#[inline(always)]
fn joined<L: Lanes>([low, high]: Halves<L>) -> L {
    shifted(of_digits(high), 32).add(of_digits(low).canonical()).canonical()
}

/// A word for the sums of one half, which are at most p.
#[inline(always)]
fn of_digits<L: Lanes>([a, b, c]: [L; DIGITS]) -> L {
    shifted(shifted(c, BITS).add(b), BITS).add(a)
}

/// A word for 2^n times any word, for n up to 32: what is shifted out is multiplied by 2^64 - p.
#[inline(always)]
fn shifted<L: Lanes>(word: L, n: u32) -> L {
    word.shl(n).add(word.shr(64 - n).low_times_epsilon())
}

/// Items side by side: `LINES` terms at a time, of all items.
#[inline(always)]
fn items_side_by_side<L: Lanes>(
    products: Products<'_, Goldilocks>,
    items: Range<usize>,
    factors: &Factors,
    sums: &mut [Goldilocks],
) {
    let (words, d) = (bytemuck::cast_slice::<_, u64>(products.items.elements), products.factors.columns);
    let (step, flipped) = (products.items.column_step, L::splat(FLIPPED));
    let vectors = items.len() / L::WIDTH;
    let mut own = vec![[[L::splat(START); DIGITS]; 2]; vectors * d];
    for first in (0..factors.len()).step_by(products.at_once()) {
        let terms = first..factors.len().min(first + products.at_once());
        for (vector, own) in own.chunks_exact_mut(d).enumerate() {
            let words = &words[items.start + vector * L::WIDTH + (factors.terms.start + first) * step..];
            for (k, own) in own.iter_mut().enumerate() {
                let [a, b, c] = [0, 1, 2].map(|j| &factors.digits(k, j)[terms.clone()]);
                let mut sums = *own;
                for term in 0..terms.len() {
                    let words = L::load(&words[term * step..]).xor(flipped);
                    let digits = [L::splat(a[term]), L::splat(b[term]), L::splat(c[term])];
                    add_products(&mut sums, words, digits);
                }
                *own = sums;
            }
        }
    }
    let mut lanes = vec![Goldilocks::ZERO; L::WIDTH];
    for k in 0..d {
        let correction = factors.correction(k, factors.len(), 1);
        for (own, sums) in own.chunks_exact(d).zip(sums.chunks_exact_mut(L::WIDTH * d)) {
            joined(own[k]).store(bytemuck::cast_slice_mut(&mut lanes));
            sums.iter_mut().skip(k).step_by(d).zip(&lanes).for_each(|(sum, &lane)| *sum += lane + correction);
        }
    }
    let whole = vectors * L::WIDTH;
    let rest = products.sums(items.start + whole..items.end, factors.terms.clone());
    sums[whole * d..].iter_mut().zip(rest).for_each(|(sum, more)| *sum += more);
}

/// Terms side by side, of one item after another.
#[inline(always)]
fn terms_side_by_side<L: Lanes>(
    products: Products<'_, Goldilocks>,
    items: Range<usize>,
    factors: &Factors,
    sums: &mut [Goldilocks],
) {
    let (words, d) = (bytemuck::cast_slice::<_, u64>(products.items.elements), products.factors.columns);
    let whole = factors.len() / L::WIDTH * L::WIDTH;
    let corrections: Vec<_> = (0..d).map(|k| factors.correction(k, whole, L::WIDTH)).collect();
    let mut lanes = vec![Goldilocks::ZERO; L::WIDTH];
    for (item, sums) in items.zip(sums.chunks_exact_mut(d)) {
        let start = item * products.items.row_step + factors.terms.start;
        let words = &words[start..start + factors.len()];
        for (k, sum) in sums.iter_mut().enumerate() {
            let [a, b, c] = [0, 1, 2].map(|j| factors.digits(k, j));
            let mut own = [[L::splat(START); DIGITS]; 2];
            for term in (0..whole).step_by(L::WIDTH) {
                let words = L::load(&words[term..]).xor(L::splat(FLIPPED));
                let digits = [L::load(&a[term..]), L::load(&b[term..]), L::load(&c[term..])];
                add_products(&mut own, words, digits);
            }
            joined(own).store(bytemuck::cast_slice_mut(&mut lanes));
            let rest = products.items.elements[start + whole..start + factors.len()].iter();
            let rest = rest.zip(&factors.of_sum(k)[whole..]).map(|(&a, &factor)| a * factor);
            *sum += lanes.iter().copied().chain(rest).sum::<Goldilocks>() + corrections[k];
        }
    }
}
