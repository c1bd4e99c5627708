//! Prefix products in two passes over runs of rows.
//!
//! A product waits for the one before it, so that a column by itself would take the time of a product's whole way through the processor for each entry. So columns are
//! cut into runs, of which some at a time, of one column or of several, are multiplied in turns or side by side: chains. The first pass makes the product of each run, and the second, which
//! begins each run with the product of all before it, the result. Between them the products of runs are multiplied one after another.

#[cfg(feature = "bn254")]
mod primes;

use super::Cpu;
use crate::backend::PrefixProducts;
use crate::error::Error;
use crate::field::{Goldilocks, TwoAdic};
use crate::parallel::{for_each_chunk, threads};

/// Chains of products in turns.
const CHAINS: usize = 8;

/// Columns from which on rows are read from left to right: a few columns of rows that are far apart would be fetched line by line. The products are in the first-level cache then, which is as fast as registers where so
/// many others come between.
const WIDE: usize = 32;

/// The fewest rows of a run where threads would share them, and the most. Runs that are a power of two apart would share a set of a cache.
const ROWS: [usize; 2] = [64, 488];

/// The fewest elements that a thread takes.
const GRAIN: usize = 1 << 12;

impl PrefixProducts<Goldilocks> for Cpu {
    fn prefix_products(
        &self,
        input: &[Goldilocks],
        width: usize,
        products: &mut [Goldilocks],
        carry: &mut [Goldilocks],
    ) -> Result<(), Error> {
        in_runs(CHAINS, input, width, products, carry, |piece| match piece.to {
            None => piece.cut.in_turns(piece.entries, piece.chains, |_, _| ()),
            Some(to) => piece.cut.in_turns(piece.entries, piece.chains, |at, product| to[at] = product),
        });
        Ok(())
    }
}

/// Prefix products by something that multiplies the chains of a piece, so many at a time.
fn in_runs<F: TwoAdic>(
    at_once: usize,
    input: &[F],
    width: usize,
    products: &mut [F],
    carry: &mut [F],
    multiply: impl Fn(Piece<'_, F>) + Sync,
) {
    let rows = input.len() / carry.len();
    let cut = Cut::new(rows, width, at_once);
    let pieces: Vec<_> =
        input.chunks_exact(rows * width).flat_map(|block| block.chunks(cut.piece())).collect();
    let grain = GRAIN.div_ceil(cut.piece());
    let mut runs = vec![F::ONE; pieces.len() * cut.chains()];
    for_each_chunk(&mut runs, grain * cut.chains(), |number, runs| {
        let pieces = &pieces[number * grain..];
        for (&entries, chains) in pieces.iter().zip(runs.chunks_exact_mut(cut.chains())) {
            multiply(Piece { cut, entries, chains, to: None });
        }
    });
    let runs_of_block = rows.div_ceil(cut.rows()) * cut.chains();
    for (runs, carry) in runs.chunks_exact_mut(runs_of_block).zip(carry.chunks_exact_mut(width)) {
        for row in runs.chunks_exact_mut(width) {
            for (run, carry) in row.iter_mut().zip(&mut *carry) {
                let product = *carry * *run;
                *run = std::mem::replace(carry, product);
            }
        }
    }
    let blocks = products.chunks_exact_mut(rows * width);
    let mut to: Vec<_> = blocks.flat_map(|block| block.chunks_mut(cut.piece())).collect();
    for_each_chunk(&mut to, grain, |number, to| {
        for (i, to) in (number * grain..).zip(to) {
            let mut chains = runs[i * cut.chains()..][..cut.chains()].to_vec();
            multiply(Piece { cut, entries: pieces[i], chains: &mut chains, to: Some(to) });
        }
    });
}

/// Chains that go down the columns of the runs of a piece: each is multiplied by its entries, one after another, and the product before each of them goes to the entry's
/// place in other memory, if there is any.
struct Piece<'a, F> {
    cut: Cut,
    entries: &'a [F],
    chains: &'a mut [F],
    to: Option<&'a mut [F]>,
}

/// How blocks of rows of `width` elements are cut: into pieces of `runs` runs of `run` rows each, the last of which may have fewer.
#[derive(Clone, Copy)]
struct Cut {
    width: usize,
    runs: usize,
    run: usize,
}

impl Cut {
    /// With so many runs in a piece that its chains are a multiple of `at_once`, a power of two.
    fn new(rows: usize, width: usize, at_once: usize) -> Self {
        let runs = at_once >> width.trailing_zeros().min(at_once.trailing_zeros());
        let [fewest, most] = ROWS;
        let shared = rows.div_ceil(runs * threads()).clamp(fewest, most);
        Self { width, runs, run: rows.div_ceil(runs).min(shared) }
    }

    /// Rows of a piece.
    fn rows(self) -> usize {
        self.runs * self.run
    }

    /// Elements of a piece.
    fn piece(self) -> usize {
        self.rows() * self.width
    }

    /// Chain r `width` + j goes down column j of run r.
    fn chains(self) -> usize {
        self.runs * self.width
    }

    /// The place of the first entry of each chain from a number on, in a piece of so many elements, and how many it has; and how many all of them have. Entries
    /// are `width` apart.
    #[inline(always)]
    fn places<const N: usize>(self, from: usize, len: usize) -> ([(usize, usize); N], usize) {
        let Self { width, run, .. } = self;
        let places = std::array::from_fn(|k| {
            let (first, column) = ((from + k) / width * run, (from + k) % width);
            (first * width + column, (len / width).saturating_sub(first).min(run))
        });
        (places, places.iter().map(|&(_, len)| len).min().unwrap_or(0))
    }

    /// Multiplies chains, `CHAINS` of them in turns, or all of a wide row; tells before each product its entry's place, and the product so far.
    #[inline(always)]
    fn in_turns<F: TwoAdic>(self, entries: &[F], chains: &mut [F], mut tell: impl FnMut(usize, F)) {
        if self.runs == 1 && self.width >= WIDE {
            for (row, entries) in entries.chunks_exact(self.width).enumerate() {
                for (column, (product, &entry)) in chains.iter_mut().zip(entries).enumerate() {
                    tell(row * self.width + column, *product);
                    *product = *product * entry;
                }
            }
            return;
        }
        for (number, chains) in chains.as_chunks_mut::<CHAINS>().0.iter_mut().enumerate() {
            let (places, all) = self.places::<CHAINS>(number * CHAINS, entries.len());
            let mut products = *chains;
            let mut multiply = |k: usize, row: usize| {
                let at = places[k].0 + row * self.width;
                tell(at, products[k]);
                products[k] = products[k] * entries[at];
            };
            for row in 0..all {
                (0..CHAINS).for_each(|k| multiply(k, row));
            }
            for (k, &(_, len)) in places.iter().enumerate() {
                (all..len).for_each(|row| multiply(k, row));
            }
            *chains = products;
        }
    }
}
