//! Where the matrices of a proof are: in the device's memory, or in the host's where the device's budget has no room for them.
//!
//! An operation on matrices in host memory copies to the device what it needs, in parts. A proof claims its part of the budget before it begins: what it has written to the
//! caller's transcript it could not take back.

use zkaccel::bn254::Fr;
use zkaccel::matrix::{Layout, Matrix, MatrixInput, MatrixRef, Shape};
use zkaccel::ntt::Ntt;
use zkaccel::program::{Builder, ProgramRows};
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};
use zkaccel_proofs::Claim;

use super::domain::Domain;
use crate::constraints::programs::MATRICES;

/// Columns of n rows that sums and transforms take beside their operands, at most.
const SCRATCH: usize = 24;

/// An engine, and where it has the matrices of a proof.
#[derive(Debug)]
pub(super) struct Residence {
    pub(super) engine: Engine,
    /// What is claimed of the device's budget; `None` for matrices in host memory.
    claim: Option<Claim>,
}

impl Residence {
    /// A residence for so many columns of n rows, and what operations on them take.
    pub(super) fn of(engine: &Engine, columns: usize, rows: usize) -> Self {
        Self::exactly(engine, columns + SCRATCH, rows).unwrap_or(Self { engine: engine.clone(), claim: None })
    }

    /// A residence for so many columns in the device's memory, or none.
    pub(super) fn exactly(engine: &Engine, columns: usize, rows: usize) -> Option<Self> {
        let bytes = (columns as u64).saturating_mul(rows as u64).saturating_mul(size_of::<Fr>() as u64);
        let claim = Claim::of(engine, bytes)?;
        Some(Self { engine: engine.clone(), claim: Some(claim) })
    }

    /// Whether matrices are in the device's memory, or there is none but the host's.
    pub(super) fn is_on_device(&self) -> bool {
        self.claim.is_some()
    }

    /// Brings a matrix to where it stays.
    pub(super) fn bring<'a>(
        &self,
        matrix: impl Into<MatrixInput<'a, Fr>>,
    ) -> Result<DeviceMatrix<Fr>, Error> {
        match self.is_on_device() {
            true => self.engine.upload(matrix),
            false => self.engine.keep_in_host_memory(matrix),
        }
    }

    /// Brings columns of equal lengths, one after another, to where they stay.
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
