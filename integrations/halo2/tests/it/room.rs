//! Sums and transforms that exceed what the device may hold. In a process of its own, for the engine is the process's.

use halo2curves_axiom::bn256::{Fr, G1};
use halo2curves_axiom::ff::PrimeField;
use halo2curves_axiom::fft::best_fft;
use zkaccel::Engine;
use zkaccel::msm::BasesOptions;
use zkaccel::work::items;

use crate::child::{elsewhere, is_child};
use crate::common::{Fork, points, scalars, sum_of_multiples};

#[test]
fn sums_and_transforms_larger_than_the_device_may_hold() {
    elsewhere("room::child_with_little_room", &[]);
}

#[test]
#[ignore = "runs in a process of its own"]
fn child_with_little_room() {
    if !is_child() {
        return;
    }
    let device = std::env::var("ZKACCEL_DEVICE").unwrap_or("cpu".into()).parse().unwrap();
    let engine = Engine::builder().device(device).device_memory(256 << 10).build().unwrap();
    Engine::make_global(engine.clone()).unwrap();
    let done = |operation| items(&engine.work(), operation);

    // 512 KiB of bases, which are too many to be kept, and 256 KiB of scalars.
    let n = 1 << 13;
    let (scalars, bases) = (scalars(n), points(1, n));
    let expected = sum_of_multiples(&scalars, 1);
    for call in 1..=3 {
        let sum: G1 = zkaccel_halo2::msm::<Fork, _, _, _>(&scalars, &bases).unwrap();
        assert_eq!(sum, expected, "call {call}");
        assert_eq!(done("msm"), call * n as u64);
    }
    let zal = zkaccel_halo2::Zal::<Fork>::new(&engine, BasesOptions { tables: true, ..Default::default() });
    assert_eq!(zal.sum(zal.keep_scalars(&scalars), zal.keep_bases(&bases)), expected);

    // 512 KiB of values.
    let k = 14;
    let omega = (k..Fr::S).fold(Fr::ROOT_OF_UNITY, |root, _| root.square());
    let mut values: Vec<Fr> = scalars.iter().chain(&scalars).copied().collect();
    let mut expected = values.clone();
    best_fft(&mut expected, omega, k);
    assert!(zkaccel_halo2::fft::<Fork, _, _>(&mut values, &omega));
    assert_eq!(values, expected);
    assert_eq!(done("fft"), 1 << k);
}
