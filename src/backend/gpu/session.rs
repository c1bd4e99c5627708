//! A session: one operation's queue on a device, and the memory that it uses.
//!
//! Buffers may return to the pool only when the queue is done with them. A [`Session`] ensures that: it owns both, and when it is
//! dropped with work in flight it waits first. If waiting fails, nothing is reused.

use std::sync::Arc;
use std::time::Duration;

use super::Gpu;
use super::device::{Buffer, Device, Launch, Limits, Queue};
use super::pool::Lease;
use crate::backend::Memory;
use crate::error::Error;
use crate::lock::lock;
use crate::memory::{self, Strided, StridedMut};

/// Words of the buffer through which columns pass that the device does not copy directly; more if a row of them has more.
const PIECE: usize = 1 << 19;

/// A buffer of a [`Session`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    index: usize,
    bytes: usize,
}

impl Region {
    /// A region without memory, for tests of plans.
    #[cfg(test)]
    pub(super) fn nowhere(words: usize) -> Self {
        Self { index: 0, bytes: 8 * words }
    }

    /// Its size as asked for, in words of eight bytes.
    pub(super) fn words(self) -> usize {
        self.bytes / 8
    }
}

enum Held {
    /// From the pool, with its class.
    Lent(usize, Buffer),
    /// Kept by the backend.
    Shared(Arc<Buffer>),
    /// Kept by a caller of the library.
    Leased(Arc<Lease<Buffer>>),
}

/// One operation's queue and memory.
pub(super) struct Session<'a> {
    gpu: &'a Gpu,
    queue: Option<Queue>,
    held: Vec<Held>,
    finished: bool,
}

impl<'a> Session<'a> {
    pub(super) fn new(gpu: &'a Gpu) -> Result<Self, Error> {
        let kept = lock(&gpu.queues).pop();
        let queue = kept.map_or_else(|| gpu.device.queue(), Ok)?;
        Ok(Self { gpu, queue: Some(queue), held: Vec::new(), finished: true })
    }

    /// The backend.
    pub(super) fn gpu(&self) -> &'a Gpu {
        self.gpu
    }

    pub(super) fn limits(&self) -> Limits {
        self.gpu.device.limits()
    }

    /// Memory of `words` words, with unspecified contents.
    pub(super) fn allocate(&mut self, words: usize) -> Result<Region, Error> {
        let requested = (words as u64).saturating_mul(8);
        let info = self.gpu.device.info();
        if requested > self.limits().buffer {
            return Err(Error::DeviceOutOfMemory { device: info.id.clone(), requested });
        }
        let bytes = requested as usize;
        let (class, buffer) = self.gpu.pool.take(bytes, |bytes| self.gpu.device.allocate(bytes))?;
        self.held.push(Held::Lent(class, buffer));
        Ok(Region { index: self.held.len() - 1, bytes })
    }

    /// Adds memory that the backend keeps.
    pub(super) fn share(&mut self, buffer: Arc<Buffer>, words: usize) -> Region {
        self.held.push(Held::Shared(buffer));
        Region { index: self.held.len() - 1, bytes: 8 * words }
    }

    /// Adds memory that an earlier operation handed out.
    pub(super) fn borrow(&mut self, memory: &Memory) -> Region {
        let lease = memory.downcast::<Lease<Buffer>>().expect("memory that this backend handed out");
        let bytes = lease.bytes();
        self.held.push(Held::Leased(lease));
        Region { index: self.held.len() - 1, bytes }
    }

    /// Whether memory was handed out by the backend of this session, and not by a peer.
    pub(super) fn is_own(&self, memory: &Memory) -> bool {
        memory.downcast::<Lease<Buffer>>().is_some_and(|lease| lease.is_of(&self.gpu.pool))
    }

    /// New memory that holds `data`.
    pub(super) fn upload_new(&mut self, data: &[u8]) -> Result<Region, Error> {
        let region = self.allocate(data.len().div_ceil(8))?;
        self.upload(data, region, 0)?;
        Ok(region)
    }

    /// The device, with the queue, which is given work, and the memory.
    fn work(&mut self) -> (&'a dyn Device, &mut Queue, &[Held]) {
        self.finished = false;
        (&*self.gpu.device, self.queue.as_mut().expect("a queue until dropped"), &self.held)
    }

    /// Copies to a region, `at` bytes from its start.
    pub(super) fn upload(&mut self, data: &[u8], to: Region, at: usize) -> Result<(), Error> {
        assert!(at + data.len() <= to.bytes, "an upload past the end of its region");
        let (device, queue, held) = self.work();
        device.upload(queue, data, buffer(held, to), at)
    }

    /// New memory that holds columns, side by side.
    pub(super) fn upload_new_columns(&mut self, columns: Strided<'_, u64>) -> Result<Region, Error> {
        let width = columns.width();
        let to = self.allocate(columns.rows() * width)?;
        let (device, queue, held) = self.work();
        if device.copies_columns(columns) {
            device.upload_columns(queue, columns, buffer(held, to))?;
            return Ok(to);
        }
        let mut piece = memory::zeroed(PIECE.max(width).min(columns.rows() * width))?;
        for rows in columns.runs(PIECE) {
            let (piece, at) = (&mut piece[..rows.len() * width], 8 * rows.start * width);
            columns.of_rows(rows).take(piece);
            self.upload(bytemuck::cast_slice(piece), to, at)?;
        }
        Ok(to)
    }

    /// Gives work of the device itself to the queue, which may write to a region.
    #[cfg(feature = "cuda")]
    pub(super) fn with_queue(
        &mut self,
        to: Region,
        work: impl FnOnce(&dyn Device, &mut Queue, &Buffer) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (device, queue, held) = self.work();
        work(device, queue, buffer(held, to))
    }

    /// Copies a region to another, of the same size.
    pub(super) fn copy(&mut self, from: Region, to: Region) -> Result<(), Error> {
        assert!(from.bytes == to.bytes, "a copy to a region as large");
        self.copy_words((from, 0), (to, 0), from.words())
    }

    /// Copies so many words of a region, from some word on, to another, to some word of it.
    pub(super) fn copy_words(
        &mut self,
        (from, from_word): (Region, usize),
        (to, to_word): (Region, usize),
        words: usize,
    ) -> Result<(), Error> {
        let fits = from_word + words <= from.words() && to_word + words <= to.words();
        assert!(from.index != to.index && fits, "a copy within the bounds of two regions");
        let (device, queue, held) = self.work();
        device.copy(queue, (buffer(held, from), 8 * from_word), (buffer(held, to), 8 * to_word), 8 * words)
    }

    /// Waits for everything, and moves regions to another session; the rest of the memory returns to the pool.
    pub(super) fn give<const N: usize>(
        mut self,
        regions: [Region; N],
        to: &mut Self,
    ) -> Result<[Region; N], Error> {
        self.finish()?;
        let mut held: Vec<_> = self.held.drain(..).map(Some).collect();
        let given = regions.map(|region| {
            to.held.push(held[region.index].take().expect("each region once"));
            Region { index: to.held.len() - 1, bytes: region.bytes }
        });
        self.held.extend(held.into_iter().flatten());
        Ok(given)
    }

    /// Launches kernels one after another.
    pub(super) fn launch(&mut self, launches: &[Launch<Region>]) -> Result<(), Error> {
        let (device, queue, held) = self.work();
        let launches: Vec<_> =
            launches.iter().map(|launch| launch.map(|region| buffer(held, region))).collect();
        device.launch(queue, &launches)
    }

    /// Waits for everything, and then copies from a region, `at` bytes from its start.
    pub(super) fn download(&mut self, from: Region, at: usize, data: &mut [u8]) -> Result<(), Error> {
        assert!(at + data.len() <= from.bytes, "a download past the end of its region");
        self.finish()?;
        let (device, queue, held) = self.work();
        device.download(queue, buffer(held, from), at, data)?;
        self.finished = true;
        Ok(())
    }

    /// Waits for everything, and then copies a region to columns.
    pub(super) fn download_columns(
        &mut self,
        from: Region,
        mut columns: StridedMut<'_, u64>,
    ) -> Result<(), Error> {
        let (rows, width) = (columns.as_columns().rows(), columns.as_columns().width());
        assert!(8 * rows * width <= from.bytes, "a download past the end of its region");
        self.finish()?;
        let (device, queue, held) = self.work();
        if device.copies_columns(columns.as_columns()) {
            device.download_columns(queue, buffer(held, from), columns)?;
            self.finished = true;
            return Ok(());
        }
        let mut piece = memory::zeroed(PIECE.max(width).min(rows * width))?;
        for rows in columns.as_columns().runs(PIECE) {
            let (piece, at) = (&mut piece[..rows.len() * width], 8 * rows.start * width);
            self.download(from, at, bytemuck::cast_slice_mut(piece))?;
            columns.of_rows(rows).put(piece);
        }
        Ok(())
    }

    /// Waits for everything, and returns how long the device worked for this since the last time.
    pub(super) fn finish(&mut self) -> Result<Duration, Error> {
        let (device, queue, _) = self.work();
        let intervals = device.finish(queue)?;
        self.finished = true;
        let time = intervals.iter().map(|interval| interval.end.saturating_sub(interval.start)).sum();
        let mut busy = lock(&self.gpu.busy);
        intervals.into_iter().for_each(|interval| busy.add(interval));
        Ok(Duration::from_nanos(time))
    }

    /// Waits for everything and hands out the memory of a region, to be kept.
    pub(super) fn keep(mut self, region: Region) -> Result<Buffer, Error> {
        self.finish()?;
        match self.held.swap_remove(region.index) {
            Held::Lent(_, buffer) => Ok(buffer),
            _ => unreachable!("only memory of one's own can be kept"),
        }
    }

    /// Waits for everything and hands out the memory of a region, to return to the pool when it is dropped.
    pub(super) fn lease(mut self, region: Region) -> Result<Memory, Error> {
        self.finish()?;
        match self.held.swap_remove(region.index) {
            Held::Lent(class, buffer) => {
                Ok(Memory::new(Lease::new(&self.gpu.pool, class, region.bytes, buffer)))
            }
            _ => unreachable!("only memory of one's own can be handed out"),
        }
    }
}

fn buffer(held: &[Held], region: Region) -> &Buffer {
    match &held[region.index] {
        Held::Lent(_, buffer) => buffer,
        Held::Shared(buffer) => buffer,
        Held::Leased(lease) => lease.buffer(),
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if !self.finished && self.finish().is_err() {
            // The device has failed: its memory and its queue are released, not returned to the pool.
            for held in &self.held {
                if let Held::Leased(lease) = held {
                    lease.taint();
                }
            }
            return;
        }
        if let Some(queue) = self.queue.take() {
            lock(&self.gpu.queues).push(queue);
        }
        // The last first: the next operation of this kind then gets the same buffers in the same order, and its launches are the
        // same.
        for held in self.held.drain(..).rev() {
            if let Held::Lent(class, buffer) = held {
                self.gpu.pool.put(class, buffer);
            }
        }
    }
}
