//! Measurements as a table on a terminal.

use super::contents::Over;
use super::report::{Device, Measurement, Report};
use crate::output::time;

/// The text above the table of a device.
pub(super) fn heading(version: &str, device: &Device, pinned: bool) -> String {
    let ceilings = &device.ceilings;
    let mut lines = vec![format!(
        "zkaccel {version} on {}, {}, {} ({})",
        device.id,
        device.description,
        if device.units == 1 { "1 thread".into() } else { format!("{} threads", device.units) },
        device.reason
    )];
    let mut copies = Vec::new();
    copies.extend(
        ceilings
            .copy_gigabytes_per_second
            .map(|rate| format!("copies on the device {rate:.1} GB/s (bytes read and bytes written)")),
    );
    copies.extend(
        ceilings
            .upload_gigabytes_per_second
            .map(|rate| format!("from page-locked host memory {rate:.1} GB/s")),
    );
    copies.extend(ceilings.download_gigabytes_per_second.map(|rate| format!("to it {rate:.1} GB/s")));
    lines.push(copies.join(", "));
    let products = [
        (ceilings.goldilocks_products_per_second, "Goldilocks"),
        (ceilings.bn254_products_per_second, "BN254"),
    ];
    let products: Vec<_> = products
        .into_iter()
        .filter_map(|(rate, field)| Some(format!("{}products/s over {field}", scaled(rate?))))
        .collect();
    lines.push(products.join(", "));
    if pinned {
        lines.push("inputs in page-locked memory".into());
    }
    lines.push("GB/s: the input read once and the output written once, in the median time".into());
    lines.retain(|line| !line.is_empty());
    let mut columns = format!(
        "{:<10}{:<24}{:<6}{:>8}{:>6}{:>14}{:>14}{:>14}{:>24}{:>10}",
        "", "over", "size", "columns", "runs", "min", "median", "max", "rate at the median", "GB/s"
    );
    if device.tells_time {
        columns +=
            &format!("{:>14}{:>24}{:>10}{:>10}  approach", "on device", "rate on device", "GB/s", "of copy");
    }
    lines.push(columns);
    lines.join("\n")
}

/// The line of a measurement.
pub(super) fn line(measurement: &Measurement) -> String {
    let subject = &measurement.subject;
    let dash = || "-".to_owned();
    let over = Over::of(subject).map_or_else(dash, |over| over.name().to_owned());
    let over = subject.scalars.iter().fold(over, |over, scalars| format!("{over}, {scalars}"));
    let columns = subject.columns.map_or_else(dash, |columns| columns.to_string());
    let size = format!("2^{}", subject.log_size);
    let runs = format!("{}{}", measurement.runs, if measurement.few_runs { "*" } else { "" });
    let rate = |rate: f64| format!("{}{}", scaled(rate), measurement.rate_unit);
    let mut line = format!("{:<10}{over:<24}{size:<6}{columns:>8}{runs:>6}", subject.operation);
    for seconds in [measurement.min_seconds, measurement.median_seconds, measurement.max_seconds] {
        line += &format!("{:>14}", time(seconds));
    }
    line += &format!("{:>24}{:>10.3}", rate(measurement.rate), measurement.gigabytes_per_second);
    if let Some(on_device) = &measurement.on_device {
        let share = on_device.share_of_copy_bandwidth.map_or_else(dash, |x| format!("{:.2} %", 100.0 * x));
        let approach = subject.approach.as_deref().unwrap_or("-");
        line += &format!(
            "{:>14}{:>24}{:>10.3}{share:>10}  {approach}",
            time(on_device.device_median_seconds),
            rate(on_device.device_rate),
            on_device.device_gigabytes_per_second
        );
    }
    line
}

/// The text below the table of a device, whose measurements are the last ones.
pub(super) fn notes(report: &Report, device: &Device) -> String {
    let measurements = || report.measurements.iter().filter(|run| run.device == device.id);
    let few_runs = measurements().any(|run| run.few_runs);
    let few_runs = few_runs.then(|| {
        "* fewer runs than 10, because one takes more than 3 seconds, or in a tour more than 0.2".into()
    });
    let blowup = measurements().find_map(|run| run.subject.blowup);
    let blowup = blowup.map(|factor| format!("lde and commit: blow-up {factor}"));
    let left_out = device.left_out.iter().map(|reason| format!("not measured: {reason}"));
    // With one device it is clear which did the work.
    let work = device.work.iter().filter(|_| device.is_several()).map(ToString::to_string);
    few_runs.into_iter().chain(blowup).chain(left_out).chain(work).collect::<Vec<String>>().join("\n")
}

/// A number with a decimal prefix, ready for a unit.
pub(super) fn scaled(value: f64) -> String {
    match value {
        v if v >= 1e9 => format!("{:.3} G", v / 1e9),
        v if v >= 1e6 => format!("{:.3} M", v / 1e6),
        v if v >= 1e3 => format!("{:.3} k", v / 1e3),
        v => format!("{v:.0} "),
    }
}
