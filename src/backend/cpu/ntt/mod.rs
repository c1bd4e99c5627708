//! Transforms on all cores.
//!
//! # Mathematical description
//!
//! A transform of n points is split into passes over tiles (see [`plan`]); a tile is eight short transforms side by
//! side ([`tile`]), made of a few field operations ([`lanes`]). A pass gathers a tile's rows from wherever they stand,
//! transforms them where they lie in cache, and scatters them again ([`pass`]), so orders, twiddles, coset shifts
//! and the factor 1/n cost no sweep of their own, and each pass reads and writes the data once. The eight lanes are
//! neighbouring columns, of the matrix itself or of the matrix that a split of n makes of a column, as in the
//! transforms for vector computers (Swarztrauber, 1984).
//!
//! A low-degree extension is the inverse in place, into bit-reversed order, where zero-padded coefficients stand
//! side by side with their padding; the layers on the padding would copy only, so every coefficient is read and
//! transformed once for each coset instead.
//!
//! Natural to natural and bit-reversed to bit-reversed use a scratch block of at most eight columns; everything
//! else, extensions included, uses a tile a thread.

mod lanes;
mod pass;
mod plan;
mod shared;
mod tile;

use rayon::prelude::*;

use self::lanes::Word;
use self::plan::{Plan, Transform};
use crate::field::{Field, Goldilocks};
use crate::ntt::{Direction, Domain, Lde, Ntt, Order};

/// Columns that a transform through scratch memory takes at once.
const SCRATCH_COLUMNS: usize = 8;

/// Words that several passes find in a core's own cache when they come back to them: 512 KiB.
const CACHED: usize = 1 << 16;

fn inverse(x: Goldilocks) -> Goldilocks {
    x.inverse().expect("roots, shifts and sizes are not zero")
}

/// The inverse on the subgroup of a domain; its shift is left to the caller.
fn inverse_transform(domain: Domain) -> Transform {
    Transform {
        log_size: domain.log_size(),
        root: inverse(domain.root()),
        shift_in: Goldilocks::ONE,
        shift_out: Goldilocks::ONE,
        factor: inverse(Goldilocks::new(domain.size() as u64)),
    }
}

pub(super) fn ntt(ntt: &Ntt, data: &mut [Goldilocks], width: usize) {
    let domain = ntt.domain;
    let transform = match ntt.direction {
        Direction::Forward => Transform {
            log_size: domain.log_size(),
            root: domain.root(),
            shift_in: domain.shift(),
            shift_out: Goldilocks::ONE,
            factor: Goldilocks::ONE,
        },
        Direction::Inverse => Transform { shift_out: inverse(domain.shift()), ..inverse_transform(domain) },
    };
    let block = domain.size() * width;
    let plan = Plan::new(transform, data.len() / domain.size());
    let orders = [ntt.input_order, ntt.output_order];
    if plan.is_single_pass() {
        return plan.single::<Word>(data, width, orders);
    }
    match orders {
        [Order::Natural, Order::BitReversed] => {
            for_each_group(data, block, |data| plan.natural_to_reversed::<Word>(data, width));
        }
        [Order::BitReversed, Order::Natural] => {
            for_each_group(data, block, |data| plan.reversed_to_natural::<Word>(data, width));
        }
        [Order::Natural, Order::Natural] => for_each_chunk(data, block, width, |data, columns, scratch| {
            plan.natural_to_natural::<Word>(data, width, columns, scratch);
        }),
        [Order::BitReversed, Order::BitReversed] => {
            for_each_chunk(data, block, width, |data, columns, scratch| {
                let widths = [width, columns];
                plan.reversed_to_reversed::<Word>(transform.shift_in, data, scratch, widths, columns);
                let rows = data.par_chunks_mut(width).zip(scratch.par_chunks(columns));
                rows.with_min_len(CACHED / width.min(CACHED))
                    .for_each(|(row, words)| row[..columns].copy_from_slice(words));
            });
        }
    }
}

pub(super) fn lde(lde: &Lde, input: &mut [Goldilocks], width: usize, output: &mut [Goldilocks]) {
    let (from, to, copies) = (lde.from(), lde.to(), lde.blowup());
    let (n, blocks) = (from.size(), input.len() / (from.size() * width));
    // The inverse without its shift leaves the coefficients of f(s x), s being the shift of `from`: what is left to
    // apply is the quotient of the shifts.
    let inverse_plan = Plan::new(inverse_transform(from), blocks * width);
    let transform = Transform {
        log_size: from.log_size(),
        root: to.root().pow(copies as u64),
        shift_in: to.shift() * inverse(from.shift()),
        shift_out: Goldilocks::ONE,
        factor: Goldilocks::ONE,
    };
    let plan = Plan::new(transform, blocks * width * copies);
    for_each_group_pair(input, n * width, output, copies * n * width, |input, output| {
        match inverse_plan.is_single_pass() {
            true => inverse_plan.single::<Word>(input, width, [Order::Natural, Order::BitReversed]),
            false => inverse_plan.natural_to_reversed::<Word>(input, width),
        }
        match lde.output_order() {
            Order::Natural => plan.interleaved::<Word>(Some(input), output, width, to.root(), copies),
            Order::BitReversed => plan.consecutive::<Word>(input, output, width, to.root(), copies),
        }
    });
}

/// How many blocks to take through all passes before the next, when a block has `block` words.
fn group(block: usize, blocks: usize) -> usize {
    (CACHED / block).clamp(1, blocks)
}

/// Whether groups are spread over the threads, rather than the tiles of each.
fn spread(groups: usize) -> bool {
    let threads = rayon::current_num_threads();
    threads > 1 && groups >= 2 * threads
}

/// Runs `run` on groups of blocks.
fn for_each_group(data: &mut [Goldilocks], block: usize, run: impl Fn(&mut [Goldilocks]) + Sync + Send) {
    let size = block * group(block, data.len() / block);
    match spread(data.len().div_ceil(size)) {
        true => data.par_chunks_mut(size).for_each(run),
        false => data.chunks_mut(size).for_each(run),
    }
}

/// Runs `run` on corresponding groups of blocks of an input and an output.
fn for_each_group_pair(
    input: &mut [Goldilocks],
    input_block: usize,
    output: &mut [Goldilocks],
    output_block: usize,
    run: impl Fn(&mut [Goldilocks], &mut [Goldilocks]) + Sync + Send,
) {
    let blocks = input.len() / input_block;
    let group = group(output_block, blocks);
    let sizes = (input_block * group, output_block * group);
    match spread(blocks.div_ceil(group)) {
        true => {
            input.par_chunks_mut(sizes.0).zip(output.par_chunks_mut(sizes.1)).for_each(|(i, o)| run(i, o));
        }
        false => input.chunks_mut(sizes.0).zip(output.chunks_mut(sizes.1)).for_each(|(i, o)| run(i, o)),
    }
}

/// Runs `run` on up to eight columns of a block at a time: on the block from the first of them on, their number,
/// and scratch memory for them.
fn for_each_chunk(
    data: &mut [Goldilocks],
    block: usize,
    width: usize,
    run: impl Fn(&mut [Goldilocks], usize, &mut [Goldilocks]) + Sync + Send,
) {
    let rows = block / width;
    let scratch = || vec![Goldilocks::ZERO; rows * width.min(SCRATCH_COLUMNS)];
    let on_block = |scratch: &mut Vec<Goldilocks>, data: &mut [Goldilocks]| {
        for first in (0..width).step_by(SCRATCH_COLUMNS) {
            let columns = SCRATCH_COLUMNS.min(width - first);
            run(&mut data[first..], columns, &mut scratch[..rows * columns]);
        }
    };
    // Blocks on several threads need a scratch block each, so only small ones are spread.
    match spread(data.len() / block) && block <= CACHED {
        true => data.par_chunks_mut(block).for_each_init(scratch, on_block),
        false => {
            let mut scratch = scratch();
            data.chunks_mut(block).for_each(|data| on_block(&mut scratch, data));
        }
    }
}
