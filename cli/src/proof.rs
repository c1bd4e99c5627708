//! The JSON form of opened rows.
//!
//! Field elements are decimal *strings*: not every reader preserves JSON numbers above 2^53. Apart from white space, each opening
//! has only one form: unknown fields, signs, leading zeros and unsorted indices are refused.

use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};
use zkaccel::commit::RowOpening;
use zkaccel::hash::Hasher;
use zkaccel::merkle::MultiOpening;

use crate::failure::{Context, Failure};
use crate::files::{self, Input};
use crate::hashes::HashName;
use crate::parse;

/// Larger files are not read, in bytes: 2^28 bytes hold more than 10 million entries.
const LONGEST_PROOF: u64 = 1 << 28;

/// Rows of an extended trace, and the siblings on the paths to the root.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Proof {
    /// [`Self::FORMAT`].
    format: String,
    pub(crate) hash: HashName,
    /// Rows of the extension: leaves of the tree.
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// The opened rows, ascending.
    pub(crate) indices: Vec<usize>,
    /// The entries of each opened row, in decimal.
    values: Vec<Vec<String>>,
    /// 64 hexadecimal digits each, by level from the leaves up, left to right.
    siblings: Vec<String>,
}

impl Proof {
    /// The name of the format, with its version.
    const FORMAT: &str = "zkaccel-row-opening-1";

    /// The proof of an opening.
    pub(crate) fn new<H: Hasher>(
        hash: HashName,
        rows: usize,
        columns: usize,
        opening: &RowOpening<H>,
    ) -> Self {
        Self {
            format: Self::FORMAT.into(),
            hash,
            rows,
            columns,
            indices: opening.opening.indices.clone(),
            values: opening.rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect(),
            siblings: opening.opening.siblings.iter().map(ToString::to_string).collect(),
        }
    }

    /// Reads a proof.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let subject = files::input_name(path);
        let file = Input::open(path, "a proof")?;
        let mut text = Vec::new();
        file.take(LONGEST_PROOF + 1).read_to_end(&mut text).context(&subject)?;
        if text.len() as u64 > LONGEST_PROOF {
            let message =
                format!("{subject}: the file is longer than {LONGEST_PROOF} bytes, expected a proof");
            return Err(Failure::new(message));
        }
        let proof: Self = serde_json::from_slice(&text)
            .map_err(|error| Failure::new(format_args!("is no proof: {error}")))
            .context(&subject)?;
        match proof.format.as_str() {
            Self::FORMAT => Ok(proof),
            found => Err(Failure::new(format_args!("the format is {found:?}, expected {:?}", Self::FORMAT)))
                .context(&subject),
        }
    }

    /// The opening in the proof. Its counts and its indices are checked where it is verified.
    pub(crate) fn opening<H: Hasher>(&self) -> Result<RowOpening<H>, Failure> {
        if self.columns == 0 {
            return Err(Failure::new("columns: found 0, expected at least 1"));
        }
        if self.values.len() != self.indices.len() {
            let (expected, found) = (self.indices.len(), self.values.len());
            return Err(Failure::new(format_args!("rows of values: expected {expected}, found {found}")));
        }
        let rows = self.indices.iter().zip(&self.values).map(|(index, row)| {
            let entries = row.iter().enumerate().map(|(column, text)| {
                let element = parse::canonical_element(text).map_err(Failure::new);
                element.context(format_args!("row {index}, column {column}"))
            });
            entries.collect()
        });
        let siblings = self.siblings.iter().enumerate().map(|(i, text)| {
            let digest: Result<H::Digest, _> = text.parse();
            digest.context(format_args!("sibling {i}"))
        });
        let siblings = siblings.collect::<Result<_, _>>()?;
        let opening = MultiOpening { indices: self.indices.clone(), siblings };
        Ok(RowOpening { rows: rows.collect::<Result<_, _>>()?, opening })
    }
}
