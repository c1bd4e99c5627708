//! arkworks' sums and transforms over BLS12-381.

use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::{BigInt, PrimeField};
use halo2curves::ff::{Field, PrimeField as _, WithSmallOrderMulGroup};
use halo2curves::group::Group;
use zkaccel::bls12_381::{Fr, G1Affine, G2Affine};
use zkaccel::curve::{CoordinateLimbs, affine, coordinates};
use zkaccel::msm::AcceleratedCurve;

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

#[test]
fn transforms() {
    transforms_agree(scalars, theirs, &[Fr::ONE, Fr::from(5), Fr::ZETA]);
}
