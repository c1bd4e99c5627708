//! The account of operations on data that stay: what moves is what is brought and what is asked for.

use super::Counted;
use crate::backend::{Accelerated, Extent, Memory, Residence, Resident, ResidentBackend, ResidentHashing};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::merkle::Approach;
use crate::ntt::{Lde, Ntt};
use crate::work::Operation;

impl Residence for Counted {
    fn resident(&self) -> Option<&dyn ResidentBackend> {
        self.backend.resident().map(|_| self as &dyn ResidentBackend)
    }
}

impl Counted {
    /// The backend's own; whoever calls these has asked [`resident`](Residence::resident) before.
    fn own(&self) -> &dyn ResidentBackend {
        self.backend.resident().expect("data stay only where a backend has memory of its own")
    }
}

impl Resident for Counted {
    fn budget(&self) -> u64 {
        self.own().budget()
    }

    fn upload(&self, words: &[Goldilocks]) -> Result<Memory, Error> {
        let size = Operation::UPLOAD.of(words.len(), size_of_val(words), 0);
        self.ledger.count(size, || self.own().upload(words))
    }

    fn download(&self, memory: &Memory, from: usize, data: &mut [u8]) -> Result<(), Error> {
        let size = Operation::DOWNLOAD.of(data.len() / 8, 0, data.len());
        self.ledger.count(size, || self.own().download(memory, from, data))
    }

    fn gather(&self, memory: &Memory, extent: Extent, rows: &[usize], data: &mut [u8]) -> Result<(), Error> {
        let size = Operation::GATHER.of(rows.len(), size_of_val(rows), data.len());
        self.ledger.count(size, || self.own().gather(memory, extent, rows, data))
    }

    fn ntt(&self, ntt: &Ntt, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        self.ledger.count(Operation::NTT.of(extent.words(), 0, 0), || self.own().ntt(ntt, matrix, extent))
    }

    fn lde(&self, lde: &Lde, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        let words = extent.words().saturating_mul(lde.blowup());
        self.ledger.count(Operation::LDE.of(words, 0, 0), || self.own().lde(lde, matrix, extent))
    }
}

impl<H: Accelerated> ResidentHashing<H> for Counted {
    fn hash_rows(&self, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        let size = Operation::ROWS.of(extent.words(), 0, 0);
        self.ledger.count(size, || H::resident_hashing(self.own()).hash_rows(matrix, extent))
    }

    fn build_tree(
        &self,
        heap: Memory,
        leaves: usize,
        approach: Approach,
    ) -> Result<(Memory, H::Digest), Error> {
        let size = Operation::TREE.of(leaves, 0, size_of::<H::Digest>());
        self.ledger.count(size, || H::resident_hashing(self.own()).build_tree(heap, leaves, approach))
    }
}
