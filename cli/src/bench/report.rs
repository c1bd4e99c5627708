//! Measurements as a table and as JSON.

use std::fmt;

use serde::Serialize;

use super::measure::Times;
use crate::engine::DeviceUsed;
use crate::hashes::HashName;
use crate::output::{seconds, time};

/// All measurements, and on what they were taken. There is no date in it: equal runs give equal files but for times.
#[derive(Serialize)]
pub(super) struct Report {
    version: &'static str,
    device: DeviceUsed,
    pub(super) measurements: Vec<Row>,
}

/// One operation at one size.
#[derive(Serialize)]
pub(super) struct Row {
    operation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<HashName>,
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
    /// Fewer than ten runs, because each is long.
    few_runs: bool,
}

/// What one run works through.
pub(super) struct Rate {
    pub(super) count: u64,
    /// What is counted, per second.
    pub(super) unit: &'static str,
    pub(super) bytes: Option<u64>,
}

impl Report {
    pub(super) fn new(device: DeviceUsed) -> Self {
        Self { version: env!("CARGO_PKG_VERSION"), device, measurements: Vec::new() }
    }

    /// What stands above the table.
    pub(super) fn heading(&self) -> String {
        format!(
            "zkaccel {} on {}\n{:<8}{:<16}{:<6}{:>8}{:>6}{:>14}{:>14}{:>14}{:>24}{:>10}",
            self.version,
            self.device,
            "",
            "hash",
            "size",
            "columns",
            "runs",
            "min",
            "median",
            "max",
            "rate at the median",
            "GB/s"
        )
    }

    /// What stands below it.
    pub(super) fn notes(&self) -> String {
        match self.measurements.iter().any(|row| row.few_runs) {
            true => "* fewer runs than 10, because one takes more than 3 seconds".into(),
            false => String::new(),
        }
    }
}

impl Row {
    pub(super) fn new(
        operation: &'static str,
        hash: Option<HashName>,
        log_size: u32,
        columns: Option<usize>,
        times: Times,
        rate: Rate,
    ) -> Self {
        // No clock is finer than this, and nothing may be divided by zero.
        let median = times.median().as_secs_f64().max(1e-9);
        Self {
            operation,
            hash,
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
        let hash = self.hash.map_or_else(dash, |hash| hash.to_string());
        let columns = self.columns.map_or_else(dash, |columns| columns.to_string());
        let size = format!("2^{}", self.log_size);
        let runs = format!("{}{}", self.runs, if self.few_runs { "*" } else { "" });
        write!(f, "{:<8}{hash:<16}{size:<6}{columns:>8}{runs:>6}", self.operation)?;
        for seconds in [self.min_seconds, self.median_seconds, self.max_seconds] {
            write!(f, "{:>14}", time(seconds))?;
        }
        write!(f, "{:>24}", format!("{} {}", scaled(self.rate), self.rate_unit))?;
        let gigabytes = self.gigabytes_per_second.map_or_else(dash, |rate| format!("{rate:.3}"));
        write!(f, "{gigabytes:>10}")
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
