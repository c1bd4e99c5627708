//! Prefix products of columns (`kernels/prefix.cl`).
//!
//! Columns are cut into runs of `RUN` rows. The products of runs make a shorter matrix, of which the same is asked, until a group takes a whole column; then
//! the way back, on which each run begins with the product of all before it. A column of 2^24 rows takes three launches on either way and one
//! between.

use super::Gpu;
use super::device::{Arg, Launch};
use super::program::{DeviceField, Name, Program};
use super::session::{Region, Session};
use super::transforms::{Part, bytes, bytes_mut};
use crate::backend::{AcceleratedField, Extent, MatrixView, Memory, PrefixProducts, ResidentPrefixProducts};
use crate::error::Error;

/// Rows of a run.
const RUN: usize = 16;

/// Items of a group.
const ITEMS: usize = 128;

/// The most rows of a column that a group takes.
const COLUMN: usize = 1 << 12;

const KERNELS: &[&str] =
    &[include_str!("../../../kernels/element.h"), include_str!("../../../kernels/prefix.cl")];

/// The program over a field.
pub(super) const fn program<F: DeviceField>() -> &'static Program {
    const { &Program::over::<F>(const { &Name::new("prefix", F::SUFFIX) }, KERNELS) }
}

/// Blocks of rows of so many elements, and how columns are cut.
#[derive(Clone, Debug)]
struct Scan {
    width: usize,
    blocks: usize,
    /// Rows, runs, runs of runs and so on.
    levels: Vec<usize>,
}

impl Scan {
    fn new(rows: usize, width: usize, blocks: usize) -> Self {
        let shorter = |&rows: &usize| (rows > COLUMN).then(|| rows.div_ceil(RUN));
        Self { width, blocks, levels: std::iter::successors(Some(rows), shorter).collect() }
    }

    fn columns(&self) -> usize {
        self.width * self.blocks
    }

    /// Elements of the matrix of a level.
    fn elements(&self, level: usize) -> usize {
        self.levels[level] * self.columns()
    }

    /// The place of a level behind those between it and the rows.
    fn offset(&self, level: usize) -> usize {
        (1..level).map(|below| self.elements(below)).sum()
    }

    /// Elements of all levels but the rows.
    fn scratch(&self) -> usize {
        self.offset(self.levels.len())
    }

    /// Elements of memory besides the rows' and the result's: products of runs and what runs begin with, and what columns begin and end with.
    fn beside(&self) -> usize {
        2 * self.scratch() + 2 * self.columns()
    }

    /// The prefix products of a region, and what columns end with in place of what they begin with.
    fn launch<F: DeviceField>(
        &self,
        session: &mut Session<'_>,
        from: Region,
        to: Region,
        carry: &mut [F],
    ) -> Result<(), Error> {
        assert!(from.words() >= self.elements(0) * F::WORDS && to.words() >= self.elements(0) * F::WORDS);
        let (top, columns) = (self.levels.len() - 1, self.columns());
        let first = session.upload_new(bytes(carry))?;
        let last = session.allocate(columns * F::WORDS)?;
        let [products, begins] = match self.scratch() {
            0 => [to; 2],
            scratch => [session.allocate(scratch * F::WORDS)?, session.allocate(scratch * F::WORDS)?],
        };
        let place = |level: usize, rows: Region, others: Region| match level {
            0 => Arg::Buffer(rows, 0),
            _ => Arg::Buffer(others, self.offset(level) as u64),
        };
        let mut launches = Vec::new();
        for level in 0..top {
            let matrix = place(level, from, products);
            launches.push(self.runs::<F>(session, level, matrix, None, place(level + 1, to, products)));
        }
        let numbers = [self.levels[top], self.width].map(|number| Arg::Word(number as u64));
        let mut args = vec![place(top, from, products)];
        args.extend(numbers);
        args.extend([Arg::Buffer(first, 0), Arg::Buffer(last, 0), place(top, to, begins)]);
        // SAFETY: column_prefixes reads and writes a matrix of so many rows of a column for each group, and an element for each in `first` and `last`.
        launches.push(unsafe { Launch::new(program::<F>(), "column_prefixes", (columns, ITEMS), args) });
        for level in (0..top).rev() {
            let (matrix, carries) = (place(level, from, products), place(level + 1, to, begins));
            launches.push(self.runs::<F>(session, level, matrix, Some(carries), place(level, to, begins)));
        }
        session.launch(&launches)?;
        let mut ends = F::zeros(columns)?;
        session.download(last, 0, bytes_mut(&mut ends))?;
        carry.copy_from_slice(&ends);
        Ok(())
    }

    /// The products of the runs of a level, or with what they begin with their prefix products.
    fn runs<F: DeviceField>(
        &self,
        session: &Session<'_>,
        level: usize,
        from: Arg<Region>,
        carries: Option<Arg<Region>>,
        to: Arg<Region>,
    ) -> Launch<Region> {
        let (rows, runs) = (self.levels[level], self.levels[level + 1]);
        // Of columns that lie one after another there are tiles, of elements that are small enough.
        let tiles = F::WORDS == 1 && self.width == 1;
        let mut args = vec![from, Arg::Word(rows as u64)];
        if !tiles {
            args.push(Arg::Word(self.width as u64));
        }
        args.push(Arg::Word(runs as u64));
        args.extend(carries);
        args.push(to);
        let kernel = match (tiles, carries) {
            (true, None) => "tile_products",
            (true, Some(_)) => "tile_prefixes",
            (false, None) => "run_products",
            (false, Some(_)) => "run_prefixes",
        };
        let grid = match tiles {
            true => (self.blocks * runs.div_ceil(ITEMS), ITEMS),
            false => {
                let count = self.elements(level + 1);
                args.push(Arg::Word(count as u64));
                session.limits().grid(count)
            }
        };
        // SAFETY: these kernels have these parameters; they read the matrix of a level, and an element of the one above for each of its runs where there are carries, and
        // write as much as one of both has. `launch` has room for all of them.
        unsafe { Launch::new(program::<F>(), kernel, grid, args) }
    }
}

impl<F: AcceleratedField + DeviceField> PrefixProducts<F> for Gpu {
    /// In runs of rows where the budget demands it: each begins with what the one before ended with.
    fn prefix_products(
        &self,
        input: &[F],
        width: usize,
        products: &mut [F],
        carry: &mut [F],
    ) -> Result<(), Error> {
        let columns = carry.len();
        let all = input.len() / columns;
        let (row_step, column_step) = if width == columns { (width, 1) } else { (1, all) };
        let matrix = MatrixView { elements: input, rows: all, columns, row_step, column_step };
        // Levels are less than an eighth of the rows.
        let words = (2 * columns + columns.div_ceil(4)).saturating_mul(F::WORDS);
        let room = usize::try_from(self.limit / 8).unwrap_or(usize::MAX);
        let room = room.saturating_sub(2 * columns * F::WORDS);
        self.divide_at_most(all, words, room / words, &mut |rows| {
            let mut session = Session::new(self)?;
            let from = self.upload_rows(&mut session, matrix, rows.clone())?.region;
            let to = session.allocate(rows.len() * columns * F::WORDS)?;
            let scan = Scan::new(rows.len(), width, columns / width);
            let mut ends = carry.to_vec();
            scan.launch(&mut session, from, to, &mut ends)?;
            match width == columns {
                true => {
                    let block = Part { blocks: rows, columns: 0..columns, width };
                    self.download_part(&mut session, &block, 1, to, products)?;
                }
                false => {
                    let block = Part { blocks: 0..1, columns: rows, width: all };
                    self.download_part(&mut session, &block, columns, to, products)?;
                }
            }
            carry.copy_from_slice(&ends);
            Ok(())
        })
    }
}

impl<F: AcceleratedField + DeviceField> ResidentPrefixProducts<F> for Gpu {
    fn prefix_products(&self, matrix: &Memory, extent: Extent, carry: &mut [F]) -> Result<Memory, Error> {
        let scan = Scan::new(extent.rows, extent.block / F::WORDS, extent.blocks());
        let beside = scan.beside().saturating_mul(F::WORDS);
        self.grant(extent.words().saturating_mul(2).saturating_add(beside))?;
        let mut session = Session::new(self)?;
        let from = self.borrow(&mut session, matrix, extent);
        let to = session.allocate(extent.words())?;
        scan.launch(&mut session, from, to, carry)?;
        session.lease(to)
    }
}
