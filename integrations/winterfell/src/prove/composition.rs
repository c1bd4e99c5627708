//! The composition of all constraints: each divided by the polynomial that vanishes where it has to hold.
//!
//! # Mathematical description
//!
//! A divisor is a product of x^a - b, over a product of x - e for the steps that are exempt. The transition constraints have one, and so have the assertions on the same steps. An assertion on a column f is
//! f - p, with p the polynomial of the asserted values.

use winter_air::{BoundaryConstraint, BoundaryConstraints, ConstraintDivisor};
use winter_math::fields::f64::BaseElement;
use winter_math::{ExtensionOf, FieldElement};
use zkaccel::field::{Field, Goldilocks as Element};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::Lde;
use zkaccel::program::Node;
use zkaccel::resident::{Cosets, DeviceMatrix};
use zkaccel::{Engine, Error};
use zkaccel_proofs::Builder;

use super::constraints::Trace;
use super::domains::{Domains, power, subgroup};
use super::extension::{basis, coordinates, to_engine};
use crate::extension::Given;

/// Exempt steps whose factors are multiplied at once.
const EXEMPTIONS: usize = 32;

/// The inputs of the program.
const TRANSITION: usize = 0;
const INVERSES: usize = 1;
const MAIN: usize = 2;
const AUXILIARY: usize = 3;
const POLYNOMIALS: usize = 4;

/// The values of the composition: a column for each coordinate. `transition` is the sum of the transition constraints by its coordinates.
pub(super) fn compose<E: FieldElement<BaseField = BaseElement>>(
    domains: &Domains<'_>,
    trace: &Trace,
    transition: &Cosets<Element>,
    divisor: &ConstraintDivisor<BaseElement>,
    boundary: &BoundaryConstraints<E>,
) -> Result<DeviceMatrix<Element>, Error> {
    let (main_groups, auxiliary_groups) = (boundary.main_constraints(), boundary.aux_constraints());
    let divisors = std::iter::once(divisor)
        .chain(main_groups.iter().map(|group| group.divisor()))
        .chain(auxiliary_groups.iter().map(|group| group.divisor()));
    let inverses = inverses(domains, trace, &divisors.collect::<Vec<_>>())?;

    let mut terms = Terms::<E> {
        builder: Builder::new(),
        basis: basis().collect(),
        weighted: Vec::new(),
        weights: Vec::new(),
        polynomials: Vec::new(),
    };
    for coordinate in 0..E::EXTENSION_DEGREE {
        let sum = terms.builder.column(TRANSITION, coordinate, 0);
        terms.push(sum, 0, terms.basis[coordinate]);
    }
    for (index, group) in main_groups.iter().enumerate() {
        group.constraints().iter().for_each(|constraint| terms.assertion(MAIN, constraint, 1 + index));
    }
    for (index, group) in auxiliary_groups.iter().enumerate() {
        let index = 1 + main_groups.len() + index;
        group.constraints().iter().for_each(|constraint| terms.assertion::<E>(AUXILIARY, constraint, index));
    }
    let Terms { mut builder, weighted, weights, polynomials, .. } = terms;
    let degree = E::EXTENSION_DEGREE;
    let weighted = weighted.into_iter().enumerate().map(|(i, node)| (node, i * degree));
    builder.weighted_sum(weighted.collect(), degree);
    let program = builder.finish()?;

    let polynomials = extended(domains, trace, polynomials)?;
    let inputs = [transition, &inverses, &trace.main, trace.auxiliary.as_ref().unwrap_or(&trace.main)];
    let inputs: Vec<_> = inputs.into_iter().chain(&polynomials).take(program.inputs().len()).collect();
    let values: Vec<Element> = weights.into_iter().flat_map(coordinates).collect();
    let memory = domains.memory;
    let composition = memory.engine.run_program(&program, domains.constraint_rows(), &inputs, &values)?;
    memory.among_narrow(memory.joined(composition)?)
}

/// The terms of the composition.
struct Terms<E> {
    builder: Builder,
    basis: Vec<E>,
    weighted: Vec<Node>,
    weights: Vec<E>,
    /// The coefficients of the polynomials of values that are more than one.
    polynomials: Vec<Vec<Element>>,
}

impl<E: FieldElement<BaseField = BaseElement>> Terms<E> {
    /// The next term: a node over a divisor, times an element.
    fn push(&mut self, node: Node, divisor: usize, weight: E) {
        let inverse = self.builder.column(INVERSES, divisor, 0);
        let node = self.builder.mul(node, inverse);
        self.weighted.push(node);
        self.weights.push(weight);
    }

    fn assertion<F>(&mut self, matrix: usize, constraint: &BoundaryConstraint<F, E>, divisor: usize)
    where
        F: FieldElement<BaseField = BaseElement>,
        E: ExtensionOf<F>,
    {
        let shift = constraint.poly_offset().1;
        let powers = std::iter::successors(Some(BaseElement::ONE), |&power| Some(power * shift));
        let polynomial: Vec<F> =
            constraint.poly().iter().zip(powers).map(|(value, power)| value.mul_base(power)).collect();
        for coordinate in 0..F::EXTENSION_DEGREE {
            let column = constraint.column() * F::EXTENSION_DEGREE + coordinate;
            let entry = self.builder.column(matrix, column, 0);
            let of = |value: &F| to_engine(value.base_element(coordinate));
            let asserted = match &polynomial[..] {
                [value] => self.builder.constant(of(value)),
                _ => {
                    self.polynomials.push(polynomial.iter().map(of).collect());
                    self.builder.column(POLYNOMIALS, self.polynomials.len() - 1, 0)
                }
            };
            let difference = self.builder.sub(entry, asserted);
            self.push(difference, divisor, *constraint.cc() * self.basis[coordinate]);
        }
    }
}

/// Polynomials by their coefficients, on the coset of the constraints.
fn extended(
    domains: &Domains<'_>,
    trace: &Trace,
    polynomials: Vec<Vec<Element>>,
) -> Result<Option<Cosets<Element>>, Error> {
    let log_rows = domains.log_trace;
    let columns = polynomials.len();
    if columns == 0 {
        return Ok(None);
    }
    let zeros = std::iter::repeat(Element::ZERO);
    let padded = polynomials.into_iter().flat_map(|polynomial| {
        polynomial.into_iter().chain(zeros.clone()).take(1 << log_rows).collect::<Vec<_>>()
    });
    let coefficients = Matrix::from_columns(padded.collect(), 1 << log_rows, columns)?;
    let lde = Lde::new(subgroup(log_rows)?, domains.coset(domains.log_constraints)?)?;
    domains.extend_beside(&trace.main, lde, Given::Coefficients, coefficients).map(Some)
}

/// The inverses of divisors on the coset of the constraints, a column for each.
fn inverses(
    domains: &Domains<'_>,
    trace: &Trace,
    divisors: &[&ConstraintDivisor<BaseElement>],
) -> Result<Cosets<Element>, Error> {
    let (engine, rows) = (domains.memory.engine, domains.constraint_rows());
    let roots = &trace.roots;
    let mut builder = Builder::new();
    let x = point(&mut builder, domains);
    for divisor in divisors {
        let one = builder.constant(Element::ONE);
        let product = divisor.numerator().iter().fold(one, |product, &(degree, constant)| {
            let (power, constant) = (power(&mut builder, x, degree), builder.constant(to_engine(constant)));
            let factor = builder.sub(power, constant);
            builder.mul(product, factor)
        });
        builder.output(product);
    }
    let denominators = engine.run_program(&builder.finish()?, rows, &[roots], &[])?;
    let mut inverses = inverted(engine, denominators)?;

    let most = divisors.iter().map(|divisor| divisor.exemptions().len()).max().unwrap_or(0);
    for start in (0..most).step_by(EXEMPTIONS) {
        let mut builder = Builder::new();
        let x = point(&mut builder, domains);
        for (column, divisor) in divisors.iter().enumerate() {
            let inverse = builder.column(1, column, 0);
            let exemptions = divisor.exemptions().iter().skip(start).take(EXEMPTIONS);
            let product = exemptions.fold(inverse, |product, &exemption| {
                let exemption = builder.constant(to_engine(exemption));
                let factor = builder.sub(x, exemption);
                builder.mul(product, factor)
            });
            builder.output(product);
        }
        inverses = engine.run_program(&builder.finish()?, rows, &[roots, &inverses], &[])?;
    }
    Ok(inverses)
}

/// The inverses of all entries.
fn inverted(engine: &Engine, matrix: Cosets<Element>) -> Result<Cosets<Element>, Error> {
    let inverse = |mut part: DeviceMatrix<Element>| engine.invert(&mut part).map(|()| part);
    match matrix.whole() {
        // Nothing else has it, so it is inverted in place.
        Some(_) => inverse(matrix.into_parts().swap_remove(0)).map(Into::into),
        None => matrix.map_parts(|_, part| inverse(part.clone())),
    }
}

/// The node of the point of a row, in programs whose first input is the roots.
fn point(builder: &mut Builder, domains: &Domains<'_>) -> Node {
    let (root, offset) = (builder.column(0, 0, 0), builder.constant(domains.offset));
    builder.mul(root, offset)
}
