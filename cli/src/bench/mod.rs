//! `zkaccel bench`: how fast a device is.

mod ceilings;
mod compare;
mod contents;
mod counts;
mod curves;
mod fields;
pub(crate) mod inputs;
mod measure;
mod plan;
mod published;
mod report;
mod table;
mod workloads;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use zkaccel::Error;
use zkaccel::merkle::Approach;

use crate::curves::CurveOptions;
use crate::engine::EngineOptions;
use crate::failure::Failure;
use crate::fields::FieldOptions;
use crate::files::{Contents, NewFile, is_standard, output_name};
use crate::hashes::HashName;
use crate::output;
use crate::parse::{self, Approaches, Sizes};
use crate::watch::{Unit, Watch};
use plan::{Choices, Depth, Operation, Task, plan};
use report::{Device, Report};
use workloads::Bench;

/// Measure every operation of the library
///
/// Without OPERATION, --sizes and --all it is a tour: a few sizes of every operation, in one to two minutes on two cores.
///
/// Each size is run once to warm up, and then 10 to 200 times until half a second has passed. Where one run takes more than 3 seconds, or
/// in a tour more than 0.2 seconds, there are 3 runs at least instead of 10. A tour leaves out the sizes after one that takes a second.
/// Inputs lie in memory before the measured time begins, and results are dropped after it ends. Rates are those of the median run. GB are 10^9 bytes of what any algorithm must move: the input, read once, and the output, written once; for commit
/// these are the trace, the extension and the tree. Times are those that the caller sees, with all transfers to and from a device.
/// For a device with memory of its own there are also the median time that it worked, by its own clock and without transfers, the rate
/// in that time, and the share of the rate at which the device copies within its memory (bytes read and bytes written, the median of 7
/// copies of 256 MiB, measured at the start).
///
/// Exit status: 0 when everything was measured; 1 when --compare finds a measurement that has become slower; 2 for any error, among
/// them files that cannot be compared.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// What to measure [default: all]
    #[arg(value_name = "OPERATION")]
    operation: Option<Operation>,

    /// Binary logarithms of the sizes (leaves, rows of the matrix or trace, bases, points, elements): 12..20 with both ends, or
    /// 12,14,16 [default: a few in a tour; else 12..20 for merkle and ntt, 12..16 for lde and commit, 10..16 for msm, 4..10 for points,
    /// 10..18 for the others]
    #[arg(long, value_name = "SIZES", value_parser = parse::sizes)]
    sizes: Option<Sizes>,

    /// Measure every operation at all of its sizes, which takes several minutes
    #[arg(long, conflicts_with_all = ["operation", "sizes"])]
    all: bool,

    /// Measure each of several devices by itself, one after the other, and not all of them as one: those of --device, or every device of
    /// the machine
    #[arg(long)]
    each: bool,

    #[arg(long, value_name = "HASH", value_parser = parse::one_of::<HashName>(), help = hash_help())]
    hash: Option<HashName>,

    #[arg(long, value_name = "APPROACH", value_parser = parse::approaches, help = approach_help())]
    approach: Option<Approaches>,

    /// The number of columns of the matrix or trace, or of polynomials for fft [default: 1 for ntt, fft and prefix, 16 for lde, commit, rows
    /// and combine]
    #[arg(long, value_name = "M", value_parser = parse::positive)]
    columns: Option<usize>,

    /// Rows of the extension for each row, for lde and commit: a power of two of at least 2
    #[arg(long, value_name = "B", default_value = "8", value_parser = parse::number::<u64>)]
    blowup: u64,

    /// Keep the leaves of trees, the matrices of transforms, the matrices and results of lde, and the scalars of fft and msm in page-locked
    /// memory, which a device reads and writes directly; it makes no difference on the CPU
    #[arg(long)]
    pinned: bool,

    #[command(flatten)]
    curve: CurveOptions,

    #[command(flatten)]
    field: FieldOptions,

    /// For msm, keep tables of multiples of the bases
    #[arg(long)]
    tables: bool,

    /// For msm, keep the scalars in the memory of the device
    #[arg(long, conflicts_with = "pinned")]
    keep_scalars: bool,

    /// Print the measurements as one JSON value instead of a table; with FILE, print the table and write the JSON value to the file
    #[arg(long, value_name = "FILE", num_args = 0..=1, value_parser = json_target)]
    json: Option<Option<PathBuf>>,

    /// Write a page with figures of the measurements: one HTML file that needs nothing else and works offline
    #[arg(long, value_name = "FILE", value_parser = page_target)]
    report: Option<PathBuf>,

    /// Compare with the measurements of a file that --json has written: print the ratio of the medians for each. One is slower when its
    /// median is at least 5 % longer and its interquartile range lies above the older one
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,

    /// Take the measurements from a file that --json has written instead of measuring, for --report and --compare
    #[arg(long, value_name = "FILE", conflicts_with_all = ["operation", "sizes", "all", "each"])]
    from: Option<PathBuf>,

    #[command(flatten)]
    engine: EngineOptions,
}

/// The help of `--hash`.
fn hash_help() -> String {
    format!(
        "The hash of trees and commitments [default: all for trees, {} for commitments]",
        HashName::ALL[0]
    )
}

/// The help of `--approach`.
fn approach_help() -> String {
    format!("{} [default: all in a tour, else auto]", parse::approaches_help())
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        // What cannot be read or written is told before anything is measured.
        let past = self.compare.as_deref().map(Report::read).transpose()?;
        let json_file = match &self.json {
            Some(Some(path)) if !is_standard(path) => Some(NewFile::create(path, Contents::Text)?),
            _ => None,
        };
        let prints_json = self.json.is_some() && json_file.is_none();
        let prints_page = self.report.as_deref().is_some_and(is_standard);
        if prints_json && prints_page {
            return Err(Failure::new(
                "--report -: standard output has the JSON, expected a file for one of them",
            ));
        }
        let page_file =
            self.report.as_deref().map(|path| NewFile::create(path, Contents::Text)).transpose()?;
        // A table beside JSON or a page on standard output would spoil it.
        let tells = !prints_json && !prints_page;
        let report = match &self.from {
            Some(path) => {
                let report = Report::read(path)?;
                if tells && self.report.is_none() && past.is_none() {
                    tell(&report)?;
                }
                report
            }
            None => self.measure(tells)?,
        };
        if prints_json {
            output::print(&output::json(&report)?)?;
        }
        if let Some(file) = json_file {
            let text = output::json(&report)?;
            file.fill(|file| writeln!(file, "{text}"))?;
        }
        if let (Some(file), Some(path)) = (page_file, &self.report) {
            let page = contents::page(&report)?;
            file.fill(|file| file.write_all(page.as_bytes()))?;
            if tells {
                output::print(&format!("wrote {}", output_name(path)))?;
            }
        }
        match (past, &self.compare) {
            (Some(past), Some(path)) => compare(&past, path, &report, tells),
            _ => Ok(()),
        }
    }

    /// Measures one engine, or each device by itself; prints a table where it may.
    fn measure(&self, tells: bool) -> Result<Report, Failure> {
        let watch = Watch::start();
        let engines = if self.each { self.engine.each()? } else { vec![self.engine.clone()] };
        let mut report = Report::new();
        for options in &engines {
            self.measure_one(options, &watch, tells, &mut report)?;
        }
        Ok(report)
    }

    fn measure_one(
        &self,
        options: &EngineOptions,
        watch: &Watch,
        tells: bool,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let engine = options.build(None)?;
        let choices = self.choices()?;
        let tour = matches!(choices.depth, Depth::Tour);
        let tasks = plan(&choices, &engine);
        watch.stage("measuring ceilings");
        let mut device = Device::of(&engine)?;
        if tells {
            watch.aside(|| output::print(&table::heading(&report.version, &device, self.pinned)))?;
        }
        let (start, total) = (Instant::now(), tasks.len());
        let limit = options.input_limit(&engine);
        // Variants that the device does not offer, or in a tour that have taken so long that their greater sizes are left out; and whether that was told.
        let mut ended: Vec<(Task, bool)> = Vec::new();
        for (done, task) in tasks.into_iter().enumerate() {
            watch.stage_of("measuring", Unit::Things("measurements"), done as u64, total as u64);
            if let Some((size, told)) = ended.iter_mut().find(|(ended, _)| ended.is_variant_of(&task)) {
                if !std::mem::replace(told, true) {
                    device.leave_out(format!(
                        "{} and above: {} takes more than a second, which is long for a tour",
                        task.describe(),
                        size.describe()
                    ));
                }
                continue;
            }
            watch.describe(progress(&device.id, &task.describe(), done, total, start.elapsed()));
            let bench = Bench { engine: &engine, device: &device, limit, pinned: self.pinned, tour };
            let measurement = match task.run(bench) {
                // An operation that the user named must be offered.
                Err(error @ Error::Unsupported { .. }) if self.operation.is_none() => {
                    device.leave_out(error.to_string());
                    ended.push((task, true));
                    continue;
                }
                measurement => measurement?,
            };
            if tour && measurement.median_seconds > 1.0 {
                ended.push((task, false));
            }
            if tells {
                watch.aside(|| output::print(&table::line(&measurement)))?;
            }
            report.measurements.push(measurement);
        }
        device.close(&engine);
        if tells {
            watch.aside(|| output::print(&table::notes(report, &device)))?;
        }
        report.devices.push(device);
        Ok(())
    }

    fn choices(&self) -> Result<Choices<'_>, Failure> {
        let tour = self.operation.is_none() && self.sizes.is_none() && !self.all;
        let depth = match &self.sizes {
            Some(sizes) => Depth::Sizes(sizes.0.clone()),
            None if tour => Depth::Tour,
            None => Depth::Usual,
        };
        let usual: &[Approach] = if tour { &Approach::ALL } else { &[Approach::Auto] };
        // What is measured over one curve or field alone is not measured over another one.
        if let Some(operation) = self.operation
            && let Some(fixed) = operation.refuses(self.curve.chosen()?, self.field.field)
        {
            return Err(Failure::new(fixed));
        }
        Ok(Choices {
            operation: self.operation,
            depth,
            hash: self.hash,
            approaches: self.approach.as_ref().map_or(usual, |approaches| &approaches.0),
            columns: self.columns,
            blowup: self.blowup,
            curve: self.curve.chosen()?,
            field: self.field.field,
            kept: curves::KeptInputs { tables: self.tables, scalars: self.keep_scalars },
        })
    }
}

/// The line of progress: which measurement of how many, and how long the others take if they take as long as those before.
fn progress(device: &str, task: &str, done: usize, total: usize, elapsed: Duration) -> String {
    let line = format!("{} of {total} on {device}: {task}", done + 1);
    match done {
        0 => line,
        _ => {
            let left = elapsed.as_secs_f64() / done as f64 * (total - done) as f64;
            format!("{line}; about {left:.0} s left")
        }
    }
}

/// Prints a table of measurements that were taken before.
fn tell(report: &Report) -> Result<(), Failure> {
    for device in &report.devices {
        let of_device = || report.measurements.iter().filter(|run| run.device == device.id);
        let pinned = of_device().any(|run| run.subject.pinned);
        output::print(&table::heading(&report.version, device, pinned))?;
        of_device().try_for_each(|run| output::print(&table::line(run)))?;
        output::print(&table::notes(report, device))?;
    }
    Ok(())
}

/// Prints a comparison, to stderr where standard output has something else; a slower measurement is status 1.
fn compare(past: &Report, path: &Path, now: &Report, tells: bool) -> Result<(), Failure> {
    let comparison = compare::Comparison::of(past, path, now)?;
    match tells {
        true => output::print(&comparison.to_string())?,
        // Stderr may be closed; the verdict is in the status too.
        false => {
            let _ = writeln!(std::io::stderr(), "{comparison}");
        }
    }
    comparison.verdict()
}

/// The file of `--json FILE`, which must not be an operation that was meant to be measured.
fn json_target(text: &str) -> Result<PathBuf, String> {
    target(text, &format!("write `bench {text} --json`, or ./{text} for a file"))
}

/// The file of `--report FILE`.
fn page_target(text: &str) -> Result<PathBuf, String> {
    target(text, &format!("write `bench {text} --report FILE`, or ./{text} for a file"))
}

fn target(text: &str, instead: &str) -> Result<PathBuf, String> {
    match Operation::from_str(text, false) {
        Ok(_) => Err(format!("found the operation {text:?}, expected a file; {instead}")),
        Err(_) => Ok(text.into()),
    }
}
