//! Layers of butterflies of 16 points.
//!
//! # Mathematical description
//!
//! A run of 16 h rows holds sixteen transforms of h points, of the elements whose index is 0, 8, 4, ... modulo 16. With w of
//! order 16 h, u = w^h and x_j the transform of the elements that are j modulo 16,
//!
//! ```text
//! X[i + k h] = sum over j of u^(j k) (w^(i j) x_j[i])
//! ```
//!
//! The first layer, h = 1, has no twiddles, and as few points as leave a power of 16. The root u of order 16 is 2^12 to some
//! odd power: a [`butterfly`](super::butterfly) works with 2^12, and its outputs are permuted accordingly.

use super::butterfly::{LOG_RADIX, Layer, Twiddle, twiddle};
use super::lanes::Lanes;
use super::tile::TileRow;
use crate::field::{Field, Goldilocks, powers};

/// The twiddles of all layers of one size and root.
#[derive(Debug)]
pub(super) struct Layers {
    log_size: u32,
    /// w^(i j), j from 1 to 15, for every i below h, of every layer but the first.
    twiddles: Vec<[Twiddle; 15]>,
    /// For a first layer's butterfly and for a later one's: for every output m of the butterfly by shifts, the index of that
    /// output for the layer's own root.
    outputs: [[u8; 16]; 2],
}

/// The binary logarithm of the number of points of the first layer's butterflies.
fn first_layer(log_size: u32) -> u32 {
    match log_size {
        0 => 0,
        _ => (log_size - 1) % LOG_RADIX + 1,
    }
}

/// For every m the k for which the power k of the root of order 2^`log` is 2^(192 m / 2^log).
fn outputs(log: u32, powers_of_root: &[Goldilocks]) -> [u8; 16] {
    let mut outputs = [0; 16];
    let size = powers_of_root.len();
    let of_order: Vec<_> = powers_of_root.iter().step_by(size >> log.min(size.ilog2())).collect();
    let shift = Goldilocks::new(2).pow(192 >> log);
    for (output, power) in outputs.iter_mut().zip(powers(shift)).take(of_order.len()) {
        let found = of_order.iter().position(|&&x| x == power);
        *output = found.expect("all roots of an order are powers of each other") as u8;
    }
    outputs
}

impl Layers {
    /// The twiddles for a root, given all of its powers from 1 on.
    pub(super) fn new(powers: &[Goldilocks]) -> Self {
        let size = powers.len();
        let log_size = size.ilog2();
        let first = first_layer(log_size);
        let mut twiddles = Vec::with_capacity(size / 15);
        let mut h = 1 << first;
        while h < size {
            let step = size / (16 * h);
            twiddles.extend((0..h).map(|i| std::array::from_fn(|j| twiddle(powers[i * (j + 1) * step]))));
            h *= 16;
        }
        let later = if log_size > first { outputs(LOG_RADIX, powers) } else { [0; 16] };
        Self { log_size, twiddles, outputs: [outputs(first, powers), later] }
    }

    /// The binary logarithm of the rows of a block, which two layers transform. A row of padding follows each in memory,
    /// because the third layer's butterflies would otherwise have all their rows in one set of a first-level cache.
    pub(super) fn log_block(&self) -> u32 {
        first_layer(self.log_size) + LOG_RADIX
    }

    /// Transforms rows that are in bit-reversed order in memory; the result is in natural order and not canonical.
    #[inline(always)]
    pub(super) fn transform<L: Lanes>(&self, rows: &mut [TileRow]) {
        let first = first_layer(self.log_size);
        if first == self.log_size {
            return self.first_layer::<L, true>(rows);
        }
        let (second, third) = self.twiddles.split_at(1 << first);
        let block = 16 << first;
        for rows in rows.chunks_exact_mut(block + 1) {
            let rows = &mut rows[..block];
            self.first_layer::<L, false>(rows);
            match third.is_empty() {
                true => Layer::<4, false, true>::run::<L>(rows, second.len(), second, &self.outputs[1]),
                false => Layer::<4, false, false>::run::<L>(rows, second.len(), second, &self.outputs[1]),
            }
        }
        if !third.is_empty() {
            Layer::<4, false, true>::run::<L>(rows, block + 1, third, &self.outputs[1]);
        }
    }

    #[inline(always)]
    fn first_layer<L: Lanes, const LAST: bool>(&self, rows: &mut [TileRow]) {
        let outputs = &self.outputs[0];
        match first_layer(self.log_size) {
            0 => {}
            1 => Layer::<1, true, LAST>::run::<L>(rows, 1, &[], outputs),
            2 => Layer::<2, true, LAST>::run::<L>(rows, 1, &[], outputs),
            3 => Layer::<3, true, LAST>::run::<L>(rows, 1, &[], outputs),
            _ => Layer::<4, true, LAST>::run::<L>(rows, 1, &[], outputs),
        }
    }
}
