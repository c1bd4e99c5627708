//! Periodic columns on the coset of the constraints.

use winter_math::fields::f64::BaseElement;
use zkaccel::Error;
use zkaccel::field::{Field, Goldilocks as Element};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::Lde;
use zkaccel::resident::Cosets;

use super::domains::{Domains, subgroup};
use super::error::ProveError;
use super::extension::to_engine;
use crate::extension::Given;

/// Periods are powers of two, from two to the number of rows.
pub(super) fn check(columns: &[Vec<BaseElement>], rows: usize) -> Result<(), ProveError> {
    let is_period = |length: usize| length.is_power_of_two() && (2..=rows).contains(&length);
    match columns.iter().find(|column| !is_period(column.len())) {
        None => Ok(()),
        Some(column) => Err(ProveError::Unsupported(format!(
            "a periodic column of {} values, expected a power of two from 2 to the trace's {rows} rows",
            column.len()
        ))),
    }
}

/// As many rows as the longest period has on the coset, after which all repeat: beside a matrix on all of it.
pub(super) fn table(
    domains: &Domains<'_>,
    beside: &Cosets<Element>,
    columns: &[Vec<BaseElement>],
) -> Result<Option<Cosets<Element>>, Error> {
    let Some(period) = columns.iter().map(Vec::len).max() else { return Ok(None) };
    let values = columns.iter().flat_map(|column| column.iter().cycle().take(period));
    let values =
        Matrix::from_columns(values.map(|&value| to_engine(value)).collect(), period, columns.len())?;
    // A column of period p is a polynomial in x^(n/p).
    let log_period = period.ilog2();
    let shift = (0..domains.log_trace - log_period).fold(domains.offset, |shift, _| shift.square());
    let log_size = log_period + domains.log_constraints - domains.log_trace;
    let lde = Lde::new(subgroup(log_period)?, subgroup(log_size)?.coset(shift)?)?;
    domains.extend_beside(beside, lde, Given::Values, values).map(Some)
}
