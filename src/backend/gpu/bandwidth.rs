//! The bandwidth of a device's copies, against which the memory traffic of its kernels and its transfers are judged.

use std::time::{Duration, Instant};

use super::Gpu;
use super::session::Session;
use crate::device::Bandwidths;
use crate::error::Error;
use crate::memory;

/// Bytes of a copy: several times the size of any cache, so that memory is measured.
const BYTES: u64 = 256 << 20;

/// The number of timed copies, after an untimed one.
const COPIES: usize = 7;

impl Gpu {
    /// Medians of several copies.
    pub(super) fn measure_bandwidths(&self) -> Result<Bandwidths, Error> {
        // Two buffers; on devices with little memory, each of a quarter of an operation's budget.
        let bytes = BYTES.min(self.limit / 4).max(8) as usize & !7;
        let mut session = Session::new(self)?;
        let (from, to) = (session.allocate(bytes / 8)?, session.allocate(bytes / 8)?);
        let mut locked = self.device.lock(bytes)?;
        let mut ordinary = match locked {
            Some(_) => Vec::new(),
            None => memory::zeroed::<u8>(bytes)?,
        };
        let host = locked.as_mut().map_or(&mut ordinary[..], |locked| locked.as_mut_slice());
        memory::clear(host);
        let upload = median(|| {
            let start = Instant::now();
            session.upload(host, from, 0)?;
            session.finish()?;
            Ok(start.elapsed())
        })?;
        let copy = median(|| {
            session.copy(from, to)?;
            session.finish()
        })?;
        let download = median(|| {
            let start = Instant::now();
            session.download(to, 0, host)?;
            Ok(start.elapsed())
        })?;
        // At least the resolution of any clock, so that nothing is divided by zero.
        let rate = |bytes: usize, time: Duration| bytes as f64 / time.as_secs_f64().max(1e-9);
        Ok(Bandwidths {
            copy: rate(2 * bytes, copy),
            upload: rate(bytes, upload),
            download: rate(bytes, download),
        })
    }
}

/// The median of the times of several runs, after an untimed one.
pub(super) fn median(mut once: impl FnMut() -> Result<Duration, Error>) -> Result<Duration, Error> {
    once()?;
    let mut times = (0..COPIES).map(|_| once()).collect::<Result<Vec<_>, _>>()?;
    times.sort_unstable();
    Ok(times[COPIES / 2])
}
