//! How fast a device copies: the yardstick for what its kernels do with memory, and for what reaches it from the host.

use std::time::{Duration, Instant};

use super::Gpu;
use super::device::Device;
use super::work::Work;
use crate::device::Bandwidths;
use crate::error::Error;
use crate::memory;

/// Bytes of a copy: several times any cache, so that it is memory that is measured.
const BYTES: u64 = 256 << 20;

/// Copies that are timed, after one that is not.
const COPIES: usize = 7;

impl<D: Device> Gpu<D> {
    /// Medians of several copies.
    pub(super) fn measure_bandwidths(&self) -> Result<Bandwidths, Error> {
        // Two buffers, on devices with little memory of a quarter of what an operation may take.
        let bytes = BYTES.min(self.limit / 4).max(8) as usize & !7;
        let mut work = Work::new(self)?;
        let (from, to) = (work.allocate(bytes / 8)?, work.allocate(bytes / 8)?);
        let mut locked = self.device.lock(bytes)?;
        let mut ordinary = match locked {
            Some(_) => Vec::new(),
            None => memory::zeroed::<u8>(bytes)?,
        };
        let host = locked.as_mut().map_or(&mut ordinary[..], |locked| locked.as_mut_slice());
        memory::clear(host);
        let upload = median(|| {
            let start = Instant::now();
            work.upload(host, from, 0)?;
            work.finish()?;
            Ok(start.elapsed())
        })?;
        let copy = median(|| {
            work.copy(from, to)?;
            work.finish()
        })?;
        let download = median(|| {
            let start = Instant::now();
            work.download(to, 0, host)?;
            Ok(start.elapsed())
        })?;
        // No clock is finer than this, and nothing may be divided by zero.
        let rate = |bytes: usize, time: Duration| bytes as f64 / time.as_secs_f64().max(1e-9);
        Ok(Bandwidths {
            copy: rate(2 * bytes, copy),
            upload: rate(bytes, upload),
            download: rate(bytes, download),
        })
    }
}

fn median(mut once: impl FnMut() -> Result<Duration, Error>) -> Result<Duration, Error> {
    once()?;
    let mut times = (0..COPIES).map(|_| once()).collect::<Result<Vec<_>, _>>()?;
    times.sort_unstable();
    Ok(times[COPIES / 2])
}
