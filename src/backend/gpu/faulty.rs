//! A device that fails at a chosen moment.

use std::ops::Range;
use std::sync::Arc;

use super::device::{Buffer, Device, Launch, Limits, Queue};
use crate::device::DeviceInfo;
use crate::error::Error;
use crate::faults::{Fault, Faults};
use crate::memory::{Strided, StridedMut};
use crate::pinned::Locked;

/// Another device, with faults.
pub struct Faulty {
    device: Arc<dyn Device>,
    faults: Faults,
    /// Whether it is one of several that are one device, and so read each other's memory.
    among_peers: bool,
}

impl Faulty {
    pub fn new(device: &Arc<dyn Device>, faults: Faults) -> Self {
        Self { device: Arc::clone(device), faults, among_peers: false }
    }

    /// The same as one of several that are made of a device.
    #[cfg(test)]
    pub fn among_peers(self) -> Self {
        Self { among_peers: true, ..self }
    }

    /// Counts a call, and fails it when its turn has come.
    fn call(&self, requested: Option<usize>) -> Result<(), Error> {
        if !self.faults.meet(requested.is_some()) {
            return Ok(());
        }
        let device = self.device.info().id.clone();
        Err(match requested {
            Some(bytes) => Error::DeviceOutOfMemory { device, requested: bytes as u64 },
            None => Error::DeviceFailed { device, operation: "a test", message: "injected".into() },
        })
    }
}

impl Device for Faulty {
    fn info(&self) -> &DeviceInfo {
        self.device.info()
    }
    fn limits(&self) -> Limits {
        self.device.limits()
    }
    fn queue(&self) -> Result<Queue, Error> {
        self.call(None)?;
        self.device.queue()
    }
    fn allocate(&self, bytes: usize) -> Result<Buffer, Error> {
        self.call(Some(bytes))?;
        self.device.allocate(bytes)
    }
    fn upload(&self, queue: &mut Queue, data: &[u8], to: &Buffer, at: usize) -> Result<(), Error> {
        self.call(None)?;
        self.device.upload(queue, data, to, at)
    }
    fn download(&self, queue: &mut Queue, from: &Buffer, at: usize, data: &mut [u8]) -> Result<(), Error> {
        if let Err(error) = self.call(None) {
            // A copy that breaks off in the middle.
            let half = data.len() / 2;
            data[..half].fill(0xa5);
            return Err(error);
        }
        self.device.download(queue, from, at, data)
    }
    fn copies_columns(&self, columns: Strided<'_, u64>) -> bool {
        // As with data that are copied directly. What peers copy by themselves they do not exchange.
        let pretends = self.faults.fault() == Fault::Anything && !self.among_peers;
        pretends || self.device.copies_columns(columns)
    }
    fn upload_columns(&self, queue: &mut Queue, columns: Strided<'_, u64>, to: &Buffer) -> Result<(), Error> {
        self.call(None)?;
        let mut side_by_side = vec![0; columns.rows() * columns.width()];
        columns.take(&mut side_by_side);
        self.device.upload(queue, bytemuck::cast_slice(&side_by_side), to, 0)
    }
    fn download_columns(
        &self,
        queue: &mut Queue,
        from: &Buffer,
        columns: StridedMut<'_, u64>,
    ) -> Result<(), Error> {
        let words = columns.as_columns().rows() * columns.as_columns().width();
        let mut side_by_side = vec![0xa5; words];
        let called = self.call(None);
        // A copy that breaks off in the middle.
        let copied = if called.is_ok() { words } else { words / 2 };
        self.device.download(queue, from, 0, bytemuck::cast_slice_mut(&mut side_by_side[..copied]))?;
        columns.put(&side_by_side);
        called
    }
    fn launch(&self, queue: &mut Queue, launches: &[Launch<&Buffer>]) -> Result<(), Error> {
        self.call(None)?;
        self.device.launch(queue, launches)
    }
    fn lock(&self, bytes: usize) -> Result<Option<Locked>, Error> {
        self.call(None)?;
        self.device.lock(bytes)
    }
    fn copy(
        &self,
        queue: &mut Queue,
        from: (&Buffer, usize),
        to: (&Buffer, usize),
        bytes: usize,
    ) -> Result<(), Error> {
        self.call(None)?;
        self.device.copy(queue, from, to, bytes)
    }
    fn reads_peers(&self) -> bool {
        self.among_peers || self.device.reads_peers()
    }
    fn copies_directly(&self, data: &[u8]) -> bool {
        // Plans that check data while a device copies them must be tested where no memory is locked.
        self.faults.fault() == Fault::Anything || self.device.copies_directly(data)
    }
    fn replays(&self) -> Option<u64> {
        self.device.replays()
    }
    fn finish(&self, queue: &mut Queue) -> Result<Vec<Range<u64>>, Error> {
        self.call(None)?;
        self.device.finish(queue)
    }
}
