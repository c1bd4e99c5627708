//! arkworks' sums and transforms over BLS12-381, of scalars and of points.

use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::{BigInt, PrimeField};
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use halo2curves::ff::{Field, PrimeField as _, WithSmallOrderMulGroup};
use halo2curves::group::Group;
use zkaccel::bls12_381::{Fr, G1Affine, G2Affine};
use zkaccel::curve::{CoordinateLimbs, affine, coordinates};
use zkaccel::msm::AcceleratedCurve;
use zkaccel::ntt::{Domain, Ntt};
use zkaccel::points::TransformedCurve;

use crate::arkworks::transforms_agree;
use crate::inputs::{cpu, words};

fn scalars(seed: u64, n: usize) -> Vec<Fr> {
    let mut word = words(seed);
    let base = Fr::from(1 << 32) * Fr::from(1 << 32);
    (0..n).map(|_| (0..4).fold(Fr::ZERO, |sum, _| sum * base + Fr::from(word()))).collect()
}

fn theirs(values: &[Fr]) -> Vec<ark_bls12_381::Fr> {
    let of = |value: &Fr| ark_bls12_381::Fr::from_le_bytes_mod_order(value.to_repr().as_ref());
    values.iter().map(of).collect()
}

fn fq(limbs: [u64; 6]) -> ark_bls12_381::Fq {
    BigInt::new(limbs).into()
}

/// Sums of n, 2 n, ... times a generator, with edge values among the scalars, as those of arkworks; `point` is its point of coordinates.
fn sums<C, A>(point: impl Fn([CoordinateLimbs<C>; 2]) -> A)
where
    C: AcceleratedCurve<Scalar = Fr>,
    A: AffineRepr<ScalarField = ark_bls12_381::Fr, Group: VariableBaseMSM<MulBase = A>>,
{
    let engine = cpu();
    for n in [1, 50, 3000] {
        let generator = C::Projective::generator();
        let points = std::iter::successors(Some(generator), |point| Some(*point + generator)).take(n);
        let bases: Vec<C> = affine(&points.collect::<Vec<_>>());
        let mut scalars = scalars(n as u64, n);
        if n > 4 {
            scalars[..4].copy_from_slice(&[Fr::ZERO, Fr::ONE, -Fr::ONE, -Fr::from(2)]);
        }
        let known = |base: &C| coordinates(&C::Projective::from(*base)).expect("a multiple of the generator");
        let points: Vec<A> = bases.iter().map(|base| point(known(base))).collect();
        let expected = A::Group::msm(&points, &theirs(&scalars)).unwrap().into_affine();
        let found = coordinates(&engine.msm(&scalars, &bases).unwrap()).expect("not the identity");
        assert_eq!(point(found), expected, "{n}");
    }
}

#[test]
fn sums_over_g1() {
    sums::<G1Affine, _>(|[x, y]| ark_bls12_381::G1Affine::new_unchecked(fq(x), fq(y)));
}

#[test]
fn sums_over_g2() {
    let fq2 = |[c0, c1]: [[u64; 6]; 2]| ark_bls12_381::Fq2::new(fq(c0), fq(c1));
    sums::<G2Affine, _>(|[x, y]| ark_bls12_381::G2Affine::new_unchecked(fq2(x), fq2(y)));
}

/// Transforms of points as those of arkworks, there and back, with identities and opposite points among them.
fn transforms_of_points<C, A>(point: impl Fn([CoordinateLimbs<C>; 2]) -> A)
where
    C: TransformedCurve<Scalar = Fr>,
    A: AffineRepr<ScalarField = ark_bls12_381::Fr>,
{
    let engine = cpu();
    for log_size in [0, 1, 4, 7] {
        let mut factors = scalars(u64::from(log_size), 1 << log_size);
        if let [first, second, third, fourth, ..] = &mut factors[..] {
            (*first, *third, *fourth) = (Fr::ZERO, -*second, *second);
        }
        let points: Vec<_> = factors.iter().map(|factor| C::Projective::generator() * factor).collect();
        let mut points: Vec<C> = affine(&points);
        let known = |point_of: &C| coordinates(&C::Projective::from(*point_of)).map_or(A::zero(), &point);
        let all = |points: &[C]| points.iter().map(|point| known(point).into_group()).collect::<Vec<_>>();
        let domain = Radix2EvaluationDomain::<ark_bls12_381::Fr>::new(1 << log_size).unwrap();
        let ours = Domain::<Fr>::arkworks(log_size).unwrap();
        for shift in [Fr::ONE, Fr::from(5)] {
            let domain = domain.get_coset(theirs(&[shift])[0]).unwrap();
            let ours = ours.coset(shift).unwrap();
            let before = points.clone();
            let expected: Vec<A::Group> = domain.fft(&all(&points));
            engine.transform_points(&Ntt::forward(ours), &mut points).unwrap();
            assert_eq!(all(&points), expected, "2^{log_size}");
            engine.transform_points(&Ntt::inverse(ours), &mut points).unwrap();
            assert_eq!(points, before, "2^{log_size}");
            // Points that are no values of anything known.
            let expected: Vec<A::Group> = domain.ifft(&all(&points));
            engine.transform_points(&Ntt::inverse(ours), &mut points).unwrap();
            assert_eq!(all(&points), expected, "2^{log_size}");
        }
    }
}

#[test]
fn transforms_of_points_of_g1() {
    transforms_of_points::<G1Affine, _>(|[x, y]| ark_bls12_381::G1Affine::new_unchecked(fq(x), fq(y)));
}

#[test]
fn transforms_of_points_of_g2() {
    let fq2 = |[c0, c1]: [[u64; 6]; 2]| ark_bls12_381::Fq2::new(fq(c0), fq(c1));
    transforms_of_points::<G2Affine, _>(|[x, y]| ark_bls12_381::G2Affine::new_unchecked(fq2(x), fq2(y)));
}

#[test]
fn transforms() {
    transforms_agree(scalars, theirs, &[Fr::ONE, Fr::from(5), Fr::ZETA]);
}
