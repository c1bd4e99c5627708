//! An extension in one pass, where a tile holds all points of a column.
//!
//! # Mathematical description
//!
//! The coefficients that the inverse transform leaves in a tile are multiplied by the powers of each coset's shift, in a second tile, and transformed there. So they are
//! never written to memory: the data are read once, and the result is written.

use std::ops::Range;

use super::factors::Tables;
use super::lanes::Lanes;
use super::pass::{Access, GROUP, MAX_GROUP, Pass, tasks};
use super::shared::{Source, Target};
use super::tile::{LANES, Map, Tile, TileRow, map_row};
use crate::backend::cpu::simd::Vectorised;
use crate::field::Goldilocks;
use crate::meter::Meter;
use crate::parallel::for_each_number;

/// Extensions of columns to several cosets, one after another.
pub(super) struct Extension<'a> {
    /// The inverse transform, which reads the data, and writes nothing.
    pub(super) inverse: Pass<'a>,
    /// The transform, which reads nothing, and writes the first coset's values; the places of both are those of either.
    pub(super) forward: Pass<'a>,
    /// For each coset, in the order of the result, what coefficients are multiplied by.
    pub(super) factors: &'a [Vec<Goldilocks>],
    /// Words from one coset's values to the next one's.
    pub(super) step: usize,
}

/// Some tiles of an extension, one thread's work.
struct Task<'a> {
    extension: &'a Extension<'a>,
    tiles: Range<usize>,
    source: Source<'a>,
    target: Target<'a>,
    meter: &'a Meter<'a>,
}

impl Extension<'_> {
    /// Reads every lane from `source` and writes its extensions to `target`.
    pub(super) fn run<L: Lanes>(&self, source: &[Goldilocks], target: &mut [Goldilocks], meter: &Meter<'_>) {
        let Self { inverse, forward, factors, step } = self;
        // Lanes are where the transform has them, and rows as far apart as the inverse transform's.
        let read = Access { row: inverse.read.row, ..forward.read };
        Pass { tile: inverse.tile, read, ..*forward }.check_reads(source.len());
        // The cosets are further lanes, as far apart as those of one are from each other or further.
        Pass { inner: factors.len(), write: forward.write.with_inner(*step), ..*forward }
            .check_writes(target.len());
        let lanes = forward.outer * forward.width;
        let tiles = lanes.div_ceil(LANES);
        let (source, target) = (Source::new(source), Target::new(target));
        let run = |tiles| L::enter(Task { extension: self, tiles, source, target, meter });
        match tasks(tiles, inverse.tile.size() * (1 + factors.len())) {
            0 | 1 => run(0..tiles),
            tasks => for_each_number(tasks, &|task| run(task * tiles / tasks..(task + 1) * tiles / tasks)),
        }
    }
}

impl<L: Lanes> Vectorised<L> for Task<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { extension: Extension { inverse, forward, factors, step }, tiles, source, target, meter } =
            self;
        let (size, padded) = (inverse.tile.size(), inverse.tile.padded_size());
        let group = (GROUP / (size * LANES)).clamp(1, MAX_GROUP.min(tiles.len().max(1)));
        let mut rows = vec![TileRow::default(); group * padded];
        let mut values = vec![TileRow::default(); group * forward.tile.padded_size()];
        let (mut before, mut after) = (Tables::default(), Tables::default());
        let mut layouts = Vec::with_capacity(group);
        for first in tiles.clone().step_by(group) {
            layouts.clear();
            layouts.extend((first..tiles.end.min(first + group)).map(|tile| forward.layout(tile, 0, target)));
            let words = layouts.iter().map(|layout| layout.used).sum::<usize>() * size;
            let rows = &mut rows[..layouts.len() * padded];
            inverse.gather::<L>(source, &layouts, &mut before, rows);
            for rows in rows.chunks_exact_mut(padded) {
                inverse.tile.transform::<L>(rows);
            }
            inverse.count(words, meter);
            for (number, factors) in factors.iter().enumerate() {
                let values = &mut values[..layouts.len() * forward.tile.padded_size()];
                let tiles =
                    rows.chunks_exact(padded).zip(values.chunks_exact_mut(forward.tile.padded_size()));
                for (from, to) in tiles {
                    coefficients::<L>([inverse.tile, forward.tile], from, factors, to);
                    forward.tile.transform::<L>(to);
                }
                forward.scatter::<L>(target.from(number * step), &layouts, &mut after, values);
                forward.count(words, meter);
            }
        }
        L::fence();
    }
}

/// Rows that one tile left in natural order times a factor each, for another to transform.
#[inline(always)]
fn coefficients<L: Lanes>(
    [left, right]: [&Tile; 2],
    from: &[TileRow],
    factors: &[Goldilocks],
    to: &mut [TileRow],
) {
    for (natural, (factor, &reversed)) in factors.iter().zip(&right.reversed).enumerate() {
        let to = &mut to[right.padded_index(reversed as usize)].0;
        map_row::<L>(&from[left.padded_index(natural)].0, to, Map::Times(L::splat(factor.as_u64())));
    }
}
