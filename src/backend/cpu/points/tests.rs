//! Products and butterflies of every curve, in every kind of vectors, against halo2curves.

use super::*;
use crate::backend::Transforms;
use crate::backend::cpu::simd::{Simd, vectors_of};
use crate::backend::reference::Reference;
use crate::bls12_381::{Fr, G1Affine};
use crate::curve::samples::{edges, multiples, wide};
use crate::curve::{TwoAdicCurve, affine};
use crate::ntt::Domain;

fn arithmetic<C: TwoAdicCurve, R: Coordinates<Element = Coordinate<C>>>(
    vectors: PhantomData<R>,
) -> PointArithmetic<C, R> {
    let form = Form::of::<R>();
    PointArithmetic { beta: C::endomorphism().beta.mul(form.into), form, vectors }
}

/// Scalars at the edges and others, times points that are different, one and none; the last vector is not full.
fn products<C: TwoAdicCurve, R: Coordinates<Element = Coordinate<C>>>(vectors: PhantomData<R>) {
    let arithmetic = arithmetic::<C, R>(vectors);
    let scalars: Vec<C::Scalar> = edges().into_iter().chain((0..30).map(wide)).collect();
    let zero = C::Scalar::from(0);
    let choices: [&dyn Fn(usize) -> C::Scalar; 3] =
        [&|i| wide(i + 3), &|_| wide(5), &|i| if i % 3 == 0 { zero } else { wide(i) }];
    for choose in choices {
        let factors: Vec<_> = (0..scalars.len()).map(choose).collect();
        let points = multiples::<C>(&factors);
        let mut state: Vec<_> = affine_points(&points).iter().map(|point| arithmetic.start(point)).collect();
        arithmetic.scale(&mut state, &Factors::new::<C>(&scalars), |i| i);
        let expected: Vec<_> =
            points.iter().zip(&scalars).map(|(&point, scalar)| C::Projective::from(point) * scalar).collect();
        assert_eq!(arithmetic.normalized(&state).unwrap(), affine(&expected), "{}", C::NAME);
    }
}

/// Every two of some points among which there are equal and opposite ones and the identity, with denominators of their own.
fn butterflies<C: TwoAdicCurve, R: Coordinates<Element = Coordinate<C>>>(vectors: PhantomData<R>) {
    let arithmetic = arithmetic::<C, R>(vectors);
    let factors = [0, 1, 2, 3, 1000].map(C::Scalar::from);
    let factors: Vec<_> = factors.iter().flat_map(|&factor| [factor, -factor, factor]).collect();
    let points = multiples::<C>(&factors);
    let mut state: Vec<_> = affine_points(&points).iter().map(|point| arithmetic.start(point)).collect();
    let inverse: C::Scalar = Option::from(halo2curves::ff::Field::invert(&wide::<C::Scalar>(9))).unwrap();
    // There and back, which leaves other denominators.
    for scalar in [wide(9), inverse] {
        arithmetic.scale(&mut state, &Factors::new::<C>(&[scalar]), |_| 0);
    }
    let pairs = (0..state.len()).flat_map(|i| (0..factors.len()).map(move |j| (i, j)));
    let pairs: Vec<_> = pairs.collect();
    for pairs in pairs.chunks(R::WIDTH) {
        let lane = |lane: usize| pairs[lane.min(pairs.len() - 1)];
        let (a, b) = (from_fn(|i| &state[lane(i).0]), from_fn(|i| &state[lane(i).1]));
        let found = arithmetic.butterflies(a, b);
        for (lane, &(i, j)) in pairs.iter().enumerate() {
            let [p, q] = [i, j].map(|index| C::Projective::from(points[index]));
            let expected = affine(&[p + q, p + -q]);
            assert_eq!(arithmetic.normalized(&found[lane]).unwrap(), expected, "{} {i} {j}", C::NAME);
        }
    }
}

fn every_level<C: TwoAdicCurve<Base: VectorisedField>>() {
    for simd in Simd::available().filter(|&simd| vectors_of("Quadwords", simd).0 == simd) {
        on_coordinates!(simd, C::Base, coordinates, {
            products::<C, _>(coordinates);
            butterflies::<C, _>(coordinates);
        });
    }
}

macro_rules! curves {
    ($($affine:path, $name:literal;)*) => {
        #[test]
        fn products_and_butterflies_in_every_kind_of_vectors() {
            $(every_level::<$affine>();)*
        }
    };
}
crate::for_every_two_adic_curve!(curves);

/// Several runs of many points, of known factors, on all threads of a pool.
#[test]
fn many_points() {
    let (log, runs) = (10, 3);
    let factors: Vec<Fr> = (0..runs << log).map(wide).collect();
    let domain = Domain::<Fr>::halo2(log).unwrap();
    for ntt in [Ntt::forward(domain.coset(Fr::from(7)).unwrap()), Ntt::inverse(domain)] {
        let (mut points, mut expected) = (multiples::<G1Affine>(&factors), factors.clone());
        Cpu::default().transform_points(&ntt, &mut points).unwrap();
        Transforms::ntt(&Reference, &ntt, &mut expected, 1).unwrap();
        assert!(points == multiples::<G1Affine>(&expected), "{ntt:?}");
    }
}
