//! The cache on disk: cost curves, measured once per machine, and kernels that OpenCL has compiled.
//!
//! The files lie in the folder `zkaccel` of the user's caches: `$XDG_CACHE_HOME/zkaccel`, or `$HOME/.cache/zkaccel` where that
//! variable is not set. With neither variable nothing is cached. [`forget_measurements`] causes the machine to be measured again.
//!
//! | bytes | contents |
//! |---|---|
//! | 16 | `zkaccel cache 2` and a line feed: the format and its version |
//! | 32 | the BLAKE3 digest of the file's name and of the contents, in the context of that version |
//! | the rest | the contents |
//!
//! The name of a file is a digest of everything that its contents depend on, so a stale file is never found, and a file under
//! another one's name does not match its digest. A file that does not match is ignored with a [warning](warnings) and made again.
//!
//! A digest reveals damage; it does not stop a person who can write to the folder. Therefore a folder or a file that belongs to another
//! user, or that another user can write, is not used, no symbolic link is followed, and what is written here can be read and
//! written by its owner alone. A cache that cannot be written costs only time.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::lock::lock;
use crate::sync::Mutex;

/// The first bytes of every file.
const MAGIC: &[u8; 16] = b"zkaccel cache 2\n";

/// The context of all digests, which changes with the format.
const CONTEXT: &str = "zkaccel cache 2";

/// How the names of files end: those of cost curves, of whose keys this is a part, of binaries, and of files that are being written.
const CURVE: &str = "curve";
const BINARY: &str = "bin";
const UNFINISHED: &str = "tmp";

/// Larger files are not read, in bytes.
const LARGEST: u64 = 256 << 20;

/// An unfinished file that is older than this was left behind by a process that has died.
const STALE: Duration = Duration::from_secs(3600);

/// The folder in which files are kept, if the environment names one. It may not exist yet.
pub fn folder() -> Option<PathBuf> {
    folder_named_by(|name| std::env::var_os(name))
}

fn folder_named_by(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("zkaccel"))
}

/// Removes the cost curves that are kept in [`folder`] and returns how many there were. Each operation is measured again when an engine
/// that compares devices, `auto` or several, next needs its cost. Engines that have read a curve keep using it.
///
/// The error is the system's, or says why the folder is not used.
pub fn forget_measurements() -> io::Result<usize> {
    folder().map_or(Ok(0), |folder| forget_measurements_in(&folder))
}

fn forget_measurements_in(folder: &Path) -> io::Result<usize> {
    match check_folder(folder) {
        Ok(()) => {}
        Err(Unusable::Absent) => return Ok(0),
        Err(Unusable::Refused(reason)) => return Err(io::Error::other(reason)),
    }
    let mut removed = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == CURVE) {
            match fs::remove_file(&path) {
                Ok(()) => removed += 1,
                // Another process has removed it.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(removed)
}

/// Warnings that have not been taken yet: which files were damaged and made again, and why a folder is not used. Each is given out once.
pub fn warnings() -> Vec<String> {
    std::mem::take(&mut lock(&WARNINGS).new)
}

static WARNINGS: Mutex<Warnings> = Mutex::new(Warnings { new: Vec::new(), known: BTreeSet::new() });

struct Warnings {
    new: Vec<String>,
    /// The warnings given before, which are not repeated.
    known: BTreeSet<String>,
}

/// Adds a warning, unless the process has given it before.
pub(crate) fn warn(warning: String) {
    let mut warnings = lock(&WARNINGS);
    if warnings.known.insert(warning.clone()) {
        warnings.new.push(warning);
    }
}

/// The file for something; `parts` are all that it depends on, [`CURVE`] among them if it is a measurement.
pub(crate) fn path(parts: &[&str]) -> Option<PathBuf> {
    let mut hasher = ::blake3::Hasher::new_derive_key(CONTEXT);
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let extension = if parts.contains(&CURVE) { CURVE } else { BINARY };
    Some(folder()?.join(format!("{}.{extension}", hasher.finalize().to_hex())))
}

/// The contents of a file, if it exists, belongs to this user, and is intact.
pub(crate) fn load(path: &Path) -> Option<Vec<u8>> {
    match read(path) {
        Ok(contents) => Some(contents),
        Err(Unusable::Absent) => None,
        Err(Unusable::Refused(reason)) => {
            warn(reason);
            None
        }
    }
}

/// Writes a file, if it can be written. Other processes see it complete or not at all.
pub(crate) fn store(path: &Path, contents: &[u8]) {
    // An error of the system costs only time; `load` has reported why a folder is not used.
    let _ = write(path, contents);
}

/// Why a file cannot be used.
#[derive(Debug, PartialEq)]
enum Unusable {
    /// It does not exist, or the system refuses access.
    Absent,
    /// It exists, but must not be trusted.
    Refused(String),
}

impl From<io::Error> for Unusable {
    fn from(_: io::Error) -> Self {
        Self::Absent
    }
}

/// Accepts only a folder that belongs to this user and that no other user can write.
fn check_folder(folder: &Path) -> Result<(), Unusable> {
    let metadata = fs::symlink_metadata(folder)?;
    let reason = match metadata.is_dir() {
        true => owner_problem(&metadata),
        false if metadata.is_symlink() => Some("it is a symbolic link".into()),
        false => Some("it is not a folder".into()),
    };
    reason.map_or(Ok(()), |reason| {
        let folder = folder.display();
        Err(Unusable::Refused(format!(
            "the cache folder {folder} is not used: {reason}, expected a folder that you alone can write"
        )))
    })
}

/// Why a file or a folder cannot be trusted, if it cannot.
#[cfg(unix)]
fn owner_problem(metadata: &Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    unsafe extern "C" {
        /// geteuid(2), of the C library that `std` links.
        safe fn geteuid() -> u32;
    }
    let mode = metadata.mode() & 0o7777;
    match metadata.uid() {
        other if other != geteuid() => Some(format!("it belongs to another user, number {other}")),
        _ if mode & 0o022 != 0 => Some(format!("other users can write it, its mode is {mode:04o}")),
        _ => None,
    }
}

#[cfg(not(unix))]
fn owner_problem(_: &Metadata) -> Option<String> {
    None
}

fn read(path: &Path) -> Result<Vec<u8>, Unusable> {
    read_up_to(path, LARGEST)
}

/// Reads a file of at most `largest` bytes.
fn read_up_to(path: &Path, largest: u64) -> Result<Vec<u8>, Unusable> {
    check_folder(path.parent().unwrap_or(path))?;
    let refused = |reason: &str| {
        let path = path.display();
        Unusable::Refused(format!("the cache file {path} is ignored, and made again: {reason}"))
    };
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_symlink() {
        return Err(refused("it is a symbolic link"));
    }
    if !metadata.is_file() {
        return Err(refused("it is not a regular file"));
    }
    if let Some(reason) = owner_problem(&metadata) {
        return Err(refused(&reason));
    }
    // In a folder that only this user can write: what replaces the file meanwhile is another one of its contents.
    let mut bytes = Vec::new();
    File::open(path)?.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        return Err(refused(&format!("it is longer than {largest} bytes")));
    }
    let unsealed = unseal(path, &bytes).map(<[u8]>::to_vec);
    unsealed.ok_or_else(|| refused("it is damaged, its contents do not match its digest"))
}

/// The digest of contents under a name.
fn digest(path: &Path, contents: &[u8]) -> [u8; 32] {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let mut hasher = ::blake3::Hasher::new_derive_key(CONTEXT);
    hasher.update(&(name.len() as u64).to_le_bytes()).update(name).update(contents);
    *hasher.finalize().as_bytes()
}

/// The bytes of a file.
pub(crate) fn seal(path: &Path, contents: &[u8]) -> Vec<u8> {
    [&MAGIC[..], &digest(path, contents), contents].concat()
}

/// The contents, if the bytes are those of a file of this name.
pub(crate) fn unseal<'a>(path: &Path, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let (found, contents) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<32>()?;
    (*found == digest(path, contents) && !contents.is_empty()).then_some(contents)
}

fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let folder = path.parent().ok_or(ErrorKind::InvalidInput)?;
    let (mut builder, mut options) = (DirBuilder::new(), OpenOptions::new());
    // A new file: an existing one is not opened, nor is a link followed.
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        builder.mode(0o700);
        options.mode(0o600);
    }
    builder.recursive(true).create(folder)?;
    check_folder(folder).map_err(|_| ErrorKind::PermissionDenied)?;
    remove_stale_files(folder)?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let unfinished = path.with_extension(format!("{}-{number}.{UNFINISHED}", std::process::id()));
    let mut file = options.open(&unfinished)?;
    // A link of the file's name is replaced, not followed.
    let written = file.write_all(&seal(path, contents)).and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// Removes files left behind by processes that died while writing.
fn remove_stale_files(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let old = |metadata: Metadata| metadata.modified().ok()?.elapsed().ok().map(|age| age > STALE);
        if path.extension().is_some_and(|extension| extension == UNFINISHED)
            && entry.metadata().ok().and_then(old) == Some(true)
        {
            let _ = fs::remove_file(path);
        }
    }
    Ok(())
}
