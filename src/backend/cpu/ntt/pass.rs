//! One pass: all transforms along one axis of an array, tile by tile.
//!
//! A pass sees the data as an array of lanes. Lane (o, g, c), with o below `outer`, g below `inner` and c below
//! `width`, is a column of as many words as a tile has rows, at equal distances in memory; [`Access`] says
//! where, separately for reading and writing. Eight lanes that follow one another in (o, g, c) make a tile: its words
//! are gathered, transformed where they lie in cache, and scattered.
//!
//! Rows may be scaled on either side by [`Scaling`]; this covers the twiddles between the passes, shifts of cosets and the factor
//! 1/n, none of which needs a pass of its own.

use std::ops::Range;

use super::factors::{Scaling, Tables};
use super::lanes::Lanes;
use super::shared::{Source, Target};
use super::tile::{LANES, Tile, TileRow};
use crate::backend::cpu::simd::Vectorised;
use crate::field::Goldilocks;
use crate::meter::Meter;
use crate::ntt::{Order, reverse_bits};
use crate::parallel::{for_each_number, threads};

/// The number of points below which another task is not worth its scheduling.
const GRAIN: usize = 1 << 13;

/// Words of the tiles that are gathered together, so that neighbouring lines are fetched together: 1 MiB. Tiles that leave
/// the second-level cache are read again as a stream, which costs less than single lines from many pages.
pub(super) const GROUP: usize = 1 << 17;

/// Words of a target, 64 MiB, that a last-level cache will not hold until the next pass: rows are written past the caches.
/// Unit tests use a lower limit, so that they exercise this too.
const STREAMED: usize = if cfg!(test) { 1 << 8 } else { 1 << 23 };

/// The most tiles that are gathered together.
pub(super) const MAX_GROUP: usize = 8;

/// The positions of the words of a pass: the word of row r in lane (o, g, c) is at o `outer` + g `inner` + r' `row` + c, where
/// r' is r, or r with its bits reversed.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) outer: usize,
    pub(super) inner: usize,
    pub(super) row: usize,
    pub(super) order: Order,
}

impl Access {
    /// With another distance of neighbouring g.
    pub(super) fn with_inner(self, inner: usize) -> Self {
        Self { inner, ..self }
    }
}

/// The index of lane (o, g, c) for its scaling.
#[derive(Clone, Copy)]
pub(super) enum Index {
    /// g.
    Inner,
    /// g `outers` + o mod `outers`, a number of `bits` bits, reversed.
    Reversed { bits: u32, outers: usize },
}

/// Whether lanes may have words in common: only where they are read and not written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    Allowed,
    Forbidden,
}

/// All transforms along one axis.
pub(super) struct Pass<'a> {
    pub(super) tile: &'a Tile,
    pub(super) outer: usize,
    pub(super) inner: usize,
    pub(super) width: usize,
    pub(super) read: Access,
    pub(super) write: Access,
    pub(super) index: Index,
    /// The scaling of the input's rows, by their natural number.
    pub(super) before: Scaling,
    /// The scaling of the output's rows, by their natural number.
    pub(super) after: Scaling,
}

/// The positions of the eight lanes of a tile.
pub(super) struct TileLayout {
    pub(super) read: [usize; LANES],
    pub(super) write: [usize; LANES],
    pub(super) index: [usize; LANES],
    /// Lanes in use: fewer than eight in the last tile only.
    pub(super) used: usize,
    pub(super) read_contiguous: bool,
    pub(super) write_contiguous: bool,
    /// Whether rows are written past the caches: whole lines of a large target.
    pub(super) streamed: bool,
    /// Whether all lanes have the same index.
    pub(super) same_index: bool,
}

/// Into how many tasks to divide so many tiles with so many points to transform in each lane.
pub(super) fn tasks(tiles: usize, points: usize) -> usize {
    let worthwhile = tiles * LANES * points / GRAIN;
    match threads() {
        1 => 1,
        threads => tiles.min(worthwhile).min(8 * threads),
    }
}

/// Some tiles of a pass, one thread's work.
struct Task<'a> {
    pass: &'a Pass<'a>,
    tiles: Range<usize>,
    /// Lanes that the first tile lacks.
    skew: usize,
    source: Source<'a>,
    target: Target<'a>,
    meter: &'a Meter<'a>,
}

/// Words that a thread transforms before it counts them.
const COUNTED: usize = 1 << 14;

impl<L: Lanes> Vectorised<L> for Task<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { pass, tiles, skew, source, target, meter } = self;
        let size = pass.tile.padded_size();
        let group = (GROUP / (pass.tile.size() * LANES)).clamp(1, MAX_GROUP.min(tiles.len()));
        let mut rows = vec![TileRow::default(); group * size];
        let (mut before, mut after) = (Tables::default(), Tables::default());
        let mut layouts = Vec::with_capacity(group);
        let mut uncounted = 0;
        for first in tiles.clone().step_by(group) {
            layouts.clear();
            layouts.extend((first..tiles.end.min(first + group)).map(|tile| pass.layout(tile, skew, target)));
            let rows = &mut rows[..layouts.len() * size];
            pass.gather::<L>(source, &layouts, &mut before, rows);
            for rows in rows.chunks_exact_mut(size) {
                pass.tile.transform::<L>(rows);
            }
            pass.scatter::<L>(target, &layouts, &mut after, rows);
            uncounted += layouts.iter().map(|layout| layout.used).sum::<usize>() * pass.tile.size();
            if uncounted >= COUNTED {
                pass.count(std::mem::take(&mut uncounted), meter);
            }
        }
        pass.count(uncounted, meter);
        L::fence();
    }
}

impl Pass<'_> {
    /// Reads every lane from `source` and writes it to `target`, on the current thread pool. Counts the layers of every word.
    pub(super) fn run<L: Lanes>(&self, source: &[Goldilocks], target: &mut [Goldilocks], meter: &Meter<'_>) {
        self.check_reads(source.len());
        self.check_writes(target.len());
        self.run_checked::<L>(Source::new(source), Target::new(target), meter);
    }

    /// Transforms every lane of `data` in place, likewise.
    pub(super) fn run_in_place<L: Lanes>(&self, data: &mut [Goldilocks], meter: &Meter<'_>) {
        let strides = |a: Access| (a.outer, a.inner, a.row);
        assert_eq!(strides(self.read), strides(self.write), "tiles in place own what they read");
        self.check_writes(data.len());
        let data = Target::new(data);
        self.run_checked::<L>(data.source(), data, meter);
    }

    /// Checks that all that is read lies within `len` words.
    pub(super) fn check_reads(&self, len: usize) {
        self.check(self.read, len, Sharing::Allowed);
    }

    /// Checks that all that is written lies within `len` words, and no two lanes in the same.
    pub(super) fn check_writes(&self, len: usize) {
        self.check(self.write, len, Sharing::Forbidden);
    }

    /// Checks that the words of an access lie within `len` and, unless sharing is allowed, that lanes are disjoint.
    fn check(&self, access: Access, len: usize, sharing: Sharing) {
        let mut axes = [
            (access.outer, self.outer),
            (access.inner, self.inner),
            (access.row, self.tile.size()),
            (1, self.width),
        ];
        axes.sort_unstable();
        // Where each axis steps over all that the finer ones span, two different lanes and rows have different words.
        let mut end = 1;
        for (stride, count) in axes {
            assert!(count == 1 || stride >= end || sharing == Sharing::Allowed, "the axes of a pass overlap");
            end += (count - 1) * stride;
        }
        assert!(end <= len, "a pass beyond its data");
    }

    /// What the checks established: all words lie within the data, and no two tiles share a word that is written.
    fn run_checked<L: Lanes>(&self, source: Source, target: Target, meter: &Meter<'_>) {
        let lanes = self.outer * self.inner * self.width;
        let skew = self.skew(source, target).min(lanes);
        let tiles = (lanes + skew).div_ceil(LANES);
        let tasks = tasks(tiles, self.tile.size());
        if tasks <= 1 {
            return L::enter(Task { pass: self, tiles: 0..tiles, skew, source, target, meter });
        }
        for_each_number(tasks, &|task| {
            let tiles = task * tiles / tasks..(task + 1) * tiles / tasks;
            L::enter(Task { pass: self, tiles, skew, source, target, meter });
        });
    }

    /// Counts words that went through all layers of a tile.
    pub(super) fn count(&self, words: usize, meter: &Meter<'_>) {
        meter.advance(words * self.tile.size().ilog2() as usize);
    }

    /// The number of lanes that the first tile must lack so that rows of the other tiles are whole cache lines, where rows are
    /// far apart: a row that straddles lines costs two.
    fn skew(&self, source: Source, target: Target) -> usize {
        match (self.outer, self.width) {
            (1, 1) if self.write.row > 1 => target.misalignment(),
            (1, 1) if self.read.row > 1 => source.misalignment(),
            _ => 0,
        }
    }

    /// The positions of a tile's lanes, when the first tile has `skew` lanes less than others.
    pub(super) fn layout(&self, tile: usize, skew: usize, target: Target) -> TileLayout {
        let first = (tile * LANES).saturating_sub(skew);
        let end = (tile + 1) * LANES - skew;
        let used = end.min(self.outer * self.inner * self.width) - first;
        let mut c = first % self.width;
        let mut g = first / self.width % self.inner;
        let mut o = first / self.width / self.inner;
        let mut layout = TileLayout {
            read: [0; LANES],
            write: [0; LANES],
            index: [0; LANES],
            used,
            read_contiguous: used == LANES,
            write_contiguous: used == LANES,
            streamed: false,
            same_index: true,
        };
        for lane in 0..used {
            layout.read[lane] = o * self.read.outer + g * self.read.inner + c;
            layout.write[lane] = o * self.write.outer + g * self.write.inner + c;
            layout.index[lane] = match self.index {
                Index::Inner => g,
                Index::Reversed { bits, outers } => reverse_bits(g * outers + o % outers, bits),
            };
            layout.read_contiguous &= layout.read[lane] == layout.read[0] + lane;
            layout.write_contiguous &= layout.write[lane] == layout.write[0] + lane;
            layout.same_index &= layout.index[lane] == layout.index[0];
            c += 1;
            if c == self.width {
                (c, g) = (0, g + 1);
            }
            if g == self.inner {
                (g, o) = (0, o + 1);
            }
        }
        let is_line = (target.misalignment() + layout.write[0]).is_multiple_of(LANES)
            && self.write.row.is_multiple_of(LANES);
        layout.streamed = layout.write_contiguous && is_line && target.len() >= STREAMED;
        layout
    }
}
