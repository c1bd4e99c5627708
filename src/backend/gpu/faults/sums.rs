//! Faults in sums over BN254: whatever fails at any moment, a sum is right or an error, and right the next time.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Fault, Faulty};
use crate::backend::gpu::{Device, Gpu};
use crate::backend::{BasesView, KeepScalars, Msm, ScalarsView};
use crate::bn254::{Fr, G1, G1Affine, affine};
use crate::error::Error;

/// Two rows of sums over bases that are kept with tables, or not at all.
fn operation<D: Device>(
    gpu: &Gpu<D>,
    scalars: &[Fr],
    points: &[G1Affine],
    keep: bool,
) -> Result<Vec<G1>, Error> {
    let mut sums = vec![G1::default(); 2];
    let kept = match keep {
        true => (gpu.keep_bases(points, u64::MAX)?, gpu.keep_scalars(scalars)?),
        false => (None, None),
    };
    let bases = BasesView { points, kept: kept.0.as_ref(), first: 0 };
    gpu.msm(ScalarsView { scalars, kept: kept.1.as_ref() }, bases, &mut sums)?;
    Ok(sums)
}

/// Factors of the generator, and the bases that they make.
fn bases(n: u64) -> (Vec<Fr>, Vec<G1Affine>) {
    let factors: Vec<_> = (1..=n).map(|i| Fr::from(i * i)).collect();
    let points = affine(&factors.iter().map(|factor| G1::generator() * factor).collect::<Vec<_>>());
    (factors, points)
}

/// Runs the operation with a fault after more and more successful calls, until it meets none; `patient` operations must succeed
/// all the same.
fn survive<D: Device>(
    device: &Arc<D>,
    fault: (Fault, i64),
    patient: bool,
    expected: &[G1],
    operation: impl Fn(&Gpu<Faulty<D>>) -> Result<Vec<G1>, Error>,
) {
    for calls in 0.. {
        let gpu = Gpu::new(Faulty::new(device, fault, calls), None);
        match operation(&gpu) {
            Ok(sums) => assert_eq!(sums, expected, "{fault:?} after {calls} calls"),
            Err(error) if patient => panic!("{fault:?} after {calls} calls: {error}"),
            Err(Error::DeviceOutOfMemory { requested, .. }) => assert!(requested > 0),
            Err(Error::DeviceFailed { .. }) => assert_eq!(fault.0, Fault::Anything),
            Err(error) => panic!("{fault:?} after {calls} calls: {error}"),
        }
        let unspent = gpu.device.left.swap(i64::MAX, Ordering::Relaxed) >= 0;
        assert!(!unspent || calls > 0, "a fault that no call meets");
        assert_eq!(operation(&gpu).unwrap(), expected);
        if unspent {
            break;
        }
    }
}

fn faults<D: Device>(device: Result<D, Error>) {
    // Where the device must be present, the conformance tests say that it is not.
    let Ok(device) = device else { return };
    let device = &Arc::new(device);
    let (factors, points) = bases(40);
    let scalars: Vec<_> = (0..80).map(|i: u64| Fr::from(i) * Fr::from(i + 7) - Fr::from(1000)).collect();
    let row = |row: &[Fr]| G1::generator() * row.iter().zip(&factors).map(|(a, b)| a * b).sum::<Fr>();
    let expected: Vec<_> = scalars.chunks(40).map(row).collect();
    for fault in [(Fault::Memory, 1), (Fault::Memory, 2), (Fault::Memory, i64::MAX), (Fault::Anything, 1)] {
        for keep in [false, true] {
            survive(device, fault, false, &expected, |gpu| operation(gpu, &scalars, &points, keep));
        }
        for overlapping in [false, true] {
            survive(device, fault, false, &expected[..1], |gpu| {
                let bases = BasesView { points: &points, kept: None, first: 0 };
                gpu.msm_in_parts(&scalars[..40], bases, &[5, 20, 40], overlapping).map(|sum| vec![sum])
            });
        }
    }
}

/// Memory is refused to the whole sum and to the sum in one part, and granted to two parts.
fn patience<D: Device>(device: Result<D, Error>) {
    let Ok(device) = device else { return };
    let (factors, points) = bases(1100);
    let scalars: Vec<_> = (0..1100).map(|i: u64| Fr::from(((i * i) >> 3) & 1)).collect();
    let expected = G1::generator() * scalars.iter().zip(&factors).map(|(a, b)| a * b).sum::<Fr>();
    survive(&Arc::new(device), (Fault::Memory, 4), true, &[expected], |gpu| {
        let mut sums = vec![G1::default()];
        let bases = BasesView { points: &points, kept: None, first: 0 };
        gpu.msm(ScalarsView { scalars: &scalars, kept: None }, bases, &mut sums)?;
        Ok(sums)
    });
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

#[cfg(feature = "opencl")]
#[test]
fn patience_on_opencl() {
    patience(crate::backend::gpu::opencl::OpenCl::required());
}

#[cfg(feature = "cuda")]
#[test]
fn patience_on_cuda() {
    patience(crate::backend::gpu::cuda::Cuda::open(0));
}
