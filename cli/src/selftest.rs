//! `zkaccel selftest`: the conformance suite, in the shipped binary.

use std::fmt;
use std::time::Instant;

use serde::Serialize;
use zkaccel::Engine;
use zkaccel::conformance::{Case, cases};

use crate::engine::{DeviceUsed, EngineOptions};
use crate::failure::Failure;
use crate::output::{self, Format};
use crate::watch::{Unit, Watch};

/// Compare every operation of a device with the reference
///
/// Cases of operations that the device does not offer are skipped, and listed with the reason.
///
/// Exit status: 0 when all results agree; 1 when at least one differs.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Run only the cases whose names contain this text, such as msm, trees or rpo256
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

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
    skipped: usize,
    seconds: f64,
    cases: Vec<Outcome>,
}

#[derive(Serialize)]
struct Outcome {
    name: &'static str,
    passed: bool,
    /// Whether the device does not offer the operation.
    skipped: bool,
    seconds: f64,
    /// The difference, or the reason why the case was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let cases = self.cases()?;
        let watch = Watch::start();
        let engine = self.engine.build(None)?;
        let mut report = Report {
            device: DeviceUsed::of(&engine),
            passed: 0,
            failed: 0,
            skipped: 0,
            seconds: 0.0,
            cases: Vec::new(),
        };
        let tell = |line: &dyn Fn() -> String| match self.format.json {
            true => Ok(()),
            false => watch.aside(|| output::print(&line())),
        };
        tell(&|| format!("device      {}", report.device))?;
        let start = Instant::now();
        watch.stage_of("testing", Unit::Things("cases"), 0, cases.len() as u64);
        for case in cases {
            watch.describe(case.name.into());
            let outcome = Outcome::of(&case, &engine);
            tell(&|| outcome.to_string())?;
            report.count(outcome);
            watch.advance(1);
        }
        report.seconds = output::seconds(start.elapsed());
        report.device = DeviceUsed::of(&engine);
        drop(watch);
        self.format.print(&report)?;
        report.verdict()
    }

    /// The selected cases.
    fn cases(&self) -> Result<Vec<Case>, Failure> {
        let Some(text) = &self.only else {
            return Ok(cases());
        };
        let asked: Vec<_> = cases().into_iter().filter(|case| case.name.contains(text)).collect();
        match asked.len() {
            0 => Err(Failure::new(format_args!(
                "no case has {text:?} in its name, expected one of the {} that `zkaccel selftest` lists",
                cases().len()
            ))),
            _ => Ok(asked),
        }
    }
}

impl Outcome {
    /// Runs a case.
    fn of(case: &Case, engine: &Engine) -> Self {
        let start = Instant::now();
        let name = case.name;
        if let Some(reason) = case.unsupported(engine) {
            let message = Some(reason.to_string());
            return Self { name, passed: false, skipped: true, seconds: 0.0, message };
        }
        let message = (case.run)(engine).err();
        let seconds = output::seconds(start.elapsed());
        Self { name, passed: message.is_none(), skipped: false, seconds, message }
    }
}

impl Report {
    fn count(&mut self, outcome: Outcome) {
        match (outcome.skipped, outcome.passed) {
            (true, _) => self.skipped += 1,
            (false, true) => self.passed += 1,
            (false, false) => self.failed += 1,
        }
        self.cases.push(outcome);
    }

    /// A device that differs from the reference is status 1.
    fn verdict(&self) -> Result<(), Failure> {
        let Self { failed, cases, .. } = self;
        match failed {
            0 => Ok(()),
            _ => Err(Failure::refuted(format_args!(
                "{failed} of {} cases differ from the reference, expected none",
                cases.len()
            ))),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, passed, skipped, seconds, message } = self;
        let verdict = match (skipped, passed) {
            (true, _) => "skip",
            (false, true) => "ok",
            (false, false) => "FAILED",
        };
        write!(f, "{verdict:<6} {name:<48} {:>12}", output::time(*seconds))?;
        message.iter().try_for_each(|message| write!(f, "\n       {message}"))
    }
}

/// The last line; the cases were printed as they ended.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(f, ", {} skipped", self.skipped)?;
        }
        write!(f, " in {}", output::time(self.seconds))?;
        self.device.account().iter().try_for_each(|line| write!(f, "\n{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_that_fails_is_told_and_is_status_1() {
        let engine = Engine::new().unwrap();
        let device = DeviceUsed::of(&engine);
        let mut report = Report { device, passed: 0, failed: 0, skipped: 0, seconds: 0.0, cases: Vec::new() };
        report.count(Outcome::of(&Case { name: "sound", run: |_| Ok(()) }, &engine));
        assert!(report.verdict().is_ok());
        let outcome = Outcome::of(&Case { name: "broken", run: |_| Err("3 instead of 4".into()) }, &engine);
        assert!(outcome.to_string().starts_with("FAILED broken"));
        assert!(outcome.to_string().ends_with("3 instead of 4"));
        report.count(outcome);
        let failure = report.verdict().unwrap_err();
        assert_eq!(
            (failure.status, failure.line().as_str()),
            (1, "1 of 2 cases differ from the reference, expected none")
        );
    }
}
