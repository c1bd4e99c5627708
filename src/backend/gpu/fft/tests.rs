//! Passes on OpenCL against the reference: plans of one to four passes, every order and direction, shifts, padding.

use halo2curves::ff::{Field, WithSmallOrderMulGroup};

use super::super::ntt::Choice;
use super::super::transforms::on_poison;
use super::super::{Gpu, first_opencl};
use super::Transform;
use crate::backend::reference::Reference;
use crate::backend::{BaseField, Extent, KeepScalars, Resident, ResidentTransforms, Transforms};
use crate::bn254::Fr;
use crate::error::Error;
use crate::field::prime::limbs;
use crate::ntt::{Domain, Ntt, Order};

const ORDERS: [Order; 2] = [Order::Natural, Order::BitReversed];

/// Reproducible scalars; one in four near zero or the modulus.
fn scalars(len: usize) -> Vec<Fr> {
    let mut state = Fr::from(3);
    let next = |number: usize| {
        state = state.square() + Fr::ONE;
        match number % 8 {
            0 => -Fr::from(number as u64 / 8 % 3),
            4 => Fr::from(number as u64 / 8 % 3),
            _ => state,
        }
    };
    (0..len).map(next).collect()
}

/// Limbs, so that one that is not canonical fails too.
fn same(found: &[Fr], expected: &[Fr]) -> bool {
    limbs(found) == limbs(expected)
}

/// Every direction and pair of orders, with a plan and shifts.
fn sweep(gpu: &Gpu, log_size: u32, count: usize) {
    let values = scalars(count << log_size);
    let subgroups = [Domain::halo2(log_size).unwrap(), Domain::arkworks(log_size).unwrap()];
    for (number, shift) in [Fr::ONE, Fr::ZETA, Fr::from(7)].into_iter().enumerate() {
        let domain = subgroups[number % 2].coset(shift).unwrap();
        for (from, to) in ORDERS.into_iter().flat_map(|from| ORDERS.map(|to| (from, to))) {
            for ntt in [Ntt::forward(domain), Ntt::inverse(domain)] {
                let ntt = ntt.with_orders(from, to);
                let mut expected = values.clone();
                Reference.ntt(&ntt, &mut expected, 1).unwrap();
                for spent in [false, true] {
                    let found = on_poison(gpu, Transform::new(&ntt), 1, &values, spent);
                    assert!(same(&found, &expected), "{ntt:?}, {count} polynomials, {:?}", gpu.choice);
                }
            }
        }
    }
}

#[test]
fn plans_of_one_to_four_passes() {
    let Some(mut gpu) = first_opencl() else { return };
    let plans: [&'static [u32]; 12] = [
        &[0],
        &[1],
        &[2],
        &[3],
        &[2, 2],
        &[5],
        &[3, 2],
        &[2, 3],
        &[2, 2, 2],
        &[4, 3],
        &[3, 2, 3],
        &[2, 3, 2, 2],
    ];
    for (number, digits) in plans.into_iter().enumerate() {
        gpu.choice = Choice { digits: Some(digits), narrow: None };
        sweep(&gpu, digits.iter().sum(), 1 + number % 3);
    }
}

#[test]
fn every_size_of_a_column() {
    let Some(gpu) = first_opencl() else { return };
    for log_size in 6..11 {
        sweep(&gpu, log_size, 1);
    }
}

#[test]
fn padded_polynomials() {
    let Some(mut gpu) = first_opencl() else { return };
    for (log_input, log_size) in
        [(0, 0), (0, 1), (0, 3), (1, 1), (1, 2), (1, 4), (2, 4), (3, 4), (5, 7), (5, 9), (6, 7)]
    {
        let digits: Option<&'static [u32]> = (log_input == 5).then_some(&[3, 2]);
        gpu.choice = Choice { digits, narrow: None };
        let domain = Domain::halo2(log_size).unwrap().coset(Fr::ZETA).unwrap();
        let coefficients = scalars(3 << log_input);
        for order in ORDERS {
            let mut expected = vec![Fr::ZERO; 3 << log_size];
            Reference.evaluate(&domain, order, &coefficients, (1 << log_input, 1), &mut expected).unwrap();
            let found = on_poison(&gpu, Transform::padded(&domain, log_input, order), 1, &coefficients, true);
            assert!(same(&found, &expected), "2^{log_input} coefficients, 2^{log_size} points, {order:?}");
        }
    }
}

/// Data that stay on the device must fit, because they are not divided; an input there is unchanged.
#[test]
fn elements_that_stay() {
    let Some(mut gpu) = first_opencl() else { return };
    let values = scalars(1 << 6);
    let fft = Ntt::forward(Domain::halo2(6).unwrap());
    assert!(gpu.keep_scalars(&[] as &[Fr]).unwrap().is_none());
    let (kept, extent) = (gpu.upload(Fr::words(&values)).unwrap(), Extent { rows: 64, width: 4, block: 4 });
    // Input and output, of 32 bytes a scalar: a single pass needs no scratch memory.
    let (required, budget) = (2 * 64 * 32, 2 * 64 * 32 - 1);
    let usual = std::mem::replace(&mut gpu.limit, budget);
    assert_eq!(
        ResidentTransforms::ntt(&*gpu, &fft, &kept, extent).err(),
        Some(Error::OverDeviceBudget { required, budget })
    );
    gpu.limit = 64 * 32 - 1;
    assert!(gpu.keep_scalars(&values).unwrap().is_none());
    gpu.limit = usual;
    let mut found = vec![Fr::ZERO; 64];
    let transformed = ResidentTransforms::ntt(&*gpu, &fft, &kept, extent).unwrap();
    gpu.download(&transformed, 0, bytemuck::cast_slice_mut(Fr::words_mut(&mut found))).unwrap();
    let mut expected = values.clone();
    Reference.ntt(&fft, &mut expected, 1).unwrap();
    assert!(same(&found, &expected));
    gpu.download(&kept, 0, bytemuck::cast_slice_mut(Fr::words_mut(&mut found))).unwrap();
    assert!(same(&found, &values));
}
