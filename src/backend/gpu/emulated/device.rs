//! A device for tests that interprets the PTX which the crate carries, so that every kernel for NVIDIA's GPUs runs where there is no GPU, the inline PTX
//! among it that no other device sees.
//!
//! The interpreter, `zkaccel_ptx_machine`, is stricter than a GPU. What it finds is [`Error::DeviceFailed`], with kernel, item and instruction.
//!
//! Kernels run one after another as they are launched, so that what queues must order is not tested, nor is what the driver's compiler makes of the PTX.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Instant;

use zkaccel_ptx_machine as machine;

// What compiles this file has these: the library for its own tests, and the tests of the interpreter by the conformance suite.
use super::{
    Arg, Buffer, Device, DeviceInfo, DeviceKind, Error, Launch, Limits, Locked, Program, Queue, ptx_text,
};
use machine::{FIRST, KernelLaunch, Machine, Memory, Space};

/// Kernels with races that change nothing. In `ntt_pass` items without a column repeat the last one up to where they would store it, while those whose it is
/// store it in place. An instruction of a row program loads the place of an operand before it is known whether it has one.
const LENIENT: &[&str] = &["ntt_pass", "run_program"];

/// The bytes of its memory.
const MEMORY: u64 = 1 << 30;

/// Programs, by name.
type Programs = HashMap<&'static str, Arc<machine::Program>>;

/// The names of programs and kernels that were launched.
pub(super) type Launched = Arc<Mutex<BTreeSet<(&'static str, &'static str)>>>;

/// The device.
pub(super) struct Emulated {
    info: DeviceInfo,
    limits: Limits,
    /// Programs that have another text here, by name.
    changed: Mutex<Programs>,
    machines: Mutex<Vec<Machine>>,
    launched: Launched,
    /// When its clock was zero.
    start: Instant,
    /// Counts moments of launches.
    clock: AtomicU64,
}

/// A queue: the times of work whose times were not asked for yet. All work is done when it is given.
type Done = Vec<Range<u64>>;

impl Emulated {
    /// A device with the limits of a GPU; `fast_double` chooses the number form of transforms, as on a device with or without quick doubles.
    pub(super) fn new(fast_double: bool) -> Self {
        let info = DeviceInfo {
            id: "emulated:0".into(),
            kind: DeviceKind::Gpu,
            description: "an interpreter of PTX".into(),
            units: 1,
            memory: Some(MEMORY),
            driver: None,
            reason: "made by a test".into(),
        };
        let limits =
            Limits { items: usize::MAX, group: 128, largest_group: 1024, buffer: MEMORY, fast_double };
        Self {
            info,
            limits,
            changed: Mutex::default(),
            machines: Mutex::default(),
            launched: Arc::default(),
            start: Instant::now(),
            clock: AtomicU64::new(FIRST),
        }
    }

    /// The device, which tells elsewhere what it launches.
    pub(super) fn with_record(self, launched: &Launched) -> Self {
        Self { launched: Arc::clone(launched), ..self }
    }

    /// The device with another text of a program.
    #[allow(dead_code)] // The library's own tests change none.
    pub(super) fn with_text(self, program: &'static Program, text: &str) -> Self {
        let read = machine::Program::parse(text).expect("the text is a program");
        self.changed.lock().unwrap().insert(program.name, Arc::new(read));
        self
    }

    fn failed(&self, operation: &'static str, message: String) -> Error {
        Error::DeviceFailed { device: self.info.id.clone(), operation, message }
    }

    /// A program, read on first use by any device.
    fn program(&self, program: &'static Program) -> Result<Arc<machine::Program>, Error> {
        static READ: LazyLock<Mutex<Programs>> = LazyLock::new(Mutex::default);
        let known = |programs: &Mutex<Programs>| programs.lock().unwrap().get(program.name).cloned();
        if let Some(found) = known(&self.changed).or_else(|| known(&READ)) {
            return Ok(found);
        }
        let text = String::from_utf8(ptx_text(program)).expect("PTX is text");
        let read = machine::Program::parse(&text)
            .map_err(|what| self.failed("loading kernels", format!("{}: {what}", program.name)))?;
        let read = Arc::new(read);
        READ.lock().unwrap().insert(program.name, Arc::clone(&read));
        Ok(read)
    }

    /// Executes a launch.
    fn execute(&self, launch: &Launch<&Buffer>) -> Result<(), Error> {
        let failed = |message| self.failed(launch.kernel, message);
        let program = self.program(launch.program)?;
        let kernel = program.kernels.get(launch.kernel);
        let kernel = kernel.ok_or_else(|| failed("there is no such kernel".into()))?;
        let mut buffers: Vec<&Memory> = Vec::new();
        let mut parameters = Vec::with_capacity(2 * launch.args.len());
        for arg in &launch.args {
            match *arg {
                Arg::Buffer(buffer, offset) => {
                    let buffer = buffer.of::<Memory>();
                    let known = buffers.iter().position(|known| std::ptr::eq(*known, buffer));
                    let number = known.unwrap_or_else(|| {
                        buffers.push(buffer);
                        buffers.len() - 1
                    });
                    parameters.extend([Space::Global.address(number), offset]);
                }
                Arg::Word(word) => parameters.push(word),
            }
        }
        if parameters.len() != kernel.parameters.len() {
            let message =
                format!("{} parameters are passed, expected {}", parameters.len(), kernel.parameters.len());
            return Err(failed(message));
        }
        let largest = kernel.largest_group.unwrap_or(self.limits.largest_group);
        if !(1..=largest).contains(&launch.group) || !(1..=i32::MAX as usize).contains(&launch.groups) {
            let message =
                format!("{} groups of {} items, expected at most {largest}", launch.groups, launch.group);
            return Err(failed(message));
        }
        let work = KernelLaunch {
            program: &program,
            kernel,
            groups: launch.groups,
            group: launch.group,
            parameters: &parameters,
            buffers: &buffers,
            clock: &self.clock,
            lenient: LENIENT.contains(&launch.kernel),
        };
        self.launched.lock().unwrap().insert((launch.program.name, launch.kernel));
        let mut machine = self.machines.lock().unwrap().pop().unwrap_or_default();
        let result = machine.launch(&work);
        self.machines.lock().unwrap().push(machine);
        result.map_err(|failure| {
            let machine::Failure { group, item, at, fault } = failure;
            failed(format!("item {item} of group {group}, {}: {fault}", program.statement(at)))
        })
    }

    /// Does work of a queue.
    fn timed(&self, queue: &mut Queue, work: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
        let now = || self.start.elapsed().as_nanos() as u64;
        let start = now();
        work()?;
        queue.of::<Done>().push(start..now());
        Ok(())
    }

    fn outside(&self, operation: &'static str, bytes: usize, at: usize, buffer: &Memory) -> Error {
        let message = format!("{bytes} bytes at {at} of a buffer of {} bytes", buffer.bytes());
        self.failed(operation, message)
    }
}

impl Device for Emulated {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn queue(&self) -> Result<Queue, Error> {
        Ok(Queue::new(Done::new()))
    }

    fn allocate(&self, bytes: usize) -> Result<Buffer, Error> {
        if bytes as u64 > MEMORY {
            return Err(Error::DeviceOutOfMemory { device: self.info.id.clone(), requested: bytes as u64 });
        }
        Ok(Buffer::new(Memory::new(bytes)))
    }

    fn lock(&self, _: usize) -> Result<Option<Locked>, Error> {
        Ok(None)
    }

    fn copies_directly(&self, _: &[u8]) -> bool {
        false
    }

    fn upload(&self, _: &mut Queue, data: &[u8], to: &Buffer, at: usize) -> Result<(), Error> {
        let to = to.of::<Memory>();
        match to.write(at, data) {
            true => Ok(()),
            false => Err(self.outside("copying to it", data.len(), at, to)),
        }
    }

    fn download(&self, _: &mut Queue, from: &Buffer, at: usize, data: &mut [u8]) -> Result<(), Error> {
        let from = from.of::<Memory>();
        match from.read(at, data) {
            true => Ok(()),
            false => Err(self.outside("copying from it", data.len(), at, from)),
        }
    }

    fn copy(
        &self,
        queue: &mut Queue,
        (from, from_at): (&Buffer, usize),
        (to, to_at): (&Buffer, usize),
        bytes: usize,
    ) -> Result<(), Error> {
        let (from, to) = (from.of::<Memory>(), to.of::<Memory>());
        self.timed(queue, || {
            let mut data = vec![0; bytes];
            if !from.read(from_at, &mut data) {
                return Err(self.outside("copying", bytes, from_at, from));
            }
            match to.write(to_at, &data) {
                true => Ok(()),
                false => Err(self.outside("copying", bytes, to_at, to)),
            }
        })
    }

    fn launch(&self, queue: &mut Queue, launches: &[Launch<&Buffer>]) -> Result<(), Error> {
        self.timed(queue, || launches.iter().try_for_each(|launch| self.execute(launch)))
    }

    fn replays(&self) -> Option<u64> {
        None
    }

    fn finish(&self, queue: &mut Queue) -> Result<Vec<Range<u64>>, Error> {
        Ok(std::mem::take(queue.of::<Done>()))
    }
}
