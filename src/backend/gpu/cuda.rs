//! NVIDIA GPUs. No other module uses cudarc.
//!
//! The driver's library is opened at run time; cudarc panics where it or one of its functions is absent, so no function is called
//! before the library has been found and its version read. A device is used through its primary context, which every call binds
//! to its thread first. Kernels are PTX embedded in the crate; the driver compiles them for the GPU and keeps the result in a
//! cache of its own.

mod clock;
mod graphs;
mod handles;
mod modules;
mod peers;
mod transfer;

use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Range;

use cudarc::driver::result::{self, DriverError, ctx, device, module, primary_ctx, stream};
use cudarc::driver::sys::{
    self, CUdevice, CUdevice_attribute_enum as Attribute, CUdeviceptr, CUevent_flags_enum as EventFlags,
    CUfunction, CUresult, CUstream,
};

use super::device::{Arg, Buffer, Device, Launch, Limits, Queue};
use super::staging::Link;
use crate::device::{DeviceInfo, DeviceKind};
use crate::error::Error;
use crate::memory::{Strided, StridedMut};
use crate::pinned::Locked;
use crate::sync::{Arc, Mutex};
use clock::Clock;
use graphs::Graphs;
use handles::{Allocation, Context, CudaQueue, Event, failure};
use modules::Module;

/// The first CUDA version that knows the PTX of NVRTC 12.2; its drivers are numbered 535.
const NEEDED: (i32, &str) = (12020, "CUDA 12.2 (driver 535)");

/// The oldest compute capability that the PTX is for.
const CAPABILITY: (i32, i32) = (8, 0);

/// An NVIDIA GPU.
pub struct Cuda {
    info: DeviceInfo,
    limits: Limits,
    context: Arc<Context>,
    clock: Clock,
    modules: Mutex<HashMap<&'static str, Module>>,
    graphs: Mutex<Graphs>,
    link: Arc<Link>,
}

/// A launch in the driver's terms.
struct Prepared {
    function: CUfunction,
    kernel: &'static str,
    groups: u32,
    group: u32,
    /// All parameters in words of eight bytes, and where each begins.
    words: Vec<u64>,
    parameters: Vec<usize>,
}

impl Prepared {
    /// Everything that determines what the launch does to the memory.
    fn text(&self) -> impl Iterator<Item = u64> {
        let Self { function, groups, group, ref words, .. } = *self;
        let head = [function as u64, u64::from(groups) << 32 | u64::from(group), words.len() as u64];
        head.into_iter().chain(words.iter().copied())
    }
}

/// Starts the driver and returns its version as text; the error says why CUDA cannot be used.
fn driver() -> Result<(i32, String), String> {
    // SAFETY: opening the driver's library runs its initialisers, which is what every CUDA program does.
    if !unsafe { sys::is_culib_present() } {
        return Err("NVIDIA's driver library is not installed".into());
    }
    let mut version = 0;
    // SAFETY: the function writes one integer and needs no initialisation.
    let read = unsafe { sys::cuDriverGetVersion(&mut version) };
    if read != CUresult::CUDA_SUCCESS {
        return Err(format!("NVIDIA's driver does not report its version ({read:?})"));
    }
    Ok((version, format!("CUDA {}.{}", version / 1000, version % 1000 / 10)))
}

/// Initialises the driver and counts its devices.
fn count() -> Result<i32, String> {
    let counted = result::init().and_then(|()| device::get_count());
    match counted.map_err(|error| error.0) {
        Ok(count) if count > 0 => Ok(count),
        Ok(_) | Err(CUresult::CUDA_ERROR_NO_DEVICE) => Err("NVIDIA's driver finds no GPU".into()),
        Err(code) => Err(format!("NVIDIA's driver does not start ({code:?})")),
    }
}

fn describe(index: i32, driver: &str) -> Result<(CUdevice, DeviceInfo), DriverError> {
    let device = device::get(index)?;
    // SAFETY: the device is one that the driver named.
    let (memory, units) = unsafe {
        let units = device::get_attribute(device, Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        (device::total_mem(device)?, units)
    };
    let info = DeviceInfo {
        id: format!("cuda:{index}"),
        kind: DeviceKind::Gpu,
        description: device::get_name(device)?,
        units: units as usize,
        memory: Some(memory as u64),
        driver: Some(driver.to_owned()),
        reason: "found by CUDA".into(),
    };
    Ok((device, info))
}

/// The NVIDIA GPUs of this machine, or why there are none that can be used.
pub fn devices() -> Result<Vec<DeviceInfo>, String> {
    let (version, name) = driver()?;
    if version < NEEDED.0 {
        return Err(format!("the driver is too old: {name}, expected {}", NEEDED.1));
    }
    let described = (0..count()?).map(|index| describe(index, &name).map(|(_, info)| info));
    described.collect::<Result<_, _>>().map_err(|error| format!("{:?}", error.0))
}

/// The free bytes of a device's memory. The query needs a context.
pub fn free_memory(index: u32) -> Option<u64> {
    let cuda = Cuda::open(index).ok()?;
    cuda.context.bind().ok()?;
    result::mem_get_info().ok().map(|(free, _)| free as u64)
}

impl Cuda {
    /// The device `cuda:<index>`; [`Error::DeviceMissing`], [`Error::DriverTooOld`].
    pub fn open(index: u32) -> Result<Self, Error> {
        let name = format!("cuda:{index}");
        let missing = |reason: String| crate::backend::open::missing(&name, reason);
        let (version, driver) = driver().map_err(missing)?;
        if version < NEEDED.0 {
            return Err(Error::DriverTooOld { device: name, found: driver, needed: NEEDED.1 });
        }
        let count = count().map_err(missing)?;
        if index >= count as u32 {
            return Err(missing(format!("CUDA has {count} device(s) here, numbered from 0")));
        }
        let failed = |error| failure(&name, "opening the device", error);
        let (device, info) = describe(index as i32, &driver).map_err(failed)?;
        // SAFETY: the device is one that the driver named; the context is released when the last user is dropped.
        let (context, float_to_double) = unsafe {
            use Attribute::{
                CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR as MAJOR,
                CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR as MINOR,
                CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO as FLOAT_TO_DOUBLE,
            };
            let attribute = |which| device::get_attribute(device, which).map_err(failed);
            let (major, minor) = (attribute(MAJOR)?, attribute(MINOR)?);
            if (major, minor) < CAPABILITY {
                return Err(missing(format!(
                    "its compute capability is {major}.{minor}, expected 8.0 or later"
                )));
            }
            (primary_ctx::retain(device).map_err(failed)?, attribute(FLOAT_TO_DOUBLE)?)
        };
        let limits = Limits {
            // FOR_ONE of the kernels' dialect relies on one work item for each element.
            items: usize::MAX,
            group: 128,
            largest_group: 1024,
            buffer: info.memory.unwrap_or(u64::MAX),
            fast_double: float_to_double <= 2,
        };
        let context = Arc::new(Context { device, context, name });
        let clock = Clock::default();
        let (modules, graphs, link) = Default::default();
        Ok(Self { info, limits, context, clock, modules, graphs, link })
    }

    fn failed(&self, operation: &'static str) -> impl Fn(DriverError) -> Error + '_ {
        move |error| failure(&self.info.id, operation, error)
    }

    /// Launches with their kernels, which are loaded before a capture begins, and their parameters.
    fn prepare(&self, launches: &[Launch<&Buffer>]) -> Result<Vec<Prepared>, Error> {
        let prepare = |launch: &Launch<&Buffer>| {
            let function = self.function(launch.program, launch.kernel)?;
            let (mut words, mut parameters) = (Vec::with_capacity(2 * launch.args.len()), Vec::new());
            let mut push = |word| {
                parameters.push(words.len());
                words.push(word);
            };
            for arg in &launch.args {
                match *arg {
                    Arg::Buffer(buffer, offset) => {
                        push(pointer(buffer));
                        push(offset);
                    }
                    Arg::Word(word) => push(word),
                }
            }
            let (groups, group) = (launch.groups as u32, launch.group as u32);
            Ok(Prepared { function, kernel: launch.kernel, groups, group, words, parameters })
        };
        launches.iter().map(prepare).collect()
    }

    /// Launches kernels in a stream, or into the graph that it captures.
    fn enqueue(&self, stream: CUstream, launches: &[Prepared]) -> Result<(), Error> {
        for launch in launches {
            let start = launch.words.as_ptr();
            let parameters = launch.parameters.iter().map(|&word| start.wrapping_add(word));
            let mut parameters: Vec<_> = parameters.map(|word| word.cast_mut().cast::<c_void>()).collect();
            let (grid, block) = ((launch.groups, 1, 1), (launch.group, 1, 1));
            // SAFETY: the function's module is loaded; the caller of Launch::new has promised that the arguments are the kernel's
            // parameters and that it stays inside its buffers; the driver reads the parameters before the call returns.
            let launched =
                unsafe { result::launch_kernel(launch.function, grid, block, 0, stream, &mut parameters) };
            launched.map_err(self.failed(launch.kernel))?;
        }
        Ok(())
    }

    /// Runs `work` between two events, whose times [`finish`](Device::finish) returns.
    fn timed(
        &self,
        queue: &mut CudaQueue,
        work: impl FnOnce(CUstream) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let pair = || Ok((self.timer()?, self.timer()?));
        let (start, end) = queue.spare.pop().map_or_else(pair, Ok).map_err(self.failed("making an event"))?;
        start.record(queue.stream).map_err(self.failed("timing"))?;
        work(queue.stream)?;
        end.record(queue.stream).map_err(self.failed("timing"))?;
        queue.timed.push((start, end));
        Ok(())
    }

    /// An event that records its time.
    fn timer(&self) -> Result<Event, DriverError> {
        Event::new(&self.context, EventFlags::CU_EVENT_DEFAULT)
    }

    fn wait_for(&self, queue: &CudaQueue) -> Result<(), Error> {
        // SAFETY: the stream is alive.
        unsafe { stream::synchronize(queue.stream) }.map_err(self.failed("running kernels"))
    }
}

impl Device for Cuda {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn queue(&self) -> Result<Queue, Error> {
        self.context.bind()?;
        let stream =
            stream::create(stream::StreamKind::NonBlocking).map_err(self.failed("making a stream"))?;
        let queue = CudaQueue {
            context: Arc::clone(&self.context),
            stream,
            uploads: None,
            downloads: None,
            timed: Vec::new(),
            spare: Vec::new(),
        };
        self.clock.start(stream, || self.timer()).map_err(self.failed("starting the clock"))?;
        Ok(Queue::new(queue))
    }

    fn allocate(&self, bytes: usize) -> Result<Buffer, Error> {
        self.context.bind()?;
        // SAFETY: memory without contents; plans write before they read.
        let pointer = unsafe { result::malloc_sync(bytes.max(1)) };
        let pointer = pointer.map_err(|error| match error.0 {
            CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                Error::DeviceOutOfMemory { device: self.info.id.clone(), requested: bytes as u64 }
            }
            _ => failure(&self.info.id, "allocating memory", error),
        })?;
        Ok(Buffer::new(Allocation { context: Arc::clone(&self.context), pointer }))
    }

    fn lock(&self, bytes: usize) -> Result<Option<Locked>, Error> {
        self.context.bind()?;
        // For any context of the process.
        self.host_memory(bytes, sys::CU_MEMHOSTALLOC_PORTABLE).map(Some)
    }

    fn copies_directly(&self, data: &[u8]) -> bool {
        self.context.bind().is_ok() && transfer::is_locked(data.as_ptr(), data.len())
    }

    fn upload(&self, queue: &mut Queue, data: &[u8], to: &Buffer, at: usize) -> Result<(), Error> {
        self.context.bind()?;
        self.copy_in(queue.of(), data, pointer(to) + at as u64)
    }

    fn download(&self, queue: &mut Queue, from: &Buffer, at: usize, data: &mut [u8]) -> Result<(), Error> {
        self.context.bind()?;
        self.copy_out(queue.of(), pointer(from) + at as u64, data)
    }

    fn copies_columns(&self, columns: Strided<'_, u64>) -> bool {
        self.context.bind().is_ok() && transfer::copies(columns)
    }

    fn upload_columns(&self, queue: &mut Queue, columns: Strided<'_, u64>, to: &Buffer) -> Result<(), Error> {
        self.context.bind()?;
        self.copy_columns_in(queue.of(), columns, pointer(to))
    }

    fn download_columns(
        &self,
        queue: &mut Queue,
        from: &Buffer,
        columns: StridedMut<'_, u64>,
    ) -> Result<(), Error> {
        self.context.bind()?;
        self.copy_columns_out(queue.of(), pointer(from), columns)
    }

    fn copy(
        &self,
        queue: &mut Queue,
        (from, from_at): (&Buffer, usize),
        (to, to_at): (&Buffer, usize),
        bytes: usize,
    ) -> Result<(), Error> {
        self.context.bind()?;
        let (queue, from) = (queue.of(), from.of::<Allocation>());
        let (source, target) = (from.pointer + from_at as u64, pointer(to) + to_at as u64);
        if from.context.context != self.context.context {
            return self.copy_from_peer(queue, &from.context, source, target, bytes);
        }
        self.timed(queue, |stream| {
            // SAFETY: the plan's assertions keep the copy inside both buffers, which are not one.
            unsafe { result::memcpy_dtod_async(target, source, bytes, stream) }
                .map_err(self.failed("copying"))
        })
    }

    fn reads_peers(&self) -> bool {
        true
    }

    fn launch(&self, queue: &mut Queue, launches: &[Launch<&Buffer>]) -> Result<(), Error> {
        self.context.bind()?;
        let (queue, launches) = (queue.of::<CudaQueue>(), self.prepare(launches)?);
        match self.replay(queue.stream, &launches, |launch| self.timed(queue, launch)) {
            Some(replayed) => replayed,
            None => self.timed(queue, |stream| self.enqueue(stream, &launches)),
        }
    }

    fn replays(&self) -> Option<u64> {
        Some(self.replay_count())
    }

    fn finish(&self, queue: &mut Queue) -> Result<Vec<Range<u64>>, Error> {
        self.context.bind()?;
        let queue = queue.of::<CudaQueue>();
        let timed = std::mem::take(&mut queue.timed);
        self.wait_for(queue)?;
        let intervals = self.clock.intervals(&timed, queue.stream, || self.timer());
        let intervals = intervals.map_err(self.failed("timing"))?;
        queue.spare.extend(timed);
        Ok(intervals)
    }

    fn ordinal(&self) -> Option<u32> {
        Some(self.context.device as u32)
    }

    fn address(&self, buffer: &Buffer) -> u64 {
        pointer(buffer)
    }

    fn synchronise(&self) -> Result<(), Error> {
        self.context.bind()?;
        ctx::synchronize().map_err(self.failed("waiting for other libraries"))
    }

    unsafe fn adopt(
        &self,
        queue: &mut Queue,
        from: u64,
        words: usize,
        stream: Option<u64>,
        to: &Buffer,
    ) -> Result<(), Error> {
        self.context.bind()?;
        if let Some(stream) = stream {
            // SAFETY: the caller's promise: a stream of this context. The numbers of the two default streams are the driver's own.
            unsafe { stream::synchronize(stream as CUstream) }
                .map_err(self.failed("waiting for another library's stream"))?;
        }
        self.timed(queue.of(), |stream| {
            // SAFETY: the caller's promise: so many words are there, and nobody writes to them; `to` has as many.
            unsafe { result::memcpy_dtod_async(pointer(to), from, 8 * words, stream) }
                .map_err(self.failed("copying from another library's memory"))
        })
    }
}

/// Where memory of a device is.
fn pointer(buffer: &Buffer) -> CUdeviceptr {
    buffer.of::<Allocation>().pointer
}

impl Drop for Cuda {
    fn drop(&mut self) {
        let modules = self.modules.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        if self.context.bind().is_ok() {
            // Before the modules whose kernels they launch.
            *self.graphs.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()) = Graphs::default();
            for (_, module) in modules.drain() {
                // SAFETY: launches through the backend were waited for, and no function outlives the device.
                let _ = unsafe { module::unload(module.module) };
            }
        }
    }
}
