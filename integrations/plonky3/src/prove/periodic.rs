//! Periodic columns on the coset of the quotient.

use p3_field::{Field, PrimeCharacteristicRing};
use p3_goldilocks::Goldilocks;
use p3_matrix::dense::RowMajorMatrix;
use zkaccel::Error;
use zkaccel::field::Goldilocks as Element;
use zkaccel::resident::DeviceMatrix;
use zkaccel_proofs::Memory;

use crate::dft;
use crate::elements::matrix;

/// Columns whose periods divide the number of rows, in bit-reversed order: as many rows as the longest period has on the coset, after which all repeat.
pub(super) fn table(
    memory: Memory<'_>,
    columns: &[Vec<Goldilocks>],
    log_rows: usize,
    log_chunks: usize,
) -> Result<Option<DeviceMatrix<Element>>, Error> {
    let Some(period) = columns.iter().map(Vec::len).max() else { return Ok(None) };
    let rows = (0..period).flat_map(|row| columns.iter().map(move |column| column[row % column.len()]));
    let rows = RowMajorMatrix::new(rows.collect(), columns.len());
    // A column of period p is a polynomial in x^(n/p).
    let shift = Goldilocks::GENERATOR.exp_power_of_2(log_rows - period.ilog2() as usize);
    memory.narrow(matrix(dft::extend(memory.engine, rows, log_chunks, shift)?)).map(Some)
}
