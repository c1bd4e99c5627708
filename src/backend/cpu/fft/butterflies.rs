//! The layers of butterflies, many at a time.
//!
//! # Mathematical description
//!
//! A block of m coefficients modulo x^m - z^2 is halved into blocks modulo x^(m/2) - z and x^(m/2) + z: with halves a and b,
//! a + z b and a - z b, Cooley and Tukey's butterfly (1965), of decimation in time. Gentleman and Sande's (1966), of decimation in
//! frequency, is the transposed one, a + b and z (a - b). With the layers in the opposite order it takes bit-reversed coefficients to values in
//! natural order; with inverted twiddles it undoes the other, up to a factor of 2.
//!
//! Several layers at once take a *tile*: every (m / 2^l)-th element of a block, for l layers and a few
//! neighbours in memory, moved to scratch memory in the form that is computed with, and back. The last tiles are whole blocks.
//!
//! With vectors of several elements, halves of a tile are halves of its vectors, until a vector is a block. Then as many vectors as one has
//! lanes are transposed: lanes become blocks, each with twiddles of its own, and vectors the elements of them.
//!
//! Single elements are transformed in place, and blocks too large for a tile two layers at a time: for them memory is no bound.
//!
//! Values between layers are those of [`residues`](super::super::residues), and below r at the end; what a tile of vectors leaves is below 2r.

use super::twiddles::Twiddles;
use crate::backend::cpu::quadwords::MAX_WIDTH;
use crate::backend::cpu::residues::{Coordinates, Residues, load};
use crate::backend::cpu::simd::Vectorised;
use crate::field::montgomery::Residue;
use crate::meter::Meter;
use crate::parallel::{for_each_chunk, for_each_chunk_with};

/// Layers of the largest tile: 320 KiB of vectors, or 128 KiB of single elements where they stand, in a second-level cache.
/// Vectors do the last three layers on their own; the rest is even, as layers come in pairs.
const fn most_layers<R: Residues>() -> u32 {
    if R::WIDTH == 1 { 12 } else { 13 }
}

/// Neighbours in a tile: 256 bytes, two pairs of cache lines.
const LOG_NEIGHBOURS: u32 = 3;

/// Neighbours that a thread takes at once.
const PART: usize = 1 << 6;

/// Of these, so many are counted at once.
const COUNTED: usize = 32;

/// Blocks of at least this size are divided among threads.
const DIVIDED: usize = 1 << 13;

/// Blocks below this size have no square of vectors.
pub(super) const LEAST: usize = MAX_WIDTH * MAX_WIDTH;

/// The butterflies of all layers, and the order in which they are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Butterflies {
    /// Decimation in time, from the largest blocks to the smallest: natural order to bit-reversed order.
    CooleyTukey,
    /// Decimation in frequency, from the smallest blocks to the largest: bit-reversed order to natural order.
    GentlemanSande,
}

/// Layers to be done, and their twiddles.
#[derive(Clone, Copy)]
struct Layers<'a> {
    butterflies: Butterflies,
    twiddles: &'a Twiddles,
    /// Whether what comes out is the end, and reduced.
    last: bool,
    meter: &'a Meter<'a>,
}

impl Layers<'_> {
    /// Counts the layers of so many elements.
    fn count(self, elements: usize, layers: u32) {
        self.meter.advance(elements * layers as usize);
    }

    /// The first `count` layers of block k, or the last, with their halves those of `tile`.
    #[inline(always)]
    fn on_halves<R: Residues>(self, tile: &mut [R::Sum], k: usize, count: u32) {
        match self.butterflies {
            Butterflies::CooleyTukey => cooley_tukey::<R>(tile, k, count, self.twiddles),
            Butterflies::GentlemanSande => gentleman_sande::<R>(tile, k, count, self.twiddles),
        }
    }
}

/// All layers of block k, and reduction. Vectors ask for blocks of [`LEAST`] elements, and twiddles are those for R. Counts the layers of
/// every element.
pub(super) fn run<R: Residues>(
    block: &mut [Residue<R::Field>],
    k: usize,
    twiddles: &Twiddles,
    butterflies: Butterflies,
    meter: &Meter<'_>,
) {
    parts::<R>(block, k, Layers { butterflies, twiddles, last: true, meter });
}

/// The layers of block k: those of columns and those of rows.
fn parts<R: Residues>(block: &mut [Residue<R::Field>], k: usize, layers: Layers<'_>) {
    let (len, log_size) = (block.len(), block.len().trailing_zeros());
    if log_size <= most_layers::<R>() {
        let mut scratch = Vec::new();
        R::enter(Rows::<R> { block, k, layers, scratch: &mut scratch });
        return layers.count(len, log_size);
    }
    // Two layers of single elements, else as few passes as possible, of about as many layers each.
    let above = log_size - most_layers::<R>();
    let count = match R::WIDTH {
        1 => 2,
        _ => above.div_ceil(above.div_ceil(most_layers::<R>() - LOG_NEIGHBOURS)),
    };
    let size = len >> count;
    let rows_of = |block: &mut [Residue<R::Field>]| {
        let inner = Layers { last: layers.last && layers.butterflies == Butterflies::CooleyTukey, ..layers };
        let run = |i: usize, rows: &mut [Residue<R::Field>]| parts::<R>(rows, (k << count) + i, inner);
        match len >= DIVIDED {
            true => for_each_chunk(block, size, run),
            false => block.chunks_mut(size).enumerate().for_each(|(i, rows)| run(i, rows)),
        }
    };
    if layers.butterflies == Butterflies::GentlemanSande {
        rows_of(block);
    }
    columns::<R>(block, k, count, layers);
    if layers.butterflies == Butterflies::CooleyTukey {
        rows_of(block);
    }
}

/// The first `count` layers of block k, or its last where smaller blocks come first.
fn columns<R: Residues>(block: &mut [Residue<R::Field>], k: usize, count: u32, layers: Layers<'_>) {
    let size = block.len() >> count;
    let last = layers.last && layers.butterflies == Butterflies::GentlemanSande;
    let mut pieces: Vec<Vec<&mut [Residue<R::Field>]>> = Vec::new();
    pieces.resize_with(size / PART, || Vec::with_capacity(1 << count));
    for row in block.chunks_exact_mut(size) {
        for (piece, part) in pieces.iter_mut().zip(row.chunks_exact_mut(PART)) {
            piece.push(part);
        }
    }
    // Of pieces, whose number is a power of two, so many are counted at once.
    let counted = pieces.len().min(COUNTED);
    for_each_chunk_with(&mut pieces, 1, Vec::new, |scratch, number, pieces| {
        R::enter(Columns::<R> { rows: &mut pieces[0], k, layers: Layers { last, ..layers }, scratch });
        if (number + 1).is_multiple_of(counted) {
            layers.count((counted * PART) << count, count);
        }
    });
}

/// A tile of columns after another.
struct Columns<'a, 'b, R: Residues> {
    rows: &'a mut [&'b mut [Residue<R::Field>]],
    k: usize,
    layers: Layers<'a>,
    scratch: &'a mut Vec<R::Sum>,
}

/// Whole blocks.
struct Rows<'a, R: Residues> {
    block: &'a mut [Residue<R::Field>],
    k: usize,
    layers: Layers<'a>,
    scratch: &'a mut Vec<R::Sum>,
}

/// Writes a vector of elements, `step` from each other, reduced if they are the `last` of their values.
#[inline(always)]
pub(super) fn store<R: Residues>(
    values: R::Sum,
    elements: &mut [Residue<R::Field>],
    step: usize,
    last: bool,
) {
    let below_2p = R::below_2p(values);
    let rows = R::rows(if last { R::canonical(below_2p) } else { below_2p });
    for lane in 0..R::WIDTH {
        elements[lane * step] = rows[lane];
    }
}

impl<R: Residues> Vectorised<R> for Columns<'_, '_, R> {
    #[inline(always)]
    fn run(self) {
        let Self { rows, k, layers, scratch } = self;
        // Single elements, in quarters.
        if let [a, b, c, d] = rows
            && let (Some(a), Some(b), Some(c), Some(d)) =
                (R::in_place(a), R::in_place(b), R::in_place(c), R::in_place(d))
        {
            let mut quarters = [a, b, c, d];
            let rows = quarters.each_mut().map(|row| &mut **row);
            match layers.butterflies {
                Butterflies::CooleyTukey => two_cooley_tukey::<R>(rows, k, layers.twiddles),
                Butterflies::GentlemanSande => two_gentleman_sande::<R>(rows, k, layers.twiddles),
            }
            if layers.last {
                for quarter in quarters {
                    finish::<R>(quarter);
                }
            }
            return;
        }
        let vectors = (1 << LOG_NEIGHBOURS) / R::WIDTH;
        resize::<R>(scratch, rows.len() * vectors);
        for first in (0..PART).step_by(1 << LOG_NEIGHBOURS) {
            for (row, tile) in rows.iter().zip(scratch.chunks_exact_mut(vectors)) {
                for (i, values) in tile.iter_mut().enumerate() {
                    *values = load::<R>(&row[first + i * R::WIDTH..], 1);
                }
            }
            layers.on_halves::<R>(scratch, k, rows.len().trailing_zeros());
            for (row, tile) in rows.iter_mut().zip(scratch.chunks_exact(vectors)) {
                for (i, &values) in tile.iter().enumerate() {
                    store::<R>(values, &mut row[first + i * R::WIDTH..], 1, layers.last);
                }
            }
        }
    }
}

impl<R: Residues> Vectorised<R> for Rows<'_, R> {
    #[inline(always)]
    fn run(self) {
        let Self { block, k, layers, scratch } = self;
        let Layers { butterflies, twiddles, last, .. } = layers;
        let count = (block.len() / R::WIDTH).trailing_zeros();
        if let Some(values) = R::in_place(block) {
            layers.on_halves::<R>(values, k, count);
            if last {
                finish::<R>(values);
            }
            return;
        }
        resize::<R>(scratch, block.len() / R::WIDTH);
        let square = R::WIDTH * R::WIDTH;
        if butterflies == Butterflies::CooleyTukey {
            for (values, elements) in scratch.iter_mut().zip(block.chunks_exact(R::WIDTH)) {
                *values = load::<R>(elements, 1);
            }
            cooley_tukey::<R>(scratch, k, count, twiddles);
        }
        // Vectors are blocks now, from this number on.
        let first = k << count;
        for (i, elements) in block.chunks_exact_mut(square).enumerate() {
            let tile = &mut scratch[i * R::WIDTH..(i + 1) * R::WIDTH];
            match butterflies {
                Butterflies::CooleyTukey => {
                    transpose::<R>(tile);
                    lanes::<R>(tile, first + i * R::WIDTH, butterflies, twiddles);
                    for (j, &values) in tile.iter().enumerate() {
                        store::<R>(values, &mut elements[j..], R::WIDTH, last);
                    }
                }
                Butterflies::GentlemanSande => {
                    for (j, values) in tile.iter_mut().enumerate() {
                        *values = load::<R>(&elements[j..], R::WIDTH);
                    }
                    lanes::<R>(tile, first + i * R::WIDTH, butterflies, twiddles);
                    transpose::<R>(tile);
                }
            }
        }
        if butterflies == Butterflies::GentlemanSande {
            gentleman_sande::<R>(scratch, k, count, twiddles);
            for (&values, elements) in scratch.iter().zip(block.chunks_exact_mut(R::WIDTH)) {
                store::<R>(values, elements, 1, last);
            }
        }
    }
}

/// Reduces values in place.
#[inline(always)]
fn finish<R: Residues>(values: &mut [R::Sum]) {
    for value in values {
        *value = R::canonical(R::below_2p(*value));
    }
}

#[inline(always)]
fn resize<R: Residues>(scratch: &mut Vec<R::Sum>, len: usize) {
    if scratch.len() != len {
        scratch.clear();
        scratch.resize(len, R::gather([&Residue::ZERO; MAX_WIDTH]));
    }
}

#[inline(always)]
fn transpose<R: Residues>(tile: &mut [R::Sum]) {
    if R::WIDTH > 1 {
        let tile: &mut [R::Sum; MAX_WIDTH] = tile.first_chunk_mut().expect("as many vectors as lanes");
        *tile = R::transposed(*tile);
    }
}

type Quarters<'a, R> = [&'a mut [<R as Coordinates>::Sum]; 4];

/// The quarters of a block.
#[inline(always)]
fn quarters<S>(block: &mut [S]) -> [&mut [S]; 4] {
    let (low, high) = block.split_at_mut(block.len() / 2);
    let (a, b) = low.split_at_mut(low.len() / 2);
    let (c, d) = high.split_at_mut(high.len() / 2);
    [a, b, c, d]
}

/// The first `count` layers of block k, whose halves are those of `tile`.
#[inline(always)]
fn cooley_tukey<R: Residues>(tile: &mut [R::Sum], k: usize, count: u32, twiddles: &Twiddles) {
    let mut layer = 0;
    if count % 2 == 1 {
        let (w, half) = (twiddles.at::<R>(k), tile.len() / 2);
        let (a, b) = tile.split_at_mut(half);
        for (a, b) in a.iter_mut().zip(b) {
            let b_w = if k == 0 { R::below_2p(*b) } else { R::times_twiddle(*b, w) };
            [*a, *b] = R::butterfly(R::before_two_layers(*a), b_w);
        }
        layer = 1;
    }
    while layer < count {
        let size = tile.len() >> layer;
        for (i, block) in tile.chunks_exact_mut(size).enumerate() {
            two_cooley_tukey::<R>(quarters(block), (k << layer) + i, twiddles);
        }
        layer += 2;
    }
}

/// The last `count` layers of block k.
#[inline(always)]
fn gentleman_sande<R: Residues>(tile: &mut [R::Sum], k: usize, count: u32, twiddles: &Twiddles) {
    let mut layer = count;
    while layer >= 2 {
        layer -= 2;
        let size = tile.len() >> layer;
        for (i, block) in tile.chunks_exact_mut(size).enumerate() {
            two_gentleman_sande::<R>(quarters(block), (k << layer) + i, twiddles);
        }
    }
    if layer == 1 {
        let (w, half) = (twiddles.at::<R>(k), tile.len() / 2);
        let (a, b) = tile.split_at_mut(half);
        for (a, b) in a.iter_mut().zip(b) {
            [*a, *b] = gentleman_sande_butterfly::<R>([*a, *b], w);
        }
    }
}

/// The twiddles of block k and of its halves.
#[inline(always)]
fn twiddles_of<R: Residues>(k: usize, twiddles: &Twiddles) -> [R::Twiddle; 3] {
    // No closure: that would be a function without the instructions of R.
    [twiddles.at::<R>(k), twiddles.at::<R>(2 * k), twiddles.at::<R>(2 * k + 1)]
}

/// Two layers of block k in quarters. Block 0 has the twiddle 1, and its halves 1 and a fourth root of unity: one product for four.
#[inline(always)]
fn two_cooley_tukey<R: Residues>([a, b, c, d]: Quarters<'_, R>, k: usize, twiddles: &Twiddles) {
    let [w, u, v] = twiddles_of::<R>(k, twiddles);
    if k == 0 {
        for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
            let (r, s) = (R::below_2p(*c), R::below_2p(*d));
            let ([e, g], [f, h]) =
                (R::butterfly(R::before_two_layers(*a), r), R::butterfly(R::before_two_layers(*b), s));
            let (f, h) = (R::below_2p(f), R::times_twiddle(h, v));
            ([*a, *b], [*c, *d]) = (R::butterfly(e, f), R::butterfly(g, h));
        }
    } else {
        for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
            let (r, s) = (R::times_twiddle(*c, w), R::times_twiddle(*d, w));
            let ([e, g], [f, h]) =
                (R::butterfly(R::before_two_layers(*a), r), R::butterfly(R::before_two_layers(*b), s));
            let (f, h) = (R::times_twiddle(f, u), R::times_twiddle(h, v));
            ([*a, *b], [*c, *d]) = (R::butterfly(e, f), R::butterfly(g, h));
        }
    }
}

/// The same layers, the other butterflies through them.
#[inline(always)]
fn two_gentleman_sande<R: Residues>([a, b, c, d]: Quarters<'_, R>, k: usize, twiddles: &Twiddles) {
    let [w, u, v] = twiddles_of::<R>(k, twiddles);
    for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
        let ([e, f], [g, h]) =
            (gentleman_sande_butterfly::<R>([*a, *b], u), gentleman_sande_butterfly::<R>([*c, *d], v));
        ([*a, *c], [*b, *d]) =
            (gentleman_sande_butterfly::<R>([e, g], w), gentleman_sande_butterfly::<R>([f, h], w));
    }
}

/// a + b, and a - b times a twiddle; both below 2.2p, as a and b are.
#[inline(always)]
fn gentleman_sande_butterfly<R: Residues>([a, b]: [R::Sum; 2], twiddle: R::Twiddle) -> [R::Sum; 2] {
    let [sum, difference] = R::butterfly(a, b);
    [R::below_2p(sum), R::times_twiddle(difference, twiddle)]
}

/// The layers within blocks k, k + 1, ... of as many elements as a vector has lanes, each block in a lane.
#[inline(always)]
fn lanes<R: Residues>(tile: &mut [R::Sum], k: usize, butterflies: Butterflies, twiddles: &Twiddles) {
    let count = R::WIDTH.trailing_zeros();
    for step in 0..count {
        let layer = if butterflies == Butterflies::CooleyTukey { step } else { count - 1 - step };
        let size = R::WIDTH >> layer;
        for i in 0..1 << layer {
            let mut rows = [&Residue::ZERO; MAX_WIDTH];
            for (lane, row) in rows.iter_mut().enumerate().take(R::WIDTH) {
                *row = Residue::at(&twiddles.rows::<R>(((k + lane) << layer) + i)[0]);
            }
            let w = R::factors(rows);
            let (a, b) = tile[i * size..(i + 1) * size].split_at_mut(size / 2);
            for (a, b) in a.iter_mut().zip(b) {
                match butterflies {
                    Butterflies::CooleyTukey => [*a, *b] = R::butterfly(*a, R::scaled(*b, w)),
                    Butterflies::GentlemanSande => {
                        let [sum, difference] = R::butterfly(*a, *b);
                        (*a, *b) = (R::below_2p(sum), R::scaled(difference, w));
                    }
                }
            }
        }
    }
}
