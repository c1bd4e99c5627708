//! The engine did what it said it did, and bases went to the device once. In a process of its own, for the engine is the process's.

use halo2curves_axiom::bn256::{Fr, G1};
use halo2curves_axiom::ff::PrimeField;
use zkaccel::Engine;
use zkaccel::work::items;

use crate::child::{elsewhere, is_child};
use crate::common::{Fork, points, scalars, sum_of_multiples};

#[test]
fn the_engine_did_it() {
    elsewhere("account::child_whose_engine_does_it", &[]);
}

#[test]
#[ignore = "runs in a process of its own"]
fn child_whose_engine_does_it() {
    if !is_child() {
        return;
    }
    let engine = Engine::global().unwrap();
    let done = |operation| items(&engine.work(), operation);
    let bytes_in = || -> u64 {
        engine.work().iter().filter_map(|device| device.of("msm")).map(|line| line.bytes_in).sum()
    };
    let n = 2000;
    let (scalars, bases) = (scalars(n), points(1, n));
    let expected = sum_of_multiples(&scalars, 1);
    // With several devices it depends on who does a sum.
    let (has_memory, alone) = (engine.device_time().is_some(), engine.work().len() == 1);
    let n = n as u64;
    // The first time they come along; the second time they are kept; then they are there, for a sum over fewer, too.
    for (call, (kept, bytes)) in [(0, 96 * n), (n, 32 * n), (0, 32 * n), (0, 32 * n)].into_iter().enumerate()
    {
        let before = [done("msm"), done("bases kept"), bytes_in()];
        let fewer = scalars.len() - usize::from(call == 3);
        let sum = zkaccel_halo2::msm::<Fork, _, _, G1>(&scalars[..fewer], &bases[..fewer]).unwrap();
        assert_eq!(sum == expected, call < 3);
        assert_eq!(done("msm") - before[0], fewer as u64);
        if !alone {
            continue;
        }
        let (kept, bytes) = if has_memory { (kept, bytes) } else { (0, 96 * n) };
        assert_eq!(done("bases kept") - before[1], kept, "call {call}");
        let missing = (n - fewer as u64) * if has_memory { 32 } else { 96 };
        assert_eq!(bytes_in() - before[2], bytes - missing, "call {call}");
    }

    let omega = (6..Fr::S).fold(Fr::ROOT_OF_UNITY, |root, _| root.square());
    let before = done("fft");
    let mut values = scalars[..64].to_vec();
    assert!(zkaccel_halo2::fft::<Fork, _, _>(&mut values, &omega));
    assert_eq!(done("fft") - before, 64);
    let mut few = scalars[..16].to_vec();
    assert!(!zkaccel_halo2::fft::<Fork, _, _>(&mut few, &omega.square().square()));
    assert!(zkaccel_halo2::msm::<Fork, _, _, G1>(&scalars[..7], &bases[..7]).is_none());
    assert_eq!(done("fft") - before, 64, "small ones are left to the stock code");
}
