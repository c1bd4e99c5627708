//! The options of an engine, and its construction: opening the device and starting threads.

use std::fmt;
use std::sync::Arc;

use rayon::ThreadPoolBuilder;

use crate::backend::cpu::{Cpu, Simd};
use crate::backend::gpu::{Device, Gpu};
use crate::backend::open::{Request, STACK, open};
use crate::device::{DeviceChoice, DeviceInfo, DeviceKind, Variable};
use crate::dispatch::Dispatcher;
use crate::engine::{Engine, Shared};
use crate::error::Error;
use crate::faults::Faults;
use crate::gate::Gate;
use crate::job_threads::JobThreads;
use crate::merkle::Approach;
use crate::policy::Policy;
use crate::progress::Progress;

/// A listener for the progress of long operations.
pub(crate) type Listener = Arc<dyn Fn(Progress) + Send + Sync>;

/// Options of an engine; [`build`](Self::build) makes it.
#[derive(Clone, Default)]
#[must_use]
pub struct EngineBuilder {
    pub(crate) device: DeviceChoice,
    /// The source of the device's name, if it is not the caller.
    named_by: Option<Variable>,
    policy: Policy,
    weights: Option<Vec<usize>>,
    threads: Option<usize>,
    simd: Option<Simd>,
    approach: Approach,
    check_answers: bool,
    memory_budget: Option<u64>,
    device_memory: Option<u64>,
    progress: Option<Listener>,
    faults: Option<Faults>,
}

impl EngineBuilder {
    /// The device, or several ([`DeviceChoice::several`]); by default [`DeviceChoice::Auto`].
    pub fn device(self, device: DeviceChoice) -> Self {
        Self { device, named_by: None, ..self }
    }

    /// The device, or several, that the environment variable `ZKACCEL_DEVICE` names; where it is unset or empty, the builder is
    /// unchanged. Errors about such a device, here and from [`build`](Self::build), name the variable.
    ///
    /// [`Error::UnknownName`] for anything that is not the name of a device.
    pub fn device_from_environment(self) -> Result<Self, Error> {
        Ok(match Variable::Device.read()? {
            // The device that `auto` chooses has not been named, or is named by a variable of its own.
            Some(DeviceChoice::Auto) => self.device(DeviceChoice::Auto),
            Some(device) => Self { device, named_by: Some(Variable::Device), ..self },
            None => self,
        })
    }

    /// Several devices, over which work is divided; a list of one is that device.
    pub fn devices(self, devices: &[DeviceChoice]) -> Self {
        self.device(DeviceChoice::several(devices))
    }

    /// Whether the work is to be done by GPUs or processors ([`policy`](crate::policy)); by default [`Policy::Any`].
    pub fn policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Divides every operation among several devices in proportion to these weights, which repeat, however small it is and however long each takes: for tests of programs. By default all end together, and what
    /// one device does as early it does alone. Without a weight above 0 nothing changes.
    pub fn weights(self, weights: Vec<usize>) -> Self {
        Self { weights: Some(weights).filter(|weights| weights.iter().any(|&weight| weight > 0)), ..self }
    }

    /// The number of threads that compute; by default `RAYON_NUM_THREADS`, if that is set, or else all that the system grants. Jobs ([`Job`](crate::Job)) have as many
    /// additional threads, which wait for these.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: Some(threads), ..self }
    }

    /// The vector instructions of the CPU device. By default those that the environment variable `ZKACCEL_SIMD` names
    /// (`portable`, `neon`, `avx2`, `avx512` or `avx512ifma`), and without it the best that the machine has.
    pub fn simd(self, simd: Simd) -> Self {
        Self { simd: Some(simd), ..self }
    }

    /// How a GPU builds trees; by default [`Approach::Auto`]. The host has a single approach.
    pub fn approach(self, approach: Approach) -> Self {
        Self { approach, ..self }
    }

    /// Tests every answer of the device, cheaply and at random, before it is used: [`Error::CheckFailed`] where the test fails.
    /// For transforms the test is a proof but for one case in about 2^64 / n; rows, trees and sums are tested in samples. For
    /// devices that are not trusted, such as a provider's library. The tests take memory beyond the budget, as much as the data,
    /// and data that stay between operations are kept in host memory.
    pub fn check_answers(self, check_answers: bool) -> Self {
        Self { check_answers, ..self }
    }

    /// The most bytes of host memory that one operation may allocate, its result included. By default the machine's memory.
    pub fn memory_budget(self, bytes: u64) -> Self {
        Self { memory_budget: Some(bytes), ..self }
    }

    /// The most bytes of its own memory that a device may spend on one operation, its inputs and its result included, where the
    /// device has memory of its own; for several devices, the limit of each. By default half of the device's memory, and never
    /// more than its driver grants in one allocation.
    ///
    /// Operations on host data that would take more are done in parts, with the same results. Matrices that would have to stay on
    /// the device are refused: [`Error::OverDeviceBudget`]. Data that stay there count towards each operation that uses them.
    pub fn device_memory(self, bytes: u64) -> Self {
        Self { device_memory: Some(bytes), ..self }
    }

    /// Faults of the engine's devices that have memory of their own ([`faults`](crate::faults)); by default none.
    pub fn faults(self, faults: &Faults) -> Self {
        Self { faults: Some(faults.clone()), ..self }
    }

    /// A function that is called with the progress of long operations: extensions, transforms in place, hashing of rows, trees, checks of
    /// bases, and sums. An operation on a device with memory of its own tells only its start and its end. It is called from the engine's
    /// threads, during the operation, and must not wait for other work of the engine.
    pub fn on_progress(self, listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self { progress: Some(Arc::new(listener)), ..self }
    }

    /// The engine; [`Error::DeviceMissing`], also for vector instructions that the machine lacks, [`Error::UnknownName`]
    /// for an unknown level in the environment, [`Error::DriverTooOld`], [`Error::BadDevices`] for a list that
    /// contradicts itself, [`Error::PolicyUnmet`] and [`Error::PolicyContradicted`], or [`Error::BadThreadCount`].
    pub fn build(self) -> Result<Engine, Error> {
        let cpu = Cpu::new(self.simd.map_or_else(Simd::from_environment, Ok)?)?;
        let opened = open(Request {
            choice: self.device,
            policy: self.policy,
            on_host: &cpu,
            device_memory: self.device_memory,
            threads: self.requested_threads()?,
            weights: self.weights.clone(),
            faults: self.faults.clone(),
        });
        let (dispatcher, device) = match self.named_by {
            None => opened?,
            Some(variable) => {
                let (dispatcher, device) = opened.map_err(|error| variable.blame(error))?;
                let reason = format!("{} by {}", device.reason, variable.name());
                (dispatcher, DeviceInfo { reason, ..device })
            }
        };
        let dispatcher = if self.check_answers { dispatcher.testing_answers() } else { dispatcher };
        self.build_on(dispatcher, device)
    }

    /// The number of threads, if it is plausible.
    fn requested_threads(&self) -> Result<usize, Error> {
        let all = || match std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok()) {
            Some(threads) if threads > 0 => threads,
            _ => std::thread::available_parallelism().map_or(1, |n| n.get()),
        };
        let threads = self.threads.unwrap_or_else(all);
        // More threads than this are implausible, and each costs address space before it does any work.
        match (1..=4096).contains(&threads) {
            true => Ok(threads),
            false => Err(Error::BadThreadCount { threads, reason: "expected from 1 to 4096".into() }),
        }
    }

    /// An engine on a device that somebody else has made, for tests of what runs on it.
    #[doc(hidden)]
    pub fn build_on_device(self, device: crate::sync::Arc<dyn Device>) -> Result<Engine, Error> {
        let info = device.info().clone();
        self.build_on(Dispatcher::alone(Gpu::new(device, None)), info)
    }

    /// The engine on opened devices.
    pub(crate) fn build_on(self, dispatcher: Dispatcher, device: DeviceInfo) -> Result<Engine, Error> {
        let requested = self.requested_threads()?;
        let host = device.kind == DeviceKind::Cpu && device.driver.is_none();
        let threads = if self.device == DeviceChoice::Reference { 1 } else { requested };
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("zkaccel-{i}"))
            .stack_size(STACK)
            .build()
            .map_err(|error| Error::BadThreadCount { threads: requested, reason: error.to_string() })?;
        let device = DeviceInfo { units: if host { threads } else { device.units }, ..device };
        let memory_budget = self.memory_budget.or_else(crate::memory::installed);
        // What is particular to this engine is not asked of others.
        let asked = EngineBuilder {
            device: self.device,
            policy: self.policy,
            simd: self.simd,
            check_answers: self.check_answers,
            weights: self.weights,
            ..EngineBuilder::default()
        };
        // Twice as many as there are threads, so that a thread that has finished finds the next operation waiting.
        let gate = Arc::new(Gate::new(2 * threads));
        let jobs = JobThreads::new(threads, Arc::clone(&gate));
        let shared =
            Shared { dispatcher, pool, gate, jobs, device, asked, memory_budget, progress: self.progress };
        Ok(Engine::of(shared, self.approach))
    }
}

impl fmt::Debug for EngineBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { device, policy, threads, simd, approach, check_answers, .. } = self;
        let mut debug = f.debug_struct("EngineBuilder");
        debug.field("device", device).field("policy", policy).field("threads", threads).field("simd", simd);
        debug.field("approach", approach).field("check_answers", check_answers);
        debug.field("memory_budget", &self.memory_budget).field("device_memory", &self.device_memory);
        debug.finish_non_exhaustive()
    }
}
