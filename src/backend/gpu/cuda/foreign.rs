//! Memory shared with other libraries of the process, which use the same primary context.

use cudarc::driver::result::{self, ctx, stream};
use cudarc::driver::sys::CUstream;

use super::super::Gpu;
use super::super::pool::Lease;
use super::super::session::Session;
use super::Cuda;
use super::handles::Buffer;
use crate::backend::{Foreign, Memory};
use crate::error::Error;

impl Foreign for Gpu<Cuda> {
    fn ordinal(&self) -> u32 {
        self.device.context.device as u32
    }

    fn address(&self, memory: &Memory) -> u64 {
        memory.downcast::<Lease<Buffer>>().expect("memory that this backend handed out").buffer().pointer
    }

    fn synchronise(&self) -> Result<(), Error> {
        self.device.context.bind()?;
        ctx::synchronize().map_err(self.device.failed("waiting for other libraries"))
    }

    unsafe fn adopt(
        &self,
        from: u64,
        words: usize,
        stream: Option<u64>,
        modulus: &[u64],
    ) -> Result<(Memory, bool), Error> {
        self.grant(words)?;
        self.device.context.bind()?;
        if let Some(stream) = stream {
            // SAFETY: the caller's promise: a stream of this context. The numbers of the two default streams are the driver's own.
            unsafe { stream::synchronize(stream as CUstream) }
                .map_err(self.device.failed("waiting for another library's stream"))?;
        }
        let mut session = Session::new(self)?;
        let region = session.allocate(words)?;
        session.with_queue(region, |device, queue, to| {
            device.timed(queue, |stream| {
                // SAFETY: the caller's promise: so many words are there, and nobody writes to them; `to` has as many.
                unsafe { result::memcpy_dtod_async(to.pointer, from, 8 * words, stream) }
                    .map_err(device.failed("copying from another library's memory"))
            })
        })?;
        let below = self.are_below(&mut session, region, modulus)?;
        Ok((session.lease(region)?, below))
    }
}
