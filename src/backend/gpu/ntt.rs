//! Transforms: the host's plan.
//!
//! Scatter into bit-reversed order (the input's coset shift and the zeros of an extension on the way), a launch for each
//! of the log2 n layers of radix-2 butterflies in place, gather into the order asked for (the factor 1/n and the output's
//! shift on the way). Any size, order and width.
//!
//! Powers of roots and shifts come from two-level tables, base^e = high[e >> b] low[e mod 2^b], which take about
//! 2 sqrt(n) words and stay on the device.

use std::sync::Arc;

use super::Gpu;
use super::device::{Arg, Device, Launch, Limits};
use super::program;
use super::work::{Region, Work};
use crate::error::Error;
use crate::field::{Field, Goldilocks, powers};
use crate::ntt::{Direction, Domain, Lde, Ntt, Order};

/// A base, and the binary logarithm of the number of its powers.
pub(super) type TableKey = (Goldilocks, u32);

/// Tables kept before all are dropped: they are small, and made again in microseconds.
const TABLES: usize = 256;

/// Blocks of rows on the device.
#[derive(Clone, Copy)]
struct Blocks {
    log_rows: u32,
    width: usize,
    count: usize,
}

impl Blocks {
    fn words(self) -> usize {
        (self.width << self.log_rows) * self.count
    }

    fn args(self) -> [Arg<Region>; 2] {
        [Arg::Word(self.width as u64), Arg::Word(self.count as u64)]
    }
}

/// Powers on the device, with the number of bits of an exponent that the low part covers.
#[derive(Clone, Copy)]
struct Table {
    region: Region,
    bits: u32,
}

/// Bits of the low part of a table of 2^`log_size` powers.
fn low_bits(log_size: u32) -> u32 {
    log_size.div_ceil(2)
}

impl Table {
    fn args(self) -> [Arg<Region>; 2] {
        [Arg::Buffer(self.region, 0), Arg::Word(self.bits as u64)]
    }
}

/// Rows into bit-reversed order, zeros behind them, each times a power of a shift.
fn scatter(
    limits: Limits,
    input: Region,
    (log_input, order): (u32, Order),
    output: Region,
    blocks: Blocks,
    shifts: Option<Table>,
    any: Table,
) -> Launch<Region> {
    assert!(input.words() >= (blocks.width << log_input) * blocks.count && output.words() >= blocks.words());
    let mut args = vec![
        Arg::Buffer(input, 0),
        Arg::Word(log_input as u64),
        Arg::Word((order == Order::BitReversed) as u64),
        Arg::Buffer(output, 0),
        Arg::Word(blocks.log_rows as u64),
    ];
    args.extend(blocks.args());
    args.push(Arg::Word(shifts.is_some() as u64));
    args.extend(shifts.unwrap_or(any).args());
    // SAFETY: ntt_scatter reads 2^log_input rows of every block and writes every word of the output's blocks.
    unsafe { Launch::new(&program::NTT, "ntt_scatter", limits.grid(blocks.words()), args) }
}

/// One layer of butterflies.
fn layer(limits: Limits, data: Region, blocks: Blocks, layer: u32, roots: Table) -> Launch<Region> {
    assert!(data.words() >= blocks.words() && layer < blocks.log_rows);
    let mut args = vec![Arg::Buffer(data, 0), Arg::Word(blocks.log_rows as u64), Arg::Word(layer as u64)];
    args.extend(blocks.args());
    args.extend(roots.args());
    // SAFETY: ntt_layer touches the words of the blocks; exponents of the root stay below half its order.
    unsafe { Launch::new(&program::NTT, "ntt_layer", limits.grid(blocks.words() / 2), args) }
}

/// Rows from natural order into another, each times a factor and a power of a shift.
fn gather(
    limits: Limits,
    input: Region,
    output: Region,
    (blocks, order): (Blocks, Order),
    factor: Goldilocks,
    shifts: Option<Table>,
    any: Table,
) -> Launch<Region> {
    assert!(input.words() >= blocks.words() && output.words() >= blocks.words());
    let mut args = vec![
        Arg::Buffer(input, 0),
        Arg::Buffer(output, 0),
        Arg::Word(blocks.log_rows as u64),
        Arg::Word((order == Order::BitReversed) as u64),
    ];
    args.extend(blocks.args());
    args.extend([Arg::Word(shifts.is_some() as u64), Arg::Word(factor.as_u64())]);
    args.extend(shifts.unwrap_or(any).args());
    // SAFETY: ntt_gather reads and writes every word of the blocks once.
    unsafe { Launch::new(&program::NTT, "ntt_gather", limits.grid(blocks.words()), args) }
}

/// What a transform does to rows that are on the device.
struct Transform {
    domain: Domain,
    direction: Direction,
    log_input: u32,
    input_order: Order,
    output_order: Order,
}

impl<D: Device> Gpu<D> {
    /// 2^`log_size` powers of `base`, made on the host the first time.
    fn table(&self, work: &mut Work<'_, D>, base: Goldilocks, log_size: u32) -> Result<Table, Error> {
        let bits = low_bits(log_size);
        let (low, high) = (1 << bits, 1 << (log_size - bits));
        let tables = || self.tables.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let kept = tables().get(&(base, log_size)).cloned();
        let buffer = match kept {
            Some(buffer) => buffer,
            None => {
                // Made without the lock: two callers may make the same one, and either will do.
                let step = base.pow(low as u64);
                let words: Vec<_> = powers(base).take(low).chain(powers(step).take(high)).collect();
                let mut making = Work::new(self)?;
                let region = making.upload_new(bytemuck::cast_slice(&words))?;
                let buffer = Arc::new(making.keep(region)?);
                let mut tables = tables();
                if tables.len() >= TABLES {
                    tables.clear();
                }
                tables.insert((base, log_size), Arc::clone(&buffer));
                buffer
            }
        };
        Ok(Table { region: work.share(buffer, low + high), bits })
    }

    /// Transforms `count` blocks of `width` words a row from `input` by way of `middle` to `output`, which may be
    /// the input.
    fn transform(
        &self,
        work: &mut Work<'_, D>,
        transform: &Transform,
        (width, count): (usize, usize),
        [input, middle, output]: [Region; 3],
    ) -> Result<(), Error> {
        let Transform { domain, direction, log_input, input_order, output_order } = *transform;
        let (limits, log_rows) = (work.limits(), domain.log_size());
        let blocks = Blocks { log_rows, width, count };
        let inverse = |x: Goldilocks| x.inverse().expect("roots, shifts and sizes are not zero");
        let (root, shift, factor) = match direction {
            Direction::Forward => (domain.root(), domain.shift(), Goldilocks::ONE),
            Direction::Inverse => (
                inverse(domain.root()),
                inverse(domain.shift()),
                inverse(Goldilocks::new(domain.size() as u64)),
            ),
        };
        // Exponents of the root stay below n/2, those of the shift below n.
        let roots = self.table(work, root, log_rows.saturating_sub(1))?;
        let shifts = match shift == Goldilocks::ONE {
            true => None,
            false => Some(self.table(work, shift, log_rows)?),
        };
        let (before, after) = match direction {
            Direction::Forward => (shifts, None),
            Direction::Inverse => (None, shifts),
        };
        let mut launches =
            vec![scatter(limits, input, (log_input, input_order), middle, blocks, before, roots)];
        launches.extend((0..log_rows).map(|index| layer(limits, middle, blocks, index, roots)));
        launches.push(gather(limits, middle, output, (blocks, output_order), factor, after, roots));
        work.launch(&launches)
    }
}

/// Words of memory that [`Gpu::ntt_region`] takes for so many words of data, the input included.
pub(super) fn ntt_words(data: usize) -> usize {
    data.saturating_mul(3)
}

/// Words of memory that [`Gpu::lde_region`] takes, the input included.
pub(super) fn lde_words(input: usize, output: usize) -> usize {
    output.saturating_mul(2).saturating_add(input)
}

impl<D: Device> Gpu<D> {
    /// The transforms of `count` blocks of `width` words a row, in a region of their own. The input is left as it is.
    pub(super) fn ntt_region(
        &self,
        work: &mut Work<'_, D>,
        ntt: &Ntt,
        shape: (usize, usize),
        input: Region,
    ) -> Result<Region, Error> {
        let transform = Transform {
            domain: ntt.domain,
            direction: ntt.direction,
            log_input: ntt.domain.log_size(),
            input_order: ntt.input_order,
            output_order: ntt.output_order,
        };
        let (middle, output) = (work.allocate(input.words())?, work.allocate(input.words())?);
        self.transform(work, &transform, shape, [input, middle, output])?;
        Ok(output)
    }

    /// The extensions of `count` blocks of `width` words a row, in a region of their own. The input is left as it is.
    pub(super) fn lde_region(
        &self,
        work: &mut Work<'_, D>,
        lde: &Lde,
        shape: (usize, usize),
        input: Region,
    ) -> Result<Region, Error> {
        let back = Transform {
            domain: lde.from(),
            direction: Direction::Inverse,
            log_input: lde.from().log_size(),
            input_order: Order::Natural,
            output_order: Order::Natural,
        };
        let output_order = lde.output_order();
        let forth = Transform { domain: lde.to(), direction: Direction::Forward, output_order, ..back };
        let words = input.words() * lde.blowup();
        let (middle, output) = (work.allocate(words)?, work.allocate(words)?);
        // The coefficients pass through the output.
        self.transform(work, &back, shape, [input, middle, output])?;
        self.transform(work, &forth, shape, [output, middle, output])?;
        Ok(output)
    }
}
