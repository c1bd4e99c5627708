//! `zkaccel selftest`: the conformance suite, in the shipped binary.

mod page;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use zkaccel::Engine;
use zkaccel_conformance::{CLASSES, Case, Soaked, cases};

use crate::engine::{DeviceUsed, EngineOptions};
use crate::failure::Failure;
use crate::files::{Contents, NewFile, is_standard};
use crate::output;
use crate::parse;
use crate::watch::{Unit, Watch};

/// Compare every operation of a device with the reference
///
/// Cases of operations that the device does not offer are skipped, and listed with the reason. Each case belongs to classes of failures that
/// accelerators of this kind have had; --json and --report tell which cases would have caught each class, and what became of them. The device may
/// be a shared library with zkaccel's C interface (--device provider:PATH).
///
/// With --for it does random operations instead, on many threads and for as long as asked: whether the device, its driver and the memory
/// hold out. Every answer is compared with the reference's or with the first one to the same question, and the memory of the process may not grow.
///
/// Exit status: 0 when all results agree; 1 when at least one differs.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Run only the cases whose names contain this text, such as msm, trees or rpo256
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Print the result as one JSON value instead of text; with FILE, print text and write the JSON value to the file
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    json: Option<Option<PathBuf>>,

    /// Write a page (HTML) with the classes of failures and their cases
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// Instead of the cases, do random operations on many threads for so long, such as 20s, 15m or 1h
    #[arg(long = "for", value_name = "TIME", value_parser = parse::time, conflicts_with_all = ["only", "json", "report"])]
    time: Option<Duration>,

    #[command(flatten)]
    engine: EngineOptions,
}

#[derive(Serialize)]
struct Report {
    /// The version of what follows; another number is another meaning of some field.
    schema: u32,
    version: &'static str,
    device: DeviceUsed,
    passed: usize,
    failed: usize,
    skipped: usize,
    seconds: f64,
    classes: Vec<ClassOutcome>,
    cases: Vec<Outcome>,
}

/// A class of failures, and the cases of this run that would have caught them.
#[derive(Serialize)]
struct ClassOutcome {
    id: &'static str,
    failure: &'static str,
    caught_by: &'static str,
    reports: &'static [&'static str],
    passed: usize,
    failed: usize,
    skipped: usize,
    cases: Vec<&'static str>,
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
        if let Some(time) = self.time {
            return self.soak(time);
        }
        let cases = self.cases()?;
        let open = |path: &Path| NewFile::create(path, Contents::Text);
        let page = self.report.as_deref().map(open).transpose()?;
        // `--json -` is `--json`: text there would spoil the JSON.
        let json = self.json.as_ref().map(|path| path.as_deref().filter(|path| !is_standard(path)));
        let json_file = json.flatten().map(open).transpose()?;
        let prints_json = json == Some(None);
        let prints_page = self.report.as_deref().is_some_and(is_standard);
        if prints_json && prints_page {
            return Err(Failure::new(
                "--report and --json: both go to standard output, expected a file for one of them",
            ));
        }
        let tells = !prints_json && !prints_page;
        let watch = Watch::start();
        let engine = self.engine.build(None)?;
        let mut report = Report::new(DeviceUsed::of(&engine));
        let tell = |line: &dyn Fn() -> String| match tells {
            true => watch.aside(|| output::print(&line())),
            false => Ok(()),
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
        report.classify();
        drop(watch);
        let text = output::json(&report)?;
        if let Some(file) = json_file {
            file.fill(|file| writeln!(file, "{text}"))?;
        }
        if let Some(file) = page {
            let html = page::page(&report)?;
            file.fill(|file| file.write_all(html.as_bytes()))?;
        }
        match (prints_json, tells) {
            (true, _) => output::print(&text)?,
            (_, true) => output::print(&report.to_string())?,
            _ => {}
        }
        report.verdict()
    }

    /// Random operations for so long, with a line for each round while they last.
    fn soak(&self, time: Duration) -> Result<(), Failure> {
        let engine = self.engine.build(None)?;
        output::print(&format!("device      {}", DeviceUsed::of(&engine)))?;
        let mut printed = Ok(());
        let watch = Watch::start();
        let tell = |soaked: &Soaked| {
            if printed.is_ok() {
                printed = watch.aside(|| output::print(&soaked.to_string()));
            }
            let answers = soaked.with_reference + soaked.with_first;
            let rate = answers as f64 / (soaked.seconds.max(1)) as f64;
            watch.describe(format!("random operations, {rate:.0}/s"));
        };
        let work = || zkaccel_conformance::soak(&engine, time, tell);
        let soaked = watch.stage_for("random operations", time, work);
        drop(watch);
        let soaked = soaked.map_err(Failure::refuted)?;
        printed?;
        DeviceUsed::of(&engine).account().iter().try_for_each(|line| output::print(line))?;
        output::print(&format!("no difference after {} rounds", soaked.rounds))
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
    fn new(device: DeviceUsed) -> Self {
        Self {
            schema: 1,
            version: env!("CARGO_PKG_VERSION"),
            device,
            passed: 0,
            failed: 0,
            skipped: 0,
            seconds: 0.0,
            classes: Vec::new(),
            cases: Vec::new(),
        }
    }

    /// Says of each class what became of its cases; classes none of whose cases were asked for have no line.
    fn classify(&mut self) {
        let all = cases();
        for class in CLASSES {
            let is_of_class =
                |outcome: &&Outcome| all.iter().any(|case| case.name == outcome.name && class.has(case));
            let own: Vec<_> = self.cases.iter().filter(is_of_class).collect();
            let count = |is: fn(&Outcome) -> bool| own.iter().filter(|outcome| is(outcome)).count();
            if !own.is_empty() {
                self.classes.push(ClassOutcome {
                    id: class.id,
                    failure: class.failure,
                    caught_by: class.caught_by,
                    reports: class.reports,
                    passed: count(|outcome| outcome.passed),
                    failed: count(|outcome| !outcome.passed && !outcome.skipped),
                    skipped: count(|outcome| outcome.skipped),
                    cases: own.iter().map(|outcome| outcome.name).collect(),
                });
            }
        }
    }

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
        let mut report = Report::new(DeviceUsed::of(&engine));
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
