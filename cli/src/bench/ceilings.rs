//! What limits a device: the bandwidths and the rates of products against which operations are judged, measured first.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use zkaccel::Engine;
use zkaccel::device::{Bandwidths, ProductRates};

use super::report::giga;
use crate::failure::Failure;

/// Bytes of a copy on the host: several times the size of any cache, so that memory is measured. Commands with debug assertions are for tests, where it is not.
const BYTES: usize = if cfg!(debug_assertions) { 16 << 20 } else { 256 << 20 };

/// The number of timed copies, after an untimed one.
const COPIES: usize = 7;

/// The ceilings of a device; absent where one does not apply or the device cannot tell it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Ceilings {
    /// Copies within the memory of the device (of the host for the CPU), bytes read and bytes written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) copy_gigabytes_per_second: Option<f64>,
    /// Copies from page-locked host memory, and to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) upload_gigabytes_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) download_gigabytes_per_second: Option<f64>,
    /// Products in either field by all threads or compute units, of values that lie in registers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) goldilocks_products_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bn254_products_per_second: Option<f64>,
}

impl Ceilings {
    /// Measures those of an engine's device.
    pub(super) fn measure(engine: &Engine) -> Result<Self, Failure> {
        let ceilings = match engine.bandwidths()? {
            Some(Bandwidths { copy, upload, download }) => Self {
                copy_gigabytes_per_second: Some(giga(copy)),
                upload_gigabytes_per_second: Some(giga(upload)),
                download_gigabytes_per_second: Some(giga(download)),
                ..Self::default()
            },
            None => Self {
                copy_gigabytes_per_second: host_copy(engine.device().units).map(giga),
                ..Self::default()
            },
        };
        let rates = engine.product_rates()?;
        Ok(Self {
            goldilocks_products_per_second: rates.map(|ProductRates { goldilocks, .. }| goldilocks.round()),
            bn254_products_per_second: rates.and_then(|rates| rates.bn254).map(f64::round),
            ..ceilings
        })
    }

    /// Each of them.
    pub(super) fn all(&self) -> [Option<f64>; 5] {
        let Self {
            copy_gigabytes_per_second,
            upload_gigabytes_per_second,
            download_gigabytes_per_second,
            goldilocks_products_per_second,
            bn254_products_per_second,
        } = *self;
        [
            copy_gigabytes_per_second,
            upload_gigabytes_per_second,
            download_gigabytes_per_second,
            goldilocks_products_per_second,
            bn254_products_per_second,
        ]
    }

    /// How long it takes to copy so many bytes to the device and from it.
    pub(super) fn transfer_seconds(&self, bytes_in: u64, bytes_out: u64) -> Option<f64> {
        let (upload, download) = self.upload_gigabytes_per_second.zip(self.download_gigabytes_per_second)?;
        Some(bytes_in as f64 / (upload * 1e9) + bytes_out as f64 / (download * 1e9))
    }
}

/// Bytes read and written a second by a copy in host memory that so many threads share; the median of several. None where the
/// memory for it is not to be had.
fn host_copy(threads: usize) -> Option<f64> {
    let [mut from, mut to] = [Vec::new(), Vec::new()];
    for buffer in [&mut from, &mut to] {
        buffer.try_reserve_exact(BYTES).ok()?;
        // Written once, so that every page is there.
        buffer.resize(BYTES, 1_u8);
    }
    let piece = BYTES.div_ceil(threads.max(1));
    let mut once = || {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for (to, from) in to.chunks_mut(piece).zip(from.chunks(piece)) {
                scope.spawn(|| to.copy_from_slice(from));
            }
        });
        start.elapsed()
    };
    once();
    let mut times: Vec<Duration> = (0..COPIES).map(|_| once()).collect();
    times.sort_unstable();
    Some(2.0 * BYTES as f64 / times[COPIES / 2].as_secs_f64().max(1e-9))
}
