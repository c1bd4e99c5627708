//! The openings out of domain: the values of all columns at points of the extension, and the combination of all quotients that FRI proves to be
//! of low degree.
//!
//! # Mathematical description
//!
//! For a point z of the extension of degree D let f be the polynomial over the base field whose roots are the conjugates of z, and f = (X - z) h. Then
//! 1 / (z - x) = - h(x) / f(x), where only elements of the base field are inverted.
//!
//! The values of a column at z follow from those in its first n rows, which in bit-reversed order are those on a coset of n points
//! x = g w: with the weights 1 / (z - x) - 1 / z, times z (z^n - g^n) / (n g^n). See `p3_matrix::interpolation`.
//!
//! The combination is the sum over all openings, in the order in which they are claimed, of alpha^i (p_i(z) - p_i(x)) / (z - x).

use p3_commit::OpenedValues;
use p3_field::{ExtensionField, Field, PrimeCharacteristicRing, PrimeField64};
use p3_goldilocks::Goldilocks;
use zkaccel::Error;
use zkaccel::field::Goldilocks as Element;
use zkaccel::matrix::Matrix;
use zkaccel::program::Node;
use zkaccel::resident::DeviceMatrix;

use super::columns::{Columns, reversed, run_apart};
use super::extension::{Extension, coordinates, element};
use super::memory::Memory;
use super::{Builder, Program};

/// The openings of a commitment to one or more matrices of the same height, side by side in one.
pub(super) struct Round<'a> {
    pub(super) matrix: &'a DeviceMatrix<Element>,
    /// The number of columns of each matrix.
    pub(super) widths: Vec<usize>,
    /// The points at which each is opened, by their indices; several only for a matrix alone.
    pub(super) points: Vec<usize>,
}

/// The points of openings, and the inverses of their f on the coset of the extensions.
pub(super) struct Points<'a, EF> {
    memory: Memory<'a>,
    columns: &'a Columns,
    extension: Extension,
    points: Vec<EF>,
    inverses: DeviceMatrix<Element>,
}

impl<'a, EF: ExtensionField<Goldilocks>> Points<'a, EF> {
    pub(super) fn new(memory: Memory<'a>, columns: &'a Columns, points: Vec<EF>) -> Result<Self, Error> {
        let engine = memory.engine;
        let values: Vec<Element> = points.iter().flat_map(|&point| conjugate_polynomial(point)).collect();
        let rows = columns.extension_rows();
        let program = conjugates(EF::DIMENSION, points.len())?;
        let mut inverses = engine.run_program(&program, rows, &[&columns.points], &values)?;
        engine.invert(&mut inverses)?;
        Ok(Self { memory, columns, extension: Extension::of::<EF>(), points, inverses })
    }

    /// The values of all columns of all rounds at their points.
    pub(super) fn evaluate(&self, rounds: &[Round<'_>]) -> Result<OpenedValues<EF>, Error> {
        let weights = self.weights()?;
        let factors: Vec<EF> = self.points.iter().map(|&point| self.factor(point)).collect();
        let degree = EF::DIMENSION;
        let values = |round: &Round<'_>| {
            let sums = self.memory.engine.combine_rows(&weights, round.matrix)?;
            let value = |point: usize, column: usize| {
                let sum = (0..degree).map(|coordinate| sums.get(point * degree + coordinate, column));
                element::<EF>(sum) * factors[point]
            };
            let mut first = 0;
            let matrix = |&width: &usize| {
                let columns = first..first + width;
                first += width;
                let at = |&point: &usize| columns.clone().map(|column| value(point, column)).collect();
                round.points.iter().map(at).collect()
            };
            Ok(round.widths.iter().map(matrix).collect())
        };
        rounds.iter().map(values).collect()
    }

    /// The factor of sums by weights: z (z^n - g^n) / (n g^n).
    fn factor(&self, point: EF) -> EF {
        let log_rows = self.columns.sizes.log_rows;
        let shift = Goldilocks::GENERATOR.exp_power_of_2(log_rows);
        let divisor = shift * Goldilocks::from_u64(1 << log_rows);
        point * (point.exp_power_of_2(log_rows) - shift) * divisor.inverse()
    }

    /// For each point the coordinates of the weights on the coset of the trace's size.
    fn weights(&self) -> Result<DeviceMatrix<Element>, Error> {
        let (extension, degree) = (&self.extension, EF::DIMENSION);
        let mut builder = Builder::new();
        let mut values = Vec::new();
        for (i, &point) in self.points.iter().enumerate() {
            let inverse = self.inverse(&mut builder, &mut values, i, point);
            let reciprocal = extension.value(&mut builder, values.len());
            values.extend(coordinates(point.inverse()));
            for node in extension.sub(&mut builder, &inverse, &reciprocal) {
                builder.output(node);
            }
        }
        debug_assert!(values.len() == self.points.len() * degree * degree);
        let inputs = [&self.columns.points, &self.inverses];
        self.memory.engine.run_program(
            &builder.finish()?,
            reversed(self.columns.sizes.log_rows),
            &inputs,
            &values,
        )
    }

    /// The nodes of 1 / (z - x) for a point z, in programs whose inputs are the points of the coset and the inverses.
    fn inverse(
        &self,
        builder: &mut Builder,
        values: &mut Vec<Element>,
        index: usize,
        point: EF,
    ) -> Vec<Node> {
        let x = builder.column(0, 0, 0);
        // Horner's rule, from the coefficient of x^(D-1), which is one.
        let mut quotient: Vec<Node> =
            coordinates(EF::ONE).into_iter().map(|one| builder.constant(one)).collect();
        for coefficient in quotient_polynomial(point).into_iter().rev() {
            let coefficient = {
                let nodes = self.extension.value(builder, values.len());
                values.extend(coordinates(coefficient));
                nodes
            };
            let product = self.extension.scale(builder, &quotient, x);
            quotient = self.extension.add(builder, &product, &coefficient);
        }
        let inverse = builder.column(1, index, 0);
        let inverse = builder.neg(inverse);
        self.extension.scale(builder, &quotient, inverse)
    }

    /// The combination of all openings by powers of `alpha`, in bit-reversed order: a column for each coordinate, apart.
    pub(super) fn combine(
        &self,
        rounds: &[Round<'_>],
        opened: &OpenedValues<EF>,
        alpha: EF,
    ) -> Result<Vec<DeviceMatrix<Element>>, Error> {
        let extension = &self.extension;
        let mut combined = Vec::new();
        // For each point the sum of its values, and the rounds that it opens, with what their combinations are to be multiplied by.
        let mut values_at = vec![EF::ZERO; self.points.len()];
        let mut rounds_at: Vec<Vec<(usize, EF)>> = vec![Vec::new(); self.points.len()];
        let mut power = EF::ONE;
        for (index, (round, opened)) in rounds.iter().zip(opened).enumerate() {
            let start = power;
            for (position, &point) in round.points.iter().enumerate() {
                rounds_at[point].push((index, power * start.inverse()));
                for value in opened.iter().flat_map(|matrix| &matrix[position]) {
                    values_at[point] += power * *value;
                    power *= alpha;
                }
            }
            let width = round.widths.iter().sum();
            let weights = alpha.shifted_powers(start).take(width).flat_map(coordinates).collect();
            let weights = Matrix::from_rows(weights, width, EF::DIMENSION)?;
            let columns = self.memory.engine.combine_columns(round.matrix, &weights)?;
            combined.push(self.memory.among_narrow(columns)?);
        }

        let (mut builder, mut values) = (Builder::new(), Vec::new());
        let value = |builder: &mut Builder, values: &mut Vec<Element>, value: EF| {
            let nodes = extension.value(builder, values.len());
            values.extend(coordinates(value));
            nodes
        };
        let mut sum: Option<Vec<Node>> = None;
        for (i, &point) in self.points.iter().enumerate() {
            let mut difference = value(&mut builder, &mut values, values_at[i]);
            for &(round, factor) in &rounds_at[i] {
                let mut entries = extension.column(&mut builder, 2 + round, 0);
                if factor != EF::ONE {
                    let factor = value(&mut builder, &mut values, factor);
                    entries = extension.mul(&mut builder, &entries, &factor);
                }
                difference = extension.sub(&mut builder, &difference, &entries);
            }
            let inverse = self.inverse(&mut builder, &mut values, i, point);
            let quotient = extension.mul(&mut builder, &difference, &inverse);
            sum = Some(match sum {
                None => quotient,
                Some(sum) => extension.add(&mut builder, &sum, &quotient),
            });
        }
        let inputs = [vec![&self.columns.points, &self.inverses], combined.iter().collect()].concat();
        let rows = self.columns.extension_rows();
        let outputs = sum.expect("one point or more");
        run_apart(self.memory.engine, &builder, outputs, rows, &inputs, &values)
    }
}

/// The coefficients of f below its highest, which is one, from the constant one on.
fn conjugate_polynomial<EF: ExtensionField<Goldilocks>>(point: EF) -> Vec<Element> {
    let mut polynomial = vec![EF::ONE];
    let mut conjugate = point;
    for _ in 0..EF::DIMENSION {
        // Times X - conjugate.
        let shifted = std::iter::once(EF::ZERO).chain(polynomial.iter().copied());
        let scaled = polynomial.iter().map(|&coefficient| coefficient * conjugate).chain([EF::ZERO]);
        polynomial = shifted.zip(scaled).map(|(shifted, scaled)| shifted - scaled).collect();
        conjugate = conjugate.exp_u64(Goldilocks::ORDER_U64);
    }
    polynomial.pop();
    polynomial.into_iter().map(|coefficient| coordinates(coefficient)[0]).collect()
}

/// The coefficients of h below its highest, which is one, from the constant one on.
fn quotient_polynomial<EF: ExtensionField<Goldilocks>>(point: EF) -> Vec<EF> {
    let coefficients = conjugate_polynomial(point);
    let mut quotient = vec![EF::ONE];
    for &coefficient in coefficients[1..].iter().rev() {
        let last = *quotient.last().expect("the highest");
        quotient.push(last * point + crate::elements::from_engine(coefficient));
    }
    quotient.reverse();
    quotient.pop();
    quotient
}

/// The f of all points, whose coefficients below their highest are the values.
fn conjugates(degree: usize, points: usize) -> Result<Program, Error> {
    let mut builder = Builder::new();
    let x = builder.column(0, 0, 0);
    for point in 0..points {
        let mut sum = builder.constant(Element::new(1));
        for coefficient in (0..degree).rev() {
            let product = builder.mul(sum, x);
            let coefficient = builder.value(point * degree + coefficient);
            sum = builder.add(product, coefficient);
        }
        builder.output(sum);
    }
    builder.finish()
}
