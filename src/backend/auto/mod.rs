//! The CPU and another device, each doing what it is expected to do faster.
//!
//! ```text
//!  cost.rs   what operations cost on either, measured once per machine and kept on disk
//! ```

#[cfg(feature = "bn254")]
mod bn254;
mod cost;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use super::cpu::Cpu;
use super::{Accelerated, Backend, Clock, Hashing, Transforms};
use crate::choice::{Choice, Choices};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::merkle::Approach;
use crate::ntt::{Lde, Ntt};
use cost::{Cost, Kind, transform_work};

/// Two backends as one.
pub struct Auto {
    host: Cpu,
    device: Box<dyn Backend>,
    /// The device's name.
    name: String,
    /// What measurements depend on: processor, its instructions, device, driver.
    machine: Vec<String>,
    costs: Mutex<HashMap<(&'static str, &'static str), Cost>>,
    choices: Mutex<Choices>,
}

impl Auto {
    /// `device`, which has a name, beside `host`. Measurements hold for a `machine` of this description.
    pub(crate) fn new(host: Cpu, device: Box<dyn Backend>, name: String, machine: Vec<String>) -> Self {
        Self { host, device, name, machine, costs: Mutex::default(), choices: Mutex::default() }
    }

    /// The cost of an operation, measured at its first use.
    fn cost(&self, kind: &Kind) -> Result<Cost, Error> {
        let key = (kind.name, kind.hash);
        let known = lock(&self.costs).get(&key).copied();
        if let Some(cost) = known {
            return Ok(cost);
        }
        // Not under the lock: a thread that waits for others of its pool may begin another operation meanwhile.
        let threads = rayon::current_num_threads().to_string();
        let machine: Vec<_> = self.machine.iter().map(String::as_str).chain([threads.as_str()]).collect();
        let cost = kind.cost(&machine, &self.host, &*self.device)?;
        lock(&self.costs).insert(key, cost);
        Ok(cost)
    }

    /// The backend for an operation of this amount, whose work is known.
    fn choose(&self, kind: &Kind, amount: usize, work: [f64; 2]) -> Result<&dyn Backend, Error> {
        let [host, device] = self.cost(kind)?.expect(work).map(|ns| Duration::from_secs_f64(ns / 1e9));
        let on_host = host <= device;
        let (host, device) = (("cpu".to_owned(), host), (self.name.clone(), device));
        let (chosen, other) = if on_host { (host, device) } else { (device, host) };
        let choice = Choice { operation: kind.name, amount: amount as u64, unit: kind.unit, chosen, other };
        let mut choices = lock(&self.choices);
        match on_host {
            true => choices.on_cpu += 1,
            false => choices.on_device += 1,
        }
        match choices.last.iter_mut().find(|last| last.operation == kind.name) {
            Some(last) => *last = choice,
            None => choices.last.push(choice),
        }
        Ok(if on_host { &self.host } else { &*self.device })
    }
}

/// Nothing that can panic runs under these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Clock for Auto {
    fn device_time(&self) -> Option<Duration> {
        self.device.device_time()
    }

    fn choices(&self) -> Option<Choices> {
        Some(lock(&self.choices).clone())
    }
}

impl Transforms for Auto {
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
        let work = transform_work(data.len(), ntt.domain.log_size());
        self.choose(&cost::NTT, data.len(), work)?.ntt(ntt, data, width)
    }

    fn lde(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
    ) -> Result<(), Error> {
        let work = transform_work(output.len(), lde.from().log_size());
        self.choose(&cost::LDE, output.len(), work)?.lde(lde, input, width, output)
    }
}

impl<H: Accelerated> Hashing<H> for Auto {
    fn hash_rows(&self, matrix: &[Goldilocks], width: usize, digests: &mut [H::Digest]) -> Result<(), Error> {
        let backend = self.choose(&cost::rows::<H>(), matrix.len(), [matrix.len() as f64; 2])?;
        H::hashing(backend).hash_rows(matrix, width, digests)
    }

    fn hash_columns(
        &self,
        matrix: &[Goldilocks],
        degree: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        let backend = self.choose(&cost::rows::<H>(), matrix.len(), [matrix.len() as f64; 2])?;
        H::hashing(backend).hash_columns(matrix, degree, digests)
    }

    fn build_tree(&self, heap: &mut [H::Digest], approach: Approach) -> Result<(), Error> {
        let leaves = heap.len() / 2;
        let backend = self.choose(&cost::tree::<H>(), leaves, [leaves as f64; 2])?;
        H::hashing(backend).build_tree(heap, approach)
    }
}

#[cfg(test)]
mod tests {
    use super::cost::{Cost, NTT};
    use super::{Auto, Transforms, lock};
    use crate::backend::Clock;
    use crate::backend::cpu::Cpu;
    use crate::backend::reference::Reference;
    use crate::field::{Goldilocks, powers};
    use crate::ntt::{Convention, Domain, Ntt};

    /// Sizes on both sides of where the lines cross go to different devices, with the same result.
    #[test]
    fn the_expected_time_decides() {
        let auto = Auto::new(Cpu::default(), Box::new(Reference), "other".into(), Vec::new());
        // 10 ns a point and layer against 1000 ns to start and 1 ns a word: equal a little below 2^4 points.
        lock(&auto.costs).insert((NTT.name, NTT.hash), Cost { host: 10.0, start: 1000.0, device: 1.0 });
        for (log, device) in [(0, "cpu"), (3, "cpu"), (5, "other"), (10, "other")] {
            let ntt = Ntt::forward(Domain::new(log, Convention::Winterfell).unwrap());
            let mut data: Vec<_> = powers(Goldilocks::GENERATOR).take(1 << log).collect();
            let mut expected = data.clone();
            auto.ntt(&ntt, &mut data, 1).unwrap();
            Cpu::default().ntt(&ntt, &mut expected, 1).unwrap();
            assert_eq!(data, expected);
            let choices = auto.choices().unwrap();
            let [last] = &choices.last[..] else { panic!("{choices:?}") };
            assert_eq!((last.chosen.0.as_str(), last.amount), (device, 1 << log), "{last}");
            assert!(last.chosen.1 <= last.other.1);
        }
        let choices = auto.choices().unwrap();
        assert_eq!((choices.on_cpu, choices.on_device), (2, 2));
    }
}
