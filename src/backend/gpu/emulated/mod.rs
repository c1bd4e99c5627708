//! Tests of functions of a device on an interpreter of the PTX that the crate carries ([`device`]). The conformance suite runs there in tests of the interpreter.

mod device;

use std::sync::Arc;

use super::device::{Arg, Buffer, Device, Launch, Limits, Queue};
use super::program::Program;
use super::ptx::text;
use super::{Gpu, faults, foreign, ntt, products};
use crate::device::{DeviceInfo, DeviceKind};
use crate::error::Error;
use crate::pinned::Locked;
use device::{Emulated, Launched};

/// What runs, and the kernels that run nowhere in the suite, which must be launched here: the interpreter's tests leave them to these.
fn on_the_interpreter(run: impl FnOnce(Arc<dyn Device>), kernels: &[(&str, &str)]) {
    let launched = Launched::default();
    run(Arc::new(Emulated::new(true).with_record(&launched)));
    let launched = launched.lock().unwrap();
    for kernel in kernels {
        assert!(launched.contains(kernel), "{kernel:?} was not launched, but {launched:?}");
    }
}

#[test]
fn passes_of_transforms() {
    on_the_interpreter(|device| ntt::tests::everything(Gpu::new(device, None)), &[]);
}

#[test]
fn elements_above_a_modulus() {
    on_the_interpreter(|device| foreign::tests::elements_above(Gpu::new(device, None)), &[]);
}

#[test]
fn devices_that_read_each_others_memory() {
    on_the_interpreter(faults::peers::answers, &[]);
}

#[test]
fn powers() {
    on_the_interpreter(|device| products::tests::powers(&Gpu::new(device, None)), &[]);
}
