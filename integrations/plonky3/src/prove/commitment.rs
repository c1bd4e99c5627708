//! A matrix that stays in the engine's memory, and the tree over its rows.

use p3_commit::Mmcs as P3Mmcs;
use p3_goldilocks::Goldilocks;
use p3_merkle_tree::MerkleCap;
use zkaccel::field::Goldilocks as Element;
use zkaccel::resident::{DeviceMatrix, DeviceTree};
use zkaccel::{Engine, Error};

use crate::elements::from_engine;
use crate::hashes::Accelerated;

/// A matrix of which the rows are committed to.
pub(super) struct Commitment<H: Accelerated> {
    pub(super) matrix: DeviceMatrix<Element>,
    tree: DeviceTree<H::Engine>,
    cap_height: u32,
}

/// Opened rows, and the siblings that lead from all of them to the cap.
pub(super) type Opened<H> =
    (Vec<Vec<Goldilocks>>, <<H as Accelerated>::Stock as P3Mmcs<Goldilocks>>::MultiProof);

impl<H: Accelerated> Commitment<H> {
    /// Hashes the rows and builds the tree; small trees have no level so wide as the cap that is asked for.
    pub(super) fn new(
        engine: &Engine,
        matrix: DeviceMatrix<Element>,
        cap_height: usize,
    ) -> Result<Self, Error> {
        let tree = engine.merkle_tree_of_rows::<H::Engine, _>(&matrix)?;
        let cap_height = (cap_height as u32).min(tree.depth());
        Ok(Self { matrix, tree, cap_height })
    }

    /// What is sent to the verifier.
    pub(super) fn cap(&self) -> Result<MerkleCap<Goldilocks, H::Digest>, Error> {
        Ok(MerkleCap::new(self.tree.cap(self.cap_height)?.digests().iter().map(H::digest).collect()))
    }

    /// Rows in the order asked for, of which some may be asked for more than once.
    pub(super) fn open(&self, rows: &[usize]) -> Result<Opened<H>, Error> {
        let mut distinct = rows.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let siblings = self.tree.open_many_to_cap(&distinct, self.cap_height)?.siblings;
        let values = self.matrix.read_rows(rows)?;
        let values = values.into_iter().map(|row| row.into_iter().map(from_engine).collect());
        Ok((values.collect(), H::pruned(siblings.iter().map(H::digest).collect())))
    }
}
