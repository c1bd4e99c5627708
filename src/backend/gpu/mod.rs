//! Accelerators: one backend over any [`Device`].
//!
//! ```text
//!  merkle.rs, transforms.rs, resident.rs
//!                      transfers, division into parts, and data that stay on the device
//!  ntt/, fft/, tree.rs, inversion.rs, combinations.rs, prefix.rs, lookups.rs
//!                      host plans: which kernels, in which order, on what memory; tables.rs, the tables of transforms
//!  msm/                sums over curves
//!  pipeline.rs         parts of an operation in flight at once
//!  session.rs, pool.rs one operation's queue and memory; memory kept between operations
//!  device.rs           the primitives; bandwidth.rs, the speed of copies; busy.rs, the time at work
//!  cuda.rs, opencl.rs  their two implementations; ptx.rs, the PTX of programs; emulated/, tests on an interpreter of it
//!  foreign.rs          memory shared with other libraries
//!  program.rs          kernel sources, from kernels/; hash/ and fields.rs, constants for some of them
//! ```
//!
//! An operation on host data uploads its input, launches, waits, and copies results back last, so that a failure leaves the
//! caller's data unchanged; where device memory is short it does so in parts. Operations on data that stay on the device do the
//! same launches without the copies, and end when the device has finished, so that their results can be used from any queue. Each
//! call has a queue of its own, so any number of threads may share a backend.

/// Tests of functions of a device, on the first one of each driver. Where a device must be present, the conformance tests say that
/// it is not.
#[cfg(test)]
macro_rules! on_the_first_devices {
    ($($test:ident: $function:expr,)*) => {$(
        mod $test {
            #[allow(unused_imports)]
            use super::*;

            #[cfg(feature = "opencl")]
            #[test]
            fn on_opencl() {
                if let Ok(device) = crate::backend::gpu::opencl::OpenCl::required() {
                    ($function)(std::sync::Arc::new(device));
                }
            }

            #[cfg(feature = "cuda")]
            #[test]
            fn on_cuda() {
                if let Ok(device) = crate::backend::gpu::cuda::Cuda::open(0) {
                    ($function)(std::sync::Arc::new(device));
                }
            }
        }
    )*};
}
mod bandwidth;
mod busy;
mod combinations;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod device;
#[cfg(all(test, feature = "cuda"))]
mod emulated;
#[cfg(all(test, any(feature = "cuda", feature = "opencl")))]
mod faults;
pub mod faulty;
#[cfg(feature = "bn254")]
mod fft;
#[cfg(feature = "bn254")]
mod fields;
mod foreign;
mod hash;
mod inversion;
mod lookups;
mod merkle;
#[cfg(all(test, shuttle))]
mod models;
#[cfg(feature = "bn254")]
mod msm;
mod ntt;
#[cfg(feature = "opencl")]
pub mod opencl;
mod pipeline;
#[cfg(feature = "bn254")]
mod points;
#[cfg(feature = "bn254")]
mod pointwise;
mod pool;
mod prefix;
mod products;
pub mod program;
#[cfg(feature = "cuda")]
pub mod ptx;
mod resident;
mod row_program;
mod session;
#[cfg(feature = "bn254")]
mod sparse;
#[cfg(any(feature = "cuda", feature = "opencl"))]
mod staging;
mod tables;
#[cfg(all(test, any(feature = "cuda", feature = "opencl")))]
mod traffic;
mod transforms;
mod tree;

use std::ops::Range;
use std::time::Duration;

pub use device::Device;
pub use hash::DeviceHash;

use super::{Hardware, ResidentBackend};
use crate::device::{Bandwidths, ProductRates};
use crate::error::Error;
use crate::lock::lock;
use crate::memory::Strided;
use crate::pinned::Locked;
use crate::sync::{Arc, Mutex};
use busy::Busy;
use device::{Buffer, Queue};
use pool::Pool;

/// The backend of a device.
pub struct Gpu {
    device: Arc<dyn Device>,
    pool: Arc<Pool<Buffer>>,
    /// Unused queues.
    queues: Mutex<Vec<Queue>>,
    /// Tables of transforms, kept on the device.
    tables: Mutex<tables::Tables<tables::Key, Buffer>>,
    /// The number form of transforms.
    form: ntt::Form,
    /// What a test chooses of plans.
    #[cfg(test)]
    choice: ntt::Choice,
    /// The intervals in which the device was busy.
    busy: Mutex<Busy>,
    /// The most bytes of device memory that one operation takes.
    limit: u64,
    /// What a test has in place of [`pipeline::WORTH_IT`].
    #[cfg(test)]
    overlap_from: u64,
    /// What a test has in place of [`transforms::HOST_CHECKS`].
    #[cfg(test)]
    host_checks: usize,
}

impl Gpu {
    /// The backend of a device. One operation takes at most `budget` bytes of its memory, by default half of it.
    pub fn new(device: Arc<dyn Device>, budget: Option<u64>) -> Self {
        // Half: other programs use the device too, and several operations may run at once.
        let limit = budget.unwrap_or_else(|| device.info().memory.unwrap_or(u64::MAX) / 2);
        Self {
            limit: limit.min(device.limits().buffer),
            tables: Mutex::new(tables::Tables::new(limit / 4)),
            form: if device.limits().fast_double { ntt::Form::Double } else { ntt::Form::Plain },
            #[cfg(test)]
            choice: ntt::Choice::default(),
            device,
            pool: Arc::default(),
            queues: Mutex::default(),
            busy: Mutex::default(),
            #[cfg(test)]
            overlap_from: pipeline::WORTH_IT,
            #[cfg(test)]
            host_checks: transforms::HOST_CHECKS,
        }
    }

    /// The device.
    pub fn device(&self) -> &dyn Device {
        &*self.device
    }

    /// Whether so many words of memory are within the budget.
    fn fits(&self, words: usize) -> bool {
        (words as u64).saturating_mul(8) <= self.limit
    }

    /// Does `count` equal parts, each of which takes so many words of memory: as many at once as the budget has room for, and
    /// half as many when the device refuses memory. A single part is tried whatever it takes.
    fn divide(
        &self,
        count: usize,
        words: usize,
        mut run: impl FnMut(Range<usize>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.divide_at_most(count, words, count, &mut run)
    }

    /// The same, never more than `most` at once. Not generic, so that it is compiled once for a device.
    fn divide_at_most(
        &self,
        count: usize,
        words: usize,
        most: usize,
        run: &mut dyn FnMut(Range<usize>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let room = self.limit / (words as u64).saturating_mul(8).max(1);
        let mut at_once = usize::try_from(room).unwrap_or(usize::MAX).clamp(1, most.max(1));
        let mut done = 0;
        while done < count {
            let part = done..count.min(done + at_once);
            let len = part.len();
            match run(part) {
                Err(Error::DeviceOutOfMemory { .. }) if len > 1 => at_once = len / 2,
                result => {
                    result?;
                    done += len;
                }
            }
        }
        Ok(())
    }
}

/// What tests set otherwise.
#[cfg(not(test))]
impl Gpu {
    /// The choices of plans: none.
    fn choice(&self) -> ntt::Choice {
        ntt::Choice::default()
    }

    /// The bytes moved from which an operation is done in concurrent parts.
    fn overlap_from(&self) -> u64 {
        pipeline::WORTH_IT
    }

    /// Bytes of elements that the host checks before they are copied, if they are no more; the device checks others.
    fn host_checks(&self) -> usize {
        transforms::HOST_CHECKS
    }
}

#[cfg(test)]
impl Gpu {
    fn choice(&self) -> ntt::Choice {
        self.choice
    }

    fn overlap_from(&self) -> u64 {
        self.overlap_from
    }

    fn host_checks(&self) -> usize {
        self.host_checks
    }
}

impl Hardware for Gpu {
    fn device_time(&self) -> Option<Duration> {
        Some(lock(&self.busy).time())
    }

    fn replays(&self) -> Option<u64> {
        self.device.replays()
    }

    fn bandwidths(&self) -> Result<Option<Bandwidths>, Error> {
        self.measure_bandwidths().map(Some)
    }

    fn product_rates(&self) -> Result<Option<ProductRates>, Error> {
        self.measure_products().map(Some)
    }

    fn release_memory(&self) {
        lock(&self.tables).clear();
        self.pool.trim();
    }

    fn lock(&self, bytes: usize) -> Result<Option<Locked>, Error> {
        self.device.lock(bytes)
    }

    fn copies_columns(&self, columns: Strided<'_, u64>) -> bool {
        self.device.copies_columns(columns)
    }

    fn resident(&self) -> Option<&dyn ResidentBackend> {
        Some(self)
    }
}

/// The backend on the first OpenCL device with the usual plans, if a test requires that device. One for all tests of kernels, because
/// PoCL 3.1 loses count of compiled kernels that two contexts use at once.
#[cfg(all(test, feature = "opencl"))]
pub(crate) fn first_opencl() -> Option<crate::sync::MutexGuard<'static, Gpu>> {
    use std::sync::LazyLock;
    static BACKEND: LazyLock<Option<Mutex<Gpu>>> =
        LazyLock::new(|| Some(Mutex::new(Gpu::new(Arc::new(opencl::OpenCl::required().ok()?), None))));
    let mut backend = lock(BACKEND.as_ref()?);
    backend.choice = ntt::Choice::default();
    Some(backend)
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("device", self.device.info()).finish_non_exhaustive()
    }
}
