//! Openings of many polynomials at many points at once: SHPLONK and GWC.
//!
//! # Mathematical description
//!
//! A quotient N / Z of a polynomial by one that divides it has in each row w^i the value N(w^i) / Z(w^i), as no row's point is a root of Z. So divisions are inverses and products of values, and one
//! transform gives the coefficients. Of n coefficients that of X^(n-1) is zero if the quotient is a polynomial, since Z is not constant; otherwise it is not zero but with a
//! probability of about 2^-250.
//!
//! SHPLONK (Boneh, Drake, Fisch and Gabizon 2020, section 4): polynomials with equal sets of points are added up by powers of y to N_i, with R_i of lowest degree through their values, and Z_i
//! the product of X - z over the points. A commitment to h = sum v^i (N_i - R_i) / Z_i, a challenge u, and one to
//!
//! (sum v^i D_i(u) (N_i - R_i(u)) - T(u) h) / (X - u) / D_0(u),
//!
//! with T the product of X - z over all points, and D_i = T / Z_i.
//!
//! GWC (Gabizon, Williamson and Ciobotaru 2019, section 3.1): for each point z, polynomials are added up by powers of v, and a commitment to (N - N(z)) / (X - z).

use ff::Field;
use halo2_axiom::halo2curves::bn256::{Bn256, G1Affine};
use halo2_axiom::poly::kzg::multiopen::{ProverGWC, ProverSHPLONK};
use halo2_axiom::transcript::{EncodedChallenge, TranscriptWrite};
use zkaccel::Error;
use zkaccel::bn254::Fr;
use zkaccel::ntt::Ntt;
use zkaccel::program::{Builder, Node};
use zkaccel::resident::DeviceMatrix;

use super::domain::{interpolate, invert, powers};
use super::error::ProveError;
use super::evaluations::{Evaluations, Polynomial, Polynomials};
use super::run::{Run, squeeze, write_points};
use crate::constraints::programs::MATRICES;

/// How openings are proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Openings {
    Shplonk,
    Gwc,
}

/// The scheme of openings, by halo2's type of its prover: [`ProverSHPLONK`] or [`ProverGWC`].
pub trait MultiOpen: sealed::Sealed {
    /// Which it is.
    #[doc(hidden)]
    const OPENINGS: Openings;
}

mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for ProverSHPLONK<'_, Bn256> {}
impl sealed::Sealed for ProverGWC<'_, Bn256> {}

impl MultiOpen for ProverSHPLONK<'_, Bn256> {
    const OPENINGS: Openings = Openings::Shplonk;
}

impl MultiOpen for ProverGWC<'_, Bn256> {
    const OPENINGS: Openings = Openings::Gwc;
}

/// A polynomial to be opened at a point, by the point's index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query {
    pub(super) polynomial: Polynomial,
    pub(super) point: usize,
}

/// What is opened, and where.
pub(super) struct Opening<'a> {
    pub(super) run: Run<'a>,
    pub(super) polynomials: &'a Polynomials<'a>,
    pub(super) evaluations: &'a Evaluations,
}

/// Polynomials that are opened at the same points.
struct Set {
    polynomials: Vec<Polynomial>,
    /// In ascending order.
    points: Vec<usize>,
}

impl Opening<'_> {
    /// Writes the openings to the transcript.
    pub(super) fn prove<E, T>(
        &self,
        openings: Openings,
        queries: &[Query],
        transcript: &mut T,
    ) -> Result<(), ProveError>
    where
        E: EncodedChallenge<G1Affine>,
        T: TranscriptWrite<G1Affine, E>,
    {
        match openings {
            Openings::Shplonk => self.shplonk(queries, transcript),
            Openings::Gwc => self.gwc(queries, transcript),
        }
    }

    fn shplonk<E, T>(&self, queries: &[Query], transcript: &mut T) -> Result<(), ProveError>
    where
        E: EncodedChallenge<G1Affine>,
        T: TranscriptWrite<G1Affine, E>,
    {
        let all = &self.evaluations.points;
        let sets = sets(queries);
        let [y, v] = [(); 2].map(|()| squeeze(transcript));
        let combined = sets.iter().map(|set| weighted(&set.polynomials, y)).collect::<Vec<_>>();
        let numerators = self.values(&combined)?;
        let points: Vec<Vec<Fr>> =
            sets.iter().map(|set| set.points.iter().map(|&point| all[point]).collect()).collect();
        let remainders: Vec<Vec<Fr>> = sets
            .iter()
            .zip(&combined)
            .zip(&points)
            .map(|((set, terms), points)| {
                let value = |&point| {
                    terms.iter().map(|&(p, weight)| self.evaluations.at(p, point) * weight).sum::<Fr>()
                };
                interpolate(points, &set.points.iter().map(value).collect::<Vec<_>>())
            })
            .collect();

        let inverses = self.inverses(&points)?;
        // Values of the run: coefficients of remainders, then powers of v.
        let values: Vec<Fr> =
            remainders.iter().flatten().copied().chain(powers(v).take(sets.len())).collect();
        let mut builder = Builder::new();
        let x = builder.column(0, self.run.key.layout.x().column, 0);
        let (mut next, weights) = (0, values.len() - sets.len());
        let mut terms = Vec::new();
        for (index, remainder) in remainders.iter().enumerate() {
            let indices = next..next + remainder.len();
            next = indices.end;
            let remainder = horner(&mut builder, x, indices);
            let numerator = builder.column(1, index, 0);
            let difference = builder.sub(numerator, remainder);
            let inverse = builder.column(2, index, 0);
            let quotient = builder.mul(difference, inverse);
            terms.push((quotient, weights + index));
        }
        builder.weighted_sum(terms, 1);
        let inputs = [&self.run.key.values, &numerators, &inverses];
        let program = builder.finish()?;
        let h =
            self.run.residence.engine.run_program(&program, self.run.key.domain.rows, &inputs, &values)?;
        self.commit(&h, transcript)?;

        let u = squeeze(transcript);
        // The points of a query, all of them.
        let mut of_queries: Vec<usize> = queries.iter().map(|query| query.point).collect();
        of_queries.sort_unstable();
        of_queries.dedup();
        let factors: Vec<Fr> = sets
            .iter()
            .map(|set| {
                let others = of_queries.iter().filter(|point| !set.points.contains(point));
                others.map(|&point| u - all[point]).product()
            })
            .collect();
        let whole: Fr = of_queries.iter().map(|&point| u - all[point]).product();
        let first = invert(factors[0]);
        let value = |polynomial: &[Fr]| polynomial.iter().rev().fold(Fr::ZERO, |sum, c| sum * u + c);
        let weights: Vec<Fr> = factors
            .iter()
            .zip(powers(v).take(sets.len()))
            .map(|(factor, power)| factor * power * first)
            .collect();
        let constant: Fr =
            weights.iter().zip(&remainders).map(|(weight, remainder)| value(remainder) * weight).sum();
        let mut builder = Builder::new();
        let mut sum = builder.value(0);
        for index in 0..sets.len() {
            let numerator = builder.column(1, index, 0);
            let weight = builder.value(2 + index);
            let term = builder.mul(numerator, weight);
            sum = builder.add(sum, term);
        }
        let (h_node, whole_node) = (builder.column(2, 0, 0), builder.value(1));
        let term = builder.mul(h_node, whole_node);
        let sum = builder.sub(sum, term);
        let inverse = builder.column(0, 0, 0);
        let quotient = builder.mul(sum, inverse);
        builder.output(quotient);
        let inverses = self.inverses(&[vec![u]])?;
        let values: Vec<Fr> = [-constant, whole * first].into_iter().chain(weights).collect();
        let program = builder.finish()?;
        let inputs = [&inverses, &numerators, &h];
        let quotient =
            self.run.residence.engine.run_program(&program, self.run.key.domain.rows, &inputs, &values)?;
        self.commit(&quotient, transcript)
    }

    fn gwc<E, T>(&self, queries: &[Query], transcript: &mut T) -> Result<(), ProveError>
    where
        E: EncodedChallenge<G1Affine>,
        T: TranscriptWrite<G1Affine, E>,
    {
        let v = squeeze(transcript);
        let mut by_point: Vec<(usize, Vec<Polynomial>)> = Vec::new();
        for query in queries {
            match by_point.iter_mut().find(|(point, _)| *point == query.point) {
                Some((_, polynomials)) => polynomials.push(query.polynomial),
                None => by_point.push((query.point, vec![query.polynomial])),
            }
        }
        let combined: Vec<_> = by_point.iter().map(|(_, polynomials)| weighted(polynomials, v)).collect();
        let numerators = self.values(&combined)?;
        let points: Vec<Vec<Fr>> =
            by_point.iter().map(|&(point, _)| vec![self.evaluations.points[point]]).collect();
        let inverses = self.inverses(&points)?;
        let mut builder = Builder::new();
        for index in 0..by_point.len() {
            let (numerator, inverse) = (builder.column(0, index, 0), builder.column(1, index, 0));
            let value = builder.value(index);
            let difference = builder.sub(numerator, value);
            let quotient = builder.mul(difference, inverse);
            builder.output(quotient);
        }
        let values: Vec<Fr> = by_point
            .iter()
            .zip(&combined)
            .map(|(&(point, _), terms)| {
                terms.iter().map(|&(p, weight)| self.evaluations.at(p, point) * weight).sum()
            })
            .collect();
        let inputs = [&numerators, &inverses];
        let program = builder.finish()?;
        let quotients =
            self.run.residence.engine.run_program(&program, self.run.key.domain.rows, &inputs, &values)?;
        self.commit(&quotients, transcript)
    }

    /// The values of combinations of polynomials in all rows: a column for each.
    fn values(&self, combinations: &[Vec<(Polynomial, Fr)>]) -> Result<DeviceMatrix<Fr>, Error> {
        let indices: Vec<usize> = (0..self.polynomials.len())
            .filter(|&index| combinations.iter().flatten().any(|(p, _)| p.matrix == index))
            .collect();
        let mut sum: Option<DeviceMatrix<Fr>> = None;
        // One input is the sum so far.
        for group in indices.chunks(MATRICES - 1) {
            let (mut builder, mut weights) = (Builder::new(), vec![Fr::ONE]);
            let matrices = group.iter().filter_map(|&index| self.polynomials.matrix(index));
            let mut inputs: Vec<_> = matrices.collect();
            for (column, terms) in combinations.iter().enumerate() {
                let mut nodes: Vec<(Node, usize)> = Vec::new();
                if sum.is_some() {
                    nodes.push((builder.column(inputs.len(), column, 0), 0));
                }
                for &(polynomial, weight) in terms {
                    if let Some(input) = group.iter().position(|&index| index == polynomial.matrix) {
                        nodes.push((builder.column(input, polynomial.column, 0), weights.len()));
                        weights.push(weight);
                    }
                }
                match nodes.is_empty() {
                    true => {
                        let zero = builder.constant(Fr::ZERO);
                        builder.output(zero);
                    }
                    false => builder.weighted_sum(nodes, 1),
                }
            }
            inputs.extend(&sum);
            let program = builder.finish()?;
            sum = Some(self.run.residence.engine.run_program(
                &program,
                self.run.key.domain.rows,
                &inputs,
                &weights,
            )?);
        }
        let mut values = sum.expect("a polynomial or more");
        self.run.residence.engine.ntt(&Ntt::forward(self.run.key.domain.subgroup), &mut values)?;
        Ok(values)
    }

    /// For each of some sets of points the inverses of the product of X - z in all rows.
    fn inverses(&self, sets: &[Vec<Fr>]) -> Result<DeviceMatrix<Fr>, Error> {
        let (mut builder, mut values) = (Builder::new(), Vec::new());
        let x = builder.column(0, self.run.key.layout.x().column, 0);
        for points in sets {
            let mut product = builder.constant(Fr::ONE);
            for &point in points {
                let node = builder.value(values.len());
                values.push(point);
                let difference = builder.sub(x, node);
                product = builder.mul(product, difference);
            }
            builder.output(product);
        }
        let (engine, rows) = (&self.run.residence.engine, self.run.key.domain.rows);
        let mut inverses = engine.run_program(&builder.finish()?, rows, &[&self.run.key.values], &values)?;
        engine.invert(&mut inverses)?;
        Ok(inverses)
    }

    /// Commits to quotients by their values, if they are polynomials.
    fn commit<E, T>(&self, values: &DeviceMatrix<Fr>, transcript: &mut T) -> Result<(), ProveError>
    where
        E: EncodedChallenge<G1Affine>,
        T: TranscriptWrite<G1Affine, E>,
    {
        let coefficients = self.run.residence.coefficients(&self.run.key.domain, values)?;
        let highest = coefficients.read_rows(&[self.run.key.domain.size() - 1])?;
        if highest.iter().flatten().any(|&coefficient| coefficient != Fr::ZERO) {
            return Err(ProveError::NotPolynomial);
        }
        write_points(transcript, &self.run.commit(&coefficients)?)
    }
}

/// Polynomials by their sets of points, both in the order in which they first appear.
fn sets(queries: &[Query]) -> Vec<Set> {
    let mut points: Vec<(Polynomial, Vec<usize>)> = Vec::new();
    for query in queries {
        match points.iter_mut().find(|(polynomial, _)| *polynomial == query.polynomial) {
            Some((_, points)) => points.push(query.point),
            None => points.push((query.polynomial, vec![query.point])),
        }
    }
    let mut sets: Vec<Set> = Vec::new();
    for (polynomial, mut points) in points {
        points.sort_unstable();
        points.dedup();
        match sets.iter_mut().find(|set| set.points == points) {
            Some(set) => set.polynomials.push(polynomial),
            None => sets.push(Set { polynomials: vec![polynomial], points }),
        }
    }
    sets
}

/// Polynomials with powers of a challenge.
fn weighted(polynomials: &[Polynomial], challenge: Fr) -> Vec<(Polynomial, Fr)> {
    polynomials.iter().copied().zip(powers(challenge).take(polynomials.len())).collect()
}

/// A polynomial in x whose coefficients are values of the run.
fn horner(builder: &mut Builder<Fr>, x: Node, indices: std::ops::Range<usize>) -> Node {
    let mut sum = builder.constant(Fr::ZERO);
    for index in indices.rev() {
        let product = builder.mul(sum, x);
        let coefficient = builder.value(index);
        sum = builder.add(product, coefficient);
    }
    sum
}
