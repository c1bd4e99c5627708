//! Options of an engine, made and changed by calls, so that new ones need no new structure.

use std::ffi::c_char;
use std::sync::{Arc, Mutex, PoisonError};

use accel::device::DeviceChoice;
use accel::policy::Policy;

use crate::arguments::{Arguments, text};
use crate::handles::{Handles, Kind};
use crate::status::{Failure, ZKA_BAD_ARGUMENT, guard, zka_status};

/// Options of an engine: made by `zka_options_new`, changed by `zka_options_set_...`, freed by `zka_options_free`.
pub struct zka_options {
    _opaque: (),
}

/// Any device: the one asked for, or what "auto" chooses for each operation. One that is missing is `ZKA_NO_DEVICE`. The default.
pub const ZKA_POLICY_ANY: i32 = 0;
/// GPUs and nothing else; "auto" takes the first, for everything. `ZKA_NO_DEVICE` where there is none.
pub const ZKA_POLICY_REQUIRE_GPU: i32 = 1;
/// GPUs; where the one asked for is missing or its driver is too old, the CPU takes its place, and with "auto" the CPU does what
/// the GPU does not offer. `zka_engine_device` tells.
pub const ZKA_POLICY_PREFER_GPU: i32 = 2;
/// Processors and nothing else.
pub const ZKA_POLICY_REQUIRE_CPU: i32 = 3;
/// Processors; where the one asked for is missing, the CPU takes its place.
pub const ZKA_POLICY_PREFER_CPU: i32 = 4;

/// The policies by their numbers.
const POLICIES: [(i32, Policy); 5] = [
    (ZKA_POLICY_ANY, Policy::Any),
    (ZKA_POLICY_REQUIRE_GPU, Policy::RequireGpu),
    (ZKA_POLICY_PREFER_GPU, Policy::PreferGpu),
    (ZKA_POLICY_REQUIRE_CPU, Policy::RequireCpu),
    (ZKA_POLICY_PREFER_CPU, Policy::PreferCpu),
];

/// What an engine is to be like.
#[derive(Clone, Copy, Default)]
pub(crate) struct Options {
    pub(crate) device: DeviceChoice,
    pub(crate) threads: Option<usize>,
    pub(crate) memory_budget: Option<u64>,
    pub(crate) device_memory: Option<u64>,
    pub(crate) policy: Policy,
    pub(crate) check: bool,
}

static OPTIONS: Handles<Mutex<Options>> = Handles::new(Kind::Options);

/// Makes options: the best device present, all threads, the machine's memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_options_new(out: *mut *mut zka_options) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let out = unsafe { Arguments::new() }.output("out", out, 1)?;
        out.write(&[OPTIONS.insert(Arc::default())]);
        Ok(())
    })
}

/// Sets the device: "auto", "cpu", "reference", "cuda:N", "opencl:N", or "provider:PATH", a shared library with this interface. Several with
/// commas between, or "cuda" or "opencl" for all of that kind, share the work. Whether they are there is seen by `zka_engine_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_options_set_device(
    options: *mut zka_options,
    device: *const c_char,
) -> zka_status {
    set(options, |options| {
        // SAFETY: the caller's promise: a text with an ending zero.
        let name = unsafe { text("device", device) }?;
        options.device = name.to_string_lossy().parse()?;
        Ok(())
    })
}

/// Sets the number of CPU threads; 0 is `RAYON_NUM_THREADS` if that is set, else all that the system grants.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_options_set_threads(options: *mut zka_options, threads: u32) -> zka_status {
    set(options, |options| {
        options.threads = (threads > 0).then_some(threads as usize);
        Ok(())
    })
}

/// Sets the most bytes of host memory that one operation may allocate; 0 is the machine's memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_options_set_memory_budget(options: *mut zka_options, bytes: u64) -> zka_status {
    set(options, |options| {
        options.memory_budget = (bytes > 0).then_some(bytes);
        Ok(())
    })
}

/// Sets the most bytes of its own memory that a device, each of several, may spend on one operation; 0 is half of what it has. Operations
/// on host memory that need more are done in parts; data that are to stay on the device are refused then:
/// `ZKA_DEVICE_OUT_OF_MEMORY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_options_set_device_memory(options: *mut zka_options, bytes: u64) -> zka_status {
    set(options, |options| {
        options.device_memory = (bytes > 0).then_some(bytes);
        Ok(())
    })
}

/// Sets which kind of device does the work, one of `ZKA_POLICY_...`. A device asked for by name that is of another kind is
/// `ZKA_BAD_ARGUMENT` of `zka_engine_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_options_set_policy(options: *mut zka_options, policy: i32) -> zka_status {
    set(options, |options| {
        let found = POLICIES.iter().find(|(number, _)| *number == policy);
        let (_, policy) = found.ok_or_else(|| {
            Failure::new(ZKA_BAD_ARGUMENT, format!("policy {policy}, expected one of 0 to 4"))
        })?;
        options.policy = *policy;
        Ok(())
    })
}

/// Sets whether every answer of the device is put to a cheap random test before it is believed, 1 or 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_options_set_check(options: *mut zka_options, check: i32) -> zka_status {
    set(options, |options| {
        options.check = match check {
            0 => false,
            1 => true,
            other => return Err(Failure::new(ZKA_BAD_ARGUMENT, format!("check {other}, expected 0 or 1"))),
        };
        Ok(())
    })
}

/// Frees options; NULL is nothing to free. Engines made with them are not concerned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_options_free(options: *mut zka_options) -> zka_status {
    guard(|| OPTIONS.free(options))
}

fn set(options: *mut zka_options, change: impl FnOnce(&mut Options) -> Result<(), Failure>) -> zka_status {
    guard(|| {
        let options = OPTIONS.get(options)?;
        change(&mut options.lock().unwrap_or_else(PoisonError::into_inner))
    })
}

/// The options behind a handle; null stands for the defaults.
pub(crate) fn options_of(options: *const zka_options) -> Result<Options, Failure> {
    if options.is_null() {
        return Ok(Options::default());
    }
    Ok(*OPTIONS.get(options)?.lock().unwrap_or_else(PoisonError::into_inner))
}
