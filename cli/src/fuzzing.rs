//! What the targets in `fuzz/` call, which are compiled with `--cfg fuzzing`: the command with arguments, and its parser of matrices.

use std::ffi::OsString;
use std::path::Path;

use clap::Parser;

use crate::failure::Failure;
use crate::npy::NpyFile;
use crate::{Arguments, output, run};

/// Why the command ends early.
#[derive(Debug)]
pub struct Refusal {
    /// The exit status.
    pub status: u8,
    /// The line that is printed; empty where clap prints a usage.
    pub line: String,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self { status: failure.status, line: failure.line() }
    }
}

/// Runs the command with arguments, of which the first is its name, without its handlers of signals.
pub fn command<T: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = T>) -> Result<(), Refusal> {
    let parsed = Arguments::try_parse_from(arguments);
    let parsed = parsed.map_err(|error| Refusal { status: error.exit_code() as u8, line: String::new() })?;
    let done = run(parsed.command);
    output::print_warnings();
    Ok(done?)
}

/// The shape and the entries of a `.npy` file of at most `limit` bytes of entries.
pub fn read_matrix(path: &Path, limit: u64) -> Result<([usize; 2], Vec<u64>), Refusal> {
    let file = NpyFile::open(path)?;
    let shape = [file.rows, file.columns];
    Ok((shape, file.read(limit, |_| ())?))
}
