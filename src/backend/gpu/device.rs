//! The primitives that a device must offer. Every host plan is written once, over these.

use std::any::Any;
use std::ops::Range;

use super::program::Program;
use crate::device::DeviceInfo;
use crate::error::Error;
use crate::memory::{Strided, StridedMut};
use crate::pinned::Locked;

/// An accelerator with memory of its own, or one that is driven as if it had.
///
/// Work is given to queues. What is given to one queue happens in order; queues are independent. Any thread may use any
/// queue, one at a time. Memory must outlive the work that uses it: [`finish`](Self::finish) returns when it is done.
pub trait Device: Send + Sync + 'static {
    /// Its description.
    fn info(&self) -> &DeviceInfo;

    /// Its limits, as plans need them.
    fn limits(&self) -> Limits;

    /// A new queue.
    fn queue(&self) -> Result<Queue, Error>;

    /// Memory with unspecified contents; [`Error::DeviceOutOfMemory`].
    fn allocate(&self, bytes: usize) -> Result<Buffer, Error>;

    /// Page-locked host memory, with unspecified contents, from and to which copies need no staging; `None` where host
    /// memory is the device's own. [`Error::HostOutOfMemory`].
    fn lock(&self, bytes: usize) -> Result<Option<Locked>, Error>;

    /// Whether these data are page-locked, so that they are copied directly while the host is idle. Other data pass through
    /// staging memory, which keeps the host's threads busy.
    fn copies_directly(&self, data: &[u8]) -> bool;

    /// Copies `data` to `to`, `at` bytes from its start. `data` may be reused when this returns; the copy itself is
    /// ordered with the queue's other work. Data in page-locked memory are copied from where they are.
    fn upload(&self, queue: &mut Queue, data: &[u8], to: &Buffer, at: usize) -> Result<(), Error>;

    /// Waits for the queue and then copies `from`, `at` bytes from its start, to `data`. Failed work is reported before the first
    /// byte of `data` is written.
    fn download(&self, queue: &mut Queue, from: &Buffer, at: usize, data: &mut [u8]) -> Result<(), Error>;

    /// Whether these columns are page-locked, and the device copies them directly.
    fn copies_columns(&self, _: Strided<'_, u64>) -> bool {
        false
    }

    /// As [`upload`](Self::upload), of columns that it [copies](Self::copies_columns): side by side, to the start of `to`.
    fn upload_columns(&self, _: &mut Queue, _columns: Strided<'_, u64>, _to: &Buffer) -> Result<(), Error> {
        unreachable!("a device that copies no columns")
    }

    /// As [`download`](Self::download) from the start of `from`, to columns that it [copies](Self::copies_columns).
    fn download_columns(
        &self,
        _: &mut Queue,
        _from: &Buffer,
        _columns: StridedMut<'_, u64>,
    ) -> Result<(), Error> {
        unreachable!("a device that copies no columns")
    }

    /// Copies `bytes` bytes of a buffer to another, each from so many bytes on; [`finish`](Self::finish) returns the time. Where a device
    /// [reads its peers](Self::reads_peers), the first buffer may be a peer's.
    fn copy(
        &self,
        queue: &mut Queue,
        from: (&Buffer, usize),
        to: (&Buffer, usize),
        bytes: usize,
    ) -> Result<(), Error>;

    /// Whether it copies from the memory of other devices of its kind in this process.
    fn reads_peers(&self) -> bool {
        false
    }

    /// Launches kernels, each after the one before. A device may keep a repeated list and launch it as one; its parameters
    /// determine what a launch does, so that only changes the time.
    fn launch(&self, queue: &mut Queue, launches: &[Launch<&Buffer>]) -> Result<(), Error>;

    /// The number of lists launched as one so far; `None` for a device that never does so.
    fn replays(&self) -> Option<u64>;

    /// Waits for all work of a queue and returns the intervals in which its launches and its copies within the device took place
    /// since the last call, in nanoseconds of one clock for all queues of the device, with an arbitrary origin.
    fn finish(&self, queue: &mut Queue) -> Result<Vec<Range<u64>>, Error>;

    /// Its number for other libraries of the process, if these share its memory.
    #[cfg(feature = "cuda")]
    fn ordinal(&self) -> Option<u32> {
        None
    }

    /// The address of memory of a device that has an [ordinal](Self::ordinal).
    #[cfg(feature = "cuda")]
    fn address(&self, _: &Buffer) -> u64 {
        unreachable!("a device whose memory nobody shares")
    }

    /// Waits for all work of such a device, that of other libraries included.
    #[cfg(feature = "cuda")]
    fn synchronise(&self) -> Result<(), Error> {
        unreachable!("a device whose memory nobody shares")
    }

    /// Waits for a stream of another library, if there is one, and copies so many words of it to the start of `to`, which has as many.
    ///
    /// # Safety
    /// There are so many words at the address, in the memory of this device, which has an [ordinal](Self::ordinal); nobody writes to them until the queue is
    /// finished, but work of the stream, and the stream is one of this device.
    #[cfg(feature = "cuda")]
    unsafe fn adopt(
        &self,
        _queue: &mut Queue,
        _from: u64,
        _words: usize,
        _stream: Option<u64>,
        _to: &Buffer,
    ) -> Result<(), Error> {
        unreachable!("a device whose memory nobody shares")
    }
}

/// Device memory, of a type that its device knows; freed when dropped.
pub struct Buffer(Box<dyn Any + Send + Sync>);

/// An ordered queue of work, of a type that its device knows.
pub struct Queue(Box<dyn Any + Send>);

impl Buffer {
    /// Memory that a device has made.
    pub fn new(memory: impl Any + Send + Sync) -> Self {
        Self(Box::new(memory))
    }

    /// What a device of a kind has made.
    pub fn of<T: Any>(&self) -> &T {
        self.0.downcast_ref().expect("memory of a device of this kind")
    }
}

impl Queue {
    /// A queue that a device has made.
    pub fn new(queue: impl Any + Send) -> Self {
        Self(Box::new(queue))
    }

    /// What a device of a kind has made.
    pub fn of<T: Any>(&mut self) -> &mut T {
        self.0.downcast_mut().expect("a queue of a device of this kind")
    }
}

/// The limits of a device, as plans need them.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The number of work items that fill it. More can be launched, but on a processor with a few wide cores they only add
    /// overhead.
    pub items: usize,
    /// Work items of a group, unless a kernel asks for another number.
    pub group: usize,
    /// The most work items that a group can have.
    pub largest_group: usize,
    /// The largest buffer, in bytes.
    pub buffer: u64,
    /// Whether it adds and multiplies doubles at half the rate of floats or better.
    pub fast_double: bool,
}

/// One launch of a kernel; R names buffers. Only the unsafe [`Launch::new`] makes one, so each carries a promise of its caller.
#[derive(Clone, Debug)]
pub struct Launch<R> {
    /// The kernel's program.
    pub program: &'static Program,
    /// Its name.
    pub kernel: &'static str,
    /// Number of work groups.
    pub groups: usize,
    /// Work items of each.
    pub group: usize,
    /// Its arguments, in the order of the parameters.
    pub args: Vec<Arg<R>>,
}

/// A parameter of a kernel: a `BUFFER` or a 64-bit word.
#[derive(Clone, Copy, Debug)]
pub enum Arg<R> {
    /// A buffer, and an offset in elements of the kernel's type.
    Buffer(R, u64),
    /// A number.
    Word(u64),
}

impl<R: Copy> Launch<R> {
    /// A launch of `groups` groups of `group` work items.
    ///
    /// # Safety
    /// The program has the kernel, the arguments are its parameters, and with them it stays inside the buffers.
    pub unsafe fn new(
        program: &'static Program,
        kernel: &'static str,
        (groups, group): (usize, usize),
        args: Vec<Arg<R>>,
    ) -> Self {
        Self { program, kernel, groups, group, args }
    }

    /// The same launch with its buffers replaced.
    pub fn map<S>(&self, rename: impl Fn(R) -> S) -> Launch<S> {
        let args = self.args.iter().map(|arg| match *arg {
            Arg::Buffer(buffer, offset) => Arg::Buffer(rename(buffer), offset),
            Arg::Word(word) => Arg::Word(word),
        });
        let Self { program, kernel, groups, group, .. } = *self;
        Launch { program, kernel, groups, group, args: args.collect() }
    }
}

impl Limits {
    /// The number of groups for a kernel that walks `count` elements with `FOR_EACH`, and the work items of each.
    pub fn grid(&self, count: usize) -> (usize, usize) {
        // Grids of more than 2^31 - 1 groups are refused by CUDA.
        (count.min(self.items).div_ceil(self.group).clamp(1, 1 << 30), self.group)
    }
}
