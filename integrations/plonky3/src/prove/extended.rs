//! Columns of a trace that are extended and committed to.

use p3_goldilocks::Goldilocks;
use p3_merkle_tree::MerkleCap;
use tracing::info_span;
use zkaccel::field::Goldilocks as Element;
use zkaccel::matrix::{Layout, Shape};
use zkaccel::ntt::{Convention, Domain, Lde, Order};
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};
use zkaccel_proofs::Required;

use super::columns::{coset, in_memory, same_columns};
use super::commitment::Commitment;
use crate::hashes::Accelerated;

/// The same matrix with its columns one after another, where a device has memory of its own: an item of such a device reads a row of its own.
fn columns_apart(engine: &Engine, values: DeviceMatrix<Element>) -> Result<DeviceMatrix<Element>, Error> {
    let Shape { rows, columns, layout } = values.shape();
    match values.as_host().is_none() && layout == Layout::RowMajor && columns > 1 {
        true => engine.run_program(&same_columns(0..columns)?, in_memory(rows), &[&values], &[]),
        false => Ok(values),
    }
}

/// The logarithms of sizes of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Of the number of rows of the trace.
    pub(super) log_rows: usize,
    /// Of the number of chunks of the quotient.
    pub(super) log_chunks: usize,
    /// Of the blow-up of what is committed to.
    pub(super) log_blowup: usize,
}

impl Sizes {
    /// The most elements in the device's memory of a proof for an extension of a degree. The wide matrices, those of the trace and of preprocessed columns with what is made of them, have so many columns in all.
    pub(super) fn required(self, columns: usize, degree: usize) -> Required {
        let Self { log_rows, log_chunks, log_blowup } = self;
        let [rows, extended, quotient] = [0, log_blowup, log_chunks].map(|added| 1u64 << (log_rows + added));
        let (columns, degree, chunks) = (columns as u64, degree as u64, 1 << log_chunks);
        let on_quotient = if log_chunks > log_blowup { quotient } else { 0 };
        // What is extended, its coefficients, extensions, and a tree.
        let wide = columns.saturating_mul(2 * rows + extended + on_quotient) + 8 * extended;
        // Points, selectors with what they are made of, the quotient and its coefficients; chunks and their tree, combinations, layers and their trees, and inverses.
        let narrow =
            quotient * (8 + 3 * degree) + extended * (30 + (6 + chunks) * degree) + 2 * degree * rows;
        Required { wide, narrow }
    }
}

/// Columns on the coset that is committed to, and on that of the quotient.
pub(super) struct Extended<H: Accelerated> {
    pub(super) commitment: Commitment<H>,
    pub(super) cap: MerkleCap<Goldilocks, H::Digest>,
    /// If the coset of the quotient is larger. Else its points are the first ones of the other, in bit-reversed order.
    on_quotient: Option<DeviceMatrix<Element>>,
}

impl<H: Accelerated> Extended<H> {
    /// From the values on the trace's domain.
    pub(super) fn new(
        engine: &Engine,
        values: DeviceMatrix<Element>,
        sizes: Sizes,
        cap_height: usize,
    ) -> Result<Self, Error> {
        let Sizes { log_rows, log_chunks, log_blowup } = sizes;
        let values = info_span!("extension").in_scope(|| columns_apart(engine, values))?;
        let extend = |added_bits: usize, values: DeviceMatrix<Element>| {
            let from = Domain::new(log_rows as u32, Convention::Plonky3)?;
            let lde = Lde::new(from, coset(log_rows + added_bits)?)?.with_output_order(Order::BitReversed);
            info_span!("extension").in_scope(|| engine.lde(&lde, values))
        };
        let on_quotient =
            (log_chunks > log_blowup).then(|| extend(log_chunks, values.clone())).transpose()?;
        let extended = extend(log_blowup, values)?;
        let commitment = info_span!("hashing").in_scope(|| Commitment::new(engine, extended, cap_height))?;
        Ok(Self { cap: commitment.cap()?, commitment, on_quotient })
    }

    /// The values on a coset that has that of the quotient for its first points.
    pub(super) fn on_quotient(&self) -> &DeviceMatrix<Element> {
        self.on_quotient.as_ref().unwrap_or(&self.commitment.matrix)
    }
}
