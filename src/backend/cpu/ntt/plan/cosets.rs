//! Coefficients to values on several cosets, side by side or one after another, and values to such values.

use super::super::extension::Extension;
use super::super::factors::{Progression, Scaling};
use super::super::lanes::Lanes;
use super::super::pass::{Access, Index, Pass};
use super::{Plan, Stage, Transform, by_row, constant};
use crate::field::{Field, Goldilocks, powers};
use crate::ntt::{Order, reverse_bits};

impl Plan<'_> {
    /// What the coefficients that this inverse transform leaves are multiplied by for each of `copies` cosets, in bit-reversed order, in [`extend`](Self::extend).
    pub(in super::super) fn factors(
        &self,
        forward: &Plan<'_>,
        root: Goldilocks,
        copies: usize,
    ) -> Vec<Vec<Goldilocks>> {
        let (inverse, transform) = (self.transform, forward.transform);
        let factors = |copy| {
            let shift = transform.shift_in * root.pow(reverse_bits(copy, copies.ilog2()) as u64);
            let factor = inverse.factor * transform.factor;
            powers(shift).map(|power| factor * power).take(self.size()).collect()
        };
        (0..copies).map(factors).collect()
    }

    /// Values to values on cosets, as this inverse transform and then [`consecutive`](Self::consecutive) of another plan make them, both of one pass and without shifts of their own.
    pub(in super::super) fn extend<L: Lanes>(
        &self,
        forward: &Plan<'_>,
        source: &[Goldilocks],
        target: &mut [Goldilocks],
        width: usize,
        factors: &[Vec<Goldilocks>],
    ) {
        let block = self.size() * width;
        let access = |outer, order| Access { outer, inner: 0, row: width, order };
        let pass = |tile| Pass {
            tile,
            outer: source.len() / block,
            inner: 1,
            width,
            read: access(block, Order::Natural),
            write: access(factors.len() * block, Order::BitReversed),
            index: Index::Inner,
            before: by_row(Goldilocks::ONE),
            after: by_row(Goldilocks::ONE),
        };
        let (inverse, forward) = (pass(&self.tiles[0]), pass(&forward.tiles[0]));
        Extension { inverse, forward, factors, step: block }.run::<L>(source, target, self.meter);
    }

    /// Bit-reversed coefficients to natural-order values on `copies` cosets, interleaved.
    ///
    /// `root` is a root whose power `copies` is the root of the transform. The coset q, shifted by `root`^q more than
    /// the transform is, fills the rows of `target` whose number is q modulo `copies`. This is a transform of
    /// `copies` times the size on zero-padded coefficients, without the first layers, which would only copy.
    /// Where `source` is `None` the coefficients are in `target`, and there is one copy.
    pub(in super::super) fn interleaved<L: Lanes>(
        &self,
        source: Option<&[Goldilocks]>,
        target: &mut [Goldilocks],
        width: usize,
        root: Goldilocks,
        copies: usize,
    ) {
        let Transform { shift_in, shift_out, factor, .. } = self.transform;
        let blocks = target.len() / (self.size() * copies * width);
        let (mut outer, mut inner) = (self.size(), copies);
        for (digit, tile) in self.tiles.iter().enumerate().rev() {
            outer /= tile.size();
            let step = |x| if inner == 1 { Goldilocks::ONE } else { x };
            let stage = Stage {
                tile,
                outer,
                inner,
                // The transform of which this is the last pass has the root r = root^outer, and value g of those
                // done is scaled by r^(g j1); so is coset g of the copies, which count as a digit done.
                before: Scaling {
                    start: constant(if digit == 0 { factor } else { Goldilocks::ONE }),
                    ratio: Progression {
                        first: shift_in.pow(outer as u64),
                        step: step(root.pow(outer as u64)),
                    },
                },
                after: match digit {
                    0 => Scaling {
                        start: Progression { first: Goldilocks::ONE, step: step(shift_out) },
                        ratio: constant(shift_out.pow(inner as u64)),
                    },
                    _ => by_row(Goldilocks::ONE),
                },
            };
            let mut pass = stage.pass(width, [Order::BitReversed, Order::Natural]);
            pass.outer *= blocks;
            match source.filter(|_| digit + 1 == self.tiles.len()) {
                Some(source) => {
                    let order = Order::BitReversed;
                    pass.read = Access { outer: tile.size() * width, inner: 0, row: width, order };
                    pass.run::<L>(source, target, self.meter);
                }
                None => pass.run_in_place::<L>(target, self.meter),
            }
            inner *= tile.size();
        }
    }

    /// Bit-reversed coefficients to bit-reversed values on `copies` cosets, one after another.
    ///
    /// The coset q is that of [`interleaved`](Self::interleaved); the cosets too are in bit-reversed order.
    pub(in super::super) fn consecutive<L: Lanes>(
        &self,
        source: &[Goldilocks],
        target: &mut [Goldilocks],
        width: usize,
        root: Goldilocks,
        copies: usize,
    ) {
        let Transform { shift_in, factor, .. } = self.transform;
        let block = self.size() * width;
        let bits = copies.ilog2();
        if self.is_single_pass() {
            let order = Order::BitReversed;
            let pass = Pass {
                tile: &self.tiles[0],
                outer: source.len() / block,
                inner: copies,
                width,
                read: Access { outer: block, inner: 0, row: width, order },
                write: Access { outer: copies * block, inner: block, row: width, order },
                index: Index::Reversed { bits, outers: 1 },
                before: Scaling {
                    start: constant(factor),
                    ratio: Progression { first: shift_in, step: root },
                },
                after: by_row(Goldilocks::ONE),
            };
            return pass.run::<L>(source, target, self.meter);
        }
        for (source, target) in source.chunks_exact(block).zip(target.chunks_exact_mut(copies * block)) {
            for (copy, target) in target.chunks_exact_mut(block).enumerate() {
                let shift = shift_in * root.pow(reverse_bits(copy, bits) as u64);
                self.reversed_to_reversed::<L>(shift, source, target, [width; 2], width);
            }
        }
    }
}
