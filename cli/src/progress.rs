//! Readers and writers that report their progress.

use std::io::{self, Read, Write};

/// Bytes that are moved in one go. Large enough that nothing becomes slower, small enough for a bar that moves.
const PIECE: usize = 4 << 20;

/// A reader or a writer, with a function that is called with the number of bytes of every piece.
pub(crate) struct Reporting<T, F> {
    inner: T,
    tell: F,
}

impl<T, F: FnMut(u64)> Reporting<T, F> {
    pub(crate) fn new(inner: T, tell: F) -> Self {
        Self { inner, tell }
    }

    fn report(&mut self, bytes: io::Result<usize>) -> io::Result<usize> {
        bytes.inspect(|&bytes| (self.tell)(bytes as u64))
    }
}

impl<R: Read, F: FnMut(u64)> Read for Reporting<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let end = buffer.len().min(PIECE);
        let read = self.inner.read(&mut buffer[..end]);
        self.report(read)
    }
}

impl<W: Write, F: FnMut(u64)> Write for Reporting<W, F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(&bytes[..bytes.len().min(PIECE)]);
        self.report(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
