//! Writing files so that a name never stands for half of one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::failure::{Context, Failure};

/// A temporary file in a folder, which vanishes unless it is given a name.
pub(crate) fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".zkaccel-");
    #[cfg(unix)]
    {
        // Like any file of the user's: the umask decides who may read it.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// A file that gets its name when it is complete, and whatever the name stood for before stays until then.
pub(crate) enum NewFile {
    /// Written beside the target, then renamed.
    Renamed(NamedTempFile, PathBuf),
    /// A pipe or a device, which cannot be replaced and is written as it is.
    Stream(File, PathBuf),
}

impl NewFile {
    /// Opens a file before the work that fills it, so that a bad name is found out at once.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let subject = format!("cannot write {}", path.display());
        let file = match fs::metadata(path) {
            Ok(existing) if existing.is_dir() => return Err(Failure::new("is a folder")).context(subject),
            Ok(existing) if !existing.is_file() => {
                let file = File::options().write(true).open(path).context(subject)?;
                return Ok(Self::Stream(file, path.into()));
            }
            // Through a link, the file itself is replaced and not the link.
            Ok(_) => fs::canonicalize(path),
            Err(_) => Ok(path.to_path_buf()),
        };
        let target = file.context(&subject)?;
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let temporary = temporary_in(folder.unwrap_or(Path::new("."))).context(&subject)?;
        Ok(Self::Renamed(temporary, target))
    }

    /// Writes the contents and gives the file its name.
    pub(crate) fn fill(mut self, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), Failure> {
        let (file, path) = match &mut self {
            Self::Renamed(temporary, path) => (temporary.as_file_mut(), path.clone()),
            Self::Stream(file, path) => (file, path.clone()),
        };
        let subject = format!("cannot write {}", path.display());
        write(file).and_then(|()| file.flush()).context(&subject)?;
        match self {
            Self::Renamed(temporary, path) => {
                temporary.persist(path).map(drop).map_err(|error| error.error).context(&subject)
            }
            Self::Stream(..) => Ok(()),
        }
    }
}
