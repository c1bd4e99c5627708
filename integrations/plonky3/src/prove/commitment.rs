//! A matrix that stays in the engine's memory, and the tree over its rows.

use p3_goldilocks::Goldilocks;
use p3_merkle_tree::MerkleCap;
use zkaccel::field::Goldilocks as Element;
use zkaccel::resident::{DeviceMatrix, DeviceTree};
use zkaccel::{Engine, Error};

use super::masks::Salts;
use crate::elements::from_engine;
use crate::hashes::Accelerated;

/// Matrices of one height, side by side in one, of which the rows are committed to. Where rows are salted, the salts of each matrix are behind it.
pub(super) struct Commitment<H: Accelerated> {
    pub(super) matrix: DeviceMatrix<Element>,
    /// The numbers of columns of the matrices.
    pub(super) widths: Vec<usize>,
    /// The number of salts behind each.
    pub(super) salts: usize,
    tree: DeviceTree<H::Engine>,
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
    /// Hashes the rows and builds the tree; small trees have no level so wide as the cap that is asked for.
    pub(super) fn new(
        engine: &Engine,
        matrix: DeviceMatrix<Element>,
        widths: Vec<usize>,
        cap_height: usize,
        salts: Option<&Salts>,
    ) -> Result<Self, Error> {
        let (matrix, salts) = match salts.filter(|salts| salts.count > 0) {
            Some(salts) => (salts.behind(engine, &matrix, &widths)?, salts.count),
            None => (matrix, 0),
        };
        let tree = engine.merkle_tree_of_rows::<H::Engine, _>(&matrix)?;
        let cap_height = (cap_height as u32).min(tree.depth());
        Ok(Self { matrix, widths, salts, tree, cap_height })
    }

    /// What is sent to the verifier.
    pub(super) fn cap(&self) -> Result<MerkleCap<Goldilocks, H::Digest>, Error> {
        Ok(MerkleCap::new(self.tree.cap(self.cap_height)?.digests().iter().map(H::digest).collect()))
    }

    /// Rows in the order asked for, of which some may be asked for more than once.
    pub(super) fn open(&self, rows: &[usize]) -> Result<OpenedRows<H>, Error> {
        let mut distinct = rows.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let siblings = self.tree.open_many_to_cap(&distinct, self.cap_height)?.siblings;
        let divide = |row: Vec<Element>| -> (Vec<_>, Vec<_>) {
            let mut rest = row.into_iter().map(from_engine);
            let mut take = |count| rest.by_ref().take(count).collect::<Vec<_>>();
            self.widths.iter().map(|&width| (take(width), take(self.salts))).unzip()
        };
        let (values, salts) = self.matrix.read_rows(rows)?.into_iter().map(divide).unzip();
        Ok(OpenedRows { values, salts, siblings: siblings.iter().map(H::digest).collect() })
    }
}
