//! Tests of functions of a device on an interpreter of the PTX that the crate carries ([`device`]). The conformance suite runs there in tests of the interpreter.

mod device;

use std::sync::Arc;

use super::device::{Arg, Buffer, Device, Launch, Limits, Queue};
use super::program::Program;
use super::ptx::text as ptx_text;
use super::{Gpu, faults, foreign, ntt, products};
use crate::device::{DeviceInfo, DeviceKind};
use crate::error::Error;
use crate::pinned::Locked;
use device::{Emulated, Launched};

/// Runs something on the interpreter, which has to launch these kernels. The suite does not launch them all: its tests there (`tools/ptx-machine/tests/kernels`) leave them to these.
fn on_the_interpreter(
    run: impl FnOnce(Arc<dyn Device>),
    kernels: impl IntoIterator<Item = (&'static str, &'static str)>,
) {
    let launched = Launched::default();
    run(Arc::new(Emulated::new(true).with_record(&launched)));
    let launched = launched.lock().unwrap();
    let missing: Vec<_> = kernels.into_iter().filter(|kernel| !launched.contains(kernel)).collect();
    assert!(missing.is_empty(), "not launched: {missing:?}");
}

/// All passes of all forms and tiles.
#[test]
fn passes_of_transforms() {
    let passes = ntt::programs::all().map(|program| (program.name, "ntt_pass"));
    on_the_interpreter(|device| ntt::tests::everything(Gpu::new(device, None)), passes);
}

#[test]
fn elements_above_a_modulus() {
    on_the_interpreter(
        |device| foreign::tests::elements_above(Gpu::new(device, None)),
        [("check", "check_below")],
    );
}

#[test]
fn devices_that_read_each_others_memory() {
    let kernels = ["interleave_rows", "put_columns", "take_columns"].map(|kernel| ("gather", kernel));
    on_the_interpreter(faults::peers::answers, kernels);
}

#[test]
fn powers() {
    let programs = products::PROGRAMS.iter().map(|program| (program.name, "powers"));
    on_the_interpreter(|device| products::tests::powers(&Gpu::new(device, None)), programs);
}
