//! Output on stdout: text for people or one JSON value for machines.

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::failure::{Context, Failure, printable_line};
use crate::files;

/// The choice between text and JSON.
#[derive(clap::Args)]
pub(crate) struct Format {
    /// Print the result as one JSON value instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

impl Format {
    /// Prints a result.
    pub(crate) fn print<R: Serialize + Display>(&self, result: &R) -> Result<(), Failure> {
        match self.json {
            true => print(&json(result)?),
            false => print(&result.to_string()),
        }
    }

    /// Prints a report on what went to a file: to stderr where that file is standard output.
    pub(crate) fn print_beside<R: Serialize + Display>(
        &self,
        output: Option<&Path>,
        report: &R,
    ) -> Result<(), Failure> {
        if !output.is_some_and(files::is_standard) {
            return self.print(report);
        }
        let text = if self.json { json(report)? } else { report.to_string() };
        // Stderr may be closed; the result has been written.
        let _ = writeln!(std::io::stderr(), "{}", text.trim_end());
        Ok(())
    }
}

/// Names in a sentence: `a, b and c`.
pub(crate) fn enumeration(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).into(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

/// Prints the warnings of the library's cache.
pub(crate) fn print_warnings() {
    zkaccel::cache::warnings().iter().for_each(|warning| warn(warning));
}

/// Prints a warning to stderr, which may be closed.
pub(crate) fn warn(warning: &str) {
    let _ = writeln!(std::io::stderr(), "warning: {}", printable_line(warning));
}

/// A value as indented JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map_err(Failure::new)
}

/// Prints a text and a line's end. A reader that has closed the pipe (`| head`) is not an error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    if text.is_empty() {
        return Ok(());
    }
    let mut stdout = std::io::stdout().lock();
    match writeln!(stdout, "{}", text.trim_end()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("cannot write to stdout"),
        _ => Ok(()),
    }
}

/// A time with a unit that suits it.
pub(crate) fn time(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.3} s"),
        s if s >= 1e-3 => format!("{:.3} ms", s * 1e3),
        s => format!("{:.3} us", s * 1e6),
    }
}

/// A time as JSON has it: seconds, to the microsecond.
pub(crate) fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e6
}
