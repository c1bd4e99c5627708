//! Prefix products in two passes over runs of rows.
//!
//! A product waits for the one before it, so that a column by itself would take the time of a product's whole way through the processor for each entry. So columns are
//! cut into runs, of which `CHAINS` at a time, of one column or of several, are multiplied in turns. The first pass makes the product of each run, and the second, which
//! begins each run with the product of all before it, the result. Between them the products of runs are multiplied one after another.

use super::Cpu;
use crate::backend::PrefixProducts;
use crate::error::Error;
use crate::field::TwoAdic;
use crate::parallel::for_each_chunk;

/// Chains of products in turns.
const CHAINS: usize = 8;

/// The fewest rows of a run where threads would share them, and the most. Runs that are a power of two apart would share a set of a cache.
const ROWS: [usize; 2] = [64, 488];

/// The fewest elements that a thread takes.
const GRAIN: usize = 1 << 12;

impl<F: TwoAdic> PrefixProducts<F> for Cpu {
    fn prefix_products(
        &self,
        input: &[F],
        width: usize,
        products: &mut [F],
        carry: &mut [F],
    ) -> Result<(), Error> {
        let rows = input.len() / carry.len();
        let cut = Cut::new(rows, width);
        let pieces: Vec<_> =
            input.chunks_exact(rows * width).flat_map(|block| block.chunks(cut.piece())).collect();
        let at_once = GRAIN.div_ceil(cut.piece());
        let mut runs = vec![F::ONE; pieces.len() * cut.chains()];
        for_each_chunk(&mut runs, at_once * cut.chains(), |number, runs| {
            let pieces = &pieces[number * at_once..];
            for (piece, runs) in pieces.iter().zip(runs.chunks_exact_mut(cut.chains())) {
                cut.multiply(piece, runs, |_, _| ());
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
        for_each_chunk(&mut to, at_once, |number, to| {
            let first = number * at_once;
            for (i, to) in (first..).zip(to) {
                let mut chains = runs[i * cut.chains()..][..cut.chains()].to_vec();
                cut.multiply(pieces[i], &mut chains, |at, product| to[at] = product);
            }
        });
        Ok(())
    }
}

/// How blocks of rows of `width` elements are cut: into pieces of `runs` runs of `run` rows each, the last of which may have fewer.
#[derive(Clone, Copy)]
struct Cut {
    width: usize,
    runs: usize,
    run: usize,
}

impl Cut {
    /// With so many runs in a piece that its chains are a multiple of `CHAINS`.
    fn new(rows: usize, width: usize) -> Self {
        let runs = CHAINS >> width.trailing_zeros().min(CHAINS.trailing_zeros());
        let [fewest, most] = ROWS;
        let shared = rows.div_ceil(runs * rayon::current_num_threads()).clamp(fewest, most);
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

    /// The columns of its runs: chain r `width` + j goes down column j of run r.
    fn chains(self) -> usize {
        self.runs * self.width
    }

    /// Multiplies each chain of a piece by its entries, one after another; tells before each the entry's place, and the product so far.
    #[inline(always)]
    fn multiply<F: TwoAdic>(self, piece: &[F], chains: &mut [F], mut tell: impl FnMut(usize, F)) {
        let Self { width, run, .. } = self;
        let rows = piece.len() / width;
        for (number, chains) in chains.as_chunks_mut::<CHAINS>().0.iter_mut().enumerate() {
            let chain = |k: usize| {
                let (run_number, column) = ((number * CHAINS + k) / width, (number * CHAINS + k) % width);
                let first = run_number * run;
                (first * width + column, rows.saturating_sub(first).min(run))
            };
            let own: [_; CHAINS] = std::array::from_fn(chain);
            let all = own.iter().map(|&(_, len)| len).min().unwrap_or(0);
            let mut products = *chains;
            for row in 0..all {
                for k in 0..CHAINS {
                    let at = own[k].0 + row * width;
                    tell(at, products[k]);
                    products[k] = products[k] * piece[at];
                }
            }
            for k in 0..CHAINS {
                for row in all..own[k].1 {
                    let at = own[k].0 + row * width;
                    tell(at, products[k]);
                    products[k] = products[k] * piece[at];
                }
            }
            *chains = products;
        }
    }
}
