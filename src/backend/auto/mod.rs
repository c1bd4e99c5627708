//! The CPU and another device, each doing what it is expected to do faster by what operations cost on either (`cost.rs`), or the
//! device whatever it offers, where a GPU is preferred.

#[cfg(feature = "bn254")]
mod bn254;

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use super::cost::{self, Cost, Kind, transform_work};
use super::counted::Counted;
use super::cpu::Cpu;
use super::{
    Accelerated, Backend, Check, Clock, Hashing, HostMemory, Residence, ResidentBackend, Transforms,
};
use crate::choice::{Choice, Choices};
use crate::device::Bandwidths;
use crate::error::Error;
use crate::field::Goldilocks;
use crate::lock::lock;
use crate::merkle::Approach;
use crate::ntt::{Lde, Ntt};
use crate::pinned::Locked;
use crate::work::DeviceWork;

/// Two backends as one.
pub struct Auto {
    host: Counted,
    device: Counted,
    /// What measurements depend on: processor and its instructions, then device and driver.
    machine: Vec<String>,
    /// Whether the device does all that it offers, measured or not.
    prefers_device: bool,
    costs: Mutex<HashMap<(&'static str, &'static str), Cost>>,
    choices: Mutex<Choices>,
}

impl Auto {
    /// `device`, which has a name, beside `host`. Measurements hold for a `machine` of this description.
    pub(crate) fn new(host: Cpu, device: Box<dyn Backend>, name: String, machine: Vec<String>) -> Self {
        Self {
            host: Counted::new(Box::new(host), "cpu".into()),
            device: Counted::new(device, name),
            machine,
            prefers_device: false,
            costs: Mutex::default(),
            choices: Mutex::default(),
        }
    }

    /// The device does all that it offers, and the CPU the rest.
    pub(crate) fn preferring_the_device(self) -> Self {
        Self { prefers_device: true, ..self }
    }

    /// The cost of an operation, measured at its first use.
    fn cost(&self, kind: &Kind) -> Result<Cost, Error> {
        let key = (kind.name, kind.hash);
        let known = lock(&self.costs).get(&key).cloned();
        if let Some(cost) = known {
            return Ok(cost);
        }
        // Not under the lock: a thread that waits for others of its pool may begin another operation meanwhile.
        let threads = rayon::current_num_threads().to_string();
        let machine: Vec<_> =
            [threads.as_str()].into_iter().chain(self.machine.iter().map(String::as_str)).collect();
        // The processor's curve does not depend on what stands beside it.
        let processor = &machine[..machine.len().min(2)];
        let cost = Cost {
            host: kind.curve(processor, self.host.uncounted(), 0)?,
            device: kind.curve(&machine, self.device.uncounted(), 1)?,
        };
        lock(&self.costs).insert(key, cost.clone());
        Ok(cost)
    }

    /// Whether an operation of this amount, whose work is known, is for the device; notes the choice.
    fn is_for_device(&self, kind: &Kind, amount: usize, work: [f64; 2]) -> Result<bool, Error> {
        if self.prefers_device {
            lock(&self.choices).on_device += 1;
            return Ok(true);
        }
        let expected = self.cost(kind)?.expect(work);
        Ok(self.on_device(kind.name, (amount, kind.unit), expected))
    }

    /// The backend for such an operation.
    fn choose(&self, kind: &Kind, amount: usize, work: [f64; 2]) -> Result<&dyn Backend, Error> {
        Ok(if self.is_for_device(kind, amount, work)? { &self.device } else { &self.host })
    }

    /// Whether the device is expected to end first; notes the choice. Times are the CPU's and the device's, in nanoseconds.
    fn on_device(
        &self,
        operation: &'static str,
        (amount, unit): (usize, &'static str),
        ns: [f64; 2],
    ) -> bool {
        let [host, device] = ns.map(|ns| Duration::from_secs_f64(ns / 1e9));
        let on_device = device < host;
        let (host, device) = (("cpu".to_owned(), host), (self.device.device().to_owned(), device));
        let (chosen, other) = if on_device { (device, host) } else { (host, device) };
        let choice = Choice { operation, amount: amount as u64, unit, chosen, other };
        let mut choices = lock(&self.choices);
        match on_device {
            true => choices.on_device += 1,
            false => choices.on_cpu += 1,
        }
        match choices.last.iter_mut().find(|last| last.operation == operation) {
            Some(last) => *last = choice,
            None => choices.last.push(choice),
        }
        on_device
    }
}

impl Clock for Auto {
    fn device_time(&self) -> Option<Duration> {
        self.device.device_time()
    }

    fn choices(&self) -> Option<Choices> {
        Some(lock(&self.choices).clone())
    }

    fn replays(&self) -> Option<u64> {
        self.device.replays()
    }

    fn bandwidths(&self) -> Result<Option<Bandwidths>, Error> {
        self.device.bandwidths()
    }

    fn work(&self) -> Vec<DeviceWork> {
        vec![self.host.account(), self.device.account()]
    }
}

impl HostMemory for Auto {
    fn lock(&self, bytes: usize) -> Result<Option<Locked>, Error> {
        self.device.lock(bytes)
    }
}

impl Auto {
    fn for_ntt(&self, ntt: &Ntt, data: &[Goldilocks]) -> Result<&dyn Backend, Error> {
        self.choose(&cost::NTT, data.len(), transform_work(data.len(), ntt.domain.log_size()))
    }

    fn for_lde(&self, lde: &Lde, output: &[Goldilocks]) -> Result<&dyn Backend, Error> {
        self.choose(&cost::LDE, output.len(), transform_work(output.len(), lde.from().log_size()))
    }

    fn for_rows<H: Accelerated>(&self, matrix: &[Goldilocks]) -> Result<&dyn Hashing<H>, Error> {
        self.choose(&cost::rows::<H>(), matrix.len(), [matrix.len() as f64; 2]).map(H::hashing)
    }

    fn for_tree<H: Accelerated>(&self, leaves: usize) -> Result<&dyn Hashing<H>, Error> {
        self.choose(&cost::tree::<H>(), leaves, [leaves as f64; 2]).map(H::hashing)
    }
}

impl Transforms for Auto {
    fn ntt(&self, ntt: &Ntt, data: &mut [Goldilocks], width: usize) -> Result<(), Error> {
        self.for_ntt(ntt, data)?.ntt(ntt, data, width)
    }

    fn ntt_checked(
        &self,
        ntt: &Ntt,
        data: &mut [Goldilocks],
        width: usize,
        check: Check<'_, Goldilocks>,
    ) -> Result<(), Error> {
        self.for_ntt(ntt, data)?.ntt_checked(ntt, data, width, check)
    }

    fn lde(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
    ) -> Result<(), Error> {
        self.for_lde(lde, output)?.lde(lde, input, width, output)
    }

    fn lde_checked(
        &self,
        lde: &Lde,
        input: &mut [Goldilocks],
        width: usize,
        output: &mut [Goldilocks],
        check: Check<'_, Goldilocks>,
    ) -> Result<(), Error> {
        self.for_lde(lde, output)?.lde_checked(lde, input, width, output, check)
    }
}

impl<H: Accelerated> Hashing<H> for Auto {
    fn hash_rows(&self, matrix: &[Goldilocks], width: usize, digests: &mut [H::Digest]) -> Result<(), Error> {
        self.for_rows::<H>(matrix)?.hash_rows(matrix, width, digests)
    }

    fn hash_columns(
        &self,
        matrix: &[Goldilocks],
        degree: usize,
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        self.for_rows::<H>(matrix)?.hash_columns(matrix, degree, digests)
    }

    fn hash_columns_from(
        &self,
        matrix: &[Goldilocks],
        degree: usize,
        rows: (usize, usize),
        digests: &mut [H::Digest],
    ) -> Result<(), Error> {
        self.for_rows::<H>(matrix)?.hash_columns_from(matrix, degree, rows, digests)
    }

    fn build_tree(&self, heap: &mut [H::Digest], approach: Approach) -> Result<(), Error> {
        self.for_tree::<H>(heap.len() / 2)?.build_tree(heap, approach)
    }

    fn build_tree_over(
        &self,
        leaves: &[H::Digest],
        heap: &mut [H::Digest],
        approach: Approach,
        check: Check<'_, H::Digest>,
    ) -> Result<(), Error> {
        self.for_tree::<H>(leaves.len())?.build_tree_over(leaves, heap, approach, check)
    }

    fn build_levels(
        &self,
        leaves: &[H::Digest],
        levels: &mut [&mut [H::Digest]],
        approach: Approach,
    ) -> Result<(), Error> {
        self.for_tree::<H>(leaves.len())?.build_levels(leaves, levels, approach)
    }

    /// As if extension, rows and tree were made apart: the copies between them, which a commitment on the device
    /// spares, stay in the account, in the CPU's favour.
    fn commits_on_device(&self, lde: &Lde, columns: usize) -> Result<bool, Error> {
        if self.prefers_device {
            lock(&self.choices).on_device += 1;
            return Ok(true);
        }
        let (leaves, words) = (lde.to().size(), lde.to().size() * columns);
        let parts = [
            self.cost(&cost::LDE)?.expect(transform_work(words, lde.from().log_size())),
            self.cost(&cost::rows::<H>())?.expect([words as f64; 2]),
            self.cost(&cost::tree::<H>())?.expect([leaves as f64; 2]),
        ];
        let ns = parts.iter().fold([0.0; 2], |[host, device], part| [host + part[0], device + part[1]]);
        Ok(self.on_device("commitment", (leaves, "rows"), ns))
    }
}

impl Residence for Auto {
    fn resident(&self) -> Option<&dyn ResidentBackend> {
        self.device.resident()
    }
}

#[cfg(test)]
mod tests {
    use super::super::cost::{Cost, Curve, NTT};
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
        // 10 ns a point and layer, against 1000 ns until 1000 words are reached and then 1 ns a word: equal between 2^4 and 2^5 points.
        let (host, device) = (vec![[1.0, 10.0]], vec![[1000.0, 1000.0]]);
        let cost = Cost { host: Curve::through(host), device: Curve::through(device) };
        lock(&auto.costs).insert((NTT.name, NTT.hash), cost);
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
        let [cpu, other] = &auto.work()[..] else { panic!("an account for each") };
        assert_eq!(cpu.of("ntt").map(|line| (line.calls, line.items)), Some((2, 9)));
        assert_eq!(other.of("ntt").map(|line| (line.calls, line.items)), Some((2, 1056)));
    }

    /// Nothing is measured, and everything that the device offers is its.
    #[test]
    fn a_preferred_device_does_it_all() {
        let auto = Auto::new(Cpu::default(), Box::new(Reference), "other".into(), Vec::new());
        let auto = auto.preferring_the_device();
        let mut data = [Goldilocks::new(3)];
        let ntt = Ntt::forward(Domain::new(0, Convention::Winterfell).unwrap());
        auto.ntt(&ntt, &mut data, 1).unwrap();
        let [cpu, other] = &auto.work()[..] else { panic!("an account for each") };
        assert_eq!((cpu.operations.len(), other.of("ntt").map(|line| line.calls)), (0, Some(1)));
        assert_eq!(auto.choices().unwrap().on_device, 1);
    }
}
