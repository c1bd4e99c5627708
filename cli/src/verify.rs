//! `zkaccel verify`: a proof against a root.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use zkaccel::hash::Accelerated;
use zkaccel::merkle::Cap;

use crate::failure::{Context, Failure};
use crate::files;
use crate::hashes::{HashName, HashVisitor};
use crate::output::Format;
use crate::parse;
use crate::proof::Proof;

/// Verify opened rows against a root
///
/// Exit status: 0 when the proof is true; 1 when it is well-formed and false; 2 when it is malformed. With --json, a false proof too
/// gives a JSON object, with the reason.
///
/// The hash and the shape of the extension (rows and columns) are those that the proof claims, unless options say what they must be.
/// A verifier who knows them should say so. In particular the hashes do not distinguish rows from inner nodes of the tree: the
/// two digests below an inner node pass for a row of 8 columns of a smaller extension.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The proof that `zkaccel open` has written
    #[arg(value_name = "PROOF.json")]
    proof: PathBuf,

    /// The root that `zkaccel commit` has printed: 64 hexadecimal digits
    #[arg(long, value_name = "HEX")]
    root: String,

    /// The hash of rows and tree; a proof with any other is false
    #[arg(long, value_name = "HASH", value_parser = parse::one_of::<HashName>())]
    expect_hash: Option<HashName>,

    /// The number of rows of the extension; a proof for any other is false
    #[arg(long, value_name = "N", value_parser = parse::number::<usize>)]
    expect_rows: Option<usize>,

    /// The number of columns of the extension; a proof for any other is false
    #[arg(long, value_name = "M", value_parser = parse::number::<usize>)]
    expect_columns: Option<usize>,

    #[command(flatten)]
    format: Format,
}

/// What is printed of a well-formed proof; of a false one as JSON only.
#[derive(Serialize)]
struct Report {
    verified: bool,
    /// Why a proof is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    hash: HashName,
    root: String,
    indices: Vec<usize>,
    rows: usize,
    columns: usize,
    /// Whether an option, and not the proof, says which.
    hash_pinned: bool,
    rows_pinned: bool,
    columns_pinned: bool,
}

impl Arguments {
    pub(crate) fn run(self) -> Result<(), Failure> {
        // The root is one of the hash that is expected.
        if let Some(hash) = self.expect_hash {
            // The root is one of the hash that is expected, whatever the proof claims.
            hash.visit(CheckRoot(&self.root))?;
        }
        let proof = Proof::read(&self.proof)?;
        let checked = proof.hash.visit(Verify { arguments: &self, proof: &proof });
        let reason = match checked.context(files::input_name(&self.proof)) {
            Ok(()) => None,
            Err(failure) if failure.status != Failure::REFUTED => return Err(failure),
            Err(failure) => Some(failure),
        };
        let report = Report {
            verified: reason.is_none(),
            reason: reason.as_ref().map(Failure::line),
            hash: proof.hash,
            root: self.root.to_ascii_lowercase(),
            indices: proof.indices,
            rows: proof.rows,
            columns: proof.columns,
            hash_pinned: self.expect_hash.is_some(),
            rows_pinned: self.expect_rows.is_some(),
            columns_pinned: self.expect_columns.is_some(),
        };
        match reason {
            None => self.format.print(&report),
            Some(failure) => {
                if self.format.json {
                    self.format.print(&report)?;
                }
                Err(failure)
            }
        }
    }
}

/// Whether a text is a root of a hash.
struct CheckRoot<'a>(&'a str);

impl HashVisitor for CheckRoot<'_> {
    type Output = Result<(), Failure>;

    fn visit<H: Accelerated>(self) -> Result<(), Failure> {
        self.0.parse::<H::Digest>().map(drop).context("--root")
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
        let same_hash = arguments.expect_hash.is_none_or(|hash| hash == proof.hash);
        // The root of another hash may be none of this one's; the proof is false then, if it is well-formed.
        let root = match same_hash {
            true => arguments.root.parse::<H::Digest>().context("--root")?,
            false => H::Digest::default(),
        };
        let opening = proof.opening::<H>()?;
        let verified = Cap::from_root(proof.rows, root).and_then(|cap| opening.verify(&cap, proof.columns));
        // A malformed proof is malformed whatever is expected of it, so that comes second.
        if let Err(error) = &verified
            && *error != zkaccel::Error::NotVerified
        {
            return Err(error.clone().into());
        }
        if let Some(expected) = arguments.expect_hash.filter(|_| !same_hash) {
            let found = proof.hash;
            return Err(Failure::refuted(format_args!(
                "the proof is for the hash {found}, expected {expected}"
            )));
        }
        pinned("rows", arguments.expect_rows, proof.rows)?;
        pinned("columns", arguments.expect_columns, proof.columns)?;
        Ok(verified?)
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
        let claimed: Vec<_> =
            [("hash", self.hash_pinned), ("rows", self.rows_pinned), ("columns", self.columns_pinned)]
                .into_iter()
                .filter_map(|(what, pinned)| (!pinned).then_some(what))
                .collect();
        if !claimed.is_empty() {
            let options: Vec<_> = claimed.iter().map(|what| format!("--expect-{what}")).collect();
            writeln!(
                f,
                "note        as the proof claims: {}; pin with {}",
                claimed.join(", "),
                options.join(", ")
            )?;
        }
        Ok(())
    }
}
