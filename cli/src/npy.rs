//! Matrices in `.npy` files: dtype `<u8`, C order, shape (rows, columns).
//!
//! The format (numpy's NEP 1) is a magic, a version, the length of a header and the header: a Python dictionary with
//! the three keys `descr`, `fortran_order` and `shape`. Then come the data.
//!
//! The files are untrusted, which is why the reader is our own: `npyz`, with which the tests read what is written here,
//! allocates the length that a header claims before it knows that the file is that long, parses the header as any
//! Python literal, nested as deep as it likes, and reads the data entry by entry. Here everything is checked against
//! the size of the file before anything is allocated, and the data are read at once, into place.

mod header;
#[cfg(test)]
mod mutations;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use zkaccel::Error;
use zkaccel::field::Goldilocks;

use crate::failure::{Context, Failure};
use header::Header;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The longest header that is read, in bytes. Numpy's own limit; a matrix needs about 100.
const LONGEST_HEADER: u64 = 10_000;

/// Bytes of an entry.
const WORD: u64 = size_of::<u64>() as u64;

/// An open file whose header is sound and whose size is what the header calls for.
#[derive(Debug)]
pub(crate) struct NpyFile {
    file: File,
    path: PathBuf,
    /// At least 1.
    pub(crate) rows: usize,
    /// At least 1.
    pub(crate) columns: usize,
    data_start: u64,
}

impl NpyFile {
    /// Opens a file and checks all of it but the data.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let mut file = File::open(path).context(format_args!("cannot open {}", path.display()))?;
        let (shape, data_start) = check(&mut file).context(path.display())?;
        let [rows, columns] = shape;
        Ok(Self { file, path: path.into(), rows, columns, data_start })
    }

    /// All entries, row by row; at most `limit` bytes of them.
    pub(crate) fn read(mut self, limit: u64) -> Result<Vec<u64>, Failure> {
        // The product was checked when the file was opened.
        let bytes = self.rows as u64 * self.columns as u64 * WORD;
        let mut read = || {
            if bytes > limit {
                return Err(Error::OverBudget { required: bytes, budget: limit }.into());
            }
            let mut words: Vec<u64> = bytemuck::allocation::try_zeroed_vec(self.rows * self.columns)
                .map_err(|()| Error::HostOutOfMemory { bytes })?;
            self.file.seek(SeekFrom::Start(self.data_start))?;
            self.file.read_exact(bytemuck::cast_slice_mut(&mut words))?;
            Ok::<_, Failure>(words)
        };
        let mut words = read().context(self.path.display())?;
        words.iter_mut().for_each(|word| *word = u64::from_le(*word));
        Ok(words)
    }

    /// The entries of one row, without reading the others.
    pub(crate) fn read_row(&mut self, row: usize) -> io::Result<Vec<u64>> {
        let mut words =
            bytemuck::allocation::try_zeroed_vec(self.columns).map_err(|()| io::ErrorKind::OutOfMemory)?;
        self.file.seek(SeekFrom::Start(self.data_start + (row as u64 * self.columns as u64) * WORD))?;
        self.file.read_exact(bytemuck::cast_slice_mut(&mut words))?;
        words.iter_mut().for_each(|word| *word = u64::from_le(*word));
        Ok(words)
    }
}

/// Writes a matrix, straight from its memory.
pub(crate) fn write(sink: &mut impl Write, rows: usize, columns: usize, entries: &[u8]) -> io::Result<()> {
    let mut header = format!("{{'descr': '<u8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // Spaces and a line's end bring the data to a multiple of 64 bytes.
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    sink.write_all(MAGIC)?;
    sink.write_all(&[1, 0])?;
    sink.write_all(&(header.len() as u16).to_le_bytes())?;
    sink.write_all(header.as_bytes())?;
    sink.write_all(entries)
}

/// The error of a library call on a matrix, with the place of a bad entry as row and column.
pub(crate) fn locate(error: Error, columns: usize) -> Failure {
    match error {
        Error::NotCanonical { index, value } => Failure::new(format_args!(
            "row {}, column {} is {value}, expected a canonical field element below {}",
            index / columns,
            index % columns,
            Goldilocks::MODULUS,
        )),
        error => error.into(),
    }
}

/// Shape, and where the data start.
fn check(file: &mut File) -> Result<([usize; 2], u64), Failure> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(Failure::new("is no regular file, expected a .npy file"));
    }
    let size = metadata.len();
    let truncated = || Failure::new(format_args!("the file ends within its header, after {size} bytes"));

    let mut start = [0; 8];
    if size < 12 {
        return Err(Failure::new(format_args!("found a file of {size} bytes, expected a .npy file")));
    }
    file.read_exact(&mut start)?;
    if !start.starts_with(MAGIC) {
        let found = start[..6].escape_ascii();
        return Err(Failure::new(format_args!("the file begins with {found}, expected a .npy file")));
    }
    let length_bytes = match (start[6], start[7]) {
        (1, 0) => 2,
        (2 | 3, 0) => 4,
        (major, minor) => {
            let found = format!("found version {major}.{minor} of the .npy format");
            return Err(Failure::new(format_args!("{found}, expected 1.0, 2.0 or 3.0")));
        }
    };
    let mut length = [0; 4];
    file.read_exact(&mut length[..length_bytes])?;
    let length = u64::from(u32::from_le_bytes(length));
    if length > LONGEST_HEADER {
        let message = format!("the header has {length} bytes, expected at most {LONGEST_HEADER}");
        return Err(Failure::new(message));
    }
    let data_start = 8 + length_bytes as u64 + length;
    if data_start > size {
        return Err(truncated());
    }
    let mut header = vec![0; length as usize];
    file.read_exact(&mut header)?;
    let header = String::from_utf8_lossy(&header);
    let shape = Header::parse(&header).and_then(Header::shape).map_err(Failure::new)?;

    let [rows, columns] = shape;
    let expected = rows.checked_mul(columns).and_then(|entries| (entries as u64).checked_mul(WORD));
    let found = size - data_start;
    match expected {
        Some(expected) if expected == found => Ok((shape, data_start)),
        Some(expected) => Err(Failure::new(format_args!(
            "the shape ({rows}, {columns}) calls for {expected} bytes of data, found {found}"
        ))),
        None => Err(Failure::new(format_args!(
            "the shape ({rows}, {columns}) has more entries than any file, found {found} bytes of data"
        ))),
    }
}
