//! A matrix that stays in the engine's memory, which several devices may have in parts, and the tree over its rows.

use winter_air::proof::Queries;
use winter_crypto::{BatchMerkleProof, MerkleTree};
use winter_math::FieldElement;
use winter_math::fields::f64::BaseElement;
use zkaccel::field::Goldilocks as Element;
use zkaccel::matrix::Shape;
use zkaccel::merkle::{MerkleTree as EngineTree, MultiOpening};
use zkaccel::resident::{Cosets, DeviceTree};
use zkaccel::{Engine, Error};

use super::domains::{natural, same_columns};
use super::extension::from_engine;
use crate::hashes::Accelerated;

/// A matrix of which the rows are committed to.
pub(super) struct Commitment<H: Accelerated> {
    pub(super) matrix: Cosets<Element>,
    tree: Tree<H>,
}

enum Tree<H: Accelerated> {
    Resident(DeviceTree<H::Engine>),
    /// Over the digests of rows that were hashed in partitions.
    Host(EngineTree<H::Engine>),
}

/// Opened rows, and what leads from all of them to the root.
pub(super) type Opened<H> = (Vec<Vec<BaseElement>>, BatchMerkleProof<H>);

impl<H: Accelerated> Commitment<H> {
    /// Hashes the rows and builds the tree.
    pub(super) fn new(engine: &Engine, matrix: impl Into<Cosets<Element>>) -> Result<Self, Error> {
        let matrix = matrix.into();
        let tree = Tree::Resident(engine.merkle_tree_of_rows::<H::Engine, _>(&matrix)?);
        Ok(Self { matrix, tree })
    }

    /// The same with rows that are hashed in partitions of so many words.
    pub(super) fn in_partitions(
        engine: &Engine,
        matrix: Cosets<Element>,
        width: usize,
    ) -> Result<Self, Error> {
        let Shape { rows, columns, .. } = matrix.shape();
        let hash = |start: usize| {
            let partition = same_columns(start..columns.min(start + width))?;
            let partition = engine.run_program(&partition, natural(rows), &[&matrix], &[])?;
            engine.hash_rows::<H::Engine, _>(&partition)
        };
        let digests = (0..columns).step_by(width).map(hash).collect::<Result<Vec<_>, _>>()?;
        let tree = Tree::Host(engine.merkle_tree(&H::merge_partitions(engine, &digests)?)?);
        Ok(Self { matrix, tree })
    }

    /// The tree in host memory.
    pub(super) fn host_tree(&self) -> Result<crate::tree::Tree<H>, Error> {
        Ok(match &self.tree {
            Tree::Resident(tree) => crate::tree::Tree::from_engine(&tree.download()?),
            Tree::Host(tree) => crate::tree::Tree::from_engine(tree),
        })
    }

    /// What is sent to the verifier.
    pub(super) fn root(&self) -> H::Digest {
        H::from_engine(&match &self.tree {
            Tree::Resident(tree) => tree.root(),
            Tree::Host(tree) => tree.root(),
        })
    }

    /// Distinct rows, in the order asked for.
    pub(super) fn open(&self, rows: &[usize]) -> Result<Opened<H>, Error> {
        let (opening, depth) = match &self.tree {
            Tree::Resident(tree) => (tree.open_many(rows)?, tree.depth()),
            Tree::Host(tree) => (tree.open_many(rows)?, tree.depth()),
        };
        let values = self.matrix.read_rows(rows)?;
        let values = values.into_iter().map(|row| row.into_iter().map(from_engine).collect());
        Ok((values.collect(), batch_proof::<H>(&opening, depth)))
    }

    /// The same as a part of a proof, for rows of elements.
    pub(super) fn queries<E: FieldElement<BaseField = BaseElement>>(
        &self,
        rows: &[usize],
    ) -> Result<Queries, Error> {
        let (values, proof) = self.open(rows)?;
        let values = values.iter().map(|row| E::slice_from_base_elements(row).to_vec()).collect();
        Ok(Queries::new::<H, E, MerkleTree<H>>(proof, values))
    }
}

/// The siblings as winterfell sorts them: of level after level, each goes to the list whose number is that of its position among those known in the level. Of
/// two known siblings, none goes anywhere. The lists are as many as pairs of leaves.
fn batch_proof<H: Accelerated>(opening: &MultiOpening<H::Engine>, depth: u32) -> BatchMerkleProof<H> {
    let mut siblings = opening.siblings.iter().map(H::from_engine);
    let mut positions = opening.indices.clone();
    let mut nodes: Vec<Vec<H::Digest>> = Vec::new();
    for level in 0..depth {
        let (mut parents, mut next) = (Vec::new(), 0);
        while let Some(&position) = positions.get(next) {
            let both = positions.get(next + 1) == Some(&(position ^ 1));
            if level == 0 {
                nodes.push(Vec::new());
            }
            if !both {
                let list = if level == 0 { parents.len() } else { next };
                nodes[list].push(siblings.next().expect("as many siblings as are unknown"));
            }
            parents.push(position / 2);
            next += 1 + both as usize;
        }
        positions = parents;
    }
    BatchMerkleProof { nodes, depth: depth as u8 }
}
