//! Columns that depend on the number of rows of a trace alone.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use p3_field::{Field as _, TwoAdicField};
use p3_goldilocks::Goldilocks;
use zkaccel::Error;
use zkaccel::field::{Field, Goldilocks as Element};
use zkaccel::matrix::{Matrix, Shape};
use zkaccel::ntt::{Convention, Domain, Lde, Ntt, Order};
use zkaccel::program::ProgramRows;
use zkaccel::resident::{Cosets, DeviceMatrix};
use zkaccel_proofs::{Memory, Placement};

use super::extended::Sizes;
use super::{Builder, Program};
use crate::elements::to_engine;

/// The coset of 2^`log_size` points on which extensions, and the evaluations of quotients, are.
pub(super) fn coset(log_size: usize) -> Result<Domain, Error> {
    Domain::new(log_size as u32, Convention::Plonky3)?.coset(to_engine(Goldilocks::GENERATOR))
}

/// So many rows in bit-reversed order.
pub(super) fn reversed(log_count: usize) -> ProgramRows {
    ProgramRows { count: 1 << log_count, stride: 1, order: Order::BitReversed }
}

/// So many rows in the order in which they lie.
pub(super) fn in_memory(count: usize) -> ProgramRows {
    ProgramRows { count, stride: 1, order: Order::Natural }
}

/// A matrix in as many parts as another, beside them, so that a device reads rows of both. If there are fewer rows than parts, each is repeated until every part has one: in bit-reversed order beside
/// itself.
pub(super) fn in_parts_as(
    other: &Cosets<Element>,
    matrix: &Cosets<Element>,
) -> Result<Cosets<Element>, Error> {
    let parts = other.parts().len();
    if matrix.parts().len() == parts {
        return Ok(matrix.clone());
    }
    let matrix = matrix.download()?;
    let Shape { rows, columns, .. } = matrix.shape();
    let times = parts.div_ceil(rows);
    if times == 1 {
        return other.upload_beside(matrix);
    }
    let repeated = (0..rows * times).flat_map(|row| matrix.row(row / times)).collect();
    other.upload_beside(Matrix::from_rows(repeated, rows * times, columns)?)
}

/// The program whose outputs are columns of its input.
pub(super) fn same_columns(columns: impl Iterator<Item = usize>) -> Result<Program, Error> {
    let mut builder = Builder::new();
    for column in columns {
        let entry = builder.column(0, column, 0);
        builder.output(entry);
    }
    builder.finish()
}

/// The points of a domain of two points or more, in bit-reversed order.
pub(super) fn points(memory: Memory<'_>, domain: Domain) -> Result<DeviceMatrix<Element>, Error> {
    let engine = memory.engine;
    if domain.log_size() == 1 {
        let mut column = memory.narrow(Matrix::from_column(vec![Element::ZERO, Element::ONE])?)?;
        engine.ntt(&Ntt::forward(domain).with_orders(Order::Natural, Order::BitReversed), &mut column)?;
        return Ok(column);
    }
    // The polynomial X, by its values on the subgroup of order two.
    let column = memory.narrow(Matrix::from_column(vec![Element::ONE, -Element::ONE])?)?;
    let lde = Lde::new(Domain::new(1, Convention::Plonky3)?, domain)?;
    engine.lde(&lde.with_output_order(Order::BitReversed), &column)
}

/// The columns of [`Columns::selectors`].
pub(super) const FIRST_ROW: usize = 0;
pub(super) const LAST_ROW: usize = 1;
pub(super) const TRANSITION: usize = 2;
pub(super) const INVERSE_VANISHING: usize = 3;

/// The columns for traces of some number of rows, in bit-reversed order.
pub(super) struct Columns {
    pub(super) sizes: Sizes,
    pub(super) placement: Placement,
    /// The points of the coset on which the extensions are, or of a larger one.
    pub(super) points: DeviceMatrix<Element>,
    /// On the coset of the quotient, x being a point, g the trace's generator and Z = x^n - 1: Z / (x - 1), Z / (x - 1/g), x - 1/g, 1 / Z.
    pub(super) selectors: DeviceMatrix<Element>,
    /// The same in parts, once a trace was.
    selectors_in_parts: OnceLock<Cosets<Element>>,
    /// The inverses of the points of the subgroup that is as large as the extensions' coset.
    pub(super) inverse_roots: DeviceMatrix<Element>,
}

impl Columns {
    pub(super) fn new(memory: Memory<'_>, sizes: Sizes) -> Result<Self, Error> {
        let (engine, log_rows) = (memory.engine, sizes.log_rows);
        let points = points(memory, coset(sizes.log_quotient().max(sizes.log_extended()))?)?;
        let last = to_engine(Goldilocks::two_adic_generator(log_rows).inverse());
        let rows = reversed(sizes.log_quotient());
        let [denominators, selectors] = selectors(log_rows)?;
        let mut inverses = engine.run_program(&denominators, rows, &[&points], &[last])?;
        engine.invert(&mut inverses)?;
        let selectors = engine.run_program(&selectors, rows, &[&points, &inverses], &[last])?;
        let log_size = sizes.log_extended();
        let root = to_engine(Goldilocks::two_adic_generator(log_size).inverse());
        let inverse_roots = self::points(memory, Domain::with_root(log_size as u32, root)?)?;
        let selectors_in_parts = OnceLock::new();
        Ok(Self { sizes, placement: memory.placement, points, selectors, selectors_in_parts, inverse_roots })
    }

    /// The selectors in as many parts as a trace is.
    pub(super) fn selectors_beside(&self, trace: &Cosets<Element>) -> Result<Cosets<Element>, Error> {
        let whole = Cosets::from(self.selectors.clone());
        let parts = trace.parts().len();
        if parts == 1 {
            return Ok(whole);
        }
        if let Some(kept) = self.selectors_in_parts.get().filter(|kept| kept.parts().len() == parts) {
            return Ok(kept.clone());
        }
        let made = in_parts_as(trace, &whole)?;
        // Those of another number of parts that came before are kept.
        let _ = self.selectors_in_parts.set(made.clone());
        Ok(made)
    }

    /// The rows of extensions.
    pub(super) fn extension_rows(&self) -> ProgramRows {
        reversed(self.sizes.log_extended())
    }
}

/// The columns for the sizes of the last proof, which proofs of equal sizes need again.
#[derive(Default)]
pub(super) struct ColumnCache(Mutex<Vec<Arc<Columns>>>);

impl ColumnCache {
    /// The columns for traces of these sizes, in their order.
    pub(super) fn of(&self, memory: Memory<'_>, sizes: &[Sizes]) -> Result<Vec<Arc<Columns>>, Error> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found: Vec<Arc<Columns>> = Vec::new();
        for &sizes in sizes {
            let fits = |columns: &&Arc<Columns>| {
                columns.sizes == sizes && columns.placement == memory.placement && memory.has(&columns.points)
            };
            let columns = match found.iter().chain(kept.iter()).find(fits) {
                Some(columns) => columns.clone(),
                None => Arc::new(Columns::new(memory, sizes)?),
            };
            found.push(columns);
        }
        // Those of equal sizes in the memory of other devices are as likely to be needed again.
        let elsewhere = |old: &Arc<Columns>| {
            let is_elsewhere =
                |new: &Arc<Columns>| new.sizes == old.sizes && !old.points.is_beside(&new.points);
            found.iter().any(is_elsewhere)
        };
        kept.retain(elsewhere);
        kept.extend(found.iter().cloned());
        Ok(found)
    }
}

/// The programs of what is to be inverted for selectors, and of the selectors; the value is the last row's point.
fn selectors(log_rows: usize) -> Result<[Program; 2], Error> {
    let common = |builder: &mut Builder| {
        let (point, one) = (builder.column(0, 0, 0), builder.constant(Element::ONE));
        let last = builder.value(0);
        let power = (0..log_rows).fold(point, |power, _| builder.mul(power, power));
        let vanishing = builder.sub(power, one);
        (point, one, builder.sub(point, last), vanishing)
    };
    let mut builder = Builder::new();
    let (point, one, transition, vanishing) = common(&mut builder);
    let first = builder.sub(point, one);
    for denominator in [first, transition, vanishing] {
        builder.output(denominator);
    }
    let denominators = builder.finish()?;
    let mut builder = Builder::new();
    let (_, _, transition, vanishing) = common(&mut builder);
    let [first, last, inverse_vanishing] = [0, 1, 2].map(|column| builder.column(1, column, 0));
    let [first, last] = [first, last].map(|inverse| builder.mul(vanishing, inverse));
    for selector in [first, last, transition, inverse_vanishing] {
        builder.output(selector);
    }
    Ok([denominators, builder.finish()?])
}
