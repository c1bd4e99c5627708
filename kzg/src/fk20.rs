//! The proofs of all cells at once.
//!
//! # Mathematical description
//!
//! Write l = 64 for the values of a cell, m = 64 for the ratio of the coefficients of p to that, and S_i = τ^i G. The quotient of X^i by X^l - z is the sum of z^(t-1) X^(i-tl) over t >= 1 with t l <= i, so that the proof for
//! z is
//!
//! π(z) = sum over j of z^j H_j, with H_j = sum over i >= (j + 1) l of p_i S_(i - (j+1) l), for j = 0 ... m - 2.
//!
//! The 2m proofs, for all z with z^(2m) = 1, are the values of a polynomial with the coefficients H_j: a transform of 2m points of which the upper half and H_(m-1) are the identity. By the rest a of i modulo l,
//! i = a + l u, H_j is the sum over a of F_a[c + j + 1] S_(a + l c) over c, with F_a[u] = p_(a + l u). Put S_(a + l c) at the index 2m - 1 - c of a vector R_a of 2m points, for c = 0 ... m - 2: then H_j is entry j of the cyclic
//! convolution of F_a, padded with zeros, and R_a, for all j < m, since u + 2m - 1 - c = j modulo 2m only for u = c + j + 1. In terms of the transforms of both vectors a convolution is a product, and the sum over a
//! can be taken there:
//!
//! transform(H)_k = sum over a of transform(F_a)_k transform(R_a)_k.
//!
//! The points transform(R_a)_k follow from the setup. They are kept with their multiples, with the factor 1/2m of the inverse transform in them, l points for each k. For each blob there are then l transforms of 2m
//! scalars, 2m sums of l products over kept points, and two transforms of 2m points, the first by 1/w, whose upper half is dropped.

use std::ops::Range;

use halo2curves::ff::Field;
use zkaccel::Engine;
use zkaccel::bls12_381::{Fr, G1, G1Affine};
use zkaccel::curve::affine;
use zkaccel::matrix::{Layout, MatrixMut, Shape};
use zkaccel::msm::{Bases, BasesOptions};
use zkaccel::ntt::{Domain, Ntt, Order};

use crate::polynomials::{coefficients, extended, subgroup};
use crate::serialised::{bytes_of_field_elements, compress};
use crate::{
    BYTES_PER_CELL, BYTES_PER_PROOF, CELLS_PER_EXT_BLOB, Error, FIELD_ELEMENTS_PER_BLOB,
    FIELD_ELEMENTS_PER_CELL, Setup,
};

/// l.
const CELL: usize = FIELD_ELEMENTS_PER_CELL;
/// m.
const STRIDES: usize = FIELD_ELEMENTS_PER_BLOB / CELL;
/// 2m.
const CELLS: usize = CELLS_PER_EXT_BLOB;

/// The cells of a blob's extension, and the proof of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellsAndProofs {
    /// The 128 cells.
    pub cells: Vec<[u8; BYTES_PER_CELL]>,
    /// The 128 proofs, of which number k is that of cell k.
    pub proofs: Vec<[u8; BYTES_PER_PROOF]>,
}

/// What an engine keeps of a setup, for the proofs of any number of blobs.
#[derive(Clone, Debug)]
pub struct CellProver {
    engine: Engine,
    /// For each k the points transform(R_a)_k / 2m.
    columns: Vec<Bases<G1Affine>>,
    /// The powers of τ.
    powers: Bases<G1Affine>,
}

impl CellProver {
    /// Prepares a setup on an engine.
    ///
    /// [`zkaccel::Error::NotInSubgroup`] with the first point that is not in the group; errors of the engine. It keeps about 30 MB of points on the processor.
    pub fn new(engine: &Engine, setup: &Setup) -> Result<Self, Error> {
        let validate = BasesOptions { validate: true, ..BasesOptions::default() };
        let powers = engine.bases(setup.powers().to_vec(), validate)?;
        let mut reversed = vec![G1Affine::default(); CELL * CELLS];
        for (a, vector) in reversed.chunks_exact_mut(CELLS).enumerate() {
            for c in 0..STRIDES - 1 {
                vector[CELLS - 1 - c] = setup.powers()[a + CELL * c];
            }
        }
        // With the factor 1/2m: the inverse transform by 1/w.
        let domain = subgroup(CELLS)?;
        let inverted = Domain::with_root(domain.log_size(), inverse(domain.root()))?;
        engine.transform_points(&Ntt::inverse(inverted), &mut reversed)?;
        let keep = |k: usize| {
            let column = reversed.iter().skip(k).step_by(CELLS).copied().collect();
            engine.bases(column, BasesOptions { tables: true, ..BasesOptions::default() })
        };
        let columns = (0..CELLS).map(keep).collect::<Result<_, _>>()?;
        Ok(Self { engine: engine.clone(), columns, powers })
    }

    /// The commitments to blobs.
    ///
    /// Errors as [`cells_and_proofs`](Self::cells_and_proofs).
    pub fn commitments(&self, blobs: &[&[u8]]) -> Result<Vec<[u8; BYTES_PER_PROOF]>, Error> {
        let coefficients = coefficients(&self.engine, blobs)?;
        let sums = self.engine.msm_batch::<G1Affine>(&coefficients, &self.powers)?;
        Ok(affine(&sums).iter().map(compress).collect())
    }

    /// The cells of blobs.
    ///
    /// Errors as [`cells_and_proofs`](Self::cells_and_proofs).
    pub fn cells(&self, blobs: &[&[u8]]) -> Result<Vec<Vec<[u8; BYTES_PER_CELL]>>, Error> {
        let coefficients = coefficients(&self.engine, blobs)?;
        cells(&extended(&self.engine, &coefficients)?)
    }

    /// The cells of blobs and their proofs.
    ///
    /// [`Error::BlobLength`] and [`Error::NotCanonical`] with the first blob that is none; errors of the engine. There may be no blobs.
    pub fn cells_and_proofs(&self, blobs: &[&[u8]]) -> Result<Vec<CellsAndProofs>, Error> {
        let coefficients = coefficients(&self.engine, blobs)?;
        let cells = cells(&extended(&self.engine, &coefficients)?)?;
        let proofs = self.proofs(&coefficients)?;
        let proofs = proofs.chunks_exact(CELLS).map(|proofs| proofs.iter().map(compress).collect());
        Ok(cells.into_iter().zip(proofs).map(|(cells, proofs)| CellsAndProofs { cells, proofs }).collect())
    }

    /// The proofs of polynomials, one after another.
    fn proofs(&self, coefficients: &[Fr]) -> Result<Vec<G1Affine>, Error> {
        let count = coefficients.len() / FIELD_ELEMENTS_PER_BLOB;
        if count == 0 {
            return Ok(Vec::new());
        }
        let domain = subgroup(CELLS)?;
        // Row u has F_a[u] for all a of each polynomial in its turn: row k of the transform is as many rows of scalars of sum k.
        let width = count * CELL;
        let mut rows = vec![Fr::ZERO; CELLS * width];
        for (number, polynomial) in coefficients.chunks_exact(FIELD_ELEMENTS_PER_BLOB).enumerate() {
            for (u, of_stride) in polynomial.chunks_exact(CELL).enumerate() {
                rows[u * width + number * CELL..][..CELL].copy_from_slice(of_stride);
            }
        }
        let shape = Shape { rows: CELLS, columns: width, layout: Layout::RowMajor };
        self.engine.ntt(&Ntt::forward(domain), MatrixMut::new(&mut rows, shape)?)?;
        let sums = self.sums(&rows, width)?;
        // transform(H), polynomial after polynomial.
        let mut points = vec![G1Affine::default(); count * CELLS];
        for (k, sums) in affine::<G1>(&sums).chunks_exact(count).enumerate() {
            for (number, &sum) in sums.iter().enumerate() {
                points[number * CELLS + k] = sum;
            }
        }
        let inverted = Domain::with_root(domain.log_size(), inverse(domain.root()))?;
        self.engine.transform_points(&Ntt::forward(inverted), &mut points)?;
        for points in points.chunks_exact_mut(CELLS) {
            points[STRIDES..].fill(G1Affine::default());
        }
        let to_proofs = Ntt::forward(domain).with_orders(Order::Natural, Order::BitReversed);
        self.engine.transform_points(&to_proofs, &mut points)?;
        Ok(points)
    }

    /// Of each row of scalars the sums over the points of that number: as many as there are polynomials, row after row. Several are under way at once.
    fn sums(&self, rows: &[Fr], width: usize) -> Result<Vec<G1>, Error> {
        let some = |range: Range<usize>| {
            move |engine: &Engine| {
                let mut sums = Vec::new();
                for k in range {
                    let scalars = &rows[k * width..(k + 1) * width];
                    sums.extend(engine.msm_batch::<G1Affine>(scalars, &self.columns[k])?);
                }
                Ok(sums)
            }
        };
        let together = CELLS / JOBS;
        let sums = self.engine.scope(|scope| {
            let jobs: Vec<_> =
                (0..JOBS).map(|job| scope.spawn(some(job * together..(job + 1) * together))).collect();
            jobs.into_iter().map(zkaccel::Job::wait).collect::<Result<Vec<_>, _>>()
        });
        Ok(sums?.concat())
    }
}

/// Jobs that make the sums.
const JOBS: usize = 8;

/// 1 / x.
fn inverse(x: Fr) -> Fr {
    x.invert().expect("a root of unity is not 0")
}

/// The cells of extensions, as bytes.
fn cells(values: &[Fr]) -> Result<Vec<Vec<[u8; BYTES_PER_CELL]>>, Error> {
    let cell = |values: &[Fr]| -> Result<[u8; BYTES_PER_CELL], Error> {
        Ok(bytes_of_field_elements(values)?.try_into().expect("as many elements as a cell has"))
    };
    let of_blob = |values: &[Fr]| values.chunks_exact(CELL).map(cell).collect();
    values.chunks_exact(CELLS * CELL).map(of_blob).collect()
}
