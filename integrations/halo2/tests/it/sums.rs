//! Sums for the fork are its own, whatever was seen before.

use halo2curves_axiom::bn256::{Fr, G1, G1Affine, G2, G2Affine};
use halo2curves_axiom::group::Group;
use halo2curves_axiom::msm::{msm_best, msm_serial};

use crate::common::{Fork, points, scalars, sum_of_multiples};

fn msm(scalars: &[Fr], bases: &[G1Affine]) -> G1 {
    zkaccel_halo2::msm::<Fork, _, _, _>(scalars, bases).expect("sums of these types are the engine's")
}

#[test]
fn sums_of_all_sizes() {
    for n in [8, 9, 31, 32, 33, 237, 1023, 1024, 1025] {
        let (scalars, points) = (scalars(n), points(1, n));
        assert_eq!(msm(&scalars, &points), msm_best(&scalars, &points), "{n} pairs");
    }
}

#[test]
fn edges() {
    let identity = G1Affine::default();
    let n = 40;
    let mut bases = points(5, n);
    let check = |scalars: &[Fr], bases: &[G1Affine]| {
        let mut expected = G1::identity();
        msm_serial(scalars, bases, &mut expected);
        assert_eq!(msm(scalars, bases), expected);
    };
    check(&[Fr::zero(); 40], &bases);
    check(&scalars(n), &[identity; 40]);
    for i in [0, 7, 39] {
        bases[i] = identity;
    }
    (bases[10], bases[11]) = (bases[12], -bases[12]);
    check(&scalars(n), &bases);
    check(&[-Fr::one(); 40], &bases);
    // P - P: a sum that is the identity can be added to.
    let pairs = [bases[1], -bases[1], bases[2], -bases[2]];
    let nothing = msm(&[Fr::one(); 8], &[pairs, pairs].concat());
    assert!(bool::from(nothing.is_identity()));
    assert_eq!(nothing + bases[1], G1::from(bases[1]));
}

#[test]
fn what_is_not_the_engines() {
    let (scalars, points) = (scalars(64), points(1, 64));
    let few = zkaccel_halo2::msm::<Fork, _, _, G1>(&scalars[..7], &points[..7]);
    assert!(few.is_none(), "few pairs");
    assert!(zkaccel_halo2::msm::<Fork, _, _, G1>(&scalars[..0], &points[..0]).is_none(), "no pairs");
    assert!(zkaccel_halo2::msm::<Fork, _, _, G1>(&scalars[1..], &points).is_none(), "lengths that differ");
    let of_second_group = [G2Affine::default(); 64];
    assert!(zkaccel_halo2::msm::<Fork, _, _, G2>(&scalars, &of_second_group).is_none(), "another group");
    assert!(zkaccel_halo2::msm::<Fork, _, _, G2>(&scalars, &points).is_none(), "another form of the sum");
    let numbers = [1_u64; 64];
    assert!(zkaccel_halo2::msm::<Fork, _, _, G1>(&numbers, &points).is_none(), "other scalars");
}

/// The same address and length with other points: what was kept before must not be used.
#[test]
fn memory_that_is_used_again() {
    let n = 1500;
    let scalars = scalars(n);
    let mut bases = points(3, n);
    for _ in 0..4 {
        assert_eq!(msm(&scalars, &bases), sum_of_multiples(&scalars, 3));
    }
    // One point, in the middle, where nothing that a list is remembered by changes.
    let expected = sum_of_multiples(&scalars, 3) - bases[700] * scalars[700] + bases[0] * scalars[700];
    bases[700] = bases[0];
    for _ in 0..3 {
        assert_eq!(msm(&scalars, &bases), expected);
    }
    bases.copy_from_slice(&points(1000, n));
    for _ in 0..3 {
        assert_eq!(msm(&scalars, &bases), sum_of_multiples(&scalars, 1000));
    }
    // Beginnings of what is kept, and the same elsewhere.
    let elsewhere = bases.clone();
    for len in [1024, 1499] {
        assert_eq!(msm(&scalars[..len], &elsewhere[..len]), sum_of_multiples(&scalars[..len], 1000));
    }
    assert_eq!(msm(&scalars[..1400], &bases[100..]), sum_of_multiples(&scalars[..1400], 1100));
}

#[test]
fn sums_at_the_same_time() {
    let n = 1100;
    let scalars = scalars(n);
    let lists: Vec<_> = (0..3).map(|list| points(50 * list + 1, n)).collect();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (scalars, lists) = (&scalars, &lists);
            scope.spawn(move || {
                for call in 0..6 {
                    let list = (thread + call) % lists.len();
                    assert_eq!(msm(scalars, &lists[list]), sum_of_multiples(scalars, 50 * list as u64 + 1));
                }
            });
        }
    });
}
