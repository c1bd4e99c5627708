//! The measurements and what was measured on: the one structure behind the table, the JSON and the page.
//!
//! `docs/bench.md` describes the JSON to its readers, and `docs/bench.schema.json` is its schema. A change that a reader of older files
//! would not survive is a new number of [`SCHEMA`].

use std::ops::RangeInclusive;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use zkaccel::Engine;
use zkaccel::device::{DeviceInfo, Simd, devices};
use zkaccel::merkle::Approach;

use super::ceilings::Ceilings;
use super::measure::Times;
use super::plan::Operation;
use crate::engine::{DeviceTotals, work_of};
use crate::failure::{Context, Failure};
use crate::files::{Input, input_name};
use crate::hashes::HashName;

/// The version of the JSON.
pub(super) const SCHEMA: u64 = 1;

/// All measurements, and the machine on which they were taken. There is no date: files of equal runs differ only in their times.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) schema: u64,
    /// The version of zkaccel.
    pub(super) version: String,
    pub(super) machine: Machine,
    /// In the order in which they were measured.
    pub(super) devices: Vec<Device>,
    pub(super) measurements: Vec<Measurement>,
}

/// The host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Machine {
    pub(super) processor: String,
    /// The best vector instructions that it has of those that the library uses.
    pub(super) vectors: String,
    pub(super) threads: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) memory_bytes: Option<u64>,
    /// The operating system and the architecture.
    pub(super) system: String,
}

/// The device of an engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Device {
    pub(super) id: String,
    pub(super) description: String,
    /// Threads or compute units.
    pub(super) units: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) memory_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) driver: Option<String>,
    /// Why it was used.
    pub(super) reason: String,
    /// Whether it reports the time that it works.
    pub(super) tells_time: bool,
    pub(super) ceilings: Ceilings,
    /// The choices of `auto` for each kind of operation, with their reasons.
    pub(super) choices: Vec<String>,
    /// The device's errors for operations that it does not offer.
    pub(super) left_out: Vec<String>,
    /// The work of each device of the engine, warm-up included.
    pub(super) work: Vec<DeviceTotals>,
}

/// The subject of a measurement: an operation and its options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Subject {
    pub(super) operation: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hash: Option<HashName>,
    /// The curve of sums, other than the first of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) curve: Option<String>,
    /// The field of transforms over scalars, other than the first of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) field: Option<String>,
    /// The width of the scalars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scalars: Option<String>,
    /// Where the device has several approaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) approach: Option<String>,
    pub(super) log_size: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) columns: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) blowup: Option<u64>,
    /// Whether inputs lie in page-locked memory.
    pub(super) pinned: bool,
    /// Whether there were tables of multiples of the bases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tables: Option<bool>,
    /// Whether the scalars lay in the memory of the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) kept_scalars: Option<bool>,
}

/// One operation at one size on one device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Measurement {
    /// The name of the device.
    pub(super) device: String,
    #[serde(flatten)]
    pub(super) subject: Subject,
    pub(super) runs: usize,
    /// Fewer than ten runs, because each is long.
    pub(super) few_runs: bool,
    pub(super) min_seconds: f64,
    pub(super) lower_quartile_seconds: f64,
    pub(super) median_seconds: f64,
    pub(super) upper_quartile_seconds: f64,
    pub(super) max_seconds: f64,
    /// The items of one run.
    pub(super) count: u64,
    /// Items a second in the median time.
    pub(super) rate: f64,
    pub(super) rate_unit: String,
    /// The bytes of one run that any algorithm must read and write: the input once and the output once.
    pub(super) bytes: u64,
    /// Those bytes in the median time.
    pub(super) gigabytes_per_second: f64,
    /// The products in a field of one run, for operations that consist of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) products: Option<Products>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(super) on_device: Option<OnDevice>,
}

/// A number of products in a field; `counts.rs` has the formulas.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Products {
    pub(super) field: Field,
    pub(super) count: u64,
}

/// A field by the width of its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Field {
    Goldilocks,
    /// Either prime field of BN254, or another one whose elements have as many words; the subject says which.
    Bn254,
}

/// The time of a run on a device with memory of its own, and where the rest of the run went.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct OnDevice {
    /// The median time that the device worked, without transfers, by its own clock.
    pub(super) device_median_seconds: f64,
    /// The rate in that time.
    pub(super) device_rate: f64,
    pub(super) device_gigabytes_per_second: f64,
    /// The share of the bandwidth of the device's copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) share_of_copy_bandwidth: Option<f64>,
    /// Bytes copied to the device and from it in one run.
    pub(super) bytes_in: u64,
    pub(super) bytes_out: u64,
    /// How long those copies take at the measured bandwidth of the link. They may overlap with the work of the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) transfer_seconds: Option<f64>,
}

/// The amount of work of one run.
pub(super) struct OneRun {
    pub(super) count: u64,
    /// The counted items per second.
    pub(super) unit: &'static str,
    /// As [`Measurement::bytes`].
    pub(super) bytes: u64,
    pub(super) products: Option<Products>,
}

impl Subject {
    /// An operation without options.
    pub(super) fn new(operation: Operation, log_size: u32, pinned: bool) -> Self {
        Self {
            operation: operation.name(),
            hash: None,
            curve: None,
            field: None,
            scalars: None,
            approach: None,
            log_size,
            columns: None,
            blowup: None,
            pinned,
            tables: None,
            kept_scalars: None,
        }
    }

    pub(super) fn with_approach(self, approach: Option<Approach>) -> Self {
        Self { approach: approach.map(|approach| approach.name().into()), ..self }
    }

    /// The same whatever the size: measurements with equal series are points of one line.
    pub(super) fn series(&self) -> Self {
        Self { log_size: 0, ..self.clone() }
    }
}

impl Machine {
    pub(super) fn here() -> Self {
        let cpu = devices().into_iter().find(|device| device.id == "cpu");
        let (processor, memory_bytes) =
            cpu.map_or(("unknown".into(), None), |cpu| (cpu.description, cpu.memory));
        Self {
            processor,
            vectors: Simd::best().name().into(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes,
            system: format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

impl Device {
    /// Whether it is several as one.
    pub(super) fn is_several(&self) -> bool {
        self.work.len() > 1
    }

    /// The device of an engine that has not worked yet; measures its ceilings.
    pub(super) fn of(engine: &Engine) -> Result<Self, Failure> {
        let DeviceInfo { id, description, units, memory, driver, reason, .. } = engine.device().clone();
        Ok(Self {
            id,
            description,
            units,
            memory_bytes: memory,
            driver,
            reason,
            tells_time: engine.device_time().is_some(),
            ceilings: Ceilings::measure(engine)?,
            choices: Vec::new(),
            left_out: Vec::new(),
            work: Vec::new(),
        })
    }

    /// Records why something was not measured, once.
    pub(super) fn leave_out(&mut self, reason: String) {
        if !self.left_out.contains(&reason) {
            self.left_out.push(reason);
        }
    }

    /// Records what the engine did and chose.
    pub(super) fn close(&mut self, engine: &Engine) {
        self.choices = engine.choices().unwrap_or_default().last.iter().map(ToString::to_string).collect();
        self.work = work_of(engine);
    }
}

impl Report {
    pub(super) fn new() -> Self {
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").into(),
            machine: Machine::here(),
            devices: Vec::new(),
            measurements: Vec::new(),
        }
    }

    /// A report that `--json` has written.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let name = input_name(path);
        let input = Input::open(path, "a file that `zkaccel bench --json FILE` has written")?;
        let value: Value = serde_json::from_reader(std::io::BufReader::new(input))
            .map_err(|error| {
                Failure::new(format_args!("{error}; expected the JSON that `zkaccel bench --json` writes"))
            })
            .context(&name)?;
        match value.get("schema") {
            Some(schema) if *schema == SCHEMA => {}
            other => {
                let found = other.map_or_else(|| "no \"schema\"".into(), |schema| format!("schema {schema}"));
                return Err(Failure::new(format_args!(
                    "found {found}, expected schema {SCHEMA} of the measurements that `zkaccel bench --json` writes"
                )))
                .context(&name);
            }
        }
        let report: Self = serde_json::from_value(value)
            .map_err(|error| Failure::new(format_args!("{error}, expected measurements of schema {SCHEMA}")))
            .context(&name)?;
        report.check().context(&name)?;
        Ok(report)
    }

    /// Refuses numbers that no measurement gives. Figures need no bounds of their own then: no axis of theirs is endless.
    fn check(&self) -> Result<(), Failure> {
        for (i, device) in self.devices.iter().enumerate() {
            let mut ceilings = device.ceilings.all().into_iter().flatten();
            ceilings
                .try_for_each(|rate| within(rate, LEAST_CEILING..=GREATEST))
                .context(format_args!("device {i}, ceilings"))?;
        }
        for (i, measurement) in self.measurements.iter().enumerate() {
            measurement.check().context(format_args!("measurement {i}"))?;
        }
        Ok(())
    }

    /// The device of a measurement.
    pub(super) fn device_of(&self, measurement: &Measurement) -> Option<&Device> {
        self.devices.iter().find(|device| device.id == measurement.device)
    }
}

/// What is plausible: times from a nanosecond to thirty years, sizes of 64 bits, ceilings that are not rounded to nothing, and other numbers
/// below this one.
const SECONDS: RangeInclusive<f64> = 1e-9..=1e9;
const LARGEST_LOG_SIZE: u32 = 63;
const LEAST_CEILING: f64 = 1e-3;
const GREATEST: f64 = 1e21;

/// A number within its bounds, which no NaN is.
fn within(number: f64, bounds: RangeInclusive<f64>) -> Result<(), Failure> {
    match bounds.contains(&number) {
        true => Ok(()),
        false => {
            let (least, greatest) = bounds.into_inner();
            Err(Failure::new(format_args!(
                "found {number:e}, expected a number from {least:e} to {greatest:e}"
            )))
        }
    }
}

impl Measurement {
    /// Refuses what no measurement gives.
    fn check(&self) -> Result<(), Failure> {
        let found = self.subject.log_size;
        if found > LARGEST_LOG_SIZE {
            return Err(Failure::new(format_args!(
                "found the size 2^{found}, expected at most 2^{LARGEST_LOG_SIZE}"
            )));
        }
        let five = [
            self.min_seconds,
            self.lower_quartile_seconds,
            self.median_seconds,
            self.upper_quartile_seconds,
            self.max_seconds,
        ];
        let on_device = self.on_device.as_ref();
        let mut seconds = five.into_iter().chain(on_device.map(|run| run.device_median_seconds));
        seconds.try_for_each(|time| within(time, SECONDS)).context("seconds")?;
        let mut others =
            [self.rate, self.gigabytes_per_second].into_iter().chain(on_device.into_iter().flat_map(|run| {
                let optional = [run.share_of_copy_bandwidth, run.transfer_seconds].into_iter().flatten();
                [run.device_rate, run.device_gigabytes_per_second].into_iter().chain(optional)
            }));
        others.try_for_each(|number| within(number, 0.0..=GREATEST)).context("rates")
    }

    pub(super) fn new(subject: Subject, times: &Times, work: OneRun, device: &Device) -> Self {
        // At least the resolution of any clock, so that nothing is divided by zero.
        let whole = |time: std::time::Duration| time.as_secs_f64().max(1e-9);
        let median = whole(times.median());
        let ceilings = &device.ceilings;
        let on_device = times.on_device().map(|run| {
            let bandwidth = giga(work.bytes as f64 / whole(run.time));
            let share = |copy: f64| ((bandwidth / copy) * 1e4).round() / 1e4;
            OnDevice {
                device_median_seconds: nanoseconds(whole(run.time)),
                device_rate: (work.count as f64 / whole(run.time)).round(),
                device_gigabytes_per_second: bandwidth,
                share_of_copy_bandwidth: ceilings.copy_gigabytes_per_second.map(share),
                bytes_in: run.bytes_in,
                bytes_out: run.bytes_out,
                transfer_seconds: ceilings.transfer_seconds(run.bytes_in, run.bytes_out).map(nanoseconds),
            }
        });
        let [min, lower, middle, upper, max] = times.five_numbers().map(|time| nanoseconds(whole(time)));
        Self {
            device: device.id.clone(),
            subject,
            runs: times.count(),
            few_runs: times.are_few(),
            min_seconds: min,
            lower_quartile_seconds: lower,
            median_seconds: middle,
            upper_quartile_seconds: upper,
            max_seconds: max,
            count: work.count,
            rate: (work.count as f64 / median).round(),
            rate_unit: work.unit.into(),
            bytes: work.bytes,
            gigabytes_per_second: giga(work.bytes as f64 / median),
            products: work.products,
            on_device,
        }
    }
}

/// A time as JSON has it: seconds, to the nanosecond.
fn nanoseconds(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e9
}

/// Bytes a second as GB/s, to the megabyte.
pub(super) fn giga(rate: f64) -> f64 {
    (rate / 1e6).round() / 1e3
}
