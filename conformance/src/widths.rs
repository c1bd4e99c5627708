//! Matrices of more bytes, and of more words, than 32 bits count: zeros but for a few entries, around every power of two at which an index or a count of bytes
//! would wrap, and at both ends. An index that wraps reads another entry, of which no two are alike.
//!
//! The host's zeros are never written, so that the system has no memory for them; where it does not hand out so many addresses, the
//! cases are skipped. Devices work in parts of a small budget. GPUs, whose memory is not the host's, also work with all that they have,
//! so that their kernels' own indices pass 2^32 where the budget of an engine is large enough.

use zkaccel::device::DeviceKind;
use zkaccel::field::Goldilocks;
use zkaccel::hash::{Blake3, Hasher};
use zkaccel::matrix::{Element, Layout, Matrix, Shape};
use zkaccel::ntt::Order;
use zkaccel::program::{Builder, ProgramRows};
use zkaccel::{Engine, Error};

use crate::residence::with_budget;
use crate::{Case, expect_equal};

/// A little more than 2^29 words, 2^32 bytes.
const BYTES: Extents = Extents { rows: 1 << 19, columns: (1 << 10) + 1 };
/// A little more than 2^32 words.
const WORDS: Extents = Extents { rows: 1 << 22, columns: (1 << 10) + 1 };

/// Bytes of a device's memory for the parts of an operation.
const BUDGET: u64 = 256 << 20;

pub(super) const HASHES: &[Case] =
    &[Case { name: "beyond 2^32 bytes, hashes", run: |engine| each(engine, hashes) }];
pub(super) const COMBINATIONS: &[Case] = &[
    Case { name: "beyond 2^32 bytes, sums of products", run: |engine| each(engine, sums_of_products) },
    Case { name: "beyond 2^32 words, sums of products", run: |engine| each(engine, sums_of_rows) },
];
pub(super) const PROGRAMS: &[Case] = &[
    Case { name: "beyond 2^32 bytes, programs", run: |engine| each(engine, |engine| program(engine, BYTES)) },
    Case { name: "beyond 2^32 words, programs", run: |engine| each(engine, |engine| program(engine, WORDS)) },
];

/// [`Error::HostOutOfMemory`] for a case of this file on a host that does not hand out addresses for its matrix.
pub(super) fn refused(case: &str) -> Option<Error> {
    let of = |prefix, extents: Extents| case.starts_with(prefix).then(|| extents.zeros().err()).flatten();
    of("beyond 2^32 bytes", BYTES).or_else(|| of("beyond 2^32 words", WORDS))
}

/// Within a small budget, and on a GPU with what the engine has as well.
fn each(engine: &Engine, run: impl Fn(&Engine) -> Result<(), String>) -> Result<(), String> {
    run(&with_budget(engine, BUDGET)?)?;
    if engine.device().kind == DeviceKind::Gpu { run(engine) } else { Ok(()) }
}

/// Rows and columns.
#[derive(Clone, Copy)]
struct Extents {
    rows: usize,
    columns: usize,
}

/// An entry that is not zero.
struct Entry {
    row: usize,
    column: usize,
    value: Goldilocks,
}

impl Extents {
    fn words(self) -> usize {
        self.rows * self.columns
    }

    fn zeros(self) -> Result<Vec<Goldilocks>, Error> {
        Goldilocks::zeros(self.words())
    }

    /// The matrix, and its entries that are not zero.
    fn matrix(self, layout: Layout) -> Result<(Matrix<Goldilocks>, Vec<Entry>), Error> {
        let Self { rows, columns } = self;
        let mut words = self.zeros()?;
        let wraps =
            [13, 16, 28, 29, 31, 32].into_iter().flat_map(|log| [(1 << log) - 1, 1 << log, (1 << log) + 1]);
        let last = self.words() - 1;
        let places = [0, 1].into_iter().chain(wraps).filter(|&at| at < last).chain([last]);
        let mut entries = Vec::new();
        for (number, at) in places.enumerate() {
            words[at] = Goldilocks::new(Goldilocks::MODULUS - 3 - number as u64);
            let (row, column) = match layout {
                Layout::RowMajor => (at / columns, at % columns),
                Layout::ColumnMajor => (at % rows, at / rows),
            };
            entries.push(Entry { row, column, value: words[at] });
        }
        Ok((Matrix::new(words, Shape { rows, columns, layout })?, entries))
    }
}

/// The factor of a row or a column.
fn factor(index: usize) -> Goldilocks {
    Goldilocks::new(index as u64) * Goldilocks::new(index as u64) + Goldilocks::new(1)
}

fn hashes(engine: &Engine) -> Result<(), String> {
    let (matrix, entries) = BYTES.matrix(Layout::RowMajor)?;
    let found = engine.hash_rows::<Blake3, _>(&matrix)?;
    let mut expected = vec![Blake3::hash_elements(&vec![Goldilocks::new(0); BYTES.columns]); BYTES.rows];
    for entry in &entries {
        expected[entry.row] = Blake3::hash_elements(&matrix.row(entry.row));
    }
    expect_equal("digests of rows", &found, &expected)
}

fn sums_of_products(engine: &Engine) -> Result<(), String> {
    let Extents { rows, columns } = BYTES;
    let (matrix, entries) = BYTES.matrix(Layout::RowMajor)?;
    sums(engine, BYTES, &matrix, &entries)?;
    let coefficients = Matrix::from_column((0..columns).map(factor).collect())?;
    let mut expected = vec![Goldilocks::new(0); rows];
    entries.iter().for_each(|entry| expected[entry.row] += entry.value * factor(entry.column));
    let found = engine.combine_columns(&matrix, &coefficients)?;
    expect_equal("sums of columns", found.as_slice(), &expected)?;
    drop(matrix);
    let (matrix, entries) = BYTES.matrix(Layout::ColumnMajor)?;
    sums(engine, BYTES, &matrix, &entries)
}

fn sums_of_rows(engine: &Engine) -> Result<(), String> {
    let (matrix, entries) = WORDS.matrix(Layout::RowMajor)?;
    sums(engine, WORDS, &matrix, &entries)
}

fn sums(
    engine: &Engine,
    Extents { rows, columns }: Extents,
    matrix: &Matrix<Goldilocks>,
    entries: &[Entry],
) -> Result<(), String> {
    let weights = Matrix::from_column((0..rows).map(factor).collect())?;
    let mut expected = vec![Goldilocks::new(0); columns];
    entries.iter().for_each(|entry| expected[entry.column] += entry.value * factor(entry.row));
    expect_equal("sums of rows", engine.combine_rows(&weights, matrix)?.as_slice(), &expected)
}

/// The sum, in each row, of the last entry and thrice the first entry of the next row.
fn program(engine: &Engine, extents @ Extents { rows, columns }: Extents) -> Result<(), String> {
    let (matrix, entries) = extents.matrix(Layout::ColumnMajor)?;
    let mut builder = Builder::<Goldilocks>::new();
    let (last, next, three) =
        (builder.column(0, columns - 1, 0), builder.column(0, 0, 1), builder.constant(Goldilocks::new(3)));
    let product = builder.mul(next, three);
    let sum = builder.add(last, product);
    builder.output(sum);
    let run = ProgramRows { count: rows, stride: 1, order: Order::Natural };
    let found = engine.run_program(&builder.finish()?, run, &[&matrix], &[])?;
    let mut expected = vec![Goldilocks::new(0); rows];
    for entry in &entries {
        match entry.column {
            0 => expected[(entry.row + rows - 1) % rows] += entry.value * Goldilocks::new(3),
            column if column == columns - 1 => expected[entry.row] += entry.value,
            _ => {}
        }
    }
    expect_equal("results of a program", found.as_slice(), &expected)
}
