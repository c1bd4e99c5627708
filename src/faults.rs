//! Devices that fail on purpose, for tests of programs that are to survive a device's failure ([`EngineBuilder::faults`](crate::EngineBuilder::faults)). An engine that was not asked for any
//! has no part of this.
//!
//! A failing engine makes so many calls of its device's driver, and the next ones fail. A test does the same work with more and more calls before the
//! fault, until none of them meets it, and so sees a fault at each moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// What fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Allocations find no memory: [`Error::DeviceOutOfMemory`](crate::Error::DeviceOutOfMemory).
    Memory,
    /// Any call fails: [`Error::DeviceFailed`](crate::Error::DeviceFailed), or the above where it allocates.
    Anything,
}

/// Faults to come, of one kind and so many in a row. Clones are the same faults.
#[derive(Clone, Debug)]
pub struct Faults {
    fault: Fault,
    times: u32,
    /// Calls before the first of them; below zero, those since.
    left: Arc<AtomicI64>,
}

impl Faults {
    /// None, until [`after`](Self::after) or [`at`](Self::at) tells when. A device that has no memory may stay so: `times` is then `u32::MAX`.
    pub fn new(fault: Fault, times: u32) -> Self {
        Self { fault, times, left: Arc::new(AtomicI64::new(i64::MAX)) }
    }

    /// The same, after so many calls of its kind from now on.
    pub fn after(self, calls: u32) -> Self {
        self.at(calls);
        self
    }

    /// Faults after so many calls of their kind from now on.
    pub fn at(&self, calls: u32) {
        self.left.store(calls.into(), Ordering::Relaxed);
    }

    /// No faults any more. Returns whether a call has met one since the last time that told when.
    pub fn stop(&self) -> bool {
        self.left.swap(i64::MAX, Ordering::Relaxed) < 0
    }

    /// What fails.
    pub fn fault(&self) -> Fault {
        self.fault
    }

    /// Counts a call, and tells whether it fails.
    pub(crate) fn meet(&self, allocates: bool) -> bool {
        if self.fault == Fault::Memory && !allocates {
            return false;
        }
        let left = self.left.fetch_sub(1, Ordering::Relaxed);
        left <= 0 && left > -i64::from(self.times)
    }
}
