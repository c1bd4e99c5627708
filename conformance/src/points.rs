//! Transforms of points, over every curve whose scalars have transforms.

use halo2curves::ff::Field;
use halo2curves::group::{Curve as _, Group};
use zkaccel::curve::FixedBase;
use zkaccel::ntt::{Domain, Ntt, Order};
use zkaccel::points::TransformedCurve;
use zkaccel::work::items;
use zkaccel::{Engine, Error};

use crate::data::Words;
use crate::sums::multiples;
use crate::{Case, agree, expect_equal, expect_error, from_four_threads, reference};

macro_rules! cases {
    ($($affine:path, $name:literal;)*) => {
        pub(super) const CASES: &[Case] = &[$(
            Case { name: concat!("transforms of points over ", $name, ", sizes"), run: sizes::<$affine> },
            Case { name: concat!("transforms of points over ", $name, ", every order and coset"), run: orders::<$affine> },
            Case { name: concat!("transforms of points over ", $name, ", identities, equal and opposite points"), run: edges::<$affine> },
            Case { name: concat!("transforms of points over ", $name, ", refused"), run: refused::<$affine> },
            Case { name: concat!("transforms of points over ", $name, ", jobs, and four threads"), run: callers::<$affine> },
            Case { name: concat!("transforms of points over ", $name, ", large"), run: large::<$affine> },
        )*];

        /// The device's own error for a transform of points of the curve of a case.
        pub(super) fn answer(case: &str, engine: &Engine) -> Option<Error> {
            $(if case.starts_with(concat!("transforms of points over ", $name, ",")) {
                let one_point = <$affine>::some_domain(0).expect("every field has a subgroup of one element");
                return engine.transform_points(&Ntt::forward(one_point), &mut [<$affine>::default()]).err();
            })*
            None
        }
    };
}
zkaccel::for_every_two_adic_curve!(cases);

/// Points against the textbook's transform.
fn check<C: TransformedCurve>(
    engine: &Engine,
    what: &str,
    ntt: &Ntt<C::Scalar>,
    points: &[C],
) -> Result<(), String> {
    agree(what, engine, |engine| {
        let mut points = points.to_vec();
        engine.transform_points(ntt, &mut points)?;
        Ok(points)
    })
}

/// Known multiples of the generator against the transform of their factors.
fn check_multiples<C: TransformedCurve>(
    engine: &Engine,
    what: &str,
    ntt: &Ntt<C::Scalar>,
    (mut factors, mut points): (Vec<C::Scalar>, Vec<C>),
) -> Result<(), String> {
    engine.transform_points(ntt, &mut points)?;
    for run in factors.chunks_exact_mut(ntt.domain.size()) {
        reference()?.ntt(ntt, run)?;
    }
    expect_equal(what, &points, &of_generator(&factors)?)
}

/// Multiples of the generator by factors.
fn of_generator<C: TransformedCurve>(factors: &[C::Scalar]) -> Result<Vec<C>, Error> {
    FixedBase::new(C::Projective::generator().to_affine(), factors.len()).multiples(factors)
}

/// Every size from one point on, and several runs.
fn sizes<C: TransformedCurve>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(120);
    for log in 0..=6 {
        let domain = C::some_domain(log)?;
        for ntt in [Ntt::forward(domain), Ntt::inverse(domain)] {
            let runs = if log < 4 { 3 } else { 1 };
            let (_, points) = multiples::<C>(&mut words, runs << log);
            check(engine, &format!("{runs} runs of 2^{log}, {ntt:?}"), &ntt, &points)?;
        }
    }
    let domain = C::some_domain(7)?;
    for (runs, ntt) in [(1, Ntt::forward(domain)), (2, Ntt::inverse(domain))] {
        let known = multiples::<C>(&mut words, runs << 7);
        check_multiples(engine, &format!("{runs} runs of 2^7"), &ntt, known)?;
    }
    Ok(())
}

/// Another root, a coset, both directions, and both orders on either side; there and back is where it was.
fn orders<C: TransformedCurve>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(121);
    for log in [1, 3, 4] {
        let subgroup = C::some_domain(log)?;
        let other = Domain::with_root(log, subgroup.root() * subgroup.root() * subgroup.root())?;
        for domain in [subgroup, other, other.coset(C::Scalar::from(7))?, subgroup.coset(-C::Scalar::ONE)?] {
            let (_, points) = multiples::<C>(&mut words, 1 << log);
            for input in [Order::Natural, Order::BitReversed] {
                for output in [Order::Natural, Order::BitReversed] {
                    for ntt in [Ntt::forward(domain), Ntt::inverse(domain)] {
                        let ntt = ntt.with_orders(input, output);
                        check(engine, &format!("2^{log}, {ntt:?}"), &ntt, &points)?;
                        let mut found = points.clone();
                        engine.transform_points(&ntt, &mut found)?;
                        engine.transform_points(&ntt.undo(), &mut found)?;
                        expect_equal("there and back", &found, &points)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Points for which the sums of butterflies meet equal, opposite and no points, with sums that are the identity.
fn edges<C: TransformedCurve>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(122);
    for log in [1, 2, 5] {
        let n = 1 << log;
        let (_, different) = multiples::<C>(&mut words, n);
        let none = C::default();
        let point = different[0];
        let pick = |choose: &dyn Fn(usize) -> C| (0..n).map(choose).collect::<Vec<_>>();
        let inputs = [
            ("identities", vec![none; n]),
            ("one point", vec![point; n]),
            ("a point and its negative in turn", pick(&|i| if i % 2 == 0 { point } else { -point })),
            ("halves that are opposite", pick(&|i| if i < n / 2 { point } else { -point })),
            ("halves that are equal", pick(&|i| different[i % (n / 2)])),
            ("one point among identities", pick(&|i| if i == n - 1 { point } else { none })),
            ("the first point alone", pick(&|i| if i == 0 { point } else { none })),
            ("every third an identity", pick(&|i| if i % 3 == 0 { none } else { different[i] })),
            ("half of them identities", pick(&|i| if i < n / 2 { different[i] } else { none })),
        ];
        let domain = C::some_domain(log)?;
        for (what, points) in inputs {
            for ntt in [Ntt::forward(domain), Ntt::inverse(domain)] {
                check(engine, &format!("2^{log}, {what}"), &ntt, &points)?;
            }
        }
        // Multiples by powers of the root: all sums but one are the identity.
        let root = domain.root();
        let powers = std::iter::successors(Some(C::Scalar::ONE), |&power| Some(power * root));
        let powers: Vec<C> = of_generator(&powers.take(n).collect::<Vec<_>>())?;
        for ntt in [Ntt::forward(domain), Ntt::inverse(domain)] {
            check(engine, &format!("2^{log}, powers of the root"), &ntt, &powers)?;
        }
    }
    Ok(())
}

fn refused<C: TransformedCurve>(engine: &Engine) -> Result<(), String> {
    let ntt = Ntt::forward(C::some_domain(2)?);
    for (found, expected) in [(3, 0), (5, 4), (9, 8)] {
        let (_, points) = multiples::<C>(&mut Words::new(123), found);
        let mut changed = points.clone();
        let refused = engine.transform_points(&ntt, &mut changed);
        let expected = Error::LengthMismatch { what: "points in whole runs", expected, found };
        expect_error(&format!("{found} points"), refused, &expected)?;
        expect_equal("what was refused", &changed, &points)?;
    }
    engine.transform_points::<C>(&ntt, &mut [])?;
    Ok(())
}

/// Jobs and threads that transform at once, with an account of it.
fn callers<C: TransformedCurve>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(124);
    let ntt = Ntt::forward(C::some_domain(4)?);
    let runs: Vec<_> = (0..4).map(|_| multiples::<C>(&mut words, 16).1).collect();
    let transformed = |engine: &Engine, points: &[C]| {
        let mut points = points.to_vec();
        engine.transform_points(&ntt, &mut points).map(|()| points)
    };
    let expected: Vec<_> = runs.iter().map(|run| transformed(reference()?, run)).collect::<Result<_, _>>()?;
    let before = items(&engine.work(), "transform of points");
    let found = from_four_threads(|number| transformed(engine, &runs[number]))?;
    expect_equal("from four threads", &found, &expected)?;
    let jobs: Vec<_> = runs.iter().map(|run| engine.transform_points_async(&ntt, run.clone())).collect();
    for (job, expected) in jobs.into_iter().zip(&expected) {
        expect_equal("a job", &job.wait()?, expected)?;
    }
    let counted = items(&engine.work(), "transform of points") - before;
    expect_equal("points in the account", &[counted], &[2 * 4 * 16])
}

/// Against multiples, as large as devices that make all products can do in little time.
fn large<C: TransformedCurve>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(125);
    let (coset, subgroup) = (C::some_domain(8)?.coset(C::Scalar::from(5))?, C::some_domain(9)?);
    for ntt in [Ntt::forward(coset), Ntt::inverse(subgroup)] {
        let known = multiples::<C>(&mut words, ntt.domain.size());
        check_multiples(engine, &format!("{ntt:?}"), &ntt, known)?;
    }
    Ok(())
}
