//! Measurements as a table and as JSON.

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use zkaccel::Engine;
use zkaccel::merkle::Approach;

use super::measure::Times;
use crate::engine::DeviceUsed;
use crate::hashes::HashName;
use crate::output::{seconds, time};

/// All measurements, and on what they were taken. There is no date in it: equal runs give equal files but for times.
#[derive(Serialize)]
pub(super) struct Report {
    version: &'static str,
    device: DeviceUsed,
    /// Whether the device tells of its time, and so has columns for it.
    #[serde(skip)]
    tells_time: bool,
    pub(super) measurements: Vec<Row>,
    /// The device's words on operations that it does not offer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) left_out: Vec<String>,
}

/// One operation at one size.
#[derive(Serialize)]
pub(super) struct Row {
    operation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<HashName>,
    /// How wide the scalars are.
    #[serde(skip_serializing_if = "Option::is_none")]
    scalars: Option<&'static str>,
    /// Where the device has a choice of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    approach: Option<&'static str>,
    log_size: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<usize>,
    runs: usize,
    min_seconds: f64,
    median_seconds: f64,
    max_seconds: f64,
    rate: f64,
    rate_unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    gigabytes_per_second: Option<f64>,
    /// The median time that the device worked, transfers not counted, by its own clock, and the rate in that time.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    on_device: Option<OnDevice>,
    /// Fewer than ten runs, because each is long.
    few_runs: bool,
}

/// What the device tells of itself.
#[derive(Serialize)]
struct OnDevice {
    device_median_seconds: f64,
    device_rate: f64,
}

/// What is measured: an operation, and what there is to choose of it.
pub(super) struct Subject {
    pub(super) operation: &'static str,
    pub(super) hash: Option<HashName>,
    pub(super) scalars: Option<&'static str>,
    pub(super) approach: Option<Approach>,
    pub(super) log_size: u32,
    pub(super) columns: Option<usize>,
}

impl Subject {
    /// An operation with nothing to choose of it.
    pub(super) fn new(operation: &'static str, log_size: u32) -> Self {
        Self { operation, hash: None, scalars: None, approach: None, log_size, columns: None }
    }
}

/// What one run works through.
pub(super) struct Rate {
    pub(super) count: u64,
    /// What is counted, per second.
    pub(super) unit: &'static str,
    pub(super) bytes: Option<u64>,
}

impl Report {
    pub(super) fn new(engine: &Engine) -> Self {
        let (device, tells_time) = (DeviceUsed::of(engine), engine.device_time().is_some());
        Self {
            version: env!("CARGO_PKG_VERSION"),
            device,
            tells_time,
            measurements: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// What stands above the table.
    pub(super) fn heading(&self) -> String {
        let heading = format!(
            "zkaccel {} on {}\n{:<8}{:<16}{:<6}{:>8}{:>6}{:>14}{:>14}{:>14}{:>24}{:>10}",
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
            true => format!("{heading}{:>14}{:>24}  approach", "on device", "rate on device"),
            false => heading,
        }
    }

    /// What stands below it.
    pub(super) fn notes(&self) -> String {
        let few = self.measurements.iter().any(|row| row.few_runs);
        let few = few.then(|| "* fewer runs than 10, because one takes more than 3 seconds".to_owned());
        let left_out = self.left_out.iter().map(|reason| format!("not measured: {reason}"));
        few.into_iter().chain(left_out).collect::<Vec<_>>().join("\n")
    }
}

impl Row {
    pub(super) fn new(
        Subject { operation, hash, scalars, approach, log_size, columns }: Subject,
        times: Times,
        rate: Rate,
    ) -> Self {
        // No clock is finer than this, and nothing may be divided by zero.
        let whole = |time: Duration| time.as_secs_f64().max(1e-9);
        let median = whole(times.median());
        let on_device = times.median_on_device().map(|time| OnDevice {
            device_median_seconds: seconds(time),
            device_rate: (rate.count as f64 / whole(time)).round(),
        });
        Self {
            approach: approach.map(Approach::name),
            on_device,
            operation,
            hash,
            scalars,
            log_size,
            columns,
            runs: times.count(),
            min_seconds: seconds(times.min()),
            median_seconds: seconds(times.median()),
            max_seconds: seconds(times.max()),
            rate: (rate.count as f64 / median).round(),
            rate_unit: rate.unit,
            gigabytes_per_second: rate.bytes.map(|bytes| (bytes as f64 / median / 1e6).round() / 1e3),
            few_runs: times.are_few(),
        }
    }
}

impl fmt::Display for Row {
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
        let gigabytes = self.gigabytes_per_second.map_or_else(dash, |rate| format!("{rate:.3}"));
        write!(f, "{gigabytes:>10}")?;
        if let Some(OnDevice { device_median_seconds, device_rate }) = self.on_device {
            let rate = format!("{} {}", scaled(device_rate), self.rate_unit);
            let approach = self.approach.unwrap_or("-");
            write!(f, "{:>14}{rate:>24}  {approach}", time(device_median_seconds))?;
        }
        Ok(())
    }
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
