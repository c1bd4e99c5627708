//! FRI: layers that are committed to, folded by challenges, and opened where the verifier asks.
//!
//! # Mathematical description
//!
//! A layer is the values of a polynomial on a coset of L points, and its leaves are the values in the rows i, i + M, i + 2 M and so on, with M = L / a for foldings by a. Layers are kept by their coefficients, of which there are fewer than
//! values, each times a power of the offset, so that the domain is the subgroup of a root of unity w. With Q_k the polynomial of the coefficients k, k + a, k + 2 a and so on, the value in row i + j M is
//! the sum over k of w^(i k) Q_k(w^(i a)) u^(j k), u = w^M: a transform of size a in each row of the values of all Q_k on the subgroup of order M.
//!
//! For a challenge c the folded polynomial is the sum of (c / offset)^k Q_k. winterfell has all layers on cosets with the same offset, so these are the coefficients of the next one as they are kept here.

use rayon::prelude::*;
use winter_crypto::ElementHasher;
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use winter_prover::{ByteWriter, ProofOptions, Serializable};
use zkaccel::field::{Field, Goldilocks as Element};
use zkaccel::ntt::{Convention, Lde, Ntt};
use zkaccel::program::Node;
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};
use zkaccel_proofs::{Builder, Program, run_apart};

use super::commitment::Commitment;
use super::domains::{Domains, first, natural, subgroup};
use super::error::ProveError;
use super::extension::{coordinates, element, extension, from_engine};
use crate::hashes::Accelerated;

/// The logarithms of the sizes of foldings.
#[derive(Clone, Copy)]
pub(super) struct Schedule {
    log_factor: u32,
    log_blowup: u32,
    layers: usize,
}

impl Schedule {
    pub(super) fn new(options: &ProofOptions, rows: usize) -> Result<Self, ProveError> {
        let fri = options.to_fri_options();
        let (factor, blowup) = (fri.folding_factor(), fri.blowup_factor());
        let layers = fri.num_fri_layers(rows * blowup);
        let log_factor = factor.ilog2();
        if layers as u32 * log_factor > rows.ilog2() {
            return Err(ProveError::Unsupported(format!(
                "FRI with foldings by {factor} of {rows} rows to a remainder of degree {} or less, which leaves less than one coefficient",
                fri.remainder_max_degree()
            )));
        }
        Ok(Self { log_factor, log_blowup: blowup.ilog2(), layers })
    }
}

/// The layers of a proof.
pub(super) struct Layers<E, H: Accelerated> {
    layers: Vec<Commitment<H>>,
    /// The coefficients of the last one, from the highest on.
    remainder: Vec<E>,
}

/// The bytes of a proof of FRI's.
pub(super) struct FriBytes(pub(super) Vec<u8>);

impl<E: FieldElement<BaseField = BaseElement>, H: Accelerated> Layers<E, H> {
    /// Folds a polynomial, given by the coordinates of its coefficients. `commit` is told of each layer's root, and whether it is the last, and returns the challenge.
    pub(super) fn fold(
        domains: &Domains<'_>,
        schedule: Schedule,
        mut polynomial: Vec<DeviceMatrix<Element>>,
        mut commit: impl FnMut(H::Digest, bool) -> Result<E, ProveError>,
    ) -> Result<Self, ProveError> {
        let Schedule { log_factor, log_blowup, layers: count } = schedule;
        let (engine, offset) = (domains.memory.engine, from_engine(domains.offset));
        let mut layers = Vec::new();
        for _ in 0..count {
            let rows = polynomial[0].shape().rows >> log_factor;
            let divided = polynomial.iter().map(|column| column.reshaped(rows, 1 << log_factor));
            let divided = divided.collect::<Result<Vec<_>, _>>()?;
            let leaves = leaves(domains, &divided, log_factor, log_blowup)?;
            let layer = Commitment::<H>::new(engine, leaves)?;
            let challenge = commit(layer.root(), false)?;
            polynomial = fold(engine, &divided, log_factor, challenge.mul_base(offset.inv()))?;
            layers.push(layer);
        }
        let remainder = remainder(engine, &polynomial, offset)?;
        commit(<H as ElementHasher>::hash_elements(&remainder), true)?;
        Ok(Self { layers, remainder })
    }

    /// The proof for rows that are opened, of all layers at once, in the form that winterfell reads.
    pub(super) fn open(&self, positions: &[usize]) -> Result<FriBytes, Error> {
        let mut bytes = Vec::new();
        bytes.write_u8(self.layers.len() as u8);
        let positions = self.layers.iter().scan(positions.to_vec(), |positions, layer| {
            let rows = layer.matrix.shape().rows;
            let mut folded: Vec<usize> = Vec::new();
            for position in &*positions {
                if !folded.contains(&(position % rows)) {
                    folded.push(position % rows);
                }
            }
            *positions = folded;
            Some(positions.clone())
        });
        let positions: Vec<_> = positions.collect();
        let open = |(layer, positions): (&Commitment<H>, &Vec<usize>)| layer.open(positions);
        let opened: Result<Vec<_>, _> = self.layers.par_iter().zip(&positions).map(open).collect();
        for (values, proof) in opened? {
            let values: Vec<u8> = values.concat().iter().flat_map(Serializable::to_bytes).collect();
            for part in [values, proof.to_bytes()] {
                bytes.write_u32(part.len() as u32);
                bytes.write_bytes(&part);
            }
        }
        let remainder: Vec<u8> = self.remainder.iter().flat_map(Serializable::to_bytes).collect();
        bytes.write_u16(remainder.len() as u16);
        bytes.write_bytes(&remainder);
        // The logarithm of the number of partitions.
        bytes.write_u8(0);
        Ok(FriBytes(bytes))
    }
}

/// The values that are hashed together, from the coefficients of all Q_k: a matrix for each coordinate.
fn leaves(
    domains: &Domains<'_>,
    divided: &[DeviceMatrix<Element>],
    log_factor: u32,
    log_blowup: u32,
) -> Result<DeviceMatrix<Element>, Error> {
    let engine = domains.memory.engine;
    let log_rows = divided[0].shape().rows.ilog2();
    let log_leaves = log_rows + log_blowup;
    let evaluate = |coefficients: &DeviceMatrix<Element>| {
        let mut values = coefficients.clone();
        engine.ntt(&Ntt::forward(subgroup(log_rows)?), &mut values)?;
        engine.lde(&Lde::new(subgroup(log_rows)?, subgroup(log_leaves)?)?, &values)
    };
    let values = divided.iter().map(evaluate).collect::<Result<Vec<_>, Error>>()?;
    let log_power = domains.log_committed - log_leaves - log_factor;
    let program = leaf_program(values.len(), log_factor, log_power)?;
    let inputs: Vec<_> = values.iter().chain([&domains.roots]).collect();
    engine.run_program(&program, first(1 << log_leaves), &inputs, &[])
}

/// The transforms in rows. The last input is the roots, of which the power by 2^`log_power` is that of the layer.
fn leaf_program(degree: usize, log_factor: u32, log_power: u32) -> Result<Program, Error> {
    let mut builder = Builder::new();
    let first = builder.column(degree, 0, 0);
    let root = (0..log_power).fold(first, |root, _| builder.mul(root, root));
    let one = builder.constant(Element::ONE);
    let mut powers = vec![one];
    for index in 1..1 << log_factor {
        powers.push(builder.mul(powers[index - 1], root));
    }
    let coordinates: Vec<Vec<Node>> = (0..degree)
        .map(|coordinate| {
            let twisted = powers.iter().enumerate().map(|(index, &power)| {
                let value = builder.column(coordinate, index, 0);
                builder.mul(value, power)
            });
            let twisted: Vec<Node> = twisted.collect();
            transform(&mut builder, &twisted)
        })
        .collect();
    for sibling in 0..1 << log_factor {
        for coordinate in &coordinates {
            builder.output(coordinate[sibling]);
        }
    }
    builder.finish()
}

/// The nodes of the values on a subgroup, of those of coefficients (Cooley and Tukey 1965).
fn transform(builder: &mut Builder, coefficients: &[Node]) -> Vec<Node> {
    if coefficients.len() == 1 {
        return coefficients.to_vec();
    }
    let [even, odd] = [0, 1].map(|parity| {
        let half: Vec<Node> = coefficients.iter().copied().skip(parity).step_by(2).collect();
        transform(builder, &half)
    });
    let root = Convention::Winterfell.root_of_unity(coefficients.len().ilog2());
    let (mut power, mut sums, mut differences) = (Element::ONE, Vec::new(), Vec::new());
    for (even, odd) in even.into_iter().zip(odd) {
        let factor = builder.constant(power);
        let odd = builder.mul(odd, factor);
        sums.push(builder.add(even, odd));
        differences.push(builder.sub(even, odd));
        power *= root;
    }
    sums.extend(differences);
    sums
}

/// The sum of all Q_k times powers of the challenge: a column for each coordinate, apart.
fn fold<E: FieldElement<BaseField = BaseElement>>(
    engine: &Engine,
    divided: &[DeviceMatrix<Element>],
    log_factor: u32,
    challenge: E,
) -> Result<Vec<DeviceMatrix<Element>>, Error> {
    let (extension, degree) = (extension::<E>(), E::EXTENSION_DEGREE);
    let mut builder = Builder::new();
    let factor = extension.value(&mut builder, 0);
    // Horner's rule.
    let terms = (0..1 << log_factor).rev().map(|index| -> Vec<Node> {
        (0..degree).map(|coordinate| builder.column(coordinate, index, 0)).collect()
    });
    let terms: Vec<_> = terms.collect();
    let sum = terms.into_iter().reduce(|sum, term| {
        let product = extension.mul(&mut builder, &sum, &factor);
        extension.add(&mut builder, &product, &term)
    });
    let (rows, inputs) = (natural(divided[0].shape().rows), divided.iter().collect::<Vec<_>>());
    let sum = sum.expect("two terms or more");
    run_apart(engine, &builder, sum, rows, &inputs, &coordinates(challenge))
}

/// The coefficients of the last layer, from the highest on.
fn remainder<E: FieldElement<BaseField = BaseElement>>(
    engine: &Engine,
    polynomial: &[DeviceMatrix<Element>],
    offset: BaseElement,
) -> Result<Vec<E>, Error> {
    let columns = polynomial.iter().map(|column| engine.download(column));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let (mut power, inverse) = (BaseElement::ONE, offset.inv());
    let mut coefficients = Vec::new();
    for row in 0..polynomial[0].shape().rows {
        let coefficient: E = element(columns.iter().map(|column| column.as_slice()[row]));
        coefficients.push(coefficient.mul_base(power));
        power *= inverse;
    }
    coefficients.reverse();
    Ok(coefficients)
}
