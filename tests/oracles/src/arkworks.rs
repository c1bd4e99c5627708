//! BN254's sums, transforms and layout of memory.

use ark_ec::{CurveGroup, PrimeGroup, VariableBaseMSM};
use ark_ff::FftField;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use halo2curves::ff::{Field, PrimeField, WithSmallOrderMulGroup};
use halo2curves::group::{Curve, Group};
use zkaccel::bn254::{self, Fq, Fr, G1, G1Affine, G2, G2Affine};
use zkaccel::field::TwoAdicPrime;
use zkaccel::ntt::{AcceleratedField, Domain, Ntt};

use crate::inputs::{cpu, words};

fn scalars(seed: u64, n: usize) -> Vec<Fr> {
    let mut word = words(seed);
    (0..n).map(|_| Fr::from_raw(std::array::from_fn(|_| word()))).collect()
}

/// k G, (k + 1) G, ...
fn multiples(first: u64, n: usize) -> Vec<G1Affine> {
    let generator = G1Affine::generator();
    let start = G1::generator() * Fr::from(first);
    let points: Vec<_> =
        std::iter::successors(Some(start), |point| Some(point + generator)).take(n).collect();
    let mut bases = vec![G1Affine::default(); n];
    G1::batch_normalize(&points, &mut bases);
    bases
}

/// The integer of little-endian bytes, as arkworks has integers.
fn num(bytes: &[u8]) -> ark_ff::BigInt<4> {
    let mut limbs = [0; 4];
    for (limb, bytes) in limbs.iter_mut().zip(bytes.chunks(8)) {
        *limb = u64::from_le_bytes(bytes.try_into().unwrap());
    }
    ark_ff::BigInt::new(limbs)
}

fn theirs(values: &[Fr]) -> Vec<ark_bn254::Fr> {
    values.iter().map(|value| ark_bn254::Fr::from(num(value.to_repr().as_ref()))).collect()
}

#[test]
fn sums() {
    let engine = cpu();
    for n in [1, 50, 3000] {
        let (scalars, bases) = (scalars(n as u64, n), multiples(7, n));
        let coordinate = |x: &Fq| ark_bn254::Fq::from(num(x.to_repr().as_ref()));
        let points: Vec<_> =
            bases.iter().map(|p| ark_bn254::G1Affine::new(coordinate(&p.x), coordinate(&p.y))).collect();
        let expected = ark_bn254::G1Projective::msm(&points, &theirs(&scalars)).unwrap().into_affine();
        let found = engine.msm(&scalars, &bases).unwrap().to_affine();
        assert_eq!((coordinate(&found.x), coordinate(&found.y)), (expected.x, expected.y), "{n}");
    }
}

#[test]
fn sums_over_g2() {
    let engine = cpu();
    let coordinate = |[c0, c1]: [[u64; 4]; 2]| {
        let [c0, c1] = [c0, c1].map(|limbs| ark_bn254::Fq::from(ark_ff::BigInt::new(limbs)));
        ark_bn254::Fq2::new(c0, c1)
    };
    for n in [1, 50, 3000] {
        let generator = G2Affine::generator();
        let points =
            std::iter::successors(Some(G2::from(generator)), |point| Some(point + generator)).take(n);
        let bases: Vec<G2Affine> = bn254::affine(&points.collect::<Vec<_>>());
        let scalars = scalars(n as u64, n);
        let points: Vec<_> = bases
            .iter()
            .map(|point| bn254::coordinates(&G2::from(*point)).expect("multiples of the generator"))
            .map(|[x, y]| ark_bn254::G2Affine::new(coordinate(x), coordinate(y)))
            .collect();
        let expected = ark_bn254::G2Projective::msm(&points, &theirs(&scalars)).unwrap().into_affine();
        let [x, y] = bn254::coordinates(&engine.msm(&scalars, &bases).unwrap()).expect("not the identity");
        assert_eq!((coordinate(x), coordinate(y)), (expected.x, expected.y), "{n}");
    }
}

/// Transforms on cosets by some shifts as those of arkworks: of scalars from a seed and their number, which `theirs` brings to arkworks' field.
pub(crate) fn transforms_agree<F: TwoAdicPrime + AcceleratedField, A: FftField>(
    scalars: impl Fn(u64, usize) -> Vec<F>,
    theirs: impl Fn(&[F]) -> Vec<A>,
    shifts: &[F],
) {
    let engine = cpu();
    for log_size in [0, 1, 4, 11] {
        let domain = Radix2EvaluationDomain::<A>::new(1 << log_size).unwrap();
        let ours = Domain::<F>::arkworks(log_size).unwrap();
        assert_eq!(theirs(&[ours.root()])[0], domain.group_gen);
        for &shift in shifts {
            let domain = domain.get_coset(theirs(&[shift])[0]).unwrap();
            let ours = ours.coset(shift).unwrap();
            let coefficients = scalars(3, 1 << log_size);
            let mut values = coefficients.clone();
            engine.ntt(&Ntt::forward(ours), &mut values).unwrap();
            assert_eq!(theirs(&values), domain.fft(&theirs(&coefficients)));
            engine.ntt(&Ntt::inverse(ours), &mut values).unwrap();
            assert_eq!(values, coefficients);
        }
    }
}

#[test]
fn transforms() {
    transforms_agree(scalars, theirs, &[Fr::ONE, Fr::from(5), Fr::ZETA]);
}

#[test]
fn slices_are_taken_as_they_are() {
    let engine = cpu();
    let generator = ark_bn254::G1Projective::generator();
    let exponents: Vec<_> = (0..40_u64).map(|i| ark_bn254::Fr::from(i * i)).collect();
    let mut points: Vec<_> = exponents.iter().map(|s| (generator * s).into_affine()).collect();
    points[7] = ark_bn254::G1Affine::identity();
    let expected = ark_bn254::G1Projective::msm(&points, &exponents).unwrap();
    let ours = (bn254::arkworks::scalars(&exponents), bn254::arkworks::points(&points));
    assert_eq!(ours.0.as_ptr().cast::<u8>(), exponents.as_ptr().cast::<u8>());
    let found = engine.msm(ours.0, ours.1).unwrap();
    assert_eq!(bn254::arkworks::projective(&found), expected);
    assert_eq!(bn254::arkworks::projective(&G1::identity()), ark_bn254::G1Projective::default());
    let domain = Radix2EvaluationDomain::<ark_bn254::Fr>::new(8).unwrap();
    let mut values = exponents[..8].to_vec();
    let fft = Ntt::forward(Domain::arkworks(3).unwrap());
    engine.ntt(&fft, bn254::arkworks::scalars_mut(&mut values)).unwrap();
    assert_eq!(values, domain.fft(&exponents[..8]));
}
