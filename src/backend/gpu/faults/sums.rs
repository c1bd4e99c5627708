//! Faults in sums over BN254, and in transforms of points, which are made of these: whatever fails at any moment, a result is right or an error, and right the next time.

use std::sync::Arc;

use super::{failing, survive};
use crate::backend::gpu::{Device, Gpu};
use crate::backend::reference::Reference;
use crate::backend::{BasesView, KeepScalars, Msm, PointTransforms, ScalarsView};
use crate::bn254::{Fr, G1, G1Affine};
use crate::curve::samples::{multiples, sum};
use crate::error::Error;
use crate::faults::Fault;
use crate::meter::Meter;
use crate::ntt::{Domain, Ntt};

/// Two rows of sums over bases that are kept with tables, or not at all.
fn operation(gpu: &Gpu, scalars: &[Fr], points: &[G1Affine], keep: bool) -> Result<Vec<G1>, Error> {
    let mut sums = vec![G1::default(); 2];
    let kept = match keep {
        true => (gpu.keep_bases(points, u64::MAX)?, gpu.keep_scalars(scalars)?),
        false => (None, None),
    };
    let bases = BasesView { points, kept: kept.0.as_ref(), first: 0 };
    gpu.msm(ScalarsView { scalars, kept: kept.1.as_ref() }, bases, &mut sums, &Meter::silent())?;
    Ok(sums)
}

/// Factors of the generator.
fn factors(n: u64) -> Vec<Fr> {
    (1..=n).map(|i| Fr::from(i * i)).collect()
}

fn faults(device: Arc<dyn Device>) {
    let factors = factors(40);
    let points = multiples::<G1Affine>(&factors);
    let scalars: Vec<_> = (0..80).map(|i: u64| Fr::from(i) * Fr::from(i + 7) - Fr::from(1000)).collect();
    let expected: Vec<_> = scalars.chunks(40).map(|row| sum::<G1Affine>(row, &factors)).collect();
    for fault in [(Fault::Memory, 1), (Fault::Memory, 2), (Fault::Memory, u32::MAX), (Fault::Anything, 1)] {
        let failing_after = |calls| failing(&device, fault, calls, None);
        for keep in [false, true] {
            survive(failing_after, "sums", &[G1::default(); 2], &expected, |gpu, sums| {
                sums.copy_from_slice(&operation(gpu, &scalars, &points, keep)?);
                Ok(())
            });
        }
        for overlapping in [false, true] {
            survive(failing_after, "a sum in parts", &[G1::default()], &expected[..1], |gpu, sums| {
                let bases = BasesView { points: &points, kept: None, first: 0 };
                sums[0] = gpu.msm_in_parts(&scalars[..40], bases, &[5, 20, 40], overlapping)?;
                Ok(())
            });
        }
    }
}

fn points(device: Arc<dyn Device>) {
    let before = multiples::<G1Affine>(&factors(8));
    let ntt = Ntt::inverse(Domain::<Fr>::halo2(2).unwrap());
    let mut expected = before.clone();
    Reference.transform_points(&ntt, &mut expected).unwrap();
    for fault in [(Fault::Memory, 1), (Fault::Anything, 1)] {
        let failing_after = |calls| failing(&device, fault, calls, None);
        survive(failing_after, "transforms of points", &before, &expected, |gpu, points| {
            gpu.transform_points(&ntt, points)
        });
    }
}

/// Memory is refused to the whole sum and to the sum in one part, and granted to two parts.
fn patience(device: Arc<dyn Device>) {
    let factors = factors(1100);
    let points = multiples::<G1Affine>(&factors);
    let scalars: Vec<_> = (0..1100).map(|i: u64| Fr::from(((i * i) >> 3) & 1)).collect();
    let expected = sum::<G1Affine>(&scalars, &factors);
    let failing_after = |calls| failing(&device, (Fault::Memory, 4), calls, None);
    survive(failing_after, "a patient sum", &[G1::default()], &[expected], |gpu, sums| {
        let bases = BasesView { points: &points, kept: None, first: 0 };
        gpu.msm(ScalarsView { scalars: &scalars, kept: None }, bases, sums, &Meter::silent()).unwrap();
        Ok(())
    });
}

on_the_first_devices! {
    every_moment: faults,
    every_moment_of_points: points,
    refused_memory: patience,
}
