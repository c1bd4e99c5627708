//! `zkaccel verify`: a proof against a root.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel::hash::Accelerated;
use zkaccel::merkle::Cap;

use crate::failure::{Context, Failure};
use crate::hashes::{HashName, HashVisitor};
use crate::output::Format;
use crate::parse;
use crate::proof::Proof;

/// Verify opened rows against a root
///
/// Exit status 0: the proof is true; 1: it is well-formed and false; 2: it is malformed.
///
/// The hash and the shape of the extension (rows and columns) are taken from the proof unless options pin the shape.
/// A verifier who knows the shape should pin it: the hashes do not tell rows from inner nodes of the tree, so that the
/// two digests below an inner node pass for a row of 8 columns of a smaller extension.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The proof that `zkaccel open` has written
    #[arg(value_name = "PROOF.json")]
    proof: PathBuf,

    /// The root that `zkaccel commit` has printed: 64 hexadecimal digits
    #[arg(long, value_name = "HEX")]
    root: String,

    /// The number of rows of the extension; a proof for any other is false
    #[arg(long, value_name = "N", value_parser = parse::number::<usize>)]
    expect_rows: Option<usize>,

    /// The number of columns; a proof for any other is false
    #[arg(long, value_name = "M", value_parser = parse::number::<usize>)]
    expect_columns: Option<usize>,

    #[command(flatten)]
    format: Format,
}

/// What is printed of a true proof.
#[derive(Serialize)]
struct Report {
    verified: bool,
    hash: HashName,
    root: String,
    indices: Vec<usize>,
    rows: usize,
    columns: usize,
    /// Whether the option, and not the proof, says how many.
    rows_pinned: bool,
    columns_pinned: bool,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let proof = Proof::read(&self.proof)?;
        proof.hash.visit(Verify { arguments: &self, proof: &proof })
    }
}

struct Verify<'a> {
    arguments: &'a Arguments,
    proof: &'a Proof,
}

impl HashVisitor for Verify<'_> {
    type Output = Result<(), Failure>;

    fn visit<H: Accelerated>(self) -> Result<(), Failure> {
        let Self { arguments, proof } = self;
        let root: H::Digest = arguments.root.parse().context("--root")?;
        let check = || {
            let opening = proof.opening::<H>()?;
            let verified =
                Cap::from_root(proof.rows, root).and_then(|cap| opening.verify(&cap, proof.columns));
            // A malformed proof is malformed whatever shape is expected of it, so the shape comes second.
            if let Err(error) = &verified
                && *error != zkaccel::Error::NotVerified
            {
                return Err(error.clone().into());
            }
            pinned("rows", arguments.expect_rows, proof.rows)?;
            pinned("columns", arguments.expect_columns, proof.columns)?;
            Ok::<_, Failure>(verified?)
        };
        check().context(arguments.proof.display())?;
        arguments.format.print(&Report {
            verified: true,
            hash: proof.hash,
            root: root.to_string(),
            indices: proof.indices.clone(),
            rows: proof.rows,
            columns: proof.columns,
            rows_pinned: arguments.expect_rows.is_some(),
            columns_pinned: arguments.expect_columns.is_some(),
        })
    }
}

/// A proof for another shape than the verifier's is a false one.
fn pinned(what: &str, expected: Option<usize>, found: usize) -> Result<(), Failure> {
    match expected {
        Some(expected) if expected != found => Err(Failure::refuted(format_args!(
            "the proof is for an extension of {found} {what}, expected {expected}"
        ))),
        _ => Ok(()),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hash, root, indices, rows, columns, .. } = self;
        let list: Vec<_> = indices.iter().map(usize::to_string).collect();
        writeln!(f, "verified")?;
        writeln!(f, "rows        {}", list.join(", "))?;
        writeln!(f, "extension   {rows} rows x {columns} columns")?;
        writeln!(f, "root        {root} ({hash})")?;
        let unpinned: Vec<_> =
            [(self.rows_pinned, "--expect-rows"), (self.columns_pinned, "--expect-columns")]
                .into_iter()
                .filter_map(|(pinned, option)| (!pinned).then_some(option))
                .collect();
        if !unpinned.is_empty() {
            writeln!(
                f,
                "note        the shape was taken from the proof; pin it with {}",
                unpinned.join(" and ")
            )?;
        }
        Ok(())
    }
}
