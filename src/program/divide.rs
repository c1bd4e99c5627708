//! Programs in pieces, for devices with more groups of work items than there are rows for.
//!
//! A piece has some terms of every weighted sum, and computes what these are made of, what other pieces compute too included. The results of all pieces are added.

use super::code::{Access, Code};
use super::{Expression, Output};
use crate::error::Error;

/// The most pieces of a program.
pub(crate) const MAX_PIECES: usize = 32;

/// Instructions of a piece at least: what pieces have in common is computed in each.
const SMALLEST: usize = 256;

/// The most pieces, of at most `wanted`, that are worth while: a power of two. One if an output is not a weighted sum.
pub(super) fn worth(outputs: &[Output], instructions: usize, wanted: usize) -> usize {
    let sums = outputs.iter().all(|output| matches!(output, Output::Weighted { .. }));
    let most = wanted.min(instructions / SMALLEST).clamp(1, MAX_PIECES);
    if sums { 1 << most.ilog2() } else { 1 }
}

/// The code of each of `pieces` pieces.
pub(super) fn pieces<F>(
    nodes: &[Expression],
    outputs: &[Output],
    constants: usize,
    accesses: &[Access],
    pieces: usize,
) -> Result<Vec<Code>, Error> {
    let costs = Code::costs(nodes, outputs, constants);
    let whole: usize = costs.iter().sum();
    let (mut spent, mut term) = (0, 0);
    // The piece of each term, by what all those before it cost: less than the whole, since each costs something.
    let mut divided: Vec<Vec<Output>> = vec![Vec::new(); pieces];
    for output in outputs {
        let Output::Weighted { terms, coordinates } = output else {
            unreachable!("weighted sums alone are divided")
        };
        let mut of_pieces = vec![Vec::new(); pieces];
        for &of_term in terms {
            of_pieces[spent * pieces / whole].push(of_term);
            spent += costs[term];
            term += 1;
        }
        for (piece, terms) in divided.iter_mut().zip(of_pieces) {
            piece.push(Output::Weighted { terms, coordinates: *coordinates });
        }
    }
    divided.iter().map(|outputs| Code::new::<F>(nodes, outputs, constants, accesses)).collect()
}
