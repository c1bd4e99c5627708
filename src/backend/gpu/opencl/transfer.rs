//! Copies between host and device, and page-locked memory.
//!
//! OpenCL has no call that locks pages, but a buffer that the driver allocates in host memory lies in such pages, and once mapped
//! it is ordinary memory. A device that shares the host's memory copies with the processor anyway, and gains nothing from it.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::{self, NonNull};

use opencl3::command_queue::{CommandQueue, enqueue_read_buffer, enqueue_write_buffer};
use opencl3::error_codes::{CL_MEM_OBJECT_ALLOCATION_FAILURE, ClError};
use opencl3::event::Event;
use opencl3::memory::{CL_MAP_READ, CL_MAP_WRITE, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_WRITE, ClMem};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_bool};

use super::{Allocation, OpenCl, OpenClQueue, Passage, failure};
use crate::backend::gpu::staging::{STAGING, Staging};
use crate::error::Error;
use crate::lock::lock;
use crate::pinned::Locked;
use crate::sync::{Arc, Mutex};

/// Page-locked memory that has been handed out: start and length.
pub(super) type Ranges = Arc<Mutex<BTreeMap<usize, usize>>>;

/// A buffer in host memory, mapped.
struct Mapped {
    queue: Arc<CommandQueue>,
    buffer: Allocation,
    start: *mut c_void,
    /// The list that contains it, if one does.
    ranges: Option<Ranges>,
}

// SAFETY: the pointer is only handed back to the driver, any of whose calls may come from any thread.
unsafe impl Send for Mapped {}
// SAFETY: as above; nothing is done through a shared reference.
unsafe impl Sync for Mapped {}

impl Drop for Mapped {
    fn drop(&mut self) {
        if let Some(ranges) = &self.ranges {
            lock(ranges).remove(&(self.start as usize));
        }
        // SAFETY: the buffer is mapped there, and the memory is no longer in use. What fails here fails because the device
        // is gone, and the memory with it.
        let unmapped = unsafe { self.queue.enqueue_unmap_mem_object(self.buffer.get_mut(), self.start, &[]) };
        let _ = unmapped.and_then(|event| event.wait());
    }
}

impl OpenCl {
    /// Page-locked memory, listed as such if it is for callers.
    pub(super) fn host_memory(&self, bytes: usize, for_callers: bool) -> Result<Locked, Error> {
        let refused = |_| Error::HostOutOfMemory { bytes: bytes as u64 };
        let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
        // SAFETY: no memory of the host's own is involved.
        let buffer = unsafe { Allocation::create(&self.context, flags, bytes, ptr::null_mut()) };
        let buffer: Allocation = buffer.map_err(refused)?;
        let mut start = ptr::null_mut();
        let how = CL_MAP_READ | CL_MAP_WRITE;
        // SAFETY: the whole buffer, and the call waits until it is mapped.
        let mapped = unsafe {
            self.host_queue.enqueue_map_buffer(&buffer, CL_BLOCKING, how, 0, bytes, &mut start, &[])
        };
        mapped.map_err(refused)?;
        let pointer = NonNull::new(start.cast::<u8>()).expect("memory that was mapped");
        let ranges = for_callers.then(|| Arc::clone(&self.ranges));
        if let Some(ranges) = &ranges {
            lock(ranges).insert(start as usize, bytes);
        }
        let owner = Mapped { queue: Arc::clone(&self.host_queue), buffer, start, ranges };
        // SAFETY: the driver has mapped so many bytes, whose pages the system has initialised; they belong to the owner alone.
        Ok(unsafe { Locked::new(pointer, bytes, owner) })
    }

    /// Whether bytes lie in page-locked memory that was handed out, from the first to the last.
    pub(super) fn is_locked(&self, data: &[u8]) -> bool {
        let start = data.as_ptr() as usize;
        let ranges = lock(&self.ranges);
        let before = ranges.range(..=start).next_back();
        before.is_some_and(|(&first, &len)| start - first <= len && data.len() <= len - (start - first))
    }

    /// Staging memory for `data`, if it needs any and the system grants it.
    fn staging<'a>(&self, passage: &'a mut Passage, data: &[u8]) -> Option<&'a mut Staging<Event>> {
        if self.shares_memory || self.is_locked(data) {
            return None;
        }
        let staging = |memory| Staging::new(memory, Arc::clone(&self.link));
        let make = || self.host_memory(STAGING, false).ok().map(staging);
        passage.get_or_insert_with(make).as_mut()
    }

    pub(super) fn copy_in(
        &self,
        queue: &mut OpenClQueue,
        data: &[u8],
        to: &Allocation,
        at: usize,
    ) -> Result<(), Error> {
        let OpenClQueue { queue, uploads, .. } = queue;
        let start = |piece: &[u8], offset: usize, blocking: cl_bool| {
            let memory = piece.as_ptr().cast::<c_void>();
            // SAFETY: the plan's assertions keep the copy inside the buffer; the piece is not touched until the copy was
            // waited for, by this call if it blocks.
            let event = unsafe {
                let (queue, to, at) = (queue.get(), to.get(), at + offset);
                enqueue_write_buffer(queue, to, blocking, at, piece.len(), memory, 0, ptr::null())
            };
            self.started(queue, "uploading", piece.len(), event.map(Event::new))
        };
        match self.staging(uploads, data) {
            Some(staging) => {
                let wait = |event: Event| self.copied("uploading", data.len(), event.wait());
                staging.upload(data, wait, |piece, offset| start(piece, offset, CL_NON_BLOCKING))
            }
            None => start(data, 0, CL_BLOCKING).map(drop),
        }
    }

    pub(super) fn copy_out(
        &self,
        queue: &mut OpenClQueue,
        from: &Allocation,
        at: usize,
        data: &mut [u8],
    ) -> Result<(), Error> {
        let OpenClQueue { queue, downloads, .. } = queue;
        let len = data.len();
        let start = |piece: &mut [u8], offset: usize, blocking: cl_bool| {
            let memory = piece.as_mut_ptr().cast::<c_void>();
            // SAFETY: the plan's assertions keep the copy inside the buffer; the piece is not read until the copy has been waited
            // for, by this call if it blocks.
            let event = unsafe {
                let (queue, from, at) = (queue.get(), from.get(), at + offset);
                enqueue_read_buffer(queue, from, blocking, at, piece.len(), memory, 0, ptr::null())
            };
            self.started(queue, "downloading", piece.len(), event.map(Event::new))
        };
        match self.staging(downloads, data) {
            Some(staging) => {
                let wait = |event: Event| self.copied("downloading", len, event.wait());
                staging.download(data, wait, |piece, offset| start(piece, offset, CL_NON_BLOCKING))
            }
            None => start(data, 0, CL_BLOCKING).map(drop),
        }
    }

    /// Takes a copy that was put into a queue, and flushes the queue.
    fn started(
        &self,
        queue: &CommandQueue,
        operation: &'static str,
        bytes: usize,
        event: Result<Event, i32>,
    ) -> Result<Event, Error> {
        let event = self.copied(operation, bytes, event.map_err(ClError))?;
        self.copied(operation, bytes, queue.flush())?;
        Ok(event)
    }

    fn copied<T>(
        &self,
        operation: &'static str,
        bytes: usize,
        result: Result<T, ClError>,
    ) -> Result<T, Error> {
        result.map_err(|error| match error.0 {
            // Memory may be taken only now, when it is first used.
            CL_MEM_OBJECT_ALLOCATION_FAILURE => self.out_of_memory(bytes as u64),
            _ => failure(&self.info, operation, error),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::gpu::device::Device;

    /// Processors need no staging. Configured as if they did, they copy as a GPU would: through staging memory, and directly from
    /// and to locked memory.
    #[test]
    fn copies_through_staging_and_from_locked_memory() {
        // Where the device must be present, the conformance tests say that it is not.
        let Ok(device) = OpenCl::open(0) else { return };
        let device = OpenCl { shares_memory: false, ..device };
        let mut queue = device.queue().unwrap();
        let len = 2 * STAGING + 77;
        let memory = device.allocate(len + 5).unwrap();
        let data: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
        let mut out = vec![0; len];
        device.upload(&mut queue, &data, &memory, 5).unwrap();
        device.download(&mut queue, &memory, 5, &mut out).unwrap();
        assert!(out == data);
        let work = queue.of::<OpenClQueue>();
        assert!(matches!((&work.uploads, &work.downloads), (Some(Some(_)), Some(Some(_)))));

        let mut queue = device.queue().unwrap();
        let mut locked = device.lock(len).unwrap().unwrap();
        assert!(device.is_locked(locked.as_slice()) && !device.is_locked(&data));
        assert!(device.is_locked(&locked.as_slice()[len - 1..]));
        locked.as_mut_slice().iter_mut().zip(&data).for_each(|(to, from)| *to = !from);
        device.upload(&mut queue, &locked.as_slice()[3..], &memory, 0).unwrap();
        locked.as_mut_slice().fill(0);
        device.download(&mut queue, &memory, 0, &mut locked.as_mut_slice()[..len - 3]).unwrap();
        assert!(locked.as_slice()[..len - 3].iter().zip(&data[3..]).all(|(found, byte)| *found == !byte));
        let work = queue.of::<OpenClQueue>();
        assert!(work.uploads.is_none() && work.downloads.is_none(), "no staging");

        assert_eq!(lock(&device.ranges).len(), 1);
        drop(locked);
        assert!(lock(&device.ranges).is_empty());
    }
}
