//! Transforms for the fork are its own.

use halo2curves_axiom::bn256::{Fr, G1};
use halo2curves_axiom::ff::PrimeField;
use halo2curves_axiom::fft::best_fft;

use crate::common::{Fork, points, scalars};

fn root(k: u32) -> Fr {
    (k..Fr::S).fold(Fr::ROOT_OF_UNITY, |root, _| root.square())
}

#[test]
fn values_and_coefficients() {
    for k in 6..=11 {
        let (n, omega, shift) = (1 << k, root(k), Fr::from(17));
        let coefficients = scalars(n);
        let mut expected = coefficients.clone();
        best_fft(&mut expected, omega, k);
        let mut found = coefficients.clone();
        assert!(zkaccel_halo2::fft::<Fork, _, _>(&mut found, &omega));
        assert_eq!(found, expected, "values at 2^{k} points");

        let (inverse, divisor) = (omega.invert().unwrap(), Fr::from(n as u64).invert().unwrap());
        assert!(zkaccel_halo2::inverse_fft::<Fork, _>(&mut found, &inverse, &divisor));
        assert_eq!(found, coefficients, "coefficients of 2^{k} values");

        let powers = std::iter::successors(Some(Fr::one()), |power| Some(power * shift));
        let mut expected: Vec<_> = coefficients.iter().zip(powers).map(|(a, power)| a * power).collect();
        best_fft(&mut expected, omega, k);
        assert!(zkaccel_halo2::coset_fft::<Fork, _>(&mut found, &omega, &shift));
        assert_eq!(found, expected, "values on a coset of 2^{k} points");
    }
}

#[test]
fn what_is_not_the_engines() {
    let before = scalars(64);
    let (omega, shift, mut values) = (root(6), Fr::from(3), before.clone());
    let divisor = Fr::from(64).invert().unwrap();
    assert!(!zkaccel_halo2::fft::<Fork, _, _>(&mut values, &root(5)), "a root of another order");
    assert!(!zkaccel_halo2::fft::<Fork, _, _>(&mut values[1..], &omega), "no power of two");
    assert!(!zkaccel_halo2::fft::<Fork, _, _>(&mut values[..32], &root(5)), "few values");
    assert!(!zkaccel_halo2::fft::<Fork, _, Fr>(&mut [], &omega), "no values");
    assert!(!zkaccel_halo2::fft::<Fork, _, _>(&mut values, &5_u64), "another field");
    assert!(!zkaccel_halo2::coset_fft::<Fork, _>(&mut values, &omega, &Fr::zero()), "no coset by zero");
    assert!(!zkaccel_halo2::inverse_fft::<Fork, _>(&mut values, &omega, &shift), "another divisor");
    assert!(!zkaccel_halo2::inverse_fft::<Fork, _>(&mut values, &Fr::zero(), &divisor), "no root");
    assert!(!zkaccel_halo2::coset_fft::<Fork, _>(&mut [7_u64; 64], &1, &1), "another field");
    assert_eq!(values, before, "and nothing is changed");
    let mut group: Vec<G1> = points(1, 64).into_iter().map(G1::from).collect();
    assert!(!zkaccel_halo2::fft::<Fork, _, _>(&mut group, &omega), "points");
}
