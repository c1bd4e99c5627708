//! Commitment to an execution trace: extend, hash rows, build the tree.
//!
//! Each of the w columns of a trace of n rows is the values of a polynomial on the subgroup of order n. It is extended to
//! its values on the coset s H of the subgroup H of order b n (b the blow-up, s the shift); row i of the extension is the
//! w values at s g^i, in natural order; its hash is leaf i of a Merkle tree. For [`Rp64_256`](crate::hash::Rp64_256) and
//! the winterfell convention the root is that of winterfell's own trace commitment.

use crate::backend::Accelerated;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::Hasher;
use crate::matrix::{Matrix, MatrixInput, MatrixRef};
use crate::merkle::{Cap, MerkleTree, MultiOpening};
use crate::ntt::{Convention, Lde};
use crate::progress::Stage;

/// How a trace is extended: blow-up, convention and shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceSpec {
    /// Rows of the extension for each row of the trace: a power of two of at least 2.
    pub blowup: u64,
    /// Which roots of unity generate the domains.
    pub convention: Convention,
    /// The shift of the coset; not zero.
    pub shift: Goldilocks,
}

impl Default for TraceSpec {
    /// Blow-up 8, the winterfell convention, shift 7.
    fn default() -> Self {
        Self { blowup: 8, convention: Convention::Winterfell, shift: Goldilocks::GENERATOR }
    }
}

impl TraceSpec {
    /// The extension of a trace of `rows` rows; [`Error::NotPowerOfTwo`], [`Error::BadBlowup`], [`Error::BadShift`] or
    /// [`Error::DomainTooLarge`].
    pub fn lde(&self, rows: usize) -> Result<Lde, Error> {
        if !rows.is_power_of_two() {
            return Err(Error::NotPowerOfTwo { what: "rows of the trace", found: rows });
        }
        Lde::onto_coset(rows.trailing_zeros(), self.blowup, self.convention, self.shift)
    }
}

/// An extended trace and the Merkle tree over its rows: what a prover keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commitment<H: Hasher> {
    extension: Matrix<Goldilocks>,
    tree: MerkleTree<H>,
}

/// Rows of an extended trace and their opening: what a prover sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowOpening<H: Hasher> {
    /// The entries of the opened rows, in ascending order of the rows' indices.
    pub rows: Vec<Vec<Goldilocks>>,
    /// The indices and the siblings.
    pub opening: MultiOpening<H>,
}

impl Engine {
    /// Commits to a trace: a column a register, a row a step.
    ///
    /// An owned trace is used up, and freed before the tree is built; a borrowed one is copied. The extension has the
    /// layout of the trace and takes 8 b n w bytes, the tree takes 64 b n. Rows of a row-major trace hash fastest.
    ///
    /// [`Error::NotPowerOfTwo`] for the rows, errors of [`TraceSpec::lde`], [`Error::NotCanonical`],
    /// [`Error::OverBudget`], [`Error::HostOutOfMemory`].
    pub fn commit<'a, H: Accelerated>(
        &self,
        spec: &TraceSpec,
        trace: impl Into<MatrixInput<'a, Goldilocks>>,
    ) -> Result<Commitment<H>, Error> {
        let trace = trace.into();
        let shape = trace.shape();
        let lde = spec.lde(shape.rows)?;
        let rows = lde.to().size();
        let tree = memory_of::<H::Digest>(rows, 2);
        self.check_budget(tree.saturating_add(memory_of::<Goldilocks>(rows, shape.columns)))?;
        self.report(Stage::Extension, 0, 1);
        let extension = self.lde(&lde, trace)?;
        self.report(Stage::Extension, 1, 1);
        let tree =
            self.build_tree::<H>(rows, |leaves| self.hash_rows_into::<H, _>(extension.view(), leaves))?;
        Ok(Commitment { extension, tree })
    }
}

impl<H: Hasher> Commitment<H> {
    /// The root.
    pub fn root(&self) -> H::Digest {
        self.tree.root()
    }

    /// The cap of a height, for a verifier; [`Error::CapTooHigh`] above the leaves.
    pub fn cap(&self, height: u32) -> Result<Cap<H>, Error> {
        self.tree.cap(height)
    }

    /// The extended trace.
    pub fn extension(&self) -> MatrixRef<'_, Goldilocks> {
        self.extension.view()
    }

    /// The tree over its rows.
    pub fn tree(&self) -> &MerkleTree<H> {
        &self.tree
    }

    /// Opens rows of the extension against the root; errors as [`MerkleTree::open_many`].
    pub fn open(&self, rows: &[usize]) -> Result<RowOpening<H>, Error> {
        self.open_to_cap(rows, 0)
    }

    /// Opens rows of the extension against the cap of a height; errors as [`MerkleTree::open_many_to_cap`].
    pub fn open_to_cap(&self, rows: &[usize], cap_height: u32) -> Result<RowOpening<H>, Error> {
        let opening = self.tree.open_many_to_cap(rows, cap_height)?;
        let rows = opening.indices.iter().map(|&index| self.extension.row(index)).collect();
        Ok(RowOpening { rows, opening })
    }

    /// Checks an opening against this commitment's own root.
    pub fn verify(&self, opening: &RowOpening<H>) -> Result<(), Error> {
        opening.verify(&self.cap(0)?, self.extension.shape().columns)
    }
}

impl<H: Hasher> RowOpening<H> {
    /// Checks the rows against a cap. The verifier says how many columns the trace has, because the hash of a row of
    /// eight words is also the hash of two digests.
    ///
    /// [`Error::LengthMismatch`] for rows of another width, else as [`Cap::verify_many`].
    pub fn verify(&self, cap: &Cap<H>, columns: usize) -> Result<(), Error> {
        for row in &self.rows {
            if row.len() != columns {
                let what = "entries of an opened row";
                return Err(Error::LengthMismatch { what, expected: columns, found: row.len() });
            }
            Goldilocks::check_canonical(row)?;
        }
        let leaves: Vec<_> = self.rows.iter().map(|row| H::hash_elements(row)).collect();
        cap.verify_many(&leaves, &self.opening)
    }
}
