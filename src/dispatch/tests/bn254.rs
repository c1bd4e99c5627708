//! Sums and transforms over BN254: kept bases, failures, and who does what.

use std::sync::atomic::Ordering;

use super::{Dispatcher, Fake, auto, items, several};
use crate::bn254::{Fr, G1, G1Affine};
use crate::error::Error;
use crate::ntt::{Domain, Ntt};
use crate::operation::{
    Bases, Evaluate, KeptRange, Points, Scalars, Sum, Transform, keep_bases, keep_scalars,
};

fn keep(on: &Dispatcher, points: &[G1Affine], table_bytes: u64) -> Result<Vec<KeptRange>, Error> {
    on.run(keep_bases(points, table_bytes))
}

/// The sum of a_i (i + 1) G.
fn expected(scalars: &[Fr], first: usize) -> G1 {
    let sum = scalars.iter().zip(first..).map(|(scalar, i)| scalar * Fr::from(i as u64 + 1)).sum::<Fr>();
    G1::generator() * sum
}

/// Ranges of kept bases that lie within a device's, across both and on either side, with scalars kept and not; each
/// device keeps its own range and no more.
#[test]
fn sums_over_ranges_of_kept_bases() {
    let n = 30;
    let several = several([Fake::default(), Fake::default()], Some(vec![1, 2]));
    let points: Vec<_> = (1..=n as u64).map(|i| G1Affine::from(G1::generator() * Fr::from(i))).collect();
    let kept = keep(&several, &points, 1 << 20).unwrap();
    assert_eq!(items(&several, "bases kept"), [10, 20]);
    let scalars: Vec<_> = (0..3 * n as u64).map(|i| Fr::from(i * i + 7)).collect();
    let kept_scalars = several.run(keep_scalars(&scalars[..n])).unwrap();
    for (first, end) in [(0, n), (0, 10), (3, 9), (10, 30), (12, 13), (9, 11), (5, 29), (4, 4)] {
        let bases = Bases { points: &points[first..end], kept: &kept, first };
        for rows in [1, 3] {
            let scalars = &scalars[..rows * (end - first)];
            let sums = several.run(Sum { scalars: Scalars::Host(scalars, &[]), bases, rows }).unwrap();
            for (i, sum) in sums.iter().enumerate() {
                assert_eq!(*sum, expected(&scalars[i * (end - first)..][..end - first], first));
            }
        }
    }
    // What one device holds it sums alone.
    let before = items(&several, "msm");
    let bases = Bases { points: &points[..10], kept: &kept, first: 0 };
    several.run(Sum { scalars: Scalars::Host(&scalars[..10], &[]), bases, rows: 1 }).unwrap();
    assert_eq!(items(&several, "msm"), [before[0] + 10, before[1]]);
    let bases = Bases { points: &points, kept: &kept, first: 0 };
    let all = || {
        let scalars = Scalars::Host(&scalars[..n], &kept_scalars);
        several.run(Sum { scalars, bases, rows: 1 }).unwrap()
    };
    assert_eq!(all()[0], expected(&scalars[..n], 0));
    // Nothing is copied for that: bases and scalars are where they are needed.
    let moved = |work: &crate::work::DeviceWork| work.of("msm").unwrap().bytes_in;
    let before: Vec<_> = several.work().iter().map(moved).collect();
    all();
    assert_eq!(several.work().iter().map(moved).collect::<Vec<_>>(), before);
}

#[test]
fn sums_and_transforms_on_a_device_that_fails() {
    for (broken, name) in [(0, "left"), (1, "right")] {
        let fakes = [Fake::default(), Fake::default()];
        let several = several(fakes.clone(), Some(vec![1, 1]));
        let fails = Fake::failure(name);
        let points = [G1Affine::generator(); 4];
        let scalars: Vec<_> = (1..=16u64).map(Fr::from).collect();
        let kept = keep(&several, &points, 0).unwrap();
        let set = |value| fakes[broken].broken.store(value, Ordering::Relaxed);
        for kept in [&[][..], &kept] {
            let bases = Bases { points: &points, kept, first: 0 };
            for rows in [1, 4] {
                let sum = || Sum { scalars: Scalars::Host(&scalars[..4 * rows], &[]), bases, rows };
                set(true);
                assert_eq!(several.run(sum()), Err(fails.clone()));
                set(false);
                assert_eq!(several.run(sum()).unwrap()[0], G1::generator() * Fr::from(10));
            }
        }
        let ntt = Ntt::forward(Domain::halo2(2).unwrap());
        let run = |data: &mut [Fr]| several.run(Transform { ntt, data, width: 1, unchecked: false });
        let mut values = scalars.clone();
        set(true);
        assert_eq!(run(&mut values), Err(fails.clone()));
        assert_eq!(values, scalars);
        assert_eq!(keep(&several, &points, 0).err(), Some(fails));
        set(false);
        run(&mut values).unwrap();
        assert_eq!(values[4], Fr::from(5 + 6 + 7 + 8));
    }
}

/// Sums go to the device that is expected to finish first, wherever their bases are kept; polynomials by the work of their
/// layers.
#[test]
fn who_does_what() {
    let auto = auto(false);
    for (count, device) in [(2u64, "cpu"), (200, "other"), (3, "cpu")] {
        let scalars: Vec<_> = (0..count).map(Fr::from).collect();
        let points = vec![G1Affine::generator(); scalars.len()];
        let kept = keep(&auto, &points, 0).unwrap();
        let bases = Bases { points: &points, kept: &kept, first: 0 };
        let sum = auto.run(Sum { scalars: Scalars::Host(&scalars, &[]), bases, rows: 1 }).unwrap();
        assert_eq!(sum, [G1::generator() * Fr::from(count * (count - 1) / 2)]);
        let choices = auto.choices().unwrap();
        let of_sums = choices.last.iter().find(|choice| choice.operation == "msm").unwrap();
        assert_eq!(of_sums.chosen.0, device);
    }
    // 2 + 3 X at the powers of the 16th root, and 128 times as many.
    for (count, device) in [(1, "cpu"), (128, "other")] {
        let coefficients: Vec<_> = [2, 3].map(Fr::from).into_iter().cycle().take(2 * count).collect();
        let (domain, mut values) = (Domain::halo2(4).unwrap(), vec![Fr::from(0); 16 * count]);
        let (coefficients, values) = (&coefficients[..], &mut values[..]);
        let points = Points { domain, size: 2 };
        auto.run(Evaluate { points, coefficients, width: 1, values: &mut *values }).unwrap();
        assert_eq!([values[0], values[8]], [Fr::from(5), -Fr::from(1)]);
        assert_eq!(auto.choices().unwrap().last.last().unwrap().chosen.0, device);
    }
}
