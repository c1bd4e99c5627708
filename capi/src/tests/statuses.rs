//! Every error has its status, every status its name, and a panic is one of them.

use std::ffi::{CStr, c_char};

use accel::Error;
use accel::ntt::Order;
use accel::policy::Policy;
use zkaccel_groth16 as groth16;

use crate::status::*;

fn last_error() -> String {
    let mut text = [1 as c_char; 256];
    // SAFETY: an array of this length.
    unsafe {
        assert_eq!(zka_last_error(text.as_mut_ptr(), text.len()), ZKA_OK);
        CStr::from_ptr(text.as_ptr()).to_str().unwrap().to_owned()
    }
}

#[test]
fn a_panic_is_an_internal_error() {
    assert_eq!(guard(|| panic!("the {} is on fire", "lamp")), ZKA_INTERNAL);
    assert_eq!(last_error(), "zkaccel panicked: the lamp is on fire");
    assert_eq!(guard(|| panic!("plain")), ZKA_INTERNAL);
    assert_eq!(last_error(), "zkaccel panicked: plain");
    assert_eq!(guard(|| std::panic::panic_any(5)), ZKA_INTERNAL);
    assert_eq!(last_error(), "zkaccel panicked: no message");
    // The text stays until the next error, and is of this thread.
    assert_eq!(guard(|| Ok(())), ZKA_OK);
    assert_eq!(last_error(), "zkaccel panicked: no message");
    assert_eq!(std::thread::spawn(last_error).join().unwrap(), "");
}

#[test]
fn texts_are_cut_between_characters() {
    assert_eq!(cut("aé", 0), "");
    assert_eq!(cut("aé", 1), "a");
    assert_eq!(cut("aé", 2), "a");
    assert_eq!(cut("aé", 3), "aé");
    assert_eq!(cut("aé", 99), "aé");
}

#[test]
fn errors_have_their_statuses() {
    let (device, reason) = (String::from("cuda:0"), String::from("?"));
    let errors = [
        (Error::NotCanonical { index: 1, value: 2 }, ZKA_NOT_CANONICAL),
        (
            Error::NotReduced { what: "scalar", index: 1, value: "2".into(), modulus: "1".into() },
            ZKA_NOT_CANONICAL,
        ),
        (Error::NotOnCurve { index: 1 }, ZKA_NOT_ON_CURVE),
        (Error::Unsupported { operation: "msm", device: device.clone() }, ZKA_UNSUPPORTED),
        (
            Error::WrongEngine { what: "set of bases", expected: device.clone(), found: "cpu".into() },
            ZKA_WRONG_ENGINE,
        ),
        (Error::BadHex { found: "x".into() }, ZKA_BAD_ARGUMENT),
        (Error::BadScalar { found: "x".into() }, ZKA_BAD_ARGUMENT),
        (Error::DomainTooLarge { log_size: 40, limit: 32 }, ZKA_BAD_LOG_SIZE),
        (Error::BadRoot { root: "3".into(), log_size: 2 }, ZKA_BAD_ROOT),
        (Error::BadShift, ZKA_BAD_ARGUMENT),
        (Error::BadBlowup { found: 3 }, ZKA_BAD_LOG_SIZE),
        (Error::BadShape { rows: 1, columns: 0, entries: 0 }, ZKA_BAD_LENGTH),
        (Error::LengthMismatch { what: "rows", expected: 1, found: 2 }, ZKA_BAD_LENGTH),
        (Error::NotRowMajor { columns: 2 }, ZKA_BAD_LENGTH),
        (Error::NotPowerOfTwo { what: "leaves", found: 3 }, ZKA_BAD_LENGTH),
        (Error::NotInTable { lookup: 1, row: 2 }, ZKA_BAD_WITNESS),
        (Error::BadProgram { found: "no outputs".into() }, ZKA_BAD_ARGUMENT),
        (Error::OtherOrder { expected: Order::Natural, found: Order::BitReversed }, ZKA_BAD_ARGUMENT),
        (Error::IndexOutOfRange { index: 3, len: 2 }, ZKA_BAD_ARGUMENT),
        (Error::SiblingCount { expected: 1, found: 2 }, ZKA_BAD_LENGTH),
        (Error::DeviceMissing { device: device.clone(), reason, available: "cpu".into() }, ZKA_NO_DEVICE),
        (Error::BadDevices { devices: "cpu,cpu".into(), reason: "?".into() }, ZKA_BAD_ARGUMENT),
        (
            Error::PolicyUnmet { policy: Policy::RequireGpu, reason: "?".into(), available: "cpu".into() },
            ZKA_NO_DEVICE,
        ),
        (
            Error::PolicyContradicted {
                policy: Policy::RequireGpu,
                device: "cpu".into(),
                kind: "CPU".into(),
            },
            ZKA_BAD_ARGUMENT,
        ),
        (Error::OverDeviceBudget { required: 2, budget: 1 }, ZKA_DEVICE_OUT_OF_MEMORY),
        (Error::ResultLost { device: device.clone(), message: "?".into() }, ZKA_DEVICE_LOST),
        (Error::DriverTooOld { device: device.clone(), found: "1".into(), needed: "2" }, ZKA_DRIVER_TOO_OLD),
        (Error::DeviceOutOfMemory { device: device.clone(), requested: 1 }, ZKA_DEVICE_OUT_OF_MEMORY),
        (Error::DeviceFailed { device, operation: "launch", message: "?".into() }, ZKA_DEVICE_LOST),
        (Error::BadThreadCount { threads: 0, reason: "?".into() }, ZKA_BAD_ARGUMENT),
        (Error::HostOutOfMemory { bytes: 1 }, ZKA_HOST_OUT_OF_MEMORY),
        (Error::OverBudget { required: 2, budget: 1 }, ZKA_HOST_OUT_OF_MEMORY),
        (Error::JobConsumed, ZKA_FUTURE_CONSUMED),
        (Error::JobPanicked { message: "?".into() }, ZKA_INTERNAL),
    ];
    for (error, status) in errors {
        let text = error.to_string();
        assert_eq!(Failure::from(error).record(), status, "{text}");
        assert_eq!(last_error(), text);
    }
}

#[test]
fn errors_of_proofs_have_their_statuses() {
    let text = || String::from("?");
    let errors = [
        (groth16::Error::Malformed { place: text(), found: text(), expected: text() }, ZKA_MALFORMED),
        (groth16::Error::BadKey { what: "points", found: 1, expected: 2 }, ZKA_MALFORMED),
        (groth16::Error::Io { message: text() }, ZKA_SYSTEM),
        (groth16::Error::NoRandomness { message: text() }, ZKA_SYSTEM),
        (groth16::Error::OtherCircuit { what: "signals", found: text(), expected: text() }, ZKA_BAD_WITNESS),
        (groth16::Error::Unsatisfied { devices: text() }, ZKA_BAD_WITNESS),
        (groth16::Error::PublicSignals { found: 1, expected: 2 }, ZKA_BAD_LENGTH),
        (groth16::Error::NotVerified, ZKA_NOT_VERIFIED),
        (groth16::Error::Cancelled, ZKA_INTERNAL),
        (groth16::Error::Engine(Error::BadShift), ZKA_BAD_ARGUMENT),
    ];
    for (error, status) in errors {
        let text = error.to_string();
        assert_eq!(Failure::from(error).record(), status, "{text}");
        assert_eq!(last_error(), text);
    }
}
