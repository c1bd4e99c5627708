//! Properties and statistics of an engine's device, and host memory that suits it.

use std::time::Duration;

use bytemuck::Pod;

use crate::choice::Choices;
use crate::device::{Bandwidths, ProductRates};
use crate::engine::{Engine, memory_of};
use crate::error::Error;
use crate::pinned::PinnedVec;
use crate::work::DeviceWork;

impl Engine {
    /// The time that the device has spent on this engine's operations so far, transfers not counted, by its own clock; `None`
    /// where the host is the device. A moment counts once, however many parts of operations run in it; the times of several
    /// devices are added.
    pub fn device_time(&self) -> Option<Duration> {
        self.dispatcher().device_time()
    }

    /// The choices between devices so far, with their reasons; `None` where there is no choice, because a device was named or
    /// there is only one.
    pub fn choices(&self) -> Option<Choices> {
        self.dispatcher().choices()
    }

    /// The work of each device of the engine so far: operations, their sizes, bytes moved, and operations in flight. Idle devices
    /// are listed too.
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

    /// The number of repeated lists of kernel launches that were launched as one graph; `None` for a device that never does so.
    pub fn replays(&self) -> Option<u64> {
        self.dispatcher().replays()
    }

    /// The bandwidth of the device's copies, measured now with 256 MiB where its memory allows: the measure for the memory
    /// traffic of its kernels and for transfers from the host. `None` where the host is the device. Errors are those of the
    /// device.
    pub fn bandwidths(&self) -> Result<Option<Bandwidths>, Error> {
        self.run(|| self.dispatcher().bandwidths())
    }

    /// The products of elements that the devices compute in a second, all together, measured now: the measure for the arithmetic
    /// of their kernels. It takes a fraction of a second on a device. `None` for devices that cannot tell: the reference and
    /// providers. Errors are those of the device.
    pub fn product_rates(&self) -> Result<Option<ProductRates>, Error> {
        self.run(|| self.dispatcher().product_rates())
    }

    /// Gives the memory of devices that no work uses back to their drivers, so that other programs can have it. An engine keeps it for the work to come, since allocation
    /// is slow: what operations have used, and tables of transforms, which are made again when they are needed. Data that stay are not touched, and calls that are under
    /// way keep what they use.
    ///
    /// ```
    /// # use zkaccel::{Engine, hash::{Blake3, Hasher}};
    /// let engine = Engine::new()?;
    /// engine.merkle_tree::<Blake3>(&[Blake3::hash(b"leaf"); 1 << 10])?;
    /// engine.release_memory();
    /// # Ok::<(), zkaccel::Error>(())
    /// ```
    pub fn release_memory(&self) {
        self.dispatcher().release_memory();
    }

    /// A vector of `len` zeros in memory that this engine's device copies from and to fastest: page-locked for a device with
    /// memory of its own, ordinary memory otherwise. Operations on its slice save a pass through memory. Locking pages is slow:
    /// keep the vector and reuse it.
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
