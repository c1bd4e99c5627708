//! Columns of a trace that are extended and committed to.

use std::sync::{Mutex, MutexGuard, PoisonError};

use p3_goldilocks::Goldilocks;
use p3_merkle_tree::MerkleCap;
use tracing::info_span;
use zkaccel::field::Goldilocks as Element;
use zkaccel::matrix::MatrixRef;
use zkaccel::ntt::{Convention, Domain, Lde, Order};
use zkaccel::resident::{Cosets, DeviceMatrix};
use zkaccel::{Engine, Error};
use zkaccel_proofs::{Memory, Required};

use super::columns::coset;
use super::commitment::{Commitment, Part};
use super::masks::Salts;
use super::residence::Values;
use crate::hashes::Accelerated;

/// The sizes of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// The logarithm of the number of rows of the trace.
    pub(super) log_rows: usize,
    /// That of the number of chunks of the quotient.
    pub(super) log_chunks: usize,
    /// That of the blow-up of what is committed to.
    pub(super) log_blowup: usize,
    /// What hides the trace, if anything does.
    pub(super) hiding: Option<Hiding>,
}

/// The numbers of random columns, and of salts of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hiding {
    pub(super) codewords: usize,
    pub(super) salts: usize,
}

impl Sizes {
    /// The logarithm of the number of rows that are extended: those of the trace, and as many that hide them.
    pub(super) fn log_committed(self) -> usize {
        self.log_rows + self.hiding.is_some() as usize
    }

    /// That of extensions.
    pub(super) fn log_extended(self) -> usize {
        self.log_committed() + self.log_blowup
    }

    /// That of the quotient.
    pub(super) fn log_quotient(self) -> usize {
        self.log_rows + self.log_chunks
    }

    /// The same of the quotient's coset, if that is larger than the one of extensions.
    fn larger(self) -> Option<usize> {
        Some(self.log_quotient()).filter(|&quotient| quotient > self.log_extended())
    }

    /// The most elements in the device's memory of a proof for an extension of a degree. The wide matrices, those of the trace and of preprocessed columns with what is made of them, have so many columns in all.
    pub(super) fn required(self, columns: usize, degree: usize) -> Required {
        let [rows, extended, quotient] =
            [self.log_committed(), self.log_extended(), self.log_quotient()].map(|log_size| 1u64 << log_size);
        let (columns, degree, chunks) = (columns as u64, degree as u64, 1 << self.log_chunks);
        let on_quotient = if quotient > extended { quotient } else { 0 };
        // What is extended, its coefficients, extensions, and a tree.
        let wide = columns.saturating_mul(2 * rows + extended + on_quotient) + 8 * extended;
        // Points, selectors with what they are made of, the quotient and its coefficients; chunks and their tree, combinations, layers and their trees, and inverses.
        let narrow =
            quotient * (8 + 3 * degree) + extended * (30 + (6 + chunks) * degree) + 3 * degree * rows;
        let Some(Hiding { codewords, salts }) = self.hiding else { return Required { wide, narrow } };
        let (chunk, salts) = (degree + codewords as u64, salts as u64);
        // Another extension, with its salts; chunks, their masks, both together and with their salts, the random polynomial, and the salts of layers.
        let wide = wide + extended.saturating_mul(columns + 2 * salts);
        let narrow = narrow + extended.saturating_mul((chunks + 1) * (4 * chunk + 2 * salts) + 4 * salts);
        Required { wide, narrow }
    }
}

/// Memory that the extensions of the last proof had, where that is the host's. Proofs of equal sizes write theirs there: to clear fresh pages takes the system a tenth of a proof and more.
#[derive(Default)]
pub(super) struct Spare(Mutex<Vec<Vec<Element>>>);

impl Spare {
    fn lock(&self) -> MutexGuard<'_, Vec<Vec<Element>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory of so many elements, or none.
    fn take(&self, len: usize) -> Vec<Element> {
        let mut spare = self.lock();
        let found = spare.iter().position(|memory| memory.len() == len);
        found.map(|found| spare.swap_remove(found)).unwrap_or_default()
    }

    /// Keeps the memory of extensions that are not needed any more, and lets go what is kept.
    pub(super) fn keep<H: Accelerated>(&self, Extensions { extended, commitment, .. }: Extensions<H>) {
        drop(commitment);
        // With salts behind them rows are elsewhere than they were extended.
        let plain = extended.into_iter().filter(|extended| extended.part.salts == 0);
        let memory =
            plain.flat_map(|extended| extended.part.matrix.into_parts()).map(DeviceMatrix::into_memory);
        *self.lock() = memory.filter(|memory| !memory.is_empty()).collect();
    }
}

/// From the subgroup of 2^`from` points onto the coset of 2^`onto`, in bit-reversed order.
fn extension(from: usize, onto: usize) -> Result<Lde, Error> {
    let lde = Lde::new(Domain::new(from as u32, Convention::Plonky3)?, coset(onto)?)?;
    Ok(lde.with_output_order(Order::BitReversed))
}

/// What several devices made, with columns apart where they have memory of their own: there an item reads a row of its own.
fn columns_apart(extended: Cosets<Element>) -> Result<Cosets<Element>, Error> {
    match extended.parts().iter().any(|part| part.as_host().is_none()) {
        true => extended.column_major(),
        false => Ok(extended),
    }
}

/// Columns on that coset from their values where a proof has them, in spare memory if there is some.
fn extend(
    engine: &Engine,
    values: DeviceMatrix<Element>,
    from: usize,
    onto: usize,
    spare: Option<&Spare>,
) -> Result<DeviceMatrix<Element>, Error> {
    let lde = extension(from, onto)?;
    let memory = spare.map(|spare| spare.take(values.shape().columns << onto)).unwrap_or_default();
    info_span!("extension").in_scope(|| engine.lde_reusing(&lde, values, memory))
}

/// Columns on the coset of the quotient, if that is larger, and on the one that is committed to.
type OnCosets = (Option<Cosets<Element>>, Cosets<Element>);

/// The same columns on both cosets, by the device that has them.
fn extend_there(
    engine: &Engine,
    values: DeviceMatrix<Element>,
    sizes: Sizes,
    spare: Option<&Spare>,
) -> Result<OnCosets, Error> {
    let apart = info_span!("extension").in_scope(|| match values.as_host() {
        Some(_) => Ok(values),
        None => values.column_major(),
    })?;
    let from = sizes.log_committed();
    let on_quotient = sizes.larger().map(|onto| extend(engine, apart.clone(), from, onto, None));
    let on_quotient = on_quotient.transpose()?.map(Into::into);
    Ok((on_quotient, extend(engine, apart, from, sizes.log_extended(), spare)?.into()))
}

/// The same from values in host memory, by several devices together; `None` if that is not expected to end earlier than by one.
fn extend_together(
    engine: &Engine,
    values: MatrixRef<'_, Element>,
    sizes: Sizes,
) -> Result<Option<OnCosets>, Error> {
    let extension = |onto| extension(sizes.log_committed(), onto);
    let _span = info_span!("extension").entered();
    let extended = engine.lde_divided(&extension(sizes.log_extended())?, values)?;
    let Some(extended) = extended else { return Ok(None) };
    let larger = |onto| columns_apart(engine.lde_in_cosets(&extension(onto)?, values)?);
    Ok(Some((sizes.larger().map(larger).transpose()?, columns_apart(extended)?)))
}

/// Columns on the coset that is committed to, and on that of the quotient.
pub(super) struct Extended {
    pub(super) part: Part,
    /// If the coset of the quotient is larger. Else its points are the first ones of the other, in bit-reversed order.
    on_quotient: Option<Cosets<Element>>,
}

impl Extended {
    /// From the values on the trace's domain, or on one of twice its size.
    fn new(
        memory: Memory<'_>,
        values: Values<'_>,
        sizes: Sizes,
        salts: Option<&Salts>,
        spare: Option<&Spare>,
    ) -> Result<Self, Error> {
        let (engine, width) = (memory.engine, values.shape().columns);
        let together = match &values {
            Values::InHostMemory(values) => extend_together(engine, values.view(), sizes)?,
            Values::There(_) => None,
        };
        let (on_quotient, extended) = match together {
            Some(extended) => extended,
            None => extend_there(engine, values.there(memory)?, sizes, spare)?,
        };
        let part = || Part::new(engine, extended, vec![width], salts);
        Ok(Self { part: info_span!("hashing").in_scope(part)?, on_quotient })
    }

    /// The values on a coset that has that of the quotient for its first points.
    pub(super) fn on_quotient(&self) -> &Cosets<Element> {
        self.on_quotient.as_ref().unwrap_or(&self.part.matrix)
    }
}

/// Columns of one trace or of several that are extended, and the commitment to all of them.
pub(super) struct Extensions<H: Accelerated> {
    pub(super) extended: Vec<Extended>,
    pub(super) commitment: Commitment<H>,
    pub(super) cap: MerkleCap<Goldilocks, H::Digest>,
}

impl<H: Accelerated> Extensions<H> {
    /// The first part of the first of them, beside which other matrices of a proof are.
    pub(super) fn first_part(&self) -> DeviceMatrix<Element> {
        self.extended[0].part.matrix.parts()[0].clone()
    }

    /// From the values of each, as [`Extended::new`]. What one device has is where the first of them is.
    pub(super) fn new<'a>(
        memory: Memory<'_>,
        values: impl IntoIterator<Item = (impl Into<Values<'a>>, Sizes)>,
        cap_height: usize,
        salts: Option<&Salts>,
        spare: Option<&Spare>,
    ) -> Result<Self, Error> {
        let (mut first, mut extended) = (None, Vec::new());
        for (values, sizes) in values {
            let memory = first.as_ref().map_or(memory, |first| memory.beside(first));
            let made = Extended::new(memory, values.into(), sizes, salts, spare)?;
            first.get_or_insert_with(|| made.part.matrix.parts()[0].clone());
            extended.push(made);
        }
        let parts = extended.iter().map(|extended| extended.part.clone()).collect();
        let commit = || Commitment::<H>::new(memory.engine, parts, cap_height);
        let commitment = info_span!("hashing").in_scope(commit)?;
        Ok(Self { cap: commitment.cap()?, extended, commitment })
    }
}
