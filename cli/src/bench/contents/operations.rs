//! Time and throughput of each operation; approaches side by side; published numbers beside measurements.

use super::lines::{Indexed, Value, chart, describe, is_best_approach, lines, select, series, table};
use super::over::Over;
use super::{Figures, Words, power};
use crate::bench::counts;
use crate::bench::published::{Comparison, PUBLISHED};
use crate::bench::report::{Measurement, Report};
use crate::page::chart::{Axis, Chart, Point, Series, Source, Style, Ticks};
use crate::page::figure::{Entry, Figure};
use crate::page::frame::Section;
use crate::page::number::si;

/// The section of an operation; none if it was not measured.
pub(super) fn section(report: &Report, words: &Words, figures: &mut Figures) -> Option<Section> {
    let chosen = |run: &Measurement| run.subject.operation == words.operation && is_best_approach(run);
    let all = select(report, chosen);
    let id = words.operation;
    let title = words.title(Over::of_all(all.iter().map(|(_, run)| *run)));
    let body = match id {
        // Eleven hashes on several devices are too many lines for one chart.
        "merkle" => {
            let mut body = String::new();
            for device in &report.devices {
                for (arithmetic, family) in [(true, "arithmetic hashes"), (false, "byte hashes")] {
                    let of_family = |(_, run): &&Indexed<'_>| {
                        let multiplies = run.subject.hash.is_some_and(|hash| counts::tree(hash, 1).is_some());
                        run.device == device.id && multiplies == arithmetic
                    };
                    let runs: Vec<_> = all.iter().filter(of_family).copied().collect();
                    let title = match Over::of_all(runs.iter().map(|(_, run)| *run)) {
                        None => format!("{} with {family} on {}", words.title, device.id),
                        over => format!("{} on {}", words.title(over), device.id),
                    };
                    let id = format!(
                        "{id}-{}-{arithmetic}",
                        device.id.replace(|c: char| !c.is_alphanumeric(), "-")
                    );
                    body += &time_and_rate(&id, &title, words, &runs, figures);
                }
            }
            body
        }
        _ => time_and_rate(id, &title, words, &all, figures),
    };
    (!body.is_empty()).then_some(Section { id, title, body })
}

/// A figure with time on the left and throughput on the right; nothing without measurements.
fn time_and_rate(
    id: &str,
    title: &str,
    words: &Words,
    runs: &[Indexed<'_>],
    figures: &mut Figures,
) -> String {
    let Some((_, first)) = runs.first() else {
        return String::new();
    };
    let lines = lines(runs);
    let (items, unit) = (words.items, &first.rate_unit);
    let time = chart(&format!("{id}-time"), &lines, Value::Time, "Time", "s", items);
    let rate = format!("Throughput, {}", unit.replace("/s", " a second"));
    let rate = chart(&format!("{id}-rate"), &lines, Value::Rate, &rate, unit, items);
    let shape = |run: &Measurement| {
        let columns = run.subject.columns.filter(|&columns| columns > 1);
        let columns = columns.map_or_else(String::new, |columns| format!("{columns} columns. "));
        let blowup = run.subject.blowup.map_or_else(String::new, |blowup| format!("Blow-up {blowup}. "));
        format!("{columns}{blowup}")
    };
    let figure = Figure {
        id: format!("figure-{id}"),
        title: title.into(),
        caption: format!(
            "{}Medians against the number of {items}, as the caller sees them; strokes between the quartiles.",
            shape(first)
        ),
        panels: vec![time.svg(), rate.svg()],
        legend: Vec::new(),
        table: table(format!("{title}: all values"), &lines),
    };
    figures.html(&figure)
}

/// The section on approaches to trees.
pub(super) fn approaches(report: &Report, figures: &mut Figures) -> Section {
    let mut body = String::new();
    let mut done = Vec::new();
    for run in report.measurements.iter().filter(|run| run.subject.approach.is_some()) {
        let key = (&run.device, &run.subject.operation, run.subject.hash);
        if done.contains(&key) {
            continue;
        }
        done.push(key);
        let same = |other: &Measurement| {
            other.subject.approach.is_some()
                && (&other.device, &other.subject.operation, other.subject.hash) == key
        };
        let lines = lines(&select(report, same));
        // With one approach there is nothing to put side by side.
        if lines.len() < 2 {
            continue;
        }
        let words = Words::of(&run.subject.operation);
        let title = format!("Approaches on {}: {}", run.device, words.title(Over::of(&run.subject)));
        let id = format!("approach-{}", done.len());
        let device =
            chart(&format!("{id}-device"), &lines, Value::DeviceTime, "Time on the device", "s", words.items);
        let caller = chart(
            &format!("{id}-caller"),
            &lines,
            Value::Time,
            "Time as the caller sees it",
            "s",
            words.items,
        );
        let figure = Figure {
            id: format!("figure-{id}"),
            title: title.clone(),
            caption: "Level: a launch for each level of the tree. Group: work groups climb several levels. Local: constants in \
                      work-group memory. Auto: the one that was fastest when it was measured; on narrow levels many threads share \
                      a hash."
                .into(),
            panels: vec![device.svg(), caller.svg()],
            legend: Vec::new(),
            table: table(format!("{title}: all values"), &lines),
        };
        body += &figures.html(&figure);
    }
    if body.is_empty() {
        body = "<p>No device of this report was measured with more than one approach. Only devices with their own kernels have a choice of \
                them: <code>zkaccel bench merkle --device cuda:0 --approach all --report FILE</code>.</p>\n"
            .into();
    }
    Section { id: "approaches", title: "Approaches to trees".into(), body }
}

/// The section of published numbers; none if nothing comparable was measured.
pub(super) fn beside_published(report: &Report, figures: &mut Figures) -> Option<Section> {
    let body: String =
        Comparison::ALL.iter().map(|&comparison| beside(report, comparison, figures)).collect();
    let introduction = "<p>Filled marks are measurements of this report, solid as the caller sees them and dashed as the device does; hollow ones \
         are numbers of other programs on the hardware that their labels name. They give an idea of scale: where the hardware is \
         another one they do not compare the programs.</p>\n";
    (!body.is_empty()).then(|| Section {
        id: "published",
        title: "Beside published numbers".into(),
        body: format!("{introduction}<div class=\"pairs\">\n{body}</div>\n"),
    })
}

fn beside(report: &Report, comparison: Comparison, figures: &mut Figures) -> String {
    let measured = lines(&select(report, |run| comparison.is_of(run)));
    if measured.is_empty() {
        return String::new();
    }
    let items = comparison.items();
    let (mut all, mut legend) = (Vec::new(), Vec::new());
    for (colour, line) in measured.iter().enumerate() {
        let device = &line.points[0].1.device;
        for (value, style, seen) in
            [(Value::Time, Style::Line, ""), (Value::DeviceTime, Style::Dashed, ", time on the device")]
        {
            let Some(mut series) = series(line, colour, style, value, items) else { continue };
            // Names stand in the legend and beside the last point: published marks lie to the right of it.
            series.name = String::new();
            if let (Some(last), "") = (series.points.last_mut(), seen) {
                last.label = Some(device.clone());
            }
            all.push(series);
        }
        let alone = measured.iter().filter(|other| other.points[0].1.device == *device).count() == 1;
        let name = if alone { String::new() } else { format!(" ({})", line.name) };
        legend.push(Entry { colour, hollow: false, text: format!("zkaccel on {device}{name}") });
    }
    let mut rows = Vec::new();
    let of_comparison: Vec<_> = PUBLISHED.iter().filter(|number| number.comparison == comparison).collect();
    let mut labels: Vec<&str> = of_comparison.iter().map(|number| number.label).collect();
    labels.dedup();
    for label in labels {
        let colour = legend.len();
        let numbers: Vec<_> = of_comparison.iter().filter(|number| number.label == label).collect();
        let points = numbers.iter().enumerate().map(|(i, number)| Point {
            x: f64::from(number.log_size).exp2(),
            y: number.seconds,
            spread: None,
            tip: format!(
                "{}\n{} {items}: {}",
                number.source,
                power(number.log_size),
                si(number.seconds, "s")
            ),
            label: (i == 0).then(|| label.into()),
            source: Source::Elsewhere,
        });
        let points = points.collect();
        all.push(Series { name: String::new(), colour, style: Style::Hollow, points });
        legend.push(Entry { colour, hollow: true, text: numbers[0].source.into() });
        for number in numbers {
            rows.push((number.log_size, label, si(number.seconds, "s")));
        }
    }
    let title = comparison.title();
    let chart = Chart {
        id: format!("published-{comparison:?}").to_lowercase(),
        title: "Time".into(),
        description: describe(title, &all, "s", items),
        x: Axis { title: items.into(), ticks: Ticks::PowersOfTwo },
        y: Axis { title: "Time".into(), ticks: Ticks::Decimal("s") },
        series: all,
        roofs: Vec::new(),
    };
    let mut table = table(format!("{title}: measurements and published times"), &measured);
    let width = table.columns.len();
    for (log_size, label, time) in rows {
        let mut row = vec!["\u{2013}".to_owned(); width];
        (row[0], row[1], row[2], row[6]) = (label.into(), "published".into(), power(log_size), time);
        table.rows.push(row.into());
    }
    figures.html(&Figure {
        id: format!("figure-published-{comparison:?}").to_lowercase(),
        title: title.into(),
        caption: format!("Time against the number of {items}."),
        panels: vec![chart.svg()],
        legend,
        table,
    })
}
