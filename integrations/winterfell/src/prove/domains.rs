//! The domains of a proof, and programs on their points.
//!
//! All rows are in natural order. The trace is on the subgroup of order n, the constraints are on a coset of n c points, and what is committed to is on the coset of n b points with the
//! same offset.

use winter_air::Air;
use winter_math::fields::f64::BaseElement;
use zkaccel::Error;
use zkaccel::field::{Field, Goldilocks as Element};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Convention, Domain, Lde, Order};
use zkaccel::program::{Node, ProgramRows};
use zkaccel::resident::DeviceMatrix;
use zkaccel_proofs::{Builder, Memory, Program};

use super::extension::to_engine;

/// The sizes of the domains, the points of the largest, and where matrices are.
pub(super) struct Domains<'a> {
    pub(super) memory: Memory<'a>,
    /// The logarithms of n, n c and n b.
    pub(super) log_trace: u32,
    pub(super) log_constraints: u32,
    pub(super) log_committed: u32,
    pub(super) offset: Element,
    /// The powers of the root of unity of order n b, from the zeroth on.
    pub(super) roots: DeviceMatrix<Element>,
}

impl<'a> Domains<'a> {
    pub(super) fn new<A: Air<BaseField = BaseElement>>(memory: Memory<'a>, air: &A) -> Result<Self, Error> {
        let log_committed = air.lde_domain_size().ilog2();
        // The polynomial X, by its values on the subgroup of order two.
        let column = memory.narrow(Matrix::from_column(vec![Element::ONE, -Element::ONE])?)?;
        Ok(Self {
            memory,
            log_trace: air.trace_length().ilog2(),
            log_constraints: air.ce_domain_size().ilog2(),
            log_committed,
            offset: to_engine(air.domain_offset()),
            roots: memory.engine.lde(&Lde::new(subgroup(1)?, subgroup(log_committed)?)?, &column)?,
        })
    }

    /// The coset of so many points.
    pub(super) fn coset(&self, log_size: u32) -> Result<Domain, Error> {
        subgroup(log_size)?.coset(self.offset)
    }

    pub(super) fn trace_rows(&self) -> ProgramRows {
        natural(1 << self.log_trace)
    }

    /// Rows of constraints, of which the next are those of the trace.
    pub(super) fn constraint_rows(&self) -> ProgramRows {
        let stride = 1 << (self.log_constraints - self.log_trace);
        ProgramRows { stride, ..natural(1 << self.log_constraints) }
    }

    /// The values on the coset that is committed to, of columns on the trace's domain.
    pub(super) fn extend(&self, values: &DeviceMatrix<Element>) -> Result<DeviceMatrix<Element>, Error> {
        let lde = Lde::new(subgroup(self.log_trace)?, self.coset(self.log_committed)?)?;
        self.memory.engine.lde(&lde, values)
    }
}

/// The subgroup of so many points.
pub(super) fn subgroup(log_size: u32) -> Result<Domain, Error> {
    Domain::new(log_size, Convention::Winterfell)
}

/// So many rows in natural order.
pub(super) fn natural(count: usize) -> ProgramRows {
    ProgramRows { count, stride: 1, order: Order::Natural }
}

/// The first so many rows of all inputs, as they lie: those of a bit-reversed order would be first.
pub(super) fn first(count: usize) -> ProgramRows {
    ProgramRows { order: Order::BitReversed, ..natural(count) }
}

/// The program whose output is a column of its input.
pub(super) fn same_column(column: usize) -> Result<Program, Error> {
    let mut builder = Builder::new();
    let entry = builder.column(0, column, 0);
    builder.output(entry);
    builder.finish()
}

/// A power of a node.
pub(super) fn power(builder: &mut Builder, node: Node, exponent: usize) -> Node {
    let bits = (0..exponent.checked_ilog2().map_or(0, |log| log + 1)).rev();
    let one = builder.constant(Element::ONE);
    bits.fold(one, |result, bit| {
        let square = builder.mul(result, result);
        if exponent >> bit & 1 == 1 { builder.mul(square, node) } else { square }
    })
}
