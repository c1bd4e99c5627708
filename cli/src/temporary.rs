//! Files and folders that are removed again unless the command completes: on an error, on a signal, and, where it was killed, by the next
//! run that writes to the same folder.
//!
//! A temporary file lies beside the file that it becomes and is called `.zkaccel-`, 12 letters or digits, `.partial`. The process
//! that writes it holds the lock of the file, which the system releases however the process ends, so a file of such a name that
//! can be locked was left behind.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{Builder, NamedTempFile};

const PREFIX: &str = ".zkaccel-";
const SUFFIX: &str = ".partial";
const RANDOM: usize = 12;

/// The files and folders that this process must remove if it ends early, folders before their contents.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// While this is held, a signal does not end the command.
pub(crate) struct Undisturbed(MutexGuard<'static, Vec<PathBuf>>);

/// Waits until a signal that has arrived has ended the command, or keeps signals waiting.
pub(crate) fn undisturbed() -> Undisturbed {
    Undisturbed(UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Undisturbed {
    fn add(&mut self, path: &Path) {
        self.0.push(path.into());
    }

    fn forget(&mut self, path: &Path) {
        self.0.retain(|other| other != path);
    }

    /// Gives a file its name; it is no longer temporary.
    pub(crate) fn publish(&mut self, temporary: &mut Temporary, target: &Path) -> io::Result<()> {
        let Some(file) = &mut temporary.file else { return Err(io::ErrorKind::NotFound.into()) };
        fs::rename(file.path(), target)?;
        file.disable_cleanup(true);
        self.forget(file.path());
        temporary.file = None;
        Ok(())
    }

    /// Removes everything unfinished, at the end of the process.
    #[cfg(unix)]
    pub(crate) fn remove_all(&mut self) {
        for path in self.0.drain(..).rev() {
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
        }
    }
}

/// A file that is removed again unless it is [published](Undisturbed::publish).
pub(crate) struct Temporary {
    /// `None` once it is published.
    file: Option<NamedTempFile>,
}

impl Temporary {
    /// A new file; removes those that others have left behind in the folder.
    pub(crate) fn create_in(folder: &Path) -> io::Result<Self> {
        let mut unfinished = undisturbed();
        let file = loop {
            let file = named_in(folder)?;
            if lock(&file) {
                break file;
            }
        };
        unfinished.add(file.path());
        if let Ok(own) = file.as_file().metadata() {
            remove_stale_files(folder, &own);
        }
        Ok(Self { file: Some(file) })
    }

    /// The file, to be written.
    pub(crate) fn as_file_mut(&mut self) -> io::Result<&mut File> {
        self.file.as_mut().map(NamedTempFile::as_file_mut).ok_or(io::ErrorKind::NotFound.into())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let mut unfinished = undisturbed();
            let path = file.path().to_path_buf();
            drop(file);
            unfinished.forget(&path);
        }
    }
}

fn named_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(RANDOM);
    #[cfg(unix)]
    {
        // Like any file of the user's: the umask decides who may read it.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Locks a new file for the life of the process. False if another process locked it first, taking it for one that was left
/// behind.
fn lock(file: &NamedTempFile) -> bool {
    match file.as_file().try_lock() {
        Ok(()) => fs::symlink_metadata(file.path()).is_ok(),
        Err(fs::TryLockError::WouldBlock) => false,
        // A file system without locks: no process can lock the file there, so none removes it.
        Err(fs::TryLockError::Error(_)) => true,
    }
}

/// Whether a file of this name is temporary.
pub(crate) fn is_temporary(name: &std::ffi::OsStr) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
    random.is_some_and(|random| random.len() == RANDOM && random.bytes().all(|c| c.is_ascii_alphanumeric()))
}

/// Removes the temporary files of a folder whose processes have ended. What cannot be removed stays.
fn remove_stale_files(folder: &Path, own: &Metadata) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if is_temporary(&entry.file_name()) {
            let _ = remove_if_stale(&entry.path(), own);
        }
    }
}

/// Removes a file if it belongs to the owner of `own` and no process holds its lock.
fn remove_if_stale(path: &Path, own: &Metadata) -> io::Result<()> {
    let found = fs::symlink_metadata(path)?;
    if !found.is_file() || !have_one_owner(&found, own) {
        return Ok(());
    }
    let file = File::options().read(true).write(true).open(path)?;
    // The file found must be the one that was opened, and it is locked while it is removed.
    if is_same_file(&found, &file.metadata()?) && file.try_lock().is_ok() {
        fs::remove_file(path)?;
    }
    Ok(())
}

#[cfg(unix)]
fn have_one_owner(left: &Metadata, right: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    left.uid() == right.uid()
}

#[cfg(unix)]
fn is_same_file(left: &Metadata, right: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    // A file with a second name is no temporary one.
    (left.dev(), left.ino(), left.nlink()) == (right.dev(), right.ino(), 1)
}

#[cfg(not(unix))]
fn have_one_owner(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(not(unix))]
fn is_same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// Folders that are removed again, if they are empty, unless they are [kept](Self::keep).
pub(crate) struct NewFolders {
    /// The outermost first.
    made: Vec<PathBuf>,
}

impl NewFolders {
    /// Makes a folder and its missing ancestors.
    pub(crate) fn create(folder: &Path) -> io::Result<Self> {
        let mut unfinished = undisturbed();
        let missing = folder.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists());
        let mut made: Vec<_> = missing.map(Path::to_path_buf).collect();
        made.reverse();
        made.iter().for_each(|path| unfinished.add(path));
        drop(unfinished);
        let folders = Self { made };
        fs::create_dir_all(folder).map(|()| folders)
    }

    /// Whether a folder had to be made.
    pub(crate) fn is_empty(&self) -> bool {
        self.made.is_empty()
    }

    /// Keeps the folders.
    pub(crate) fn keep(&mut self, unfinished: &mut Undisturbed) {
        self.made.drain(..).for_each(|path| unfinished.forget(&path));
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        if self.made.is_empty() {
            return;
        }
        let mut unfinished = undisturbed();
        for path in self.made.iter().rev() {
            let _ = fs::remove_dir(path);
            unfinished.forget(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn only_files_that_were_left_behind_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let foreign = [
            ".zkaccel-",
            ".zkaccel-.partial",
            ".zkaccel-abcdef",
            ".zkaccel-abcdefabcdef",
            ".zkaccel-notes.partial",
            ".zkaccel-abcdef-bcdef.partial",
            ".zkaccel-abcdefabcdef.partial.txt",
            "zkaccel-abcdefabcdef.partial",
        ];
        foreign.iter().for_each(|name| fs::write(at(name), "mine").unwrap());
        fs::create_dir(at(".zkaccel-folderfolder.partial")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(at(foreign[0]), at(".zkaccel-linklinklink.partial")).unwrap();
        #[cfg(unix)]
        {
            fs::write(at("second name"), "mine").unwrap();
            fs::hard_link(at("second name"), at(".zkaccel-namednamed12.partial")).unwrap();
        }
        let before = names(folder.path());
        fs::write(at(".zkaccel-abcdef123456.partial"), "left behind").unwrap();
        let alive = Temporary::create_in(folder.path()).unwrap();
        assert_eq!(names(folder.path()).len(), before.len() + 1, "{:?}", names(folder.path()));
        // A second file leaves the first in place, because this process is alive.
        let other = Temporary::create_in(folder.path()).unwrap();
        assert_eq!(names(folder.path()).len(), before.len() + 2);
        drop((alive, other));
        assert_eq!(names(folder.path()), before);
    }

    #[test]
    fn what_is_published_stays() {
        let folder = tempfile::tempdir().unwrap();
        let nested = folder.path().join("a/b");
        let mut folders = NewFolders::create(&nested).unwrap();
        let mut temporary = Temporary::create_in(&nested).unwrap();
        let mut unfinished = undisturbed();
        let paths = unfinished.0.iter().filter(|path| path.starts_with(folder.path())).count();
        assert_eq!(paths, 3);
        unfinished.publish(&mut temporary, &nested.join("file")).unwrap();
        folders.keep(&mut unfinished);
        assert!(!unfinished.0.iter().any(|path| path.starts_with(folder.path())));
        drop(unfinished);
        drop((temporary, folders));
        assert_eq!(names(&nested), ["file"]);
        drop(NewFolders::create(&folder.path().join("c/d")).unwrap());
        assert_eq!(names(folder.path()), ["a"]);
    }
}
