//! FRI: layers that are committed to, folded by challenges, and opened where the verifier asks.
//!
//! # Mathematical description
//!
//! A layer is the values of a polynomial on a subgroup of L points, in bit-reversed order, so that the points whose a-th powers are equal, a a power of two, are
//! neighbours: siblings. They are the rows of a matrix of L / a rows, the leaves. Folding by two is
//! (p(x) + p(-x)) / 2 + beta (p(x) - p(-x)) / (2 x), in x^2; folding by a is log2(a) foldings by two, with beta, beta^2, beta^4 and so on. A further polynomial q that is as short
//! as the folded one is added to it as beta^a q.

use std::iter::Peekable;
use std::vec;

use p3_challenger::{CanObserve, FieldChallenger, GrindingChallenger};
use p3_dft::{Radix2DFTSmallBatch, TwoAdicSubgroupDft};
use p3_field::{ExtensionField, Field, PrimeCharacteristicRing, TwoAdicField};
use p3_fri::{FriShape, ProverTranscript};
use p3_goldilocks::Goldilocks;
use p3_merkle_tree::MerkleCap;
use rayon::prelude::*;
use zkaccel::field::Goldilocks as Element;
use zkaccel::matrix::Matrix;
use zkaccel::ntt::reverse_bits;
use zkaccel::program::Node;
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};
use zkaccel_proofs::{Memory, run_apart};

use super::columns::in_memory;
use super::commitment::{Commitment, Part};
use super::extension::{coordinates, element, extension};
use super::scheme::{OpenedLayer, Terms};
use super::{Builder, Program};
use crate::elements::to_engine;
use crate::hashes::Accelerated;

/// What FRI proves, before its openings.
pub(super) struct Folded<EF, L: Accelerated> {
    pub(super) commitments: Vec<MerkleCap<Goldilocks, L::Digest>>,
    pub(super) pow_witnesses: Vec<Goldilocks>,
    pub(super) final_polynomial: Vec<EF>,
    pub(super) query_pow_witness: Goldilocks,
    /// The rows that are opened of the matrices that were combined.
    pub(super) indices: Vec<usize>,
    /// The layers, with the logarithms of their numbers of siblings.
    layers: Vec<(usize, Commitment<L>)>,
}

/// Layers of at most so many values are folded on the host: on a device of its own each takes some ten launches and answers, one after another, in which the host hashes as many rows.
const SHORT: usize = 1 << 11;

/// Folds a polynomial, given by the coordinates of its values in bit-reversed order, each in a column apart; where it is as short as a further one, that is added. The lengths descend.
pub(super) fn fold<EF, L, C>(
    memory: Memory<'_>,
    terms: &Terms,
    layers: Vec<Vec<DeviceMatrix<Element>>>,
    inverse_roots: &DeviceMatrix<Element>,
    challenger: &mut C,
) -> Result<Folded<EF, L>, Error>
where
    EF: ExtensionField<Goldilocks>,
    L: Accelerated,
    C: FieldChallenger<Goldilocks>
        + GrindingChallenger<Witness = Goldilocks>
        + CanObserve<MerkleCap<Goldilocks, L::Digest>>,
{
    let parameters = &terms.fri;
    let log_sizes: Vec<usize> = layers.iter().map(|layer| layer[0].shape().rows.ilog2() as usize).collect();
    let salts = terms.masks.as_ref().map(|masks| &masks.layers);
    let shape = FriShape::new(parameters, &log_sizes, log_sizes[0]);
    let log_arities = shape.log_arities.clone();
    let mut transcript = ProverTranscript::<C, Goldilocks, EF>::new(challenger, shape);
    let folded = (|| {
        let mut further = layers.into_iter();
        let layer = further.next().expect("one polynomial or more");
        let (engine, inverse_roots) = (memory.engine.clone(), inverse_roots.clone());
        let mut folding = Folding { engine, layer, inverse_roots, further: further.peekable() };
        let (mut layers, mut commitments, mut pow_witnesses) = (Vec::new(), Vec::new(), Vec::new());
        for log_arity in log_arities {
            if folding.layer[0].shape().rows <= SHORT {
                folding.continue_on(memory.host()?)?;
            }
            let leaves = folding.leaves(log_arity)?;
            let widths = vec![leaves.shape().columns];
            let leaves = Part::new(&folding.engine, leaves, widths, salts)?;
            let committed = Commitment::<L>::new(&folding.engine, vec![leaves], terms.layer_cap_height)?;
            let cap = committed.cap()?;
            let (beta, witness) = transcript.commit_round(cap.clone());
            commitments.push(cap);
            pow_witnesses.push(witness.unwrap_or(Goldilocks::ZERO));
            folding.fold(memory.engine, log_arity, committed.parts[0].whole(), beta)?;
            layers.push((log_arity, committed));
        }
        let final_polynomial = folding.polynomial(parameters.log_final_poly_len)?;
        let (indices, witness) = transcript.query_phase(&final_polynomial);
        let query_pow_witness = witness.unwrap_or(Goldilocks::ZERO);
        Ok(Folded { commitments, pow_witnesses, final_polynomial, query_pow_witness, indices, layers })
    })();
    match folded {
        Ok(_) => transcript.finish(),
        // It panics when it is dropped before its end, and has no other way out.
        Err(_) => std::mem::forget(transcript),
    }
    folded
}

impl<EF: ExtensionField<Goldilocks>, L: Accelerated> Folded<EF, L> {
    /// The openings of all layers, at once.
    pub(super) fn open(&self) -> Result<Vec<OpenedLayer<EF, L>>, Error> {
        // Each with the logarithm of how many values of the first layer were folded into one of its own.
        let layers = self.layers.iter().scan(0, |folded, (log_arity, layer)| {
            let before = *folded;
            *folded += log_arity;
            Some((before, *log_arity, layer))
        });
        let open = |(before, log_arity, layer): (usize, usize, &Commitment<L>)| {
            let indices = self.indices.iter().map(|index| index >> before);
            let leaves: Vec<usize> = indices.clone().map(|index| index >> log_arity).collect();
            let mut rows = layer.open(&leaves)?;
            let siblings = |(index, rows): (usize, Vec<Vec<Goldilocks>>)| {
                let mut siblings = EF::reconstitute_from_base(rows.concat());
                siblings.remove(index & ((1 << log_arity) - 1));
                siblings
            };
            let siblings = indices.zip(std::mem::take(&mut rows.values)).map(siblings).collect();
            Ok(OpenedLayer { siblings, rows })
        };
        layers.collect::<Vec<_>>().into_par_iter().map(open).collect()
    }
}

/// A layer on its way down.
struct Folding {
    engine: Engine,
    /// A column for each coordinate.
    layer: Vec<DeviceMatrix<Element>>,
    /// The inverses of a layer's points, in bit-reversed order: of the first one on this engine.
    inverse_roots: DeviceMatrix<Element>,
    /// What is added to layers that are as short.
    further: Peekable<vec::IntoIter<Vec<DeviceMatrix<Element>>>>,
}

impl Folding {
    /// Copies the layer to an engine's memory, if it is not there.
    fn continue_on(&mut self, engine: &Engine) -> Result<(), Error> {
        if self.engine.device().id == engine.device().id {
            return Ok(());
        }
        let copy = |column| engine.upload(self.engine.download(column)?);
        self.layer = self.layer.iter().map(copy).collect::<Result<_, _>>()?;
        let log_size = self.layer[0].shape().rows.ilog2();
        let inverse = Goldilocks::two_adic_generator(log_size as usize).inverse();
        let roots: Vec<_> = inverse.powers().take(1 << log_size).map(to_engine).collect();
        let reversed = (0..roots.len()).map(|index| roots[reverse_bits(index, log_size)]).collect();
        self.inverse_roots = engine.upload(Matrix::from_column(reversed)?)?;
        self.engine = engine.clone();
        Ok(())
    }

    /// The layer as the rows of siblings that are hashed.
    fn leaves(&self, log_arity: usize) -> Result<DeviceMatrix<Element>, Error> {
        let count = self.layer[0].shape().rows >> log_arity;
        let columns = self.layer.iter().map(|column| column.reshaped(count, 1 << log_arity));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let inputs: Vec<_> = columns.iter().collect();
        self.engine.run_program(&leaves(log_arity, inputs.len())?, in_memory(count), &inputs, &[])
    }

    /// Folds the layer, of which the leaves are given, and adds what is as short then and was made by an engine.
    fn fold<EF: ExtensionField<Goldilocks>>(
        &mut self,
        maker: &Engine,
        log_arity: usize,
        leaves: &DeviceMatrix<Element>,
        beta: EF,
    ) -> Result<(), Error> {
        let log_folded = (self.inverse_roots.shape().rows / self.layer[0].shape().rows).ilog2() as usize;
        let mut powers = std::iter::successors(Some(beta), |beta| Some(beta.square()));
        let halves = powers.by_ref().take(log_arity).flat_map(|beta| coordinates(beta.halve()));
        let mut values: Vec<Element> = halves.collect();
        let rows = leaves.shape().rows;
        let added = self.further.next_if(|layer| layer[0].shape().rows == rows).unwrap_or_default();
        let bring = |column| match self.engine.device().id == maker.device().id {
            true => Ok(column),
            false => self.engine.upload(maker.download(&column)?),
        };
        let added = added.into_iter().map(bring).collect::<Result<Vec<_>, Error>>()?;
        if !added.is_empty() {
            values.extend(powers.next().into_iter().flat_map(coordinates));
        }
        let inputs: Vec<_> = [leaves, &self.inverse_roots].into_iter().chain(&added).collect();
        let (builder, folded) = record_fold::<EF>(log_arity, log_folded, !added.is_empty());
        self.layer = run_apart(&self.engine, &builder, folded, in_memory(rows), &inputs, &values)?;
        Ok(())
    }

    /// The coefficients of the last layer.
    fn polynomial<EF: ExtensionField<Goldilocks>>(&self, log_len: usize) -> Result<Vec<EF>, Error> {
        let columns = self.layer.iter().map(|column| self.engine.download(column));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let value = |index| {
            let row = reverse_bits(index, log_len as u32);
            element(columns.iter().map(|column| column.as_slice()[row]))
        };
        Ok(Radix2DFTSmallBatch::default().idft_algebra((0..1 << log_len).map(value).collect()))
    }
}

/// The siblings side by side, each by its coordinates, from a matrix for each coordinate.
fn leaves(log_arity: usize, degree: usize) -> Result<Program, Error> {
    let mut builder = Builder::new();
    for sibling in 0..1 << log_arity {
        for coordinate in 0..degree {
            let entry = builder.column(coordinate, sibling, 0);
            builder.output(entry);
        }
    }
    builder.finish()
}

/// The nodes of the values that leaves are folded into. The values of the run are beta / 2, beta^2 / 2, beta^4 / 2 and so on; if further columns are added, a for the arity, then beta^a, by
/// which they are multiplied.
fn record_fold<EF: ExtensionField<Goldilocks>>(
    log_arity: usize,
    log_folded: usize,
    has_more: bool,
) -> (Builder, Vec<Node>) {
    let (extension, degree) = (extension::<EF>(), EF::DIMENSION);
    let mut builder = Builder::new();
    let half = builder.constant(to_engine(Goldilocks::ONE.halve()));
    // Of a layer that was folded before, the points are powers of the first layer's.
    let first = builder.column(1, 0, 0);
    let mut inverse_root = (0..log_folded).fold(first, |root, _| builder.mul(root, root));
    let siblings = (0..1 << log_arity).map(|sibling| extension.column(&mut builder, 0, sibling * degree));
    let mut siblings: Vec<_> = siblings.collect();
    for round in 0..log_arity {
        // The inverses of the points of pairs are one in each row, times powers of a root of unity.
        let log_pairs = log_arity - 1 - round;
        let root = Goldilocks::two_adic_generator(log_pairs + 1).inverse();
        let beta = extension.value(&mut builder, round * degree);
        let fold = |(i, pair): (usize, &[Vec<_>])| {
            let power = root.exp_u64(reverse_bits(i, log_pairs as u32) as u64);
            let power = builder.constant(to_engine(power));
            let inverse = builder.mul(inverse_root, power);
            let sum = extension.add(&mut builder, &pair[0], &pair[1]);
            let sum = extension.scale(&mut builder, &sum, half);
            let difference = extension.sub(&mut builder, &pair[0], &pair[1]);
            let difference = extension.scale(&mut builder, &difference, inverse);
            let product = extension.mul(&mut builder, &difference, &beta);
            extension.add(&mut builder, &sum, &product)
        };
        siblings = siblings.chunks(2).enumerate().map(fold).collect();
        inverse_root = builder.mul(inverse_root, inverse_root);
    }
    let mut folded = siblings.swap_remove(0);
    if has_more {
        let further: Vec<_> = (2..2 + degree).map(|input| builder.column(input, 0, 0)).collect();
        let factor = extension.value(&mut builder, log_arity * degree);
        let further = extension.mul(&mut builder, &further, &factor);
        folded = extension.add(&mut builder, &folded, &further);
    }
    (builder, folded)
}
