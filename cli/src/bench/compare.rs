//! Measurements beside older ones.
//!
//! Medians of two processes differ even where nothing has changed, so a difference counts only if it is larger than the spread of the runs:
//! the interquartile ranges must not overlap, and the medians must differ by [`LEAST_CHANGE`]. Measurements of another machine or device
//! are shown and not judged.

use std::fmt;
use std::path::Path;

use super::report::{Device, Measurement, Report, Subject};
use crate::failure::Failure;
use crate::files::input_name;
use crate::output::time;

/// By how much a median must change to count.
const LEAST_CHANGE: f64 = 0.05;

/// What became of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Slower,
    Faster,
    /// Within the spread.
    Same,
    /// Taken elsewhere.
    Elsewhere,
}

/// A measurement that both reports have.
struct Pair<'a> {
    old: &'a Measurement,
    new: &'a Measurement,
    change: Change,
}

/// All of them.
pub(super) struct Comparison<'a> {
    pairs: Vec<Pair<'a>>,
    /// Differences of machines and devices, and what only one report has.
    notes: Vec<String>,
}

impl<'a> Comparison<'a> {
    /// Compares a report with an older one, which has been read from a file; an error if they have no measurement in common.
    pub(super) fn of(old: &'a Report, path: &Path, new: &'a Report) -> Result<Self, Failure> {
        let mut notes = Vec::new();
        if old.version != new.version {
            notes.push(format!("version {} instead of {}", new.version, old.version));
        }
        let same_machine = old.machine == new.machine;
        if !same_machine {
            notes.push(format!(
                "another machine, so nothing is judged: {} with {} threads, {}, instead of {} with {} threads, {}",
                new.machine.processor,
                new.machine.threads,
                new.machine.vectors,
                old.machine.processor,
                old.machine.threads,
                old.machine.vectors
            ));
        }
        let mut pairs = Vec::new();
        for measurement in &new.measurements {
            let same = |old: &&Measurement| key(old) == key(measurement);
            let Some(before) = old.measurements.iter().find(same) else {
                continue;
            };
            let devices = old.device_of(before).zip(new.device_of(measurement));
            let same_device = devices.is_some_and(|(old, new)| description(old) == description(new));
            if let (false, Some((before, now))) = (same_device, devices) {
                let note = format!(
                    "another device {}, so its measurements are not judged: {} instead of {}",
                    now.id,
                    description(now),
                    description(before)
                );
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
            let change = match same_machine && same_device {
                true => Change::of(before, measurement),
                false => Change::Elsewhere,
            };
            pairs.push(Pair { old: before, new: measurement, change });
        }
        if pairs.is_empty() {
            return Err(Failure::new(format_args!(
                "{}: found {}, none of which was measured now, expected at least one of {}",
                input_name(path),
                summary(old),
                summary(new)
            )));
        }
        let only = |here: &Report, there: &Report, which: &str| {
            let found = |run: &&Measurement| !there.measurements.iter().any(|other| key(other) == key(run));
            let count = here.measurements.iter().filter(found).count();
            (count > 0).then(|| format!("only {which}: {count} measurements"))
        };
        notes.extend(only(old, new, &format!("in {}", input_name(path))));
        notes.extend(only(new, old, "measured now"));
        Ok(Self { pairs, notes })
    }

    fn count(&self, change: Change) -> usize {
        self.pairs.iter().filter(|pair| pair.change == change).count()
    }

    /// A slower measurement is status 1.
    pub(super) fn verdict(&self) -> Result<(), Failure> {
        match self.count(Change::Slower) {
            0 => Ok(()),
            slower => Err(Failure::refuted(format_args!(
                "{slower} of {} measurements are slower than before, expected none",
                self.pairs.len()
            ))),
        }
    }
}

/// What makes two measurements comparable.
fn key(measurement: &Measurement) -> (&str, &Subject) {
    (&measurement.device, &measurement.subject)
}

/// What makes two devices the same.
fn description(device: &Device) -> String {
    let driver = device.driver.as_ref().map_or_else(String::new, |driver| format!(", {driver}"));
    format!("{}, {} units{driver}", device.description, device.units)
}

fn summary(report: &Report) -> String {
    let mut operations = Vec::new();
    for measurement in &report.measurements {
        let operation = format!("{} on {}", measurement.subject.operation, measurement.device);
        if !operations.contains(&operation) {
            operations.push(operation);
        }
    }
    match operations.is_empty() {
        true => "no measurements".into(),
        false => operations.join(", "),
    }
}

impl Change {
    fn of(old: &Measurement, new: &Measurement) -> Self {
        let ratio = new.median_seconds / old.median_seconds;
        if ratio >= 1.0 + LEAST_CHANGE && new.lower_quartile_seconds > old.upper_quartile_seconds {
            Self::Slower
        } else if ratio <= 1.0 / (1.0 + LEAST_CHANGE)
            && new.upper_quartile_seconds < old.lower_quartile_seconds
        {
            Self::Faster
        } else {
            Self::Same
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Slower => "SLOWER",
            Self::Faster => "faster",
            Self::Same => "within the spread",
            Self::Elsewhere => "not judged",
        }
    }
}

impl fmt::Display for Comparison<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<12}{:<8}{:<24}{:<6}{:>12}{:>26}{:>12}{:>26}{:>9}",
            "device", "", "variant", "size", "before", "quartiles", "now", "quartiles", "ratio"
        )?;
        for Pair { old, new, change } in &self.pairs {
            let subject = &new.subject;
            let quartiles = |run: &Measurement| {
                format!("{}..{}", time(run.lower_quartile_seconds), time(run.upper_quartile_seconds))
            };
            writeln!(
                f,
                "{:<12}{:<8}{:<24}{:<6}{:>12}{:>26}{:>12}{:>26}{:>9.3}  {}",
                new.device,
                subject.operation,
                variant(subject),
                format!("2^{}", subject.log_size),
                time(old.median_seconds),
                quartiles(old),
                time(new.median_seconds),
                quartiles(new),
                new.median_seconds / old.median_seconds,
                change.name()
            )?;
        }
        let [slower, faster, same, elsewhere] =
            [Change::Slower, Change::Faster, Change::Same, Change::Elsewhere]
                .map(|change| self.count(change));
        write!(f, "{slower} slower, {faster} faster, {same} within the spread")?;
        if elsewhere > 0 {
            write!(f, ", {elsewhere} not judged")?;
        }
        self.notes.iter().try_for_each(|note| write!(f, "\nnote: {note}"))
    }
}

/// The options of a measurement in few words.
fn variant(subject: &Subject) -> String {
    let mut words = Vec::new();
    words.extend(subject.hash.map(|hash| hash.to_string()));
    words.extend(subject.curve.clone());
    words.extend(subject.field.clone());
    words.extend(subject.scalars.clone());
    words.extend(subject.approach.clone());
    words.extend(subject.columns.filter(|&columns| columns > 1).map(|columns| format!("{columns} columns")));
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::report::{Machine, SCHEMA};

    /// A measurement whose median is `median` milliseconds, and whose quartiles are 2 % away.
    fn measurement(log_size: u32, median: f64) -> Measurement {
        let value = serde_json::json!({
            "device": "cpu", "operation": "ntt", "log_size": log_size, "columns": 1, "pinned": false,
            "runs": 10, "few_runs": false,
            "min_seconds": median * 0.97e-3, "lower_quartile_seconds": median * 0.98e-3, "median_seconds": median * 1e-3,
            "upper_quartile_seconds": median * 1.02e-3, "max_seconds": median * 1.5e-3,
            "count": 1, "rate": 1.0, "rate_unit": "elements/s", "bytes": 1, "gigabytes_per_second": 1.0,
        });
        serde_json::from_value(value).unwrap()
    }

    fn report(medians: &[f64]) -> Report {
        let device = serde_json::json!({
            "id": "cpu", "description": "a processor", "units": 2, "reason": "asked for", "tells_time": false,
            "ceilings": {}, "choices": [], "left_out": [], "work": [],
        });
        Report {
            schema: SCHEMA,
            version: "0".into(),
            machine: Machine {
                processor: "a processor".into(),
                vectors: "avx2".into(),
                threads: 2,
                memory_bytes: None,
                system: "linux".into(),
            },
            devices: vec![serde_json::from_value(device).unwrap()],
            measurements: medians.iter().zip(10..).map(|(&median, size)| measurement(size, median)).collect(),
        }
    }

    fn changes(old: &Report, new: &Report) -> Vec<Change> {
        let comparison = Comparison::of(old, Path::new("old.json"), new).unwrap();
        comparison.pairs.iter().map(|pair| pair.change).collect()
    }

    #[test]
    fn a_difference_within_the_spread_is_none() {
        let old = report(&[10.0, 10.0, 10.0, 10.0]);
        let new = report(&[10.3, 10.6, 9.8, 9.4]);
        assert_eq!(changes(&old, &new), [Change::Same, Change::Slower, Change::Same, Change::Faster]);
        let comparison = Comparison::of(&old, Path::new("old.json"), &new).unwrap();
        let failure = comparison.verdict().unwrap_err();
        assert_eq!(
            (failure.status, failure.line().as_str()),
            (1, "1 of 4 measurements are slower than before, expected none")
        );
        assert!(comparison.to_string().contains("SLOWER"));
        assert!(Comparison::of(&new, Path::new("new.json"), &new).unwrap().verdict().is_ok());
    }

    /// Wide quartiles: twice the median is no difference.
    #[test]
    fn noise_is_no_difference() {
        let old = report(&[10.0]);
        let mut new = report(&[20.0]);
        new.measurements[0].lower_quartile_seconds = 0.010;
        assert_eq!(changes(&old, &new), [Change::Same]);
    }

    #[test]
    fn another_machine_or_device_is_told_and_not_judged() {
        let old = report(&[10.0]);
        let mut new = report(&[20.0]);
        new.machine.threads = 4;
        assert_eq!(changes(&old, &new), [Change::Elsewhere]);
        let text = |new: &Report| Comparison::of(&old, Path::new("old.json"), new).unwrap().to_string();
        assert!(text(&new).contains("another machine, so nothing is judged"), "{}", text(&new));
        let mut new = report(&[20.0]);
        new.devices[0].description = "another processor".into();
        assert_eq!(changes(&old, &new), [Change::Elsewhere]);
        assert!(text(&new).contains("another device cpu"), "{}", text(&new));
    }

    #[test]
    fn nothing_in_common_is_an_error() {
        let old = report(&[10.0]);
        let mut new = report(&[10.0]);
        new.measurements[0].subject.log_size = 11;
        let error = Comparison::of(&old, Path::new("old.json"), &new).err().unwrap();
        assert_eq!(error.status, 2);
        assert!(error.line().contains("found ntt on cpu, none of which"), "{}", error.line());
    }
}
