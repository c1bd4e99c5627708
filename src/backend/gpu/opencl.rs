//! OpenCL devices. No other module uses opencl3.
//!
//! The loader library is opened at run time. Programs are compiled from source on first use, and their binaries kept on disk, but for PoCL, which keeps kernels itself.
//! Version 1.2 is enough. Any device is supported: GPUs, and processors through PoCL, whose compiler must not be asked to inline.

mod list;
mod transfer;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::ptr;

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue, enqueue_copy_buffer};
use opencl3::context::Context;
use opencl3::device;
use opencl3::error_codes::{
    CL_INVALID_BUFFER_SIZE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES,
    ClError,
};
use opencl3::event::Event;
use opencl3::kernel::Kernel;
use opencl3::memory::{self, CL_MEM_READ_WRITE, ClMem};
use opencl3::types::{cl_device_id, cl_mem};

use super::device::{Arg, Buffer, Device, Launch, Limits, Queue};
use super::program::Program;
use super::staging::{Link, Staging};
use crate::cache;
use crate::device::{DeviceInfo, DeviceKind};
use crate::error::Error;
use crate::lock::lock;
use crate::pinned::Locked;
use crate::sync::{Arc, Mutex};
pub use list::devices;
use list::{Found, found, parse_version};
use transfer::Ranges;

/// Compiler options.
const OPTIONS: &str = "-cl-std=CL1.2";

/// PoCL compiles a kernel when it is launched, for groups of that size, and keeps it on disk. For a binary it would compile all kernels of the program before, for groups of
/// any size, which takes as long and serves no launch.
const POCL: &str = "Portable Computing Language";

/// Memory of a device.
type Allocation = memory::Buffer<u8>;

/// The driver's name of it.
fn memory_of(buffer: &Buffer) -> cl_mem {
    buffer.of::<Allocation>().get()
}

/// An OpenCL device.
pub struct OpenCl {
    info: DeviceInfo,
    limits: Limits,
    /// Platform and driver, with their versions, for which a binary is valid.
    identity: String,
    /// Whether the compiler is NVIDIA's, which takes options of its own.
    nvidia: bool,
    /// Whether binaries are kept on disk.
    keeps_binaries: bool,
    context: Context,
    id: cl_device_id,
    programs: Mutex<HashMap<&'static str, Arc<opencl3::program::Program>>>,
    /// Whether the device's memory is the host's.
    shares_memory: bool,
    /// The queue that maps host memory.
    host_queue: Arc<CommandQueue>,
    ranges: Ranges,
    link: Arc<Link>,
}

// SAFETY: the device id, the only member that is not Send and Sync by itself, names a device of the process; the OpenCL
// specification makes every call but clSetKernelArg thread-safe, and kernels belong to queues here.
unsafe impl Send for OpenCl {}
// SAFETY: as above.
unsafe impl Sync for OpenCl {}

/// A kernel and the numbers that its parameters hold.
type Prepared = (Kernel, Vec<Option<u64>>);

/// A queue, the kernels that are set up through it, and the launches whose time has not been read yet.
pub struct OpenClQueue {
    queue: CommandQueue,
    /// The kernels used so far, by program and name.
    kernels: HashMap<(&'static str, &'static str), Prepared>,
    timed: Vec<(Event, Option<Event>)>,
    uploads: Passage,
    downloads: Passage,
}

/// Staging memory of one direction, made on first use; `Some(None)` where the system refused it.
type Passage = Option<Option<Staging<Event>>>;

impl Drop for OpenClQueue {
    fn drop(&mut self) {
        // Staging memory, dropped after this, is free once the queue is idle.
        let _ = self.queue.finish();
    }
}

fn extension(device: &device::Device, name: &str) -> bool {
    device.extensions().is_ok_and(|all| all.split_whitespace().any(|extension| extension == name))
}

/// Whether a device is one of NVIDIA's of a compute capability with full-rate FP64. For other devices OpenCL does not report
/// whether doubles are fast.
fn fast_double(device: &device::Device) -> bool {
    extension(device, "cl_nv_device_attribute_query")
        && extension(device, "cl_khr_fp64")
        && match (device.compute_capability_major_nv(), device.compute_capability_minor_nv()) {
            (Ok(major), Ok(minor)) => matches!((major, minor), (6, 0) | (7, 0) | (8, 0) | (9, 0) | (10, 0)),
            _ => false,
        }
}

impl OpenCl {
    /// The first device, for tests of many kernels, where it has to be present: a compiler for a processor takes minutes for these. The
    /// conformance suite runs on every device that there is.
    #[cfg(test)]
    pub(crate) fn required() -> Result<Self, Error> {
        let required = std::env::var("ZKACCEL_REQUIRE").unwrap_or_default();
        match required.split(',').any(|name| name == "opencl:0") {
            true => Self::open(0),
            false => Err(crate::backend::open::missing("opencl:0", "no test requires it".into())),
        }
    }

    /// The device `opencl:<index>`; [`Error::DeviceMissing`], [`Error::DriverTooOld`].
    pub fn open(index: u32) -> Result<Self, Error> {
        let name = format!("opencl:{index}");
        let missing = |reason: String| crate::backend::open::missing(&name, reason);
        let mut all = found().map_err(missing)?;
        if index as usize >= all.len() {
            return Err(missing(format!("OpenCL has {} device(s) here, numbered from 0", all.len())));
        }
        let Found { device, info, identity, version } = all.swap_remove(index as usize);
        if parse_version(&version).is_none_or(|version| version < (1, 2)) {
            return Err(Error::DriverTooOld { device: name, found: version, needed: "OpenCL 1.2" });
        }
        let failed = |error| failure(&info, "opening the device", error);
        let unfit = |what: &str| missing(format!("{}: {what}", info.description));
        if !device.available().map_err(failed)? || !device.compiler_available().map_err(failed)? {
            return Err(unfit("the device or its compiler is not available"));
        }
        if device.address_bits().map_err(failed)? != 64 || !device.endian_little().map_err(failed)? {
            return Err(unfit("expected a little-endian device with 64-bit addresses"));
        }
        let largest_group = device.max_work_group_size().map_err(failed)?;
        let (group, items) = match info.kind {
            // Cores run a work group as a loop, so few items each process many elements.
            DeviceKind::Cpu => (16, 16 * 32 * info.units),
            _ => (64, usize::MAX),
        };
        let limits = Limits {
            items,
            group: group.min(largest_group),
            largest_group,
            buffer: device.max_mem_alloc_size().map_err(failed)?,
            fast_double: fast_double(&device),
        };
        let context = Context::from_device(&device).map_err(failed)?;
        // SAFETY: the device belongs to the context.
        let host_queue = unsafe { CommandQueue::create(&context, device.id(), 0) }.map_err(failed)?;
        Ok(Self {
            shares_memory: device.host_unified_memory().map_err(failed)?,
            host_queue: Arc::new(host_queue),
            ranges: Ranges::default(),
            link: Arc::default(),
            nvidia: extension(&device, "cl_nv_compiler_options"),
            keeps_binaries: !identity.starts_with(POCL),
            limits,
            identity,
            context,
            id: device.id(),
            programs: Mutex::default(),
            info,
        })
    }

    fn failed(&self, operation: &'static str) -> impl Fn(ClError) -> Error + '_ {
        move |error| failure(&self.info, operation, error)
    }

    fn out_of_memory(&self, requested: u64) -> Error {
        Error::DeviceOutOfMemory { device: self.info.id.clone(), requested }
    }

    /// A program, compiled or loaded on first use.
    fn program(&self, program: &'static Program) -> Result<Arc<opencl3::program::Program>, Error> {
        // Compilation runs under the lock, so that it happens once. A panic within leaves a map without the program.
        let mut programs = lock(&self.programs);
        if let Some(built) = programs.get(program.name) {
            return Ok(Arc::clone(built));
        }
        let source = program.source();
        let options = &match program.registers {
            Some(registers) if self.nvidia => format!("{OPTIONS} -cl-nv-maxrregcount={registers}"),
            _ => OPTIONS.to_owned(),
        };
        let path = if self.keeps_binaries { cache::path(&[&self.identity, options, &source]) } else { None };
        let cached =
            path.as_deref().and_then(cache::load).and_then(|binary| self.of_binary(&binary, options));
        let built = match cached {
            Some(built) => built,
            None => {
                let built = self.compile(&source, options)?;
                if let Some(path) = path {
                    let binary = built.get_binaries().ok().and_then(|mut binaries| binaries.pop());
                    binary.inspect(|binary| cache::store(&path, binary));
                }
                built
            }
        };
        let built = Arc::new(built);
        programs.insert(program.name, Arc::clone(&built));
        Ok(built)
    }

    /// What was compiled before, if the driver takes it.
    fn of_binary(&self, binary: &[u8], options: &str) -> Option<opencl3::program::Program> {
        opencl3::program::Program::create_and_build_from_binary(&self.context, &[binary], options).ok()
    }

    /// Compiles a source text; the error contains the compiler's log.
    fn compile(&self, source: &str, options: &str) -> Result<opencl3::program::Program, Error> {
        let built = opencl3::program::Program::create_and_build_from_source(&self.context, source, options);
        built.map_err(|message| Error::DeviceFailed {
            device: self.info.id.clone(),
            operation: "compiling kernels",
            message,
        })
    }

    fn enqueue(&self, queue: &mut OpenClQueue, launches: &[Launch<cl_mem>]) -> Result<(), Error> {
        let mut first = None;
        let mut last = None;
        for launch in launches {
            let event = self.enqueue_one(queue, launch)?;
            if first.is_none() {
                first = Some(event);
            } else {
                last = Some(event);
            }
        }
        queue.timed.extend(first.map(|first| (first, last)));
        queue.queue.flush().map_err(self.failed("launching kernels"))
    }

    fn enqueue_one(&self, queue: &mut OpenClQueue, launch: &Launch<cl_mem>) -> Result<Event, Error> {
        let failed = self.failed(launch.kernel);
        let name = (launch.program.name, launch.kernel);
        let (kernel, words) = match queue.kernels.entry(name) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let program = self.program(launch.program)?;
                entry.insert((Kernel::create(&program, launch.kernel).map_err(&failed)?, Vec::new()))
            }
        };
        // A parameter keeps its value from launch to launch, and setting one has a cost.
        let mut set_word = |kernel: &Kernel, index: u32, word: u64| {
            let at = index as usize;
            if words.len() <= at {
                words.resize(at + 1, None);
            }
            if words[at] == Some(word) {
                return Ok(());
            }
            // SAFETY: the caller of Launch::new has promised that the kernel has such a parameter. The kernel belongs to this
            // queue, which one thread at a time uses.
            unsafe { kernel.set_arg(index, &word) }?;
            words[at] = Some(word);
            Ok(())
        };
        let mut index = 0;
        for arg in &launch.args {
            match *arg {
                Arg::Buffer(memory, offset) => {
                    // SAFETY: as above, of a memory object.
                    unsafe { kernel.set_arg(index, &memory) }.map_err(&failed)?;
                    set_word(kernel, index + 1, offset).map_err(&failed)?;
                    index += 2;
                }
                Arg::Word(word) => {
                    set_word(kernel, index, word).map_err(&failed)?;
                    index += 1;
                }
            }
        }
        let (global, local) = (launch.groups * launch.group, launch.group);
        // SAFETY: the sizes are one-dimensional and live through the call; the caller of Launch::new has promised that the kernel
        // stays inside its buffers.
        let event = unsafe {
            queue.queue.enqueue_nd_range_kernel(kernel.get(), 1, ptr::null(), &global, &local, &[])
        };
        event.map_err(failed)
    }
}

impl Device for OpenCl {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn queue(&self) -> Result<Queue, Error> {
        // SAFETY: the device belongs to the context.
        let queue = unsafe { CommandQueue::create(&self.context, self.id, CL_QUEUE_PROFILING_ENABLE) };
        let queue = queue.map_err(self.failed("making a queue"))?;
        let (kernels, timed) = (HashMap::new(), Vec::new());
        Ok(Queue::new(OpenClQueue { queue, kernels, timed, uploads: None, downloads: None }))
    }

    fn allocate(&self, bytes: usize) -> Result<Buffer, Error> {
        // SAFETY: no host memory is involved.
        let buffer =
            unsafe { Allocation::create(&self.context, CL_MEM_READ_WRITE, bytes.max(1), ptr::null_mut()) };
        buffer.map(Buffer::new).map_err(|error| match error.0 {
            CL_MEM_OBJECT_ALLOCATION_FAILURE
            | CL_OUT_OF_RESOURCES
            | CL_OUT_OF_HOST_MEMORY
            | CL_INVALID_BUFFER_SIZE => self.out_of_memory(bytes as u64),
            _ => failure(&self.info, "allocating memory", error),
        })
    }

    fn lock(&self, bytes: usize) -> Result<Option<Locked>, Error> {
        match self.shares_memory {
            true => Ok(None),
            false => self.host_memory(bytes, true).map(Some),
        }
    }

    fn copies_directly(&self, data: &[u8]) -> bool {
        self.is_locked(data)
    }

    fn upload(&self, queue: &mut Queue, data: &[u8], to: &Buffer, at: usize) -> Result<(), Error> {
        self.copy_in(queue.of(), data, to.of(), at)
    }

    fn download(&self, queue: &mut Queue, from: &Buffer, at: usize, data: &mut [u8]) -> Result<(), Error> {
        self.copy_out(queue.of(), from.of(), at, data)
    }

    fn copy(
        &self,
        queue: &mut Queue,
        (from, from_at): (&Buffer, usize),
        (to, to_at): (&Buffer, usize),
        bytes: usize,
    ) -> Result<(), Error> {
        let queue = queue.of::<OpenClQueue>();
        let (queue_handle, from, to) = (queue.queue.get(), memory_of(from), memory_of(to));
        // SAFETY: the plan's assertions keep the copy inside both buffers, which are not one.
        let copied =
            unsafe { enqueue_copy_buffer(queue_handle, from, to, from_at, to_at, bytes, 0, ptr::null()) };
        let copied = copied.map_err(|code| failure(&self.info, "copying", ClError(code)))?;
        queue.timed.push((Event::new(copied), None));
        Ok(())
    }

    fn launch(&self, queue: &mut Queue, launches: &[Launch<&Buffer>]) -> Result<(), Error> {
        let launches: Vec<_> = launches.iter().map(|launch| launch.map(memory_of)).collect();
        self.enqueue(queue.of(), &launches)
    }

    /// OpenCL 1.2 has no graphs.
    fn replays(&self) -> Option<u64> {
        None
    }

    fn finish(&self, queue: &mut Queue) -> Result<Vec<Range<u64>>, Error> {
        let (queue, failed) = (queue.of::<OpenClQueue>(), self.failed("running kernels"));
        let timed = std::mem::take(&mut queue.timed);
        queue.queue.finish().map_err(&failed)?;
        let mut intervals = Vec::with_capacity(timed.len());
        for (first, last) in &timed {
            let last = last.as_ref().unwrap_or(first);
            // NVIDIA's driver can return from clFinish before the events are complete; what failed shows in the status.
            let _ = (first.wait(), last.wait());
            // Failed work ends with a negative status, and so does all that waited for it.
            let status = last.command_execution_status().map_err(&failed)?.0;
            if status < 0 {
                return Err(match status {
                    CL_MEM_OBJECT_ALLOCATION_FAILURE => self.out_of_memory(0),
                    _ => failed(ClError(status)),
                });
            }
            // Otherwise the work has succeeded, even if the driver cannot report its time.
            if let (Ok(start), Ok(end)) = (first.profiling_command_start(), last.profiling_command_end()) {
                intervals.push(start..end);
            }
        }
        Ok(intervals)
    }
}

fn failure(info: &DeviceInfo, operation: &'static str, error: ClError) -> Error {
    Error::DeviceFailed { device: info.id.clone(), operation, message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::{OPTIONS, OpenCl};
    use crate::backend::gpu::program::NTT_TABLES;

    #[test]
    fn a_source_that_does_not_compile_is_explained() {
        // Where the device must be present, the conformance tests say that it is not.
        let Ok(device) = OpenCl::open(0) else { return };
        let error = device.compile("__kernel void f() { nonsense; }", OPTIONS).err().unwrap().to_string();
        assert!(error.contains("compiling kernels") && error.contains("nonsense"), "{error}");
    }

    /// What is kept on disk, but for PoCL, which serves as a driver here.
    #[test]
    fn binaries_stand_for_programs() {
        let Ok(device) = OpenCl::required() else { return };
        let built = device.compile(&NTT_TABLES.source(), OPTIONS).unwrap();
        let again = device.of_binary(&built.get_binaries().unwrap()[0], OPTIONS).unwrap();
        assert_eq!(again.kernel_names(), built.kernel_names());
    }
}
