//! `zkaccel selftest`: the conformance suite, in the shipped binary.

use std::fmt;
use std::time::{Duration, Instant};

use serde::Serialize;
use zkaccel::conformance::cases;

use crate::engine::{DeviceUsed, EngineOptions};
use crate::failure::Failure;
use crate::output::{self, Format};
use crate::watch::Watch;

/// Compare every operation of a device with the reference
///
/// Exit status 0: all agree; 1: at least one differs.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    engine: EngineOptions,

    #[command(flatten)]
    format: Format,
}

#[derive(Serialize)]
struct Report {
    device: DeviceUsed,
    passed: usize,
    failed: usize,
    seconds: f64,
    cases: Vec<Outcome>,
}

#[derive(Serialize)]
struct Outcome {
    name: &'static str,
    passed: bool,
    seconds: f64,
    /// What differed.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let watch = Watch::start();
        let engine = self.engine.build(None)?;
        let start = Instant::now();
        let mut outcomes = Vec::new();
        for case in cases() {
            watch.stage(case.name);
            let start = Instant::now();
            let message = (case.run)(&engine).err();
            let seconds = output::seconds(start.elapsed());
            outcomes.push(Outcome { name: case.name, passed: message.is_none(), seconds, message });
        }
        let elapsed: Duration = start.elapsed();
        drop(watch);
        let failed = outcomes.iter().filter(|outcome| !outcome.passed).count();
        let report = Report {
            device: DeviceUsed::of(&engine),
            passed: outcomes.len() - failed,
            failed,
            seconds: output::seconds(elapsed),
            cases: outcomes,
        };
        self.format.print(&report)?;
        match failed {
            0 => Ok(()),
            failed => Err(Failure::refuted(format_args!(
                "{failed} of {} cases differ from the reference",
                report.cases.len()
            ))),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "device      {}", self.device)?;
        for Outcome { name, passed, seconds, message } in &self.cases {
            let verdict = if *passed { "ok" } else { "FAILED" };
            writeln!(f, "{verdict:<6} {name:<48} {:>12}", output::time(*seconds))?;
            if let Some(message) = message {
                writeln!(f, "       {message}")?;
            }
        }
        writeln!(f, "{} passed, {} failed in {}", self.passed, self.failed, output::time(self.seconds))
    }
}
