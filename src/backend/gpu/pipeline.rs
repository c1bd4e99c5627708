//! Parts of an operation in flight at the same time.
//!
//! A device computes, copies in and copies out with different units, and all three can work at once. So an operation with
//! independent parts does a few of them at once, each on a queue of its own: while one part is computed, the next is copied in
//! and the previous one is copied out. The slowest of the three sets the pace, instead of their sum. Each part is an ordinary
//! piece of work on a thread that waits for it; the device's queues do the interleaving.

use super::Gpu;
use crate::error::Error;
use crate::lock::lock;
use crate::parallel;
use crate::sync::Mutex;

/// The number of parts in flight: one copied in, one computed, one copied out.
const LANES: usize = 3;

/// The bytes moved, in and out, from which an operation is done in parts for the sake of overlap.
pub(super) const WORTH_IT: u64 = 64 << 20;

/// The bytes that a part should move: enough to make launches and waits small compared with the copies, and no more, because the
/// first copy in and the last copy out overlap with nothing.
const PART: u64 = 32 << 20;

impl Gpu {
    /// How many of `count` equal items to put into a part, if each moves so many bytes in and out and takes so many words of
    /// memory; `None` where parts would not pay or would not fit at the same time.
    pub(super) fn overlap(&self, count: usize, moved: usize, words: usize) -> Option<usize> {
        let (moved, words) = ((moved as u64).max(1), (words as u64).max(1));
        if count < 2 || moved.saturating_mul(count as u64) < self.overlap_from() {
            return None;
        }
        let room = self.limit / words.saturating_mul(8 * LANES as u64);
        let wanted = (PART / moved).max(1).min(count as u64 / 2);
        usize::try_from(wanted.min(room)).ok().filter(|&at_once| at_once > 0)
    }
}

/// Parts that several threads take one after another. After an error no further part is begun.
pub(super) struct Parts<I> {
    left: Mutex<I>,
    failed: Mutex<Option<Error>>,
}

impl<I: Iterator> Parts<I> {
    pub(super) fn new(parts: I) -> Self {
        Self { left: Mutex::new(parts), failed: Mutex::new(None) }
    }

    /// Takes parts until none is left.
    pub(super) fn each(&self, mut work: impl FnMut(I::Item) -> Result<(), Error>) {
        // Only iterators over slices run under these locks, and they do not panic.
        let next = || match *lock(&self.failed) {
            None => lock(&self.left).next(),
            Some(_) => None,
        };
        while let Some(part) = next() {
            self.note(work(part));
        }
    }

    pub(super) fn note(&self, result: Result<(), Error>) {
        if let Err(error) = result {
            lock(&self.failed).get_or_insert(error);
        }
    }

    /// The first error, when all threads are done.
    pub(super) fn finish(self) -> Result<(), Error> {
        lock(&self.failed).take().map_or(Ok(()), Err)
    }
}

/// Does every part, a few at the same time. After an error no further part is begun; the first error is returned when the parts
/// in flight have ended.
pub(super) fn run<P: Send>(
    parts: impl Iterator<Item = P> + Send,
    each: impl Fn(P) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let parts = Parts::new(parts);
    parallel::repeat(LANES, &|| parts.each(&each));
    parts.finish()
}

/// Does every part in place; where one fails, `undo` is applied to those that succeeded, so that all are restored.
pub(super) fn run_in_place<T: Send>(
    parts: impl Iterator<Item = T>,
    each: impl Fn(&mut T) -> Result<(), Error> + Sync,
    undo: impl Fn(&mut T) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut parts: Vec<_> = parts.map(|part| (part, false)).collect();
    let result = run(parts.iter_mut(), |(part, done)| {
        each(part)?;
        *done = true;
        Ok(())
    });
    if result.is_err() {
        parts.iter_mut().filter(|(_, done)| *done).try_for_each(|(part, _)| undo(part))?;
    }
    result
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{LANES, run, run_in_place};
    use crate::error::Error;

    #[test]
    fn every_part_is_done_once() {
        for count in [0, 1, 2, LANES, 100] {
            let mut parts = vec![0; count];
            run(parts.iter_mut(), |part| {
                *part += 1;
                Ok(())
            })
            .unwrap();
            assert!(parts.iter().all(|&part| part == 1));
        }
    }

    #[test]
    fn parts_that_were_done_are_undone_where_one_fails() {
        for bad in 0..10 {
            let begun = AtomicUsize::new(0);
            let mut parts: Vec<usize> = (0..10).collect();
            let result = run_in_place(
                parts.iter_mut(),
                |part| {
                    begun.fetch_add(1, Ordering::Relaxed);
                    if **part == bad {
                        return Err(Error::BadBlowup { found: bad as u64 });
                    }
                    **part += 100;
                    Ok(())
                },
                |part| {
                    **part -= 100;
                    Ok(())
                },
            );
            assert_eq!(result, Err(Error::BadBlowup { found: bad as u64 }));
            assert!(parts.iter().copied().eq(0..10));
            // No further part follows those in flight when one fails.
            assert!(begun.into_inner() <= bad + LANES);
        }
    }
}
