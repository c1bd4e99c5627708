//! The options of commands that compute, and the engine built from them.

use std::fmt;

use serde::{Deserialize, Serialize};
use zkaccel::Engine;
use zkaccel::device::{DeviceChoice, DeviceInfo, devices};
use zkaccel::policy::Policy;
use zkaccel::work::DeviceWork;
use zkaccel_cluster::Local;

use crate::failure::Failure;
use crate::output;
use crate::parse;
use crate::watch::Watch;

/// The devices, threads and memory of a command.
#[derive(Clone, clap::Args)]
pub(crate) struct EngineOptions {
    #[arg(long, value_name = "DEVICE", help = device_help())]
    device: Option<DeviceChoice>,

    /// Which kind of device must or should do the work
    #[arg(long, value_name = "POLICY", default_value_t, value_parser = parse::one_of::<Policy>())]
    policy: Policy,

    /// Test every answer of the device, cheaply and at random, before it is used
    #[arg(long)]
    check: bool,

    /// The number of CPU threads [default: RAYON_NUM_THREADS if it is set, else all]
    #[arg(long, value_name = "N", value_parser = parse::number::<usize>)]
    threads: Option<usize>,

    /// The most host memory that a matrix or one operation may take, in bytes, or with K, M, G or T for powers of 1024
    /// [default: all of the machine's]
    #[arg(long, value_name = "BYTES", value_parser = parse::bytes)]
    memory: Option<u64>,

    /// The most memory of its own that each GPU may use for one operation, in bytes, or with K, M, G or T for powers of 1024; an
    /// operation that needs more is done in parts [default: half of the GPU's memory]
    #[arg(long, value_name = "BYTES", value_parser = parse::bytes)]
    device_memory: Option<u64>,
}

/// The help of `--device`.
fn device_help() -> String {
    format!(
        "The device: {}. `zkaccel devices` lists those that are present; provider:<path> is a shared library with zkaccel's C \
         interface, and reference the textbook algorithms on one thread, which are very slow. Several devices share the work \
         [default: the device that the environment variable {} names, else auto]",
        DeviceChoice::forms().join(", "),
        DeviceChoice::VARIABLE
    )
}

impl EngineOptions {
    /// The engine, with a watch as its listener if there is one.
    pub(crate) fn build(&self, watch: Option<&Watch>) -> Result<Engine, Failure> {
        let builder = match self.device {
            Some(device) => Engine::builder().device(device),
            None => Engine::builder().device_from_environment()?,
        };
        let builder = builder.policy(self.policy).check_answers(self.check);
        let builder = watch.into_iter().fold(builder, |builder, watch| builder.on_progress(watch.listener()));
        let builder = self.threads.into_iter().fold(builder, |builder, n| builder.threads(n));
        let builder = self.memory.into_iter().fold(builder, |builder, bytes| builder.memory_budget(bytes));
        let builder =
            self.device_memory.into_iter().fold(builder, |builder, bytes| builder.device_memory(bytes));
        Ok(builder.build()?)
    }

    /// Whether the number of threads is left to [`of_rank`](Self::of_rank).
    pub(crate) fn has_threads_of_rank(&self) -> bool {
        self.threads.is_none()
    }

    /// The same options for one of several processes of a host, which are to share its devices and processors: unless it is said otherwise, the GPU of its number, going round, or where there is none
    /// its share of the processors.
    pub(crate) fn of_rank(&self, Local { rank, threads, .. }: Local) -> Self {
        let is_named = self.device.is_some() || std::env::var_os(DeviceChoice::VARIABLE).is_some();
        let gpus = match is_named {
            true => 0,
            false => devices().iter().filter(|device| device.id.starts_with("cuda:")).count(),
        };
        let device = match (is_named, gpus) {
            (true, _) => self.device,
            (false, 0) => Some(DeviceChoice::Cpu),
            (false, gpus) => Some(DeviceChoice::Cuda((rank % gpus) as u32)),
        };
        Self { device, threads: self.threads.or(Some(threads)), ..self.clone() }
    }

    /// The same options for each of the devices alone; for every device of the machine where none is named.
    pub(crate) fn each(&self) -> Result<Vec<Self>, Failure> {
        let named = match self.device {
            Some(device) => Some(device),
            None => match std::env::var(DeviceChoice::VARIABLE) {
                Ok(name) if !name.is_empty() => Some(name.parse()?),
                _ => None,
            },
        };
        let alone = match named {
            Some(DeviceChoice::Several(list)) => list.to_vec(),
            Some(one) => vec![one],
            None => vec![DeviceChoice::Cpu, DeviceChoice::AllCuda, DeviceChoice::AllOpenCl],
        };
        let present = devices();
        let mut each = Vec::new();
        for device in alone {
            let kind = device.to_string();
            match device {
                DeviceChoice::AllCuda | DeviceChoice::AllOpenCl => {
                    let ids = present.iter().map(|found| &found.id);
                    let ids = ids.filter(|id| id.split(':').next() == Some(kind.as_str()));
                    let before = each.len();
                    each.extend(ids.map(|id| id.parse()).collect::<Result<Vec<DeviceChoice>, _>>()?);
                    // One that was asked for must be there: building an engine says what is missing.
                    if each.len() == before && named.is_some() {
                        each.push(device);
                    }
                }
                one => each.push(one),
            }
        }
        if let Some(twice) = (1..each.len()).find(|&i| each[..i].contains(&each[i])) {
            return Err(Failure::new(format_args!(
                "--each: {} is listed twice, expected it once",
                each[twice]
            )));
        }
        Ok(each.into_iter().map(|device| Self { device: Some(device), ..self.clone() }).collect())
    }

    /// The most bytes that an input may take in memory.
    pub(crate) fn input_limit(&self, engine: &Engine) -> u64 {
        self.memory.or(engine.device().memory).unwrap_or(u64::MAX)
    }
}

/// The device that did the work, with the reason for its choice.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DeviceUsed {
    id: String,
    description: String,
    threads: usize,
    reason: String,
    /// The choices of `auto` for each kind of operation, with their reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    choices: Vec<String>,
    /// The work of each device.
    work: Vec<DeviceTotals>,
}

/// The work of a device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DeviceTotals {
    device: String,
    operations: Vec<Operation>,
}

/// The work of a device of one kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Operation {
    operation: String,
    calls: u64,
    failures: u64,
    items: u64,
    unit: String,
    bytes_in: u64,
    bytes_out: u64,
    seconds: f64,
    #[serde(skip)]
    line: String,
}

/// The work of each device of an engine so far.
pub(crate) fn work_of(engine: &Engine) -> Vec<DeviceTotals> {
    let of_device = |DeviceWork { device, operations, .. }| DeviceTotals {
        device,
        operations: operations
            .into_iter()
            .map(|line| Operation {
                operation: line.operation.into(),
                calls: line.calls,
                failures: line.failures,
                items: line.items,
                unit: line.unit.into(),
                bytes_in: line.bytes_in,
                bytes_out: line.bytes_out,
                seconds: output::seconds(line.time),
                line: line.to_string(),
            })
            .collect(),
    };
    engine.work().into_iter().map(of_device).collect()
}

impl fmt::Display for DeviceTotals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self.operations.iter().map(|operation| operation.line.as_str()).collect();
        let lines = if lines.is_empty() { "nothing".into() } else { lines.join("; ") };
        write!(f, "{}: {lines}", self.device)
    }
}

impl DeviceUsed {
    /// The device of an engine that has done its work.
    pub(crate) fn of(engine: &Engine) -> Self {
        let DeviceInfo { id, description, units: threads, reason, .. } = engine.device().clone();
        let choices = engine.choices().unwrap_or_default().last.iter().map(ToString::to_string).collect();
        Self { id, description, threads, reason, choices, work: work_of(engine) }
    }
}

impl DeviceUsed {
    /// Which device it is, in a few words.
    pub(crate) fn name(&self) -> String {
        format!("{} ({})", self.id, self.description)
    }

    /// The work of each of several devices; none for a single device, which did everything.
    pub(crate) fn account(&self) -> Vec<String> {
        let several = self.work.len() > 1;
        self.work.iter().filter(|_| several).map(ToString::to_string).collect()
    }
}

impl fmt::Display for DeviceUsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, description, threads, reason, choices, work } = self;
        let threads = if *threads == 1 { "1 thread".into() } else { format!("{threads} threads") };
        write!(f, "{id}, {description}, {threads} ({reason})")?;
        choices.iter().try_for_each(|choice| write!(f, "\n            {choice}"))?;
        // Before any work there is nothing to report.
        let worked = work.iter().any(|work| !work.operations.is_empty());
        work.iter().filter(|_| worked).try_for_each(|work| write!(f, "\n            {work}"))
    }
}
