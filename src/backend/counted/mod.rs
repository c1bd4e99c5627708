//! Any backend with an account of its work ([`work`](crate::work)): every device of an engine is inside one of these.

#[cfg(feature = "bn254")]
mod bn254;
mod residence;

use std::time::Duration;

use super::{Accelerated, Backend, Check, Clock, Hashing, HostMemory, Transforms};
use crate::choice::Choices;
use crate::device::Bandwidths;
use crate::error::Error;
use crate::field::Goldilocks;
use crate::merkle::Approach;
use crate::ntt::{Lde, Ntt};
use crate::pinned::Locked;
use crate::work::{DeviceWork, Ledger, Operation, Size};

/// A backend whose operations are counted.
pub(crate) struct Counted {
    backend: Box<dyn Backend>,
    ledger: Ledger,
}

impl Counted {
    /// Counts the operations of a backend, which is the device of this name.
    pub(crate) fn new(backend: Box<dyn Backend>, device: String) -> Self {
        Self { backend, ledger: Ledger::new(device) }
    }

    /// The backend itself, for measurements, which are not its work.
    pub(crate) fn uncounted(&self) -> &dyn Backend {
        &*self.backend
    }

    /// The device's name.
    pub(crate) fn device(&self) -> &str {
        self.ledger.device()
    }

    /// The account so far.
    pub(crate) fn account(&self) -> DeviceWork {
        self.ledger.read()
    }
}

impl Clock for Counted {
    fn device_time(&self) -> Option<Duration> {
        self.backend.device_time()
    }

    fn choices(&self) -> Option<Choices> {
        self.backend.choices()
    }

    fn replays(&self) -> Option<u64> {
        self.backend.replays()
    }

    fn bandwidths(&self) -> Result<Option<Bandwidths>, Error> {
        self.backend.bandwidths()
    }

    fn work(&self) -> Vec<DeviceWork> {
        vec![self.account()]
    }
}

impl HostMemory for Counted {
    fn lock(&self, bytes: usize) -> Result<Option<Locked>, Error> {
        self.backend.lock(bytes)
    }
}

fn ntt_size(data: &[Goldilocks]) -> Size {
    Operation::NTT.of(data.len(), size_of_val(data), size_of_val(data))
}

fn lde_size(input: &[Goldilocks], output: &[Goldilocks]) -> Size {
    Operation::LDE.of(output.len(), size_of_val(input), size_of_val(output))
}

fn rows_size<D>(matrix: &[Goldilocks], digests: &[D]) -> Size {
    Operation::ROWS.of(matrix.len(), size_of_val(matrix), size_of_val(digests))
}

fn tree_size<D>(leaves: usize) -> Size {
    Operation::TREE.of(leaves, leaves * size_of::<D>(), leaves.saturating_sub(1) * size_of::<D>())
}

impl Transforms for Counted {
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
        self.ledger.count(ntt_size(data), || self.backend.ntt(ntt, data, width))
    }

    fn ntt_checked(
        &self,
        ntt: &Ntt,
        data: &mut [Goldilocks],
        width: usize,
        check: Check<'_, Goldilocks>,
    ) -> Result<(), Error> {
        self.ledger.count(ntt_size(data), || self.backend.ntt_checked(ntt, data, width, check))
    }

    fn lde(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
    ) -> Result<(), Error> {
        self.ledger.count(lde_size(input, output), || self.backend.lde(lde, input, width, output))
    }

    fn lde_checked(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
        check: Check<'_, Goldilocks>,
    ) -> Result<(), Error> {
        self.ledger
            .count(lde_size(input, output), || self.backend.lde_checked(lde, input, width, output, check))
    }
}

impl<H: Accelerated> Hashing<H> for Counted {
    fn hash_rows(&self, matrix: &[Goldilocks], width: usize, digests: &mut [H::Digest]) -> Result<(), Error> {
        let hashing = H::hashing(&*self.backend);
        self.ledger.count(rows_size(matrix, digests), || hashing.hash_rows(matrix, width, digests))
    }

    fn hash_columns(
        &self,
        matrix: &[Goldilocks],
        degree: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        let hashing = H::hashing(&*self.backend);
        self.ledger.count(rows_size(matrix, digests), || hashing.hash_columns(matrix, degree, digests))
    }

    fn hash_columns_from(
        &self,
        matrix: &[Goldilocks],
        degree: usize,
        (rows, from): (usize, usize),
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        let words = matrix.len() / rows * digests.len();
        let size = Operation::ROWS.of(words, 8 * words, size_of_val(digests));
        let hashing = H::hashing(&*self.backend);
        self.ledger.count(size, || hashing.hash_columns_from(matrix, degree, (rows, from), digests))
    }

    fn build_tree(&self, heap: &mut [H::Digest], approach: Approach) -> Result<(), Error> {
        let hashing = H::hashing(&*self.backend);
        self.ledger.count(tree_size::<H::Digest>(heap.len() / 2), || hashing.build_tree(heap, approach))
    }

    fn commits_on_device(&self, lde: &Lde, columns: usize) -> Result<bool, Error> {
        H::hashing(&*self.backend).commits_on_device(lde, columns)
    }

    fn build_tree_over(
        &self,
        leaves: &[H::Digest],
        heap: &mut [H::Digest],
        approach: Approach,
        check: Check<'_, H::Digest>,
    ) -> Result<(), Error> {
        let hashing = H::hashing(&*self.backend);
        self.ledger.count(tree_size::<H::Digest>(leaves.len()), || {
            hashing.build_tree_over(leaves, heap, approach, check)
        })
    }

    fn build_levels(
        &self,
        leaves: &[H::Digest],
        levels: &mut [&mut [H::Digest]],
        approach: Approach,
    ) -> Result<(), Error> {
        let hashing = H::hashing(&*self.backend);
        self.ledger
            .count(tree_size::<H::Digest>(leaves.len()), || hashing.build_levels(leaves, levels, approach))
    }
}
