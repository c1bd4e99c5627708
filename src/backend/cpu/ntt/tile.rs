//! The transform of one tile: `T` rows of eight words, eight transforms of `T` points side by side.
//!
//! # Mathematical description
//!
//! X[k] = sum over j of x[j] w^(j k), by decimation in time (Cooley and Tukey, 1965) on rows in bit-reversed order: layers
//! of butterflies of 16 points on vectors ([`radix_16`]), of four on single words ([`radix_4`]). All lanes share every
//! twiddle, so a vector unit needs no shuffles.

use super::lanes::Lanes;
use super::{radix_4, radix_16};
use crate::backend::cpu::simd::Vectorised;
use crate::field::{Goldilocks, powers};
use crate::ntt::reverse_bits;

/// Words in a row: a cache line.
pub(super) const LANES: usize = 8;

/// A row of a tile.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub(in crate::backend::cpu) struct TileRow(pub(super) [u64; LANES]);

/// The map that is applied to every word of a copied row.
///
/// Not a closure, because code that holds vectors of words must be inlined: see [`lanes`](super::lanes).
#[derive(Clone, Copy)]
pub(super) enum Map<'a, L> {
    Copy,
    Canonical,
    /// A product with one word.
    Times(L),
    /// A product lane by lane.
    TimesRow(&'a TileRow),
}

/// map(from[i]) for a vector of words from `i` on.
#[inline(always)]
fn mapped<L: Lanes>(from: &[u64; LANES], i: usize, map: Map<'_, L>) -> L {
    let x = L::load(&from[i..]);
    match map {
        Map::Copy => x,
        Map::Canonical => x.canonical(),
        Map::Times(factor) => x.mul(factor),
        Map::TimesRow(row) => x.mul(L::load(&row.0[i..])),
    }
}

/// to[i] = map(from[i]) in steps of `WIDTH` words.
///
/// Word by word even from one cached row to the next: a copy of a row by wider registers just after its words were
/// written one at a time would wait until they have left the store buffer.
#[inline(always)]
pub(super) fn map_row<L: Lanes>(from: &[u64; LANES], to: &mut [u64; LANES], map: Map<'_, L>) {
    for i in (0..LANES).step_by(L::WIDTH) {
        mapped(from, i, map).store(&mut to[i..]);
    }
}

/// The same past the caches, before a [`fence`](Lanes::fence).
#[inline(always)]
pub(super) fn stream_row<L: Lanes>(from: &[u64; LANES], to: &mut TileRow, map: Map<'_, L>) {
    for i in (0..LANES).step_by(L::WIDTH) {
        mapped(from, i, map).stream(to, i);
    }
}

/// The tables that all transforms of one size and root share. Immutable.
#[derive(Debug)]
pub(super) struct Tile {
    /// The bit-reversed value of every row number.
    pub(super) reversed: Vec<u32>,
    /// The binary logarithm of the number of rows after which a row of padding follows.
    log_block: u32,
    layers: Layers,
}

/// The layers of a tile; one kind for each implementation of [`Lanes`].
#[derive(Debug)]
enum Layers {
    Radix4(radix_4::Layers),
    Radix16(radix_16::Layers),
}

impl Tile {
    /// Tables for 2^`log_size` points, a root of that order, and transforms on `L`.
    pub(super) fn new<L: Lanes>(log_size: u32, root: Goldilocks) -> Self {
        let powers: Vec<_> = powers(root).take(1 << log_size).collect();
        let reversed = (0..powers.len()).map(|i| reverse_bits(i, log_size) as u32).collect();
        match L::SHIFTS {
            true => {
                let layers = radix_16::Layers::new(&powers);
                Self { reversed, log_block: layers.log_block(), layers: Layers::Radix16(layers) }
            }
            false => Self { reversed, log_block: 63, layers: Layers::Radix4(radix_4::Layers::new(&powers)) },
        }
    }

    /// The number of points.
    pub(super) fn size(&self) -> usize {
        self.reversed.len()
    }

    /// Rows in memory, with padding.
    pub(super) fn padded_size(&self) -> usize {
        let size = self.size();
        size + (size >> self.log_block)
    }

    /// The index of a row in memory, where rows of padding count.
    #[inline(always)]
    pub(super) fn padded_index(&self, row: usize) -> usize {
        row + (row >> self.log_block)
    }

    /// Transforms rows that are in bit-reversed order in memory; the result is in natural order and not canonical.
    #[inline(always)]
    pub(super) fn transform<L: Lanes>(&self, rows: &mut [TileRow]) {
        L::part(Transform(self, rows));
    }
}

/// The work of a transform.
struct Transform<'a>(&'a Tile, &'a mut [TileRow]);

impl<L: Lanes> Vectorised<L> for Transform<'_> {
    #[inline(always)]
    fn run(self) {
        let Self(tile, rows) = self;
        // Only one arm is compiled for each implementation.
        match &tile.layers {
            Layers::Radix16(layers) if L::SHIFTS => layers.transform::<L>(rows),
            Layers::Radix4(layers) if !L::SHIFTS => layers.transform::<L>(rows),
            _ => unreachable!("a tile for another implementation"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::on_lanes;
    use super::*;
    use crate::backend::cpu::{Simd, simd::Vectors};
    use crate::field::Field;
    use crate::ntt::Convention;

    struct Canonical<'a>(&'a Tile, &'a mut [TileRow]);

    impl<L: Lanes> Vectorised<L> for Canonical<'_> {
        #[inline(always)]
        fn run(self) {
            self.0.transform::<L>(self.1);
            self.1.iter_mut().for_each(|row| map_row::<L>(&{ row.0 }, &mut row.0, Map::Canonical));
        }
    }

    #[test]
    fn a_tile_evaluates_every_lane() {
        for log_size in 0..=9 {
            for convention in Convention::ALL {
                let root = convention.root_of_unity(log_size);
                for root in [root, root.inverse().unwrap()] {
                    let input: Vec<TileRow> = (0..1 << log_size)
                        .map(|i| TileRow(std::array::from_fn(|lane| (i * 8 + lane as u64).pow(5) + 3)))
                        .collect();
                    let size = input.len();
                    let value = |point: Goldilocks, lane: usize| {
                        input
                            .iter()
                            .rev()
                            .fold(Goldilocks::ZERO, |value, row| value * point + Goldilocks::new(row.0[lane]))
                    };
                    let expected: Vec<[u64; LANES]> = powers(root)
                        .take(size)
                        .map(|point| std::array::from_fn(|lane| value(point, lane).as_u64()))
                        .collect();
                    for simd in Simd::available() {
                        let tile = on_lanes!(simd, L, Tile::new::<L>(log_size, root));
                        let mut rows = vec![TileRow::default(); tile.padded_size()];
                        for (i, &reversed) in tile.reversed.iter().enumerate() {
                            rows[tile.padded_index(i)] = input[reversed as usize];
                        }
                        on_lanes!(simd, L, L::enter(Canonical(&tile, &mut rows)));
                        let found: Vec<_> = (0..tile.size()).map(|i| rows[tile.padded_index(i)].0).collect();
                        assert!(found == expected, "2^{log_size}, {simd}");
                    }
                }
            }
        }
    }
}
