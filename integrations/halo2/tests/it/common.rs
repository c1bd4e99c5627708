//! BN254 of the fork that halo2-axiom uses.

use halo2curves_axiom::bn256::{Fr, G1, G1Affine};
use halo2curves_axiom::group::Curve;

zkaccel_halo2::bn254!(pub Fork = halo2curves_axiom::bn256);

/// Scalars of all widths.
pub fn scalars(n: usize) -> Vec<Fr> {
    let wide = |i: u64| (0..5).fold(Fr::from(i + 3), |x, _| x * x + Fr::from(i));
    let scalar = |i: u64| match i % 7 {
        0 => Fr::from(i),
        1 => -Fr::from(i),
        _ => wide(i),
    };
    (0..n as u64).map(scalar).collect()
}

/// The points `first` G, (`first` + 1) G, ...
pub fn points(first: u64, n: usize) -> Vec<G1Affine> {
    let start = G1::generator() * Fr::from(first);
    let projective: Vec<_> =
        std::iter::successors(Some(start), |point| Some(point + G1::generator())).take(n).collect();
    let mut points = vec![G1Affine::default(); n];
    G1::batch_normalize(&projective, &mut points);
    points
}

/// The sum of scalar i times (`first` + i) G.
pub fn sum_of_multiples(scalars: &[Fr], first: u64) -> G1 {
    G1::generator() * (first..).zip(scalars).map(|(i, scalar)| Fr::from(i) * scalar).sum::<Fr>()
}
