//! What an engine's device tells of itself and of its work, and host memory that suits it.

use std::time::Duration;

use bytemuck::Pod;

use crate::choice::Choices;
use crate::device::Bandwidths;
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::pinned::PinnedVec;
use crate::work::DeviceWork;

impl Engine {
    /// The time that the device has spent on this engine's operations so far, transfers not counted, by its own clock;
    /// `None` where the host is the device. A moment counts once, on however many parts of operations the device works in it; the times of
    /// several devices are added.
    pub fn device_time(&self) -> Option<Duration> {
        self.dispatcher().device_time()
    }

    /// Which device did what so far, and why; `None` where there was no choice, because a device was asked for or there is
    /// but one.
    pub fn choices(&self) -> Option<Choices> {
        self.dispatcher().choices()
    }

    /// What each device of the engine has done so far: operations, their sizes, bytes moved, and what is under way now. Devices that
    /// had nothing to do are listed too.
    ///
    /// ```
    /// use zkaccel::{Engine, device::DeviceChoice, hash::{Blake3, Hasher}};
    /// let engine = Engine::builder().devices(&[DeviceChoice::Cpu, DeviceChoice::Reference]).build()?;
    /// engine.merkle_tree::<Blake3>(&[Blake3::hash(b""); 8])?;
    /// let [cpu, reference] = &engine.work()[..] else { panic!("two devices") };
    /// let leaves = |work: &zkaccel::work::DeviceWork| work.of("merkle tree").map_or(0, |line| line.items);
    /// assert_eq!(leaves(cpu) + leaves(reference), 8);
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn work(&self) -> Vec<DeviceWork> {
        self.dispatcher().work()
    }

    /// How many lists of kernel launches came again and were launched as one, by a graph; `None` for a device that
    /// never does so.
    pub fn replays(&self) -> Option<u64> {
        self.dispatcher().replays()
    }

    /// How fast the device copies, measured now, with a quarter of a gibibyte where it has as much: the yardstick for what its
    /// kernels do with its memory, and for what reaches it from the host. `None` where the host is the device. Errors of the
    /// device.
    pub fn bandwidths(&self) -> Result<Option<Bandwidths>, Error> {
        self.run(|| self.dispatcher().bandwidths())
    }

    /// A vector of `len` zeros in memory that this engine's device copies from and to fastest: page-locked for a device with
    /// memory of its own, ordinary memory else. Operations on its slice skip a pass through memory. Locking pages is slow:
    /// keep the vector and use it again.
    ///
    /// ```
    /// # use zkaccel::{Engine, field::Goldilocks, matrix::{Layout, MatrixMut, Shape}, ntt::{Convention, Domain, Ntt}};
    /// let engine = Engine::new()?;
    /// let mut values = engine.pinned::<Goldilocks>(1 << 10)?;
    /// values[3] = Goldilocks::new(5);
    /// let shape = Shape { rows: 1 << 10, columns: 1, layout: Layout::RowMajor };
    /// let ntt = Ntt::forward(Domain::new(10, Convention::Winterfell)?);
    /// engine.ntt(&ntt, MatrixMut::new(&mut values, shape)?)?;
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    ///
    /// [`Error::OverBudget`], [`Error::HostOutOfMemory`].
    pub fn pinned<T: Pod + Send>(&self, len: usize) -> Result<PinnedVec<T>, Error> {
        self.check_budget(memory_of::<T>(len, 1))?;
        self.run(|| PinnedVec::zeroed(len, |bytes| self.dispatcher().lock(bytes)))
    }
}
