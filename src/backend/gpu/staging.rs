//! Page-locked memory between the caller's memory and a device.
//!
//! A device copies from and to page-locked memory five times as fast as from pageable memory (55 against 10 GB/s on an H200),
//! but locking the caller's pages costs more than it saves. So data pass through a small locked buffer in two halves: while
//! the device copies one, all threads copy the other.

use std::ops::Range;

use rayon::prelude::*;

/// Bytes of a half.
const HALF: usize = 16 << 20;

/// Bytes that one thread copies at a time.
const GRAIN: usize = 1 << 20;

/// Two halves of page-locked memory; E is an event that tells when the device is done with a half.
pub(super) struct Staging<E> {
    memory: *mut u8,
    halves: [Half<E>; 2],
}

/// One half.
pub(super) struct Half<E> {
    memory: *mut u8,
    /// Recorded after each copy from or to this half.
    pub(super) event: E,
}

/// A length in pieces that fit into a half.
pub(super) fn pieces(len: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len).step_by(HALF).map(move |start| start..len.min(start + HALF))
}

impl<E> Staging<E> {
    /// Two halves, if memory and events are to be had. `lock` returns that many bytes of page-locked memory, which the
    /// caller frees after this value's last use.
    pub(super) fn new(
        lock: impl FnOnce(usize) -> Option<*mut u8>,
        event: impl Fn() -> Option<E>,
    ) -> Option<Self> {
        let events = [event()?, event()?];
        let memory = lock(2 * HALF)?;
        let mut offset = 0;
        let halves = events.map(|event| {
            let memory = memory.wrapping_add(offset);
            offset += HALF;
            Half { memory, event }
        });
        Some(Self { memory, halves })
    }

    /// The half of the piece with this number.
    pub(super) fn slot(&mut self, number: usize) -> &mut Half<E> {
        &mut self.halves[number % 2]
    }

    /// The memory of both.
    pub(super) fn memory(&mut self) -> *mut u8 {
        self.memory
    }
}

impl<E> Half<E> {
    /// The first `len` bytes.
    pub(super) fn space(&mut self, len: usize) -> &mut [u8] {
        assert!(len <= HALF, "a piece fits into a half");
        // SAFETY: HALF bytes of locked memory, which the system hands out zeroed and which only this value points to.
        unsafe { std::slice::from_raw_parts_mut(self.memory, len) }
    }

    /// Copies `data` here.
    pub(super) fn fill(&mut self, data: &[u8]) -> &[u8] {
        let space = self.space(data.len());
        copy(data, space);
        space
    }

    /// Copies what is here to `data`.
    pub(super) fn empty(&mut self, data: &mut [u8]) {
        let space = self.space(data.len());
        copy(space, data);
    }
}

/// Copies with as many threads as it takes.
fn copy(from: &[u8], to: &mut [u8]) {
    match from.len() <= GRAIN {
        true => to.copy_from_slice(from),
        false => {
            let pieces = to.par_chunks_mut(GRAIN).zip(from.par_chunks(GRAIN));
            pieces.for_each(|(to, from)| to.copy_from_slice(from));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HALF, Staging, pieces};

    #[test]
    fn data_pass_through_unchanged() {
        let mut memory = vec![0u8; 2 * HALF];
        let mut staging = Staging::new(|_| Some(memory.as_mut_ptr()), || Some(())).unwrap();
        let data: Vec<u8> = (0..3 * HALF + 5).map(|i| (i % 251) as u8).collect();
        let mut out = vec![0; data.len()];
        let mut end = 0;
        for (number, range) in pieces(data.len()).enumerate() {
            assert_eq!(range.start, end);
            end = range.end;
            let half = staging.slot(number);
            half.fill(&data[range.clone()]);
            half.empty(&mut out[range]);
        }
        assert!(end == data.len() && out == data);
    }
}
