//! Tables of transforms on the device: made there, and kept by what they hold.
//!
//! Those used last are kept, up to a number of bytes; a table that somebody uses lives on when it is no longer kept.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use super::Gpu;
use super::device::Device;
#[cfg(feature = "bn254")]
use super::fft;
use super::ntt;
use super::work::{Region, Work};
use crate::error::Error;
use crate::lock::lock;

/// What a table holds, as the key by which it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// Words of Goldilocks.
    Words(ntt::Contents),
    /// Twiddles of a prime field, by the field's modulus.
    #[cfg(feature = "bn254")]
    Twiddles(fft::TwiddlesKey),
}

/// A table that can be made on the device.
pub(super) trait Table {
    /// What it holds.
    fn key(&self) -> Key;

    /// Its words.
    fn words(&self) -> usize;

    /// Fills the memory of one.
    fn fill<D: Device>(&self, work: &mut Work<'_, D>, table: Region) -> Result<(), Error>;
}

/// A table that is kept.
struct Kept<B> {
    buffer: Arc<B>,
    bytes: u64,
    used: u64,
}

/// The tables that are kept, by what they hold.
pub(super) struct Tables<K, B> {
    kept: HashMap<K, Kept<B>>,
    bytes: u64,
    limit: u64,
    clock: u64,
}

impl<K: Copy + Eq + Hash, B> Tables<K, B> {
    /// None yet; at most `limit` bytes are kept.
    pub(super) fn new(limit: u64) -> Self {
        Self { kept: HashMap::new(), bytes: 0, limit, clock: 0 }
    }

    fn get(&mut self, contents: &K) -> Option<Arc<B>> {
        self.clock += 1;
        let kept = self.kept.get_mut(contents)?;
        kept.used = self.clock;
        Some(Arc::clone(&kept.buffer))
    }

    /// Keeps a table, if it fits, and drops those used longest ago to make room.
    fn put(&mut self, contents: K, buffer: Arc<B>, bytes: u64) {
        if bytes > self.limit {
            return;
        }
        self.clock += 1;
        if let Some(old) = self.kept.insert(contents, Kept { buffer, bytes, used: self.clock }) {
            self.bytes -= old.bytes;
        }
        self.bytes += bytes;
        while self.bytes > self.limit {
            let oldest = self.kept.iter().min_by_key(|(_, kept)| kept.used).map(|(contents, _)| *contents);
            let Some(dropped) = oldest.and_then(|contents| self.kept.remove(&contents)) else { return };
            self.bytes -= dropped.bytes;
        }
    }

    fn clear(&mut self) {
        self.kept.clear();
        self.bytes = 0;
    }
}

impl<D: Device> Gpu<D> {
    /// A table, made the first time.
    pub(super) fn table(&self, work: &mut Work<'_, D>, table: &impl Table) -> Result<Region, Error> {
        let tables = || lock(&self.tables);
        let (key, words) = (table.key(), table.words());
        let kept = tables().get(&key);
        let buffer = match kept {
            Some(buffer) => buffer,
            None => {
                // Made without the lock: two callers may make the same one, and either will do.
                let buffer = match self.make(table) {
                    Err(Error::DeviceOutOfMemory { .. }) => {
                        tables().clear();
                        self.make(table)?
                    }
                    made => made?,
                };
                let buffer = Arc::new(buffer);
                tables().put(key, Arc::clone(&buffer), 8 * words as u64);
                buffer
            }
        };
        Ok(work.share(buffer, words))
    }

    fn make(&self, table: &impl Table) -> Result<D::Buffer, Error> {
        let mut work = Work::new(self)?;
        let region = work.allocate(table.words())?;
        table.fill(&mut work, region)?;
        work.keep(region)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Tables;

    #[test]
    fn the_table_used_longest_ago_goes_first() {
        let mut tables = Tables::new(100);
        for number in 0..3 {
            tables.put(number, Arc::new(number), 30);
        }
        assert_eq!(tables.get(&0).as_deref(), Some(&0));
        tables.put(3, Arc::new(3), 30);
        assert!(tables.get(&1).is_none() && tables.bytes == 90);
        for number in [0, 2, 3] {
            assert_eq!(tables.get(&number).as_deref(), Some(&number));
        }
        // Two of the same, made at once, count once; one that is too large is not kept and drives nothing out.
        tables.put(3, Arc::new(3), 30);
        tables.put(4, Arc::new(4), 101);
        assert!(tables.get(&4).is_none() && tables.bytes == 90 && tables.kept.len() == 3);
        tables.put(5, Arc::new(5), 100);
        assert!(tables.bytes == 100 && tables.kept.len() == 1);
        tables.clear();
        assert!(tables.get(&5).is_none() && tables.bytes == 0);
    }
}
