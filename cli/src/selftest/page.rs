//! The page of `--report`: classes of failures, what became of their cases, and every case.

use std::fmt::Write;

use super::{ClassOutcome, Outcome, Report};
use crate::failure::Failure;
use crate::output::time;
use crate::page::escape;
use crate::page::figure::{Table, columns};
use crate::page::frame::{Page, Section, Tile};

/// The file of a report.
pub(super) fn page(report: &Report) -> Result<String, Failure> {
    let Report { version, device, passed, failed, skipped, seconds, classes, cases, .. } = report;
    let tile = |name: &str, value: String, note: &str| Tile { name: name.into(), value, note: note.into() };
    let page = Page {
        title: match failed {
            0 => "This device agrees with the reference".into(),
            1 => "This device differs from the reference in one case".into(),
            _ => format!("This device differs from the reference in {failed} cases"),
        },
        kicker: format!("zkaccel {version} \u{b7} conformance report"),
        summary: format!(
            "{} cases were run on {}, and compared element by element with textbook algorithms on the host, or with known answers. They \
             are grouped by failures that accelerators of this kind have had.",
            cases.len(),
            device.name()
        ),
        tiles: vec![
            tile("Cases that agree", passed.to_string(), "with the reference, to the last bit"),
            tile("Cases that differ", failed.to_string(), "none is what a device must have"),
            tile("Cases skipped", skipped.to_string(), "operations that the device does not offer"),
            tile(
                "Classes of failures",
                classes.len().to_string(),
                "each with a case that would have caught it",
            ),
            tile("Time", time(*seconds), "for all cases"),
        ],
        sections: vec![of_failures(cases), overview(classes), details(classes), all(cases)]
            .into_iter()
            .flatten()
            .collect(),
        footer: format!(
            "Written by zkaccel {version} selftest --report. The JSON of the run, schema {}, stands in this file, in the element with the id \
             \u{201c}data\u{201d}.",
            report.schema
        ),
        data: serde_json::to_string(report).map_err(Failure::new)?,
    };
    Ok(page.html())
}

/// The cases that failed, with what differed; no section where there are none.
fn of_failures(cases: &[Outcome]) -> Option<Section> {
    let failed = cases.iter().filter(|case| !case.passed && !case.skipped);
    let rows: Vec<_> =
        failed.map(|case| vec![case.name.into(), case.message.clone().unwrap_or_default()].into()).collect();
    let table = Table { caption: "Cases that differ".into(), columns: columns(["Case", "Difference"]), rows };
    (!table.rows.is_empty()).then(|| Section {
        id: "differences",
        title: "What differs".into(),
        body: table.html(),
    })
}

/// A line for each class.
fn overview(classes: &[ClassOutcome]) -> Option<Section> {
    let row = |class: &ClassOutcome| {
        let ClassOutcome { id, failure, passed, failed, skipped, .. } = class;
        let verdict = match (failed, passed) {
            (0, 0) => "skipped",
            (0, _) => "passed",
            _ => "failed",
        };
        let [passed, failed, skipped] = [passed, failed, skipped].map(ToString::to_string);
        vec![id.to_string(), verdict.into(), passed, failed, skipped, failure.to_string()].into()
    };
    let table = Table {
        caption: "Classes of failures, and what became of their cases".into(),
        columns: columns(["Class", "Verdict", "#passed", "#failed", "#skipped", "What goes wrong"]),
        rows: classes.iter().map(row).collect(),
    };
    Some(Section { id: "classes", title: "Classes of failures".into(), body: table.html() })
}

/// What would have caught each class, where it was seen, and its cases.
fn details(classes: &[ClassOutcome]) -> Option<Section> {
    let mut body = String::new();
    for ClassOutcome { id, failure, caught_by, reports, cases, .. } in classes {
        let [id, failure, caught_by] = [id, failure, caught_by].map(|text| escape(text));
        let seen = match reports.is_empty() {
            true => "accounts without a number".to_owned(),
            false => escape(&reports.join(", ")),
        };
        let list = cases.iter().fold(String::new(), |mut list, case| {
            // Writing to a string does not fail.
            let _ = writeln!(list, "<li>{}</li>", escape(case));
            list
        });
        let _ = writeln!(
            body,
            "<h3>{id}</h3>\n<p>{failure}. Caught by: {caught_by}. Seen in: {seen}.</p>\n\
             <details><summary>{} cases of {id}</summary>\n<ul>\n{list}</ul>\n</details>",
            cases.len()
        );
    }
    Some(Section { id: "catch", title: "What catches them".into(), body })
}

/// Every case.
fn all(cases: &[Outcome]) -> Option<Section> {
    let row = |case: &Outcome| {
        let verdict = match (case.skipped, case.passed) {
            (true, _) => "skipped",
            (false, true) => "passed",
            (false, false) => "failed",
        };
        vec![case.name.into(), verdict.into(), time(case.seconds), case.message.clone().unwrap_or_default()]
            .into()
    };
    let table = Table {
        caption: "Every case, in the order in which they were run".into(),
        columns: columns(["Case", "Verdict", "#time", "Message"]),
        rows: cases.iter().map(row).collect(),
    };
    Some(Section { id: "cases", title: "Every case".into(), body: table.html() })
}
