//! Where the matrices of a proof are: in the device's memory, or in the host's where the device's budget has no room for them.
//!
//! An operation on matrices in host memory copies to the device what it needs, in parts. A proof claims its part of the budget before it begins: what it has written to the
//! caller's transcript it could not take back.

use std::ops::Range;

use zkaccel::bn254::Fr;
use zkaccel::matrix::{Layout, Matrix, MatrixInput, MatrixRef, Shape};
use zkaccel::ntt::Ntt;
use zkaccel::program::{Builder, Node, Program, ProgramRows};
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};
use zkaccel_proofs::Claim;

use super::domain::Domain;

/// The most matrices that a row program reads.
pub(super) const MATRICES: usize = 8;

/// Columns of n rows that sums and transforms take beside their operands, at most.
const SCRATCH: usize = 24;

/// An engine, and where it has the matrices of a proof.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) engine: Engine,
    /// What is claimed of the device's budget; `None` for matrices in host memory.
    claim: Option<Claim>,
}

impl Place {
    /// A place for so many columns of n rows, and what operations on them take.
    pub(super) fn of(engine: &Engine, columns: usize, rows: usize) -> Self {
        Self::exactly(engine, columns + SCRATCH, rows).unwrap_or(Self { engine: engine.clone(), claim: None })
    }

    /// A place for so many columns in the device's memory, or none.
    pub(super) fn exactly(engine: &Engine, columns: usize, rows: usize) -> Option<Self> {
        let bytes = (columns as u64).saturating_mul(rows as u64).saturating_mul(size_of::<Fr>() as u64);
        let claim = Claim::of(engine, bytes)?;
        Some(Self { engine: engine.clone(), claim: Some(claim) })
    }

    /// Whether matrices are in the device's memory, or there is none but the host's.
    pub(super) fn is_on_device(&self) -> bool {
        self.claim.is_some()
    }

    /// Brings a matrix to its place.
    pub(super) fn bring<'a>(
        &self,
        matrix: impl Into<MatrixInput<'a, Fr>>,
    ) -> Result<DeviceMatrix<Fr>, Error> {
        match self.is_on_device() {
            true => self.engine.upload(matrix),
            false => self.engine.keep_in_host_memory(matrix),
        }
    }

    /// Brings columns of equal lengths, one after another, to their place.
    pub(super) fn bring_columns(&self, entries: Vec<Fr>, rows: usize) -> Result<DeviceMatrix<Fr>, Error> {
        let columns = entries.len() / rows;
        self.bring(Matrix::from_columns(entries, rows, columns)?)
    }

    /// The same of the caller's.
    pub(super) fn bring_borrowed(&self, entries: &[Fr], rows: usize) -> Result<DeviceMatrix<Fr>, Error> {
        let shape = Shape { rows, columns: entries.len() / rows, layout: Layout::ColumnMajor };
        self.bring(MatrixRef::new(entries, shape)?)
    }

    /// The coefficients of polynomials of which the values in all rows are known.
    pub(super) fn coefficients(
        &self,
        domain: &Domain,
        values: &DeviceMatrix<Fr>,
    ) -> Result<DeviceMatrix<Fr>, Error> {
        let mut coefficients = values.clone();
        self.engine.ntt(&Ntt::inverse(domain.subgroup), &mut coefficients)?;
        Ok(coefficients)
    }

    /// The values of polynomials on a coset.
    pub(super) fn on_coset(
        &self,
        coset: zkaccel::ntt::Domain<Fr>,
        coefficients: &DeviceMatrix<Fr>,
    ) -> Result<DeviceMatrix<Fr>, Error> {
        let mut values = coefficients.clone();
        self.engine.ntt(&Ntt::forward(coset), &mut values)?;
        Ok(values)
    }

    /// The columns of matrices side by side.
    pub(super) fn beside(
        &self,
        rows: ProgramRows,
        mut matrices: Vec<DeviceMatrix<Fr>>,
    ) -> Result<DeviceMatrix<Fr>, Error> {
        while matrices.len() > 1 {
            let joined = matrices.chunks(MATRICES).map(|group| {
                let mut builder = Builder::new();
                for (index, matrix) in group.iter().enumerate() {
                    for column in 0..matrix.shape().columns {
                        let node = builder.column(index, column, 0);
                        builder.output(node);
                    }
                }
                let inputs: Vec<_> = group.iter().collect();
                self.engine.run_program(&builder.finish()?, rows, &inputs, &[])
            });
            matrices = joined.collect::<Result<_, Error>>()?;
        }
        Ok(matrices.pop().expect("a matrix or more"))
    }
}

/// Programs, each of a range of items.
pub(super) type Programs = Vec<(Range<usize>, Program<Fr>)>;

/// Programs whose outputs, one program after another, are those of all items in their order: one if devices have room for all nodes that are in use at once, else more.
///
/// An item for which there is no room alone is an error by its index.
pub(super) fn divided(
    items: Range<usize>,
    outputs: &impl Fn(&mut Builder<Fr>, usize) -> Vec<Node>,
) -> Result<Programs, (usize, Error)> {
    divided_by(items, &|builder, items| {
        for item in items {
            for node in outputs(builder, item) {
                builder.output(node);
            }
        }
    })
}

/// The same, with programs of several items recorded together.
pub(super) fn divided_by(
    items: Range<usize>,
    record: &impl Fn(&mut Builder<Fr>, Range<usize>),
) -> Result<Programs, (usize, Error)> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let mut builder = Builder::new();
    record(&mut builder, items.clone());
    match builder.finish() {
        Ok(program) => Ok(vec![(items, program)]),
        Err(error) if items.len() == 1 => Err((items.start, error)),
        Err(_) => {
            let middle = items.start + items.len() / 2;
            let mut programs = divided_by(items.start..middle, record)?;
            programs.extend(divided_by(middle..items.end, record)?);
            Ok(programs)
        }
    }
}

/// Runs a program on matrices of which some may be missing: these it does not read, and gets the first in their place.
pub(super) fn run(
    engine: &Engine,
    program: &Program<Fr>,
    rows: ProgramRows,
    matrices: &[Option<&DeviceMatrix<Fr>>],
    values: &[Fr],
) -> Result<DeviceMatrix<Fr>, Error> {
    let first = matrices.iter().flatten().next().expect("a matrix or more");
    let inputs = program.inputs().iter().enumerate().map(|(index, _)| matrices[index].unwrap_or(first));
    engine.run_program(program, rows, &inputs.collect::<Vec<_>>(), values)
}
