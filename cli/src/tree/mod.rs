//! `zkaccel tree`: a picture of a stored commitment's tree, with the paths of opened rows.

mod draw;
mod layout;
mod nodes;

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel::hash::Accelerated;

use self::draw::Picture;
use self::nodes::Nodes;
use crate::failure::Failure;
use crate::files::{self, Contents, NewFile};
use crate::hashes::HashVisitor;
use crate::output::Format;
use crate::parse::{self, Rows};
use crate::store::{self, Description};

/// Rows whose paths are drawn at most: more would not be told apart.
const MOST_ROWS: usize = 64;

/// The largest height of a cap that is drawn: all of its digests are.
const HIGHEST_CAP: u32 = 6;

/// Draw the tree of a stored commitment with the paths of opened rows
///
/// The picture shows the opened rows with their values, the nodes that a verifier computes on their paths, the siblings that the proof
/// carries, and the root or the cap. Trees of up to 16 leaves are shown whole; of larger ones a subtree that the paths do not enter is
/// drawn as a triangle with the number of its leaves. Every digest that is shown was checked against the root.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder that `zkaccel commit --out` has filled
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Rows of the extension to open, counted from 0 and separated by commas, each once; at most 64
    #[arg(long, value_name = "ROWS", value_parser = parse::rows)]
    rows: Rows,

    /// The file for the picture
    #[arg(long, value_name = "FILE.svg")]
    svg: PathBuf,

    /// Mark the cap of this height, 2^H digests below the root that a verifier knows instead of it; at most 6
    #[arg(long, value_name = "H", default_value = "0", value_parser = parse::number::<u32>)]
    cap_height: u32,

    #[command(flatten)]
    format: Format,
}

/// The printed result.
#[derive(Serialize)]
struct Report {
    svg: String,
    root: String,
    rows: Vec<usize>,
    /// Digests that the proof carries.
    siblings: usize,
    cap_height: u32,
    width: u32,
    height: u32,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        files::expect_folder("DIR", &self.folder)?;
        if self.rows.0.len() > MOST_ROWS {
            let found = self.rows.0.len();
            return Err(Failure::new(format_args!(
                "--rows: found {found} rows, expected at most {MOST_ROWS}"
            )));
        }
        let description = Description::read(&self.folder)?;
        let depth = description.extension_rows.trailing_zeros();
        let highest = depth.min(HIGHEST_CAP);
        if self.cap_height > highest {
            let found = self.cap_height;
            return Err(Failure::new(format_args!(
                "--cap-height: found {found}, expected at most {highest}"
            )));
        }
        description.hash.visit(Draw { arguments: &self, description: &description })
    }
}

struct Draw<'a> {
    arguments: &'a Arguments,
    description: &'a Description,
}

impl HashVisitor for Draw<'_> {
    type Output = Result<(), Failure>;

    fn visit<H: Accelerated>(self) -> Result<(), Failure> {
        let Self { arguments: Arguments { folder, rows, svg, cap_height, format }, description } = self;
        let opening = store::open_rows::<H>(folder, description, &rows.0)?;
        let nodes = Nodes::of(folder, description, &opening, *cap_height)?;
        let picture = Picture::new(description, &opening, &nodes, *cap_height);
        NewFile::create(svg, Contents::Text)?.fill(|file| write!(file, "{picture}"))?;
        let report = Report {
            svg: files::output_name(svg),
            root: description.root.clone(),
            rows: opening.opening.indices,
            siblings: nodes.siblings(),
            cap_height: *cap_height,
            width: picture.width,
            height: picture.height,
        };
        format.print_beside(Some(svg), &report)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { svg, root, rows, siblings, width, height, .. } = self;
        let count = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let (rows, siblings) = (count(rows.len(), "row"), count(*siblings, "sibling"));
        writeln!(f, "drew {rows} and {siblings} in {svg} ({width} x {height})")?;
        writeln!(f, "root {root}")
    }
}
