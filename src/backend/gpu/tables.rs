//! Tables of transforms, computed on the device and cached there by their contents.
//!
//! The most recently used tables are cached, up to a number of bytes; a table in use lives on when it leaves the cache.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use super::Gpu;
use super::device::Buffer;
#[cfg(feature = "bn254")]
use super::fft;
use super::ntt;
use super::session::{Region, Session};
use crate::error::Error;
use crate::lock::lock;

/// The contents of a table, as its key in the cache.
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
    /// Its contents.
    fn key(&self) -> Key;

    /// The number of its words.
    fn words(&self) -> usize;

    /// Fills the memory of the table.
    fn fill(&self, session: &mut Session<'_>, table: Region) -> Result<(), Error>;
}

/// A cached table.
struct Cached<B> {
    buffer: Arc<B>,
    bytes: u64,
    used: u64,
}

/// The cached tables, by their contents.
pub(super) struct Tables<K, B> {
    kept: HashMap<K, Cached<B>>,
    bytes: u64,
    limit: u64,
    clock: u64,
}

impl<K: Copy + Eq + Hash, B> Tables<K, B> {
    /// An empty cache of at most `limit` bytes.
    pub(super) fn new(limit: u64) -> Self {
        Self { kept: HashMap::new(), bytes: 0, limit, clock: 0 }
    }

    fn get(&mut self, contents: &K) -> Option<Arc<B>> {
        self.clock += 1;
        let kept = self.kept.get_mut(contents)?;
        kept.used = self.clock;
        Some(Arc::clone(&kept.buffer))
    }

    /// Caches a table, if it fits, and drops the least recently used to make room.
    fn put(&mut self, contents: K, buffer: Arc<B>, bytes: u64) {
        if bytes > self.limit {
            return;
        }
        self.clock += 1;
        if let Some(old) = self.kept.insert(contents, Cached { buffer, bytes, used: self.clock }) {
            self.bytes -= old.bytes;
        }
        self.bytes += bytes;
        while self.bytes > self.limit {
            let oldest = self.kept.iter().min_by_key(|(_, kept)| kept.used).map(|(contents, _)| *contents);
            let Some(dropped) = oldest.and_then(|contents| self.kept.remove(&contents)) else { return };
            self.bytes -= dropped.bytes;
        }
    }

    /// Drops all tables. Those in use live on.
    pub(super) fn clear(&mut self) {
        self.kept.clear();
        self.bytes = 0;
    }
}

impl Gpu {
    /// A table, computed the first time.
    pub(super) fn table(&self, session: &mut Session<'_>, table: &impl Table) -> Result<Region, Error> {
        let tables = || lock(&self.tables);
        let (key, words) = (table.key(), table.words());
        let kept = tables().get(&key);
        let buffer = match kept {
            Some(buffer) => buffer,
            None => {
                // Computed without the lock: two callers may compute the same table, and either is valid.
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
        Ok(session.share(buffer, words))
    }

    fn make(&self, table: &impl Table) -> Result<Buffer, Error> {
        let mut session = Session::new(self)?;
        let region = session.allocate(table.words())?;
        table.fill(&mut session, region)?;
        session.keep(region)
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
        // The order is that of the last use, of tables that were put there as well.
        tables.put(6, Arc::new(6), 30);
        tables.put(7, Arc::new(7), 30);
        assert!(tables.get(&0).is_none() && tables.get(&2).is_none() && tables.bytes == 90);
        assert!(tables.get(&6).is_some() && tables.get(&3).is_some() && tables.get(&7).is_some());
        // Two equal tables, computed at once, count once; one that is too large is not cached and evicts nothing.
        tables.put(3, Arc::new(3), 30);
        tables.put(4, Arc::new(4), 101);
        assert!(tables.get(&4).is_none() && tables.bytes == 90 && tables.kept.len() == 3);
        tables.put(5, Arc::new(5), 100);
        assert!(tables.bytes == 100 && tables.kept.len() == 1);
        tables.clear();
        assert!(tables.get(&5).is_none() && tables.bytes == 0);
    }
}
