//! Multi-scalar multiplication, over every curve.

use halo2curves::ff::{Field, PrimeField};
use halo2curves::group::{Curve, Group};
use zkaccel::curve::{limbs_of_points, points};
use zkaccel::field::ScalarField;
use zkaccel::matrix::Matrix;
use zkaccel::msm::{AcceleratedCurve, BasesOptions, ScalarsInput};
use zkaccel::{Engine, Error};

use crate::data::Words;
use crate::residence::with_budget;
use crate::{Case, agree, expect_equal, expect_error, from_four_threads, reference, wrong_engine};

macro_rules! cases {
    ($($affine:path, $name:literal;)*) => {
        pub(super) const CASES: &[Case] = &[$(
            Case { name: concat!("msm over ", $name, ", sizes around powers of two"), run: sizes::<$affine> },
            Case { name: concat!("msm over ", $name, ", edge scalars"), run: edge_scalars::<$affine> },
            Case { name: concat!("msm over ", $name, ", identities, repeated and opposite bases"), run: edge_bases::<$affine> },
            Case { name: concat!("msm over ", $name, ", narrow and skewed scalars"), run: skewed::<$affine> },
            Case { name: concat!("msm over ", $name, ", kept bases and scalars, batches"), run: kept::<$affine> },
            Case { name: concat!("msm over ", $name, ", sums that are refused"), run: refused::<$affine> },
            Case { name: concat!("msm over ", $name, ", four threads on the same bases"), run: callers::<$affine> },
            Case { name: concat!("msm over ", $name, ", within any device budget"), run: budgets::<$affine> },
            Case { name: concat!("msm over ", $name, ", parts that are and are not alike"), run: parts::<$affine> },
        )*];

        /// The device's own result or error for a sum over the curve of a case.
        pub(super) fn answer(case: &str, engine: &Engine) -> Option<Error> {
            $(if case.starts_with(concat!("msm over ", $name, ",")) {
                return engine.msm(&[] as &[<$affine as zkaccel::msm::Curve>::Scalar], &[] as &[$affine]).err();
            })*
            None
        }
    };
}
zkaccel::for_every_curve!(cases);

/// Powers of 2 near which scalars are edges.
const POWERS: [u64; 17] = [1, 7, 8, 12, 13, 15, 16, 31, 32, 63, 64, 127, 128, 191, 192, 252, 253];
/// Widths of digits in bits.
const DIGITS: [u32; 4] = [4, 8, 13, 16];
/// How many edges are alone, and how many there are.
const ALONE: usize = 7;
const EDGES: usize = ALONE + 3 * (POWERS.len() + DIGITS.len());

/// One of the scalars around every carry of digits and of the field, of which there are [`EDGES`].
fn edge<F: PrimeField>(number: usize) -> F {
    let half = F::TWO_INV;
    let Some(near) = number.checked_sub(ALONE) else {
        return [F::ZERO, F::ONE, -F::ONE, -F::from(2), half, -half, half - F::ONE][number];
    };
    let middle = match POWERS.get(near / 3) {
        Some(&exponent) => F::from(2).pow_vartime([exponent]),
        // Every digit half the base.
        None => {
            let bits = DIGITS[near / 3 - POWERS.len()];
            let base = F::from(1 << bits);
            (0..252 / bits).fold(F::ZERO, |sum, _| sum * base + F::from(1 << (bits - 1)))
        }
    };
    [middle, middle - F::ONE, -middle][near % 3]
}

/// All of them.
pub(super) fn edges<F: PrimeField>() -> Vec<F> {
    (0..EDGES).map(edge).collect()
}

/// A scalar of full width.
fn random<F: ScalarField>(words: &mut Words) -> F {
    let base = F::from(u64::MAX) + F::ONE;
    (0..F::NUM_BITS.div_ceil(64)).fold(F::ZERO, |sum, _| sum * base + F::from(words.next()))
}

/// A scalar: an edge one time in eight.
pub(super) fn scalar<F: ScalarField>(words: &mut Words) -> F {
    let random = random(words);
    match words.next() {
        choice if choice % 8 == 0 => edge((choice >> 8) as usize % EDGES),
        _ => random,
    }
}

fn scalars<F: ScalarField>(words: &mut Words, n: usize) -> Vec<F> {
    (0..n).map(|_| scalar(words)).collect()
}

/// Bases k G with the factors k, which make any sum one multiplication.
pub(super) fn multiples<C: AcceleratedCurve>(words: &mut Words, n: usize) -> (Vec<C::Scalar>, Vec<C>) {
    let step = C::Scalar::from(words.next());
    let first: C::Scalar = random(words);
    let factors: Vec<_> = std::iter::successors(Some(first), |factor| Some(*factor + step)).take(n).collect();
    let by = C::Projective::generator() * step;
    let points: Vec<_> =
        std::iter::successors(Some(C::Projective::generator() * first), |point| Some(*point + by))
            .take(n)
            .collect();
    let mut bases = vec![C::default(); n];
    C::Projective::batch_normalize(&points, &mut bases);
    (factors, bases)
}

/// A sum against doubling and adding.
fn check<C: AcceleratedCurve>(
    engine: &Engine,
    what: &str,
    scalars: &[C::Scalar],
    bases: &[C],
) -> Result<(), String> {
    agree(what, engine, |engine| Ok(vec![engine.msm(scalars, bases)?]))
}

/// The sum over known multiples of the generator.
fn sum_of_multiples<C: AcceleratedCurve>(scalars: &[C::Scalar], factors: &[C::Scalar]) -> C::Projective {
    C::Projective::generator() * scalars.iter().zip(factors).map(|(a, b)| *a * b).sum::<C::Scalar>()
}

/// A sum of known multiples of the generator against one multiplication.
fn check_multiples<C: AcceleratedCurve>(
    engine: &Engine,
    what: &str,
    scalars: &[C::Scalar],
    (factors, bases): &(Vec<C::Scalar>, Vec<C>),
) -> Result<(), String> {
    let found = engine.msm(scalars, bases)?;
    expect_equal(what, &[found], &[sum_of_multiples::<C>(scalars, factors)])
}

fn sizes<C: AcceleratedCurve>(engine: &Engine) -> Result<(), String> {
    let small = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 31, 32, 33, 64];
    let large = [63, 65, 127, 128, 129, 237, 255, 257, 511, 512, 513, 1023, 1025, 4095, 4097, 8192];
    sums::<C>(engine, &small, &large)
}

/// Sums of so many terms against doubling and adding, and sums of so many multiples of one base.
pub(super) fn sums<C: AcceleratedCurve>(
    engine: &Engine,
    small: &[usize],
    large: &[usize],
) -> Result<(), String> {
    let mut words = Words::new(20);
    for &n in small {
        let (scalars, (_, bases)) = (scalars(&mut words, n), multiples::<C>(&mut words, n));
        check(engine, &format!("msm of {n}"), &scalars, &bases)?;
    }
    for &n in large {
        let (scalars, bases) = (scalars(&mut words, n), multiples::<C>(&mut words, n));
        check_multiples(engine, &format!("msm of {n}"), &scalars, &bases)?;
    }
    Ok(())
}

fn edge_scalars<C: AcceleratedCurve>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(21);
    let edges = edges::<C::Scalar>();
    let bases = multiples::<C>(&mut words, edges.len());
    check_multiples(engine, "edge scalars", &edges, &bases)?;
    for scalar in &edges {
        check(engine, &format!("one times {scalar:?}"), &[*scalar], &bases.1[..1])?;
        // All scalars equal: every base in the same buckets.
        check_multiples(engine, &format!("all {scalar:?}"), &vec![*scalar; edges.len()], &bases)?;
    }
    Ok(())
}

fn edge_bases<C: AcceleratedCurve>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(22);
    let identity = C::default();
    for n in [1, 2, 3, 16, 33, 300] {
        let (_, points) = multiples::<C>(&mut words, n);
        let wide = scalars(&mut words, n);
        let base = points[0];
        let shapes: [(&str, Vec<C>); 6] = [
            ("all identities", vec![identity; n]),
            (
                "every third an identity",
                (0..n).map(|i| if i % 3 == 1 { identity } else { points[i] }).collect(),
            ),
            ("one base throughout", vec![base; n]),
            (
                "a base and its negative by turns",
                (0..n).map(|i| if i % 2 == 0 { base } else { -base }).collect(),
            ),
            ("three bases by turns", (0..n).map(|i| points[i % 3 % n]).collect()),
            ("a base, its negative, an identity", (0..n).map(|i| [base, -base, identity][i % 3]).collect()),
        ];
        let rows = [
            ("wide", wide.clone()),
            ("equal", vec![wide[0]; n]),
            ("bits", (0..n).map(|_| C::Scalar::from(words.next() & 1)).collect()),
            (
                "one and minus one",
                (0..n).map(|i| if i % 2 == 0 { C::Scalar::ONE } else { -C::Scalar::ONE }).collect(),
            ),
            ("zero", vec![C::Scalar::ZERO; n]),
        ];
        for (bases_name, bases) in &shapes {
            for (scalars_name, scalars) in &rows {
                check(engine, &format!("{n} times {bases_name}, {scalars_name} scalars"), scalars, bases)?;
            }
        }
        // s P + ... - (s P + ...) is the identity.
        let twice: Vec<_> = wide.iter().chain(&wide).copied().collect();
        let opposite: Vec<_> = points.iter().copied().chain(points.iter().map(|point| -*point)).collect();
        let sum = engine.msm(&twice, &opposite)?;
        expect_equal("a sum of opposite terms", &[sum], &[C::Projective::identity()])?;
    }
    points_outside::<C>(engine, &mut words)
}

/// Points of the curve that are not in the group, where nobody asked for the check: a scalar is the integer below r, for they have another order than r.
fn points_outside<C: AcceleratedCurve>(engine: &Engine, words: &mut Words) -> Result<(), String> {
    let Some(outside) = outside::<C>() else { return Ok(()) };
    for n in [1, 2, 40, 300] {
        let (_, mut points) = multiples::<C>(words, n);
        points.iter_mut().step_by(3).enumerate().for_each(|(i, point)| {
            let outside = if i % 2 == 0 { outside } else { -outside };
            *point = match i % 3 {
                0 => outside,
                _ => (C::Projective::from(outside) + *point).to_affine(),
            };
        });
        let edges = edges::<C::Scalar>();
        let edges: Vec<_> = edges.into_iter().rev().cycle().take(n).collect();
        let kept = Matrix::from_column(edges.clone()).and_then(|matrix| engine.upload(matrix))?;
        for tables in [false, true] {
            let bases = engine.bases(points.clone(), BasesOptions { tables, ..BasesOptions::default() })?;
            let what = format!("{n} points of which some are outside of the group, tables: {tables}");
            let expected = reference()?.msm(&edges, &points)?;
            expect_equal(&what, &engine.msm_batch(&kept, &bases)?, &[expected])?;
            check(engine, &what, &scalars(words, n), &points)?;
            expect_equal(&what, &[engine.msm(&edges, &bases)?], &[expected])?;
        }
    }
    Ok(())
}

fn skewed<C: AcceleratedCurve>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(23);
    for n in [50, 1000, 5000] {
        let bases = multiples::<C>(&mut words, n);
        let mut column = |of: &mut dyn FnMut(&mut Words) -> C::Scalar| -> Vec<C::Scalar> {
            (0..n).map(|_| of(&mut words)).collect()
        };
        let columns = [
            ("bits", column(&mut |words| C::Scalar::from(words.next() & 1))),
            (
                "signs",
                column(&mut |words| C::Scalar::from(words.next() & 1) - C::Scalar::from(words.next() & 1)),
            ),
            ("bytes", column(&mut |words| C::Scalar::from(words.next() & 255))),
            ("negative bytes", column(&mut |words| -C::Scalar::from(words.next() & 255))),
            ("words", column(&mut |words| C::Scalar::from(words.next()))),
            (
                "nine of ten bits",
                column(&mut |words| match words.next() % 10 {
                    0 => random(words),
                    _ => C::Scalar::from(words.next() & 1),
                }),
            ),
            ("zeros but the last", {
                let mut column = vec![C::Scalar::ZERO; n];
                column[n - 1] = -C::Scalar::ONE;
                column
            }),
        ];
        for (name, scalars) in &columns {
            check_multiples(engine, &format!("{n} {name}"), scalars, &bases)?;
        }
    }
    Ok(())
}

fn kept<C: AcceleratedCurve>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(25);
    let none = engine.bases(Vec::<C>::new(), BasesOptions::default())?;
    let sum = engine.msm(&[] as &[C::Scalar], &none)?;
    expect_equal("the sum of nothing", &[sum], &[C::Projective::identity()])?;
    for (n, rows) in [(1, 3), (2, 3), (3, 1), (5, 3), (7, 5), (100, 4), (600, 2)] {
        let (_, mut points) = multiples::<C>(&mut words, n);
        points[n / 2] = C::default();
        let all = scalars(&mut words, n * rows);
        let expected: Vec<_> = all.chunks(n).map(|row| engine.msm(row, &points)).collect::<Result<_, _>>()?;
        let what = format!("{rows} rows of {n}");
        let found = engine.msm_batch(&all, &points)?;
        expect_equal(&what, &found, &expected)?;
        for options in [(false, false), (true, false), (false, true), (true, true)] {
            let options = BasesOptions { validate: options.0, tables: options.1 };
            let what = format!("{what}, bases kept with {options:?}");
            let bases = engine.bases(points.clone(), options)?;
            let kept = Matrix::from_columns(all.clone(), n, rows).and_then(|matrix| engine.upload(matrix));
            let kept = kept?;
            for _ in 0..2 {
                expect_equal(&what, &engine.msm_batch(&all, &bases)?, &expected)?;
                expect_equal(&what, &engine.msm_batch(&kept, &bases)?, &expected)?;
            }
            expect_equal(&what, &engine.msm_batch(&kept, &points)?, &expected)?;
            // A part of kept bases, from the middle.
            let (start, end) = (n / 3, n - n / 4);
            let part = bases.range(start..end)?;
            let found = engine.msm(&all[start..end], part)?;
            let expected = engine.msm(&all[start..end], &points[start..end])?;
            expect_equal(&what, &[found], &[expected])?;
            let job = engine.msm_batch_async(all.clone(), &bases);
            let found = job.wait()?;
            expect_equal(&what, &found, &engine.msm_batch(&all, &points)?)?;
        }
    }
    Ok(())
}

/// Two sums of kept scalars with kept bases, with tables and without.
pub(super) fn with_tables<C: AcceleratedCurve>(engine: &Engine, n: usize) -> Result<(), String> {
    let mut words = Words::new(42);
    let (factors, points) = multiples::<C>(&mut words, n);
    let rows = scalars(&mut words, 2 * n);
    let expected: Vec<_> = rows.chunks(n).map(|row| sum_of_multiples::<C>(row, &factors)).collect();
    let kept = Matrix::from_columns(rows, n, 2).and_then(|matrix| engine.upload(matrix))?;
    for tables in [false, true] {
        let bases = engine.bases(points.clone(), BasesOptions { tables, ..BasesOptions::default() })?;
        let what = format!("two sums of {n}, tables: {tables}");
        expect_equal(&what, &engine.msm_batch(&kept, &bases)?, &expected)?;
    }
    Ok(())
}

/// A point of the curve that is not in its group, if there is one among a few.
fn outside<C: AcceleratedCurve>() -> Option<C> {
    let first = C::Base::ONE;
    let xs = std::iter::successors(Some(first), |x| Some(*x + C::Base::ONE)).take(20);
    let on_curve = xs.filter_map(|x| {
        let y: Option<C::Base> = (x.square() * x + C::b()).sqrt().into();
        Some(C::from_affine([x, y?]))
    });
    on_curve.into_iter().find(|point| !point.is_in_subgroup())
}

fn refused<C: AcceleratedCurve>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(26);
    let (_, points) = multiples::<C>(&mut words, 5);
    let four = scalars(&mut words, 4);
    let expected = Error::LengthMismatch { what: "scalars", expected: 5, found: 4 };
    expect_error("four scalars, five bases", engine.msm(&four, &points), &expected)?;
    let expected = Error::LengthMismatch { what: "scalars", expected: 0, found: 4 };
    expect_error("four scalars, no bases", engine.msm(&four, &[] as &[C]), &expected)?;
    let expected = Error::LengthMismatch { what: "scalars in whole rows", expected: 0, found: 4 };
    expect_error("four fifths of a row", engine.msm_batch(&four, &points), &expected)?;
    let mut off = limbs_of_points(&points).to_vec();
    off[3][0] = off[3][1];
    let off = self::points::<C>(&off)?.to_vec();
    let validate = BasesOptions { validate: true, ..BasesOptions::default() };
    expect_error("a base off the curve", engine.bases(off, validate), &Error::NotOnCurve { index: 3 })?;
    if let Some(outside) = outside::<C>() {
        let mut points = points.clone();
        points[2] = outside;
        expect_error(
            "a base outside the group",
            engine.bases(points, validate),
            &Error::NotInSubgroup { index: 2 },
        )?;
    }
    let other = reference()?;
    let foreign = other.bases(points.clone(), validate)?;
    let found = engine.msm(&scalars(&mut words, 5), &foreign);
    expect_error("bases of another engine", found, &wrong_engine("set of bases", engine, other))?;
    let bases = engine.bases(points, validate)?;
    expect_error("bases 3..6 of 5", bases.range(3..6), &Error::IndexOutOfRange { index: 6, len: 6 })?;
    let foreign = Matrix::from_column(four).and_then(|matrix| other.upload(matrix));
    let found = engine.msm_batch(&foreign?, &bases);
    expect_error("scalars of another engine", found, &wrong_engine("matrix", engine, other))
}

/// Sums and batches in parts, over bases that are kept, with and without tables, or not.
fn budgets<C: AcceleratedCurve>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(28);
    let (n, rows) = (2500, 3);
    let (factors, points) = multiples::<C>(&mut words, n);
    let mut all = scalars(&mut words, n * rows);
    all[..n].iter_mut().for_each(|scalar| *scalar = C::Scalar::from(words.next() & 1));
    let expected: Vec<_> = all.chunks(n).map(|row| sum_of_multiples::<C>(row, &factors)).collect();
    for budget in [4_000_000, 600_000, 90_000, 0] {
        let engine = with_budget(engine, budget)?;
        let what = format!("{rows} rows of {n}, {budget} bytes of device memory");
        expect_equal(&what, &engine.msm_batch(&all, &points)?, &expected)?;
        // What stays on a device has to fit; sums over bases that do not are done in parts.
        let kept = Matrix::from_columns(all.clone(), n, rows).and_then(|matrix| engine.upload(matrix));
        let scalars: ScalarsInput<'_, _> = match &kept {
            Ok(kept) => kept.into(),
            Err(Error::OverDeviceBudget { .. }) => (&all).into(),
            Err(error) => return Err(format!("{what}: {error}")),
        };
        for tables in [false, true] {
            let what = format!("{what}, kept, tables: {tables}");
            let options = BasesOptions { tables, ..BasesOptions::default() };
            let bases = engine.bases(points.clone(), options)?;
            expect_equal(&what, &engine.msm_batch(scalars, &bases)?, &expected)?;
        }
    }
    Ok(())
}

/// Sums that are done in parts because memory is short, with digits of equal and of different shapes.
fn parts<C: AcceleratedCurve>(engine: &Engine) -> Result<(), String> {
    let engine = with_budget(engine, 0)?;
    let mut words = Words::new(29);
    let n = 2100;
    let bases = multiples::<C>(&mut words, n);
    let wide = scalars(&mut words, n);
    let bits: Vec<_> = (0..n).map(|_| C::Scalar::from(words.next() & 1)).collect();
    let mixed = |first: &[C::Scalar], rest: &[C::Scalar]| [&first[..n / 2], &rest[n / 2..]].concat();
    let shapes = [
        ("equal scalars", vec![wide[0]; n]),
        ("bits, then wide scalars", mixed(&bits, &wide)),
        ("wide scalars, then bits", mixed(&wide, &bits)),
        ("zeros, then wide scalars", mixed(&vec![C::Scalar::ZERO; n], &wide)),
        ("wide scalars, then zeros", mixed(&wide, &vec![C::Scalar::ZERO; n])),
    ];
    for (name, scalars) in &shapes {
        check_multiples(&engine, name, scalars, &bases)?;
    }
    // The second half takes away what the first adds; identities among them.
    let (factors, points) = bases;
    let opposite = |i: usize| match i {
        _ if i.is_multiple_of(5) => (C::Scalar::ZERO, C::default()),
        _ if i < n / 2 => (factors[i % 7], points[i % 7]),
        _ => (-factors[(i - n / 2) % 7], -points[(i - n / 2) % 7]),
    };
    let bases = (0..n).map(opposite).unzip();
    for (name, scalars) in [("equal scalars", vec![wide[1]; n]), ("ones", vec![C::Scalar::ONE; n])] {
        check_multiples(&engine, &format!("opposite halves, {name}"), &scalars, &bases)?;
    }
    Ok(())
}

fn callers<C: AcceleratedCurve>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(27);
    let (factors, points) = multiples::<C>(&mut words, 700);
    let bases = engine.bases(points, BasesOptions::default())?;
    let rows: Vec<_> = (0..4).map(|_| scalars(&mut words, 700)).collect();
    let expected: Vec<_> = rows.iter().map(|row| sum_of_multiples::<C>(row, &factors)).collect();
    let found = from_four_threads(|number| engine.msm(&rows[number], &bases))?;
    expect_equal("sums from four threads", &found, &expected)
}
