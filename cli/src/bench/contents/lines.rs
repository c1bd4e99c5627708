//! Measurements as lines of charts and rows of tables.

use super::over::Over;
use super::{power, what};
use crate::bench::report::{Measurement, Report, Subject};
use crate::page::chart::{Axis, Chart, Point, Series, Source, Style, Ticks};
use crate::page::figure::{Row, Table, columns};
use crate::page::number::si;

/// A measurement and where it stands in the report.
pub(super) type Indexed<'a> = (usize, &'a Measurement);

/// Measurements that differ in their sizes alone, smallest first.
pub(super) struct Line<'a> {
    /// What tells it from the other lines; empty for a single one.
    pub(super) name: String,
    pub(super) points: Vec<Indexed<'a>>,
}

/// A value of a measurement.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// The time that the caller sees.
    Time,
    /// Items a second in that time.
    Rate,
    /// The time on the device.
    DeviceTime,
}

impl Value {
    /// The value, and the name of its field.
    fn of(self, run: &Measurement) -> Option<(f64, &'static str)> {
        match self {
            Self::Time => Some((run.median_seconds, "median_seconds")),
            Self::Rate => Some((run.rate, "rate")),
            Self::DeviceTime => {
                run.on_device.as_ref().map(|it| (it.device_median_seconds, "device_median_seconds"))
            }
        }
    }
}

/// Where the page's data have a measurement.
pub(super) fn path(index: usize) -> String {
    format!("measurements/{index}")
}

/// The measurements that a condition selects.
pub(super) fn select(report: &Report, keep: impl Fn(&Measurement) -> bool) -> Vec<Indexed<'_>> {
    report.measurements.iter().enumerate().filter(|(_, run)| keep(run)).collect()
}

/// Whether no other approach to the same tree is expected to be faster.
pub(super) fn is_best_approach(run: &Measurement) -> bool {
    run.subject.approach.as_deref().is_none_or(|approach| approach == "auto")
}

/// Measurements by lines, in the order in which they were taken. A line's name has the options in which the lines differ.
pub(super) fn lines<'a>(measurements: &[Indexed<'a>]) -> Vec<Line<'a>> {
    let mut groups: Vec<(Subject, &str, Vec<Indexed<'a>>)> = Vec::new();
    for &(index, run) in measurements {
        let series = run.subject.series();
        match groups.iter_mut().find(|group| group.0 == series && group.1 == run.device) {
            Some(group) => group.2.push((index, run)),
            None => groups.push((series, &run.device, vec![(index, run)])),
        }
    }
    let options: Vec<_> = groups.iter().map(|(subject, device, _)| options(subject, device)).collect();
    // Where a hash has no approaches, there is nothing that differs from the best one.
    let best_only = groups.iter().all(|group| is_best_approach(group.2[0].1));
    let differs =
        |i: usize| !(best_only && i == APPROACH) && options.iter().any(|each| each[i] != options[0][i]);
    let name = |each: &[String]| {
        let parts = each.iter().enumerate().filter(|(i, text)| differs(*i) && !text.is_empty());
        parts.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(", ")
    };
    let mut lines: Vec<_> = groups
        .iter_mut()
        .zip(&options)
        .map(|(group, each)| Line { name: name(each), points: std::mem::take(&mut group.2) })
        .collect();
    for line in &mut lines {
        line.points.sort_by_key(|(_, run)| run.subject.log_size);
    }
    lines
}

/// The place of the approach among the options.
const APPROACH: usize = 3;

/// The options of a measurement as texts, each in its place.
fn options(subject: &Subject, device: &str) -> [String; 9] {
    let flag = |value: Option<bool>, yes: &str| if value == Some(true) { yes.into() } else { String::new() };
    [
        if subject.hash.is_none() { subject.operation.clone() } else { String::new() },
        Over::of(subject).map_or_else(String::new, |over| over.name().into()),
        subject.scalars.clone().unwrap_or_default(),
        subject.approach.clone().unwrap_or_default(),
        subject.columns.map_or_else(String::new, |columns| format!("{columns} columns")),
        subject.blowup.map_or_else(String::new, |blowup| format!("blow-up {blowup}")),
        flag(Some(subject.pinned), "page-locked"),
        flag(subject.tables, "tables") + &flag(subject.kept_scalars, " kept scalars"),
        device.into(),
    ]
}

/// What the pointer shows of a measurement.
pub(super) fn tip(name: &str, items: &str, run: &Measurement) -> String {
    let heading =
        [name, &run.device].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" \u{b7} ");
    let mut tip = format!(
        "{heading}\n{} {items}: {}\n{}",
        power(run.subject.log_size),
        si(run.median_seconds, "s"),
        si(run.rate, &run.rate_unit)
    );
    if let Some(on_device) = &run.on_device {
        tip += &format!("\non the device: {}", si(on_device.device_median_seconds, "s"));
    }
    tip
}

/// A line as a series of a chart; none if the measurements lack the value.
pub(super) fn series(
    line: &Line<'_>,
    colour: usize,
    style: Style,
    value: Value,
    items: &str,
) -> Option<Series> {
    let points: Vec<Point> = line
        .points
        .iter()
        .filter_map(|&(index, run)| {
            let (y, field) = value.of(run)?;
            let spread = matches!(value, Value::Time)
                .then_some([run.lower_quartile_seconds, run.upper_quartile_seconds]);
            Some(Point {
                x: f64::from(run.subject.log_size).exp2(),
                y,
                spread,
                tip: tip(&line.name, items, run),
                label: None,
                source: Source::Data(format!("{}/{field}", path(index))),
            })
        })
        .collect();
    (!points.is_empty()).then(|| Series { name: line.name.clone(), colour, style, points })
}

/// A chart of a value against the size.
pub(super) fn chart(
    id: &str,
    lines: &[Line<'_>],
    value: Value,
    title: &str,
    unit: &str,
    items: &str,
) -> Chart {
    let series: Vec<_> = lines
        .iter()
        .enumerate()
        .filter_map(|(colour, line)| series(line, colour, Style::Line, value, items))
        .collect();
    Chart {
        id: id.into(),
        title: title.into(),
        description: describe(title, &series, unit, items),
        x: Axis { title: items.into(), ticks: Ticks::PowersOfTwo },
        y: Axis { title: title.into(), ticks: Ticks::Decimal(if unit == "s" { "s" } else { "" }) },
        series,
        roofs: Vec::new(),
    }
}

/// The ends of the lines in words.
pub(super) fn describe(title: &str, series: &[Series], unit: &str, items: &str) -> String {
    let ends = series.iter().filter_map(|series| {
        let (first, last) = (series.points.first()?, series.points.last()?);
        let name = if series.name.is_empty() { String::new() } else { format!("{}: ", series.name) };
        let size = |point: &Point| power(point.x.log2().round() as u32);
        Some(format!(
            "{name}from {} at {} to {} at {}",
            si(first.y, unit),
            size(first),
            si(last.y, unit),
            size(last)
        ))
    });
    format!("{title} against {items}, both axes logarithmic. {}.", ends.collect::<Vec<_>>().join("; "))
}

/// The measurements of lines as a table.
pub(super) fn table(caption: String, lines: &[Line<'_>]) -> Table {
    let on_device = lines.iter().flat_map(|line| &line.points).any(|(_, run)| run.on_device.is_some());
    let mut head = columns([
        "Series",
        "Device",
        "#Size",
        "#Runs",
        "#Least",
        "#Lower quartile",
        "#Median",
        "#Upper quartile",
        "#Greatest",
        "#Rate",
        "#GB/s",
    ]);
    if on_device {
        head.extend(columns(["#On the device", "#Rate there", "#Share of copies"]));
    }
    let mut rows = Vec::new();
    for (line, &(index, run)) in
        lines.iter().flat_map(|line| line.points.iter().map(move |point| (line, point)))
    {
        let name = if line.name.is_empty() { what(&run.subject) } else { line.name.clone() };
        let mut row = vec![name, run.device.clone(), power(run.subject.log_size), run.runs.to_string()];
        let times = [
            run.min_seconds,
            run.lower_quartile_seconds,
            run.median_seconds,
            run.upper_quartile_seconds,
            run.max_seconds,
        ];
        row.extend(times.map(|time| si(time, "s")));
        row.push(si(run.rate, &run.rate_unit));
        row.push(format!("{:.3}", run.gigabytes_per_second));
        match &run.on_device {
            Some(it) => {
                row.push(si(it.device_median_seconds, "s"));
                row.push(si(it.device_rate, &run.rate_unit));
                let share = it.share_of_copy_bandwidth.map(|share| format!("{:.1}\u{202f}%", 100.0 * share));
                row.push(share.unwrap_or_else(|| "\u{2013}".into()));
            }
            None if on_device => row.extend(std::iter::repeat_n("\u{2013}".to_owned(), 3)),
            None => {}
        }
        rows.push(Row { source: Some(path(index)), cells: row });
    }
    Table { caption, columns: head, rows }
}
