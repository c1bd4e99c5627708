//! arkworks' fields of BLS12-377 and BW6-761, its sums over these and BLS12-381, and transforms over the scalars of both BLS12, of scalars and of points.

use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::{BigInt, Field as _};
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use halo2curves::ff::{Field, PrimeField, WithSmallOrderMulGroup};
use halo2curves::group::Group;
use zkaccel::curve::{CoordinateLimbs, affine, coordinates};
use zkaccel::field::TwoAdicPrime;
use zkaccel::msm::AcceleratedCurve;
use zkaccel::ntt::{Domain, Ntt};
use zkaccel::points::TransformedCurve;
use zkaccel::{bls12_377, bls12_381, bw6_761};

use crate::arkworks::transforms_agree;
use crate::inputs::{cpu, words};

fn scalars<F: PrimeField>(seed: u64, n: usize) -> Vec<F> {
    let mut word = words(seed);
    let base = F::from(1 << 32) * F::from(1 << 32);
    (0..n)
        .map(|_| (0..F::NUM_BITS.div_ceil(64)).fold(F::ZERO, |sum, _| sum * base + F::from(word())))
        .collect()
}

fn theirs<F: PrimeField, T: ark_ff::PrimeField>(values: &[F]) -> Vec<T> {
    values.iter().map(|value| T::from_le_bytes_mod_order(value.to_repr().as_ref())).collect()
}

/// The arithmetic and the constants of a field whose elements are types of the library, by those of arkworks.
fn fields_agree<F: WithSmallOrderMulGroup<3>, A: ark_ff::PrimeField>() {
    let theirs = |element: F| theirs::<F, A>(&[element])[0];
    let mut values = vec![F::ZERO, F::ONE, F::from(2), F::from(u64::MAX), -F::ONE, -F::from(2), F::TWO_INV];
    values.extend([F::ZETA, F::DELTA, F::ROOT_OF_UNITY, F::MULTIPLICATIVE_GENERATOR]);
    values.extend(scalars::<F>(77, 20));
    for &a in &values {
        let known = theirs(a);
        assert_eq!(
            [theirs(-a), theirs(a.double()), theirs(a.square())],
            [-known, known.double(), known.square()]
        );
        assert_eq!(Option::from(a.invert()).map(theirs), known.inverse(), "1/{a:?}");
        let root: Option<F> = a.sqrt().into();
        assert_eq!(root.is_some(), known.legendre().is_qr() || known == A::ZERO, "root of {a:?}");
        assert!(root.is_none_or(|root| root.square() == a), "root of {a:?}");
        assert_eq!(Option::<F>::from(F::from_repr(a.to_repr())), Some(a));
        assert_eq!(bool::from(a.is_odd()), a.to_repr().as_ref()[0] & 1 == 1);
        let digits: String = a.to_repr().as_ref().iter().rev().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(format!("{a:?}"), format!("0x{digits}"));
        for &b in &values {
            let other = theirs(b);
            let found = [a + b, a - b, a * b].map(theirs);
            assert_eq!(found, [known + other, known - other, known * other], "{a:?}, {b:?}");
            let (is_square, root) = F::sqrt_ratio(&a, &b);
            let is_root = root.square() * b == a && (b != F::ZERO || a == F::ZERO);
            assert_eq!(bool::from(is_square), is_root, "root of {a:?}/{b:?}");
        }
    }
    assert_eq!(theirs(values.iter().sum()), values.iter().map(|&a| theirs(a)).sum());
    assert_eq!(theirs(values[1..].iter().product()), values[1..].iter().map(|&a| theirs(a)).product());
    assert_eq!(theirs(F::MULTIPLICATIVE_GENERATOR), A::GENERATOR);
    assert_eq!(theirs(F::ROOT_OF_UNITY), A::TWO_ADIC_ROOT_OF_UNITY);
    assert_eq!((F::S, F::NUM_BITS), (A::TWO_ADICITY, A::MODULUS_BIT_SIZE));
    assert_eq!(F::ROOT_OF_UNITY * F::ROOT_OF_UNITY_INV, F::ONE);
    assert_eq!(F::DELTA, F::MULTIPLICATIVE_GENERATOR.pow_vartime([1 << F::S]));
    assert_eq!(F::TWO_INV.double(), F::ONE);
    assert!(F::ZETA != F::ONE && F::ZETA.cube() == F::ONE);
    // The modulus is no element.
    let mut modulus = (-F::ONE).to_repr();
    modulus.as_mut()[0] += 1;
    assert!(bool::from(F::from_repr(modulus).is_none()));
}

#[test]
fn fields_of_bw6_761() {
    fields_agree::<bw6_761::Fq, ark_bw6_761::Fq>();
}

#[test]
fn fields_of_bls12_377() {
    fields_agree::<bls12_377::Fr, ark_bls12_377::Fr>();
    fields_agree::<bls12_377::Fq, ark_bls12_377::Fq>();
}

/// The quadratic extension of BLS12-377's coordinates.
#[test]
fn extension_of_bls12_377() {
    use bls12_377::{Fq, Fq2};
    let known = |x: Fq2| ark_bls12_377::Fq2::new(theirs(&[x.c0])[0], theirs(&[x.c1])[0]);
    let mut coefficients = vec![Fq::ZERO, Fq::ONE, -Fq::ONE, Fq::from(2)];
    coefficients.extend(scalars::<Fq>(5, 4));
    let pairs = coefficients.iter().flat_map(|&c0| coefficients.iter().map(move |&c1| Fq2::new(c0, c1)));
    let values: Vec<Fq2> = pairs.collect();
    for &a in &values {
        let theirs = known(a);
        assert_eq!(
            [known(-a), known(a.double()), known(a.square())],
            [-theirs, theirs + theirs, theirs.square()]
        );
        assert_eq!(Option::from(a.invert()).map(known), theirs.inverse(), "1/{a:?}");
        let root: Option<Fq2> = a.sqrt().into();
        assert_eq!(root.is_some(), theirs.sqrt().is_some(), "root of {a:?}");
        assert!(root.is_none_or(|root| root.square() == a), "root of {a:?}");
        for &b in &values {
            let found = [a + b, a - b, a * b].map(known);
            assert_eq!(found, [theirs + known(b), theirs - known(b), theirs * known(b)], "{a:?}, {b:?}");
        }
        let (is_square, root) = Fq2::sqrt_ratio(&a, &values[9]);
        assert_eq!(bool::from(is_square), root.square() * values[9] == a, "root of {a:?}/{:?}", values[9]);
    }
}

/// Sums of n, 2 n, ... times a generator, with edge values among the scalars, as those of arkworks; `point` is its point of coordinates.
fn sums<C, A>(point: impl Fn([CoordinateLimbs<C>; 2]) -> A)
where
    C: AcceleratedCurve,
    A: AffineRepr<Group: VariableBaseMSM<MulBase = A>>,
{
    let engine = cpu();
    let generator = C::Projective::generator();
    let known = |base: &C| point(coordinates(&C::Projective::from(*base)).expect("not the identity"));
    assert_eq!(known(&C::generator()), A::generator());
    for n in [1, 50, 3000] {
        let points = std::iter::successors(Some(generator), |point| Some(*point + generator)).take(n);
        let bases: Vec<C> = affine(&points.collect::<Vec<_>>());
        let (one, mut scalars) = (C::Scalar::ONE, scalars::<C::Scalar>(n as u64, n));
        if n > 4 {
            scalars[..4].copy_from_slice(&[C::Scalar::ZERO, one, -one, -one.double()]);
        }
        let points: Vec<A> = bases.iter().map(known).collect();
        assert_eq!(points[n / 2], (A::generator() * A::ScalarField::from(n as u64 / 2 + 1)).into_affine());
        let expected = A::Group::msm(&points, &theirs(&scalars)).unwrap().into_affine();
        let found = coordinates(&engine.msm(&scalars, &bases).unwrap()).expect("not the identity");
        assert_eq!(point(found), expected, "{n}");
    }
}

/// Transforms of points as those of arkworks, there and back, with identities and opposite points among them.
fn transforms_of_points<C, A>(point: impl Fn([CoordinateLimbs<C>; 2]) -> A)
where
    C: TransformedCurve<Scalar: TwoAdicPrime>,
    A: AffineRepr,
{
    let engine = cpu();
    for log_size in [0, 1, 4, 7] {
        let mut factors = scalars::<C::Scalar>(u64::from(log_size), 1 << log_size);
        if let [first, second, third, fourth, ..] = &mut factors[..] {
            (*first, *third, *fourth) = (C::Scalar::ZERO, -*second, *second);
        }
        let points: Vec<_> = factors.iter().map(|factor| C::Projective::generator() * factor).collect();
        let mut points: Vec<C> = affine(&points);
        let known = |point_of: &C| coordinates(&C::Projective::from(*point_of)).map_or(A::zero(), &point);
        let all = |points: &[C]| points.iter().map(|point| known(point).into_group()).collect::<Vec<_>>();
        let domain = Radix2EvaluationDomain::<A::ScalarField>::new(1 << log_size).unwrap();
        let ours = Domain::<C::Scalar>::arkworks(log_size).unwrap();
        for shift in [C::Scalar::ONE, C::Scalar::from(5)] {
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
fn sums_over_bls12_381() {
    let fq = |limbs: [u64; 6]| ark_bls12_381::Fq::from(BigInt::new(limbs));
    let fq2 = |[c0, c1]: [[u64; 6]; 2]| ark_bls12_381::Fq2::new(fq(c0), fq(c1));
    sums::<bls12_381::G1Affine, _>(|[x, y]| ark_bls12_381::G1Affine::new_unchecked(fq(x), fq(y)));
    sums::<bls12_381::G2Affine, _>(|[x, y]| ark_bls12_381::G2Affine::new_unchecked(fq2(x), fq2(y)));
}

#[test]
fn transforms_of_points_over_bls12_381() {
    let fq = |limbs: [u64; 6]| ark_bls12_381::Fq::from(BigInt::new(limbs));
    let fq2 = |[c0, c1]: [[u64; 6]; 2]| ark_bls12_381::Fq2::new(fq(c0), fq(c1));
    transforms_of_points::<bls12_381::G1Affine, _>(|[x, y]| {
        ark_bls12_381::G1Affine::new_unchecked(fq(x), fq(y))
    });
    transforms_of_points::<bls12_381::G2Affine, _>(|[x, y]| {
        ark_bls12_381::G2Affine::new_unchecked(fq2(x), fq2(y))
    });
}

#[test]
fn sums_over_bls12_377() {
    let fq = |limbs: [u64; 6]| ark_bls12_377::Fq::from(BigInt::new(limbs));
    let fq2 = |[c0, c1]: [[u64; 6]; 2]| ark_bls12_377::Fq2::new(fq(c0), fq(c1));
    sums::<bls12_377::G1Affine, _>(|[x, y]| ark_bls12_377::G1Affine::new_unchecked(fq(x), fq(y)));
    sums::<bls12_377::G2Affine, _>(|[x, y]| ark_bls12_377::G2Affine::new_unchecked(fq2(x), fq2(y)));
}

#[test]
fn transforms_of_points_over_bls12_377() {
    let fq = |limbs: [u64; 6]| ark_bls12_377::Fq::from(BigInt::new(limbs));
    let fq2 = |[c0, c1]: [[u64; 6]; 2]| ark_bls12_377::Fq2::new(fq(c0), fq(c1));
    transforms_of_points::<bls12_377::G1Affine, _>(|[x, y]| {
        ark_bls12_377::G1Affine::new_unchecked(fq(x), fq(y))
    });
    transforms_of_points::<bls12_377::G2Affine, _>(|[x, y]| {
        ark_bls12_377::G2Affine::new_unchecked(fq2(x), fq2(y))
    });
}

#[test]
fn sums_over_bw6_761() {
    let fq = |limbs: [u64; 12]| ark_bw6_761::Fq::from(BigInt::new(limbs));
    sums::<bw6_761::G1Affine, _>(|[x, y]| ark_bw6_761::G1Affine::new_unchecked(fq(x), fq(y)));
}

#[test]
fn transforms_over_scalars() {
    use bls12_377::Fr as Fr377;
    use bls12_381::Fr as Fr381;
    let shifts = [Fr381::ONE, Fr381::from(5), Fr381::ZETA];
    transforms_agree(scalars, theirs::<Fr381, ark_bls12_381::Fr>, &shifts);
    let shifts = [Fr377::ONE, Fr377::from(5), Fr377::ZETA];
    transforms_agree(scalars, theirs::<Fr377, ark_bls12_377::Fr>, &shifts);
}

/// Slices of arkworks' types in place, and sums in its form.
macro_rules! slices_of_arkworks {
    ($name:ident, $library:ident, $theirs:ident, $affine:ident, $projective:ident, $points:path, $sum:path) => {
        #[test]
        fn $name() {
            use $theirs::{Fr, $affine as Affine, $projective as Projective};
            let scalars: Vec<Fr> = theirs(&scalars::<$library::Fr>(9, 100));
            let mut points: Vec<Affine> =
                (0..100).map(|i| (Affine::generator() * Fr::from(i * i)).into_affine()).collect();
            points[50] = -points[49];
            let found = cpu().msm($library::arkworks::scalars(&scalars), $points(&points)).unwrap();
            assert_eq!($sum(&found), Projective::msm(&points, &scalars).unwrap());
            let nothing = cpu().msm(&[], $points(&[])).unwrap();
            assert_eq!($sum(&nothing), Projective::default());
        }
    };
}
slices_of_arkworks!(
    slices_over_bls12_381,
    bls12_381,
    ark_bls12_381,
    G1Affine,
    G1Projective,
    bls12_381::arkworks::points,
    bls12_381::arkworks::projective
);
slices_of_arkworks!(
    slices_over_g2_of_bls12_381,
    bls12_381,
    ark_bls12_381,
    G2Affine,
    G2Projective,
    bls12_381::arkworks::points_of_g2,
    bls12_381::arkworks::projective_of_g2
);
slices_of_arkworks!(
    slices_over_bls12_377,
    bls12_377,
    ark_bls12_377,
    G1Affine,
    G1Projective,
    bls12_377::arkworks::points,
    bls12_377::arkworks::projective
);
slices_of_arkworks!(
    slices_over_g2_of_bls12_377,
    bls12_377,
    ark_bls12_377,
    G2Affine,
    G2Projective,
    bls12_377::arkworks::points_of_g2,
    bls12_377::arkworks::projective_of_g2
);
slices_of_arkworks!(
    slices_over_bw6_761,
    bw6_761,
    ark_bw6_761,
    G1Affine,
    G1Projective,
    bw6_761::arkworks::points,
    bw6_761::arkworks::projective
);
