//! Measurements over prime fields: transforms of polynomials, and what provers do with vectors and with the columns of matrices.

use std::any::Any;

use zkaccel::bn254::Fr;
use zkaccel::field::{Goldilocks, TwoAdicPrime, elements_mut, limbs_of};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{AcceleratedField, Domain, Ntt, Order};
use zkaccel::program::{Builder, Program, ProgramRows};
use zkaccel::sparse::SparseMatrix;
use zkaccel::{Engine, Error};

use super::counts;
use super::measure::measure;
use super::plan::Operation;
use super::report::{Measurement, OneRun, Subject};
use super::workloads::Bench;
use crate::fields::{FieldName, FieldVisitor};

/// Forward transforms of polynomials of 2^`log_size` coefficients, in place.
pub(super) struct Transforms<'a> {
    pub(super) bench: Bench<'a>,
    pub(super) field: FieldName,
    pub(super) polynomials: usize,
    pub(super) log_size: u32,
}

impl FieldVisitor for Transforms<'_> {
    type Output = Result<Measurement, Error>;

    fn visit<F: TwoAdicPrime + AcceleratedField>(self) -> Self::Output {
        let Self { bench, field, polynomials, log_size } = self;
        let fft = Ntt::forward(Domain::halo2(log_size)?);
        let mut scalars = bench.uniform::<F>(polynomials.saturating_mul(fft.domain.size()))?;
        let (engine, count) = (bench.engine, scalars.len());
        let times = match bench.pinned {
            true => {
                let mut locked = engine.pinned::<[u64; 4]>(count)?;
                locked.copy_from_slice(limbs_of(&scalars));
                let scalars = elements_mut::<F>(&mut locked, "scalar")?;
                measure(engine, bench.tour, || Ok(()), |()| engine.ntt(&fft, &mut *scalars))?
            }
            false => measure(engine, bench.tour, || Ok(()), |()| engine.ntt(&fft, &mut scalars))?,
        };
        let products = Some(counts::fft(log_size, polynomials));
        let bytes = 2 * size_of_val(scalars.as_slice()) as u64;
        let work = OneRun { count: count as u64, unit: "elements/s", bytes, products };
        let subject = Subject {
            field: (!field.is_default()).then(|| field.name().into()),
            columns: Some(polynomials),
            ..bench.subject(Operation::Fft, log_size)
        };
        Ok(Measurement::new(subject, &times, work, bench.device))
    }
}

/// One of the other operations, over BN254's scalars, on 2^`log_size` elements, or rows of so many columns. Fields of as many limbs share the code.
pub(super) struct OverScalars<'a> {
    pub(super) bench: Bench<'a>,
    pub(super) operation: Operation,
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

/// The bytes of so many elements.
fn bytes(count: usize) -> u64 {
    (size_of::<Fr>() as u64).saturating_mul(count as u64)
}

impl<'a> OverScalars<'a> {
    pub(super) fn run(self) -> Result<Measurement, Error> {
        let Self { bench, operation, columns, log_size } = self;
        let Prepared { mut run, work } = match operation {
            Operation::Invert => self.invert(),
            Operation::Multiply => self.multiply(),
            Operation::Combine => self.combine(),
            Operation::Prefix => self.prefix(),
            Operation::Program => self.program(),
            Operation::Lookup => self.lookup(),
            Operation::Sparse => self.sparse(),
            other => unreachable!("{other:?} is measured elsewhere"),
        }?;
        let times = measure(bench.engine, bench.tour, || Ok(()), |()| run())?;
        let columns = operation.has_columns().then_some(columns);
        let subject = Subject { columns, pinned: false, ..bench.subject(operation, log_size) };
        Ok(Measurement::new(subject, &times, work, bench.device))
    }

    fn rows(&self) -> usize {
        1 << self.log_size
    }

    fn engine(&self) -> &'a Engine {
        self.bench.engine
    }

    fn elements(&self, count: usize) -> Result<Vec<Fr>, Error> {
        self.bench.uniform(count)
    }

    /// A column-major matrix of them.
    fn matrix(&self, columns: usize) -> Result<Matrix<Fr>, Error> {
        let rows = self.rows();
        Matrix::from_columns(self.elements(rows.saturating_mul(columns))?, rows, columns)
    }

    /// Inverses, in place.
    fn invert(&self) -> Result<Prepared<'a>, Error> {
        let (engine, n) = (self.engine(), self.rows());
        let mut elements = self.elements(n)?;
        let products = Some(counts::inverses(n as u64));
        let work = OneRun { count: n as u64, unit: "elements/s", bytes: bytes(2 * n), products };
        Ok(Prepared::new(move || engine.invert(&mut elements), work))
    }

    /// Products of two vectors, in place of the first.
    fn multiply(&self) -> Result<Prepared<'a>, Error> {
        let (engine, n) = (self.engine(), self.rows());
        let (mut a, b) = (self.elements(n)?, self.elements(n)?);
        let products = Some(counts::products(n as u64));
        let work = OneRun { count: n as u64, unit: "elements/s", bytes: bytes(3 * n), products };
        Ok(Prepared::new(move || engine.multiply(&mut a, &b), work))
    }

    /// One combination of columns.
    fn combine(&self) -> Result<Prepared<'a>, Error> {
        let (engine, n, columns) = (self.engine(), self.rows(), self.columns);
        let matrix = self.matrix(columns)?;
        let coefficients = Matrix::from_column(self.elements(columns)?)?;
        let entries = n.saturating_mul(columns);
        let products = Some(counts::products(entries as u64));
        let bytes = bytes(entries.saturating_add(n));
        let work = OneRun { count: entries as u64, unit: "elements/s", bytes, products };
        Ok(Prepared::new(move || engine.combine_columns(&matrix, &coefficients), work))
    }

    /// Prefix products of columns.
    fn prefix(&self) -> Result<Prepared<'a>, Error> {
        let (engine, matrix) = (self.engine(), self.matrix(self.columns)?);
        let entries = matrix.as_slice().len();
        let products = Some(counts::products(entries as u64));
        let work = OneRun { count: entries as u64, unit: "elements/s", bytes: bytes(2 * entries), products };
        Ok(Prepared::new(move || engine.prefix_products(&matrix, &[]), work))
    }

    /// A row program: the gate of PLONK (Gabizon, Williamson and Ciobotaru 2019, section 6), q_L a + q_R b + q_O c + q_M a b + q_C, of eight columns.
    fn program(&self) -> Result<Prepared<'a>, Error> {
        let (engine, n) = (self.engine(), self.rows());
        let program = plonk_gate()?;
        let matrix = self.matrix(GATE_COLUMNS)?;
        let rows = ProgramRows { count: n, stride: 1, order: Order::Natural };
        let products = Some(counts::products(GATE_PRODUCTS * n as u64));
        let bytes = bytes(n.saturating_mul(GATE_COLUMNS + 1));
        let work = OneRun { count: n as u64, unit: "rows/s", bytes, products };
        Ok(Prepared::new(move || engine.run_program(&program, rows, &[&matrix], &[]), work))
    }

    /// The permuted columns of a lookup of as many rows in a table of different elements.
    fn lookup(&self) -> Result<Prepared<'a>, Error> {
        let (engine, n) = (self.engine(), self.rows());
        let places = self.bench.ordinary_words(n)?;
        let table: Vec<Fr> = self.elements(n)?;
        let mut columns: Vec<Fr> = places.iter().map(|word| table[word.as_u64() as usize % n]).collect();
        columns.extend(table);
        let matrix = Matrix::from_columns(columns, n, 2)?;
        let work = OneRun { count: n as u64, unit: "rows/s", bytes: bytes(4 * n), products: None };
        Ok(Prepared::new(move || engine.permute_lookups(&matrix, n), work))
    }

    /// The product of a square sparse matrix with a vector.
    fn sparse(&self) -> Result<Prepared<'a>, Error> {
        let (engine, n) = (self.engine(), self.rows());
        let indices = self.bench.ordinary_words(n.saturating_mul(ENTRIES))?;
        let some = self.elements(1 << 8)?;
        let row = |(row, indices): (usize, &[Goldilocks])| {
            let values = [Fr::one(), -Fr::one(), some[row % some.len()]];
            let indices = indices.iter().map(|word| word.as_u64() as usize % n);
            indices.zip(values).collect::<Vec<_>>()
        };
        let rows = indices.chunks_exact(ENTRIES).enumerate().map(row);
        let matrix = engine.sparse_matrix(SparseMatrix::from_rows(n, rows)?)?;
        let vector = self.elements(n)?;
        let entries = (n * ENTRIES) as u64;
        let products = Some(counts::products(n as u64));
        // An entry is the index of its column and that of its value, of four bytes each.
        let bytes = bytes(2 * n).saturating_add(8 * entries);
        let work = OneRun { count: entries, unit: "entries/s", bytes, products };
        Ok(Prepared::new(move || engine.sparse_product(&matrix, &vector), work))
    }
}

/// The entries of a row of a sparse matrix, as constraints of circuits have them: 1, -1, and another value.
const ENTRIES: usize = 3;

/// Selectors, then wires; and the products of a row.
const GATE_COLUMNS: usize = 8;
const GATE_PRODUCTS: u64 = 5;

fn plonk_gate() -> Result<Program<Fr>, Error> {
    let mut builder = Builder::new();
    let [q_l, q_r, q_o, q_m, q_c, a, b, c] = std::array::from_fn(|column| builder.column(0, column, 0));
    let ab = builder.mul(a, b);
    let terms = [(q_l, a), (q_r, b), (q_o, c), (q_m, ab)].map(|(q, x)| builder.mul(q, x));
    let sum = terms.into_iter().fold(q_c, |sum, term| builder.add(sum, term));
    builder.output(sum);
    builder.finish()
}
