//! `zkaccel open`: a proof for rows of a stored commitment.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel::hash::Accelerated;

use crate::failure::Failure;
use crate::files::{self, Contents, NewFile};
use crate::hashes::HashVisitor;
use crate::output::{self, Format};
use crate::parse::{self, Rows};
use crate::proof::Proof;
use crate::store::{self, Description};

/// Open rows of a stored commitment
///
/// Reads only the rows and the nodes of the tree that the proof needs, and writes the proof only if it leads to the root of the
/// commitment.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder that `zkaccel commit --out` has filled
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Rows of the extension to open, counted from 0 and separated by commas, each once
    #[arg(long, value_name = "ROWS", value_parser = parse::rows)]
    rows: Rows,

    /// The file for the proof [default: stdout]
    #[arg(long, value_name = "PROOF.json")]
    out: Option<PathBuf>,

    #[command(flatten)]
    format: Format,
}

/// The printed result when the proof goes to a file.
#[derive(Serialize)]
struct Report {
    proof: String,
    root: String,
    rows: Vec<usize>,
    bytes: usize,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        files::expect_folder("DIR", &self.folder)?;
        let description = Description::read(&self.folder)?;
        description.hash.visit(Open { arguments: &self, description: &description })
    }
}

struct Open<'a> {
    arguments: &'a Arguments,
    description: &'a Description,
}

impl HashVisitor for Open<'_> {
    type Output = Result<(), Failure>;

    fn visit<H: Accelerated>(self) -> Result<(), Failure> {
        let Self { arguments, description } = self;
        let opening = store::open_rows::<H>(&arguments.folder, description, &arguments.rows.0)?;
        let Description { hash, extension_rows, columns, .. } = *description;
        let text = output::json(&Proof::new(hash, extension_rows, columns, &opening))?;
        let Some(path) = &arguments.out else {
            return output::print(&text);
        };
        NewFile::create(path, Contents::Text)?.fill(|file| writeln!(file, "{text}"))?;
        let report = Report {
            proof: files::output_name(path),
            root: description.root.clone(),
            rows: opening.opening.indices,
            bytes: text.len() + 1,
        };
        arguments.format.print_beside(Some(path), &report)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { proof, root, rows, bytes } = self;
        let count = if rows.len() == 1 { "1 row".into() } else { format!("{} rows", rows.len()) };
        writeln!(f, "opened {count} in {proof} ({bytes} bytes)")?;
        writeln!(f, "root {root}")
    }
}
