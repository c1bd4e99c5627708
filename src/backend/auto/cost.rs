//! What operations cost: a straight line for each device, through measurements on this machine.
//!
//! The CPU takes h ns for a unit of work. The other device takes s ns to start (copies, launches, levels of a tree that
//! are too narrow for it) and d ns for a unit of its own. Units differ: a transform of n points costs the CPU n log n,
//! but another device the transport of n words. The line holds well enough to say which is faster where it matters:
//! far from the crossing the answer is clear, and near it either will do.

use std::time::Instant;

use crate::backend::{Accelerated, Backend};
use crate::cache;
use crate::error::Error;
use crate::field::{Field, Goldilocks, powers};
use crate::merkle::Approach;
use crate::ntt::{Convention, Domain, Lde, Ntt};

/// Nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cost {
    /// For a unit of work on the CPU.
    pub(crate) host: f64,
    /// To start on the device.
    pub(crate) start: f64,
    /// For a unit of work on the device.
    pub(crate) device: f64,
}

/// An operation whose cost can be measured.
pub(super) struct Kind {
    /// Its name, unique among kinds together with the hash.
    pub(super) name: &'static str,
    /// The hash that it uses, or nothing.
    pub(super) hash: &'static str,
    /// What its amount counts.
    pub(super) unit: &'static str,
    /// Does the operation once, of size 2^log, and returns the work in units of the CPU's and of the device's.
    run: fn(&dyn Backend, u32) -> Result<[f64; 2], Error>,
}

pub(super) const NTT: Kind = Kind { name: "ntt", hash: "", unit: "words", run: run_ntt };
pub(super) const LDE: Kind = Kind { name: "lde", hash: "", unit: "words of output", run: run_lde };

/// Hashing rows with H.
pub(super) const fn rows<H: Accelerated>() -> Kind {
    Kind { name: "row hashing", hash: H::NAME, unit: "words", run: run_rows::<H> }
}

/// Merkle trees with H.
pub(super) const fn tree<H: Accelerated>() -> Kind {
    Kind { name: "merkle tree", hash: H::NAME, unit: "leaves", run: run_tree::<H> }
}

/// Work of a transform of so many words in columns of 2^`layers` points: the CPU's and the device's.
pub(super) fn transform_work(words: usize, layers: u32) -> [f64; 2] {
    [words as f64 * f64::from(layers.max(1)), words as f64]
}

fn data(len: usize) -> Vec<Goldilocks> {
    powers(Goldilocks::GENERATOR).take(len).collect()
}

fn run_ntt(backend: &dyn Backend, log: u32) -> Result<[f64; 2], Error> {
    let mut words = data(1 << log);
    backend.ntt(&Ntt::forward(Domain::new(log, Convention::Winterfell)?), &mut words, 1)?;
    Ok(transform_work(words.len(), log))
}

fn run_lde(backend: &dyn Backend, log: u32) -> Result<[f64; 2], Error> {
    // Four columns, extended eightfold.
    let log_rows = log.saturating_sub(5).max(1);
    let mut words = data(4 << log_rows);
    let mut output = vec![Goldilocks::ZERO; 32 << log_rows];
    let lde = Lde::onto_coset(log_rows, 8, Convention::Winterfell, Goldilocks::GENERATOR)?;
    backend.lde(&lde, &mut words, 4, &mut output)?;
    Ok(transform_work(output.len(), log_rows))
}

fn run_rows<H: Accelerated>(backend: &dyn Backend, log: u32) -> Result<[f64; 2], Error> {
    let width = 16;
    let rows = (1 << log) / width;
    let mut digests = vec![H::Digest::default(); rows];
    H::hashing(backend).hash_rows(&data(width * rows), width, &mut digests)?;
    Ok([(width * rows) as f64; 2])
}

fn run_tree<H: Accelerated>(backend: &dyn Backend, log: u32) -> Result<[f64; 2], Error> {
    let mut heap = vec![H::Digest::default(); 2 << log];
    H::hashing(backend).build_tree(&mut heap, Approach::Auto)?;
    Ok([f64::from(1u32 << log); 2])
}

/// Sizes that are tried, as logarithms: three orders of magnitude around any crossing.
const SMALLEST: u32 = 8;
const LARGEST: u32 = 20;

/// A size that takes this long says enough.
const ENOUGH_NS: f64 = 2e6;

impl Kind {
    /// The shortest of three runs: nanoseconds and units of work.
    fn time(&self, backend: &dyn Backend, log: u32) -> Result<(f64, [f64; 2]), Error> {
        let mut shortest = f64::INFINITY;
        let mut work = [0.0; 2];
        for _ in 0..3 {
            let start = Instant::now();
            work = (self.run)(backend, log)?;
            shortest = shortest.min(start.elapsed().as_nanos() as f64);
        }
        Ok((shortest, work))
    }

    /// Grows the size until a run takes long enough: time and work of the last.
    fn time_large(&self, backend: &dyn Backend) -> Result<(f64, [f64; 2]), Error> {
        let mut log = SMALLEST + 3;
        loop {
            let (ns, work) = self.time(backend, log)?;
            if ns >= ENOUGH_NS || log >= LARGEST {
                return Ok((ns, work));
            }
            log += 3;
        }
    }

    /// Measures the operation on both devices.
    pub(super) fn measure(&self, host: &dyn Backend, device: &dyn Backend) -> Result<Cost, Error> {
        let (host_ns, [host_work, _]) = self.time_large(host)?;
        let (small_ns, [_, small]) = self.time(device, SMALLEST)?;
        let (large_ns, [_, large]) = self.time_large(device)?;
        let slope = (large_ns - small_ns).max(0.0) / (large - small);
        Ok(Cost { host: host_ns / host_work, start: (small_ns - slope * small).max(0.0), device: slope })
    }

    /// The cost as measured on a machine: read where it was written before, else measured and written.
    pub(super) fn cost(
        &self,
        machine: &[&str],
        host: &dyn Backend,
        device: &dyn Backend,
    ) -> Result<Cost, Error> {
        let parts = [machine, &["cost", env!("CARGO_PKG_VERSION"), self.name, self.hash]].concat();
        let path = cache::path(&parts);
        if let Some(cost) = path.as_deref().and_then(cache::load).and_then(|bytes| Cost::decode(&bytes)) {
            return Ok(cost);
        }
        let cost = self.measure(host, device)?;
        if let Some(path) = path {
            cache::store(&path, &cost.encode());
        }
        Ok(cost)
    }
}

impl Cost {
    fn encode(&self) -> Vec<u8> {
        [self.host, self.start, self.device].iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let numbers: &[[u8; 8]; 3] = bytes.as_chunks().0.try_into().ok()?;
        let [host, start, device] = numbers.map(f64::from_le_bytes);
        let sound = [host, start, device].iter().all(|number| number.is_finite() && *number >= 0.0);
        (sound && bytes.len() == 24).then_some(Self { host, start, device })
    }

    /// Nanoseconds expected of the CPU and of the device.
    pub(super) fn expect(&self, [host, device]: [f64; 2]) -> [f64; 2] {
        [self.host * host, self.start + self.device * device]
    }
}

#[cfg(test)]
mod tests {
    use super::{Cost, NTT, tree};
    use crate::backend::cpu::Cpu;
    use crate::backend::reference::Reference;
    use crate::hash::Blake3;

    #[test]
    fn costs_survive_the_disk_and_damage_does_not() {
        let cost = Cost { host: 1.5, start: 2e4, device: 0.25 };
        assert_eq!(Cost::decode(&cost.encode()), Some(cost));
        let mut bytes = cost.encode();
        assert_eq!(Cost::decode(&bytes[..23]), None);
        bytes.push(0);
        assert_eq!(Cost::decode(&bytes), None);
        assert_eq!(Cost::decode(&Cost { start: f64::NAN, ..cost }.encode()), None);
        assert_eq!(Cost::decode(&Cost { start: -1.0, ..cost }.encode()), None);
    }

    /// The reference in the device's place is slower at every size, and so the measurement says.
    #[test]
    fn a_slow_device_is_seen_to_be_slow() {
        for kind in [&NTT, &tree::<Blake3>()] {
            let cost = kind.measure(&Cpu::default(), &Reference).unwrap();
            let [host, device] = cost.expect(super::transform_work(1 << 16, 16));
            assert!(host > 0.0 && device > 0.0, "{cost:?}");
        }
        let cost = NTT.measure(&Cpu::default(), &Reference).unwrap();
        let [host, device] = cost.expect(super::transform_work(1 << 18, 18));
        assert!(device > 2.0 * host, "{cost:?}");
    }
}
