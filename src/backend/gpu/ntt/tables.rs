//! Tables of powers on the device, made there, and kept by what they hold.
//!
//! Those used last are kept, up to a number of bytes; a table that somebody uses lives on when it is no longer kept.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::Gpu;
use super::super::device::{Arg, Device, Launch};
use super::super::program;
use super::super::work::{Region, Work};
use crate::error::Error;
use crate::field::{Goldilocks, powers};
use crate::lock::lock;

/// What a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Contents {
    Inner(Inner),
    Powers(Powers),
}

/// The factors between the layers of a tile, in the order in which `ntt_pass` wants them: layer 2 of three at (k1, rest, r), and the
/// last of three behind them at (k2, r); or the last of two at (k1, r).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Inner {
    /// Binary logarithms of the radices.
    pub(super) layers: [u32; 3],
    /// Of the order of the tile.
    pub(super) root: Goldilocks,
    /// Row s of layer 1 holds output `power_inverse` s, place r of a later layer digit `power_inverse` r.
    pub(super) power_inverse: u64,
}

/// Powers by position; the parameters of `ntt_fill` in `kernels/ntt_tables.cl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Powers {
    pub(super) base: Goldilocks,
    /// The factor from one replica's base to the next; of no account where there is one.
    pub(super) step: Goldilocks,
    pub(super) scale: Goldilocks,
    pub(super) log_i: u32,
    pub(super) log_j: u32,
    pub(super) i_low: bool,
    pub(super) i_reversed: bool,
    pub(super) j_reversed: bool,
    pub(super) log_replicas: u32,
    pub(super) replicas_reversed: bool,
    pub(super) log_tile: u32,
    pub(super) log_radix: u32,
}

impl Powers {
    /// Binary logarithm of the words of one replica.
    pub(super) fn log_period(&self) -> u32 {
        self.log_i + self.log_j
    }
}

impl Contents {
    fn words(&self) -> usize {
        match self {
            Self::Inner(inner) => inner.words().len().max(2),
            Self::Powers(powers) => 1 << (powers.log_period() + powers.log_replicas),
        }
    }
}

impl Inner {
    /// The table; empty for a single layer.
    fn words(&self) -> Vec<Goldilocks> {
        let [log1, log2, log3] = self.layers;
        if log2 == 0 {
            return Vec::new();
        }
        let size = 1u64 << (log1 + log2 + log3);
        let powers: Vec<_> = powers(self.root).take(size as usize).collect();
        let power = |e: u64| powers[(e % size) as usize];
        let digit = |place: u64, log: u32| place * self.power_inverse % (1 << log);
        let mut words = Vec::new();
        for q in 0..1u64 << (log1 + log3) {
            let (k1, rest) = (digit(q >> log3, log1), digit(q % (1 << log3), log3));
            words.extend((0..1 << log2).map(|r| power(k1 * ((digit(r, log2) << log3) + rest))));
        }
        if log3 > 0 {
            for k2 in 0..1u64 << log2 {
                words.extend((0..1 << log3).map(|r| power((k2 * digit(r, log3)) << log1)));
            }
        }
        words
    }
}

/// A table that is kept.
struct Kept<B> {
    buffer: Arc<B>,
    bytes: u64,
    used: u64,
}

/// The tables that are kept.
pub(in super::super) struct Tables<B> {
    kept: HashMap<Contents, Kept<B>>,
    bytes: u64,
    limit: u64,
    clock: u64,
}

impl<B> Tables<B> {
    /// None yet; at most `limit` bytes are kept.
    pub(in super::super) fn new(limit: u64) -> Self {
        Self { kept: HashMap::new(), bytes: 0, limit, clock: 0 }
    }

    fn get(&mut self, contents: &Contents) -> Option<Arc<B>> {
        self.clock += 1;
        let kept = self.kept.get_mut(contents)?;
        kept.used = self.clock;
        Some(Arc::clone(&kept.buffer))
    }

    /// Keeps a table, if it fits, and drops those used longest ago to make room.
    fn put(&mut self, contents: Contents, buffer: Arc<B>, bytes: u64) {
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

/// Fills a table of powers.
fn fill<D: Device>(work: &Work<'_, D>, table: Region, powers: &Powers) -> Launch<Region> {
    let words = Contents::Powers(*powers).words();
    assert!(table.words() >= words);
    let reversed = if powers.replicas_reversed { powers.log_replicas } else { 0 };
    let number = |number: u64| Arg::Word(number);
    let args = vec![
        Arg::Buffer(table, 0),
        number(words as u64),
        number(powers.base.as_u64()),
        number(powers.step.as_u64()),
        number(powers.scale.as_u64()),
        number(powers.log_period().into()),
        number(powers.log_i.into()),
        number(powers.log_j.into()),
        number(powers.i_low.into()),
        number(powers.i_reversed.into()),
        number(powers.j_reversed.into()),
        number(reversed.into()),
        number(powers.log_tile.into()),
        number(powers.log_radix.into()),
    ];
    // SAFETY: ntt_fill writes each of `words` words once, and the region has as many.
    unsafe { Launch::new(&program::NTT_TABLES, "ntt_fill", work.limits().grid(words), args) }
}

impl<D: Device> Gpu<D> {
    /// A table, made the first time.
    pub(super) fn table(&self, work: &mut Work<'_, D>, contents: Contents) -> Result<Region, Error> {
        let tables = || lock(&self.tables);
        let words = contents.words();
        let kept = tables().get(&contents);
        let buffer = match kept {
            Some(buffer) => buffer,
            None => {
                // Made without the lock: two callers may make the same one, and either will do.
                let buffer = match self.make(&contents) {
                    Err(Error::DeviceOutOfMemory { .. }) => {
                        tables().clear();
                        self.make(&contents)?
                    }
                    made => made?,
                };
                let buffer = Arc::new(buffer);
                tables().put(contents, Arc::clone(&buffer), 8 * words as u64);
                buffer
            }
        };
        Ok(work.share(buffer, words))
    }

    fn make(&self, contents: &Contents) -> Result<D::Buffer, Error> {
        let mut work = Work::new(self)?;
        let table = work.allocate(contents.words())?;
        match contents {
            Contents::Inner(inner) => work.upload(bytemuck::cast_slice(&inner.words()), table, 0)?,
            Contents::Powers(powers) => {
                let launch = fill(&work, table, powers);
                work.launch(&[launch])?;
            }
        }
        work.keep(table)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Contents, Powers, Tables};

    fn contents(log_j: u32) -> Contents {
        Contents::Powers(Powers { log_j, ..Powers::default() })
    }

    #[test]
    fn the_table_used_longest_ago_goes_first() {
        let mut tables = Tables::new(100);
        for number in 0..3 {
            tables.put(contents(number), Arc::new(number), 30);
        }
        assert_eq!(tables.get(&contents(0)).as_deref(), Some(&0));
        tables.put(contents(3), Arc::new(3), 30);
        assert!(tables.get(&contents(1)).is_none() && tables.bytes == 90);
        for number in [0, 2, 3] {
            assert_eq!(tables.get(&contents(number)).as_deref(), Some(&number));
        }
        // Two of the same, made at once, count once; one that is too large is not kept and drives nothing out.
        tables.put(contents(3), Arc::new(3), 30);
        tables.put(contents(4), Arc::new(4), 101);
        assert!(tables.get(&contents(4)).is_none() && tables.bytes == 90 && tables.kept.len() == 3);
        tables.put(contents(5), Arc::new(5), 100);
        assert!(tables.bytes == 100 && tables.kept.len() == 1);
        tables.clear();
        assert!(tables.get(&contents(5)).is_none() && tables.bytes == 0);
    }
}
