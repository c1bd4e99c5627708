//! One pass: all transforms along one axis of an array, tile by tile.
//!
//! A pass sees the data as an array of lanes. Lane (o, g, c), with o below `outer`, g below `inner` and c below
//! `width`, is a column of as many words as a tile has rows, at equal distances in memory; [`Access`] says
//! where, separately for reading and writing. Eight lanes that follow one another in (o, g, c) make a tile: its words
//! are gathered, transformed where they lie in cache, and scattered.
//!
//! Rows may be scaled on either side by [`Scaling`]; that is where the twiddles between the passes, shifts of
//! cosets and the factor 1/n go, none of which costs a sweep of its own.

use std::ops::Range;

use rayon::prelude::*;

use super::lanes::{Lanes, Work};
use super::shared::{Source, Target};
use super::tile::{LANES, Map, Row, Tile, map_row};
use crate::field::{Field, Goldilocks};
use crate::ntt::{Order, reverse_bits};

/// Points below which another task is not worth its scheduling.
const GRAIN: usize = 1 << 13;

/// How many rows ahead memory is asked for: far apart, they are fetched by nothing else. No further, because rows a
/// large power of two apart share one set of eight lines in each cache.
const AHEAD: usize = 4;

/// Where the words of a pass stand: that of row r in lane (o, g, c) at o `outer` + g `inner` + r' `row` + c, where
/// r' is r, or r with its bits reversed.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) outer: usize,
    pub(super) inner: usize,
    pub(super) row: usize,
    pub(super) order: Order,
}

/// The geometric progression first * step^index.
#[derive(Clone, Copy)]
pub(super) struct Progression {
    pub(super) first: Goldilocks,
    pub(super) step: Goldilocks,
}

impl Progression {
    fn is_constant(self) -> bool {
        self.step == Goldilocks::ONE
    }

    fn at(self, index: usize) -> Goldilocks {
        match self.is_constant() {
            true => self.first,
            false => self.first * self.step.pow(index as u64),
        }
    }
}

/// The factor start(index) * ratio(index)^row on every row of a lane, whose index is that of its [`Index`].
#[derive(Clone, Copy)]
pub(super) struct Scaling {
    pub(super) start: Progression,
    pub(super) ratio: Progression,
}

impl Scaling {
    fn is_trivial(self) -> bool {
        [self.start, self.ratio].iter().all(|p| p.is_constant() && p.first == Goldilocks::ONE)
    }

    fn is_uniform(self) -> bool {
        self.start.is_constant() && self.ratio.is_constant()
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

/// Where the eight lanes of a tile stand.
struct Placement {
    read: [usize; LANES],
    write: [usize; LANES],
    index: [usize; LANES],
    /// Lanes in use: fewer than eight in the last tile only.
    used: usize,
    read_contiguous: bool,
    write_contiguous: bool,
    /// Whether all lanes have the same index.
    same_index: bool,
}

/// The factors of one side of a tile.
enum Factors {
    None,
    /// One factor a row: the table of them.
    Rows,
    /// A factor a lane, multiplied by its ratio from row to row.
    Lanes {
        current: Row,
        ratio: Row,
    },
}

/// The table of factors by row that one side of a thread's tiles last used.
#[derive(Default)]
struct Table {
    key: Option<usize>,
    factors: Vec<u64>,
}

/// Some tiles of a pass, one thread's work.
struct Task<'a> {
    pass: &'a Pass<'a>,
    tiles: Range<usize>,
    source: Source<'a>,
    target: Target<'a>,
}

impl Work for Task<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { pass, tiles, source, target } = self;
        let mut rows = vec![Row::default(); pass.tile.size()];
        let (mut before, mut after) = (Table::default(), Table::default());
        for tile in tiles {
            let place = pass.place(tile);
            pass.gather::<L>(source, &place, &mut before, &mut rows);
            pass.tile.transform::<L>(&mut rows);
            pass.scatter::<L>(target, &place, &mut after, &rows);
        }
    }
}

impl Pass<'_> {
    /// Reads every lane from `source` and writes it to `target`, on the current thread pool.
    pub(super) fn run<L: Lanes>(&self, source: &[Goldilocks], target: &mut [Goldilocks]) {
        self.check(self.read, source.len(), Sharing::Allowed);
        self.check(self.write, target.len(), Sharing::Forbidden);
        self.run_checked::<L>(Source::new(source), Target::new(target));
    }

    /// Reads every lane from `data` and writes it back, on the current thread pool.
    pub(super) fn run_in_place<L: Lanes>(&self, data: &mut [Goldilocks]) {
        let strides = |a: Access| (a.outer, a.inner, a.row);
        assert_eq!(strides(self.read), strides(self.write), "tiles in place own what they read");
        self.check(self.write, data.len(), Sharing::Forbidden);
        let data = Target::new(data);
        self.run_checked::<L>(data.source(), data);
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
        // Where each axis steps over all that the finer ones span, two different places have different words.
        let mut end = 1;
        for (stride, count) in axes {
            assert!(count == 1 || stride >= end || sharing == Sharing::Allowed, "the axes of a pass overlap");
            end += (count - 1) * stride;
        }
        assert!(end <= len, "a pass beyond its data");
    }

    /// What the checks established: all words lie within the data, and no two tiles share a word that is written.
    fn run_checked<L: Lanes>(&self, source: Source, target: Target) {
        let tiles = (self.outer * self.inner * self.width).div_ceil(LANES);
        let worthwhile = tiles * LANES * self.tile.size() / GRAIN;
        let tasks = match rayon::current_num_threads() {
            1 => 1,
            threads => tiles.min(worthwhile).min(8 * threads),
        };
        if tasks <= 1 {
            return L::enter(Task { pass: self, tiles: 0..tiles, source, target });
        }
        (0..tasks).into_par_iter().for_each(|task| {
            let tiles = task * tiles / tasks..(task + 1) * tiles / tasks;
            L::enter(Task { pass: self, tiles, source, target });
        });
    }

    fn place(&self, tile: usize) -> Placement {
        let first = tile * LANES;
        let used = LANES.min(self.outer * self.inner * self.width - first);
        let mut c = first % self.width;
        let mut g = first / self.width % self.inner;
        let mut o = first / self.width / self.inner;
        let mut place = Placement {
            read: [0; LANES],
            write: [0; LANES],
            index: [0; LANES],
            used,
            read_contiguous: used == LANES,
            write_contiguous: used == LANES,
            same_index: true,
        };
        for lane in 0..used {
            place.read[lane] = o * self.read.outer + g * self.read.inner + c;
            place.write[lane] = o * self.write.outer + g * self.write.inner + c;
            place.index[lane] = match self.index {
                Index::Inner => g,
                Index::Reversed { bits, outers } => reverse_bits(g * outers + o % outers, bits),
            };
            place.read_contiguous &= place.read[lane] == place.read[0] + lane;
            place.write_contiguous &= place.write[lane] == place.write[0] + lane;
            place.same_index &= place.index[lane] == place.index[0];
            c += 1;
            if c == self.width {
                (c, g) = (0, g + 1);
            }
            if g == self.inner {
                (g, o) = (0, o + 1);
            }
        }
        place
    }

    /// The factors of one side, by way of that side's table if all lanes share them.
    fn factors(&self, scaling: Scaling, place: &Placement, table: &mut Table) -> Factors {
        if scaling.is_trivial() {
            return Factors::None;
        }
        if scaling.is_uniform() || place.same_index {
            let key = if scaling.is_uniform() { 0 } else { place.index[0] };
            if table.key != Some(key) {
                table.key = Some(key);
                table.fill(scaling.start.at(key), scaling.ratio.at(key), self.tile.size());
            }
            return Factors::Rows;
        }
        let each = |p: Progression| {
            let mut row = Row::default();
            let mut power = p.at(place.index[0]);
            for lane in 0..place.used {
                // Neighbouring lanes mostly have equal or neighbouring indices.
                if lane > 0 && place.index[lane] != place.index[lane - 1] {
                    power = match place.index[lane] == place.index[lane - 1] + 1 {
                        true => power * p.step,
                        false => p.at(place.index[lane]),
                    };
                }
                row.0[lane] = power.as_u64();
            }
            row
        };
        Factors::Lanes { current: each(scaling.start), ratio: each(scaling.ratio) }
    }

    /// Loads a tile, its rows in bit-reversed order.
    #[inline(always)]
    fn gather<L: Lanes>(&self, source: Source, place: &Placement, table: &mut Table, rows: &mut [Row]) {
        let reversed = &self.tile.reversed;
        // The natural and the reversed number of the row that memory has at i.
        let numbers = |i: usize| match self.read.order {
            Order::Natural => (i, reversed[i] as usize),
            Order::BitReversed => (reversed[i] as usize, i),
        };
        match self.factors(self.before, place, table) {
            Factors::None => {
                for i in 0..rows.len() {
                    self.load::<L>(source, place, i, &mut rows[numbers(i).1], Map::Copy);
                }
            }
            Factors::Rows => {
                for i in 0..rows.len() {
                    let (natural, to) = numbers(i);
                    let factor = L::splat(table.factors[natural]);
                    self.load::<L>(source, place, i, &mut rows[to], Map::Times(factor));
                }
            }
            Factors::Lanes { mut current, ratio } => {
                // A running product goes by natural number.
                for (natural, &to) in reversed.iter().enumerate() {
                    let to = to as usize;
                    let i = if self.read.order == Order::Natural { natural } else { to };
                    self.load::<L>(source, place, i, &mut rows[to], Map::TimesRow(&current));
                    advance::<L>(&mut current, &ratio);
                }
            }
        }
    }

    /// Reads the row that memory has at `row`, each word through `map`.
    #[inline(always)]
    fn load<L: Lanes>(&self, source: Source, place: &Placement, row: usize, to: &mut Row, map: Map<'_, L>) {
        let offset = row * self.read.row;
        if place.read_contiguous {
            source.prefetch(place.read[0] + offset + AHEAD * self.read.row);
            // SAFETY: within the data and no other tile's: see `run_checked`. The reference ends here.
            return map_row(unsafe { source.row(place.read[0] + offset) }, &mut to.0, map);
        }
        let mut words = [0; LANES];
        for (word, lane) in words.iter_mut().zip(place.read).take(place.used) {
            // SAFETY: as above.
            *word = unsafe { source.read(lane + offset) };
        }
        map_row(&words, &mut to.0, map);
    }

    /// Stores a tile, whose rows are in natural order.
    #[inline(always)]
    fn scatter<L: Lanes>(&self, target: Target, place: &Placement, table: &mut Table, rows: &[Row]) {
        let reversed = &self.tile.reversed;
        // The row that memory has at i.
        let number = |i: usize| match self.write.order {
            Order::Natural => i,
            Order::BitReversed => reversed[i] as usize,
        };
        match self.factors(self.after, place, table) {
            Factors::None => {
                for i in 0..rows.len() {
                    self.store::<L>(target, place, i, &rows[number(i)], Map::Canonical);
                }
            }
            Factors::Rows => {
                for i in 0..rows.len() {
                    let natural = number(i);
                    let factor = L::splat(table.factors[natural]);
                    self.store::<L>(target, place, i, &rows[natural], Map::Times(factor));
                }
            }
            Factors::Lanes { mut current, ratio } => {
                for (natural, row) in rows.iter().enumerate() {
                    self.store::<L>(target, place, number(natural), row, Map::TimesRow(&current));
                    advance::<L>(&mut current, &ratio);
                }
            }
        }
    }

    /// Writes the row that memory has at `row`, each word through `map`.
    #[inline(always)]
    fn store<L: Lanes>(&self, target: Target, place: &Placement, row: usize, from: &Row, map: Map<'_, L>) {
        let offset = row * self.write.row;
        if place.write_contiguous {
            // SAFETY: within the data and no other tile's: see `run_checked`. The reference ends here.
            return map_row(&from.0, unsafe { target.row(place.write[0] + offset) }, map);
        }
        let mut words = [0; LANES];
        map_row(&from.0, &mut words, map);
        for (&word, lane) in words.iter().zip(place.write).take(place.used) {
            // SAFETY: as above.
            unsafe { target.write(lane + offset, word) };
        }
    }
}

/// Multiplies every lane's factor by its ratio.
#[inline(always)]
fn advance<L: Lanes>(current: &mut Row, ratio: &Row) {
    for k in (0..LANES).step_by(L::WIDTH) {
        L::load(&current.0[k..]).mul(L::load(&ratio.0[k..])).store(&mut current.0[k..]);
    }
}

impl Table {
    /// start * ratio^i for i below `len`, as four interleaved chains, since one is bound by latency.
    fn fill(&mut self, start: Goldilocks, ratio: Goldilocks, len: usize) {
        self.factors.clear();
        let mut chains = [start, start * ratio, start * ratio.square(), start * ratio.square() * ratio];
        let step = ratio.square().square();
        while self.factors.len() < len {
            self.factors.extend(chains.map(Goldilocks::as_u64));
            chains = chains.map(|x| x * step);
        }
    }
}
