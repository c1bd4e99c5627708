//! Plans: the passes of a transform over a prime field, with their parameters.
//!
//! # Mathematical description
//!
//! Values on a domain { s w^i } are remainders modulo X - s w^i. They are found down a tree: at stage m = 1, 2, 4, ... there are
//! m blocks, the remainders modulo X^(n/m) - z^2, and each is taken modulo X^(n/2m) - z and X^(n/2m) + z, which costs one product
//! for two points: (u, v) goes to u + z v and u - z v. Block i at stage m has z = (s w^rev(i))^(n/2m), rev among the log m bits
//! of i. This takes coefficients in natural order to values in bit-reversed order, in place (decimation in time, by Cooley and
//! Tukey's butterflies). With stages in the opposite order and inverted twiddles (decimation in frequency, by Gentleman and
//! Sande's) values become coefficients: (u, v) goes to u + v and (u - v) / z, and the factor n is taken off at the end, by adding
//! the multiple of r that makes the sum divisible by a power of two.
//!
//! - A shift costs only a table of twiddles of its own. Without one block 0 has z = 1 at every stage, and n of the n log n / 2
//!   products fall away.
//! - Coefficients padded with zeros are their own remainders at the first stages, which are left out: every block reads them all.
//! - A pass does a run of stages on columns of 2^t points at equal distance, in work-group memory. Between passes nothing is
//!   multiplied and nothing moved.
//! - The other orders are had by reading in the first pass, or writing in the last one, at bit-reversed indices. Such a pass does
//!   not work in place.

use super::super::ntt::{Choice, Storage};
use super::twiddles::Twiddles;
use crate::field::{MontgomeryField, TwoAdic};
use crate::ntt::{Direction, Domain, Ntt, Order};

/// Binary logarithm of the points of the largest groups: [`programs`](super::programs) says so to the kernels.
pub(super) const LOG_TILE: u32 = 9;

/// Binary logarithm of the points of a group: columns of 2^`log_tile` points in twos and more, where they are not the longest.
fn log_group(log_tile: u32) -> u32 {
    if log_tile < 8 { 8 } else { LOG_TILE }
}

/// Stages that a pass does at most where there are several. From 2^24 points on, where data come from memory, wider pieces of
/// rows are worth another pass.
fn stages(bits: u32) -> u32 {
    if bits < 24 { 8 } else { 7 }
}

/// A transform, or one of polynomials padded with zeros.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Transform<F: TwoAdic> {
    pub(in super::super) ntt: Ntt<F>,
    /// Binary logarithm of the number of coefficients of an input; that of the points, but for padded ones.
    pub(in super::super) log_input: u32,
}

impl<F: MontgomeryField + TwoAdic> Transform<F> {
    pub(in super::super) fn new(ntt: &Ntt<F>) -> Self {
        Self { ntt: *ntt, log_input: ntt.domain.log_size() }
    }

    /// The values on a domain, in an order, of polynomials of 2^`log_input` coefficients.
    pub(in super::super) fn padded(domain: &Domain<F>, log_input: u32, order: Order) -> Self {
        Self { ntt: Ntt::forward(*domain).with_orders(Order::Natural, order), log_input }
    }

    fn is_inverse(&self) -> bool {
        self.ntt.direction == Direction::Inverse
    }

    /// Whether inputs are read, and outputs written, at bit-reversed indices.
    fn reversals(&self) -> [bool; 2] {
        let reversed = |order, expected| order != expected && self.ntt.domain.log_size() > 1;
        match self.ntt.direction {
            Direction::Forward => [
                reversed(self.ntt.input_order, Order::Natural),
                reversed(self.ntt.output_order, Order::BitReversed),
            ],
            Direction::Inverse => [
                reversed(self.ntt.input_order, Order::BitReversed),
                reversed(self.ntt.output_order, Order::Natural),
            ],
        }
    }

    /// The twiddles that its passes multiply with.
    pub(super) fn twiddles(&self) -> Twiddles<F> {
        let domain = &self.ntt.domain;
        let invert = |x: F| x.inverted().expect("roots and shifts are not zero");
        let (root, shift) = match self.is_inverse() {
            true => (invert(domain.root()), invert(domain.shift())),
            false => (domain.root(), domain.shift()),
        };
        Twiddles { log_size: domain.log_size(), root, shift }
    }
}

/// One launch; the parameters of `kernels/fft_pass.cl`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    pub(super) from: Storage,
    pub(super) to: Storage,
    /// From the leaves to the root: values to coefficients.
    pub(super) inverse: bool,
    /// Columns in all.
    pub(super) total: usize,
    /// Binary logarithms: points of a polynomial, coefficients of its input, points of a column, their distance, columns of a group.
    pub(super) log_size: u32,
    pub(super) log_input: u32,
    pub(super) log_tile: u32,
    pub(super) log_stride: u32,
    pub(super) log_columns: u32,
    pub(super) flags: u64,
}

// Flags of the kernels.
const COSET: u64 = 1;
const REVERSED_IN: u64 = 2;
const REVERSED_OUT: u64 = 4;
const REVERSED_COLUMN: u64 = 8;
const CANONICAL: u64 = 16;
const DIVIDE: u64 = 32;

impl Pass {
    /// The numbers of scalars that it reads and writes, from the starts of their regions.
    pub(super) fn extent(&self) -> [usize; 2] {
        let polynomials = self.total >> (self.log_size - self.log_tile);
        [polynomials << self.log_input, polynomials << self.log_size]
    }
}

/// Whether the first pass may overwrite its input, where that has the output's size; otherwise a plan with [scratch
/// memory](needs_scratch) needs further memory.
pub(super) fn scratch_may_be_input(passes: &[Pass]) -> bool {
    passes.first().is_some_and(|first| first.flags & REVERSED_IN == 0 && first.log_input == first.log_size)
}

/// Whether passes write to scratch memory of the output's size.
pub(super) fn needs_scratch(passes: &[Pass]) -> bool {
    passes.iter().any(|pass| pass.to == Storage::Scratch)
}

/// The digits into which passes divide an index of so many bits, largest first.
fn digits(bits: u32, choice: Choice) -> Vec<u32> {
    if let Some(digits) = choice.digits.filter(|digits| digits.iter().sum::<u32>() == bits) {
        return digits.to_vec();
    }
    let passes = if bits <= LOG_TILE { 1 } else { bits.div_ceil(stages(bits)) };
    (0..passes).map(|number| bits / passes + u32::from(number < bits % passes)).collect()
}

/// The passes of the transforms of `count` polynomials.
pub(super) fn plan<F: MontgomeryField + TwoAdic>(
    transform: &Transform<F>,
    count: usize,
    choice: Choice,
) -> Vec<Pass> {
    let (log_size, inverse) = (transform.ntt.domain.log_size(), transform.is_inverse());
    let [reversed_in, reversed_out] = transform.reversals();
    let coset = transform.ntt.domain.shift() != <F as TwoAdic>::ONE;
    let digits = digits(transform.log_input, choice);
    let mut passes: Vec<Pass> = Vec::new();
    let mut log_stride = transform.log_input;
    for &log_tile in &digits {
        log_stride -= log_tile;
        let log_columns = log_group(log_tile) - log_tile;
        passes.push(Pass {
            from: Storage::Output,
            to: Storage::Output,
            inverse,
            total: count << (log_size - log_tile),
            log_size,
            log_input: log_size,
            log_tile,
            log_stride,
            log_columns,
            flags: if coset { COSET } else { 0 },
        });
    }
    if inverse {
        passes.reverse();
    }
    let last = passes.len() - 1;
    passes[0].from = Storage::Input;
    passes[0].log_input = transform.log_input;
    if reversed_in {
        passes[0].flags |= REVERSED_IN;
    }
    passes[last].flags |= CANONICAL | if inverse && log_size > 0 { DIVIDE } else { 0 };
    if reversed_out {
        passes[last].flags |= REVERSED_OUT;
        for number in 0..last {
            passes[number].to = Storage::Scratch;
            passes[number + 1].from = Storage::Scratch;
        }
    }
    // Columns that lie one behind the other are neighbours at the end where their indices are reversed.
    let reversals = REVERSED_IN | REVERSED_OUT;
    let behind = passes.iter_mut().filter(|pass| pass.log_stride == 0 && pass.flags & reversals != 0);
    behind.for_each(|pass| pass.flags |= REVERSED_COLUMN);
    passes
}
