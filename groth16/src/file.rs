//! Files as bytes in place.

use std::fs::File;
use std::io::Read;
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

use crate::Error;

/// The bytes of a file: mapped into memory, or read where it is a pipe or a device.
pub struct Bytes(Source);

enum Source {
    Mapped(Mmap),
    Read(Vec<u8>),
}

impl Bytes {
    /// Maps a file, or reads a pipe to its end. Nothing else may change a mapped file while this exists.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        Self::of(path)
            .map_err(|error| Error::Io { message: format!("cannot read {}: {error}", path.display()) })
    }

    fn of(path: &Path) -> std::io::Result<Self> {
        let mut file = File::open(path)?;
        // What is not a regular file cannot be mapped, and an empty one need not be.
        let metadata = file.metadata()?;
        if metadata.is_file() && metadata.len() > 0 {
            // SAFETY: the mapping is private and read-only; that nobody changes the file is the caller's promise. All that is read of it is checked where it
            // is copied, and nothing is believed that was read before.
            return Ok(Self(Source::Mapped(unsafe { Mmap::map(&file)? })));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes.into())
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Source::Read(bytes))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Source::Mapped(bytes) => bytes,
            Source::Read(bytes) => bytes,
        }
    }
}
