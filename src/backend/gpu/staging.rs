//! Staging: copies between the caller's memory and a device through page-locked memory.
//!
//! A device copies from and to page-locked memory five times as fast as from pageable memory (55 against 10 GB/s on an H200), but
//! locking the caller's pages costs more than it saves. So data pass through a small locked buffer in two halves: while the
//! device copies one, all threads copy the other. Uploads and downloads have separate buffers, because memory that the host only
//! writes can be write-combined, and such memory is slow to read.

use crate::error::Error;
use crate::memory;
use crate::pinned::Locked;

/// Bytes of a half.
const HALF: usize = 16 << 20;

/// Bytes of staging memory: both halves.
pub(super) const STAGING: usize = 2 * HALF;

/// Two halves of page-locked memory; E is an event after a copy.
pub(super) struct Staging<E> {
    memory: Locked,
    /// The last copy from or to each half, until it has been waited for.
    under_way: [Option<E>; 2],
    /// The number of copies so far: halves alternate.
    count: usize,
}

impl<E> Staging<E> {
    /// Staging through `memory`, of [`STAGING`] bytes.
    pub(super) fn new(memory: Locked) -> Self {
        assert!(memory.as_slice().len() >= STAGING, "two halves");
        Self { memory, under_way: [None, None], count: 0 }
    }

    /// Uploads `data`: `start` begins the copy of a piece to the offset given, `wait` waits for such a copy. Copies may be
    /// under way when this returns, but not from `data`.
    pub(super) fn upload(
        &mut self,
        data: &[u8],
        wait: impl Fn(E) -> Result<(), Error>,
        mut start: impl FnMut(&[u8], usize) -> Result<E, Error>,
    ) -> Result<(), Error> {
        for (number, piece) in data.chunks(HALF).enumerate() {
            let half = self.turn();
            // The previous copy from this half must be complete.
            self.under_way[half].take().map_or(Ok(()), &wait)?;
            let space = space(&mut self.memory, half, piece.len());
            memory::copy(piece, space);
            self.under_way[half] = Some(start(space, number * HALF)?);
        }
        Ok(())
    }

    /// Downloads to `data`: `start` begins the copy to a piece from the offset given, `wait` waits for such a copy.
    pub(super) fn download(
        &mut self,
        data: &mut [u8],
        wait: impl Fn(E) -> Result<(), Error>,
        mut start: impl FnMut(&mut [u8], usize) -> Result<E, Error>,
    ) -> Result<(), Error> {
        let mut pieces = data.chunks_mut(HALF).enumerate();
        // One piece is copied to one half while the previous piece is taken out of the other.
        let mut before: Option<(usize, &mut [u8])> = None;
        loop {
            let next = pieces.next();
            let half = self.turn();
            if let Some((number, piece)) = &next {
                // Only a failed download leaves such a copy.
                self.under_way[half].take().map_or(Ok(()), &wait)?;
                let space = space(&mut self.memory, half, piece.len());
                self.under_way[half] = Some(start(space, number * HALF)?);
            }
            if let Some((half, piece)) = before {
                self.under_way[half].take().map_or(Ok(()), &wait)?;
                memory::copy(space(&mut self.memory, half, piece.len()), piece);
            }
            match next {
                Some((_, piece)) => before = Some((half, piece)),
                None => return Ok(()),
            }
        }
    }
}

impl<E> Staging<E> {
    /// The half that is next.
    fn turn(&mut self) -> usize {
        self.count += 1;
        self.count % 2
    }
}

/// The first bytes of a half.
fn space(memory: &mut Locked, half: usize, len: usize) -> &mut [u8] {
    &mut memory.as_mut_slice()[half * HALF..][..len]
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::ptr::NonNull;

    use super::{HALF, STAGING, Staging};
    use crate::error::Error;
    use crate::pinned::Locked;

    fn memory() -> Locked {
        let mut memory = vec![0_u8; STAGING];
        let start = NonNull::new(memory.as_mut_ptr()).unwrap();
        // SAFETY: the owner keeps the memory and does not touch it.
        unsafe { Locked::new(start, STAGING, memory) }
    }

    /// A device that copies only when it is waited for: as late as a device may.
    #[derive(Default)]
    struct Late {
        memory: RefCell<Vec<u8>>,
    }

    /// A copy: of so many bytes, between this address and this offset.
    struct Copy {
        host: *mut u8,
        len: usize,
        at: usize,
        up: bool,
    }

    impl Late {
        fn wait(&self, Copy { host, len, at, up }: Copy) -> Result<(), Error> {
            let memory = &mut self.memory.borrow_mut()[at..at + len];
            // SAFETY: the host's piece is part of staging memory, which lives on and is not used otherwise meanwhile.
            let host = unsafe { std::slice::from_raw_parts_mut(host, len) };
            match up {
                true => memory.copy_from_slice(host),
                false => host.copy_from_slice(memory),
            }
            Ok(())
        }
    }

    #[test]
    fn data_pass_through_unchanged() {
        for len in [1, 5, HALF, HALF + 1, 2 * HALF, 3 * HALF + 5] {
            let data: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
            let device = Late { memory: RefCell::new(vec![0; len]) };
            let mut staging = Staging::new(memory());
            let up = |piece: &[u8], at| {
                Ok(Copy { host: piece.as_ptr().cast_mut(), len: piece.len(), at, up: true })
            };
            staging.upload(&data, |copy| device.wait(copy), up).unwrap();
            for copy in &mut staging.under_way {
                copy.take().map_or(Ok(()), |copy| device.wait(copy)).unwrap();
            }
            assert!(*device.memory.borrow() == data, "{len}");
            let mut out = vec![0; len];
            let down =
                |piece: &mut [u8], at| Ok(Copy { host: piece.as_mut_ptr(), len: piece.len(), at, up: false });
            staging.download(&mut out, |copy| device.wait(copy), down).unwrap();
            assert!(out == data, "{len}");
        }
    }

    #[test]
    fn a_copy_that_fails_leaves_none_unwaited_for_before_its_half_is_used_again() {
        let waited = RefCell::new(Vec::new());
        let failure = || Error::DeviceMissing { device: "".into(), reason: "".into(), available: "".into() };
        let wait = |at: usize| {
            waited.borrow_mut().push(at);
            Ok(())
        };
        let mut staging = Staging::<usize>::new(memory());
        let mut data = vec![0; 2 * HALF];
        let failed = staging.download(&mut data, wait, |_, at| if at > 0 { Err(failure()) } else { Ok(7) });
        assert!(failed == Err(failure()) && waited.borrow().is_empty());
        for _ in 0..2 {
            staging.upload(&data[..1], wait, |_, _| Ok(8)).unwrap();
        }
        assert_eq!(*waited.borrow(), [7]);
    }
}
