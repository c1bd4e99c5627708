//! Which device of an engine did what, and why.

use std::ffi::c_char;

use accel::choice::Choice;
use accel::work::{DeviceWork, OperationWork};

use crate::arguments::Arguments;
use crate::engine::{find, text, zka_engine};
use crate::status::{Failure, guard, zka_status};

/// What a device has done of one kind of operation. Texts end with a zero and are cut where they are longer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct zka_work {
    /// The device, such as "cuda:0".
    pub device: [c_char; 64],
    /// The kind of operation, such as "ntt"; empty in the one line of a device that has done nothing.
    pub operation: [c_char; 32],
    /// What `items` counts, such as "words".
    pub unit: [c_char; 32],
    /// How often it was done.
    pub calls: u64,
    /// How often it ended with an error instead; such calls have no share in what follows.
    pub failures: u64,
    /// Its size, all calls together.
    pub items: u64,
    /// Bytes that came to the device.
    pub bytes_in: u64,
    /// Bytes that went back.
    pub bytes_out: u64,
    /// Time from the beginning to the end of the calls, each for itself.
    pub nanoseconds: u64,
    /// Operations of any kind that are under way on the device now.
    pub under_way: u64,
    /// Zero.
    pub reserved: [u64; 3],
}

const _: () = assert!(size_of::<zka_work>() == 64 + 32 + 32 + 10 * 8);

/// What the device "auto" chose last for a kind of operation, and what it expected.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct zka_choice {
    /// The kind of operation.
    pub operation: [c_char; 32],
    /// What `amount` counts.
    pub unit: [c_char; 32],
    /// The device that was chosen.
    pub chosen: [c_char; 64],
    /// The other one.
    pub other: [c_char; 64],
    /// The size of the operation.
    pub amount: u64,
    /// The time until the device that was chosen is expected to have finished, with what it was given before.
    pub chosen_nanoseconds: u64,
    /// The same time of the other one.
    pub other_nanoseconds: u64,
    /// How many operations the CPU did so far, of any kind.
    pub on_cpu: u64,
    /// How many the other device did.
    pub on_device: u64,
    /// Zero.
    pub reserved: [u64; 10],
}

const _: () = assert!(size_of::<zka_choice>() == 32 + 32 + 64 + 64 + 15 * 8);

/// Tells what each device of an engine has done: a line for each device and kind of operation. `found` is the number of lines that there
/// are, of which the first `len` are written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_engine_work(
    engine: *const zka_engine,
    out: *mut zka_work,
    found: *mut usize,
    len: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        list(out, found, len, || {
            let devices = find(engine)?.engine.work();
            Ok(devices.iter().flat_map(lines).collect())
        })
    }
}

/// Tells what the device "auto" chose: a line for each kind of operation that both of its devices offer. `found` is the number of
/// lines that there are, 0 where there was no choice; the first `len` of them are written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_engine_choices(
    engine: *const zka_engine,
    out: *mut zka_choice,
    found: *mut usize,
    len: usize,
) -> zka_status {
    // SAFETY: the caller's promise.
    unsafe {
        list(out, found, len, || {
            let choices = find(engine)?.engine.choices().unwrap_or_default();
            let (on_cpu, on_device) = (choices.on_cpu, choices.on_device);
            Ok(choices.last.iter().map(|choice| zka_choice { on_cpu, on_device, ..told(choice) }).collect())
        })
    }
}

/// Writes as much of a list as there is room for.
///
/// # Safety
/// The pointers are null or valid, `out` for `len` entries.
unsafe fn list<T: Copy>(
    out: *mut T,
    found: *mut usize,
    len: usize,
    lines: impl FnOnce() -> Result<Vec<T>, Failure>,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's.
        let mut arguments = unsafe { Arguments::new() };
        let mut out = arguments.in_out("out", out, len)?;
        let found = arguments.output("found", found, 1)?;
        arguments.check_aliases()?;
        let lines = lines()?;
        out.write_first(&lines);
        found.write(&[lines.len()]);
        Ok(())
    })
}

/// The lines of a device.
fn lines(work: &DeviceWork) -> Vec<zka_work> {
    let device = zka_work {
        device: text(&work.device),
        operation: [0; 32],
        unit: [0; 32],
        calls: 0,
        failures: 0,
        items: 0,
        bytes_in: 0,
        bytes_out: 0,
        nanoseconds: 0,
        under_way: work.under_way,
        reserved: [0; 3],
    };
    let line = |line: &OperationWork| zka_work {
        operation: text(line.operation),
        unit: text(line.unit),
        calls: line.calls,
        failures: line.failures,
        items: line.items,
        bytes_in: line.bytes_in,
        bytes_out: line.bytes_out,
        nanoseconds: line.time.as_nanos() as u64,
        ..device
    };
    match work.operations.is_empty() {
        true => vec![device],
        false => work.operations.iter().map(line).collect(),
    }
}

fn told(choice: &Choice) -> zka_choice {
    zka_choice {
        operation: text(choice.operation),
        unit: text(choice.unit),
        chosen: text(&choice.chosen.0),
        other: text(&choice.other.0),
        amount: choice.amount,
        chosen_nanoseconds: choice.chosen.1.as_nanos() as u64,
        other_nanoseconds: choice.other.1.as_nanos() as u64,
        on_cpu: 0,
        on_device: 0,
        reserved: [0; 10],
    }
}
