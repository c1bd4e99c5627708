//! Combinations of columns and of rows (`kernels/combine.cl`).
//!
//! Both are sums of products over terms, for items: rows with the columns' entries for terms, or columns with the rows' entries. A device should
//! read the matrix once, side by side, and be filled. Where items lie side by side a work item takes one; where terms do, groups load tiles of
//! items and terms, unless items are few. Where there are fewer items than fill a device, terms are cut into slices, and sums of slices are added in
//! further launches. A launch makes up to [`most`] sums for each item: with more, products cost as much as reading again.

use std::ops::Range;

use super::Gpu;
use super::device::{Arg, Launch, Limits};
use super::program::{DeviceField, Name, Program};
use super::session::{Region, Session};
use super::transforms::{Part, bytes_mut};
use crate::backend::{AcceleratedField, Combinations, Extent, MatrixView, Memory, ResidentCombinations};
use crate::error::Error;

/// Work items that keep the largest devices busy: two for each that 132 multiprocessors have at a time, of 1024.
const ITEMS: usize = 1 << 18;

/// The fewest terms of a slice: with fewer, adding slices would cost as much as making them.
const TERMS: usize = 32;

/// Slices that are added into one at a time.
const ADDED: usize = 64;

/// Items of a group with tiles, and the fewest terms and items for which there are tiles.
const GROUP: usize = 128;
const FEWEST: [usize; 2] = [16, 32];

const KERNELS: &[&str] = &[
    include_str!("../../../kernels/element.h"),
    include_str!("../../../kernels/sums.h"),
    include_str!("../../../kernels/combine.cl"),
];

/// The programs over a field, for one sum at a time, for two and so on.
pub(super) const fn programs<F: DeviceField>() -> &'static [Program] {
    let all = const {
        &[
            program::<F>(const { &Name::new("combine_1", F::SUFFIX) }, &[("SUMS", 1)]),
            program::<F>(const { &Name::new("combine_2", F::SUFFIX) }, &[("SUMS", 2)]),
            program::<F>(const { &Name::new("combine_3", F::SUFFIX) }, &[("SUMS", 3)]),
            program::<F>(const { &Name::new("combine_4", F::SUFFIX) }, &[("SUMS", 4)]),
        ]
    };
    all.split_at(most::<F>()).0
}

const fn program<F: DeviceField>(name: &'static Name, parameters: &'static [(&'static str, u32)]) -> Program {
    Program { parameters, ..Program::over::<F>(name, KERNELS) }
}

/// The most sums at a time. Over prime fields a product takes longer than an element to be read, so that more are of no use.
const fn most<F: DeviceField>() -> usize {
    if F::WORDS == 1 { 4 } else { 2 }
}

/// A matrix in a region, by the places of its entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    pub(super) region: Region,
    rows: usize,
    columns: usize,
    /// Elements from an entry to the one below, and to the next of its row.
    steps: [usize; 2],
}

impl Entries {
    fn new(region: Region, rows: usize, columns: usize, row_major: bool) -> Self {
        let steps = if row_major { [columns, 1] } else { [1, rows] };
        Self { region, rows, columns, steps }
    }

    /// A matrix that stays, of elements of so many words.
    fn of(region: Region, extent: Extent, words: usize) -> Self {
        Self::new(region, extent.rows, extent.width / words, extent.blocks() == 1)
    }

    fn transposed(self) -> Self {
        let Self { region, rows, columns, steps: [row, column] } = self;
        Self { region, rows: columns, columns: rows, steps: [column, row] }
    }

    /// The elements to the last entry.
    fn len(&self) -> usize {
        (self.rows - 1) * self.steps[0] + (self.columns - 1) * self.steps[1] + 1
    }
}

/// How items and terms are shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shares {
    tiles: bool,
    slices: usize,
    /// Whether neighbours have slices of one item, and not items side by side.
    by_slices: bool,
}

impl Shares {
    /// Of so many items of so many terms, of which items or terms lie side by side.
    fn of(items: usize, terms: usize, items_adjacent: bool) -> Self {
        let tiles = !items_adjacent && terms >= FEWEST[0] && items >= FEWEST[1];
        let filled = if tiles { items.next_multiple_of(GROUP) } else { items };
        let slices = (ITEMS / filled).min(terms / TERMS).max(1);
        Self { tiles, slices, by_slices: !items_adjacent }
    }

    /// Words of memory for the sums of slices of `sums` sums of items, and for those of slices that were added: none where there is one slice.
    fn words<F: DeviceField>(self, items: usize, sums: usize) -> [usize; 2] {
        let added = self.slices.div_ceil(ADDED);
        let words = |slices: usize| {
            let count = if slices > 1 { slices * items * sums.min(most::<F>()) } else { 0 };
            count * F::WORDS
        };
        [self.slices, added].map(words)
    }
}

/// Sums of products of the terms of items, rows of a matrix, with factors, which have a row for each term: sum k of item i of n is element k n + i of
/// the region.
fn sums<F: DeviceField>(
    session: &mut Session<'_>,
    items: Entries,
    factors: Entries,
    to: Region,
) -> Result<(), Error> {
    let (count, terms, all) = (items.rows, items.columns, factors.columns);
    assert!(factors.rows >= terms && to.words() >= count * all * F::WORDS);
    assert!(
        items.region.words() >= items.len() * F::WORDS && factors.region.words() >= factors.len() * F::WORDS
    );
    let shares @ Shares { tiles, slices, by_slices } = Shares::of(count, terms, items.steps[0] == 1);
    let mut partial = Vec::new();
    for words in shares.words::<F>(count, all) {
        partial.push(if words > 0 { session.allocate(words)? } else { to });
    }
    let limits = session.limits();
    let mut launches = Vec::new();
    for first in (0..all).step_by(most::<F>()) {
        let at_once = most::<F>().min(all - first);
        let program = &programs::<F>()[at_once - 1];
        let result = Arg::Buffer(to, (first * count) as u64);
        let target =
            |slices: usize, other: usize| if slices == 1 { result } else { Arg::Buffer(partial[other], 0) };
        let mut args = vec![Arg::Buffer(items.region, 0)];
        args.extend(items.steps.map(|step| Arg::Word(step as u64)));
        args.push(Arg::Buffer(factors.region, (first * factors.steps[1]) as u64));
        args.extend(factors.steps.map(|step| Arg::Word(step as u64)));
        args.push(target(slices, 0));
        args.extend([count, terms, slices, usize::from(by_slices)].map(|number| Arg::Word(number as u64)));
        let (kernel, grid) = match tiles {
            true => ("combine_tiles", (count.div_ceil(GROUP) * slices, GROUP)),
            false => ("combine", limits.grid(count * slices)),
        };
        // SAFETY: both kernels have these parameters; they read the entries of both matrices and write `at_once` sums of each slice of each
        // item, for which there is room in `partial`, or behind the sums so far in `to`.
        launches.push(unsafe { Launch::new(program, kernel, grid, args) });
        let (mut from_slices, mut from) = (slices, 0);
        while from_slices > 1 {
            let to_slices = from_slices.div_ceil(ADDED);
            launches.push(add_slices(
                limits,
                program,
                count * at_once,
                (partial[from], from_slices),
                (target(to_slices, 1 - from), to_slices),
            ));
            (from_slices, from) = (to_slices, 1 - from);
        }
    }
    session.launch(&launches)
}

/// Adds slices of `count` sums.
fn add_slices(
    limits: Limits,
    program: &'static Program,
    count: usize,
    (from, from_slices): (Region, usize),
    (to, to_slices): (Arg<Region>, usize),
) -> Launch<Region> {
    let numbers = [count, from_slices, to_slices].map(|number| Arg::Word(number as u64));
    let args = [Arg::Buffer(from, 0), to].into_iter().chain(numbers).collect();
    // SAFETY: add_slices reads so many slices of `count` sums and writes so many, which both have room for.
    unsafe { Launch::new(program, "add_slices", limits.grid(count * to_slices), args) }
}

impl Gpu {
    /// Uploads some rows of a matrix, in its layout.
    pub(super) fn upload_rows<F: AcceleratedField>(
        &self,
        session: &mut Session<'_>,
        matrix: MatrixView<'_, F>,
        rows: Range<usize>,
    ) -> Result<Entries, Error> {
        let MatrixView { elements, columns, column_step, .. } = matrix;
        let (count, row_major) = (rows.len(), column_step == 1);
        let region = match row_major {
            true => {
                let block = Part { blocks: rows, columns: 0..columns, width: columns };
                self.upload_part(session, &block, 1, elements)?
            }
            false => {
                let block = Part { blocks: 0..1, columns: rows, width: column_step };
                self.upload_part(session, &block, columns, elements)?
            }
        };
        Ok(Entries::new(region, count, columns, row_major))
    }

    /// Does something for runs of the rows of a matrix in host memory, of `columns` elements and as many factors or combinations as `others`: as many rows
    /// as the budget has room for beside `fixed` elements.
    fn in_runs<F: AcceleratedField + DeviceField>(
        &self,
        rows: usize,
        (columns, others): (usize, usize),
        mut run: impl FnMut(Range<usize>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // A slice has at least `TERMS` terms, and there are sums of slices that were added besides.
        let slices = (columns * others.min(most::<F>())).div_ceil(TERMS / 2);
        let words = (columns + others + slices).saturating_mul(F::WORDS);
        let fixed = (columns * others).saturating_mul(F::WORDS);
        let room = usize::try_from(self.limit / 8).unwrap_or(usize::MAX).saturating_sub(fixed);
        self.divide_at_most(rows, words, room / words, &mut run)
    }
}

impl<F: AcceleratedField + DeviceField> Combinations<F> for Gpu {
    fn combine_columns(
        &self,
        matrix: MatrixView<'_, F>,
        coefficients: MatrixView<'_, F>,
        combined: &mut [F],
    ) -> Result<(), Error> {
        let (terms, count) = (coefficients.rows, coefficients.columns);
        self.in_runs::<F>(matrix.rows, (terms, count), |rows| {
            let mut session = Session::new(self)?;
            let factors = self.upload_rows(&mut session, coefficients, 0..terms)?;
            let items = self.upload_rows(&mut session, matrix, rows.clone())?;
            let to = session.allocate(rows.len() * count * F::WORDS)?;
            sums::<F>(&mut session, items, factors, to)?;
            let columns = Part { blocks: 0..1, columns: rows, width: matrix.rows };
            self.download_part(&mut session, &columns, count, to, combined)
        })
    }

    fn combine_rows(
        &self,
        weights: MatrixView<'_, F>,
        matrix: MatrixView<'_, F>,
        sums: &mut [F],
    ) -> Result<(), Error> {
        sums.fill(F::ZERO);
        let mut part = F::zeros(sums.len())?;
        self.in_runs::<F>(matrix.rows, (matrix.columns, weights.columns), |rows| {
            let mut session = Session::new(self)?;
            let weights = self.upload_rows(&mut session, weights, rows.clone())?;
            let matrix = self.upload_rows(&mut session, matrix, rows)?;
            rows_combined(&mut session, weights, matrix, &mut part)?;
            sums.iter_mut().zip(&part).for_each(|(sum, &more)| *sum = *sum + more);
            Ok(())
        })
    }
}

/// The combinations of rows, to host memory: of a column one beside the other.
fn rows_combined<F: AcceleratedField + DeviceField>(
    session: &mut Session<'_>,
    weights: Entries,
    matrix: Entries,
    result: &mut [F],
) -> Result<(), Error> {
    let count = weights.columns;
    let to = session.allocate(matrix.columns * count * F::WORDS)?;
    let matrix = Entries { rows: weights.rows, ..matrix };
    sums::<F>(session, matrix.transposed(), weights, to)?;
    let mut found = F::zeros(result.len())?;
    session.download(to, 0, bytes_mut(&mut found))?;
    for (k, sums) in found.chunks_exact(matrix.columns).enumerate() {
        result.iter_mut().skip(k).step_by(count).zip(sums).for_each(|(to, &sum)| *to = sum);
    }
    Ok(())
}

/// Words of memory for sums, besides those of the matrix, with the factors or not.
fn words<F: DeviceField>(items: usize, terms: usize, sums: usize, items_adjacent: bool) -> usize {
    let partial = Shares::of(items, terms, items_adjacent).words::<F>(items, sums);
    (items * sums * F::WORDS).saturating_add(partial.iter().sum())
}

impl<F: AcceleratedField + DeviceField> ResidentCombinations<F> for Gpu {
    fn combine_columns(
        &self,
        (matrix, extent): (&Memory, Extent),
        rows: usize,
        coefficients: MatrixView<'_, F>,
    ) -> Result<Memory, Error> {
        let (terms, count) = (coefficients.rows, coefficients.columns);
        let factors = terms * count * F::WORDS;
        let made = words::<F>(rows, terms, count, extent.blocks() > 1 || terms == 1);
        self.grant(extent.words().saturating_add(factors).saturating_add(made))?;
        let mut session = Session::new(self)?;
        let items = Entries::of(self.borrow(&mut session, matrix, extent), extent, F::WORDS);
        let items = Entries { rows, ..items };
        let factors = self.upload_rows(&mut session, coefficients, 0..terms)?;
        let to = session.allocate(rows * count * F::WORDS)?;
        sums::<F>(&mut session, items, factors, to)?;
        session.lease(to)
    }

    fn combine_rows(
        &self,
        weights: (&Memory, Extent),
        matrix: (&Memory, Extent),
        sums: &mut [F],
    ) -> Result<(), Error> {
        let [items, count] = [matrix.1, weights.1].map(|extent| extent.width / F::WORDS);
        let made = words::<F>(items, weights.1.rows, count, matrix.1.blocks() == 1);
        self.grant(matrix.1.words().saturating_add(weights.1.words()).saturating_add(made))?;
        let mut session = Session::new(self)?;
        let [weights, matrix] = [weights, matrix]
            .map(|(memory, extent)| Entries::of(self.borrow(&mut session, memory, extent), extent, F::WORDS));
        rows_combined(&mut session, weights, matrix, sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Goldilocks;

    /// Items fill a device, terms are cut where items are too few, and what lies side by side is read side by side.
    #[test]
    fn shares() {
        let of = |items, terms, adjacent| {
            let Shares { tiles, slices, by_slices } = Shares::of(items, terms, adjacent);
            (tiles, slices, by_slices)
        };
        for (items, terms, slices, slices_of_tiles) in [
            (1 << 20, 2, 1, None),
            (1 << 20, 2633, 1, Some(1)),
            (1 << 17, 2633, 2, Some(2)),
            (1 << 16, 2633, 4, Some(4)),
            (2633, 1 << 16, 99, Some(97)),
            (2, 1 << 20, 1 << 15, None),
            (1, 31, 1, None),
            (32, 16, 1, Some(1)),
            (31, 16, 1, None),
            (32, 15, 1, None),
        ] {
            assert_eq!(of(items, terms, true), (false, slices, false), "{items} items side by side");
            let expected = (slices_of_tiles.is_some(), slices_of_tiles.unwrap_or(slices), true);
            assert_eq!(of(items, terms, false), expected, "{items} items of {terms} terms side by side");
        }
        let shares = Shares { tiles: false, slices: 100, by_slices: true };
        assert_eq!(shares.words::<Goldilocks>(10, 3), [3000, 60]);
        assert_eq!(shares.words::<Goldilocks>(10, 9), [4000, 80]);
        assert_eq!(Shares { slices: 1, ..shares }.words::<Goldilocks>(10, 3), [0, 0]);
    }
}
