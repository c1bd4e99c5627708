//! A device of an engine: its backend, its account, its backlog, and the data in its memory.

use std::fmt;

use rayon::ThreadPool;

use super::operation::Call;
use crate::backend::{Backend, Memory, ResidentBackend};
use crate::error::Error;
use crate::meter::Meter;
use crate::sync::Arc;
use crate::sync::atomic::AtomicU64;
use crate::work::{DeviceWork, Ledger, Raised};

/// A device as it was opened.
pub(crate) struct Opened {
    pub(crate) backend: Box<dyn Backend>,
    /// Its name, such as `cuda:0`.
    pub(crate) name: String,
    /// The description on which its measurements depend: threads, processor, device, driver. Devices with equal descriptions are
    /// measured once.
    pub(crate) machine: Vec<String>,
    /// Whether it computes as the host does, so that an operation costs it the computation and not the transport of the data.
    pub(crate) on_host: bool,
    /// Its own threads, which wait for it; the CPU computes on the caller's threads.
    pub(crate) threads: Option<ThreadPool>,
}

/// A device at work.
pub(crate) struct Member {
    /// Its index among the devices of the engine.
    pub(super) index: usize,
    backend: Box<dyn Backend>,
    ledger: Ledger,
    pub(super) machine: Vec<String>,
    pub(super) on_host: bool,
    pub(super) threads: Option<ThreadPool>,
    /// Nanoseconds of work that it has been given and has not finished.
    pub(super) backlog: AtomicU64,
    /// The bytes of data that stay on it.
    pub(super) resident: Arc<AtomicU64>,
}

/// A share in progress on a device, whose backlog includes it until this is dropped.
pub(super) type Given<'a> = Raised<&'a AtomicU64>;

/// A part of the data that stay on a device.
pub(crate) type Occupied = Raised<Arc<AtomicU64>>;

impl Member {
    pub(super) fn new(index: usize, opened: Opened) -> Self {
        let Opened { backend, name, machine, on_host, threads } = opened;
        let (backlog, resident) = (AtomicU64::new(0), Arc::default());
        Self { index, backend, ledger: Ledger::new(name), machine, on_host, threads, backlog, resident }
    }

    /// The backend.
    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// Its operations on data in its own memory, for holders of such data.
    pub(crate) fn memory(&self) -> &dyn ResidentBackend {
        self.backend.resident().expect("data stay only on a device with memory of its own")
    }

    /// Whether it has memory of its own. Such a device checks words while it copies them and does not change its input.
    pub(crate) fn has_memory(&self) -> bool {
        self.backend.resident().is_some()
    }

    /// Whether it reads the memory of other devices of its kind.
    pub(crate) fn reads_peers(&self) -> bool {
        self.backend.resident().is_some_and(|memory| memory.reads_peers())
    }

    /// Its index among the devices of the engine.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        self.ledger.device()
    }

    /// The account so far.
    pub(super) fn account(&self) -> DeviceWork {
        self.ledger.read()
    }

    /// Runs a call and counts it.
    pub(crate) fn count<C: Call>(&self, call: C) -> Result<C::Output, Error> {
        self.count_metered(call, &Meter::silent())
    }

    /// The same, with a meter of how much of it is done.
    pub(super) fn count_metered<C: Call>(&self, call: C, meter: &Meter<'_>) -> Result<C::Output, Error> {
        let under_way = self.ledger.begin(call.size(self));
        let result = call.run_metered(self, meter);
        under_way.ended(result.is_ok());
        result
    }

    pub(super) fn give(&self, ns: f64) -> Given<'_> {
        // Rounded to an integer, so that the same amount is added and subtracted.
        Raised::new(&self.backlog, ns as u64)
    }

    /// Counts bytes that stay on the device from now on, until what is returned is dropped.
    pub(crate) fn occupy(&self, bytes: u64) -> Occupied {
        Raised::new(Arc::clone(&self.resident), bytes)
    }

    /// Wraps memory of this device, of which so many bytes stay.
    pub(crate) fn store(&self, memory: Memory, occupied: Occupied) -> Stored {
        Stored(Arc::new(Contents { member: self.index, memory, _occupied: occupied }))
    }
}

/// Data that stay on one of the devices. Clones share them; the last one frees them.
#[derive(Clone)]
pub(crate) struct Stored(Arc<Contents>);

struct Contents {
    member: usize,
    memory: Memory,
    _occupied: Occupied,
}

impl Stored {
    /// The device's index among those of the engine.
    pub(crate) fn member(&self) -> usize {
        self.0.member
    }

    /// The data.
    pub(crate) fn contents(&self) -> &Memory {
        &self.0.memory
    }
}

impl fmt::Debug for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stored").field("member", &self.0.member).finish_non_exhaustive()
    }
}
