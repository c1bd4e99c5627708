//! Copies between host and device.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::result;
use cudarc::driver::sys::{
    self, CU_MEMHOSTALLOC_WRITECOMBINED, CUdeviceptr, CUevent_flags_enum as EventFlags,
    CUmemorytype_enum as MemoryType, CUpointer_attribute_enum as PointerAttribute, CUresult,
};

use super::Cuda;
use super::handles::{CudaQueue, Event, HostMemory, Passage, Stream};
use crate::backend::gpu::staging::{STAGING, Staging};
use crate::error::Error;
use crate::memory::{Strided, StridedMut};
use crate::pinned::Locked;

/// The least number of bytes for which it pays to ask whether they are page-locked, and to wait for their copy.
const DIRECT: usize = 64 << 10;

impl Cuda {
    /// Page-locked memory; a context must be bound.
    pub(super) fn host_memory(&self, bytes: usize, flags: u32) -> Result<Locked, Error> {
        // SAFETY: the memory is owned by the value made of it.
        let memory = unsafe { result::malloc_host(bytes, flags) }.map_err(|error| match error.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => Error::HostOutOfMemory { bytes: bytes as u64 },
            _ => self.failed("locking host memory")(error),
        })?;
        let owner = HostMemory { context: Arc::clone(&self.context), memory };
        let start = NonNull::new(memory.cast::<u8>()).expect("memory that was granted");
        // SAFETY: the driver has mapped so many bytes, whose pages the system has initialised; they belong to the owner alone.
        Ok(unsafe { Locked::new(start, bytes, owner) })
    }

    /// The staging memory of a direction, if the system grants it.
    fn staging<'a>(&self, passage: &'a mut Passage, flags: u32) -> Option<&'a mut Staging<Event>> {
        let staging = |memory| Staging::new(memory, Arc::clone(&self.link));
        let make = || self.host_memory(STAGING, flags).ok().map(staging);
        passage.get_or_insert_with(make).as_mut()
    }

    /// An event after everything that the stream of a queue has been given.
    fn mark(&self, stream: Stream, operation: &'static str) -> Result<Event, Error> {
        let event = Event::new(&self.context, EventFlags::CU_EVENT_DISABLE_TIMING);
        let event = event.map_err(self.failed("making an event"))?;
        event.record(stream.get()).map_err(self.failed(operation))?;
        Ok(event)
    }

    pub(super) fn copy_in(&self, queue: &mut CudaQueue, data: &[u8], to: CUdeviceptr) -> Result<(), Error> {
        let stream = queue.stream();
        let failed = self.failed("uploading");
        let start = |piece: &[u8], at: usize| {
            // SAFETY: the plan's assertions keep the copy inside the buffer; the piece is not touched until the copy was
            // waited for.
            unsafe { result::memcpy_htod_async(to + at as u64, piece, stream.get()) }.map_err(&failed)
        };
        if !is_locked(data.as_ptr(), data.len())
            && let Some(staging) = self.staging(&mut queue.uploads, CU_MEMHOSTALLOC_WRITECOMBINED)
        {
            let wait = |event: Event| self.context.bind().and_then(|()| event.wait().map_err(&failed));
            return staging.upload(data, wait, |piece, at| {
                // Any thread copies pieces, also one that works for another device before and after.
                self.context.bind()?;
                start(piece, at)?;
                self.mark(stream, "uploading")
            });
        }
        start(data, 0)?;
        self.wait_for(queue)
    }

    pub(super) fn copy_out(
        &self,
        queue: &mut CudaQueue,
        from: CUdeviceptr,
        data: &mut [u8],
    ) -> Result<(), Error> {
        // Failed work is reported here, before anything is written.
        self.wait_for(queue)?;
        let stream = queue.stream();
        let failed = self.failed("downloading");
        let start = |piece: &mut [u8], at: usize| {
            // SAFETY: the plan's assertions keep the copy inside the buffer; the piece is not read until the copy has been waited
            // for.
            unsafe { result::memcpy_dtoh_async(piece, from + at as u64, stream.get()) }.map_err(&failed)
        };
        if !is_locked(data.as_ptr(), data.len())
            && let Some(staging) = self.staging(&mut queue.downloads, 0)
        {
            let wait = |event: Event| self.context.bind().and_then(|()| event.wait().map_err(&failed));
            return staging.download(data, wait, |piece, at| {
                // As above.
                self.context.bind()?;
                start(piece, at)?;
                self.mark(stream, "downloading")
            });
        }
        start(data, 0)?;
        self.wait_for(queue)
    }

    /// Copies page-locked columns.
    pub(super) fn copy_columns_in(
        &self,
        queue: &mut CudaQueue,
        columns: Strided<'_, u64>,
        to: CUdeviceptr,
    ) -> Result<(), Error> {
        let copy = sys::CUDA_MEMCPY2D {
            srcMemoryType: MemoryType::CU_MEMORYTYPE_HOST,
            srcHost: columns.span().0.cast(),
            srcPitch: 8 * columns.pitch(),
            dstMemoryType: MemoryType::CU_MEMORYTYPE_DEVICE,
            dstDevice: to,
            dstPitch: 8 * columns.width(),
            ..of_columns(columns)
        };
        // SAFETY: the plan's assertions keep the copy inside the buffer; the columns are borrowed until it has been waited for.
        unsafe { sys::cuMemcpy2DAsync_v2(&raw const copy, queue.stream) }
            .result()
            .map_err(self.failed("uploading"))?;
        self.wait_for(queue)
    }

    /// Copies to page-locked columns.
    pub(super) fn copy_columns_out(
        &self,
        queue: &mut CudaQueue,
        from: CUdeviceptr,
        columns: StridedMut<'_, u64>,
    ) -> Result<(), Error> {
        // Failed work is reported here, before anything is written.
        self.wait_for(queue)?;
        let columns = columns.as_columns();
        let copy = sys::CUDA_MEMCPY2D {
            srcMemoryType: MemoryType::CU_MEMORYTYPE_DEVICE,
            srcDevice: from,
            srcPitch: 8 * columns.width(),
            dstMemoryType: MemoryType::CU_MEMORYTYPE_HOST,
            dstHost: columns.span().0.cast_mut().cast(),
            dstPitch: 8 * columns.pitch(),
            ..of_columns(columns)
        };
        // SAFETY: as above; the columns are borrowed mutably, and no others are written.
        unsafe { sys::cuMemcpy2DAsync_v2(&raw const copy, queue.stream) }
            .result()
            .map_err(self.failed("downloading"))?;
        self.wait_for(queue)
    }
}

/// The extent of a copy of columns, which is from and to nowhere.
fn of_columns(columns: Strided<'_, u64>) -> sys::CUDA_MEMCPY2D {
    sys::CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: MemoryType::CU_MEMORYTYPE_HOST,
        srcHost: std::ptr::null(),
        srcDevice: 0,
        srcArray: std::ptr::null_mut(),
        srcPitch: 0,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: MemoryType::CU_MEMORYTYPE_HOST,
        dstHost: std::ptr::null_mut(),
        dstDevice: 0,
        dstArray: std::ptr::null_mut(),
        dstPitch: 0,
        WidthInBytes: 8 * columns.width(),
        Height: columns.rows(),
    }
}

/// The first pitch in bytes that is too large for a copy of columns (`CU_DEVICE_ATTRIBUTE_MAX_PITCH`).
const PITCH: usize = (1 << 31) - 1;

/// Whether columns are page-locked, and can be copied as such. A context must be bound.
pub(super) fn copies(columns: Strided<'_, u64>) -> bool {
    let (start, words) = columns.span();
    8 * columns.pitch() < PITCH && is_locked(start.cast(), 8 * words)
}

/// Whether so many bytes are page-locked from the first to the last, by this library or by the caller. A context must be bound.
pub(super) fn is_locked(start: *const u8, len: usize) -> bool {
    if len < DIRECT {
        return false;
    }
    let mut kind = 0_u32;
    let mut managed = 0_u32;
    let mut first = 0_u64;
    let mut bytes = 0_usize;
    let mut attributes = [
        PointerAttribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        PointerAttribute::CU_POINTER_ATTRIBUTE_IS_MANAGED,
        PointerAttribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
        PointerAttribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE,
    ];
    let mut values = [
        std::ptr::from_mut(&mut kind).cast::<c_void>(),
        std::ptr::from_mut(&mut managed).cast(),
        std::ptr::from_mut(&mut first).cast(),
        std::ptr::from_mut(&mut bytes).cast(),
    ];
    let pointer = start as u64;
    // SAFETY: as many values as attributes, each of the size that the driver writes; any address may be asked about.
    let asked = unsafe {
        sys::cuPointerGetAttributes(
            attributes.len() as u32,
            attributes.as_mut_ptr(),
            values.as_mut_ptr(),
            pointer,
        )
    };
    // Memory that the driver does not know leaves zeros.
    asked == CUresult::CUDA_SUCCESS
        && kind == MemoryType::CU_MEMORYTYPE_HOST as u32
        && managed == 0
        && covers((first, bytes as u64), (pointer, len as u64))
}

/// Whether a range, start and length, holds another.
fn covers((start, len): (u64, u64), (inner, inner_len): (u64, u64)) -> bool {
    let end = |start: u64, len: u64| start.checked_add(len);
    match (end(start, len), end(inner, inner_len)) {
        (Some(end), Some(inner_end)) => start <= inner && inner_end <= end,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn ranges() {
        assert!(covers((8, 8), (8, 8)) && covers((8, 8), (9, 7)) && covers((8, 8), (16, 0)));
        assert!(!covers((8, 8), (7, 8)) && !covers((8, 8), (9, 8)) && !covers((0, 0), (8, 8)));
        assert!(!covers((8, u64::MAX), (8, 1)) && !covers((8, 8), (u64::MAX, 2)));
    }
}
