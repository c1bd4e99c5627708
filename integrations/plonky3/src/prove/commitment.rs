//! Matrices that stay in the engine's memory, and the tree over their rows.

use p3_goldilocks::Goldilocks;
use p3_merkle_tree::MerkleCap;
use rayon::prelude::*;
use zkaccel::field::{Field as _, Goldilocks as Element};
use zkaccel::matrix::{Layout, Matrix, MatrixRef};
use zkaccel::resident::{Cosets, DeviceMatrix};
use zkaccel::{Engine, Error};

use super::columns::{in_parts_as, reversed};
use super::levels::Levels;
use super::masks::Salts;
use super::{Builder, MAX_INPUTS};
use crate::elements::from_engine;
use crate::hashes::Accelerated;

/// Matrices of one height, side by side in one, which several devices may have in parts. Where rows are salted, the salts of each matrix are behind it.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) matrix: Cosets<Element>,
    /// The numbers of columns of the matrices.
    pub(super) widths: Vec<usize>,
    /// The number of salts behind each.
    pub(super) salts: usize,
}

impl Part {
    /// Matrices, with salts if rows are to have some.
    pub(super) fn new(
        engine: &Engine,
        matrix: impl Into<Cosets<Element>>,
        widths: Vec<usize>,
        salts: Option<&Salts>,
    ) -> Result<Self, Error> {
        let matrix = matrix.into();
        let (matrix, salts) = match salts.filter(|salts| salts.count > 0) {
            Some(salts) => (salts.behind(engine, &matrix, &widths)?, salts.count),
            None => (matrix, 0),
        };
        Ok(Self { matrix, widths, salts })
    }

    /// The matrix, which no other devices have parts of: all are but extensions of traces, of preprocessed columns and of columns of lookups.
    pub(super) fn whole(&self) -> &DeviceMatrix<Element> {
        self.matrix.whole().expect("only what comes from host memory is extended in parts")
    }

    /// The binary logarithm of the number of rows.
    pub(super) fn log_rows(&self) -> usize {
        self.matrix.shape().rows.ilog2() as usize
    }

    /// Rows by their indices: for each the row of every matrix, and the salts behind it.
    fn rows(&self, rows: &[usize]) -> Result<Vec<[Vec<Vec<Goldilocks>>; 2]>, Error> {
        let divide = |row: Vec<Element>| {
            let mut rest = row.into_iter().map(from_engine);
            let mut take = |count| rest.by_ref().take(count).collect::<Vec<_>>();
            let (values, salts) = self.widths.iter().map(|&width| (take(width), take(self.salts))).unzip();
            [values, salts]
        };
        Ok(self.matrix.read_rows(rows)?.into_iter().map(divide).collect())
    }
}

/// Matrices of which the rows are committed to.
pub(super) struct Commitment<H: Accelerated> {
    /// In the order of the commitment. Their heights may differ.
    pub(super) parts: Vec<Part>,
    levels: Levels<H::Engine>,
    cap_height: u32,
}

/// Rows that are opened.
pub struct OpenedRows<H: Accelerated> {
    /// For each of them the row of every matrix.
    pub(super) values: Vec<Vec<Vec<Goldilocks>>>,
    /// The salts of each.
    pub(super) salts: Vec<Vec<Vec<Goldilocks>>>,
    /// The siblings that lead from all of them to the cap.
    pub(super) siblings: Vec<H::Digest>,
}

impl<H: Accelerated> Commitment<H> {
    /// Hashes the rows and builds the tree; small trees have no level so wide as the cap that is asked for. No matrix has fewer rows than the cap has digests.
    pub(super) fn new(engine: &Engine, parts: Vec<Part>, cap_height: usize) -> Result<Self, Error> {
        let mut heights: Vec<usize> = parts.iter().map(Part::log_rows).collect();
        heights.sort_unstable_by(|a, b| b.cmp(a));
        heights.dedup();
        let of_height = |&height: &usize| {
            let matrices = parts.iter().filter(|part| part.log_rows() == height).map(|part| &part.matrix);
            side_by_side(engine, &matrices.collect::<Vec<_>>())
        };
        let levels = Levels::new(engine, heights.iter().map(of_height))?;
        let cap_height = (cap_height as u32).min(levels.depth());
        Ok(Self { parts, levels, cap_height })
    }

    /// What is sent to the verifier.
    pub(super) fn cap(&self) -> Result<MerkleCap<Goldilocks, H::Digest>, Error> {
        Ok(MerkleCap::new(self.levels.cap(self.cap_height)?.digests().iter().map(H::digest).collect()))
    }

    /// The binary logarithm of the number of rows of the tallest matrices.
    pub(super) fn log_rows(&self) -> usize {
        self.levels.depth() as usize
    }

    /// Rows of the tallest matrices in the order asked for, of which some may be asked for more than once, and of the others those that they stand above.
    pub(super) fn open(&self, rows: &[usize]) -> Result<OpenedRows<H>, Error> {
        let mut distinct = rows.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let siblings = self.levels.open(distinct, self.cap_height)?;
        let (mut values, mut salts) = (vec![Vec::new(); rows.len()], vec![Vec::new(); rows.len()]);
        for part in &self.parts {
            let above: Vec<usize> =
                rows.iter().map(|row| row >> (self.log_rows() - part.log_rows())).collect();
            for (i, [of_row, behind]) in part.rows(&above)?.into_iter().enumerate() {
                values[i].extend(of_row);
                salts[i].extend(behind);
            }
        }
        Ok(OpenedRows { values, salts, siblings: siblings.iter().map(H::digest).collect() })
    }
}

/// Matrices of one height side by side in one, for as long as their rows are hashed.
fn side_by_side(engine: &Engine, matrices: &[&Cosets<Element>]) -> Result<Cosets<Element>, Error> {
    if let [alone] = matrices {
        return Ok((*alone).clone());
    }
    let views: Option<Vec<_>> = matrices.iter().map(|matrix| matrix.as_host()).collect();
    let by_rows = |view: &MatrixRef<'_, _>| view.shape().layout == Layout::RowMajor;
    if let Some(views) = views.filter(|views| views.iter().all(by_rows)) {
        return Ok(engine.keep_in_host_memory(rows_side_by_side(&views)?)?.into());
    }
    let most = matrices.iter().max_by_key(|matrix| matrix.parts().len()).expect("two matrices or more");
    let matrices = matrices.iter().map(|matrix| in_parts_as(most, matrix)).collect::<Result<Vec<_>, _>>()?;
    let matrices: Vec<&Cosets<Element>> = matrices.iter().collect();
    let (first, rest) = matrices.split_at(matrices.len().min(MAX_INPUTS));
    let first = beside(engine, first)?;
    let more = |done, more: &[_]| beside(engine, &[&[&done], more].concat());
    rest.chunks(MAX_INPUTS - 1).try_fold(first, more)
}

/// The same by a row program, for as many as one reads.
fn beside(engine: &Engine, matrices: &[&Cosets<Element>]) -> Result<Cosets<Element>, Error> {
    let mut builder = Builder::new();
    for (input, matrix) in matrices.iter().enumerate() {
        for column in 0..matrix.shape().columns {
            let entry = builder.column(input, column, 0);
            builder.output(entry);
        }
    }
    engine.run_program(&builder.finish()?, reversed(matrices[0].shape().rows.ilog2() as usize), matrices, &[])
}

/// The same in host memory where rows lie one after another, and so are copied as they are.
fn rows_side_by_side(matrices: &[MatrixRef<'_, Element>]) -> Result<Matrix<Element>, Error> {
    let rows = matrices[0].shape().rows;
    let width: usize = matrices.iter().map(|matrix| matrix.shape().columns).sum();
    let mut all = vec![Element::ZERO; rows * width];
    all.par_chunks_exact_mut(width).enumerate().for_each(|(row, mut rest)| {
        for matrix in matrices {
            let columns = matrix.shape().columns;
            let (head, others) = rest.split_at_mut(columns);
            head.copy_from_slice(&matrix.as_slice()[row * columns..][..columns]);
            rest = others;
        }
    });
    Matrix::from_rows(all, rows, width)
}
