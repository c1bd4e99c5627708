//! Data that stay: on one of the devices with memory of their own, chosen when they are brought there. What is done with them is
//! done there too.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Member, Several, lock};
use crate::backend::{Accelerated, Extent, Memory, Residence, Resident, ResidentBackend, ResidentHashing};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::merkle::Approach;
use crate::ntt::{Lde, Ntt};

/// Memory of one of the devices.
struct Placed {
    member: usize,
    memory: Memory,
    _occupied: Occupied,
}

/// A part of what stays on a device.
struct Occupied {
    bytes: u64,
    resident: Arc<AtomicU64>,
}

impl Drop for Occupied {
    fn drop(&mut self) {
        self.resident.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Residence for Several {
    fn resident(&self) -> Option<&dyn ResidentBackend> {
        self.able().next().map(|_| self as &dyn ResidentBackend)
    }
}

impl Several {
    /// The devices with memory of their own.
    fn able(&self) -> impl Iterator<Item = (usize, &Member)> {
        self.members.iter().enumerate().filter(|(_, member)| member.counted.resident().is_some())
    }

    /// Counts words that stay on a device from now on, until what is made of it is dropped.
    fn occupy(&self, member: usize, words: usize) -> Occupied {
        let (resident, bytes) = (Arc::clone(&self.members[member].resident), 8 * words as u64);
        resident.fetch_add(bytes, Ordering::Relaxed);
        Occupied { bytes, resident }
    }

    /// Hands out memory of a device.
    fn place(&self, member: usize, memory: Memory, words: usize) -> Memory {
        Memory::new(Placed { member, memory, _occupied: self.occupy(member, words) })
    }

    /// The device with the fewest operations under way, and of several such the one on which least stays; the words that are coming
    /// count from now on, so that of many that ask at once each finds what the others were told.
    fn least_loaded(&self, words: usize) -> (usize, Occupied) {
        let _one_at_a_time = lock(&self.choosing);
        let load =
            |member: &Member| (member.counted.account().under_way, member.resident.load(Ordering::Relaxed));
        let (index, _) =
            self.able().min_by_key(|(_, member)| load(member)).expect("a device with memory of its own");
        (index, self.occupy(index, words))
    }

    /// What was handed out, and the device that it is on.
    fn find(&self, memory: &Memory) -> (Arc<Placed>, &dyn ResidentBackend) {
        let placed = memory.downcast::<Placed>().expect("memory that this backend handed out");
        let device = self.members[placed.member].counted.resident();
        (placed, device.expect("a device with memory of its own handed it out"))
    }
}

impl Resident for Several {
    /// The least of the devices, for any may be chosen.
    fn budget(&self) -> u64 {
        let budgets = self.able().filter_map(|(_, member)| Some(member.counted.resident()?.budget()));
        budgets.min().unwrap_or(0)
    }

    /// To the device with least to do.
    fn upload(&self, words: &[Goldilocks]) -> Result<Memory, Error> {
        let (member, occupied) = self.least_loaded(words.len());
        let memory = self.members[member].counted.upload(words)?;
        Ok(Memory::new(Placed { member, memory, _occupied: occupied }))
    }

    fn download(&self, memory: &Memory, from: usize, data: &mut [u8]) -> Result<(), Error> {
        let (placed, device) = self.find(memory);
        device.download(&placed.memory, from, data)
    }

    fn gather(&self, memory: &Memory, extent: Extent, rows: &[usize], data: &mut [u8]) -> Result<(), Error> {
        let (placed, device) = self.find(memory);
        device.gather(&placed.memory, extent, rows, data)
    }

    fn ntt(&self, ntt: &Ntt, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        let (placed, device) = self.find(matrix);
        Ok(self.place(placed.member, device.ntt(ntt, &placed.memory, extent)?, extent.words()))
    }

    fn lde(&self, lde: &Lde, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        let (placed, device) = self.find(matrix);
        let extended = device.lde(lde, &placed.memory, extent)?;
        Ok(self.place(placed.member, extended, extent.words() * lde.blowup()))
    }
}

impl<H: Accelerated> ResidentHashing<H> for Several {
    fn hash_rows(&self, matrix: &Memory, extent: Extent) -> Result<Memory, Error> {
        let (placed, device) = self.find(matrix);
        let heap = H::resident_hashing(device).hash_rows(&placed.memory, extent)?;
        Ok(self.place(placed.member, heap, 2 * extent.rows * size_of::<H::Digest>() / 8))
    }

    fn build_tree(
        &self,
        heap: Memory,
        leaves: usize,
        approach: Approach,
    ) -> Result<(Memory, H::Digest), Error> {
        let (placed, device) = self.find(&heap);
        // The device gives back the memory that it was given, which `heap` stands for.
        let (_, root) = H::resident_hashing(device).build_tree(placed.memory.clone(), leaves, approach)?;
        Ok((heap, root))
    }
}
