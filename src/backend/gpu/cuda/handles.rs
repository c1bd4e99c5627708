//! Handles of the driver, each released when dropped.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::result::{self, DriverError, ctx, event, graph, primary_ctx, stream};
use cudarc::driver::sys::{CUcontext, CUdevice, CUdeviceptr, CUevent, CUevent_flags, CUgraphExec, CUstream};

use super::super::staging::Staging;
use crate::error::Error;

/// A primary context, retained.
pub(super) struct Context {
    pub(super) device: CUdevice,
    pub(super) context: CUcontext,
    pub(super) name: String,
}

// SAFETY: the driver's handles may be used from any thread that the context is bound to, and every use binds it.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// Handles of a context, each with the function that releases it when it is dropped. What fails then fails because the context is
/// gone, and the memory with it.
macro_rules! handles {
    ($($(#[$doc:meta])* $visibility:vis $handle:ident { $field:ident: $type:ty, $release:path })*) => {$(
        $(#[$doc])*
        $visibility struct $handle {
            pub(super) context: Arc<Context>,
            pub(super) $field: $type,
        }

        // SAFETY: as for Context; the driver takes any handle from any thread that its context is bound to, one at a time.
        unsafe impl Send for $handle {}

        impl Drop for $handle {
            fn drop(&mut self) {
                if self.context.bind().is_ok() {
                    // SAFETY: the handle is not shared and this is its last use. Work on memory has been waited for; events and graphs
                    // are kept alive by the driver while they are in use.
                    let _ = unsafe { $release(self.$field) };
                }
            }
        }
    )*};
}
handles! {
    /// Device memory.
    pub(super) Allocation { pointer: CUdeviceptr, result::free_sync }
    /// An event of a context.
    pub(super) Event { event: CUevent, event::destroy }
    /// An instantiated graph.
    pub(super) Graph { graph: CUgraphExec, graph::exec_destroy }
    /// Page-locked host memory.
    pub(super) HostMemory { memory: *mut c_void, result::free_host }
}

// SAFETY: as for Context; nothing is done through a shared reference.
unsafe impl Sync for HostMemory {}

/// A stream, its staging memory, and the launches whose time has not been read yet.
pub(super) struct CudaQueue {
    pub(super) context: Arc<Context>,
    pub(super) stream: CUstream,
    pub(super) uploads: Passage,
    pub(super) downloads: Passage,
    pub(super) timed: Vec<(Event, Event)>,
    /// Events whose times have been read, for reuse.
    pub(super) spare: Vec<(Event, Event)>,
}

/// The stream of a queue, for threads that copy through its staging memory side by side.
#[derive(Clone, Copy)]
pub(super) struct Stream(CUstream);

// SAFETY: as for Context; the driver takes copies and events for one stream from several threads, in any order.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    pub(super) fn get(self) -> CUstream {
        self.0
    }
}

impl CudaQueue {
    pub(super) fn stream(&self) -> Stream {
        Stream(self.stream)
    }
}

/// Staging memory of one direction, made on first use; `Some(None)` where the system refused it.
pub(super) type Passage = Option<Option<Staging<Event>>>;

// SAFETY: as for Context; a queue is used by one thread at a time.
unsafe impl Send for CudaQueue {}

impl Context {
    /// Makes this the calling thread's context; every call from outside the backend begins with it.
    pub(super) fn bind(&self) -> Result<(), Error> {
        // SAFETY: the context is retained while self lives.
        unsafe { ctx::set_current(self.context) }
            .map_err(|error| failure(&self.name, "binding its context", error))
    }
}

impl Event {
    /// A new event; the context is that of the calling thread.
    pub(super) fn new(context: &Arc<Context>, flags: CUevent_flags) -> Result<Self, DriverError> {
        Ok(Self { context: Arc::clone(context), event: event::create(flags)? })
    }

    pub(super) fn record(&self, stream: CUstream) -> Result<(), DriverError> {
        // SAFETY: event and stream are alive and of one context.
        unsafe { event::record(self.event, stream) }
    }

    pub(super) fn wait(&self) -> Result<(), DriverError> {
        // SAFETY: the event is alive.
        unsafe { event::synchronize(self.event) }
    }
}

impl Drop for CudaQueue {
    fn drop(&mut self) {
        if self.context.bind().is_err() {
            return;
        }
        // SAFETY: the stream is alive and this is its last use; staging memory, dropped after this, is free once the stream
        // is idle.
        unsafe {
            let _ = stream::synchronize(self.stream);
            let _ = stream::destroy(self.stream);
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context was retained once and is released once.
        let _ = unsafe { primary_ctx::release(self.device) };
    }
}

/// What the driver answered, as an error of the library.
pub(super) fn failure(device: &str, operation: &'static str, error: DriverError) -> Error {
    Error::DeviceFailed { device: device.into(), operation, message: format!("{:?}", error.0) }
}
