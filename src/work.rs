//! The work of each device of an engine: its operations, with their sizes and the bytes that they moved.
//!
//! Work is counted for the device that does it: an operation that is divided between two devices is a call on each, with the
//! items done there. Measurements by `auto` and by several devices are not counted. So a prover's test can verify that its device
//! was used and not silently bypassed.

use std::fmt;
use std::ops::Deref;
use std::time::{Duration, Instant};

use crate::lock::lock;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering};

/// The work of a device; see [`Engine::work`](crate::Engine::work).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceWork {
    /// The device's name, such as `cuda:0`.
    pub device: String,
    /// The number of operations in progress. If there are several, they share the device through its queues.
    pub under_way: u64,
    /// A line for each kind of operation, in the order in which they first occurred.
    pub operations: Vec<OperationWork>,
}

/// The work of a device in one kind of operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationWork {
    /// The kind, such as `ntt`.
    pub operation: &'static str,
    /// The number of successful calls.
    pub calls: u64,
    /// The number of failed calls, which do not count in the fields below.
    pub failures: u64,
    /// The total size of all calls.
    pub items: u64,
    /// The unit of the size, such as `words`.
    pub unit: &'static str,
    /// Bytes copied to the device: operands that were not there already.
    pub bytes_in: u64,
    /// Bytes copied from the device: results that did not stay there.
    pub bytes_out: u64,
    /// Time from the beginning to the end of the calls. Concurrent calls each count in full.
    pub time: Duration,
}

impl DeviceWork {
    /// The work in a kind of operation; `None` if there was none.
    pub fn of(&self, operation: &str) -> Option<&OperationWork> {
        self.operations.iter().find(|line| line.operation == operation)
    }
}

/// The items of a kind of operation that all devices together have done: 0 shows that a caller's work was done elsewhere.
pub fn items(work: &[DeviceWork], operation: &str) -> u64 {
    work.iter().filter_map(|device| device.of(operation)).map(|line| line.items).sum()
}

impl fmt::Display for OperationWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, calls, failures, items, unit, bytes_in, bytes_out, .. } = self;
        let times = if *calls == 1 { "once".into() } else { format!("{calls} times") };
        write!(f, "{operation} {times}, {items} {unit}, {bytes_in} bytes in, {bytes_out} out")?;
        if *failures > 0 {
            write!(f, ", failed {failures} times")?;
        }
        Ok(())
    }
}

/// A kind of operation, as named in accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activity {
    /// Its name.
    pub name: &'static str,
    /// The unit of its size.
    pub unit: &'static str,
}

impl Activity {
    pub(crate) const NTT: Self = Self { name: "ntt", unit: "words" };
    pub(crate) const LDE: Self = Self { name: "lde", unit: "words of output" };
    pub(crate) const INVERSION: Self = Self { name: "inversion", unit: "elements" };
    pub(crate) const PROGRAM: Self = Self { name: "row program", unit: "rows" };
    pub(crate) const COMBINED_COLUMNS: Self = Self { name: "combination of columns", unit: "elements" };
    pub(crate) const COMBINED_ROWS: Self = Self { name: "combination of rows", unit: "elements" };
    pub(crate) const PREFIX_PRODUCTS: Self = Self { name: "prefix products", unit: "elements" };
    pub(crate) const LOOKUPS: Self = Self { name: "permutation of lookups", unit: "elements" };
    pub(crate) const ROWS: Self = Self { name: "row hashing", unit: "words" };
    pub(crate) const TREE: Self = Self { name: "merkle tree", unit: "leaves" };
    pub(crate) const COMMITMENT: Self = Self { name: "commitment", unit: "rows" };
    pub(crate) const UPLOAD: Self = Self { name: "upload", unit: "words" };
    pub(crate) const DOWNLOAD: Self = Self { name: "download", unit: "words" };
    pub(crate) const EXCHANGE: Self = Self { name: "exchange", unit: "words" };
    pub(crate) const TRANSPOSITION: Self = Self { name: "transposition", unit: "elements" };
    pub(crate) const GATHER: Self = Self { name: "rows read", unit: "rows" };
    #[cfg(feature = "bn254")]
    pub(crate) const MSM: Self = Self { name: "msm", unit: "pairs" };
    #[cfg(feature = "bn254")]
    pub(crate) const POINTS: Self = Self { name: "transform of points", unit: "points" };
    #[cfg(feature = "bn254")]
    pub(crate) const FFT: Self = Self { name: "fft", unit: "scalars" };
    #[cfg(feature = "bn254")]
    pub(crate) const POINTWISE: Self = Self { name: "pointwise product", unit: "elements" };
    #[cfg(feature = "bn254")]
    pub(crate) const SPARSE: Self = Self { name: "sparse product", unit: "entries" };
    #[cfg(feature = "bn254")]
    pub(crate) const KEEP_SPARSE: Self = Self { name: "sparse matrix kept", unit: "entries" };
    #[cfg(feature = "bn254")]
    pub(crate) const KEEP_BASES: Self = Self { name: "bases kept", unit: "points" };
    #[cfg(feature = "bn254")]
    pub(crate) const KEEP_SCALARS: Self = Self { name: "scalars kept", unit: "scalars" };

    /// An operation of so many items, with the bytes that it copies to the device and from it.
    pub(crate) fn of(self, items: usize, bytes_in: usize, bytes_out: usize) -> Size {
        let [items, bytes_in, bytes_out] = [items, bytes_in, bytes_out].map(|number| number as u64);
        Size { activity: self, items, bytes_in, bytes_out }
    }
}

/// The size of one operation.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    activity: Activity,
    items: u64,
    bytes_in: u64,
    bytes_out: u64,
}

impl Size {
    /// This and another of the same kind.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            activity: self.activity,
            items: self.items + other.items,
            bytes_in: self.bytes_in + other.bytes_in,
            bytes_out: self.bytes_out + other.bytes_out,
        }
    }

    /// The bytes that it copies to the device and from it.
    pub(crate) fn bytes(&self) -> usize {
        (self.bytes_in + self.bytes_out) as usize
    }

    /// The name of the kind of operation, the number of items, and what they are.
    pub(crate) fn description(&self) -> (&'static str, u64, &'static str) {
        (self.activity.name, self.items, self.activity.unit)
    }
}

/// The account of one device.
pub(crate) struct Ledger {
    device: String,
    under_way: AtomicU64,
    operations: Mutex<Vec<OperationWork>>,
}

/// An amount by which a counter is higher until this is dropped.
pub(crate) struct Raised<C: Deref<Target = AtomicU64>> {
    counter: C,
    by: u64,
}

impl<C: Deref<Target = AtomicU64>> Raised<C> {
    pub(crate) fn new(counter: C, by: u64) -> Self {
        counter.fetch_add(by, Ordering::Relaxed);
        Self { counter, by }
    }
}

impl<C: Deref<Target = AtomicU64>> Drop for Raised<C> {
    fn drop(&mut self) {
        self.counter.fetch_sub(self.by, Ordering::Relaxed);
    }
}

/// An operation that a device does.
pub(crate) struct UnderWay<'a> {
    ledger: &'a Ledger,
    size: Size,
    raised: Raised<&'a AtomicU64>,
    start: Instant,
}

impl UnderWay<'_> {
    /// Counts it, as done or as failed.
    pub(crate) fn ended(self, done: bool) {
        let time = self.start.elapsed();
        drop(self.raised);
        self.ledger.add(self.size, time, done);
    }
}

impl Ledger {
    pub(crate) fn new(device: String) -> Self {
        Self { device, under_way: AtomicU64::new(0), operations: Mutex::default() }
    }

    /// The device's name.
    pub(crate) fn device(&self) -> &str {
        &self.device
    }

    /// Begins to count an operation.
    pub(crate) fn begin(&self, size: Size) -> UnderWay<'_> {
        UnderWay { ledger: self, size, raised: Raised::new(&self.under_way, 1), start: Instant::now() }
    }

    fn add(&self, size: Size, time: Duration, done: bool) {
        let Size { activity: Activity { name, unit }, items, bytes_in, bytes_out } = size;
        let mut operations = lock(&self.operations);
        let index = operations.iter().position(|line| line.operation == name).unwrap_or_else(|| {
            operations.push(OperationWork {
                operation: name,
                calls: 0,
                failures: 0,
                items: 0,
                unit,
                bytes_in: 0,
                bytes_out: 0,
                time: Duration::ZERO,
            });
            operations.len() - 1
        });
        let line = &mut operations[index];
        match done {
            true => {
                line.calls += 1;
                line.items += items;
                line.bytes_in += bytes_in;
                line.bytes_out += bytes_out;
                line.time += time;
            }
            false => line.failures += 1,
        }
    }

    /// The account so far.
    pub(crate) fn read(&self) -> DeviceWork {
        DeviceWork {
            device: self.device.clone(),
            under_way: self.under_way.load(Ordering::Relaxed),
            operations: lock(&self.operations).clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Activity, Ledger};

    #[test]
    fn calls_add_up_and_failures_stand_apart() {
        let ledger = Ledger::new("cuda:7".into());
        for words in [4, 8] {
            ledger.begin(Activity::NTT.of(words, 8 * words, 8 * words)).ended(true);
        }
        ledger.begin(Activity::TREE.of(2, 64, 32)).ended(true);
        ledger.begin(Activity::NTT.of(1 << 40, 8, 8)).ended(false);
        let work = ledger.read();
        assert_eq!((work.device.as_str(), work.under_way, work.operations.len()), ("cuda:7", 0, 2));
        let line = work.of("ntt").unwrap();
        assert_eq!(
            (line.calls, line.failures, line.items, line.bytes_in, line.bytes_out),
            (2, 1, 12, 96, 96)
        );
        assert_eq!(line.to_string(), "ntt 2 times, 12 words, 96 bytes in, 96 out, failed 1 times");
        assert_eq!(
            work.of("merkle tree").unwrap().to_string(),
            "merkle tree once, 2 leaves, 64 bytes in, 32 out"
        );
        assert_eq!(work.of("msm"), None);
    }

    #[test]
    fn what_is_under_way_is_told_and_a_panic_ends_it() {
        let ledger = Ledger::new("cpu".into());
        let under_way = ledger.begin(Activity::NTT.of(1, 8, 8));
        assert_eq!(ledger.read().under_way, 1);
        under_way.ended(true);
        let panics = || {
            let _under_way = ledger.begin(Activity::NTT.of(1, 8, 8));
            panic!("here");
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
        assert_eq!(ledger.read().under_way, 0);
        assert_eq!(ledger.read().of("ntt").unwrap().calls, 1);
    }
}
