//! Status codes, the text of the last error, and the guard that no panic passes.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

use accel::Error;
use zkaccel_cluster as cluster;
use zkaccel_groth16 as groth16;

/// What every function returns, except where it says otherwise: `ZKA_OK` or the number of an error.
pub type zka_status = i32;

/// Success.
pub const ZKA_OK: i32 = 0;
/// A pointer is null that must not be.
pub const ZKA_NULL_POINTER: i32 = 1;
/// A length is zero, too large, not a power of two where it must be, or does not fit another.
pub const ZKA_BAD_LENGTH: i32 = 2;
/// The binary logarithm of a size is larger than the field allows.
pub const ZKA_BAD_LOG_SIZE: i32 = 3;
/// A word or element is not below its modulus.
pub const ZKA_NOT_CANONICAL: i32 = 4;
/// A point is not on the curve.
pub const ZKA_NOT_ON_CURVE: i32 = 5;
/// A root of unity does not have the order of the transform.
pub const ZKA_BAD_ROOT: i32 = 6;
/// Any other argument is wrong: a flag, a name, an index, an unknown handle, a pointer that is not aligned.
pub const ZKA_BAD_ARGUMENT: i32 = 7;
/// Memory to write overlaps other memory of the call.
pub const ZKA_ALIASED: i32 = 8;
/// This library or this device does not offer the operation.
pub const ZKA_UNSUPPORTED: i32 = 9;
/// The device that was asked for is not present.
pub const ZKA_NO_DEVICE: i32 = 10;
/// The device has no memory left.
pub const ZKA_DEVICE_OUT_OF_MEMORY: i32 = 11;
/// The host has no memory left, or the operation needs more than the budget.
pub const ZKA_HOST_OUT_OF_MEMORY: i32 = 12;
/// The device failed at something it should be able to do, or its answer failed a check.
pub const ZKA_DEVICE_LOST: i32 = 13;
/// The device's driver is too old.
pub const ZKA_DRIVER_TOO_OLD: i32 = 14;
/// The future was waited for or detached before.
pub const ZKA_FUTURE_CONSUMED: i32 = 15;
/// The future was never given out.
pub const ZKA_FUTURE_UNKNOWN: i32 = 16;
/// The handle or future belongs to another engine.
pub const ZKA_WRONG_ENGINE: i32 = 17;
/// The header and the library are of different versions.
pub const ZKA_ABI_MISMATCH: i32 = 18;
/// The engine was shut down, or another thread is shutting it down.
pub const ZKA_SHUTTING_DOWN: i32 = 19;
/// A bug in the library; the text says which.
pub const ZKA_INTERNAL: i32 = 20;
/// A file or a text is not what it should be: a key, a witness, a proof.
pub const ZKA_MALFORMED: i32 = 21;
/// The system refuses: a file cannot be read, or there are no random numbers.
pub const ZKA_SYSTEM: i32 = 22;
/// The witness is of another circuit than the key, or does not satisfy the circuit; nothing was proved. Or an input of a lookup is not in its table.
pub const ZKA_BAD_WITNESS: i32 = 23;
/// The proof is well-formed and false.
pub const ZKA_NOT_VERIFIED: i32 = 24;

/// Another rank of a cluster has failed or was asked for something else, has gone or did not come in time; or there is no library of MPI.
pub const ZKA_CLUSTER: i32 = 25;

/// The names of the statuses, by number.
const NAMES: [&std::ffi::CStr; 26] = [
    c"OK",
    c"NULL_POINTER",
    c"BAD_LENGTH",
    c"BAD_LOG_SIZE",
    c"NOT_CANONICAL",
    c"NOT_ON_CURVE",
    c"BAD_ROOT",
    c"BAD_ARGUMENT",
    c"ALIASED",
    c"UNSUPPORTED",
    c"NO_DEVICE",
    c"DEVICE_OUT_OF_MEMORY",
    c"HOST_OUT_OF_MEMORY",
    c"DEVICE_LOST",
    c"DRIVER_TOO_OLD",
    c"FUTURE_CONSUMED",
    c"FUTURE_UNKNOWN",
    c"WRONG_ENGINE",
    c"ABI_MISMATCH",
    c"SHUTTING_DOWN",
    c"INTERNAL",
    c"MALFORMED",
    c"SYSTEM",
    c"BAD_WITNESS",
    c"NOT_VERIFIED",
    c"CLUSTER",
];

/// The name of a status, such as "BAD_LENGTH"; "unknown status" for any other number. The text is constant.
#[unsafe(no_mangle)]
pub extern "C" fn zka_status_name(status: i32) -> *const c_char {
    c_name_of(status).as_ptr()
}

fn c_name_of(status: i32) -> &'static std::ffi::CStr {
    let name = usize::try_from(status).ok().and_then(|index| NAMES.get(index));
    name.copied().unwrap_or(c"unknown status")
}

/// The name of a status.
pub(crate) fn name_of(status: i32) -> &'static str {
    c_name_of(status).to_str().expect("names are ASCII")
}

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Copies the text of this thread's last error into `buf`, with an ending zero, and cuts what does not fit into `cap` bytes.
///
/// The text is empty before the first error. It is replaced by the thread's next error, not by a success. `buf` may be null if `cap`
/// is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_last_error(buf: *mut c_char, cap: usize) -> zka_status {
    if cap == 0 {
        return ZKA_OK;
    }
    if buf.is_null() {
        return ZKA_NULL_POINTER;
    }
    LAST.with_borrow(|text| {
        let text = cut(text, cap - 1);
        let len = text.len();
        // SAFETY: the caller's promise: `buf` has `cap` bytes, and `len` is below that.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), buf.cast(), len);
            buf.add(len).write(0);
        }
    });
    ZKA_OK
}

/// The text of this thread's last error.
pub(crate) fn last_text() -> String {
    LAST.with_borrow(String::clone)
}

/// What of a text fits into `max` bytes, whole characters only.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    let len = (0..=max.min(text.len())).rev().find(|&len| text.is_char_boundary(len));
    &text[..len.unwrap_or(0)]
}

/// Why a call fails.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: zka_status,
    pub(crate) text: String,
}

impl Failure {
    pub(crate) fn new(status: zka_status, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }

    /// Keeps the text for `zka_last_error` and gives the status.
    pub(crate) fn record(self) -> zka_status {
        LAST.with_borrow_mut(|last| *last = self.text);
        self.status
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::NotCanonical { .. } | Error::NotReduced { .. } => ZKA_NOT_CANONICAL,
            Error::NotInTable { .. } => ZKA_BAD_WITNESS,
            Error::NotOnCurve { .. } | Error::NotInSubgroup { .. } => ZKA_NOT_ON_CURVE,
            Error::Unsupported { .. } => ZKA_UNSUPPORTED,
            Error::WrongEngine { .. } => ZKA_WRONG_ENGINE,
            Error::DomainTooLarge { .. } | Error::BadBlowup { .. } => ZKA_BAD_LOG_SIZE,
            Error::BadRoot { .. } => ZKA_BAD_ROOT,
            Error::BadShape { .. }
            | Error::LengthMismatch { .. }
            | Error::NotRowMajor { .. }
            | Error::NotPowerOfTwo { .. }
            | Error::SiblingCount { .. } => ZKA_BAD_LENGTH,
            Error::BadHex { .. }
            | Error::BadScalar { .. }
            | Error::UnknownName { .. }
            | Error::BadShift
            | Error::IndexOutOfRange { .. }
            | Error::DuplicateIndex { .. }
            | Error::UnsortedIndex { .. }
            | Error::NoIndices
            | Error::CapTooHigh { .. }
            | Error::BadEncoding { .. }
            | Error::BadProgram { .. }
            | Error::OtherOrder { .. }
            | Error::BadDevices { .. }
            | Error::PolicyContradicted { .. }
            | Error::BadThreadCount { .. } => ZKA_BAD_ARGUMENT,
            Error::DeviceMissing { .. } | Error::PolicyUnmet { .. } => ZKA_NO_DEVICE,
            Error::DriverTooOld { .. } => ZKA_DRIVER_TOO_OLD,
            Error::DeviceOutOfMemory { .. } | Error::OverDeviceBudget { .. } => ZKA_DEVICE_OUT_OF_MEMORY,
            Error::DeviceFailed { .. } | Error::ResultLost { .. } | Error::CheckFailed { .. } => {
                ZKA_DEVICE_LOST
            }
            Error::HostOutOfMemory { .. } | Error::OverBudget { .. } => ZKA_HOST_OUT_OF_MEMORY,
            Error::JobConsumed => ZKA_FUTURE_CONSUMED,
            // `NotVerified` is an answer, which `zka_merkle_verify` gives by its output; `JobPanicked` is a bug.
            _ => ZKA_INTERNAL,
        };
        Self::new(status, error.to_string())
    }
}

impl From<groth16::Error> for Failure {
    fn from(error: groth16::Error) -> Self {
        let status = match error {
            groth16::Error::Engine(error) => return error.into(),
            groth16::Error::Malformed { .. } | groth16::Error::BadKey { .. } => ZKA_MALFORMED,
            groth16::Error::Io { .. } | groth16::Error::NoRandomness { .. } => ZKA_SYSTEM,
            groth16::Error::OtherCircuit { .. } | groth16::Error::Unsatisfied { .. } => ZKA_BAD_WITNESS,
            groth16::Error::PublicSignals { .. } => ZKA_BAD_LENGTH,
            groth16::Error::NotVerified => ZKA_NOT_VERIFIED,
            // `Cancelled` is of futures of Rust, which no function here drops.
            _ => ZKA_INTERNAL,
        };
        Self::new(status, error.to_string())
    }
}

impl From<cluster::Error> for Failure {
    fn from(error: cluster::Error) -> Self {
        let status = match error {
            cluster::Error::Engine(error) => return error.into(),
            cluster::Error::BadPart { .. } | cluster::Error::TooManyRanks { .. } => ZKA_BAD_LENGTH,
            _ => ZKA_CLUSTER,
        };
        Self::new(status, error.to_string())
    }
}

/// Runs the body of an entry: its failure becomes a status with a text, and so does a panic.
pub(crate) fn guard(body: impl FnOnce() -> Result<(), Failure>) -> zka_status {
    // What the body leaves behind when it panics is behind locks that are taken whether poisoned or not.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => ZKA_OK,
        Ok(Err(failure)) => failure.record(),
        Err(panic) => {
            Failure::new(ZKA_INTERNAL, format!("zkaccel panicked: {}", text_of(panic.as_ref()))).record()
        }
    }
}

/// What a panic said.
fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or(panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
