//! Files that a target writes for what it tests: in a folder of the process, below the folder for temporary files.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A folder that is there; tools/fuzz.sh removes what is above it.
pub fn folder() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = std::env::temp_dir().join(format!("zkaccel-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        folder
    });
    &FOLDER
}

/// A file with some contents.
pub fn write(name: &str, contents: &[u8]) -> PathBuf {
    let path = folder().join(name);
    std::fs::write(&path, contents).expect("temporary files can be written");
    path
}
