//! The options of commands that compute, and the engine they make.

use std::fmt;

use serde::Serialize;
use zkaccel::Engine;
use zkaccel::device::{DeviceChoice, DeviceInfo};

use crate::failure::Failure;
use crate::parse;
use crate::watch::Watch;

/// Where and with how much work runs.
#[derive(clap::Args)]
pub(crate) struct EngineOptions {
    /// The device: auto, cpu, cuda:N, opencl:N (see `zkaccel devices`), provider:PATH (a library with zkaccel's C interface), or reference (textbook algorithms on one thread, very slow)
    #[arg(long, value_name = "DEVICE", default_value_t)]
    device: DeviceChoice,

    /// Put every answer of the device to a cheap random test before it is believed
    #[arg(long)]
    check: bool,

    /// CPU threads [default: all]
    #[arg(long, value_name = "N", value_parser = parse::number::<usize>)]
    threads: Option<usize>,

    /// The most memory that a matrix or one operation may take, in bytes, or with K, M, G or T for powers of 1024
    /// [default: the machine's]
    #[arg(long, value_name = "BYTES", value_parser = parse::bytes)]
    memory: Option<u64>,

    /// The most memory of its own that a GPU may spend on one operation, in bytes, or with K, M, G or T; what needs more is
    /// done in parts [default: half of what the device has]
    #[arg(long, value_name = "BYTES", value_parser = parse::bytes)]
    device_memory: Option<u64>,
}

impl EngineOptions {
    /// The engine, with a watch as its listener if there is one.
    pub(crate) fn build(&self, watch: Option<&Watch>) -> Result<Engine, Failure> {
        let builder = Engine::builder().device(self.device).check_answers(self.check);
        let builder = watch.into_iter().fold(builder, |builder, watch| builder.on_progress(watch.listener()));
        let builder = self.threads.into_iter().fold(builder, |builder, n| builder.threads(n));
        let builder = self.memory.into_iter().fold(builder, |builder, bytes| builder.memory_budget(bytes));
        let builder =
            self.device_memory.into_iter().fold(builder, |builder, bytes| builder.device_memory(bytes));
        Ok(builder.build()?)
    }

    /// The most bytes that an input may take in memory.
    pub(crate) fn input_limit(&self, engine: &Engine) -> u64 {
        self.memory.or(engine.device().memory).unwrap_or(u64::MAX)
    }
}

/// The device that did the work, and why it was that one.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DeviceUsed {
    id: String,
    description: String,
    threads: usize,
    reason: String,
    /// What `auto` chose for each kind of operation, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    choices: Vec<String>,
}

impl DeviceUsed {
    /// The device of an engine that has done its work.
    pub(crate) fn of(engine: &Engine) -> Self {
        let DeviceInfo { id, description, units: threads, reason, .. } = engine.device().clone();
        let choices = engine.choices().unwrap_or_default().last.iter().map(ToString::to_string).collect();
        Self { id, description, threads, reason, choices }
    }
}

impl fmt::Display for DeviceUsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, description, threads, reason, choices } = self;
        let threads = if *threads == 1 { "1 thread".into() } else { format!("{threads} threads") };
        write!(f, "{id}, {description}, {threads} ({reason})")?;
        choices.iter().try_for_each(|choice| write!(f, "\n            {choice}"))
    }
}
