//! Measurements as a table and as JSON.

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use zkaccel::device::Bandwidths;
use zkaccel::merkle::Approach;
use zkaccel::{Engine, Error};

use super::measure::Times;
use crate::engine::{DeviceUsed, Work, work_of};
use crate::hashes::HashName;
use crate::output::{seconds, time};

/// All measurements, and the machine on which they were taken. There is no date: files of equal runs differ only in their times.
#[derive(Serialize)]
pub(super) struct Report {
    version: &'static str,
    device: DeviceUsed,
    /// Whether the device reports its time, and so has columns for it.
    #[serde(skip)]
    tells_time: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    bandwidths: Option<Copies>,
    /// Whether inputs lie in page-locked memory.
    pinned: bool,
    pub(super) measurements: Vec<Measurement>,
    /// The work of each device, including warm-up.
    work: Vec<Work>,
    /// The device's errors for operations that it does not offer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) left_out: Vec<String>,
}

/// One operation at one size.
#[derive(Serialize)]
pub(super) struct Measurement {
    operation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<HashName>,
    /// The width of the scalars.
    #[serde(skip_serializing_if = "Option::is_none")]
    scalars: Option<&'static str>,
    /// Where the device has several approaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    approach: Option<&'static str>,
    log_size: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blowup: Option<u64>,
    runs: usize,
    min_seconds: f64,
    median_seconds: f64,
    max_seconds: f64,
    rate: f64,
    rate_unit: &'static str,
    /// The rate of reading the input once and writing the output once, in the median time.
    gigabytes_per_second: f64,
    /// The median time that the device worked, without transfers, by its own clock, and the rate in that time.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    on_device: Option<OnDevice>,
    /// Fewer than ten runs, because each is long.
    few_runs: bool,
}

/// The description of the device.
#[derive(Serialize)]
struct OnDevice {
    device_median_seconds: f64,
    device_rate: f64,
    device_gigabytes_per_second: f64,
    /// The share of the bandwidth of the device's copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    share_of_copy_bandwidth: Option<f64>,
}

/// The bandwidth of the device's copies in GB/s.
#[derive(Serialize)]
struct Copies {
    copy_gigabytes_per_second: f64,
    upload_gigabytes_per_second: f64,
    download_gigabytes_per_second: f64,
}

/// The subject of a measurement: an operation and its options.
pub(super) struct Subject {
    pub(super) operation: &'static str,
    pub(super) hash: Option<HashName>,
    pub(super) scalars: Option<&'static str>,
    pub(super) approach: Option<Approach>,
    pub(super) log_size: u32,
    pub(super) columns: Option<usize>,
    pub(super) blowup: Option<u64>,
}

impl Subject {
    /// An operation without options.
    pub(super) fn new(operation: &'static str, log_size: u32) -> Self {
        Self { operation, hash: None, scalars: None, approach: None, log_size, columns: None, blowup: None }
    }
}

/// The amount of work of one run.
pub(super) struct Rate {
    pub(super) count: u64,
    /// The counted items per second.
    pub(super) unit: &'static str,
    /// The bytes that any algorithm must read and write: the input once and the output once.
    pub(super) bytes: u64,
}

impl Report {
    /// A report on an engine; measures the bandwidth of its device's copies.
    pub(super) fn new(engine: &Engine, pinned: bool) -> Result<Self, Error> {
        let (device, tells_time) = (DeviceUsed::of(engine), engine.device_time().is_some());
        let bandwidths = engine.bandwidths()?.map(|Bandwidths { copy, upload, download }| Copies {
            copy_gigabytes_per_second: giga(copy),
            upload_gigabytes_per_second: giga(upload),
            download_gigabytes_per_second: giga(download),
        });
        Ok(Self {
            version: env!("CARGO_PKG_VERSION"),
            device,
            tells_time,
            bandwidths,
            pinned,
            measurements: Vec::new(),
            work: Vec::new(),
            left_out: Vec::new(),
        })
    }

    /// Ends the measurements: records the work of each device.
    pub(super) fn close(&mut self, engine: &Engine) {
        self.work = work_of(engine);
    }

    /// Adds a measurement.
    pub(super) fn add(&mut self, mut measurement: Measurement) -> &Measurement {
        if let (Some(on_device), Some(copies)) = (&mut measurement.on_device, &self.bandwidths) {
            let share = on_device.device_gigabytes_per_second / copies.copy_gigabytes_per_second;
            on_device.share_of_copy_bandwidth = Some((share * 1e4).round() / 1e4);
        }
        self.measurements.push(measurement);
        self.measurements.last().expect("the measurement just pushed")
    }

    /// The text above the table.
    pub(super) fn heading(&self) -> String {
        let copies = self.bandwidths.as_ref().map_or_else(String::new, |copies| {
            format!(
                "copies on the device {:.1} GB/s (bytes read and bytes written), from page-locked host memory {:.1} GB/s, to it \
                 {:.1} GB/s\n",
                copies.copy_gigabytes_per_second,
                copies.upload_gigabytes_per_second,
                copies.download_gigabytes_per_second
            )
        });
        let memory = if self.pinned { "inputs in page-locked memory\n" } else { "" };
        let heading = format!(
            "zkaccel {} on {}\n{copies}{memory}GB/s: the input read once and the output written once, in the median time\n{:<8}{:<16}{:<6}{:>8}{:>6}{:>14}{:>14}{:>14}{:>24}{:>10}",
            self.version,
            self.device,
            "",
            "hash/scalars",
            "size",
            "columns",
            "runs",
            "min",
            "median",
            "max",
            "rate at the median",
            "GB/s"
        );
        match self.tells_time {
            true => format!(
                "{heading}{:>14}{:>24}{:>10}{:>10}  approach",
                "on device", "rate on device", "GB/s", "of copy"
            ),
            false => heading,
        }
    }

    /// The text below the table.
    pub(super) fn notes(&self) -> String {
        let few_runs = self.measurements.iter().any(|run| run.few_runs);
        let few_runs = few_runs.then(|| "* fewer runs than 10, because one takes more than 3 seconds".into());
        let blowup = self.measurements.iter().find_map(|run| run.blowup);
        let blowup = blowup.map(|factor| format!("lde and commit: blow-up {factor}"));
        let left_out = self.left_out.iter().map(|reason| format!("not measured: {reason}"));
        // With one device it is clear which did the work.
        let several = self.work.len() > 1;
        let work = self.work.iter().filter(|_| several).map(ToString::to_string);
        few_runs.into_iter().chain(blowup).chain(left_out).chain(work).collect::<Vec<String>>().join("\n")
    }
}

impl Measurement {
    pub(super) fn new(
        Subject { operation, hash, scalars, approach, log_size, columns, blowup }: Subject,
        times: Times,
        rate: Rate,
    ) -> Self {
        // At least the resolution of any clock, so that nothing is divided by zero.
        let whole = |time: Duration| time.as_secs_f64().max(1e-9);
        let median = whole(times.median());
        let on_device = times.median_on_device().map(|time| OnDevice {
            device_median_seconds: seconds(time),
            device_rate: (rate.count as f64 / whole(time)).round(),
            device_gigabytes_per_second: giga(rate.bytes as f64 / whole(time)),
            share_of_copy_bandwidth: None,
        });
        Self {
            approach: approach.map(Approach::name),
            on_device,
            operation,
            hash,
            scalars,
            log_size,
            columns,
            blowup,
            runs: times.count(),
            min_seconds: seconds(times.min()),
            median_seconds: seconds(times.median()),
            max_seconds: seconds(times.max()),
            rate: (rate.count as f64 / median).round(),
            rate_unit: rate.unit,
            gigabytes_per_second: giga(rate.bytes as f64 / median),
            few_runs: times.are_few(),
        }
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dash = || "-".to_owned();
        let scalars = || self.scalars.map_or_else(dash, str::to_owned);
        let hash = self.hash.map_or_else(scalars, |hash| hash.to_string());
        let columns = self.columns.map_or_else(dash, |columns| columns.to_string());
        let size = format!("2^{}", self.log_size);
        let runs = format!("{}{}", self.runs, if self.few_runs { "*" } else { "" });
        write!(f, "{:<8}{hash:<16}{size:<6}{columns:>8}{runs:>6}", self.operation)?;
        for seconds in [self.min_seconds, self.median_seconds, self.max_seconds] {
            write!(f, "{:>14}", time(seconds))?;
        }
        write!(f, "{:>24}", format!("{} {}", scaled(self.rate), self.rate_unit))?;
        write!(f, "{:>10.3}", self.gigabytes_per_second)?;
        if let Some(on_device) = &self.on_device {
            let rate = format!("{} {}", scaled(on_device.device_rate), self.rate_unit);
            let gigabytes = on_device.device_gigabytes_per_second;
            let share =
                on_device.share_of_copy_bandwidth.map_or_else(dash, |x| format!("{:.2} %", 100.0 * x));
            let approach = self.approach.unwrap_or("-");
            write!(f, "{:>14}{rate:>24}", time(on_device.device_median_seconds))?;
            write!(f, "{gigabytes:>10.3}{share:>10}  {approach}")?;
        }
        Ok(())
    }
}

/// Bytes a second as GB/s, to the megabyte.
fn giga(rate: f64) -> f64 {
    (rate / 1e6).round() / 1e3
}

/// A number with a decimal prefix.
fn scaled(value: f64) -> String {
    match value {
        v if v >= 1e9 => format!("{:.3} G", v / 1e9),
        v if v >= 1e6 => format!("{:.3} M", v / 1e6),
        v if v >= 1e3 => format!("{:.3} k", v / 1e3),
        v => format!("{v:.0} "),
    }
}
