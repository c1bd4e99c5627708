//! An AIR as provers have it: its recorded constraints, its periodic columns, and the sizes that its traces make.

use p3_air::BaseAir;
use p3_commit::PeriodicColumns;
use p3_field::{ExtensionField, TwoAdicField};
use p3_fri::{FriParameters, FriProverError};
use p3_goldilocks::Goldilocks;
use zkaccel::field::Goldilocks as Element;
use zkaccel::resident::{Cosets, DeviceMatrix};
use zkaccel::{Engine, Error};
use zkaccel_proofs::Memory;

use super::check::{self, Rows};
use super::columns::Columns;
use super::error::ProveError;
use super::extended::{Extended, Hiding, Sizes};
use super::record::Recorded;
use super::scheme::Terms;
use super::{periodic, quotient};

/// An AIR whose constraints are recorded.
pub(super) struct Constraints {
    pub(super) recorded: Recorded,
    periodic: Vec<Vec<Goldilocks>>,
    /// Whether they read the next row of the trace.
    pub(super) main_next: bool,
    /// Whether they read that of the preprocessed columns.
    pub(super) preprocessed_next: bool,
}

impl Constraints {
    /// Those of an AIR, if what it has is supported.
    pub(super) fn new<A: BaseAir<Goldilocks>>(
        air: &A,
        record: impl FnOnce() -> Result<Recorded, ProveError>,
    ) -> Result<Self, ProveError> {
        if !air.public_boundary_io().is_empty() {
            return Err(ProveError::Unsupported("public values by boundary IO".into()));
        }
        let periodic = air.periodic_columns().into_owned();
        agree("periodic columns", air.num_periodic_columns(), periodic.len())?;
        Ok(Self {
            recorded: record()?,
            periodic,
            main_next: !air.main_next_row_columns().is_empty(),
            preprocessed_next: !air.preprocessed_next_row_columns().is_empty(),
        })
    }

    /// Whether the number of chunks of the quotient depends on the number of rows.
    pub(super) fn has_periodic_columns(&self) -> bool {
        !self.periodic.is_empty()
    }

    /// The sizes of a proof for a trace of 2^`log_rows` rows and an extension of a degree; an error for those that do not fit. `log_chunks` is the logarithm of the number of chunks of the quotient.
    pub(super) fn sizes(
        &self,
        terms: &Terms,
        degree: usize,
        log_rows: usize,
        log_chunks: impl FnOnce() -> usize,
    ) -> Result<Sizes, ProveError> {
        let Terms { fri, masks, .. } = terms;
        let hiding =
            masks.as_ref().map(|masks| Hiding { codewords: masks.codewords, salts: masks.inputs.count });
        let is_zk = hiding.is_some() as usize;
        let fits = |log_size, limit| match log_size <= limit {
            true => Ok(()),
            false => Err(ProveError::DomainTooLarge { log_size, limit }),
        };
        fits(log_rows.saturating_add(fri.log_blowup).saturating_add(is_zk), Goldilocks::TWO_ADICITY)?;
        PeriodicColumns::new(&self.periodic, 1 << log_rows)?;
        let log_chunks = log_chunks();
        fits(log_rows + log_chunks, Goldilocks::TWO_ADICITY)?;
        let sizes = Sizes { log_rows, log_chunks, log_blowup: fri.log_blowup, hiding };
        check_final_height(fri, sizes.log_extended())?;
        if let Some(masks) = masks {
            let points = if self.main_next || self.preprocessed_next { 2 } else { 1 };
            masks.check(fri, 1 << log_rows, degree, points)?;
        }
        Ok(sizes)
    }

    /// The values of the quotient, from columns on a coset that has that of the quotient for its first points. `values` are those of a run of the recorded program.
    pub(super) fn quotient(
        &self,
        memory: Memory<'_>,
        columns: &Columns,
        trace: &Extended,
        preprocessed: Option<&Extended>,
        permutation: Option<&Extended>,
        values: &[Element],
    ) -> Result<DeviceMatrix<Element>, Error> {
        let sizes = columns.sizes;
        let periodic = periodic::table(memory, &self.periodic, sizes.log_rows, sizes.log_chunks)?;
        let [preprocessed, permutation] =
            [preprocessed, permutation].map(|extended| extended.map(Extended::on_quotient));
        let periodic = periodic.map(Cosets::from);
        let others: Vec<_> = preprocessed.into_iter().chain(&periodic).chain(permutation).collect();
        quotient::quotient(memory, &self.recorded, columns, trace.on_quotient(), &others, values)
    }

    /// The recorded constraints are those of the AIR, which `expected` evaluates.
    pub(super) fn check<EF: ExtensionField<Goldilocks>>(
        &self,
        engine: &Engine,
        log_chunks: impl FnOnce(usize) -> usize,
        expected: impl FnOnce(&Rows<EF>) -> Vec<EF>,
    ) -> Result<(), ProveError> {
        let period = self.periodic.iter().map(Vec::len).max().unwrap_or(1);
        let log_rows = period.max(4).ilog2() as usize;
        let sizes = Sizes { log_rows, log_chunks: log_chunks(log_rows), log_blowup: 1, hiding: None };
        check::check(engine, &self.recorded, &self.periodic, sizes, expected)
    }
}

/// What a scheme's parameters have to be for any proof.
pub(super) fn check_terms(terms: &Terms, degree: usize) -> Result<(), ProveError> {
    let fri = &terms.fri;
    let names = ["log_blowup", "max_log_arity", "num_queries"];
    let parameters = [fri.log_blowup, fri.max_log_arity, fri.num_queries];
    if let Some((name, _)) = names.into_iter().zip(parameters).find(|(_, parameter)| *parameter == 0) {
        return Err(ProveError::Zero(name));
    }
    if let Some(masks) = &terms.masks {
        masks.check(fri, usize::MAX, degree, 1)?;
    }
    Ok(())
}

/// An error unless two numbers are equal.
pub(super) fn agree(what: &'static str, expected: usize, found: usize) -> Result<(), ProveError> {
    match expected == found {
        true => Ok(()),
        false => Err(ProveError::Mismatch { what, expected, found }),
    }
}

/// The binary logarithm of the number of rows of a trace.
pub(super) fn log_height(rows: usize) -> Result<usize, ProveError> {
    match rows.is_power_of_two() {
        true => Ok(rows.ilog2() as usize),
        false => Err(ProveError::Height(rows)),
    }
}

/// FRI folds no matrix that is as short as its final polynomial's values, unless that is a constant.
fn check_final_height<M>(fri: &FriParameters<M>, log_input_height: usize) -> Result<(), FriProverError> {
    if fri.log_final_poly_len == 0 {
        return Ok(());
    }
    let log_final_height = fri.log_final_poly_len.checked_add(fri.log_blowup);
    let log_final_height = log_final_height.ok_or(FriProverError::FinalHeightOverflow)?;
    match log_input_height > log_final_height {
        true => Ok(()),
        false => Err(FriProverError::InputHeightTooSmall { log_input_height, log_final_height }),
    }
}
