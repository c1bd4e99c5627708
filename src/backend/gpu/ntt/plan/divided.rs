//! The passes of transforms that several devices do together: [stages](super::super::stages) and [residues](super::super::residues).

use super::super::programs::{self, Access};
use super::super::tables::{Inner, Powers};
use super::{
    CANONICAL, Choice, Exchanged, FARTHEST, LOG_LONGEST_LAYER, LOW_ROWS_FIRST, POST, PRE, Pass, REVERSED_IN,
    REVERSED_OUT, SMALL, Storage, Transform, Words, digits_of, invert, passes, power_of,
};
use crate::field::{Field, Goldilocks};
use crate::ntt::{Direction, Order, reverse_bits};

/// Binary logarithm of the points of the first pass of a transform in which devices exchange what it has made.
pub(in super::super) const LOG_FIRST: u32 = 7;

/// The passes of a transform of which 2^log_parts devices have the coefficients of one residue of their numbers each, and come to the values of one.
#[derive(Clone, Debug)]
pub(in super::super) struct Stages {
    /// Over all that a device has, of the coefficients of one residue. The outputs are runs, of which those for the same device are side by side, in the order of the transform's.
    pub(in super::super) first: Pass,
    /// Over the coefficients of so many such runs from all devices: what is for each chunk of them, and then for all.
    pub(in super::super) chunks: Vec<Vec<Pass>>,
    pub(in super::super) last: Pass,
}

/// From so many points on, of all devices, stages are faster than transforms [by residues](super::super::residues): there are more waits for what is copied, a tenth of a millisecond each.
const IN_STAGES: u128 = 1 << 27;

/// At most so many chunks, as a binary logarithm: while one is transformed, the next is copied.
const LOG_CHUNKS: u32 = 2;

/// The stages of a transform of one block for the device that has the coefficients of a residue and comes to the values of another. `None` where one device would not do it by three passes or more, for
/// coefficients in bit-reversed order, and where points are too far apart.
pub(in super::super) fn stages(
    transform: &Transform,
    width: usize,
    log_parts: u32,
    (residue_in, residue_out): (u64, u64),
    choice: Choice,
) -> Option<Stages> {
    let Transform { root, shift, .. } = *transform;
    let log_rows = transform.log_rows.checked_sub(LOG_FIRST)?;
    let points = (width as u128) << transform.log_rows;
    let digits = digits_of(log_rows, points, choice);
    let narrow = choice.narrow.unwrap_or(points <= SMALL);
    let power = |x: Goldilocks, log: u32| (0..log).fold(x, |x, _| x.square());
    let shift_of_part = power(shift, log_parts);
    let possible = (points >= IN_STAGES || choice.digits.is_some())
        && transform.input_order == Order::Natural
        && digits.len() > 1
        && digits[1..].iter().sum::<u32>() > log_parts
        && log_parts <= LOG_FIRST - programs::tile(LOG_FIRST, narrow).log_last()
        && (shift == Goldilocks::ONE || shift_of_part != Goldilocks::ONE);
    if !possible {
        return None;
    }

    let part = Transform {
        root: power(root, log_parts),
        shift: shift_of_part,
        log_rows: transform.log_rows - log_parts,
        ..*transform
    };
    let of_part = digits_of(part.log_rows - LOG_FIRST, points, choice);
    let mut first = passes(&part, width, 1, &[&[LOG_FIRST], &of_part[..]].concat(), narrow)?.swap_remove(0);
    if let Some(powers) = &mut first.pre {
        powers.scale = shift.pow(residue_in);
    }
    let reversed = transform.output_order == Order::BitReversed;
    if !reversed {
        first.words.flags |= u64::from(log_parts) << LOW_ROWS_FIRST;
        first.words.out_stride >>= log_parts;
    }

    let log_outputs = LOG_FIRST - log_parts;
    let log_chunks = LOG_CHUNKS.min(log_outputs);
    let of_outputs = |log_blowup: u32, chunk: u64| {
        let (first, log_step) = match reversed {
            true => (reverse_bits(chunk as usize, log_chunks) as u64, log_parts + log_outputs - log_blowup),
            false => (chunk << log_blowup, log_parts),
        };
        let exchanged = Exchanged {
            root,
            log_parts,
            residue: residue_out,
            first: residue_out + (first << log_parts),
            log_step,
        };
        let root = power(root, LOG_FIRST - log_blowup);
        let transform = Transform { root, log_rows, log_blowup, exchanged: Some(exchanged), ..*transform };
        passes(&transform, width, 1, &digits, narrow)
    };
    let chunk = |number: u64| {
        let mut passes = of_outputs(log_outputs - log_chunks, number)?;
        passes.pop();
        Some(passes)
    };
    let chunks = (0..1 << log_chunks).map(chunk).collect::<Option<_>>()?;
    let last = of_outputs(log_outputs, 0)?.pop()?;
    Some(Stages { first, chunks, last })
}

/// The pass across 2^`log_runs` runs of a transform of which each run has what belongs to one residue of the coefficients' numbers modulo as many: from the runs' transforms to
/// values, or, for an inverse, from values to what the runs' inverse transforms take. Each multiplies row i of run e by (s w^i)^e, or divides it by that and by the number of runs.
/// `None` where items have too few registers for that many points, or rows are too far apart.
pub(in super::super) fn across(transform: &Transform, log_runs: u32, width: usize) -> Option<Pass> {
    let Transform { log_rows: log_size, direction, .. } = *transform;
    let inverse = direction == Direction::Inverse;
    let of_domain = |x: Goldilocks| if inverse { invert(x) } else { x };
    let (root, log_columns) = (of_domain(transform.root), log_size - log_runs);
    let order = if inverse { transform.input_order } else { transform.output_order };
    // The values of a column are side by side then, and columns are in bit-reversed order.
    let reversed = order == Order::BitReversed;
    let (log_values, row) = (if reversed { 0 } else { log_columns }, 8 * width as u128);
    if log_runs > LOG_LONGEST_LAYER || row << log_columns > FARTHEST {
        return None;
    }
    let tile = programs::tile(log_runs, false);
    let (power, power_inverse) = power_of(root, log_size);
    let (log_in, log_out) = if inverse { (log_values, log_columns) } else { (log_columns, log_values) };
    let mask = (1 << log_size) - 1;
    let orders = match (reversed, inverse) {
        (false, _) => 0,
        (true, true) => REVERSED_IN,
        (true, false) => REVERSED_OUT,
    };
    let words = Words {
        total: (width as u64) << log_columns,
        log_columns: log_columns.into(),
        flags: CANONICAL | orders | if inverse { POST } else { PRE },
        power,
        power_inverse,
        in_block: (width as u64) << log_size,
        in_mask: (1 << log_columns) - 1,
        in_log: log_in.into(),
        in_stride: (row << log_in) as u64,
        pre_mask: mask,
        pre_stride: 8 << log_in,
        out_block: (width as u64) << log_size,
        out_log: log_out.into(),
        out_stride: (row << log_out) as u64,
        post_mask: mask,
        ..Words::of(width)
    };
    let factors = Powers {
        base: of_domain(transform.shift),
        step: root,
        scale: if inverse { invert(Goldilocks::new(1 << log_runs)) } else { Goldilocks::ONE },
        log_j: log_runs,
        log_replicas: log_columns,
        replicas_low: true,
        replicas_reversed: reversed,
        ..Powers::default()
    };
    let root = (log_runs..log_size).fold(root, |root, _| root.square());
    Some(Pass {
        tile,
        access: Access::Columns,
        from: Storage::Input,
        to: Storage::Output,
        groups: usize::try_from(words.total.div_ceil(1 << tile.log_columns)).ok()?,
        inner: Inner { layers: tile.layers, root, power_inverse },
        pre: (!inverse).then_some(factors),
        post: inverse.then_some(factors),
        words,
    })
}
