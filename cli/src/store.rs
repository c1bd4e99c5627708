//! The folder that keeps a commitment.
//!
//! | file | contents |
//! |---|---|
//! | `commitment.json` | the [`Description`] |
//! | `extension.npy` | the extended trace: `<u8`, C order, shape (extension rows, columns) |
//! | `tree.bin` | the canonical bytes of the Merkle tree over its rows |
//!
//! All three are written under temporary names. An older `commitment.json` is removed first and the new one is written last, so
//! that at every moment a folder with a description is a complete commitment, and a folder without one is none. A folder that
//! holds anything else than a commitment is refused, and nothing in it is touched.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use zkaccel::commit::{Commitment, RowOpening, TraceSpec};
use zkaccel::field::Goldilocks;
use zkaccel::hash::{Digest, Hasher};
use zkaccel::matrix::MatrixRef;
use zkaccel::merkle::{Cap, MerkleTree, MultiOpening};

use crate::failure::{Context, Failure};
use crate::hashes::HashName;
use crate::npy::{self, NpyFile};
use crate::progress::Reporting;
use crate::temporary::{NewFolders, Temporary, is_temporary, undisturbed};
use crate::watch::Watch;
use crate::{output, parse};

const DESCRIPTION: &str = "commitment.json";
const EXTENSION: &str = "extension.npy";
const TREE: &str = "tree.bin";

/// No description is longer than this, in bytes.
const LONGEST_DESCRIPTION: u64 = 1 << 16;

/// The commitment's parameters and its root.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    /// [`Self::FORMAT`].
    pub(crate) format: String,
    pub(crate) hash: HashName,
    pub(crate) convention: String,
    /// The shift of the coset, in decimal.
    pub(crate) shift: String,
    pub(crate) blowup: u64,
    pub(crate) trace_rows: usize,
    pub(crate) columns: usize,
    pub(crate) extension_rows: usize,
    /// 64 hexadecimal digits.
    pub(crate) root: String,
}

impl Description {
    /// The name of the format, with its version.
    pub(crate) const FORMAT: &str = "zkaccel-commitment-1";

    /// Reads the description of a stored commitment and checks that it is consistent.
    pub(crate) fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(DESCRIPTION);
        let subject = path.display();
        let file = File::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failure::new(format_args!(
                "{} holds no commitment, expected a folder that `zkaccel commit --out` has filled: \
                 it has no {DESCRIPTION}",
                folder.display()
            )),
            _ => Failure::new(format_args!("cannot open {subject}: {error}")),
        })?;
        let mut text = Vec::new();
        file.take(LONGEST_DESCRIPTION).read_to_end(&mut text).context(&subject)?;
        let description: Self = serde_json::from_slice(&text)
            .map_err(|error| Failure::new(format_args!("is no description of a commitment: {error}")))
            .context(&subject)?;
        description.check().context(&subject)?;
        Ok(description)
    }

    fn check(&self) -> Result<(), Failure> {
        if self.format != Self::FORMAT {
            let found = &self.format;
            return Err(Failure::new(format_args!("the format is {found:?}, expected {:?}", Self::FORMAT)));
        }
        let shift = parse::canonical_shift(&self.shift).map_err(Failure::new).context("shift")?;
        let spec = TraceSpec { blowup: self.blowup, convention: self.convention.parse()?, shift };
        let rows = spec.lde(self.trace_rows)?.to().size();
        if rows != self.extension_rows {
            let found = self.extension_rows;
            return Err(Failure::new(format_args!("the extension has {found} rows, expected {rows}")));
        }
        Ok(())
    }
}

/// A folder that is about to become a stored commitment. Until then, dropping it removes everything again.
pub(crate) struct NewStore {
    folder: PathBuf,
    extension: Temporary,
    tree: Temporary,
    description: Temporary,
    /// Folders that were made for it; they are removed after the files.
    made: NewFolders,
    complete: bool,
}

impl NewStore {
    /// Makes the folder if necessary, and the temporary files. A folder with other contents than an older commitment is refused.
    pub(crate) fn create(folder: &Path) -> Result<Self, Failure> {
        let subject = format!("cannot store a commitment in {}", folder.display());
        check_contents(folder).context(&subject)?;
        let files = || {
            let made = NewFolders::create(folder)?;
            let [extension, tree, description] =
                [Temporary::create_in(folder)?, Temporary::create_in(folder)?, Temporary::create_in(folder)?];
            Ok::<_, io::Error>(Self {
                folder: folder.into(),
                extension,
                tree,
                description,
                made,
                complete: false,
            })
        };
        files().context(subject)
    }

    /// Writes everything and gives the files their names.
    pub(crate) fn fill<H: Hasher>(
        mut self,
        description: &Description,
        commitment: &Commitment<H>,
        watch: &Watch,
    ) -> Result<(), Failure> {
        let subject = format!("cannot store a commitment in {}", self.folder.display());
        let text = output::json(description)?;
        watch.stage("writing");
        // Data on a device are copied to the host before anything is written.
        let (extension, tree) = (commitment.extension()?, commitment.tree()?);
        self.write(&text, extension, tree, watch).and_then(|()| self.publish()).context(subject)
    }

    fn write<H: Hasher>(
        &mut self,
        description: &str,
        extension: MatrixRef<'_, Goldilocks>,
        tree: &MerkleTree<H>,
        watch: &Watch,
    ) -> io::Result<()> {
        let (shape, entries) = (extension.shape(), bytemuck::cast_slice(extension.as_slice()));
        let tree_bytes = MerkleTree::<H>::encoded_position(2 * shape.rows);
        watch.stage_of("writing", 0, entries.len() as u64 + tree_bytes);
        let tell = |bytes| watch.advance(bytes);
        npy::write(self.extension.as_file_mut()?, shape.rows, shape.columns, entries, tell)?;
        tree.write_to(&mut Reporting::new(self.tree.as_file_mut()?, tell))?;
        writeln!(self.description.as_file_mut()?, "{description}")
    }

    fn publish(&mut self) -> io::Result<()> {
        // A signal ends the command before or after this, and not between two of the files.
        let mut unfinished = undisturbed();
        match fs::remove_file(self.folder.join(DESCRIPTION)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        for (file, name) in
            [(&mut self.extension, EXTENSION), (&mut self.tree, TREE), (&mut self.description, DESCRIPTION)]
        {
            unfinished.publish(file, &self.folder.join(name))?;
        }
        self.made.keep(&mut unfinished);
        self.complete = true;
        Ok(())
    }
}

impl Drop for NewStore {
    fn drop(&mut self) {
        if !self.complete && !self.made.is_empty() {
            // The innermost folder is ours, and so is what has been put into it.
            for name in [EXTENSION, TREE] {
                let _ = fs::remove_file(self.folder.join(name));
            }
        }
    }
}

/// Refuses a folder whose contents are not a commitment, and so must not be replaced.
fn check_contents(folder: &Path) -> Result<(), Failure> {
    let expected = "expected a new folder, an empty one, or one that `zkaccel commit --out` has filled";
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        // A path that is not a folder is reported when the folder is made.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let entries: Vec<_> = entries.collect::<Result<_, _>>()?;
    let other = entries.iter().map(fs::DirEntry::file_name).find(|name| !is_temporary(name));
    match (other, folder.join(DESCRIPTION).try_exists()?) {
        (None, _) => Ok(()),
        (Some(_), true) => Description::read(folder).map(drop).map_err(|failure| {
            Failure::new(format_args!(
                "it holds something else than a commitment, {expected}: {}",
                failure.line()
            ))
        }),
        (Some(other), false) => Err(Failure::new(format_args!(
            "it holds {:?} and no commitment, {expected}",
            other.to_string_lossy()
        ))),
    }
}

/// Reads rows and their opening from a stored commitment, and no other part of it.
///
/// All sizes are checked against the description first, and the opening against the root last: the result verifies.
pub(crate) fn open_rows<H: Hasher>(
    folder: &Path,
    description: &Description,
    rows: &[usize],
) -> Result<RowOpening<H>, Failure> {
    let Description { extension_rows, columns, .. } = *description;
    let (indices, positions) = MultiOpening::<H>::plan(extension_rows, rows).context("--rows")?;
    let mut extension = open_extension(folder, extension_rows, columns)?;

    let read_row = |&index: &usize| Ok(bytemuck::cast_vec(extension.read_row(index)?));
    let rows: io::Result<Vec<Vec<Goldilocks>>> = indices.iter().map(read_row).collect();
    let rows = rows.context(folder.join(EXTENSION).display())?;
    let siblings = read_nodes::<H>(folder, extension_rows, &positions)?;

    let opening = RowOpening { rows, opening: MultiOpening { indices, siblings } };
    let cap = description.root.parse().and_then(|root| Cap::from_root(extension_rows, root));
    let verified = cap.and_then(|cap| opening.verify(&cap, columns));
    verified.map_err(|error| {
        Failure::new(format_args!(
            "the commitment in {} is damaged: what was read does not lead to its root ({error})",
            folder.display()
        ))
    })?;
    Ok(opening)
}

/// The digests at positions of the stored tree's heap, which are not checked.
pub(crate) fn read_nodes<H: Hasher>(
    folder: &Path,
    leaves: usize,
    positions: &[usize],
) -> Result<Vec<H::Digest>, Failure> {
    let mut tree = open_tree::<H>(folder, leaves)?;
    let nodes: Result<_, Failure> = positions.iter().map(|&at| read_digest::<H>(&mut tree, at)).collect();
    nodes.context(folder.join(TREE).display())
}

fn open_extension(folder: &Path, rows: usize, columns: usize) -> Result<NpyFile, Failure> {
    let path = folder.join(EXTENSION);
    let extension = NpyFile::open(&path)?;
    if (extension.rows, extension.columns) != (rows, columns) {
        return Err(Failure::new(format_args!(
            "{}: the shape is ({}, {}), expected ({rows}, {columns}) as {DESCRIPTION} says",
            path.display(),
            extension.rows,
            extension.columns
        )));
    }
    Ok(extension)
}

fn open_tree<H: Hasher>(folder: &Path, leaves: usize) -> Result<File, Failure> {
    let path = folder.join(TREE);
    let mut tree = File::open(&path).context(format_args!("cannot open {}", path.display()))?;
    let mut checked = || {
        // The tree ends at the position of a node after the last leaf.
        let expected = leaves.checked_mul(2).map(MerkleTree::<H>::encoded_position);
        let found = tree.metadata()?.len();
        if expected != Some(found) {
            let leaves = format!("a tree of {leaves} leaves has {} bytes", expected.unwrap_or(u64::MAX));
            return Err(Failure::new(format_args!("{leaves}, found {found}")));
        }
        let expected = MerkleTree::<H>::encoded_header(leaves);
        let mut found = expected;
        tree.read_exact(&mut found)?;
        match found == expected {
            true => Ok(()),
            false => Err(Failure::new(format_args!("begins with {}, expected a tree", found.escape_ascii()))),
        }
    };
    checked().context(path.display())?;
    Ok(tree)
}

/// The digest at a position of the heap.
fn read_digest<H: Hasher>(tree: &mut File, position: usize) -> Result<H::Digest, Failure> {
    let mut bytes = [0; 32];
    tree.seek(SeekFrom::Start(MerkleTree::<H>::encoded_position(position)))?;
    tree.read_exact(&mut bytes)?;
    Ok(H::Digest::from_bytes(bytes)?)
}
