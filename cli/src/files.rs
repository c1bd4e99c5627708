//! Where inputs come from and where results go: files, pipes, and `-` for standard input and output.
//!
//! A file appears under its name when it is complete, and an older file of that name stays until then.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Context, Failure};
use crate::temporary::{self, Temporary};

/// Whether a path is `-`, which stands for standard input or standard output. A file of that name is `./-`.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of an input in messages.
pub(crate) fn input_name(path: &Path) -> String {
    if is_standard(path) { "standard input".into() } else { path.display().to_string() }
}

/// The name of an output in messages and reports.
pub(crate) fn output_name(path: &Path) -> String {
    if is_standard(path) { "standard output".into() } else { path.display().to_string() }
}

/// Refuses `-` where a folder is expected.
pub(crate) fn expect_folder(option: &str, path: &Path) -> Result<(), Failure> {
    match is_standard(path) {
        true => Err(Failure::new(format_args!(
            "{option}: found - (standard input or output), expected a folder, which is what a commitment is kept in; a folder \
             of that name is ./-"
        ))),
        false => Ok(()),
    }
}

/// An open input.
pub(crate) enum Input {
    /// A file, with its length.
    Regular(File, u64),
    /// Standard input, a pipe or a device: it can be read once, and its length is known only at its end.
    Stream(Box<dyn Read>),
}

impl Input {
    /// Opens a file, a pipe or, for `-`, standard input.
    pub(crate) fn open(path: &Path, expected: &str) -> Result<Self, Failure> {
        if is_standard(path) {
            return Ok(Self::Stream(Box::new(io::stdin().lock())));
        }
        let subject = format!("cannot open {}", path.display());
        let file = File::open(path).context(&subject)?;
        let metadata = file.metadata().context(&subject)?;
        match metadata {
            folder if folder.is_dir() => {
                Err(Failure::new(format_args!("is a folder, expected {expected}"))).context(path.display())
            }
            regular if regular.is_file() => Ok(Self::Regular(file, regular.len())),
            _ => Ok(Self::Stream(Box::new(file))),
        }
    }

    /// The length, where it is known before the end.
    pub(crate) fn length(&self) -> Option<u64> {
        match self {
            Self::Regular(_, length) => Some(*length),
            Self::Stream(_) => None,
        }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Regular(file, _) => file.read(buffer),
            Self::Stream(stream) => stream.read(buffer),
        }
    }
}

/// The contents of an output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Text.
    Text,
    /// Bytes that would confuse a terminal.
    Binary,
}

/// An output that is about to be written.
pub(crate) enum NewFile {
    /// Written beside the target, then renamed.
    Renamed(Temporary, PathBuf),
    /// A pipe or a device, which cannot be replaced and is written as it is.
    Stream(File, PathBuf),
    /// Standard output.
    Standard,
}

impl NewFile {
    /// Opens an output before the work that fills it, so that a bad name is reported at once.
    pub(crate) fn create(path: &Path, contents: Contents) -> Result<Self, Failure> {
        if is_standard(path) {
            return match contents == Contents::Binary && io::stdout().is_terminal() {
                true => Err(Failure::new(
                    "standard output is a terminal, expected a file or a pipe for a matrix in binary form",
                )),
                false => Ok(Self::Standard),
            };
        }
        let subject = unwritable(path.display());
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
        let temporary = Temporary::create_in(folder.unwrap_or(Path::new("."))).context(&subject)?;
        Ok(Self::Renamed(temporary, target))
    }

    /// Writes the contents and gives the file its name.
    pub(crate) fn fill(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        let filled = |sink: &mut dyn Write| write(sink).and_then(|()| sink.flush());
        match self {
            Self::Renamed(mut temporary, path) => {
                let complete = || {
                    filled(temporary.as_file_mut()?)?;
                    temporary::undisturbed().publish(&mut temporary, &path)
                };
                complete().context(unwritable(path.display()))
            }
            Self::Stream(mut file, path) => filled(&mut file).context(unwritable(path.display())),
            Self::Standard => match filled(&mut io::stdout().lock()) {
                // The reader has stopped reading (`| head`): that is not an error.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                written => written.context(unwritable("to standard output")),
            },
        }
    }
}

fn unwritable(what: impl Display) -> String {
    format!("cannot write {what}")
}
