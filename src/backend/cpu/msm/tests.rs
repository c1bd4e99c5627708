//! Sums over every curve, at every level that has vectors for them, against halo2curves.

use halo2curves::group::Group;

use super::*;
use crate::backend::cpu::Simd;
use crate::backend::cpu::simd::vectors_of;
use crate::curve::Subgroup;
use crate::curve::samples::{bases, multiples, scalars, some_points, sum, times_order, wide};

/// Sums of rows of scalars over the same bases, which are kept with tables or not at all, as are the scalars.
///
/// Tables are the same for every level, and of many bases they take longer to make than all else: so these have them over the first curve alone.
fn check<C: Curve<Base: VectorisedField>>(
    levels: impl IntoIterator<Item = Simd>,
    what: &str,
    rows: &[(&str, Vec<C::Scalar>)],
    points: &[C],
    expected: &[C::Projective],
) {
    let room = if points.len() < 1 << 10 || C::NAME == "bn254-g1" { u64::MAX } else { 0 };
    let tables = Cpu::default().keep_bases(points, room).unwrap();
    for simd in levels {
        let cpu = Cpu::new(simd).unwrap();
        for ((name, scalars), expected) in rows.iter().zip(expected) {
            let integers = cpu.keep_scalars(scalars).unwrap();
            for (kept_scalars, kept_bases) in [(None, None), (integers.as_ref(), tables.as_ref())] {
                let mut found = [C::Projective::default()];
                let bases = BasesView { points, kept: kept_bases, first: 0 };
                cpu.msm(ScalarsView { scalars, kept: kept_scalars }, bases, &mut found, &Meter::silent())
                    .unwrap();
                assert_eq!(found[0], *expected, "{} on {simd}: {what}, {name}", C::NAME);
            }
        }
    }
}

/// Sums of rows of scalars at each level that differs from those below it, over bases that are factors times the generator.
fn check_levels<C: Curve<Base: VectorisedField>>(
    what: &str,
    rows: &[(&str, Vec<C::Scalar>)],
    factors: &[C::Scalar],
) {
    let points = multiples::<C>(factors);
    let expected: Vec<_> = rows.iter().map(|(_, scalars)| sum::<C>(scalars, factors)).collect();
    let levels = Simd::available().filter(|&simd| vectors_of("Quadwords", simd).0 == simd);
    check(levels, what, rows, &points, &expected);
}

/// At all sizes around those where plans change; these are the same for every curve, so most curves have some of them.
fn sums_agree<C: Curve<Base: VectorisedField>>() {
    let (few, many): (&[usize], &[usize]) = match C::NAME {
        "bn254-g1" => (&[0, 1, 2, 31, 32, 33, 63, 65, 127, 129], &[4095, 4097]),
        _ => (&[0, 1, 65], &[4097]),
    };
    for &n in few {
        for (name, factors) in bases::<C::Scalar>(n) {
            check_levels::<C>(&format!("{n} times {name}"), &scalars(n), &factors);
        }
    }
    // Enough for buckets that are added to in whole batches.
    for &n in many {
        let factors: Vec<_> = (0..n).map(|i| wide(3 * i)).collect();
        let row = (0..n).map(|i| wide(5 * i + 1)).collect();
        check_levels::<C>(&n.to_string(), &[("wide", row)], &factors);
    }
}

/// The sum by halo2curves' own operations, term by term, and by the reference; at all sizes over the first curve, since sizes are the same for every curve.
fn reference_agrees<C: Curve<Base: VectorisedField>>() {
    let sizes: &[usize] = if C::NAME == "bn254-g1" { &[0, 1, 31, 32, 33] } else { &[1, 9] };
    for &n in sizes {
        let points = multiples::<C>(&bases::<C::Scalar>(n)[3].1);
        let rows = scalars::<C::Scalar>(n);
        let by_terms = |(_, scalars): &(&str, Vec<C::Scalar>)| {
            let terms =
                points.iter().zip(scalars).map(|(&point, scalar)| C::Projective::from(point) * scalar);
            terms.fold(C::Projective::identity(), |sum, term| sum + term)
        };
        let expected: Vec<_> = rows.iter().map(by_terms).collect();
        for ((name, scalars), expected) in rows.iter().zip(&expected) {
            let mut found = [C::Projective::default()];
            let bases = BasesView { points: &points, kept: None, first: 0 };
            let all = ScalarsView { scalars, kept: None };
            crate::backend::reference::Reference.msm(all, bases, &mut found, &Meter::silent()).unwrap();
            assert_eq!(found[0], *expected, "{} by the reference: {n}, {name}", C::NAME);
        }
        check([Simd::best()], &n.to_string(), &rows, &points, &expected);
    }
}

macro_rules! curves {
    ($($curve:path, $name:literal;)*) => {
        #[test]
        fn sums_over_every_curve() {
            // A thread for each, or the last curve keeps one core busy while the others have nothing left to do.
            std::thread::scope(|scope| {
                $(scope.spawn(sums_agree::<$curve>);)*
            });
        }

        #[test]
        fn sums_of_the_reference_over_every_curve() {
            $(reference_agrees::<$curve>();)*
        }
    };
}
crate::for_every_curve!(curves);

/// A little of everything at each level, which takes no long time without optimisation either.
#[test]
fn sums_of_several_sizes() {
    type Scalar = <halo2curves::bn256::G1Affine as Curve>::Scalar;
    for n in [3, 64, 300] {
        for (name, factors) in bases::<Scalar>(n).into_iter().take(3) {
            let rows: Vec<_> = scalars(n).into_iter().step_by(3).collect();
            check_levels::<halo2curves::bn256::G1Affine>(&format!("{n} times {name}"), &rows, &factors);
        }
    }
}

/// A point P of the curve that is not in the group of order r, so that r P is not the identity: a scalar stands for itself alone, whether it is kept or not.
#[test]
fn sums_over_points_outside_the_group() {
    type C = halo2curves::bls12381::G1Affine;
    let outside = some_points::<C>().into_iter().find(|point| !point.is_in_subgroup()).expect("most are");
    let last = -<C as Curve>::Scalar::from(1);
    let expected = times_order(&outside) - outside;
    assert_ne!(expected, -halo2curves::bls12381::G1::from(outside));
    check(Simd::available(), "outside", &[("r - 1", vec![last])], &[outside], &[expected]);
}

/// More scalars of a bit than a task takes at once, which are in one bucket.
#[test]
fn a_task_takes_bases_in_pieces() {
    type C = halo2curves::bn256::G1Affine;
    let (n, different) = (16_500, 40);
    let factors: Vec<<C as Curve>::Scalar> = (0..different).map(|i| wide(3 * i + 1)).collect();
    let points: Vec<C> = multiples(&factors).into_iter().cycle().take(n).collect();
    let factors: Vec<_> = factors.into_iter().cycle().take(n).collect();
    let bits: Vec<_> = (0..n).map(|i| <C as Curve>::Scalar::from(u64::from(i % 3 > 0))).collect();
    let expected = [sum::<C>(&bits, &factors)];
    let mut found = [halo2curves::bn256::G1::default()];
    let (scalars, bases) =
        (ScalarsView { scalars: &bits, kept: None }, BasesView { points: &points, kept: None, first: 0 });
    let run = || Cpu::default().msm(scalars, bases, &mut found, &Meter::silent());
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(run).unwrap();
    assert_eq!(found, expected);
}

/// Sums over a part of the bases that tables were made of, several at a time, and all that they count.
#[test]
fn sums_over_parts_of_tables() {
    type C = halo2curves::bn256::G1Affine;
    let factors: Vec<<C as Curve>::Scalar> = (0..70).map(|i| wide(3 * i + 1)).collect();
    let points = multiples::<C>(&factors);
    let tables = Msm::<C>::keep_bases(&Cpu::default(), &points, u64::MAX).unwrap();
    assert!(tables.is_some());
    let told = crate::sync::Mutex::new((0, 0));
    for (first, end) in [(0, 70), (5, 70), (0, 33), (7, 8)] {
        let scalars: Vec<_> = (0..3 * (end - first)).map(|i| wide(5 * i)).collect();
        for kept in [None, tables.as_ref()] {
            let (scalars, bases) = (
                ScalarsView { scalars: &scalars, kept: None },
                BasesView { points: &points[first..end], kept, first },
            );
            let mut found = [halo2curves::bn256::G1::default(); 3];
            let tell = |done, of| *crate::lock::lock(&told) = (done, of);
            Cpu::default().msm(scalars, bases, &mut found, &Meter::telling(&tell)).unwrap();
            let rows = scalars.scalars.chunks(end - first);
            let expected: Vec<_> = rows.map(|row| sum::<C>(row, &factors[first..end])).collect();
            assert_eq!(found[..], expected, "{first}..{end}");
            assert_eq!(
                *crate::lock::lock(&told),
                (crate::meter::PIECES, crate::meter::PIECES),
                "{first}..{end}"
            );
        }
    }
}
