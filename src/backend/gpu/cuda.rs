//! NVIDIA GPUs: the only place that names cudarc.
//!
//! The driver's library is opened at run time; cudarc panics where it or one of its functions is absent, so nothing is
//! called before the library was found and its version read. A device is used through its primary context, which every
//! call binds to its thread first. Kernels are PTX that the crate carries; the driver compiles them for the GPU at hand
//! and keeps the result in a cache of its own.

mod handles;

use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cudarc::driver::result::{self, DriverError, device, event, graph, module, primary_ctx, stream};
use cudarc::driver::sys::{
    self, CUdevice, CUdevice_attribute_enum as Attribute, CUevent_flags_enum as EventFlags, CUfunction,
    CUgraphInstantiate_flags, CUmodule, CUresult, CUstream, CUstreamCaptureMode_enum as CaptureMode,
};

use super::device::{Arg, Device, Launch, Limits};
use super::program::Program;
use super::staging::{Staging, pieces};
use crate::device::{DeviceInfo, DeviceKind};
use crate::error::Error;
pub use handles::{Buffer, Event, Queue, Recording};
use handles::{Context, failure};

/// The first CUDA version that knows the PTX of NVRTC 12.2; its drivers are numbered 535.
const NEEDED: (i32, &str) = (12020, "CUDA 12.2 (driver 535)");

/// The oldest compute capability that the PTX is for.
const CAPABILITY: (i32, i32) = (8, 0);

/// The PTX of every program by name, compressed; made, like the list, by `tools/make-ptx.sh`.
static PTX: &[(&str, &[u8])] = include!("../../../kernels/ptx/list.rs");

/// An NVIDIA GPU.
pub struct Cuda {
    info: DeviceInfo,
    limits: Limits,
    context: Arc<Context>,
    modules: Mutex<HashMap<&'static str, Module>>,
}

/// A loaded program and the kernels asked of it.
struct Module {
    module: CUmodule,
    functions: HashMap<&'static str, CUfunction>,
}

// SAFETY: as for Context.
unsafe impl Send for Module {}

/// Starts the driver and returns its version as text; the error says why there is no CUDA here.
fn driver() -> Result<(i32, String), String> {
    // SAFETY: opening the driver's library runs its initialisers, which is what every CUDA program does.
    if !unsafe { sys::is_culib_present() } {
        return Err("NVIDIA's driver library is not installed".into());
    }
    let mut version = 0;
    // SAFETY: the function writes one integer and needs no initialisation.
    let read = unsafe { sys::cuDriverGetVersion(&mut version) };
    if read != CUresult::CUDA_SUCCESS {
        return Err(format!("NVIDIA's driver does not tell its version ({read:?})"));
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

impl Cuda {
    /// The device `cuda:<index>`; [`Error::DeviceMissing`], [`Error::DriverTooOld`].
    pub fn open(index: u32) -> Result<Self, Error> {
        let name = format!("cuda:{index}");
        let missing = |reason: String| crate::device::missing(&name, reason);
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
            // FOR_ONE of the kernels' dialect relies on an item for each thing.
            items: usize::MAX,
            group: 128,
            largest_group: 1024,
            buffer: info.memory.unwrap_or(u64::MAX),
            alignment: 1,
            fast_double: float_to_double <= 2,
        };
        let context = Arc::new(Context { device, context, name });
        Ok(Self { info, limits, context, modules: Mutex::default() })
    }

    /// A kernel, its program loaded on first use.
    fn function(&self, program: &'static Program, kernel: &'static str) -> Result<CUfunction, Error> {
        // Loading runs under the lock, so that it happens once. A panic within leaves a map without the program.
        let mut modules = self.modules.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !modules.contains_key(program.name) {
            let module = self.load(program)?;
            modules.insert(program.name, Module { module, functions: HashMap::new() });
        }
        let module = modules.get_mut(program.name).expect("the program was just loaded");
        if let Some(&function) = module.functions.get(kernel) {
            return Ok(function);
        }
        let name = CString::new(kernel).expect("names of kernels hold no zero");
        // SAFETY: the module is loaded and stays so while the device lives.
        let function = unsafe { module::get_function(module.module, name) };
        let function = function.map_err(|error| failure(&self.info.id, kernel, error))?;
        module.functions.insert(kernel, function);
        Ok(function)
    }

    fn load(&self, program: &'static Program) -> Result<CUmodule, Error> {
        let embedded = PTX.iter().find(|(name, _)| *name == program.name).expect("every program is embedded");
        let mut text =
            miniz_oxide::inflate::decompress_to_vec_zlib(embedded.1).expect("the embedded PTX is whole");
        text.push(0);
        // SAFETY: the image is PTX text that ends with a zero.
        let loaded = unsafe { module::load_data(text.as_ptr().cast::<c_void>()) };
        loaded.map_err(|error| match error.0 {
            CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => Error::DriverTooOld {
                device: self.info.id.clone(),
                found: self.info.driver.clone().unwrap_or_default(),
                needed: NEEDED.1,
            },
            _ => failure(&self.info.id, "loading kernels", error),
        })
    }

    fn failed(&self, operation: &'static str) -> impl Fn(DriverError) -> Error + '_ {
        move |error| failure(&self.info.id, operation, error)
    }

    /// Launches kernels in a stream, or into the graph that it captures.
    fn enqueue(&self, stream: CUstream, launches: &[(CUfunction, &Launch<&Buffer>)]) -> Result<(), Error> {
        for (function, launch) in launches {
            // Every parameter is a word of eight bytes: a device pointer, an offset or a number.
            let mut words = Vec::with_capacity(2 * launch.args.len());
            for arg in &launch.args {
                match *arg {
                    Arg::Buffer(buffer, offset) => words.extend([buffer.pointer, offset]),
                    Arg::Word(word) => words.push(word),
                }
            }
            let mut parameters: Vec<_> =
                words.iter_mut().map(|word| std::ptr::from_mut(word).cast::<c_void>()).collect();
            let (grid, block) = ((launch.groups as u32, 1, 1), (launch.group as u32, 1, 1));
            // SAFETY: the function's module is loaded; Launch vouches that the arguments are the kernel's parameters
            // and for what it touches; the driver copies the parameters before the call returns.
            let launched =
                unsafe { result::launch_kernel(*function, grid, block, 0, stream, &mut parameters) };
            launched.map_err(self.failed(launch.kernel))?;
        }
        Ok(())
    }

    /// The functions of launches: loaded before a capture begins, for loading is no part of a graph.
    fn functions<'a, 'b>(
        &self,
        launches: &'a [Launch<&'b Buffer>],
    ) -> Result<Vec<(CUfunction, &'a Launch<&'b Buffer>)>, Error> {
        launches.iter().map(|launch| Ok((self.function(launch.program, launch.kernel)?, launch))).collect()
    }

    /// Runs `work` between two events, whose distance [`finish`](Device::finish) will add up.
    fn timed(
        &self,
        queue: &mut Queue,
        work: impl FnOnce(CUstream) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let start = self.event(EventFlags::CU_EVENT_DEFAULT)?;
        let end = self.event(EventFlags::CU_EVENT_DEFAULT)?;
        start.record(queue.stream).map_err(self.failed("timing"))?;
        work(queue.stream)?;
        end.record(queue.stream).map_err(self.failed("timing"))?;
        queue.timed.push((start, end));
        Ok(())
    }

    fn event(&self, flags: EventFlags) -> Result<Event, Error> {
        let event = event::create(flags).map_err(self.failed("making an event"))?;
        Ok(Event { context: Arc::clone(&self.context), event })
    }

    /// The staging memory of a queue, if the system grants it.
    fn staging<'a>(&self, queue: &'a mut Queue) -> Result<Option<&'a mut Staging<Event>>, Error> {
        if queue.staging.is_none() {
            let make = || {
                let event = || self.event(EventFlags::CU_EVENT_DISABLE_TIMING).ok();
                // SAFETY: the context is bound; the memory is freed when the queue is dropped.
                let locked =
                    |bytes| unsafe { result::malloc_host(bytes, 0) }.ok().map(|memory| memory.cast::<u8>());
                Staging::new(locked, event)
            };
            queue.staging = Some(make());
        }
        Ok(queue.staging.as_mut().and_then(Option::as_mut))
    }

    fn synchronise(&self, queue: &Queue) -> Result<(), Error> {
        // SAFETY: the stream is alive.
        unsafe { stream::synchronize(queue.stream) }.map_err(self.failed("running kernels"))
    }
}

impl Device for Cuda {
    type Buffer = Buffer;
    type Queue = Queue;
    type Recording = Recording;

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
        Ok(Queue { context: Arc::clone(&self.context), stream, staging: None, timed: Vec::new() })
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
        Ok(Buffer { context: Arc::clone(&self.context), pointer })
    }

    fn upload(&self, queue: &mut Queue, data: &[u8], to: &Buffer, at: usize) -> Result<(), Error> {
        self.context.bind()?;
        let (stream, target) = (queue.stream, to.pointer + at as u64);
        let failed = self.failed("uploading");
        let Some(staging) = self.staging(queue)? else {
            // SAFETY: the plan's assertions keep the copy inside the buffer; `data` is read before synchronise returns.
            unsafe { result::memcpy_htod_async(target, data, stream) }.map_err(failed)?;
            return self.synchronise(queue);
        };
        for (number, range) in pieces(data.len()).enumerate() {
            let slot = staging.slot(number);
            // What was copied from this half before must have left it.
            slot.event.wait().map_err(&failed)?;
            let piece = slot.fill(&data[range.clone()]);
            // SAFETY: as above; the piece stays untouched until the event recorded next.
            unsafe { result::memcpy_htod_async(target + range.start as u64, piece, stream) }
                .map_err(&failed)?;
            slot.event.record(stream).map_err(&failed)?;
        }
        Ok(())
    }

    fn download(&self, queue: &mut Queue, from: &Buffer, at: usize, data: &mut [u8]) -> Result<(), Error> {
        self.context.bind()?;
        // Work that failed says so here, before anything is written.
        self.synchronise(queue)?;
        let (stream, source) = (queue.stream, from.pointer + at as u64);
        let failed = self.failed("downloading");
        let Some(staging) = self.staging(queue)? else {
            // SAFETY: the plan's assertions keep the copy inside the buffer; `data` outlives the synchronisation.
            unsafe { result::memcpy_dtoh_async(data, source, stream) }.map_err(failed)?;
            return self.synchronise(queue);
        };
        // One piece is on its way to one half while the piece before it is taken out of the other.
        let mut on_its_way = None;
        for (number, range) in pieces(data.len()).enumerate() {
            let slot = staging.slot(number);
            let piece = slot.space(range.len());
            // SAFETY: as above; the half was emptied before its piece of two pieces ago was left behind.
            unsafe { result::memcpy_dtoh_async(piece, source + range.start as u64, stream) }
                .map_err(&failed)?;
            slot.event.record(stream).map_err(&failed)?;
            if let Some((number, range)) = on_its_way.replace((number, range)) {
                let slot = staging.slot(number);
                slot.event.wait().map_err(&failed)?;
                slot.empty(&mut data[range]);
            }
        }
        if let Some((number, range)) = on_its_way {
            let slot = staging.slot(number);
            slot.event.wait().map_err(&failed)?;
            slot.empty(&mut data[range]);
        }
        Ok(())
    }

    fn launch(&self, queue: &mut Queue, launches: &[Launch<&Buffer>]) -> Result<(), Error> {
        self.context.bind()?;
        let launches = self.functions(launches)?;
        self.timed(queue, |stream| self.enqueue(stream, &launches))
    }

    fn record(&self, queue: &mut Queue, launches: &[Launch<&Buffer>]) -> Result<Recording, Error> {
        self.context.bind()?;
        let failed = self.failed("recording launches");
        let launches = self.functions(launches)?;
        // SAFETY: the stream is alive; a capture that was begun is ended whatever happens, and the graph destroyed.
        let graph = unsafe {
            let mode = CaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
            stream::begin_capture(queue.stream, mode).map_err(&failed)?;
            let enqueued = self.enqueue(queue.stream, &launches);
            let captured = stream::end_capture(queue.stream).map_err(&failed);
            enqueued?;
            let captured = captured?;
            let instantiated = graph::instantiate(captured, CUgraphInstantiate_flags(0));
            graph::destroy(captured).map_err(&failed)?;
            instantiated.map_err(&failed)?
        };
        Ok(Recording { context: Arc::clone(&self.context), graph })
    }

    unsafe fn replay(&self, queue: &mut Queue, recording: &Recording) -> Result<(), Error> {
        self.context.bind()?;
        self.timed(queue, |stream| {
            // SAFETY: graph and stream are alive; the caller keeps the buffers alive.
            unsafe { graph::launch(recording.graph, stream) }.map_err(self.failed("replaying launches"))
        })
    }

    fn finish(&self, queue: &mut Queue) -> Result<Duration, Error> {
        self.context.bind()?;
        let timed = std::mem::take(&mut queue.timed);
        self.synchronise(queue)?;
        let mut milliseconds = 0.0;
        for (start, end) in &timed {
            // SAFETY: both events are alive and were recorded in this stream.
            milliseconds +=
                f64::from(unsafe { event::elapsed(start.event, end.event) }.map_err(self.failed("timing"))?);
        }
        Ok(Duration::from_secs_f64(milliseconds / 1e3))
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        let modules = self.modules.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        if self.context.bind().is_ok() {
            for (_, module) in modules.drain() {
                // SAFETY: launches through the backend were waited for, and no function outlives the device.
                let _ = unsafe { module::unload(module.module) };
            }
        }
    }
}
