//! Digests that stay on the device: those of the rows of a matrix, and the leaves of a tree.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::{DeviceMatrix, DeviceTree, Location as OfMatrix};
use crate::backend::Accelerated;
use crate::checks;
use crate::dispatch::Stored;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::field::Field;
use crate::hash::{Digest, Hasher};
use crate::memory;
use crate::merkle::check_leaf_count;
use crate::operation::{
    Built, Digests, Each, Purpose, Subtree, download, hash_resident, in_turn, upload_digests,
};
use crate::progress::Stage;

/// Digests in an engine's memory, one or more. Clones share them.
#[derive(Clone)]
pub struct DeviceDigests<H: Hasher> {
    pub(super) engine: Engine,
    count: usize,
    pub(super) location: Location<H::Digest>,
}

/// The location of the digests; on a device they begin at a word.
#[derive(Clone)]
pub(super) enum Location<D> {
    Host(Arc<Vec<D>>),
    Device(Stored, usize),
}

impl<H: Hasher> DeviceDigests<H> {
    fn on_host(engine: &Engine, digests: Vec<H::Digest>) -> Self {
        let (count, location) = (digests.len(), Location::Host(Arc::new(digests)));
        Self { engine: engine.clone(), count, location }
    }

    /// Digests in a device's own memory, from a word on.
    pub(super) fn on_device(engine: &Engine, count: usize, stored: Stored, from: usize) -> Self {
        Self { engine: engine.clone(), count, location: Location::Device(stored, from) }
    }

    /// The number of digests.
    #[allow(clippy::len_without_is_empty, reason = "there is at least one")]
    pub fn len(&self) -> usize {
        self.count
    }

    /// The digests, if they are in host memory; see [`DeviceMatrix::as_host`].
    pub fn as_host(&self) -> Option<&[H::Digest]> {
        match &self.location {
            Location::Host(digests) => Some(digests),
            Location::Device(..) => None,
        }
    }

    /// A copy of some in host memory.
    ///
    /// [`Error::IndexOutOfRange`] past the last, [`Error::OverBudget`], [`Error::HostOutOfMemory`], and errors of the device.
    pub fn read(&self, range: Range<usize>) -> Result<Vec<H::Digest>, Error> {
        self.check_range(&range)?;
        self.engine.check_budget(memory_of::<H::Digest>(range.len(), 1))?;
        let mut digests = memory::zeroed::<H::Digest>(range.len())?;
        self.read_into(range.start, &mut digests)?;
        Ok(digests)
    }

    /// Copies digests, from one on, to memory that there is; errors as [`read`](Self::read).
    pub fn read_into(&self, start: usize, digests: &mut [H::Digest]) -> Result<(), Error> {
        let range = start..start.saturating_add(digests.len());
        self.check_range(&range)?;
        match &self.location {
            Location::Host(all) => memory::copy(&all[range], digests),
            Location::Device(stored, from) => {
                let from = from + words::<H>(start);
                self.engine.perform(download(stored, from, bytemuck::cast_slice_mut(digests)))?;
            }
        }
        Ok(())
    }

    /// What has those from a number on, and from which word on; `None` for what is in host memory.
    pub(super) fn run(&self, start: usize) -> Option<(&Stored, usize)> {
        match &self.location {
            Location::Host(_) => None,
            Location::Device(stored, from) => Some((stored, from + words::<H>(start))),
        }
    }

    fn check_range(&self, range: &Range<usize>) -> Result<(), Error> {
        match range.start <= range.end && range.end <= self.count {
            true => Ok(()),
            false => Err(Error::IndexOutOfRange { index: range.start.max(range.end), len: self.count }),
        }
    }
}

/// Words of so many digests.
fn words<H: Hasher>(digests: usize) -> usize {
    digests * size_of::<H::Digest>() / 8
}

/// [`Error::BadShape`] for no digests, [`Error::NotCanonical`].
fn check_digests<H: Hasher>(digests: &[H::Digest]) -> Result<(), Error> {
    match digests.is_empty() {
        true => Err(Error::BadShape { rows: 0, columns: words::<H>(1), entries: 0 }),
        false => checks::in_pieces(digests, 8, H::Digest::check),
    }
}

impl Engine {
    /// The digests of the rows of a matrix that stays, which stay where it is.
    ///
    /// [`Error::WrongEngine`], [`Error::OverDeviceBudget`], [`Error::DeviceOutOfMemory`], [`Error::DeviceFailed`]; on the host [`Error::OverBudget`] and
    /// [`Error::HostOutOfMemory`].
    pub fn digests_of_rows<H: Accelerated, E: Field>(
        &self,
        matrix: &DeviceMatrix<E>,
    ) -> Result<DeviceDigests<H>, Error> {
        self.check_ours(matrix)?;
        let rows = matrix.shape().rows;
        let OfMatrix::Device(stored) = &matrix.location else {
            return Ok(DeviceDigests::on_host(self, self.hash_rows::<H, _>(matrix)?));
        };
        self.report(Stage::Rows, 0, rows as u64);
        let heap = self.perform(hash_resident::<H>(stored, matrix.extent()))?;
        self.report(Stage::Rows, rows as u64, rows as u64);
        Ok(DeviceDigests::on_device(self, rows, heap, words::<H>(rows)))
    }

    /// Copies digests to the device, to stay there; where the host is the device a vector is moved.
    ///
    /// [`Error::BadShape`] for none, [`Error::NotCanonical`], [`Error::OverDeviceBudget`], [`Error::DeviceOutOfMemory`], [`Error::DeviceFailed`].
    pub fn upload_digests<'a, H: Accelerated>(
        &self,
        digests: impl Into<Cow<'a, [H::Digest]>>,
    ) -> Result<DeviceDigests<H>, Error> {
        self.uploaded_digests(digests.into(), false)
    }

    /// The same, or in host memory if the device has no room for them.
    pub fn upload_digests_if_they_fit<'a, H: Accelerated>(
        &self,
        digests: impl Into<Cow<'a, [H::Digest]>>,
    ) -> Result<DeviceDigests<H>, Error> {
        self.uploaded_digests(digests.into(), true)
    }

    fn uploaded_digests<H: Accelerated>(
        &self,
        digests: Cow<'_, [H::Digest]>,
        or_on_host: bool,
    ) -> Result<DeviceDigests<H>, Error> {
        let purpose = Purpose::tree::<H>(digests.len());
        let stored = self.run(|| {
            check_digests::<H>(&digests)?;
            upload_digests(self.dispatcher(), bytemuck::cast_slice(&digests), &purpose)
        });
        let stored = match stored {
            Err(error) if or_on_host && error.is_of_device_memory() => None,
            stored => stored?,
        };
        Ok(match stored {
            Some(stored) => DeviceDigests::on_device(self, digests.len(), stored, 0),
            None => DeviceDigests::on_host(self, digests.into_owned()),
        })
    }

    /// Keeps digests in host memory, whatever the device, as [`keep_in_host_memory`](Self::keep_in_host_memory).
    pub fn keep_digests_in_host_memory<H: Hasher>(
        &self,
        digests: Vec<H::Digest>,
    ) -> Result<DeviceDigests<H>, Error> {
        check_digests::<H>(&digests)?;
        Ok(DeviceDigests::on_host(self, digests))
    }

    /// The tree over runs of digests in turn, where they are: with P runs, from the digests numbered `starts` on, leaf P i + k is the i-th of run k. A single run is the leaves one after another.
    ///
    /// [`Error::NotPowerOfTwo`] for any other number of leaves, `count` of each run, [`Error::IndexOutOfRange`] for a run past the last digest, and errors as
    /// [`merkle_tree`](Self::merkle_tree) and [`upload_digests`](Self::upload_digests).
    ///
    /// ```
    /// use zkaccel::{Engine, hash::{Hasher, Rp64_256}, field::Goldilocks};
    /// let engine = Engine::new()?;
    /// let leaves: Vec<_> = (0..8).map(|i| Rp64_256::hash_elements(&[Goldilocks::new(i)])).collect();
    /// let [even, odd] = [0, 1].map(|first| leaves.iter().copied().skip(first).step_by(2));
    /// let digests = engine.upload_digests::<Rp64_256>(even.chain(odd).collect::<Vec<_>>())?;
    /// let tree = engine.merkle_tree_in_turn(&digests, &[0, 4], 4)?;
    /// assert_eq!(tree.root(), engine.merkle_tree::<Rp64_256>(&leaves)?.root());
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn merkle_tree_in_turn<H: Accelerated>(
        &self,
        digests: &DeviceDigests<H>,
        starts: &[usize],
        count: usize,
    ) -> Result<DeviceTree<H>, Error> {
        self.check_owner("digests", &digests.engine)?;
        starts.iter().try_for_each(|&start| digests.check_range(&(start..start.saturating_add(count))))?;
        let leaves = starts.len() * count;
        check_leaf_count(leaves)?;
        let (stored, from) = match &digests.location {
            Location::Host(all) => {
                let runs: Vec<_> = starts.iter().map(|&start| &all[start..start + count]).collect();
                let fill = |leaves: &mut [_]| {
                    in_turn(&runs, leaves);
                    Ok(())
                };
                return Ok(DeviceTree::on_host(self, self.build_tree::<H>(leaves, fill)?));
            }
            Location::Device(stored, from) => (stored, *from),
        };
        let run = |&start: &usize| Digests::Device(stored, from + words::<H>(start));
        let runs = starts.iter().map(run).collect();
        let subtree = Subtree::<H> { runs, count, approach: self.approach() };
        self.report(Stage::Tree, 0, 1);
        let built = self.perform(Each { calls: vec![(stored.member(), subtree)] })?;
        self.report(Stage::Tree, 1, 1);
        let tree = built.into_iter().map(|built| match built {
            Built::Device(heap, root) => DeviceTree::on_device(self, leaves, heap, root),
            Built::Host(tree) => DeviceTree::on_host(self, tree),
        });
        Ok(tree.last().expect("a tree"))
    }
}

impl<H: Hasher> fmt::Debug for DeviceDigests<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceDigests")
            .field("engine", &self.engine)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}
