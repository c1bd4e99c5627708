//! Measurements over a prime field: transforms of polynomials, and what provers do with vectors and with the columns of matrices.

use std::any::Any;

use zkaccel::field::{Goldilocks, elements_mut, limbs_of};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Domain, Ntt, Order};
use zkaccel::program::{Builder, Program, ProgramRows};
use zkaccel::sparse::SparseMatrix;
use zkaccel::{Engine, Error};

use super::counts;
use super::inputs::{uniform, words_of};
use super::measure::measure;
use super::plan::Operation;
use super::report::{Measurement, OneRun, Subject};
use super::workloads::Bench;
use crate::fields::{FieldName, FieldVisitor, PrimeField};

/// One of these operations on 2^`log_size` elements, or rows of so many columns.
pub(super) struct OverField<'a> {
    pub(super) bench: Bench<'a>,
    pub(super) operation: Operation,
    pub(super) field: FieldName,
    pub(super) columns: usize,
    pub(super) log_size: u32,
}

/// What is timed again and again, on inputs that lie ready, and how much work one run is.
struct Prepared<'a> {
    run: Box<dyn FnMut() -> Result<Box<dyn Any>, Error> + 'a>,
    work: OneRun,
}

impl<'a> Prepared<'a> {
    fn new<T: Any>(mut run: impl FnMut() -> Result<T, Error> + 'a, work: OneRun) -> Self {
        Self { run: Box::new(move || Ok(Box::new(run()?))), work }
    }
}

impl FieldVisitor for OverField<'_> {
    type Output = Result<Measurement, Error>;

    fn visit<F: PrimeField>(self) -> Self::Output {
        let Self { bench, operation, field, columns, log_size } = self;
        let Prepared { mut run, work } = match operation {
            Operation::Fft => self.fft::<F>(),
            Operation::Invert => self.invert::<F>(),
            Operation::Multiply => self.multiply::<F>(),
            Operation::Combine => self.combine::<F>(),
            Operation::Prefix => self.prefix::<F>(),
            Operation::Program => self.program::<F>(),
            Operation::Lookup => self.lookup::<F>(),
            Operation::Sparse => self.sparse::<F>(),
            other => unreachable!("{other:?} is not over a field that is chosen"),
        }?;
        let times = measure(bench.engine, bench.tour, || Ok(()), |()| run())?;
        let subject = Subject {
            field: (!field.is_default()).then(|| field.name().into()),
            columns: operation.has_columns().then_some(columns),
            // Only transforms have inputs in page-locked memory.
            pinned: bench.pinned && operation == Operation::Fft,
            ..bench.subject(operation, log_size)
        };
        Ok(Measurement::new(subject, &times, work, bench.device))
    }
}

/// The bytes of so many elements.
fn bytes<F>(count: usize) -> u64 {
    (size_of::<F>() as u64).saturating_mul(count as u64)
}

impl<'a> OverField<'a> {
    fn rows(&self) -> usize {
        1 << self.log_size
    }

    fn engine(&self) -> &'a Engine {
        self.bench.engine
    }

    /// Practically uniform elements.
    fn elements<F: PrimeField>(&self, count: usize) -> Result<Vec<F>, Error> {
        Ok(uniform(&self.bench.ordinary_words(count.saturating_mul(words_of::<F>()))?))
    }

    /// A column-major matrix of them.
    fn matrix<F: PrimeField>(&self, columns: usize) -> Result<Matrix<F>, Error> {
        let rows = self.rows();
        Matrix::from_columns(self.elements(rows.saturating_mul(columns))?, rows, columns)
    }

    /// Forward transforms of polynomials, in place.
    fn fft<F: PrimeField>(&self) -> Result<Prepared<'a>, Error> {
        let engine = self.engine();
        let fft = Ntt::forward(Domain::halo2(self.log_size)?);
        let mut scalars = self.elements::<F>(self.columns.saturating_mul(fft.domain.size()))?;
        let count = scalars.len();
        let products = Some(counts::fft(self.log_size, self.columns));
        let work = OneRun { count: count as u64, unit: "elements/s", bytes: bytes::<F>(2 * count), products };
        Ok(match self.bench.pinned {
            true => {
                let mut locked = engine.pinned::<[u64; 4]>(count)?;
                locked.copy_from_slice(limbs_of(&scalars));
                let run = move || engine.ntt(&fft, elements_mut::<F>(&mut locked, "scalar")?);
                Prepared::new(run, work)
            }
            false => Prepared::new(move || engine.ntt(&fft, &mut scalars), work),
        })
    }

    /// Inverses, in place.
    fn invert<F: PrimeField>(&self) -> Result<Prepared<'a>, Error> {
        let (engine, n) = (self.engine(), self.rows());
        let mut elements = self.elements::<F>(n)?;
        let products = Some(counts::inverses(n as u64));
        let work = OneRun { count: n as u64, unit: "elements/s", bytes: bytes::<F>(2 * n), products };
        Ok(Prepared::new(move || engine.invert(&mut elements), work))
    }

    /// Products of two vectors, in place of the first.
    fn multiply<F: PrimeField>(&self) -> Result<Prepared<'a>, Error> {
        let (engine, n) = (self.engine(), self.rows());
        let (mut a, b) = (self.elements::<F>(n)?, self.elements::<F>(n)?);
        let products = Some(counts::products(n as u64));
        let work = OneRun { count: n as u64, unit: "elements/s", bytes: bytes::<F>(3 * n), products };
        Ok(Prepared::new(move || engine.multiply(&mut a, &b), work))
    }

    /// One combination of columns.
    fn combine<F: PrimeField>(&self) -> Result<Prepared<'a>, Error> {
        let (engine, n, columns) = (self.engine(), self.rows(), self.columns);
        let matrix = self.matrix::<F>(columns)?;
        let coefficients = Matrix::from_column(self.elements(columns)?)?;
        let entries = n.saturating_mul(columns);
        let products = Some(counts::products(entries as u64));
        let bytes = bytes::<F>(entries.saturating_add(n));
        let work = OneRun { count: entries as u64, unit: "elements/s", bytes, products };
        Ok(Prepared::new(move || engine.combine_columns(&matrix, &coefficients), work))
    }

    /// Prefix products of columns.
    fn prefix<F: PrimeField>(&self) -> Result<Prepared<'a>, Error> {
        let (engine, matrix) = (self.engine(), self.matrix::<F>(self.columns)?);
        let entries = matrix.as_slice().len();
        let products = Some(counts::products(entries as u64));
        let work =
            OneRun { count: entries as u64, unit: "elements/s", bytes: bytes::<F>(2 * entries), products };
        Ok(Prepared::new(move || engine.prefix_products(&matrix, &[]), work))
    }

    /// A row program: the gate of PLONK (Gabizon, Williamson and Ciobotaru 2019, section 6), q_L a + q_R b + q_O c + q_M a b + q_C, of eight columns.
    fn program<F: PrimeField>(&self) -> Result<Prepared<'a>, Error> {
        let (engine, n) = (self.engine(), self.rows());
        let program = plonk_gate::<F>()?;
        let matrix = self.matrix::<F>(GATE_COLUMNS)?;
        let rows = ProgramRows { count: n, stride: 1, order: Order::Natural };
        let products = Some(counts::products(GATE_PRODUCTS * n as u64));
        let bytes = bytes::<F>(n.saturating_mul(GATE_COLUMNS + 1));
        let work = OneRun { count: n as u64, unit: "rows/s", bytes, products };
        Ok(Prepared::new(move || engine.run_program(&program, rows, &[&matrix], &[]), work))
    }

    /// The permuted columns of a lookup of as many rows in a table of different elements.
    fn lookup<F: PrimeField>(&self) -> Result<Prepared<'a>, Error> {
        let (engine, n) = (self.engine(), self.rows());
        let places = self.bench.ordinary_words(n)?;
        let table: Vec<F> = self.elements(n)?;
        let mut columns: Vec<F> = places.iter().map(|word| table[word.as_u64() as usize % n]).collect();
        columns.extend(table);
        let matrix = Matrix::from_columns(columns, n, 2)?;
        let work = OneRun { count: n as u64, unit: "rows/s", bytes: bytes::<F>(4 * n), products: None };
        Ok(Prepared::new(move || engine.permute_lookups(&matrix, n), work))
    }

    /// The product of a square sparse matrix with a vector.
    fn sparse<F: PrimeField>(&self) -> Result<Prepared<'a>, Error> {
        let (engine, n) = (self.engine(), self.rows());
        let indices = self.bench.ordinary_words(n.saturating_mul(ENTRIES))?;
        let some = self.elements::<F>(1 << 8)?;
        let row = |(row, indices): (usize, &[Goldilocks])| {
            let values = [F::from(1), -F::from(1), some[row % some.len()]];
            let indices = indices.iter().map(|word| word.as_u64() as usize % n);
            indices.zip(values).collect::<Vec<_>>()
        };
        let rows = indices.chunks_exact(ENTRIES).enumerate().map(row);
        let matrix = engine.sparse_matrix(SparseMatrix::from_rows(n, rows)?)?;
        let vector = self.elements::<F>(n)?;
        let entries = (n * ENTRIES) as u64;
        let products = Some(counts::products(n as u64));
        // An entry is the index of its column and that of its value, of four bytes each.
        let bytes = bytes::<F>(2 * n).saturating_add(8 * entries);
        let work = OneRun { count: entries, unit: "entries/s", bytes, products };
        Ok(Prepared::new(move || engine.sparse_product(&matrix, &vector), work))
    }
}

/// The entries of a row of a sparse matrix, as constraints of circuits have them: 1, -1, and another value.
const ENTRIES: usize = 3;

/// Selectors, then wires; and the products of a row.
const GATE_COLUMNS: usize = 8;
const GATE_PRODUCTS: u64 = 5;

fn plonk_gate<F: PrimeField>() -> Result<Program<F>, Error> {
    let mut builder = Builder::new();
    let [q_l, q_r, q_o, q_m, q_c, a, b, c] = std::array::from_fn(|column| builder.column(0, column, 0));
    let ab = builder.mul(a, b);
    let terms = [(q_l, a), (q_r, b), (q_o, c), (q_m, ab)].map(|(q, x)| builder.mul(q, x));
    let sum = terms.into_iter().fold(q_c, |sum, term| builder.add(sum, term));
    builder.output(sum);
    builder.finish()
}
