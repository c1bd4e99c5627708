//! Tiles to and from memory.
//!
//! Rows that are contiguous are moved a row of each tile of a group at a time, so that neighbouring lines are visited
//! together; lanes that are contiguous, eight rows at a time, as columns; anything else word by word.

use std::mem::discriminant;

use super::factors::{CHAINS, Chains, Factors, Scaling, Tables, multiply};
use super::lanes::Lanes;
use super::pass::{MAX_GROUP, Pass, TileLayout};
use super::shared::{Source, Target};
use super::tile::{LANES, Map, TileRow, map_row, stream_row};
use crate::ntt::Order;

/// The prefetch distance in rows: hardware does not prefetch rows that are far apart. It is small because rows a large power of
/// two apart share one set of eight lines in each cache.
const AHEAD: usize = 4;

impl Pass<'_> {
    /// Loads tiles, their rows in bit-reversed order.
    #[inline(always)]
    pub(super) fn gather<L: Lanes>(
        &self,
        source: Source,
        layouts: &[TileLayout],
        tables: &mut Tables,
        rows: &mut [TileRow],
    ) {
        let (factors, are_alike) = self.factors::<L>(self.before, layouts, tables);
        let factors = &factors[..layouts.len()];
        if are_alike && layouts.iter().all(|layout| layout.read_contiguous) {
            return self.gather_alike::<L>(source, layouts, factors, tables, rows);
        }
        let tiles =
            layouts.chunks(1).zip(factors.chunks(1)).zip(rows.chunks_exact_mut(self.tile.padded_size()));
        for ((layout, factors), rows) in tiles {
            let columns = self.read.row == 1 && layout[0].used == LANES && self.tile.size() >= LANES;
            match factors[0].by_row(tables) {
                Some(by_row) if columns => self.gather_columns::<L>(source, &layout[0], by_row, rows),
                _ => self.gather_alike::<L>(source, layout, factors, tables, rows),
            }
        }
    }

    /// The factors of one side of tiles, and whether they are of one kind.
    #[inline(always)]
    fn factors<L: Lanes>(
        &self,
        scaling: Scaling,
        layouts: &[TileLayout],
        tables: &mut Tables,
    ) -> ([Factors; MAX_GROUP], bool) {
        let mut factors = [Factors::None; MAX_GROUP];
        for (factors, layout) in factors.iter_mut().zip(layouts) {
            *factors = scaling.factors::<L>(layout, self.tile.size(), tables);
        }
        let kind = discriminant(&factors[0]);
        (factors, factors[..layouts.len()].iter().all(|factors| discriminant(factors) == kind))
    }

    /// The natural and the bit-reversed number of the row at index i in memory, in some order.
    #[inline(always)]
    fn numbers(&self, order: Order, i: usize) -> (usize, usize) {
        let reversed = self.tile.reversed[i] as usize;
        match order {
            Order::Natural => (i, reversed),
            Order::BitReversed => (reversed, i),
        }
    }

    /// Loads tiles whose factors are of one kind, a row of each at a time.
    #[inline(always)]
    fn gather_alike<L: Lanes>(
        &self,
        source: Source,
        layouts: &[TileLayout],
        factors: &[Factors],
        tables: &Tables,
        rows: &mut [TileRow],
    ) {
        let padded = self.tile.padded_size();
        match factors[0] {
            Factors::None => {
                for i in 0..self.tile.size() {
                    let to = self.tile.padded_index(self.numbers(self.read.order, i).1);
                    for (tile, layout) in layouts.iter().enumerate() {
                        self.load::<L>(source, layout, i, &mut rows[tile * padded + to], Map::Copy);
                    }
                }
            }
            Factors::Rows(_) => {
                for i in 0..self.tile.size() {
                    let (natural, to) = self.numbers(self.read.order, i);
                    for (tile, (layout, factors)) in layouts.iter().zip(factors).enumerate() {
                        let map = Map::Times(L::splat(tables.factor(factors, natural)));
                        let row = &mut rows[tile * padded + self.tile.padded_index(to)];
                        self.load::<L>(source, layout, i, row, map);
                    }
                }
            }
            Factors::Lanes { .. } => {
                let mut chains = [Chains::default(); MAX_GROUP];
                for (chains, factors) in chains.iter_mut().zip(factors) {
                    chains.begin::<L>(factors);
                }
                // Running products follow the natural order.
                for natural in 0..self.tile.size() {
                    let to = self.tile.reversed[natural] as usize;
                    let i = if self.read.order == Order::Natural { natural } else { to };
                    for (tile, (layout, chains)) in layouts.iter().zip(&mut chains).enumerate() {
                        let current = &mut chains.current[natural % CHAINS];
                        let row = &mut rows[tile * padded + self.tile.padded_index(to)];
                        self.load::<L>(source, layout, i, row, Map::TimesRow(current));
                        multiply::<L>(current, &chains.step);
                    }
                }
            }
        }
    }

    /// Loads a tile whose lanes are each contiguous, eight rows at a time.
    #[inline(always)]
    fn gather_columns<L: Lanes>(
        &self,
        source: Source,
        layout: &TileLayout,
        by_row: Option<&[u64]>,
        rows: &mut [TileRow],
    ) {
        for i in (0..self.tile.size()).step_by(LANES) {
            let mut columns = [TileRow::default(); LANES];
            for (column, lane) in columns.iter_mut().zip(layout.read) {
                // SAFETY: within the data and no other tile's: see `run_checked`. The reference ends here.
                map_row::<L>(unsafe { source.row(lane + i) }, &mut column.0, Map::Copy);
            }
            for (k, row) in L::transpose(&columns).iter().enumerate() {
                let (natural, to) = self.numbers(self.read.order, i + k);
                let to = &mut rows[self.tile.padded_index(to)].0;
                match by_row {
                    None => map_row::<L>(&row.0, to, Map::Copy),
                    Some(factors) => map_row::<L>(&row.0, to, Map::Times(L::splat(factors[natural]))),
                }
            }
        }
    }

    /// Reads the row at index `row` in memory, each word through `map`.
    #[inline(always)]
    fn load<L: Lanes>(
        &self,
        source: Source,
        layout: &TileLayout,
        row: usize,
        to: &mut TileRow,
        map: Map<'_, L>,
    ) {
        let offset = row * self.read.row;
        if layout.read_contiguous {
            source.prefetch(layout.read[0] + offset + AHEAD * self.read.row);
            // SAFETY: within the data and no other tile's: see `run_checked`. The reference ends here.
            return map_row(unsafe { source.row(layout.read[0] + offset) }, &mut to.0, map);
        }
        let mut words = [0; LANES];
        for (word, lane) in words.iter_mut().zip(layout.read).take(layout.used) {
            // SAFETY: as above.
            *word = unsafe { source.read(lane + offset) };
        }
        map_row(&words, &mut to.0, map);
    }

    /// Stores tiles, whose rows are in natural order.
    #[inline(always)]
    pub(super) fn scatter<L: Lanes>(
        &self,
        target: Target,
        layouts: &[TileLayout],
        tables: &mut Tables,
        rows: &[TileRow],
    ) {
        let (factors, are_alike) = self.factors::<L>(self.after, layouts, tables);
        let factors = &factors[..layouts.len()];
        if are_alike && layouts.iter().all(|layout| layout.write_contiguous) {
            return self.scatter_alike::<L>(target, layouts, factors, tables, rows);
        }
        let tiles = layouts.chunks(1).zip(factors.chunks(1)).zip(rows.chunks_exact(self.tile.padded_size()));
        for ((layout, factors), rows) in tiles {
            let columns = self.write.row == 1 && layout[0].used == LANES && self.tile.size() >= LANES;
            match factors[0].by_row(tables) {
                Some(by_row) if columns => self.scatter_columns::<L>(target, &layout[0], by_row, rows),
                _ => self.scatter_alike::<L>(target, layout, factors, tables, rows),
            }
        }
    }

    /// Stores tiles whose factors are of one kind, a row of each at a time.
    #[inline(always)]
    fn scatter_alike<L: Lanes>(
        &self,
        target: Target,
        layouts: &[TileLayout],
        factors: &[Factors],
        tables: &Tables,
        rows: &[TileRow],
    ) {
        let padded = self.tile.padded_size();
        match factors[0] {
            Factors::None => {
                for i in 0..self.tile.size() {
                    let from = self.tile.padded_index(self.numbers(self.write.order, i).0);
                    for (tile, layout) in layouts.iter().enumerate() {
                        self.store::<L>(target, layout, i, &rows[tile * padded + from], Map::Canonical);
                    }
                }
            }
            Factors::Rows(_) => {
                for i in 0..self.tile.size() {
                    let (natural, _) = self.numbers(self.write.order, i);
                    for (tile, (layout, factors)) in layouts.iter().zip(factors).enumerate() {
                        let map = Map::Times(L::splat(tables.factor(factors, natural)));
                        let row = &rows[tile * padded + self.tile.padded_index(natural)];
                        self.store::<L>(target, layout, i, row, map);
                    }
                }
            }
            Factors::Lanes { .. } => {
                let mut chains = [Chains::default(); MAX_GROUP];
                for (chains, factors) in chains.iter_mut().zip(factors) {
                    chains.begin::<L>(factors);
                }
                for natural in 0..self.tile.size() {
                    // Reversal is its own inverse.
                    let (i, _) = self.numbers(self.write.order, natural);
                    for (tile, (layout, chains)) in layouts.iter().zip(&mut chains).enumerate() {
                        let current = &mut chains.current[natural % CHAINS];
                        let row = &rows[tile * padded + self.tile.padded_index(natural)];
                        self.store::<L>(target, layout, i, row, Map::TimesRow(current));
                        multiply::<L>(current, &chains.step);
                    }
                }
            }
        }
    }

    /// Stores a tile whose lanes are each contiguous, eight rows at a time.
    #[inline(always)]
    fn scatter_columns<L: Lanes>(
        &self,
        target: Target,
        layout: &TileLayout,
        by_row: Option<&[u64]>,
        rows: &[TileRow],
    ) {
        for i in (0..self.tile.size()).step_by(LANES) {
            let mut block = [TileRow::default(); LANES];
            for (k, row) in block.iter_mut().enumerate() {
                let (natural, _) = self.numbers(self.write.order, i + k);
                let from = &rows[self.tile.padded_index(natural)].0;
                match by_row {
                    None => map_row::<L>(from, &mut row.0, Map::Canonical),
                    Some(factors) => map_row::<L>(from, &mut row.0, Map::Times(L::splat(factors[natural]))),
                }
            }
            for (column, lane) in L::transpose(&block).iter().zip(layout.write) {
                // SAFETY: within the data and no other tile's: see `run_checked`. The reference ends here.
                map_row::<L>(&column.0, unsafe { target.row(lane + i) }, Map::Copy);
            }
        }
    }

    /// Writes the row at index `row` in memory, each word through `map`.
    #[inline(always)]
    fn store<L: Lanes>(
        &self,
        target: Target,
        layout: &TileLayout,
        row: usize,
        from: &TileRow,
        map: Map<'_, L>,
    ) {
        let offset = row * self.write.row;
        if layout.write_contiguous {
            // SAFETY: within the data and no other tile's: see `run_checked`. The reference ends here.
            let to = unsafe { target.row(layout.write[0] + offset) };
            return match layout.streamed {
                false => map_row(&from.0, to, map),
                // SAFETY: a cache line, as `Pass::layout` has found; a fence ends the task.
                true => stream_row(&from.0, unsafe { &mut *to.as_mut_ptr().cast() }, map),
            };
        }
        let mut words = [0; LANES];
        map_row(&from.0, &mut words, map);
        for (&word, lane) in words.iter().zip(layout.write).take(layout.used) {
            // SAFETY: as above.
            unsafe { target.write(lane + offset, word) };
        }
    }
}
