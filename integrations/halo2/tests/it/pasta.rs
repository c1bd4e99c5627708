//! Sums and transforms for the types of zcash's `halo2_proofs` are those of `pasta_curves`.

use ff::{Field, PrimeField};
use pasta_curves::group::prime::PrimeCurveAffine;
use pasta_curves::group::{Curve, Group};
use pasta_curves::{Ep, EpAffine, Eq, EqAffine, Fp, Fq};
use zkaccel_halo2::pasta::{coset_fft, fft, inverse_fft, msm};

/// Scalars of all widths, and points of which some are equal, opposite or the identity.
fn pairs<C: PrimeCurveAffine<Curve: Curve<AffineRepr = C>>>(n: usize) -> (Vec<C::Scalar>, Vec<C>) {
    let wide = |i: u64| (0..5).fold(C::Scalar::from(i + 3), |x, _| x * x + C::Scalar::from(i));
    let scalar = |i: u64| match i % 7 {
        0 => C::Scalar::from(i),
        1 => -C::Scalar::from(i),
        _ => wide(i),
    };
    let point = |i: u64| match i % 11 {
        3 => C::identity(),
        4 => (-(C::generator() * C::Scalar::from(i - 2))).to_affine(),
        5 => (C::generator() * C::Scalar::from(i - 3)).to_affine(),
        _ => (C::generator() * C::Scalar::from(i)).to_affine(),
    };
    ((0..n as u64).map(scalar).collect(), (0..n as u64).map(point).collect())
}

fn sums<C: PrimeCurveAffine<Curve: Curve<AffineRepr = C>>>() {
    for n in [8, 9, 33, 237, 1023, 1024, 1025] {
        let (scalars, points) = pairs::<C>(n);
        let expected: C::Curve = scalars.iter().zip(&points).map(|(&scalar, &point)| point * scalar).sum();
        let found: C::Curve = msm(&scalars, &points).expect("sums of these types are the engine's");
        assert_eq!(found, expected, "{n} pairs");
        // Twice with what is kept by then.
        assert_eq!(msm(&scalars, &points), Some(expected), "{n} pairs again");
        let zeros = vec![C::Scalar::ZERO; n];
        let nothing: C::Curve = msm(&zeros, &points).expect("the engine's");
        assert!(bool::from(nothing.is_identity()));
        assert_eq!(nothing + points[1], points[1].to_curve(), "a sum that is the identity can be added to");
    }
}

#[test]
fn sums_over_both_curves() {
    sums::<EpAffine>();
    sums::<EqAffine>();
}

fn transforms<F: ff::WithSmallOrderMulGroup<3> + Default>() {
    let (log, n) = (6, 64);
    let root = F::ROOT_OF_UNITY.pow_vartime([1 << (F::S - log)]);
    let values: Vec<F> = (0..n).map(|i| F::from(i * i + 3)).collect();
    let at = |x: F| values.iter().rev().fold(F::ZERO, |sum, &coefficient| sum * x + coefficient);
    let on_points: Vec<F> = (0..n).map(|i| at(root.pow_vartime([i]))).collect();
    let mut found = values.clone();
    assert!(fft(&mut found, &root));
    assert_eq!(found, on_points);
    let divisor = F::from(n).invert().unwrap();
    assert!(inverse_fft(&mut found, &root.invert().unwrap(), &divisor));
    assert_eq!(found, values);

    let wide = F::ROOT_OF_UNITY.pow_vartime([1 << (F::S - log - 2)]);
    assert!(coset_fft(&mut found, 4 * n as usize, &wide, &F::ZETA));
    let on_coset: Vec<F> = (0..4 * n).map(|i| at(F::ZETA * wide.pow_vartime([i]))).collect();
    assert_eq!(found, on_coset);
    // A root of another order.
    let mut found = values.clone();
    assert!(!coset_fft(&mut found, 4 * n as usize, &root, &F::ZETA));
    assert_eq!(found, values);
}

#[test]
fn transforms_over_both_fields() {
    transforms::<Fp>();
    transforms::<Fq>();
}

#[test]
fn what_is_not_the_engines() {
    let (scalars, points) = pairs::<EpAffine>(64);
    assert!(msm::<_, _, Ep>(&scalars[..7], &points[..7]).is_none(), "few pairs");
    assert!(msm::<_, _, Ep>(&scalars[1..], &points).is_none(), "lengths that differ");
    assert!(msm::<_, _, Eq>(&scalars, &points).is_none(), "the other curve's sums");
    let (others, _) = pairs::<EqAffine>(64);
    assert!(msm::<_, _, Ep>(&others, &points).is_none(), "the other curve's scalars");
    let mut sums = vec![Ep::generator(); 64];
    let root = Fq::ROOT_OF_UNITY.pow_vartime([1 << (Fq::S - 6)]);
    assert!(!fft(&mut sums, &root), "a transform of points");
}
