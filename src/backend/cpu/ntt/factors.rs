//! The factors by which rows of tiles are multiplied as they are gathered and scattered.
//!
//! Twiddles between passes, shifts of cosets and the factor 1/n are all of one form, [`Scaling`]: on each lane a geometric
//! progression, whose first value and ratio are themselves geometric in the lane's index. Lanes of one index share a table;
//! others have running products, a few rows side by side.

use super::lanes::Lanes;
use super::pass::{MAX_GROUP, TileLayout};
use super::tile::{LANES, TileRow};
use crate::field::{Field, Goldilocks, powers};

/// Running products side by side, since one is bound by latency.
pub(super) const CHAINS: usize = 4;

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

/// The factor start(index) * ratio(index)^row on every row of a lane, whose index is that of its [`Index`](super::pass::Index).
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

    /// The factors of one side of a tile of `size` rows, in that side's tables if all lanes share them.
    #[inline(always)]
    pub(super) fn factors<L: Lanes>(self, layout: &TileLayout, size: usize, tables: &mut Tables) -> Factors {
        if self.is_trivial() {
            return Factors::None;
        }
        if self.is_uniform() || layout.same_index {
            let key = if self.is_uniform() { 0 } else { layout.index[0] };
            return Factors::Rows(tables.find::<L>(self, key, size));
        }
        self.factors_by_lane(layout)
    }

    fn factors_by_lane(self, layout: &TileLayout) -> Factors {
        let each = |p: Progression| {
            let mut row = TileRow::default();
            let mut power = p.at(layout.index[0]);
            for lane in 0..layout.used {
                // Neighbouring lanes mostly have equal or neighbouring indices.
                if lane > 0 && layout.index[lane] != layout.index[lane - 1] {
                    power = match layout.index[lane] == layout.index[lane - 1] + 1 {
                        true => power * p.step,
                        false => p.at(layout.index[lane]),
                    };
                }
                row.0[lane] = power.as_u64();
            }
            row
        };
        Factors::Lanes { start: each(self.start), ratio: each(self.ratio) }
    }
}

/// The factors of one side of a tile.
#[derive(Clone, Copy)]
pub(super) enum Factors {
    None,
    /// One factor a row: the number of their table.
    Rows(usize),
    /// A factor a lane, multiplied by its ratio from row to row.
    Lanes {
        start: TileRow,
        ratio: TileRow,
    },
}

/// A table of factors by row.
#[derive(Default)]
struct Table {
    key: usize,
    factors: Vec<u64>,
    /// The time of its last use.
    used: usize,
}

/// The tables of factors by row that one side of a thread's tiles last used: two for each tile of a group, so that what one
/// of them uses is not overwritten for another.
#[derive(Default)]
pub(super) struct Tables {
    tables: Vec<Table>,
    clock: usize,
}

/// Multiplies row by row.
#[inline(always)]
pub(super) fn multiply<L: Lanes>(row: &mut TileRow, by: &TileRow) {
    for k in (0..LANES).step_by(L::WIDTH) {
        L::load(&row.0[k..]).mul(L::load(&by.0[k..])).store(&mut row.0[k..]);
    }
}

/// Running products by lane: the factors of `CHAINS` rows that follow one another, and the step to as many further.
#[derive(Clone, Copy, Default)]
pub(super) struct Chains {
    pub(super) current: [TileRow; CHAINS],
    pub(super) step: TileRow,
}

impl Chains {
    /// Begins with a tile's first factors, which are by lane.
    #[inline(always)]
    pub(super) fn begin<L: Lanes>(&mut self, factors: &Factors) {
        let &Factors::Lanes { start, ratio } = factors else { return };
        (self.current, self.step) = ([start; CHAINS], ratio);
        for k in 1..CHAINS {
            self.current[k] = self.current[k - 1];
            multiply::<L>(&mut self.current[k], &ratio);
            multiply::<L>(&mut self.step, &ratio);
        }
    }
}

impl Factors {
    /// The factors by row, or none of them, unless lanes differ.
    pub(super) fn by_row(self, tables: &Tables) -> Option<Option<&[u64]>> {
        match self {
            Self::None => Some(None),
            Self::Rows(table) => Some(Some(&tables.tables[table].factors)),
            Self::Lanes { .. } => None,
        }
    }
}

impl Tables {
    /// The number of the table of start(key) * ratio(key)^row for `len` rows.
    #[inline(always)]
    fn find<L: Lanes>(&mut self, scaling: Scaling, key: usize, len: usize) -> usize {
        self.clock += 1;
        let found = self.tables.iter().position(|table| table.key == key);
        let number = match found {
            Some(number) => number,
            None => {
                if self.tables.len() < 2 * MAX_GROUP {
                    self.tables.push(Table::default());
                }
                let last = self.tables.len() - 1;
                let number = match self.tables[last].factors.is_empty() {
                    true => last,
                    false => (0..=last).min_by_key(|&i| self.tables[i].used).unwrap_or(last),
                };
                let table = &mut self.tables[number];
                table.key = key;
                table.fill::<L>(scaling.start.at(key), scaling.ratio.at(key), len);
                number
            }
        };
        self.tables[number].used = self.clock;
        number
    }

    /// The factor of a row where factors are by row.
    #[inline(always)]
    pub(super) fn factor(&self, factors: &Factors, row: usize) -> u64 {
        match *factors {
            Factors::Rows(table) => self.tables[table].factors[row],
            _ => 1,
        }
    }
}

impl Table {
    /// start * ratio^i for i below `len` at least.
    #[inline(always)]
    fn fill<L: Lanes>(&mut self, start: Goldilocks, ratio: Goldilocks, len: usize) {
        let mut first = TileRow::default();
        for (word, power) in first.0.iter_mut().zip(powers(ratio)) {
            *word = (start * power).as_u64();
        }
        let mut chains = Chains::default();
        let ratio = TileRow([ratio.pow(LANES as u64).as_u64(); LANES]);
        chains.begin::<L>(&Factors::Lanes { start: first, ratio });
        self.factors.clear();
        while self.factors.len() < len {
            for row in &mut chains.current {
                self.factors.extend_from_slice(&row.0);
                multiply::<L>(row, &chains.step);
            }
        }
    }
}
