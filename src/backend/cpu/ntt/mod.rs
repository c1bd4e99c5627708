//! Transforms on all cores.
//!
//! # Mathematical description
//!
//! A transform of n points is split into passes over tiles (see [`plan`]); a tile is eight short transforms side by side
//! ([`tile`], [`butterfly`]), made of a few operations on words ([`lanes`]). A pass gathers the rows of a few tiles from wherever
//! they are in memory, transforms them in cache, and scatters them again ([`pass`], [`moves`]), so orders, twiddles, coset shifts
//! and the factor 1/n ([`factors`]) need no pass of their own, and each pass reads and writes the data once. The eight lanes are
//! neighbouring columns, of the matrix itself or of the matrix that a split of n makes of a column, as in the transforms for
//! vector computers (Swarztrauber, 1984).
//!
//! A low-degree extension is the inverse in place, into bit-reversed order, where zero-padded coefficients stand
//! side by side with their padding; the layers on the padding would copy only, so every coefficient is read and
//! transformed once for each coset instead. Where one pass suffices for either and cosets are to follow one another, both are done to a tile at once ([`extension`]).
//!
//! Natural to natural and bit-reversed to bit-reversed use a scratch block of at most eight columns; everything
//! else, extensions included, uses a group of tiles a thread.

mod butterfly;
mod extension;
mod factors;
pub(super) mod lanes;
mod moves;
mod pass;
mod plan;
mod radix_16;
mod radix_4;
mod shared;
#[cfg(test)]
mod tests;
mod tile;

use self::lanes::{Lanes, on_lanes};
use self::plan::{Plan, Transform};
use self::shared::misalignment;
use self::tile::LANES;
use super::Simd;
use crate::error::Error;
use crate::field::{Field, Goldilocks};
use crate::memory::{self, StridedMut};
use crate::meter::Meter;
use crate::ntt::{Direction, Domain, Lde, Ntt, Order};
use crate::parallel;

/// Columns that a transform through scratch memory takes at once.
const SCRATCH_COLUMNS: usize = 8;

/// Columns from which on tables for an extension in one pass are worth their making. Unit tests use a lower number, so that they exercise it.
const MANY: usize = if cfg!(test) { 9 } else { 64 };

/// Words that stay in a core's own cache from one pass to the next: 512 KiB.
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

/// Transforms with a level's instructions, which the processor must have. [`Error::HostOutOfMemory`], for scratch,
/// leaves the data as they were.
pub(super) fn ntt(
    simd: Simd,
    ntt: &Ntt,
    data: &mut [Goldilocks],
    width: usize,
    meter: &Meter<'_>,
) -> Result<(), Error> {
    let meter = meter.of(layers(ntt.domain, data));
    on_lanes!(simd, L, ntt_on::<L>(ntt, data, width, &meter))
}

/// Extends with a level's instructions, which the processor must have.
pub(super) fn lde(
    simd: Simd,
    lde: &Lde,
    input: &mut [Goldilocks],
    width: usize,
    output: &mut [Goldilocks],
    meter: &Meter<'_>,
) {
    let meter = meter.of(layers(lde.from(), input) + layers(lde.from(), output));
    on_lanes!(simd, L, lde_on::<L>(lde, input, width, output, &meter));
}

/// The layers of all words together: the unit of the meters below.
fn layers(domain: Domain, data: &[Goldilocks]) -> usize {
    data.len() * domain.log_size() as usize
}

fn ntt_on<L: Lanes>(
    ntt: &Ntt,
    data: &mut [Goldilocks],
    width: usize,
    meter: &Meter<'_>,
) -> Result<(), Error> {
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
    let plan = Plan::new::<L>(transform, data.len() / domain.size(), meter);
    let orders = [ntt.input_order, ntt.output_order];
    if plan.is_single_pass() {
        plan.single::<L>(data, width, orders);
        return Ok(());
    }
    match orders {
        [Order::Natural, Order::BitReversed] => {
            for_each_group(data, block, |data| plan.natural_to_reversed::<L>(data, width));
            Ok(())
        }
        [Order::BitReversed, Order::Natural] => {
            for_each_group(data, block, |data| plan.reversed_to_natural::<L>(data, width));
            Ok(())
        }
        [Order::Natural, Order::Natural] => for_each_chunk(data, block, width, |data, columns, scratch| {
            plan.natural_to_natural::<L>(data, width, columns, scratch);
        }),
        [Order::BitReversed, Order::BitReversed] => {
            for_each_chunk(data, block, width, |data, columns, scratch| {
                let widths = [width, columns];
                plan.reversed_to_reversed::<L>(transform.shift_in, data, scratch, widths, columns);
                StridedMut::new(data, width, 0..columns).put(scratch);
            })
        }
    }
}

fn lde_on<L: Lanes>(
    lde: &Lde,
    input: &mut [Goldilocks],
    width: usize,
    output: &mut [Goldilocks],
    meter: &Meter<'_>,
) {
    let (from, to, copies) = (lde.from(), lde.to(), lde.blowup());
    let (n, blocks) = (from.size(), input.len() / (from.size() * width));
    // The inverse without its shift leaves the coefficients of f(s x), s being the shift of `from`: the quotient of the shifts is
    // still to be applied.
    let inverse_plan = Plan::new::<L>(inverse_transform(from), blocks * width, meter);
    let transform = Transform {
        log_size: from.log_size(),
        root: to.root().pow(copies as u64),
        shift_in: to.shift() * inverse(from.shift()),
        shift_out: Goldilocks::ONE,
        factor: Goldilocks::ONE,
    };
    let plan = Plan::new::<L>(transform, blocks * width * copies, meter);
    let in_one_pass = [&inverse_plan, &plan].iter().all(|plan| plan.is_single_pass())
        && lde.output_order() == Order::BitReversed
        && blocks * width >= MANY;
    let factors = in_one_pass.then(|| inverse_plan.factors(&plan, to.root(), copies));
    for_each_group_pair(input, n * width, output, copies * n * width, |input, output| {
        if let Some(factors) = &factors {
            return inverse_plan.extend::<L>(&plan, input, output, width, factors);
        }
        match inverse_plan.is_single_pass() {
            true => inverse_plan.single::<L>(input, width, [Order::Natural, Order::BitReversed]),
            false => inverse_plan.natural_to_reversed::<L>(input, width),
        }
        match lde.output_order() {
            Order::Natural => plan.interleaved::<L>(Some(input), output, width, to.root(), copies),
            Order::BitReversed => plan.consecutive::<L>(input, output, width, to.root(), copies),
        }
    });
}

/// The number of blocks, of `block` words each, that go through all passes before the next ones.
fn group(block: usize, blocks: usize) -> usize {
    (CACHED / block).clamp(1, blocks)
}

/// Whether groups are spread over the threads, rather than the tiles of each.
fn spread(groups: usize) -> bool {
    let threads = parallel::threads();
    threads > 1 && groups >= 2 * threads
}

/// Runs `run` on groups of blocks.
fn for_each_group(data: &mut [Goldilocks], block: usize, run: impl Fn(&mut [Goldilocks]) + Sync + Send) {
    let size = block * group(block, data.len() / block);
    match spread(data.len().div_ceil(size)) {
        true => parallel::for_each_chunk(data, size, |_, data| run(data)),
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
            let mut pairs: Vec<_> = input.chunks_mut(sizes.0).zip(output.chunks_mut(sizes.1)).collect();
            parallel::for_each_chunk(&mut pairs, 1, |_, pair| run(pair[0].0, pair[0].1));
        }
        false => input.chunks_mut(sizes.0).zip(output.chunks_mut(sizes.1)).for_each(|(i, o)| run(i, o)),
    }
}

/// Runs `run` on up to eight columns of a block at a time: on the block from the first of them on, their number,
/// and scratch memory for them. [`Error::HostOutOfMemory`] before anything was run.
fn for_each_chunk(
    data: &mut [Goldilocks],
    block: usize,
    width: usize,
    run: impl Fn(&mut [Goldilocks], usize, &mut [Goldilocks]) + Sync + Send,
) -> Result<(), Error> {
    let rows = block / width;
    let words = rows * width.min(SCRATCH_COLUMNS);
    let on_block = |scratch: &mut Vec<Goldilocks>, data: &mut [Goldilocks]| {
        // Aligned to cache lines as the data are, so that the same tiles have whole lines in both.
        let skip = misalignment(data).wrapping_sub(misalignment(scratch)) % LANES;
        for first in (0..width).step_by(SCRATCH_COLUMNS) {
            let columns = SCRATCH_COLUMNS.min(width - first);
            run(&mut data[first..], columns, &mut scratch[skip..][..rows * columns]);
        }
    };
    // Blocks on several threads need a scratch block each, so only small ones are spread.
    match spread(data.len() / block) && block <= CACHED {
        true => {
            let scratch = || vec![Goldilocks::ZERO; words + LANES];
            parallel::for_each_chunk_with(data, block, scratch, |scratch, _, data| on_block(scratch, data));
        }
        false => {
            let mut scratch = memory::zeroed(words + LANES)?;
            data.chunks_mut(block).for_each(|data| on_block(&mut scratch, data));
        }
    }
    Ok(())
}
