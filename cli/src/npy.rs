//! Matrices in `.npy` files: dtype `<u8`, C order, shape (rows, columns).
//!
//! The format (numpy's NEP 1) is a magic, a version, the length of a header and the header: a Python dictionary with
//! the three keys `descr`, `fortran_order` and `shape`. Then come the data.
//!
//! The files are untrusted, which is why the reader is our own: `npyz`, with which the tests read what is written here, allocates
//! the length that a header claims before it knows that the file is that long, parses the header as any Python literal, nested as
//! deep as it likes, and reads the data entry by entry. Here everything is checked against the size of the file before anything
//! is allocated, and the data are read in one go, into their final memory. The size of a stream, such as a pipe, is not known: it
//! is read to its end, up to the memory that the caller allows.

mod header;
#[cfg(test)]
mod mutations;

use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use zkaccel::Error;
use zkaccel::field::Goldilocks;

use crate::failure::{Context, Failure};
use crate::files::{self, Input};
use crate::progress::Reporting;
use header::Header;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The longest header that is read, in bytes. Numpy's own limit; a matrix needs about 100.
const LONGEST_HEADER: u64 = 10_000;

/// No file is shorter: the magic, the version and the length of the header.
const SHORTEST: u64 = 12;

/// Bytes of an entry.
const WORD: u64 = size_of::<u64>() as u64;

/// An open file whose header is sound and whose size, where it is known, is what the header calls for.
pub(crate) struct NpyFile {
    input: Input,
    /// Its name in messages.
    pub(crate) name: String,
    /// At least 1.
    pub(crate) rows: usize,
    /// At least 1.
    pub(crate) columns: usize,
    data_start: u64,
}

impl NpyFile {
    /// Opens a file, a pipe or, for `-`, standard input, and checks all of it but the data.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let (mut input, name) = (Input::open(path, "a .npy file")?, files::input_name(path));
        let size = input.length();
        let (shape, data_start) = check(&mut input, size).context(&name)?;
        let [rows, columns] = shape;
        Ok(Self { input, name, rows, columns, data_start })
    }

    /// The bytes of the entries.
    pub(crate) fn bytes(&self) -> u64 {
        // The product was checked when the file was opened.
        self.rows as u64 * self.columns as u64 * WORD
    }

    /// All entries, row by row; at most `limit` bytes of them. `tell` is called with the number of bytes read.
    pub(crate) fn read(self, limit: u64, tell: impl FnMut(u64)) -> Result<Vec<u64>, Failure> {
        let (bytes, [rows, columns]) = (self.bytes(), [self.rows, self.columns]);
        let is_stream = self.input.length().is_none();
        let mut input = Reporting::new(self.input, tell);
        let mut read = || {
            if bytes > limit {
                return Err(Error::OverBudget { required: bytes, budget: limit }.into());
            }
            // The system hands out zero pages: memory is used as data come, whatever a header claims.
            let mut words: Vec<u64> = bytemuck::allocation::try_zeroed_vec(rows * columns)
                .map_err(|()| Error::HostOutOfMemory { bytes })?;
            let found = fill(&mut input, bytemuck::cast_slice_mut(&mut words))?;
            let calls_for = format!("the shape ({rows}, {columns}) calls for {bytes} bytes of data");
            if found as u64 != bytes {
                return Err(Failure::new(format_args!("{calls_for}, found {found}")));
            }
            if is_stream && fill(&mut input, &mut [0])? > 0 {
                return Err(Failure::new(format_args!("{calls_for}, found more")));
            }
            Ok::<_, Failure>(words)
        };
        let mut words = read().context(&self.name)?;
        words.iter_mut().for_each(|word| *word = u64::from_le(*word));
        Ok(words)
    }

    /// The entries of one row, without reading the others.
    pub(crate) fn read_row(&mut self, row: usize) -> io::Result<Vec<u64>> {
        self.read_rows(row..row + 1, |_| {})
    }

    /// The entries of some rows, without reading the others. `tell` is called with the number of bytes read.
    pub(crate) fn read_rows(&mut self, rows: Range<usize>, tell: impl FnMut(u64)) -> io::Result<Vec<u64>> {
        let mut words = bytemuck::allocation::try_zeroed_vec(rows.len() * self.columns)
            .map_err(|()| io::ErrorKind::OutOfMemory)?;
        let Input::Regular(file, _) = &mut self.input else { return Err(ErrorKind::NotSeekable.into()) };
        file.seek(SeekFrom::Start(self.data_start + (rows.start as u64 * self.columns as u64) * WORD))?;
        Reporting::new(file, tell).read_exact(bytemuck::cast_slice_mut(&mut words))?;
        words.iter_mut().for_each(|word| *word = u64::from_le(*word));
        Ok(words)
    }
}

/// Reads until a buffer is full or the input ends; returns how many bytes there were.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Writes a matrix, straight from its memory. `tell` is called with the number of bytes written.
pub(crate) fn write(
    sink: &mut (impl Write + ?Sized),
    rows: usize,
    columns: usize,
    entries: &[u8],
    tell: impl FnMut(u64),
) -> io::Result<()> {
    let mut header = format!("{{'descr': '<u8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // Spaces and a line's end bring the data to a multiple of 64 bytes.
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    sink.write_all(MAGIC)?;
    sink.write_all(&[1, 0])?;
    sink.write_all(&(header.len() as u16).to_le_bytes())?;
    sink.write_all(header.as_bytes())?;
    Reporting::new(sink, tell).write_all(entries)
}

/// The error of a library call on a matrix, with the position of a bad entry as row and column.
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

/// The shape, and the offset of the data, which is the input's position afterwards. `size` is that of a file.
fn check(input: &mut Input, size: Option<u64>) -> Result<([usize; 2], u64), Failure> {
    let truncated = |size| Failure::new(format_args!("the file ends within its header, after {size} bytes"));
    let too_short = |size| Failure::new(format_args!("found a file of {size} bytes, expected a .npy file"));
    let mut found = 0;
    // Fills a buffer, or reports where the input has ended.
    let mut next = |buffer: &mut [u8]| -> Result<(), Failure> {
        let read = fill(input, buffer)?;
        found += read as u64;
        match read == buffer.len() {
            true => Ok(()),
            false if found < SHORTEST => Err(too_short(found)),
            false => Err(truncated(found)),
        }
    };

    let mut start = [0; 8];
    if let Some(size) = size.filter(|&size| size < SHORTEST) {
        return Err(too_short(size));
    }
    next(&mut start)?;
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
    next(&mut length[..length_bytes])?;
    let length = u64::from(u32::from_le_bytes(length));
    if length > LONGEST_HEADER {
        let message = format!("the header has {length} bytes, expected at most {LONGEST_HEADER}");
        return Err(Failure::new(message));
    }
    let data_start = 8 + length_bytes as u64 + length;
    if let Some(size) = size.filter(|&size| data_start > size) {
        return Err(truncated(size));
    }
    let mut header = vec![0; length as usize];
    next(&mut header)?;
    let header = String::from_utf8_lossy(&header);
    let shape = Header::parse(&header).and_then(Header::shape).map_err(Failure::new)?;

    let [rows, columns] = shape;
    let expected = rows.checked_mul(columns).and_then(|entries| (entries as u64).checked_mul(WORD));
    let found = size.map(|size| size - data_start);
    match (expected, found) {
        (Some(_), None) => Ok((shape, data_start)),
        (Some(expected), Some(found)) if expected == found => Ok((shape, data_start)),
        (Some(expected), Some(found)) => Err(Failure::new(format_args!(
            "the shape ({rows}, {columns}) calls for {expected} bytes of data, found {found}"
        ))),
        (None, found) => {
            let found = found.map_or_else(String::new, |found| format!(", found {found} bytes of data"));
            Err(Failure::new(format_args!(
                "the shape ({rows}, {columns}) has more entries than any file{found}"
            )))
        }
    }
}
