//! Parts of an operation in flight at once, and faults in any of them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::{Fault, Faulty};
use crate::backend::gpu::Gpu;
use crate::backend::gpu::device::Device;
use crate::backend::reference::Reference;
use crate::backend::testing::hash_columns;
use crate::backend::{Clock, Transforms};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::hash::Blake3;
use crate::ntt::{Convention, Domain, Lde, Ntt, Order};

/// Concurrent parts have the same result as one. Where any call of any part fails, or a word of any part is not canonical, a
/// transform leaves all of its data unchanged.
fn side_by_side<D: Device>(device: Result<D, Error>) {
    let Ok(device) = device else { return };
    let device = &Arc::new(device);
    let failing = |calls| {
        let device = Faulty::new(device, (Fault::Anything, 1), calls);
        // Enough memory for three parts of a block or two.
        Gpu { overlap_from: 0, ..Gpu::new(device, Some(1 << 13)) }
    };
    let data: Vec<_> = (1..=12 * 32).map(Goldilocks::new).collect();
    let domain = Domain::new(4, Convention::Plonky3).unwrap().coset(Goldilocks::new(7)).unwrap();
    let orders = [Order::Natural, Order::BitReversed];
    for (ntt, width) in
        [(Ntt::forward(domain), 2), (Ntt::inverse(domain).with_orders(orders[1], orders[0]), 1)]
    {
        let mut expected = data.clone();
        Reference.ntt(&ntt, &mut expected, width).unwrap();
        for calls in 0.. {
            let (gpu, mut found) = (failing(calls), data.clone());
            match gpu.ntt(&ntt, &mut found, width) {
                Ok(()) => assert!(found == expected),
                Err(Error::ResultLost { .. }) => {}
                Err(_) => assert!(found == data, "the input was changed after {calls} calls"),
            }
            if gpu.device.left.load(Ordering::Relaxed) > 0 {
                break;
            }
        }
        // Each part checks its own words; the error names the first bad word in all data.
        let refused = Error::NotCanonical { index: 200, value: 201 };
        let check = |words: &[Goldilocks]| match words.iter().position(|word| word.as_u64() == 201) {
            Some(index) => Err(Error::NotCanonical { index, value: 201 }),
            None => Ok(()),
        };
        let mut found = data.clone();
        assert_eq!(failing(i64::MAX).ntt_checked(&ntt, &mut found, width, &check), Err(refused.clone()));
        assert!(found == data);
        let lde = Lde::onto_coset(4, 2, Convention::Winterfell, Goldilocks::new(7)).unwrap();
        let mut output = vec![Goldilocks::default(); 2 * data.len()];
        let result = failing(i64::MAX).lde_checked(&lde, &mut found, width, &mut output, &check);
        assert_eq!(result, Err(refused));
    }
    let lde = Lde::onto_coset(4, 4, Convention::Winterfell, Goldilocks::new(7)).unwrap();
    let mut found = vec![Goldilocks::default(); 4 * data.len()];
    let mut expected = found.clone();
    failing(i64::MAX).lde(&lde, &mut data.clone(), 1, &mut found).unwrap();
    Reference.lde(&lde, &mut data.clone(), 1, &mut expected).unwrap();
    assert!(found == expected);
    for (rows, degree) in [(32, 1), (32, 12), (96, 2), (64, 1)] {
        let (mut found, mut expected) = (vec![Default::default(); rows], vec![Default::default(); rows]);
        hash_columns::<Blake3>(&failing(i64::MAX), &data, degree, &mut found).unwrap();
        hash_columns::<Blake3>(&Reference, &data, degree, &mut expected).unwrap();
        assert!(found == expected, "{rows} rows, degree {degree}");
    }
}

/// A device cannot have been busy for longer than has passed, on however many parts at once it worked.
fn busy_no_longer_than_it_took<D: Device>(device: Result<D, Error>) {
    let Ok(device) = device else { return };
    let gpu = Gpu { overlap_from: 0, ..Gpu::new(device, None) };
    let domain = Domain::new(16, Convention::Plonky3).unwrap();
    let mut data = vec![Goldilocks::new(3); 64 << 16];
    // Programs are compiled by the first call.
    gpu.ntt(&Ntt::forward(domain), &mut data, 1).unwrap();
    let (start, before) = (Instant::now(), gpu.device_time().unwrap());
    for _ in 0..4 {
        gpu.ntt(&Ntt::forward(domain), &mut data, 1).unwrap();
    }
    let (busy, elapsed) = (gpu.device_time().unwrap() - before, start.elapsed());
    assert!(!busy.is_zero() && busy <= elapsed, "busy for {busy:?} of {elapsed:?}");
}

#[cfg(feature = "opencl")]
#[test]
fn opencl_side_by_side() {
    side_by_side(crate::backend::gpu::opencl::OpenCl::required());
    busy_no_longer_than_it_took(crate::backend::gpu::opencl::OpenCl::required());
}

#[cfg(feature = "cuda")]
#[test]
fn cuda_side_by_side() {
    side_by_side(crate::backend::gpu::cuda::Cuda::open(0));
    busy_no_longer_than_it_took(crate::backend::gpu::cuda::Cuda::open(0));
}
