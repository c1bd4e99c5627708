//! Where the time of a run goes: work of the device, transfers, and the host.

use super::lines::{Line, is_best_approach, lines, path, select};
use super::{Figures, power, what};
use crate::bench::report::{Measurement, OnDevice, Report};
use crate::page::bars::{Bar, Bars, Part};
use crate::page::figure::{Entry, Figure, Row, Table, columns};
use crate::page::frame::Section;
use crate::page::number::si;

/// The parts of a run, in seconds.
struct Parts {
    device: f64,
    /// Copies at the bandwidth of the link, without what overlaps with the device's work.
    transfers: f64,
    /// What is left: work of the host, staging, waiting.
    host: f64,
}

impl Parts {
    fn of(run: &Measurement, on_device: &OnDevice) -> Self {
        let whole = run.median_seconds;
        let device = on_device.device_median_seconds.min(whole);
        let transfers = on_device.transfer_seconds.unwrap_or(0.0).min(whole - device);
        Self { device, transfers, host: whole - device - transfers }
    }
}

/// The parts in paths of sources.
const KEYS: [&str; 3] = ["device", "transfers", "rest"];

const NAMES: [&str; 3] = [
    "work of the device, by its own clock",
    "transfers, at the measured bandwidth of the link",
    "the rest: the host\u{2019}s own work, copies to staging memory, waiting",
];

/// The section on the parts of runs, with a figure for each device that tells its time.
pub(super) fn section(report: &Report, figures: &mut Figures) -> Section {
    let mut body = String::new();
    for (number, device) in report.devices.iter().enumerate() {
        let chosen =
            |run: &Measurement| run.device == device.id && run.on_device.is_some() && is_best_approach(run);
        let (mut bars, mut rows) = (Vec::new(), Vec::new());
        for line in lines(&select(report, chosen)) {
            let Some((index, run, on_device)) = largest(&line) else { continue };
            let name = title(run);
            let parts = Parts::of(run, on_device);
            let whole = run.median_seconds;
            let times = [parts.device, parts.transfers, parts.host];
            let part = |colour: usize| Part {
                colour: COLOURS[colour],
                share: times[colour] / whole,
                tip: format!(
                    "{name}\n{}: {}, {:.1}\u{202f}%",
                    NAMES[colour],
                    si(times[colour], "s"),
                    100.0 * times[colour] / whole
                ),
                source: format!("{}/{}", path(index), KEYS[colour]),
                seconds: times[colour],
            };
            bars.push(Bar {
                name: name.clone(),
                total: si(whole, "s"),
                parts: vec![part(0), part(1), part(2)],
            });
            let mut row = vec![name];
            row.extend([whole, times[0], times[1], times[2]].map(|time| si(time, "s")));
            row.extend([on_device.bytes_in, on_device.bytes_out].map(|bytes| si(bytes as f64, "B")));
            rows.push(Row { source: Some(path(index)), cells: row });
        }
        if bars.is_empty() {
            continue;
        }
        let title = format!("Where the time goes on {}", device.id);
        let drawing = Bars {
            id: format!("shares-{number}"),
            title: title.clone(),
            description: "For each operation at its greatest size, the shares of the device, of transfers and of the host in the \
                          time that the caller sees; the table has the values."
                .into(),
            bars,
        };
        let legend = NAMES.iter().zip(COLOURS).map(|(&text, colour)| Entry {
            colour,
            hollow: false,
            text: text.into(),
        });
        body += &figures.html(&Figure {
            id: format!("figure-shares-{number}"),
            title: title.clone(),
            caption: "Each operation at its greatest size; the whole bar is the median that the caller sees, which stands at its right. Where \
                      transfers overlap with the work of the device, only what does not overlap is shown as transfers."
                .into(),
            panels: vec![drawing.svg()],
            legend: legend.collect(),
            table: Table {
                caption: format!("{title}: times and bytes of one run"),
                columns: columns(["Operation", "#Whole", "#Device", "#Transfers", "#Rest", "#Bytes in", "#Bytes out"]),
                rows,
            },
        });
    }
    if body.is_empty() {
        body = "<p>The devices of this report are the host itself: nothing is transferred, and all of the time is theirs. A device with a clock \
                of its own, such as a GPU, has a figure here.</p>\n"
            .into();
    }
    Section { id: "shares", title: "Where the time goes".into(), body }
}

/// The colours of the parts.
const COLOURS: [usize; 3] = [0, 1, 7];

/// The greatest size of a line, and its place in the report.
fn largest<'a>(line: &Line<'a>) -> Option<(usize, &'a Measurement, &'a OnDevice)> {
    let &(index, run) = line.points.last()?;
    Some((index, run, run.on_device.as_ref()?))
}

/// An operation with what it is over, its variant and its size.
pub(super) fn title(run: &Measurement) -> String {
    let subject = &run.subject;
    let scalars = subject.scalars.as_ref().map_or_else(String::new, |scalars| format!(", {scalars}"));
    let columns = subject.columns.filter(|&columns| columns > 1);
    let columns = columns.map_or_else(String::new, |columns| format!(" \u{d7} {columns}"));
    format!("{}{scalars}, {}{columns}", what(subject), power(subject.log_size))
}
