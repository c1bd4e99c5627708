//! What was compiled or measured once, on disk.
//!
//! A file holds the digest of its contents and the contents. What does not match its digest was damaged, by a crash or a full
//! disk, and is as good as absent; so is a directory that cannot be read or written. The name is a digest of everything
//! that the contents depend on, so a stale file is never found.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The user's cache directory, where the environment names one.
fn directory() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("zkaccel"))
}

/// Where something is kept; `parts` are all that it depends on.
pub(crate) fn path(parts: &[&str]) -> Option<PathBuf> {
    let mut hasher = ::blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    Some(directory()?.join(format!("{}.bin", hasher.finalize().to_hex())))
}

/// The contents of a file, if it is there and whole.
pub(crate) fn load(path: &Path) -> Option<Vec<u8>> {
    let bytes = std::fs::read(path).ok()?;
    let (digest, contents) = bytes.split_first_chunk::<32>()?;
    (::blake3::hash(contents) == *digest && !contents.is_empty()).then(|| contents.to_vec())
}

/// Writes a file, if it can be written. Others see it whole or not at all.
pub(crate) fn store(path: &Path, contents: &[u8]) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let bytes = [::blake3::hash(contents).as_bytes(), contents].concat();
    let unfinished = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
    // A cache that cannot be written costs time and nothing else.
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    let written = written.and_then(|()| std::fs::write(&unfinished, bytes));
    if written.and_then(|()| std::fs::rename(&unfinished, path)).is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
}

#[cfg(test)]
mod tests {
    use super::{load, store};

    #[test]
    fn what_is_damaged_is_absent() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("below").join("program.bin");
        assert_eq!(load(&path), None);
        store(&path, b"binary");
        assert_eq!(load(&path).as_deref(), Some(&b"binary"[..]));
        let whole = std::fs::read(&path).unwrap();
        for damaged in [&whole[..20], &whole[..35], &[&whole[..], b"x"].concat(), b""] {
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(load(&path), None);
        }
        assert_eq!(
            std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1,
            "nothing unfinished is left"
        );
    }

    #[test]
    fn a_directory_that_cannot_be_written_is_no_error() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        std::fs::write(&file, "no directory").unwrap();
        store(&file.join("program.bin"), b"binary");
        assert_eq!(load(&file.join("program.bin")), None);
    }
}
