//! The page of `--report`: what it says, in which order. How a page looks is in `crate::page`.

mod lines;
mod machine;
mod operations;
mod over;
mod roofline;
mod shares;

use super::report::{Measurement, Report, Subject};
use crate::failure::Failure;
use crate::page::figure::Figure;
use crate::page::frame::{Page, Section, Tile};
use crate::page::number::si;
use over::Kind;
pub(super) use over::Over;

/// Figures of a page, which are numbered in the order in which they come.
#[derive(Default)]
struct Figures {
    count: usize,
}

impl Figures {
    fn html(&mut self, figure: &Figure) -> String {
        self.count += 1;
        figure.html(self.count)
    }
}

/// The operations in the order of the page, with the titles of their sections and of their headline figures.
const OPERATIONS: [Words; 15] = [
    Words::new("merkle", Kind::Hash, ["Merkle trees", "Merkle tree", "leaves"]),
    Words::new("ntt", Kind::Goldilocks, ["Transforms", "NTT", "points"]),
    Words::new("lde", Kind::Goldilocks, ["Low-degree extensions", "Low-degree extension", "rows"]),
    Words::new("commit", Kind::Hash, ["Commitments to traces", "Commitment", "rows"]),
    Words::new("msm", Kind::Curve, ["Multi-scalar multiplication", "MSM", "pairs"]),
    Words::new("fft", Kind::Field, ["Transforms", "FFT", "points"]),
    Words::new("rows", Kind::Hash, ["Digests of rows", "Digests of rows", "rows"]),
    Words::new("points", Kind::Curve, ["Transforms of points", "Transform of points", "points"]),
    Words::new("invert", Kind::Field, ["Inverses", "Inverses", "elements"]),
    Words::new("multiply", Kind::Field, ["Products of vectors", "Product of vectors", "elements"]),
    Words::new("combine", Kind::Field, ["Combinations of columns", "Combination of columns", "rows"]),
    Words::new("prefix", Kind::Field, ["Prefix products", "Prefix products", "rows"]),
    Words::new("program", Kind::Field, ["Row programs: PLONK's gate", "Row program", "rows"]),
    Words::new("lookup", Kind::Field, ["Permuted columns of lookups", "Lookup", "rows"]),
    Words::new("sparse", Kind::Field, ["Products with sparse matrices", "Sparse product", "rows"]),
];

/// What an operation is called, without the hash, the curve or the field that it is over.
struct Words {
    operation: &'static str,
    /// What it is over.
    kind: Kind,
    title: &'static str,
    /// The operation itself.
    what: &'static str,
    /// What sizes count.
    items: &'static str,
}

impl Words {
    const fn new(operation: &'static str, kind: Kind, [title, what, items]: [&'static str; 3]) -> Self {
        Self { operation, kind, title, what, items }
    }

    fn of(operation: &str) -> &'static Self {
        OPERATIONS.iter().find(|words| words.operation == operation).unwrap_or(&OPERATIONS[0])
    }

    /// The title of measurements that are all over the same, or over several.
    fn title(&self, over: Option<Over<'_>>) -> String {
        let several = || if self.kind == Kind::Field { " over scalar fields".into() } else { String::new() };
        format!("{}{}", self.title, over.map_or_else(several, Over::phrase))
    }
}

/// The file of a report.
pub(super) fn page(report: &Report) -> Result<String, Failure> {
    let mut figures = Figures::default();
    let mut sections = vec![machine::section(report)];
    for words in &OPERATIONS {
        sections.extend(operations::section(report, words, &mut figures));
    }
    sections.push(operations::approaches(report, &mut figures));
    sections.push(shares::section(report, &mut figures));
    sections.push(roofline::section(report, &mut figures));
    sections.extend(operations::beside_published(report, &mut figures));
    sections.push(method());
    let page = Page {
        title: "How fast zkaccel is on this machine".into(),
        kicker: format!("zkaccel {} \u{b7} benchmark report", report.version),
        summary: summary(report),
        tiles: tiles(report),
        sections,
        footer: format!(
            "Written by zkaccel {} bench --report. The JSON of all measurements, schema {}, stands in this file, in the element \
             with the id \u{201c}data\u{201d}.",
            report.version, report.schema
        ),
        data: serde_json::to_string(report).map_err(Failure::new)?,
    };
    Ok(page.html())
}

/// The greatest size of each operation, by the device that is fastest there; of several hashes, curves or fields the one that
/// comes first, for sums uniform scalars.
fn headlines(report: &Report) -> Vec<(&'static Words, &Measurement)> {
    let fastest = |words: &'static Words| {
        let of_operation =
            || report.measurements.iter().filter(|run| run.subject.operation == words.operation);
        let first = of_operation().next()?;
        let same = |run: &&Measurement| {
            Over::of(&run.subject) == Over::of(&first.subject) && run.subject.scalars == first.subject.scalars
        };
        let greatest = of_operation().filter(same).map(|run| run.subject.log_size).max()?;
        let largest = of_operation().filter(same).filter(|run| run.subject.log_size == greatest);
        let best = largest.min_by(|a, b| a.median_seconds.total_cmp(&b.median_seconds))?;
        Some((words, best))
    };
    OPERATIONS.iter().filter_map(fastest).collect()
}

/// An operation with the hash, the curve or the field that it is over.
fn what(subject: &Subject) -> String {
    let over = Over::of(subject).map_or_else(String::new, Over::phrase);
    format!("{}{over}", Words::of(&subject.operation).what)
}

fn tiles(report: &Report) -> Vec<Tile> {
    let tile = |(words, run): (&Words, &Measurement)| {
        let columns = run.subject.columns.filter(|&columns| columns > 1);
        let columns = columns.map_or_else(String::new, |columns| format!(" \u{d7}\u{a0}{columns}"));
        Tile {
            name: format!(
                "{}, {}\u{a0}{}{columns}",
                what(&run.subject),
                power(run.subject.log_size),
                words.items
            ),
            value: si(run.median_seconds, "s"),
            note: format!("{} on {}", si(run.rate, &run.rate_unit), run.device),
        }
    };
    headlines(report).into_iter().map(tile).collect()
}

fn summary(report: &Report) -> String {
    let machine = &report.machine;
    let devices: Vec<_> = report.devices.iter().map(|device| device.id.as_str()).collect();
    let threads =
        if machine.threads == 1 { "one thread".into() } else { format!("{} threads", machine.threads) };
    let runs = report.measurements.iter().map(|run| run.runs);
    format!(
        "{} measurements of {} on {}, a machine with {threads} and the vector instructions {}. Every time is the median of {} to {} runs as \
         the caller sees it, transfers included; the least, the greatest and the quartiles are in the tables.",
        report.measurements.len(),
        if devices.len() == 1 {
            format!("the device {}", devices[0])
        } else {
            format!("the devices {}", devices.join(", "))
        },
        machine.processor,
        machine.vectors,
        runs.clone().min().unwrap_or(0),
        runs.max().unwrap_or(0),
    )
}

fn method() -> Section {
    let body = "<p>Each size was run once to warm up, and then 10 to 200 times until half a second had passed. Where one run took more \
         than 3 seconds, or in a tour more than 0.2 seconds, there were 3 runs at least instead of 10. Inputs lay in memory before the measured time began, and results were dropped after it ended. \
         Vertical strokes through the points of a line go from the lower to the upper quartile.</p>\n\
         <p>Bytes are those that any algorithm must move: the input, read once, and the output, written once. Products are those of the \
         best algorithm that the library knows; a device that multiplies more than it must lies lower in the roofline. \
         <code>docs/bench.md</code> has the formulas, and the fields of the JSON.</p>\n";
    Section { id: "method", title: "How it was measured".into(), body: body.into() }
}

/// 2 to a power, as text.
fn power(exponent: u32) -> String {
    let digits = exponent
        .to_string()
        .chars()
        .map(|digit| match digit {
            '1' => '\u{b9}',
            '2' => '\u{b2}',
            '3' => '\u{b3}',
            digit => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
        })
        .collect::<String>();
    format!("2{digits}")
}

#[cfg(test)]
mod tests;
