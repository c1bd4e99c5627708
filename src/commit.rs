//! Commitment to an execution trace: extend, hash rows, build the tree.
//!
//! Each of the w columns of a trace of n rows is the values of a polynomial on the subgroup of order n. It is extended to
//! its values on the coset s H of the subgroup H of order b n (b the blow-up, s the shift); row i of the extension is the
//! w values at s g^i, in natural order; its hash is leaf i of a Merkle tree. For [`Rp64_256`](crate::hash::Rp64_256) and
//! the winterfell convention the root is that of winterfell's own trace commitment.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::backend::Accelerated;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::Hasher;
use crate::matrix::{Matrix, MatrixInput, MatrixRef, Shape};
use crate::merkle::{Cap, MerkleTree, MultiOpening};
use crate::ntt::{Convention, Lde};
use crate::operation::Purpose;
use crate::progress::Stage;
use crate::resident::{Cosets, DeviceMatrix, DeviceTree};

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

/// An extended trace and the Merkle tree over its rows, which a prover keeps. It lies where the engine worked, on a device in the
/// device's memory, and is opened there; copies in host memory are made on request. Clones share it.
#[derive(Clone, Debug)]
pub struct Commitment<H: Hasher> {
    extension: Cosets<Goldilocks>,
    tree: DeviceTree<H>,
    copies: Copies<H>,
}

/// Copies in host memory.
#[derive(Clone)]
struct Copies<H: Hasher> {
    extension: OnceLock<Arc<Matrix<Goldilocks>>>,
    tree: OnceLock<Arc<MerkleTree<H>>>,
}

/// Rows of an extended trace and their opening, which a prover sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowOpening<H: Hasher> {
    /// The entries of the opened rows, in ascending order of the rows' indices.
    pub rows: Vec<Vec<Goldilocks>>,
    /// The indices and the siblings.
    pub opening: MultiOpening<H>,
}

/// A trace, in host memory or where it stays; matrices of either kind, and references to them, convert by themselves.
#[derive(Debug)]
pub enum TraceInput<'a> {
    /// In host memory.
    Host(MatrixInput<'a, Goldilocks>),
    /// In an engine's memory.
    Resident(DeviceMatrix<Goldilocks>),
}

impl<'a, M: Into<MatrixInput<'a, Goldilocks>>> From<M> for TraceInput<'a> {
    fn from(trace: M) -> Self {
        Self::Host(trace.into())
    }
}

impl From<DeviceMatrix<Goldilocks>> for TraceInput<'_> {
    fn from(trace: DeviceMatrix<Goldilocks>) -> Self {
        Self::Resident(trace)
    }
}

impl From<&DeviceMatrix<Goldilocks>> for TraceInput<'_> {
    fn from(trace: &DeviceMatrix<Goldilocks>) -> Self {
        Self::Resident(trace.clone())
    }
}

impl Engine {
    /// Commits to a trace: a column a register, a row a step.
    ///
    /// The extension has the layout of the trace and takes 8 b n w bytes, the tree takes 64 b n. Rows of a row-major trace hash
    /// fastest.
    ///
    /// On a device with memory of its own, the trace is copied there, extension and tree stay there, and the root is copied back. Several devices make
    /// cosets of the extension and subtrees each, which stay where they are made, if all together are expected to end earlier than one; the trace is in host
    /// memory then and has at least as many rows as the blow-up.
    /// A commitment that exceeds the [device's budget](crate::EngineBuilder::device_memory), or for which the device has no
    /// memory left, is made in parts and lies in host memory, with the same root. In host memory an owned trace is consumed, and
    /// freed before the tree is built; a borrowed one is copied.
    ///
    /// [`Error::NotPowerOfTwo`] for the rows, errors of [`TraceSpec::lde`], [`Error::NotCanonical`], for a commitment in host
    /// memory [`Error::OverBudget`] and [`Error::HostOutOfMemory`], and on a device [`Error::DeviceFailed`].
    pub fn commit<'a, H: Accelerated>(
        &self,
        spec: &TraceSpec,
        trace: impl Into<TraceInput<'a>>,
    ) -> Result<Commitment<H>, Error> {
        match trace.into() {
            TraceInput::Host(trace) => {
                let (shape, view) = (trace.shape(), trace.view());
                let lde = spec.lde(shape.rows)?;
                let mut made = self.commit_by_cosets(&lde, view)?;
                if made.is_none() {
                    let purpose = Purpose::commitment::<H>(&lde, shape.columns);
                    made = self.commit_on_device(&lde, shape, || self.uploaded(view, &purpose))?;
                }
                let Some(commitment) = made else {
                    self.check_elements(view.base())?;
                    return self.commit_in_host_memory(&lde, trace);
                };
                self.let_go(trace);
                Ok(commitment)
            }
            TraceInput::Resident(trace) => {
                self.check_ours(&trace)?;
                let lde = spec.lde(trace.shape().rows)?;
                if let Some(view) = trace.as_host() {
                    return self.commit_in_host_memory(&lde, view.into());
                }
                match self.commit_on_device(&lde, trace.shape(), || Ok(Some(trace.clone())))? {
                    Some(commitment) => Ok(commitment),
                    None => self.commit_in_host_memory(&lde, self.download(&trace)?.into()),
                }
            }
        }
    }

    /// Commits to a trace that `values` brings to a device, and that is freed as soon as it is extended; `None` where there is no device
    /// that may hold the extension and its tree, or it has no memory left. The extension checks its own part of the budget.
    fn commit_on_device<H: Accelerated>(
        &self,
        lde: &Lde,
        shape: Shape,
        values: impl FnOnce() -> Result<Option<DeviceMatrix<Goldilocks>>, Error>,
    ) -> Result<Option<Commitment<H>>, Error> {
        let rows = lde.to().size();
        let required = memory_of::<Goldilocks>(rows, shape.columns);
        let required = required.saturating_add(memory_of::<H::Digest>(rows, 2));
        if self.device_budget().is_none_or(|budget| required > budget) {
            return Ok(None);
        }
        self.report(Stage::Extension, 0, 1);
        let commit = || {
            let Some(trace) = values()? else { return Ok(None) };
            let extension = self.lde(lde, trace)?;
            self.report(Stage::Extension, 1, 1);
            let tree = self.merkle_tree_of_rows(&extension)?;
            Ok(Some(Commitment { extension: extension.into(), tree, copies: Copies::default() }))
        };
        match commit() {
            Err(Error::DeviceOutOfMemory { .. } | Error::OverDeviceBudget { .. }) => Ok(None),
            done => done,
        }
    }

    /// Checks a trace and commits to it on several devices, which make cosets of the extension; `None` where one of them would do all of it, where no data stay
    /// on a device, and where one has no room for its part.
    fn commit_by_cosets<H: Accelerated>(
        &self,
        lde: &Lde,
        trace: MatrixRef<'_, Goldilocks>,
    ) -> Result<Option<Commitment<H>>, Error> {
        // Each subtree has leaves of each coset.
        if trace.shape().rows < lde.blowup() {
            return Ok(None);
        }
        let costs = |lde: &Lde, columns| Purpose::commitment::<H>(lde, columns).costs();
        let commit = || {
            let made = self.extended_by_cosets(lde, trace, costs, 0.0, size_of::<H::Digest>())?;
            let Some(extension) = made else { return Ok(None) };
            let tree = self.merkle_tree_of_rows(&extension)?;
            Ok(Some(Commitment { extension, tree, copies: Copies::default() }))
        };
        match commit() {
            Err(
                Error::DeviceOutOfMemory { .. } | Error::OverDeviceBudget { .. } | Error::OverBudget { .. },
            ) => Ok(None),
            done => done,
        }
    }

    /// Commits to a checked trace with extension and tree in host memory.
    fn commit_in_host_memory<H: Accelerated>(
        &self,
        lde: &Lde,
        trace: MatrixInput<'_, Goldilocks>,
    ) -> Result<Commitment<H>, Error> {
        let Shape { rows, columns, .. } = trace.shape();
        let extended = lde.to().size();
        let copied = trace.is_borrowed() as u64 * memory_of::<Goldilocks>(rows, columns);
        let extension = memory_of::<Goldilocks>(extended, columns);
        self.check_budget(copied.max(memory_of::<H::Digest>(extended, 2)).saturating_add(extension))?;
        let extension = self.extend(lde, trace, Vec::new())?;
        let tree =
            self.build_tree::<H>(extended, |leaves| self.hash_rows_into::<H, _>(extension.view(), leaves))?;
        let (extension, tree) = (DeviceMatrix::on_host(self, extension), DeviceTree::on_host(self, tree));
        Ok(Commitment { extension: extension.into(), tree, copies: Copies::default() })
    }
}

impl<H: Hasher> Commitment<H> {
    /// The root.
    pub fn root(&self) -> H::Digest {
        self.tree.root()
    }

    /// Rows, columns and layout of the extended trace.
    pub fn shape(&self) -> Shape {
        self.extension.shape()
    }

    /// The cap of a height, for a verifier; errors as [`DeviceTree::cap`].
    pub fn cap(&self, height: u32) -> Result<Cap<H>, Error> {
        self.tree.cap(height)
    }

    /// The extended trace, wherever it lies: whole, or in cosets on several devices.
    pub fn resident_extension(&self) -> &Cosets<Goldilocks> {
        &self.extension
    }

    /// The tree over its rows, wherever it lies.
    pub fn resident_tree(&self) -> &DeviceTree<H> {
        &self.tree
    }

    /// The extended trace in host memory. Data on a device are copied the first time, and the copy is kept: errors as
    /// [`Engine::download`].
    pub fn extension(&self) -> Result<MatrixRef<'_, Goldilocks>, Error> {
        match self.extension.as_host() {
            Some(view) => Ok(view),
            None => Ok(kept(&self.copies.extension, || self.extension.download())?.view()),
        }
    }

    /// The tree over its rows in host memory. Data on a device are copied the first time, and the copy is kept: errors as
    /// [`DeviceTree::download`].
    pub fn tree(&self) -> Result<&MerkleTree<H>, Error> {
        match self.tree.as_host() {
            Some(tree) => Ok(tree),
            None => kept(&self.copies.tree, || self.tree.download()),
        }
    }

    /// Opens rows of the extension against the root; errors as [`DeviceTree::open_many`].
    pub fn open(&self, rows: &[usize]) -> Result<RowOpening<H>, Error> {
        self.open_to_cap(rows, 0)
    }

    /// Opens rows of the extension against the cap of a height; errors as [`DeviceTree::open_many_to_cap`]. From a device only
    /// these rows and their siblings are copied.
    pub fn open_to_cap(&self, rows: &[usize], cap_height: u32) -> Result<RowOpening<H>, Error> {
        let opening = self.tree.open_many_to_cap(rows, cap_height)?;
        let rows = self.extension.read_rows(&opening.indices)?;
        Ok(RowOpening { rows, opening })
    }

    /// Checks an opening against this commitment's own root.
    pub fn verify(&self, opening: &RowOpening<H>) -> Result<(), Error> {
        opening.verify(&self.cap(0)?, self.shape().columns)
    }
}

/// The value of a cell, initialised if it is empty; of two concurrent initialisations one is kept.
fn kept<T>(cell: &OnceLock<Arc<T>>, make: impl FnOnce() -> Result<T, Error>) -> Result<&T, Error> {
    if cell.get().is_none() {
        let _ = cell.set(Arc::new(make()?));
    }
    Ok(cell.get().expect("set above, by this caller or another"))
}

impl<H: Hasher> Default for Copies<H> {
    fn default() -> Self {
        Self { extension: OnceLock::new(), tree: OnceLock::new() }
    }
}

impl<H: Hasher> fmt::Debug for Copies<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let made = (self.extension.get().is_some(), self.tree.get().is_some());
        f.debug_tuple("Copies").field(&made.0).field(&made.1).finish()
    }
}

impl<H: Hasher> RowOpening<H> {
    /// Checks the rows against a cap. The verifier specifies the number of columns, because the hash of a row of
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
