//! Plans: the passes of a transform, with their parameters.
//!
//! The index j of an input is cut into digits of at most ten bits, j = j1 n/n1 + j2 n/(n1 n2) + ..., and that of an output from
//! the lowest on, i = i1 + n1 i2 + n1 n2 i3 + .... Pass k sums over j_k: it transforms columns of n_k points. The twiddles w^(i_k
//! j'), for the digits j' still to come, are multiplied on when the next pass loads its inputs.
//!
//! | orders | passes before the last | the last pass | scratch |
//! |---|---|---|---|
//! | natural, natural | rows at distance n / (n1 ... nk), in place | reads contiguous rows, writes at distance n / nk, digits of the column reversed | the output's size |
//! | natural, reversed | the same, rows stored bit-reversed | the same, in place | none |
//! | reversed, natural | rows at distance n1 ... n(k-1), read bit-reversed, stored in order, in place | the same | none |
//! | reversed, reversed | as the line above | writes contiguous rows, bit-reversed | the output's size |
//!
//! A tile reads all of its points before it writes any, so passes without a transposition run in place.
//!
//! **Extension by 2^b.** Output i = i0 + 2^b i' is a transform of size n of a_j (s w^i0)^j, w of order m = n 2^b. So i0 is a
//! digit that is already transformed: the first pass reads the n coefficients once for each i0, times those powers, and
//! everything after is the plan of n inside a transform of m. No zero is loaded or transformed.
//!
//! Plans for several devices are in `plan/divided.rs`.

mod divided;

use bytemuck::{Pod, Zeroable};

use super::programs::{self, Access, Tile};
use super::tables::{Inner, Powers};
use crate::field::{Field, Goldilocks};
use crate::ntt::{Direction, Order};
pub(super) use divided::{LOG_FIRST, Stages, across, stages};

/// A transform, or an extension of coefficients.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Transform {
    /// The generator of the domain on which the polynomials are evaluated, of order 2^(log_rows + log_blowup).
    pub(in super::super) root: Goldilocks,
    /// That domain's shift.
    pub(in super::super) shift: Goldilocks,
    /// Binary logarithm of the number of coefficients.
    pub(in super::super) log_rows: u32,
    /// Binary logarithm of the factor by which the output is larger; 0 for inverse transforms.
    pub(in super::super) log_blowup: u32,
    pub(in super::super) direction: Direction,
    pub(in super::super) input_order: Order,
    pub(in super::super) output_order: Order,
    /// Where each of the 2^log_blowup polynomials has coefficients of its own.
    pub(super) exchanged: Option<Exchanged>,
}

/// Coefficients that devices have exchanged after the first pass of a transform of order 2^(log_rows + LOG_FIRST), by which they have 2^log_rows for each output i of that pass: in 2^log_parts runs,
/// one for each residue of the coefficients' numbers, 2^(log_rows + LOG_FIRST - log_parts) apart. Of the outputs there are those of one residue modulo 2^log_parts, or a chunk of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchanged {
    /// Of that order.
    pub(super) root: Goldilocks,
    pub(super) log_parts: u32,
    /// The residue of the outputs.
    pub(super) residue: u64,
    /// The first output of the chunk, and the binary logarithm of the distance to the next one.
    pub(super) first: u64,
    pub(super) log_step: u32,
}

/// Where a pass reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Storage {
    Input,
    Output,
    Scratch,
}

impl Storage {
    /// Which of an input, an output and scratch memory it is.
    pub(in super::super) fn of<T>(self, [input, output, scratch]: [T; 3]) -> T {
        match self {
            Self::Input => input,
            Self::Output => output,
            Self::Scratch => scratch,
        }
    }
}

/// One launch.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    pub(super) tile: Tile,
    pub(super) access: Access,
    pub(super) from: Storage,
    pub(super) to: Storage,
    pub(super) groups: usize,
    pub(super) inner: Inner,
    pub(super) pre: Option<Powers>,
    pub(super) post: Option<Powers>,
    /// The arguments of `ntt_pass` after its buffers.
    pub(super) words: Words,
}

/// Parameters of `ntt_pass`, by their names and in their order there.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Words {
    total: u64,
    width: u64,
    width_inverse: u64,
    log_columns: u64,
    flags: u64,
    power: u64,
    power_inverse: u64,
    in_block: u64,
    in_drop: u64,
    in_mask: u64,
    in_log: u64,
    in_digits: u64,
    in_stride: u64,
    pre_shift: u64,
    pre_mask: u64,
    pre_stride: u64,
    replica_shift: u64,
    replica_mask: u64,
    replica_size: u64,
    out_block: u64,
    out_log: u64,
    out_stride: u64,
    post_mask: u64,
}

impl Words {
    /// For rows of so many words.
    fn of(width: usize) -> Self {
        // ceil(2^64 / width); width 1 is a case of its own.
        let width_inverse = ((1u128 << 64).div_ceil(width as u128)) as u64;
        Self { width: width as u64, width_inverse, ..Self::default() }
    }

    /// The number of words that a pass reads, from the start of its input.
    pub(super) fn read(&self) -> usize {
        ((self.total / self.width) >> self.log_columns) as usize * self.in_block as usize
    }

    /// The number of words that it writes.
    pub(super) fn written(&self) -> usize {
        ((self.total / self.width) >> self.log_columns) as usize * self.out_block as usize
    }

    /// In the order of the parameters.
    pub(super) fn list(self) -> [u64; 23] {
        bytemuck::cast(self)
    }
}

// Flags of `ntt_pass`.
const CANONICAL: u64 = 1;
const REVERSED_IN: u64 = 2;
const REVERSED_OUT: u64 = 4;
const REVERSED_COLUMN: u64 = 8;
const PRE: u64 = 16;
const POST: u64 = 32;
/// From this bit on.
const LOW_ROWS_FIRST: u32 = 8;

/// Binary logarithm of the points of the longest columns.
const LOG_LONGEST: u32 = 10;

/// The same of columns that are one layer.
const LOG_LONGEST_LAYER: u32 = 4;

/// Digits of a transform of 2^(k + 11) points at index k, logarithms, the first pass first; none is larger than the largest tile.
const DIGITS: [&[u32]; 22] = [
    &[6, 5],
    &[6, 6],
    &[7, 6],
    &[7, 7],
    &[8, 7],
    &[8, 8],
    &[9, 8],
    &[9, 9],
    &[10, 9],
    &[10, 10],
    &[7, 7, 7],
    &[8, 6, 8],
    &[8, 7, 8],
    &[8, 8, 8],
    &[9, 8, 8],
    &[10, 8, 8],
    &[7, 7, 7, 6],
    &[7, 7, 7, 7],
    &[7, 7, 7, 8],
    &[7, 8, 8, 7],
    &[8, 8, 8, 7],
    &[8, 8, 8, 8],
];

/// The same for two sizes at which three passes of small tiles are faster than two of large ones once there is work for all
/// multiprocessors either way.
const MANY: [(u32, &[u32]); 2] = [(19, &[7, 6, 6]), (20, &[7, 6, 7])];

/// Namely from so many points on.
const LARGE: u128 = 1 << 22;

/// Below so many points in all, there are too few groups of the usual tiles to fill a GPU.
const SMALL: u128 = 1 << 17;

/// The largest distance of rows, in bytes, that passes can handle: they multiply it with numbers below 16.
const FARTHEST: u128 = u32::MAX as u128;

/// Choices of a plan for tests; with digits, stages pay for few points, too.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Choice {
    /// The digits, for transforms whose size is their product.
    pub(in super::super) digits: Option<&'static [u32]>,
    /// Whether tiles are the narrow ones.
    pub(in super::super) narrow: Option<bool>,
}

/// Whether the plan needs scratch memory of the output's size.
pub(super) fn needs_scratch(passes: &[Pass]) -> bool {
    passes.iter().any(|pass| pass.to == Storage::Scratch)
}

/// Of a root, a shift or a size.
fn invert(x: Goldilocks) -> Goldilocks {
    x.inverse().expect("roots, shifts and sizes are not zero")
}

/// g for which `root`, of order 2^`log_order`, is (2^(192 / 2^log_order))^g, and its inverse modulo 16; of the roots of order 16 where
/// the order is larger.
fn power_of(root: Goldilocks, log_order: u32) -> (u64, u64) {
    let log = log_order.min(4);
    let root = (log..log_order).fold(root, |root, _| root.square());
    let shift = Goldilocks::new(2).pow(192 >> log);
    let power = (1..16).step_by(2).find(|&g| shift.pow(g) == root).expect("a root of unity of this order");
    let inverse = (1..16).step_by(2).find(|g| g * power % 16 == 1).expect("odd numbers have inverses");
    (power, inverse)
}

/// The digits of a transform, of so many points together with those beside it.
fn digits_of(log_rows: u32, points: u128, choice: Choice) -> Vec<u32> {
    let chosen = choice.digits.filter(|digits| digits.iter().sum::<u32>() == log_rows);
    let many = || MANY.iter().find(|(log, _)| *log == log_rows && points >= LARGE).map(|(_, digits)| *digits);
    match chosen.or_else(many) {
        Some(digits) => digits.to_vec(),
        None if log_rows <= LOG_LONGEST => vec![log_rows],
        None => DIGITS[(log_rows - LOG_LONGEST - 1) as usize].to_vec(),
    }
}

/// The passes of a transform of `count` blocks of `width` columns; `None` if one block is too large.
pub(super) fn plan(transform: &Transform, width: usize, count: usize, choice: Choice) -> Option<Vec<Pass>> {
    let points = ((width as u128) * (count as u128)) << (transform.log_rows + transform.log_blowup);
    let digits = digits_of(transform.log_rows, points, choice);
    passes(transform, width, count, &digits, choice.narrow.unwrap_or(points <= SMALL))
}

/// The same with these digits.
fn passes(
    transform: &Transform,
    width: usize,
    count: usize,
    digits: &[u32],
    narrow: bool,
) -> Option<Vec<Pass>> {
    let Transform { log_rows, log_blowup, direction, .. } = *transform;
    let log_size = log_rows + log_blowup;
    let inverse = direction == Direction::Inverse;
    let of_domain = |x: Goldilocks| if inverse { invert(x) } else { x };
    // A single row has no order.
    let reversed_in = transform.input_order == Order::BitReversed && log_rows > 0;
    let reversed_out = transform.output_order == Order::BitReversed && log_size > 0;
    let step = of_domain(transform.root);
    let root = (0..log_blowup).fold(step, |root, _| root.square());
    let root_of = |log_order: u32| (log_order..log_rows).fold(root, |root, _| root.square());
    // A first pass with which devices begin has left its part to the others.
    let log_begun = transform.exchanged.map_or(0, |_| LOG_FIRST);
    let scale =
        if inverse { invert(Goldilocks::new(1u64 << (log_rows + log_begun))) } else { Goldilocks::ONE };
    let (power, power_inverse) = power_of(root, log_rows);

    let transposing = reversed_in == reversed_out;
    let columns = (width * count) as u64;

    let mut passes: Vec<Pass> = Vec::new();
    // Logarithms of the digits already transformed, including the extension's.
    let mut done: Vec<u32> = if log_blowup > 0 { vec![log_blowup] } else { Vec::new() };
    for (number, &log) in digits.iter().enumerate() {
        let (first, last) = (number == 0, number + 1 == digits.len());
        let tile = programs::tile(log, narrow);
        let log_done: u32 = done.iter().sum();
        let (rest, log_columns) = (log_size - log_done - log, log_size - log);
        let mut words = Words {
            total: columns << log_columns,
            log_columns: log_columns.into(),
            power,
            power_inverse,
            in_block: (width as u64) << if first { log_rows } else { log_size },
            in_mask: (1 << log_columns) - 1,
            out_block: (width as u64) << log_size,
            flags: if last { CANONICAL } else { 0 },
            ..Words::of(width)
        };
        if reversed_in {
            words.flags |= REVERSED_IN;
            words.in_log = log_done.into();
            words.out_log = log_done.into();
            if first {
                words.in_drop = log_blowup.into();
                words.in_log = 0;
            }
            if last && reversed_out {
                words.flags |= REVERSED_OUT | if log_columns > 0 { REVERSED_COLUMN } else { 0 };
                words.out_log = 0;
            }
        } else if last && !reversed_out {
            words.out_log = log_columns.into();
            if first {
                // The column is the replica alone.
                words.in_mask = 0;
            } else {
                words.in_digits =
                    done.iter().enumerate().fold(0, |all, (at, &log)| all | u64::from(log) << (8 * at));
            }
        } else {
            words.in_log = rest.into();
            words.out_log = rest.into();
            if let (true, Some(Exchanged { log_parts, .. })) = (first, transform.exchanged) {
                // A column's lowest digit is the number of a run, and runs are as far apart as there are points of a device.
                let log_run = log_rows + LOG_FIRST - log_parts - log;
                words.in_digits = u64::from(log_parts) | u64::from(log_run) << 8;
                words.in_log = (rest - log_parts).into();
            } else if first {
                words.in_mask = (1 << rest) - 1;
                words.replica_shift = rest.into();
            }
            if reversed_out {
                words.flags |= REVERSED_OUT;
            }
        }
        let access = match (words.in_log, words.out_log, words.flags & REVERSED_COLUMN) {
            _ if width > 1 => Access::Columns,
            // Columns are contiguous in the output: the tile is one piece of memory.
            (0, 0, 0) if programs::exists(log, Access::Rows) => Access::Rows,
            (0, ..) if programs::exists(log, Access::RowsIn) => Access::RowsIn,
            _ => Access::Columns,
        };

        // The factors of the inputs.
        let mut pre = None;
        if let (true, Some(exchanged)) = (first, transform.exchanged) {
            words.pre_mask = (1 << (log_size - exchanged.log_parts)) - 1;
            words.replica_mask = (1 << exchanged.log_parts) - 1;
            pre = Some(Powers {
                base: of_domain(exchanged.root),
                step: Goldilocks::ONE,
                scale: Goldilocks::ONE,
                log_i: log_blowup,
                log_j: log_rows - exchanged.log_parts,
                i_reversed: reversed_out,
                log_replicas: exchanged.log_parts,
                i_first: exchanged.first,
                log_i_step: exchanged.log_step,
                log_j_step: exchanged.log_parts,
                ..Powers::default()
            });
        } else if first {
            words.pre_mask = (1 << log_rows) - 1;
            if log_blowup > 0 {
                words.replica_mask = (1 << log_blowup) - 1;
            }
            let constant = inverse && last && log_rows > 0;
            if log_blowup > 0 || constant || (!inverse && transform.shift != Goldilocks::ONE) {
                pre = Some(Powers {
                    base: if inverse { Goldilocks::ONE } else { transform.shift },
                    step: if log_blowup > 0 { step } else { Goldilocks::ONE },
                    scale: if constant { scale } else { Goldilocks::ONE },
                    log_j: log_rows,
                    j_reversed: reversed_in,
                    log_replicas: log_blowup,
                    replicas_reversed: !reversed_in && reversed_out,
                    ..Powers::default()
                });
            }
        } else {
            let (log_i, log_j) = (digits[number - 1], digits[number..].iter().sum::<u32>());
            words.pre_mask = (1 << (log_i + log_j)) - 1;
            if reversed_in {
                words.pre_shift = (log_done - log_i).into();
            }
            pre = Some(Powers {
                base: root_of(log_i + log_j),
                step: Goldilocks::ONE,
                scale: if number == 1 { scale } else { Goldilocks::ONE },
                log_i,
                log_j,
                i_low: reversed_in,
                i_reversed: !reversed_in && reversed_out,
                j_reversed: reversed_in,
                ..Powers::default()
            });
        }
        if let Some(powers) = &mut pre {
            words.flags |= PRE;
            words.replica_size = 1 << powers.log_period();
            if reversed_in && access != Access::Columns {
                (powers.log_tile, powers.log_radix) = (log, tile.layers[0]);
            }
        }
        // And of the outputs.
        let post = (last && inverse && transform.shift != Goldilocks::ONE).then(|| {
            let (log_parts, residue) =
                transform.exchanged.map_or((0, 0), |exchanged| (exchanged.log_parts, exchanged.residue));
            let base = invert(transform.shift);
            Powers {
                base: (0..log_parts).fold(base, |base, _| base.square()),
                scale: base.pow(residue),
                log_j: log_size,
                j_reversed: reversed_out,
                ..Powers::default()
            }
        });
        if post.is_some() {
            words.flags |= POST;
            words.post_mask = (1 << log_size) - 1;
        }

        // Distances of the rows that a work item loads and stores.
        let row = 8 * width as u128;
        let log_in = words.in_log as u32 + if reversed_in { 0 } else { log - tile.layers[0] };
        let stored_reversed = words.flags & REVERSED_OUT != 0;
        let log_out = words.out_log as u32
            + if stored_reversed || tile.layers[1] == 0 { 0 } else { log - tile.log_last() };
        let (in_stride, out_stride) = (row << log_in, row << log_out);
        if in_stride > FARTHEST || out_stride > FARTHEST {
            return None;
        }
        words.in_stride = in_stride as u64;
        words.out_stride = out_stride as u64;
        words.pre_stride = 8 << log_in >> words.pre_shift;

        passes.push(Pass {
            tile,
            access,
            from: match (first, transposing) {
                (true, _) => Storage::Input,
                (false, true) => Storage::Scratch,
                (false, false) => Storage::Output,
            },
            to: if !last && transposing { Storage::Scratch } else { Storage::Output },
            groups: usize::try_from(words.total.div_ceil(1 << tile.log_columns)).ok()?,
            inner: Inner { layers: tile.layers, root: root_of(log), power_inverse },
            pre,
            post,
            words,
        });
        done.push(log);
    }
    Some(passes)
}
