//! The GPU of a rank: a stream, and memory that other ranks' words come to.

use std::ffi::c_int;

use cudarc::driver::result::{self, DriverError, ctx, device, event, primary_ctx, stream};
use cudarc::driver::sys::{CUcontext, CUdevice, CUdeviceptr, CUevent, CUevent_flags, CUresult, CUstream};

use super::library::Handle;
use crate::error::Error;

/// The context that the engine has, a stream and an event in it, and memory.
pub(super) struct Gpu {
    device: CUdevice,
    context: CUcontext,
    stream: CUstream,
    event: CUevent,
    memory: CUdeviceptr,
    /// The words of that.
    words: usize,
}

// SAFETY: the driver's handles may be used from any thread that the context is bound to, and every use binds it.
unsafe impl Send for Gpu {}

/// An error of the driver as one of the engine's device.
fn failed(error: DriverError) -> Error {
    let message = error.to_string();
    zkaccel::Error::DeviceFailed { device: "the GPU".into(), operation: "an exchange by NCCL", message }
        .into()
}

impl Gpu {
    /// The GPU of a number, on which an engine has been made.
    pub(super) fn new(ordinal: u32) -> Result<Self, Error> {
        let new = || {
            let device = device::get(ordinal as c_int)?;
            // SAFETY: the device is the driver's, and the context is released when this is dropped.
            let context = unsafe { primary_ctx::retain(device) }?;
            let (stream, event) = (std::ptr::null_mut(), std::ptr::null_mut());
            let mut gpu = Self { device, context, stream, event, memory: 0, words: 0 };
            gpu.bind()?;
            gpu.stream = stream::create(stream::StreamKind::NonBlocking)?;
            gpu.event = event::create(CUevent_flags::CU_EVENT_DISABLE_TIMING)?;
            Ok(gpu)
        };
        new().map_err(failed)
    }

    /// What tells the GPU from all others, of any host.
    pub(super) fn identity(&self) -> Result<[u64; 2], Error> {
        let uuid = device::get_uuid(self.device).map_err(failed)?;
        let bytes = uuid.bytes.map(|byte| byte as u8);
        Ok([0, 8].map(|from| u64::from_le_bytes(std::array::from_fn(|i| bytes[from + i]))))
    }

    /// Has the calls of this thread concern this GPU.
    pub(super) fn bind(&self) -> Result<(), DriverError> {
        // SAFETY: the context is retained.
        unsafe { ctx::set_current(self.context) }
    }

    /// The same, for NCCL's calls.
    pub(super) fn current(&self) -> Result<(), Error> {
        self.bind().map_err(failed)
    }

    /// The stream that exchanges are given to.
    pub(super) fn stream(&self) -> Handle {
        self.stream.cast()
    }

    /// The address of memory for so many words, whose contents are unspecified; what was there before is lost.
    pub(super) fn memory(&mut self, words: usize) -> Result<u64, Error> {
        if words > self.words {
            self.bind().map_err(failed)?;
            self.release();
            // SAFETY: the words are written before they are read.
            self.memory = unsafe { result::malloc_sync(8 * words) }.map_err(failed)?;
            self.words = words;
        }
        Ok(self.memory)
    }

    fn release(&mut self) {
        if self.words > 0 {
            // SAFETY: exchanges have ended, and so have copies out of it. What fails then fails because the memory is gone.
            let _ = unsafe { result::free_sync(self.memory) };
            self.words = 0;
        }
    }

    /// Notes what the stream has been given.
    pub(super) fn mark(&self) -> Result<(), Error> {
        // SAFETY: both are of this context.
        unsafe { event::record(self.event, self.stream) }.map_err(failed)
    }

    /// Whether all of it is done.
    pub(super) fn has_come(&self) -> Result<bool, Error> {
        // SAFETY: the event is of this context.
        match unsafe { event::query(self.event) } {
            Ok(()) => Ok(true),
            Err(DriverError(CUresult::CUDA_ERROR_NOT_READY)) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if self.bind().is_err() {
            return;
        }
        self.release();
        // SAFETY: all handles are this one's, and are not used afterwards. What fails then fails because they are gone.
        unsafe {
            if !self.event.is_null() {
                let _ = event::destroy(self.event);
            }
            if !self.stream.is_null() {
                let _ = stream::destroy(self.stream);
            }
            let _ = primary_ctx::release(self.device);
        }
    }
}
