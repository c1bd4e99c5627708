//! What the devices of a dispatcher tell of themselves and of their work.

use std::time::Duration;

#[cfg(feature = "cuda")]
use super::Stored;
use super::{Dispatcher, Member, Strategy};
use crate::choice::Choices;
use crate::device::{Bandwidths, ProductRates};
use crate::error::Error;
use crate::lock::lock;
use crate::pinned::Locked;
use crate::sync::atomic::Ordering;
use crate::work::DeviceWork;

impl Dispatcher {
    /// The device that holds data.
    #[cfg(feature = "cuda")]
    pub(crate) fn holder(&self, data: &Stored) -> &Member {
        &self.members[data.member()]
    }

    /// The devices in whose own memory data can stay.
    #[cfg(feature = "cuda")]
    pub(crate) fn holders(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(|member| self.keeps_data(member))
    }

    /// The name of all devices together.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The time that all devices together have spent on operations, by their own clocks.
    pub(crate) fn device_time(&self) -> Option<Duration> {
        self.members.iter().filter_map(|member| member.backend().device_time()).reduce(|a, b| a + b)
    }

    /// The bytes of data that stay on the devices.
    pub(crate) fn resident_bytes(&self) -> u64 {
        self.members.iter().map(|member| member.resident.load(Ordering::Relaxed)).sum()
    }

    /// The number of lists of kernel launches that were launched as one.
    pub(crate) fn replays(&self) -> Option<u64> {
        self.members.iter().filter_map(|member| member.backend().replays()).reduce(|a, b| a + b)
    }

    /// Memory of the devices that no work uses goes back to them.
    pub(crate) fn release_memory(&self) {
        self.members.iter().for_each(|member| member.backend().release_memory());
    }

    /// The mean over the devices that can measure their copies, one after another.
    pub(crate) fn bandwidths(&self) -> Result<Option<Bandwidths>, Error> {
        let mut all = Vec::new();
        for member in &self.members {
            all.extend(member.backend().bandwidths()?);
        }
        let mean = |of: fn(&Bandwidths) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        Ok((!all.is_empty()).then(|| Bandwidths {
            copy: mean(|rates| rates.copy),
            upload: mean(|rates| rates.upload),
            download: mean(|rates| rates.download),
        }))
    }

    /// The sum over the devices that can measure their products, one after another.
    pub(crate) fn product_rates(&self) -> Result<Option<ProductRates>, Error> {
        let mut all = Vec::new();
        for member in &self.members {
            all.extend(member.backend().product_rates()?);
        }
        Ok(all.into_iter().reduce(|a, b| a + b))
    }

    /// The account of each device.
    pub(crate) fn work(&self) -> Vec<DeviceWork> {
        self.members.iter().map(Member::account).collect()
    }

    /// The choices between two devices; `None` where there is no choice.
    pub(crate) fn choices(&self) -> Option<Choices> {
        matches!(self.strategy, Strategy::Choose { .. }).then(|| lock(&self.choices).clone())
    }

    /// Memory locked by the first device that locks memory. CUDA locks for every GPU; the driver of another kind copies such memory as
    /// any other.
    pub(crate) fn lock(&self, bytes: usize) -> Result<Option<Locked>, Error> {
        for member in &self.members {
            if let Some(locked) = member.backend().lock(bytes)? {
                return Ok(Some(locked));
            }
        }
        Ok(None)
    }
}
