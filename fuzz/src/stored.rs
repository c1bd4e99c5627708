//! A commitment that the command has stored, and its proofs: what files are changed from, and what is true of it.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::Value;
use zkaccel_cli::fuzzing::command;

use crate::files;

/// Rows and columns of the extension.
pub const ROWS: usize = 32;
pub const COLUMNS: usize = 3;

/// The files of a stored commitment.
pub const NAMES: [&str; 3] = ["commitment.json", "extension.npy", "tree.bin"];

/// A stored commitment.
pub struct Stored {
    pub hash: &'static str,
    pub root: String,
    /// The contents of the files, in the order of [`NAMES`].
    pub files: [Vec<u8>; 3],
    /// The entries of the extension, row by row.
    extension: Vec<u64>,
    /// A proof of rows 3, 17 and 18.
    pub proof: Vec<u8>,
}

/// One over a hash of elements and one over a hash of bytes.
pub static STORED: LazyLock<[Stored; 2]> = LazyLock::new(|| ["rp64_256", "blake3"].map(Stored::new));

impl Stored {
    fn new(hash: &'static str) -> Self {
        let words: Vec<u64> =
            (0..ROWS as u64 / 4 * COLUMNS as u64).map(|i| i * i * 0x0123_4567_89ab % 1_000_003).collect();
        let header =
            format!("{{'descr': '<u8', 'fortran_order': False, 'shape': ({}, {COLUMNS}), }}\n", ROWS / 4);
        let length = (header.len() as u16).to_le_bytes();
        let trace =
            [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), bytemuck::cast_slice(&words)].concat();
        let trace = files::write("trace.npy", &trace);
        let folder = files::folder().join(format!("stored-{hash}"));
        let (text, proof) = (|path: &Path| path.display().to_string(), files::folder().join("true.json"));
        let arguments =
            ["zkaccel", "commit", &text(&trace), "--out", &text(&folder), "--blowup", "4", "--hash", hash];
        command(arguments.into_iter().chain(["--device", "cpu", "--threads", "1"])).expect("a sound trace");
        command(["zkaccel", "open", &text(&folder), "--rows", "3,17,18", "--out", &text(&proof)])
            .expect("rows of it");
        let read = |path: PathBuf| std::fs::read(path).expect("what was written");
        let files = NAMES.map(|name| read(folder.join(name)));
        let description: Value = serde_json::from_slice(&files[0]).expect("JSON");
        let root = description["root"].as_str().expect("a root").to_owned();
        let (_, extension) =
            zkaccel_cli::fuzzing::read_matrix(&folder.join(NAMES[1]), u64::MAX).expect("a matrix");
        assert_eq!(extension.len(), ROWS * COLUMNS);
        Self { hash, root, files, extension, proof: read(proof) }
    }

    /// Panics unless a proof tells nothing but what is true of the commitment.
    pub fn assert_true(&self, proof: &[u8]) {
        let proof: Value = serde_json::from_slice(proof).expect("what was accepted is JSON");
        let array = |value: &Value| value.as_array().expect("an array").clone();
        let (indices, rows) = (array(&proof["indices"]), array(&proof["values"]));
        assert!(!indices.is_empty() && indices.len() == rows.len());
        for (index, row) in indices.iter().zip(rows) {
            let index = index.as_u64().expect("an index") as usize;
            let expected = &self.extension[index * COLUMNS..][..COLUMNS];
            let found: Vec<_> =
                array(&row).iter().map(|entry| entry.as_str().expect("a text").to_owned()).collect();
            assert_eq!(found, expected.iter().map(u64::to_string).collect::<Vec<_>>(), "row {index}");
        }
    }
}
