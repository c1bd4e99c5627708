//! Options of an engine, made and changed by calls, so that new ones need no new structure.

use std::ffi::{CStr, c_char};
use std::sync::{Arc, Mutex, PoisonError};

use accel::device::DeviceChoice;

use crate::arguments::Arguments;
use crate::handles::{Handles, Kind};
use crate::status::{Failure, ZKA_BAD_ARGUMENT, ZKA_NULL_POINTER, guard, zka_status};

/// Options of an engine: made by `zka_options_new`, changed by `zka_options_set_...`, freed by `zka_options_free`.
pub struct zka_options {
    _opaque: (),
}

/// A device that is missing is `ZKA_NO_DEVICE`. The default.
pub const ZKA_POLICY_REQUIRE: i32 = 0;
/// Where the device is missing or its driver is too old, the CPU takes its place; `zka_engine_device` tells.
pub const ZKA_POLICY_PREFER: i32 = 1;

/// What an engine is to be like.
#[derive(Clone, Copy, Default)]
pub(crate) struct Options {
    pub(crate) device: DeviceChoice,
    pub(crate) threads: Option<usize>,
    pub(crate) memory_budget: Option<u64>,
    pub(crate) prefer: bool,
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

/// Sets the device: "auto", "cpu", "reference", "cuda:N", "opencl:N", or "provider:PATH", a shared library with this interface. Whether it is there is seen by `zka_engine_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_options_set_device(
    options: *mut zka_options,
    device: *const c_char,
) -> zka_status {
    set(options, |options| {
        if device.is_null() {
            return Err(Failure::new(ZKA_NULL_POINTER, "the device's name is NULL"));
        }
        // SAFETY: the caller's promise: a text with an ending zero.
        let name = unsafe { CStr::from_ptr(device) };
        options.device = name.to_string_lossy().parse()?;
        Ok(())
    })
}

/// Sets the number of CPU threads; 0 is all that the system grants.
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

/// Sets what happens where the device is missing: `ZKA_POLICY_REQUIRE` or `ZKA_POLICY_PREFER`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_options_set_policy(options: *mut zka_options, policy: i32) -> zka_status {
    set(options, |options| {
        options.prefer = match policy {
            ZKA_POLICY_REQUIRE => false,
            ZKA_POLICY_PREFER => true,
            unknown => {
                return Err(Failure::new(ZKA_BAD_ARGUMENT, format!("policy {unknown}, expected 0 or 1")));
            }
        };
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
    guard(|| match options.is_null() {
        true => Ok(()),
        false => OPTIONS.remove(options).map(drop),
    })
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
