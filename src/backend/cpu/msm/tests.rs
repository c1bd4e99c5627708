//! Sums over every curve, with the instructions of every level, against halo2curves.

use halo2curves::group::Group;

use super::*;
use crate::backend::cpu::Simd;
use crate::curve::samples::{bases, multiples, scalars, sum, wide};

/// A sum, over bases and scalars that are kept, the bases with tables, and over those that are not.
fn check<C: Curve>(
    cpu: &Cpu,
    what: &str,
    scalars: &[C::Scalar],
    (points, tables): (&[C], &Option<Kept>),
    expected: C::Projective,
) {
    let integers = cpu.integers_of(scalars).unwrap();
    for (kept_scalars, kept_bases) in [(None, None), (integers.as_ref(), tables.as_ref())] {
        let mut found = [C::Projective::default()];
        let bases = BasesView { points, kept: kept_bases, first: 0 };
        cpu.sums(ScalarsView { scalars, kept: kept_scalars }, bases, &mut found).unwrap();
        assert_eq!(found[0], expected, "{} on {}: {what}", C::NAME, cpu.simd);
    }
}

fn sums_agree<C: Curve>() {
    for simd in Simd::available() {
        let cpu = Cpu::new(simd).unwrap();
        for n in [0, 1, 2, 31, 32, 33, 63, 65, 127, 129] {
            for (bases_name, factors) in bases::<C::Scalar>(n) {
                let points = multiples::<C>(&factors);
                let tables = cpu.tables_of(&points, u64::MAX).unwrap();
                for (name, scalars) in scalars(n) {
                    let what = format!("{n} times {bases_name}, {name}");
                    check(&cpu, &what, &scalars, (&points, &tables), sum::<C>(&scalars, &factors));
                }
            }
        }
        // Enough for buckets that are added to in whole batches.
        for n in [4095, 4097] {
            let factors: Vec<C::Scalar> = (0..n).map(|i| wide(3 * i)).collect();
            let scalars: Vec<C::Scalar> = (0..n).map(|i| wide(5 * i + 1)).collect();
            let points = multiples::<C>(&factors);
            let tables = cpu.tables_of(&points, u64::MAX).unwrap();
            let expected = sum::<C>(&scalars, &factors);
            check(&cpu, &n.to_string(), &scalars, (&points, &tables), expected);
        }
    }
}

/// The sum by halo2curves' own operations, term by term, and by the reference.
fn reference_agrees<C: Curve>() {
    for n in [0, 1, 31, 32, 33] {
        let points = multiples::<C>(&bases::<C::Scalar>(n)[3].1);
        for (name, scalars) in scalars::<C::Scalar>(n) {
            let terms =
                points.iter().zip(&scalars).map(|(&point, scalar)| C::Projective::from(point) * scalar);
            let expected = terms.fold(C::Projective::identity(), |sum, term| sum + term);
            let mut found = [C::Projective::default()];
            let bases = BasesView { points: &points, kept: None, first: 0 };
            let all = ScalarsView { scalars: &scalars, kept: None };
            crate::backend::reference::Reference.msm(all, bases, &mut found).unwrap();
            assert_eq!(found[0], expected, "{} by the reference: {n}, {name}", C::NAME);
            check(&Cpu::default(), name, &scalars, (&points, &None), expected);
        }
    }
}

macro_rules! curves {
    ($($curve:path, $name:literal;)*) => {
        #[test]
        fn sums_over_every_curve() {
            $(sums_agree::<$curve>();)*
        }

        #[test]
        fn sums_of_the_reference_over_every_curve() {
            $(reference_agrees::<$curve>();)*
        }
    };
}
crate::for_every_curve!(curves);
