//! Faults in inverses: at once, in parts one after another, and in parts side by side.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Fault, Faulty, survive};
use crate::backend::gpu::Gpu;
use crate::backend::gpu::device::Device;
use crate::backend::reference::Reference;
use crate::backend::{Inversion, sound};
use crate::error::Error;
use crate::field::Goldilocks;

fn faults<D: Device>(device: Result<D, Error>) {
    // Where the device must be present, the conformance tests say that it is not.
    let Ok(device) = device else { return };
    let device = &Arc::new(device);
    let data: Vec<_> = (0..256).map(Goldilocks::new).collect();
    for fault in [(Fault::Memory, 1), (Fault::Memory, 2), (Fault::Anything, 1), (Fault::Anything, 2)] {
        survive(device, fault.0, fault.1, &data, |gpu, data| gpu.invert(data, &sound));
    }
    let mut expected = data.clone();
    Reference.invert(&mut expected, &sound).unwrap();
    for overlap_from in [u64::MAX, 0] {
        // Three parts, or eight of which three are under way.
        let failing = |calls| {
            let device = Faulty::new(device, (Fault::Anything, 1), calls);
            Gpu { overlap_from, ..Gpu::new(device, Some(2 * 8 * 100)) }
        };
        for calls in 0.. {
            let (gpu, mut found) = (failing(calls), data.clone());
            match gpu.invert(&mut found, &sound) {
                Ok(()) => assert!(found == expected),
                // The one error after which the data may be changed; its message says so.
                Err(Error::ResultLost { .. }) => {}
                Err(_) => assert!(found == data, "the data were changed after {calls} calls"),
            }
            if gpu.device.left.load(Ordering::Relaxed) > 0 {
                break;
            }
        }
        // Each part checks its own words; the error names the first bad word in all data.
        let refused = Error::NotCanonical { index: 200, value: 200 };
        let check = |words: &[Goldilocks]| match words.iter().position(|word| word.as_u64() == 200) {
            Some(index) => Err(Error::NotCanonical { index, value: 200 }),
            None => Ok(()),
        };
        let mut found = data.clone();
        assert_eq!(failing(i64::MAX).invert(&mut found, &check), Err(refused));
        assert!(found == data);
    }
}

#[cfg(feature = "opencl")]
#[test]
fn faults_of_opencl() {
    faults(crate::backend::gpu::opencl::OpenCl::required());
}

#[cfg(feature = "cuda")]
#[test]
fn faults_of_cuda() {
    faults(crate::backend::gpu::cuda::Cuda::open(0));
}
