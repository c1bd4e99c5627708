//! The values out of domain, and the polynomial that FRI proves to be of low degree.
//!
//! # Mathematical description
//!
//! All polynomials have degree below n and are known by their values on the n points x of a subgroup or of a coset of it, for which x^n = s. At a point z of the extension p(z) is the sum of p(x) x / (z - x), times (z^n - s) / (n s) (the barycentric formula; Berrut and Trefethen 2004).
//!
//! The polynomial is the sum over both points z of (C(X) - C(z)) / (X - z), with C the combination of all columns. Its values on these points are enough to have its coefficients.
//! Quotients are those of `zkaccel_proofs`.

use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use zkaccel::Error;
use zkaccel::field::{Field, Goldilocks as Element};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::Ntt;
use zkaccel::resident::DeviceMatrix;
use zkaccel_proofs::{Builder, run_apart};

use super::domains::Domains;
use super::extension::{basis, coordinates, element, extension, from_engine};

/// The columns of a segment: their values on the domain of what is out of domain, and whether they are over the extension.
pub(super) struct Columns<'a> {
    pub(super) values: &'a DeviceMatrix<Element>,
    pub(super) extended: bool,
}

/// The points out of domain, z and the next one, and the inverses that quotients by differences from them take.
pub(super) struct Points<'a, E> {
    domains: &'a Domains<'a>,
    points: [E; 2],
    quotients: zkaccel_proofs::Points,
    inverses: DeviceMatrix<Element>,
}

impl<'a, E: FieldElement<BaseField = BaseElement>> Points<'a, E> {
    pub(super) fn new(domains: &'a Domains<'a>, points: [E; 2]) -> Result<Self, Error> {
        let quotients = zkaccel_proofs::Points::new(extension::<E>(), points.map(coordinates));
        let (program, values) = quotients.denominators()?;
        let engine = domains.memory.engine;
        let mut inverses = engine.run_program(&program, domains.trace_rows(), &[&domains.points], &values)?;
        engine.invert(&mut inverses)?;
        Ok(Self { domains, points, quotients, inverses })
    }

    /// The rows of values of all columns at both points.
    pub(super) fn evaluate(&self, segments: &[Columns<'_>]) -> Result<[Vec<E>; 2], Error> {
        let weights = self.weights()?;
        let (engine, degree) = (self.domains.memory.engine, E::EXTENSION_DEGREE);
        let basis: Vec<E> = basis().collect();
        let mut rows = [Vec::new(), Vec::new()];
        for segment in segments {
            let sums = engine.combine_rows(&weights, segment.values)?;
            let width = if segment.extended { degree } else { 1 };
            for (index, row) in rows.iter_mut().enumerate() {
                let factor = self.factor(self.points[index]);
                let sum = |column: usize| -> E {
                    element((0..degree).map(|coordinate| sums.get(index * degree + coordinate, column)))
                };
                let value = |first: usize| {
                    let coordinates = (first..first + width).zip(&basis);
                    coordinates.fold(E::ZERO, |value, (column, &unit)| value + sum(column) * unit) * factor
                };
                row.extend((0..sums.shape().columns).step_by(width).map(value));
            }
        }
        Ok(rows)
    }

    /// The factor of sums by weights: (z^n - s) / (n s).
    fn factor(&self, point: E) -> E {
        let log_rows = self.domains.log_trace;
        let power = (0..log_rows).fold(point, |power, _| power.square());
        let shift = from_engine(self.domains.opened.shift());
        let shift = (0..log_rows).fold(shift, |power, _| power.square());
        (power - E::from(shift)).mul_base((BaseElement::new(1 << log_rows) * shift).inv())
    }

    /// For each point the coordinates of the weights x / (z - x).
    fn weights(&self) -> Result<DeviceMatrix<Element>, Error> {
        let (mut builder, mut values) = (Builder::new(), Vec::new());
        let x = builder.column(0, 0, 0);
        let negative = builder.neg(x);
        for index in 0..self.points.len() {
            let inverse = self.quotients.inverse(&mut builder, &mut values, index);
            for node in self.quotients.extension().scale(&mut builder, &inverse, negative) {
                builder.output(node);
            }
        }
        let inputs = [&self.domains.points, &self.inverses];
        self.domains.memory.engine.run_program(
            &builder.finish()?,
            self.domains.trace_rows(),
            &inputs,
            &values,
        )
    }

    /// The coefficients of the polynomial, that of x^i times the i-th power of the domain's offset: a column for each coordinate, apart. `rows` are the values at
    /// both points, `coefficients` those of the combination of all columns.
    pub(super) fn combine(
        &self,
        segments: &[Columns<'_>],
        rows: &[Vec<E>; 2],
        coefficients: &[E],
    ) -> Result<Vec<DeviceMatrix<Element>>, Error> {
        let (memory, extension, degree) =
            (self.domains.memory, self.quotients.extension(), E::EXTENSION_DEGREE);
        let basis: Vec<E> = basis().collect();
        let (mut combined, mut rest) = (Vec::new(), coefficients.iter());
        for segment in segments {
            let units = if segment.extended { &basis[..] } else { &basis[..1] };
            let columns = segment.values.shape().columns;
            let of_segment = rest.by_ref().take(columns / units.len());
            let weights = of_segment.flat_map(|&weight| units.iter().map(move |&unit| weight * unit));
            let weights = Matrix::from_rows(weights.flat_map(coordinates).collect(), columns, degree)?;
            let columns = memory.engine.combine_columns(segment.values, &weights)?;
            combined.push(memory.among_narrow(columns)?);
        }

        let (mut builder, mut values) = (Builder::new(), Vec::new());
        let columns = (0..combined.len()).map(|index| extension.column(&mut builder, 2 + index, 0));
        let columns: Vec<_> = columns.collect();
        let of_row = columns.into_iter().reduce(|sum, column| extension.add(&mut builder, &sum, &column));
        let of_row = of_row.expect("one segment or more");
        let quotients: Vec<_> = (0..self.points.len())
            .map(|index| {
                let terms = rows[index].iter().zip(coefficients);
                let at_point = terms.fold(E::ZERO, |sum, (&value, &weight)| sum + value * weight);
                let at_point = self.quotients.value(&mut builder, &mut values, &coordinates(at_point));
                let difference = extension.sub(&mut builder, &of_row, &at_point);
                let inverse = self.quotients.inverse(&mut builder, &mut values, index);
                extension.mul(&mut builder, &difference, &inverse)
            })
            .collect();
        let sum = extension.add(&mut builder, &quotients[0], &quotients[1]);

        let inputs = [vec![&self.domains.points, &self.inverses], combined.iter().collect()].concat();
        let (opened, offset) = (self.domains.opened, self.domains.offset);
        let shift = opened.shift() * offset.inverse().expect("an offset that is not zero");
        let interpolation = Ntt::inverse(opened.coset(shift)?);
        let rows = self.domains.trace_rows();
        let mut columns = run_apart(memory.engine, &builder, sum, rows, &inputs, &values)?;
        columns.iter_mut().try_for_each(|column| memory.engine.ntt(&interpolation, column))?;
        Ok(columns)
    }
}
