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
    /// The extension of what is committed to, from the trace's domain.
    pub(super) extension: Lde,
    /// The powers of the root of unity of order n b, from the zeroth on.
    pub(super) roots: DeviceMatrix<Element>,
    /// The domain of n points on which the values of all polynomials are known for what is out of domain: the trace's, or, if several devices extended the trace, the coset of which the first of them has the
    /// values.
    pub(super) opened: Domain,
    /// The points of that domain, and perhaps further ones between them.
    pub(super) points: DeviceMatrix<Element>,
}

impl<'a> Domains<'a> {
    /// `in_parts` says whether several devices extended the trace.
    pub(super) fn new<A: Air<BaseField = BaseElement>>(
        memory: Memory<'a>,
        air: &A,
        in_parts: bool,
    ) -> Result<Self, Error> {
        let (engine, extension) = (memory.engine, extension(air)?);
        let log_committed = extension.to().log_size();
        let column = memory.narrow(identity()?)?;
        let roots = engine.lde(&Lde::new(subgroup(1)?, subgroup(log_committed)?)?, &column)?;
        let (opened, points) = match in_parts {
            false => (extension.from(), roots.clone()),
            true => {
                let coset = extension.from().coset(extension.to().shift())?;
                (coset, engine.lde(&Lde::new(subgroup(1)?, coset)?, &column)?)
            }
        };
        let (log_trace, log_constraints) = (extension.from().log_size(), air.ce_domain_size().ilog2());
        let offset = extension.to().shift();
        Ok(Self {
            memory,
            log_trace,
            log_constraints,
            log_committed,
            offset,
            extension,
            roots,
            opened,
            points,
        })
    }

    /// Whether values that are known for what is out of domain are on the coset, not on the trace's domain.
    pub(super) fn opens_coset(&self) -> bool {
        self.opened != self.extension.from()
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
        self.memory.engine.lde(&self.extension, values)
    }
}

/// The extension of what an AIR commits to.
pub(super) fn extension<A: Air<BaseField = BaseElement>>(air: &A) -> Result<Lde, Error> {
    let [trace, committed] = [air.trace_length(), air.lde_domain_size()].map(|size| subgroup(size.ilog2()));
    Lde::new(trace?, committed?.coset(to_engine(air.domain_offset()))?)
}

/// The polynomial X, by its values on the subgroup of order two.
pub(super) fn identity() -> Result<Matrix<Element>, Error> {
    Matrix::from_column(vec![Element::ONE, -Element::ONE])
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

/// The program whose outputs are columns of its input.
pub(super) fn same_columns(columns: impl IntoIterator<Item = usize>) -> Result<Program, Error> {
    let mut builder = Builder::new();
    for column in columns {
        let entry = builder.column(0, column, 0);
        builder.output(entry);
    }
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
