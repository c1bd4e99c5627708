//! Staging: copies between the caller's memory and a device through page-locked memory.
//!
//! A device copies from and to page-locked memory five times as fast as from pageable memory (55 against 10 GB/s on an H200), but
//! locking the caller's pages costs more than it saves. So data pass through a small locked buffer, in pieces. Uploads and downloads have separate buffers, because memory that the host only writes can be
//! write-combined, and such memory is slow to read.
//!
//! Much data that are alone on their way are copied by a few threads, as many as fill the link. Each takes one piece after another and has two slots of its own in the buffer: it copies a piece to one of them, has
//! the device fetch it, and goes on with the next. No thread waits for another, so the device always has something to copy. Where copies of several operations share the
//! link, these threads would wait for it most of the time, and others would lack them. There, and where data are few, all threads copy one half of the buffer, and then the other while the device copies the first.

use super::pipeline::Parts;
use crate::error::Error;
use crate::memory;
use crate::parallel::{Chunks, threads, together};
use crate::pinned::Locked;
use crate::sync::Arc;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of staging memory.
pub(super) const STAGING: usize = 32 << 20;

/// The most threads that take pieces: as many as fill the link.
const LANES: usize = 8;

/// The smallest slots of the buffer, two for each of these threads: the driver takes some microseconds for a copy, whatever its length.
const SLOTS: usize = 2 * LANES;

/// From so many bytes on threads take pieces: before all of them copy something, the device has nothing to do.
const MUCH: usize = 48 << 20;

/// The link between the host and a device: how many copies of data pass through staging memory.
#[derive(Debug, Default)]
pub(super) struct Link(AtomicUsize);

/// A copy of data, until this is dropped.
struct OnItsWay {
    link: Arc<Link>,
    is_alone: bool,
}

impl OnItsWay {
    fn new(link: &Arc<Link>) -> Self {
        Self { link: Arc::clone(link), is_alone: link.0.fetch_add(1, Ordering::Relaxed) == 0 }
    }
}

impl Drop for OnItsWay {
    fn drop(&mut self) {
        self.link.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How a thread copies a piece.
type Copy = fn(&[u8], &mut [u8]);

/// How data are copied.
struct CopyPlan {
    /// Bytes of a slot and of a piece.
    len: usize,
    /// The number of threads that take pieces, and how each copies one: by itself, or one thread with all others.
    lanes: usize,
    copy: Copy,
    /// The turn of the first piece.
    first: usize,
    _on_it: OnItsWay,
}

/// The number of threads that take pieces of so many bytes of data.
fn lanes(bytes: usize, threads: usize, is_alone: bool) -> usize {
    if is_alone && bytes >= MUCH { threads.min(LANES) } else { 1 }
}

/// Page-locked memory; E is an event after a copy.
pub(super) struct Staging<E> {
    memory: Locked,
    link: Arc<Link>,
    /// The last copy from or to each of the smallest slots, or to the larger slot that begins there, until it has been waited for.
    under_way: [Option<E>; SLOTS],
    /// Bytes of a slot when they were begun.
    slot: usize,
    /// The number of pieces so far. Data of one piece each are copied to one half and the other.
    count: usize,
}

/// A slot of staging memory, and the piece of the caller's memory that its contents are for.
struct StagingSlot<'a, 'd, E> {
    memory: &'a mut [u8],
    under_way: &'a mut Option<E>,
    target: Option<&'d mut [u8]>,
}

impl<E: Send> Staging<E> {
    /// Staging through `memory`, of [`STAGING`] bytes.
    pub(super) fn new(memory: Locked, link: Arc<Link>) -> Self {
        assert!(memory.as_slice().len() >= STAGING, "all slots");
        Self { memory, link, under_way: [const { None }; SLOTS], slot: STAGING, count: 0 }
    }

    /// Uploads `data`: `start` begins the copy of a piece to the offset given, `wait` waits for such a copy; any threads call them. Copies may be
    /// under way when this returns, but not from `data`.
    pub(super) fn upload(
        &mut self,
        data: &[u8],
        wait: impl Fn(E) -> Result<(), Error> + Sync,
        start: impl Fn(&[u8], usize) -> Result<E, Error> + Sync,
    ) -> Result<(), Error> {
        let CopyPlan { len, lanes, copy, first, _on_it } = self.begin(data.len());
        let pieces = Parts::new(data.chunks(len).enumerate());
        by_lanes(lanes, &mut self.slots(len, &wait)?, &|slots| {
            let mut turn = (0..slots.len()).cycle().skip(first % slots.len());
            pieces.each(|(number, piece)| {
                let slot = next(slots, &mut turn);
                // The previous copy from this slot must be complete.
                slot.wait(&wait)?;
                let memory = &mut slot.memory[..piece.len()];
                copy(piece, memory);
                *slot.under_way = Some(start(memory, number * len)?);
                Ok(())
            });
        });
        pieces.finish()
    }

    /// Downloads to `data`: `start` begins the copy to a piece from the offset given, `wait` waits for such a copy; any threads call them.
    pub(super) fn download(
        &mut self,
        data: &mut [u8],
        wait: impl Fn(E) -> Result<(), Error> + Sync,
        start: impl Fn(&mut [u8], usize) -> Result<E, Error> + Sync,
    ) -> Result<(), Error> {
        let CopyPlan { len, lanes, copy, first, _on_it } = self.begin(data.len());
        let pieces = Parts::new(data.chunks_mut(len).enumerate());
        by_lanes(lanes, &mut self.slots(len, &wait)?, &|slots| {
            let mut turn = (0..slots.len()).cycle().skip(first % slots.len());
            let take_out = |slot: &mut StagingSlot<'_, '_, E>| {
                slot.wait(&wait)?;
                // A download that failed leaves contents for nobody.
                if let Some(target) = slot.target.take() {
                    copy(&slot.memory[..target.len()], target);
                }
                Ok(())
            };
            pieces.each(|(number, piece)| {
                let slot = next(slots, &mut turn);
                take_out(slot)?;
                *slot.under_way = Some(start(&mut slot.memory[..piece.len()], number * len)?);
                slot.target = Some(piece);
                Ok(())
            });
            // What is still to be taken out, the first first.
            pieces.note((0..slots.len()).try_for_each(|_| take_out(next(slots, &mut turn))));
        });
        pieces.finish()
    }

    /// Begins to copy so many bytes.
    fn begin(&mut self, bytes: usize) -> CopyPlan {
        let on_it = OnItsWay::new(&self.link);
        let lanes = lanes(bytes, threads(), on_it.is_alone);
        let (len, copy): (_, Copy) = match lanes {
            1 => (STAGING / 2, memory::copy),
            _ => (STAGING / SLOTS, |from, to| to.copy_from_slice(from)),
        };
        let first = self.count;
        self.count = first.wrapping_add(bytes.div_ceil(len));
        CopyPlan { len, lanes, copy, first, _on_it: on_it }
    }

    /// The slots, each of so many bytes.
    fn slots<'d>(
        &mut self,
        bytes: usize,
        wait: impl Fn(E) -> Result<(), Error>,
    ) -> Result<Vec<StagingSlot<'_, 'd, E>>, Error> {
        if self.slot != bytes {
            self.under_way.iter_mut().filter_map(Option::take).try_for_each(wait)?;
            self.slot = bytes;
        }
        let memory = self.memory.as_mut_slice().chunks_exact_mut(bytes);
        let slots = memory.zip(self.under_way.iter_mut().step_by(bytes * SLOTS / STAGING));
        Ok(slots.map(|(memory, under_way)| StagingSlot { memory, under_way, target: None }).collect())
    }
}

/// Does the same work on so many threads at most, each with some of the slots.
fn by_lanes<P: Send>(lanes: usize, slots: &mut [P], work: &(dyn Fn(&mut [P]) + Sync)) {
    let each = slots.len().div_ceil(lanes);
    let (slots, taken) = (Chunks::new(slots, each), AtomicUsize::new(0));
    together(lanes - 1, &|| {
        let number = taken.fetch_add(1, Ordering::Relaxed);
        if number < slots.count() {
            // SAFETY: each number comes once.
            work(unsafe { slots.get(number) });
        }
    });
}

/// The slot whose turn it is.
fn next<'p, P>(slots: &'p mut [P], turn: &mut impl Iterator<Item = usize>) -> &'p mut P {
    &mut slots[turn.next().expect("turns without end")]
}

impl<E> StagingSlot<'_, '_, E> {
    fn wait(&mut self, wait: impl Fn(E) -> Result<(), Error>) -> Result<(), Error> {
        self.under_way.take().map_or(Ok(()), wait)
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::NonNull;

    use super::{LANES, Link, MUCH, OnItsWay, SLOTS, STAGING, Staging, lanes};
    use crate::error::Error;
    use crate::lock::lock;
    use crate::pinned::Locked;
    use crate::sync::{Arc, Mutex};

    fn staging<E: Send>() -> Staging<E> {
        let mut memory = vec![0_u8; STAGING];
        let start = NonNull::new(memory.as_mut_ptr()).unwrap();
        // SAFETY: the owner keeps the memory and does not touch it.
        Staging::new(unsafe { Locked::new(start, STAGING, memory) }, Arc::default())
    }

    /// Does something on so many threads.
    fn on<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    /// A device that copies only when it is waited for: as late as a device may.
    #[derive(Default)]
    struct Late {
        memory: Mutex<Vec<u8>>,
    }

    /// A copy: of so many bytes, between this address and this offset.
    struct Copy {
        host: usize,
        len: usize,
        at: usize,
        up: bool,
    }

    impl Late {
        fn wait(&self, Copy { host, len, at, up }: Copy) -> Result<(), Error> {
            let memory = &mut lock(&self.memory)[at..at + len];
            // SAFETY: the host's piece is part of staging memory, which lives on and is not used otherwise meanwhile.
            let host = unsafe { std::slice::from_raw_parts_mut(host as *mut u8, len) };
            match up {
                true => memory.copy_from_slice(host),
                false => host.copy_from_slice(memory),
            }
            Ok(())
        }
    }

    fn start(host: *const u8, len: usize, at: usize, up: bool) -> Result<Copy, Error> {
        Ok(Copy { host: host.expose_provenance(), len, at, up })
    }

    /// Few and much data in turn, on one thread and on several, through the same memory.
    #[test]
    fn data_pass_through_unchanged() {
        let half = STAGING / 2;
        for threads in [1, 3, LANES + 5] {
            let mut staging = staging();
            for len in [0, 5, half, MUCH, half + 1, MUCH + 7, 3 * half + 5, MUCH + STAGING / SLOTS] {
                let data: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
                let device = Late { memory: Mutex::new(vec![0; len]) };
                let up = |piece: &[u8], at| start(piece.as_ptr(), piece.len(), at, true);
                on(threads, || staging.upload(&data, |copy| device.wait(copy), up)).unwrap();
                let mut copies = staging.under_way.iter_mut().filter_map(Option::take);
                copies.try_for_each(|copy| device.wait(copy)).unwrap();
                assert!(*lock(&device.memory) == data, "{len} bytes up on {threads} threads");
                let mut out = vec![0; len];
                let down = |piece: &mut [u8], at| start(piece.as_mut_ptr(), piece.len(), at, false);
                on(threads, || staging.download(&mut out, |copy| device.wait(copy), down)).unwrap();
                assert!(
                    out == data && staging.under_way.iter().all(Option::is_none),
                    "{len} down on {threads}"
                );
            }
        }
    }

    fn failure(bytes: usize) -> Error {
        Error::HostOutOfMemory { bytes: bytes as u64 }
    }

    /// No piece is begun after one has failed, and memory is used again when its last copy has been waited for.
    #[test]
    fn a_copy_that_fails() {
        let (waited, half) = (Mutex::new(Vec::new()), STAGING / 2);
        let wait = |at: usize| {
            lock(&waited).push(at);
            Ok(())
        };
        let mut staging = staging::<usize>();
        let mut data = vec![0; MUCH];
        let begin = |at| if at == half { Err(failure(at)) } else { Ok(at) };
        let failed = on(1, || staging.upload(&data[..3 * half], wait, |_, at| begin(at)));
        assert_eq!((failed, lock(&waited).len()), (Err(failure(half)), 0));
        // Of these three pieces the last would have come to the first half, so this one comes to the second.
        on(1, || staging.upload(&data[..1], wait, |_, _| Ok(8))).unwrap();
        assert!(lock(&waited).is_empty());
        let failed = on(1, || staging.download(&mut data[..3 * half], wait, |_, at| begin(at)));
        assert_eq!(failed, Err(failure(half)));
        assert_eq!(*lock(&waited), [0, 8, 0]);
        // In small slots, many at once: what was begun is waited for, and nothing more.
        let begun = Mutex::new(Vec::new());
        let begin = |at| {
            if at >= half {
                return Err(failure(0));
            }
            lock(&begun).push(at);
            Ok(at)
        };
        assert_eq!(on(3, || staging.download(&mut data, wait, |_, at| begin(at))), Err(failure(0)));
        let (mut begun, mut found) = (lock(&begun).clone(), lock(&waited)[3..].to_vec());
        begun.sort_unstable();
        found.sort_unstable();
        assert_eq!(begun, found);
        let kept = on(3, || {
            staging.upload(&data, wait, |_, at| Ok(at)).map(|()| staging.under_way.iter().flatten().count())
        });
        lock(&waited).clear();
        on(1, || staging.upload(&data[..1], wait, |_, _| Ok(8))).unwrap();
        assert_eq!(Ok(lock(&waited).len()), kept, "all that was copied through smaller slots");
    }

    /// Few data are copied while the device copies those before them.
    #[test]
    fn halves_in_turn() {
        let (waited, mut staging) = (Mutex::new(Vec::new()), staging::<usize>());
        let wait = |number| {
            lock(&waited).push(number);
            Ok(())
        };
        (0..4).for_each(|number| staging.upload(&[7], wait, |_, _| Ok(number)).unwrap());
        assert_eq!(*lock(&waited), [0, 1]);
    }

    #[test]
    fn threads_that_take_pieces() {
        let link = Arc::new(Link::default());
        let first = OnItsWay::new(&link);
        assert!(first.is_alone && !OnItsWay::new(&link).is_alone);
        drop(first);
        assert!(OnItsWay::new(&link).is_alone);
        assert_eq!([1, 5, 100].map(|threads| lanes(MUCH, threads, true)), [1, 5, LANES]);
        assert_eq!([lanes(MUCH - 1, 100, true), lanes(MUCH, 100, false)], [1, 1]);
    }
}
