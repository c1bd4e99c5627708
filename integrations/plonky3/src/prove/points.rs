//! The openings out of domain: the values of all columns at points of the extension, and the combination of all quotients that FRI proves to be
//! of low degree.
//!
//! # Mathematical description
//!
//! Quotients by z - x are those of `zkaccel_proofs`, negated.
//!
//! The values of a column that was extended from n rows follow at z from those in its first n rows, which in bit-reversed order are those on a coset of n points
//! x = g w: with the weights 1 / (z - x) - 1 / z, times z (z^n - g^n) / (n g^n). See `p3_matrix::interpolation`.
//!
//! The combination is the sum over all openings, in the order in which they are claimed, of alpha^i (p_i(z) - p_i(x)) / (z - x).

use p3_commit::OpenedValues;
use p3_field::{ExtensionField, Field, PrimeCharacteristicRing};
use p3_goldilocks::Goldilocks;
use zkaccel::Error;
use zkaccel::field::{Field as _, Goldilocks as Element};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Ntt, Order};
use zkaccel::program::Node;
use zkaccel::resident::{Cosets, DeviceMatrix};
use zkaccel_proofs::{Memory, run_apart};

use super::columns::{Columns, coset, reversed};
use super::extension::{coordinates, element, extension};
use super::{Builder, MAX_INPUTS, quotient};

/// From so many columns on, combinations are made in the first rows of an extension, as many as were extended, and are extended themselves: a part of the products and of the reads, for three
/// transforms of a few columns. A row's products of fewer columns cost as much as those.
const WIDE: usize = 64;

/// The openings of a commitment to one or more matrices of the same height, side by side in one.
pub(super) struct Round<'a> {
    pub(super) matrix: &'a Cosets<Element>,
    /// The number of columns of each matrix.
    pub(super) widths: &'a [usize],
    /// The number of columns behind each that are not opened.
    pub(super) salts: usize,
    /// The points at which each is opened, by their indices; several only for a matrix alone.
    pub(super) points: Vec<usize>,
}

/// The points of openings, and the inverses that quotients by differences from them take, on the coset of the extensions.
pub(super) struct Points<'a, EF> {
    memory: Memory<'a>,
    columns: &'a Columns,
    points: Vec<EF>,
    quotients: zkaccel_proofs::Points,
    inverses: DeviceMatrix<Element>,
}

impl<'a, EF: ExtensionField<Goldilocks>> Points<'a, EF> {
    pub(super) fn new(memory: Memory<'a>, columns: &'a Columns, points: Vec<EF>) -> Result<Self, Error> {
        let engine = memory.engine;
        let coordinates = points.iter().map(|&point| coordinates(point));
        let quotients = zkaccel_proofs::Points::new(extension::<EF>(), coordinates);
        let (program, values) = quotients.denominators()?;
        let rows = columns.extension_rows();
        let mut inverses = engine.run_program(&program, rows, &[&columns.points], &values)?;
        engine.invert(&mut inverses)?;
        Ok(Self { memory, columns, points, quotients, inverses })
    }

    /// The values of all columns of all rounds at their points.
    pub(super) fn evaluate(&self, rounds: &[Round<'_>]) -> Result<OpenedValues<EF>, Error> {
        let weights = self.weights()?;
        let factors: Vec<EF> = self.points.iter().map(|&point| self.factor(point)).collect();
        let degree = EF::DIMENSION;
        let values = |round: &Round<'_>| {
            let sums = self.memory.engine.combine_rows(&weights, &self.first_rows(round.matrix)?)?;
            let value = |point: usize, column: usize| {
                let sum = (0..degree).map(|coordinate| sums.get(point * degree + coordinate, column));
                element::<EF>(sum) * factors[point]
            };
            let mut first = 0;
            let matrix = |&width: &usize| {
                let columns = first..first + width;
                first += width + round.salts;
                let at = |&point: &usize| columns.clone().map(|column| value(point, column)).collect();
                round.points.iter().map(at).collect()
            };
            Ok(round.widths.iter().map(matrix).collect())
        };
        rounds.iter().map(values).collect()
    }

    /// The factor of sums by weights: z (z^n - g^n) / (n g^n).
    fn factor(&self, point: EF) -> EF {
        let log_rows = self.columns.sizes.log_committed();
        let shift = Goldilocks::GENERATOR.exp_power_of_2(log_rows);
        let divisor = shift * Goldilocks::from_u64(1 << log_rows);
        point * (point.exp_power_of_2(log_rows) - shift) * divisor.inverse()
    }

    /// For each point the coordinates of the weights on the coset of the trace's size.
    fn weights(&self) -> Result<DeviceMatrix<Element>, Error> {
        let (extension, degree) = (self.quotients.extension(), EF::DIMENSION);
        let mut builder = Builder::new();
        let mut values = Vec::new();
        for (i, &point) in self.points.iter().enumerate() {
            let inverse = self.inverse(&mut builder, &mut values, i);
            let reciprocal = self.quotients.value(&mut builder, &mut values, &coordinates(point.inverse()));
            for node in extension.sub(&mut builder, &inverse, &reciprocal) {
                builder.output(node);
            }
        }
        debug_assert!(values.len() == self.points.len() * degree * degree);
        let inputs = [&self.columns.points, &self.inverses];
        self.memory.engine.run_program(
            &builder.finish()?,
            reversed(self.columns.sizes.log_committed()),
            &inputs,
            &values,
        )
    }

    /// The nodes of 1 / (z - x) for a point z, in programs whose inputs are the points of the coset and the inverses.
    fn inverse(&self, builder: &mut Builder, values: &mut Vec<Element>, index: usize) -> Vec<Node> {
        let quotient = self.quotients.inverse(builder, values, index);
        quotient.into_iter().map(|coordinate| builder.neg(coordinate)).collect()
    }

    /// The combination of all openings by powers of `alpha`, in bit-reversed order: a column for each coordinate, apart.
    pub(super) fn combine(
        &self,
        rounds: &[Round<'_>],
        opened: &OpenedValues<EF>,
        alpha: EF,
    ) -> Result<Vec<DeviceMatrix<Element>>, Error> {
        let mut power = EF::ONE;
        let terms =
            rounds.iter().zip(opened).map(|(round, opened)| Term::new(round, opened, alpha, &mut power));
        let terms: Vec<Term<EF>> = terms.collect();
        // A row program has so many inputs: points, inverses, the sum of what was combined before, and further combinations.
        let mut groups = rounds.chunks(MAX_INPUTS - 3).zip(terms.chunks(MAX_INPUTS - 3)).peekable();
        let mut before: Option<DeviceMatrix<Element>> = None;
        while let Some((rounds, terms)) = groups.next() {
            let combine = |(round, term): (&Round<'_>, &Term<EF>)| {
                self.memory.among_narrow(self.combined(round.matrix, &term.weights)?)
            };
            let combined = rounds.iter().zip(terms).map(combine).collect::<Result<Vec<_>, _>>()?;
            let inputs = [&self.columns.points, &self.inverses];
            let inputs: Vec<_> = inputs.into_iter().chain(&combined).chain(&before).collect();
            let (builder, values, sum) = self.record_sum(terms, before.is_some());
            let (engine, rows) = (self.memory.engine, self.columns.extension_rows());
            if groups.peek().is_none() {
                return run_apart(engine, &builder, sum, rows, &inputs, &values);
            }
            let mut builder = builder;
            sum.into_iter().for_each(|coordinate| builder.output(coordinate));
            before = Some(engine.run_program(&builder.finish()?, rows, &inputs, &values)?);
        }
        unreachable!("one round or more")
    }

    /// A matrix that has the first rows of an extension, as many as were extended: if it is in parts the first one, which is a coset at least as large as those rows.
    fn first_rows(&self, matrix: &Cosets<Element>) -> Result<DeviceMatrix<Element>, Error> {
        let first = matrix.first_rows(1 << self.columns.sizes.log_committed())?;
        Ok(first.whole().expect("no more parts than the blow-up").clone())
    }

    /// The combinations of the columns of a matrix.
    fn combined(
        &self,
        matrix: &Cosets<Element>,
        weights: &Matrix<Element>,
    ) -> Result<DeviceMatrix<Element>, Error> {
        let (engine, sizes) = (self.memory.engine, self.columns.sizes);
        if let Some(whole) = matrix.whole().filter(|whole| whole.shape().columns < WIDE) {
            return engine.combine_columns(whole, weights);
        }
        let log_rows = sizes.log_committed();
        let mut combined = engine.combine_columns_of(&self.first_rows(matrix)?, 1 << log_rows, weights)?;
        let interpolation = Ntt::inverse(coset(log_rows)?).with_orders(Order::BitReversed, Order::Natural);
        engine.ntt(&interpolation, &mut combined)?;
        quotient::extension(engine, combined, sizes)
    }

    /// The program of the sum of quotients of some rounds, whose combinations are its inputs behind the first two, and of what is in a further input.
    fn record_sum(&self, terms: &[Term<EF>], has_more: bool) -> (Builder, Vec<Element>, Vec<Node>) {
        let extension = self.quotients.extension();
        let (mut builder, mut values) = (Builder::new(), Vec::new());
        let value = |builder: &mut Builder, values: &mut Vec<Element>, value: EF| {
            self.quotients.value(builder, values, &coordinates(value))
        };
        let mut sum = has_more.then(|| extension.column(&mut builder, 2 + terms.len(), 0));
        for point in 0..self.points.len() {
            let at_point = |term: &Term<EF>| term.at.iter().find(|at| at.point == point).copied();
            let opened: Vec<_> = terms.iter().map(at_point).collect();
            if opened.iter().all(Option::is_none) {
                continue;
            }
            let at_point = opened.iter().flatten().map(|at| at.sum).sum();
            let mut difference = value(&mut builder, &mut values, at_point);
            for (round, factor) in opened.iter().enumerate().filter_map(|(i, at)| at.map(|at| (i, at.factor)))
            {
                let mut entries = extension.column(&mut builder, 2 + round, 0);
                if factor != EF::ONE {
                    let factor = value(&mut builder, &mut values, factor);
                    entries = extension.mul(&mut builder, &entries, &factor);
                }
                difference = extension.sub(&mut builder, &difference, &entries);
            }
            let inverse = self.inverse(&mut builder, &mut values, point);
            let quotient = extension.mul(&mut builder, &difference, &inverse);
            sum = Some(match sum {
                None => quotient,
                Some(sum) => extension.add(&mut builder, &sum, &quotient),
            });
        }
        (builder, values, sum.expect("one point or more"))
    }
}

/// A round's part of a combination.
struct Term<EF> {
    /// The weights of its columns, a row for each.
    weights: Matrix<Element>,
    at: Vec<AtPoint<EF>>,
}

/// What a round adds at one of its points: the sum of its weighted values, minus a factor times the weighted sum of its columns.
#[derive(Clone, Copy)]
struct AtPoint<EF> {
    point: usize,
    sum: EF,
    factor: EF,
}

impl<EF: ExtensionField<Goldilocks>> Term<EF> {
    /// From the powers of `alpha` from `power` on, which is multiplied by `alpha` for each opened value.
    fn new(round: &Round<'_>, opened: &[Vec<Vec<EF>>], alpha: EF, power: &mut EF) -> Self {
        let start = *power;
        let at = round.points.iter().enumerate().map(|(position, &point)| {
            let factor = *power * start.inverse();
            let mut sum = EF::ZERO;
            for value in opened.iter().flat_map(|matrix| &matrix[position]) {
                sum += *power * *value;
                *power *= alpha;
            }
            AtPoint { point, sum, factor }
        });
        let at = at.collect();
        let (mut powers, mut weights) = (alpha.shifted_powers(start), Vec::new());
        for &width in round.widths {
            weights.extend(powers.by_ref().take(width).flat_map(coordinates));
            weights.resize(weights.len() + round.salts * EF::DIMENSION, Element::ZERO);
        }
        let columns = weights.len() / EF::DIMENSION;
        let weights = Matrix::from_rows(weights, columns, EF::DIMENSION).expect("whole rows");
        Self { weights, at }
    }
}
