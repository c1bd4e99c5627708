//! Accelerators: one backend over [`Device`], whichever that is.
//!
//! ```text
//!  merkle.rs, ntt.rs   host plans: which kernels, in which order, on what memory; tree.rs, the approaches to trees
//!  work.rs, pool.rs    one operation's queue and memory; memory kept between operations
//!  device.rs           the primitives
//!  cuda.rs, opencl.rs  their two implementations
//!  program.rs          kernel sources, from kernels/; rescue.rs, the constants of some
//! ```
//!
//! Every operation uploads what it is given, launches, waits, and copies results back last, so that a failure leaves the
//! caller's data as they were. Each call has a queue of its own, so any number of threads may share a backend.

#[cfg(feature = "bn254")]
mod bn254;
#[cfg(feature = "cuda")]
pub mod cuda;
mod device;
#[cfg(all(test, any(feature = "cuda", feature = "opencl")))]
mod faults;
mod merkle;
mod ntt;
#[cfg(feature = "opencl")]
pub mod opencl;
mod pool;
pub mod program;
mod rescue;
#[cfg(feature = "cuda")]
mod staging;
mod tree;
mod work;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

pub use device::{Arg, Device, Launch, Limits};
pub use merkle::DeviceHash;

use super::Clock;
use pool::Pool;

/// The backend of a device.
pub struct Gpu<D: Device> {
    device: D,
    pool: Pool<D::Buffer>,
    queues: Mutex<Vec<D::Queue>>,
    /// Powers of field elements, kept on the device; see `ntt.rs`.
    tables: Mutex<HashMap<ntt::TableKey, Arc<D::Buffer>>>,
    /// Nanoseconds that the device has worked.
    busy: AtomicU64,
    /// Bytes of device memory that one operation takes at most, where it can be done in parts.
    limit: u64,
}

impl<D: Device> Gpu<D> {
    /// The backend of a device, which is there: it exists.
    pub fn new(device: D) -> Self {
        // Half: others use the device too, and several operations may run at once.
        let limit = device.info().memory.unwrap_or(u64::MAX) / 2;
        Self {
            limit: limit.min(device.limits().buffer),
            device,
            pool: Pool::default(),
            queues: Mutex::default(),
            tables: Mutex::default(),
            busy: AtomicU64::default(),
        }
    }

    /// The device.
    pub fn device(&self) -> &D {
        &self.device
    }

    /// How many of `count` like parts are done at once, if each takes so many words of memory: all, or what fits.
    fn parts_at_once(&self, count: usize, words: usize) -> usize {
        let fit = self.limit / (words as u64).saturating_mul(8).max(1);
        usize::try_from(fit).unwrap_or(usize::MAX).clamp(1, count)
    }

    /// Queues that nobody uses.
    fn queues(&self) -> MutexGuard<'_, Vec<D::Queue>> {
        // Nothing that can panic runs under the lock.
        self.queues.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl<D: Device> Clock for Gpu<D> {
    fn device_time(&self) -> Option<Duration> {
        Some(Duration::from_nanos(self.busy.load(Ordering::Relaxed)))
    }
}

impl<D: Device> std::fmt::Debug for Gpu<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("device", self.device.info()).finish_non_exhaustive()
    }
}
