//! Products of vectors over prime fields, element by element.

use zkaccel::bn254::Fr;
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{AcceleratedField, Domain, Ntt};
use zkaccel::resident::DeviceMatrix;
use zkaccel::sparse::AcceleratedPrime;
use zkaccel::work::items;
use zkaccel::{Engine, Error};

use crate::data::Words;
use crate::residence::{BUDGETS, with_budget};
use crate::sums::{edges, scalar};
use crate::{Case, agree, expect_equal, expect_error, is_one, reference, wrong_engine};

macro_rules! cases {
    ($($field:path, $name:literal;)*) => {
        pub(super) const CASES: &[Case] = &[
            $(
                Case { name: concat!("products over ", $name, ", sizes"), run: sizes::<$field> },
                Case { name: concat!("products over ", $name, ", edge values"), run: edge_values::<$field> },
                Case { name: concat!("products over ", $name, ", vectors that stay, and jobs"), run: stays::<$field> },
                Case { name: concat!("products over ", $name, ", refused"), run: refused::<$field> },
                Case { name: concat!("products over ", $name, ", within any budget"), run: budgets::<$field> },
                Case { name: concat!("products over ", $name, ", large"), run: large::<$field> },
            )*
            Case { name: "products on a coset, of transforms that stay", run: quotient },
        ];
    };
}
zkaccel::for_every_prime_field!(cases);

/// The device's own answer or error for a product.
pub(super) fn answer(engine: &Engine) -> Option<Error> {
    engine.multiply(&mut [Fr::from(2)][..], &[Fr::from(3)]).err()
}

/// Three vectors.
type Three<F> = [Vec<F>; 3];

fn three<F: AcceleratedPrime>(words: &mut Words, len: usize) -> Three<F> {
    std::array::from_fn(|_| (0..len).map(|_| scalar(words)).collect())
}

/// Both forms of the product against the reference.
fn check<F: AcceleratedPrime>(engine: &Engine, what: &str, [a, b, c]: &Three<F>) -> Result<(), String> {
    agree(&format!("{what}, a b"), engine, |engine| {
        let mut products = a.clone();
        engine.multiply(&mut products, b)?;
        Ok(products)
    })?;
    agree(&format!("{what}, a b - c"), engine, |engine| {
        let mut differences = a.clone();
        engine.multiply_subtract(&mut differences[..], b, c)?;
        Ok(differences)
    })
}

/// Around every vector, piece of a thread and group of work items.
fn sizes<F: AcceleratedPrime>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(110);
    let around = |log: u32| [(1 << log) - 1, 1 << log, (1 << log) + 1];
    for len in (0..40).chain((6..14).flat_map(around)).chain([2 * (1 << 13) + 7]) {
        check::<F>(engine, &format!("products of {len}"), &three(&mut words, len))?;
    }
    Ok(())
}

/// Every pair of edge values, less the others in their turn.
fn edge_values<F: AcceleratedPrime>(engine: &Engine) -> Result<(), String> {
    let edges = edges::<F>();
    let pairs = || edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b)));
    let (a, b): (Vec<F>, Vec<F>) = pairs().unzip();
    for first in [0, 1, 2, edges.len() / 2] {
        let c = edges.iter().cycle().skip(first).step_by(7).take(a.len()).copied().collect();
        check(engine, "edge values", &[a.clone(), b.clone(), c])?;
    }
    let (mut found, five) = ([2, 3, 0, 1].map(F::from), [5; 4].map(F::from));
    engine.multiply(&mut found[..], &five)?;
    expect_equal("small integers", &found, &[10, 15, 0, 5].map(F::from))?;
    engine.multiply_subtract(&mut found[..], &five, &[50, 76, 1, 0].map(F::from))?;
    expect_equal("small integers", &found, &[F::ZERO, -F::ONE, -F::ONE, F::from(25)])
}

fn uploaded<F: AcceleratedPrime>(
    engine: &Engine,
    vector: &[F],
    columns: usize,
) -> Result<DeviceMatrix<F>, Error> {
    engine.upload(Matrix::from_columns(vector.to_vec(), vector.len() / columns, columns)?)
}

fn stays<F: AcceleratedPrime>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(111);
    for (rows, columns) in [(1, 1), (64, 1), (7, 3), (1000, 4), (5000, 1)] {
        let vectors @ [a, b, c] = &three::<F>(&mut words, rows * columns);
        let mut products = a.clone();
        reference()?.multiply(&mut products, b)?;
        let mut differences = a.clone();
        reference()?.multiply_subtract(&mut differences, b, c)?;

        let [x, y, z] = [a, b, c].map(|vector| uploaded(engine, vector, columns));
        let (x, y, z) = (x?, y?, z?);
        let (mut product, mut difference, mut square) = (x.clone(), x.clone(), x.clone());
        engine.multiply(&mut product, &y)?;
        engine.multiply_subtract(&mut difference, &y, &z)?;
        engine.multiply(&mut square, &x)?;
        let mut squares = a.clone();
        reference()?.multiply(&mut squares, a)?;
        for (what, found, expected) in [
            ("products of what stays", product, &products),
            ("differences of what stays", difference, &differences),
            ("squares of what stays", square, &squares),
            ("a clone", x.clone(), a),
            ("a factor", y.clone(), b),
            ("what was subtracted", z.clone(), c),
        ] {
            expect_equal(what, engine.download(&found)?.as_slice(), expected)?;
        }
        let jobs = (
            engine.multiply_async(x.clone(), y.clone()),
            engine.multiply_subtract_async(x.clone(), y.clone(), z),
        );
        expect_equal("a job", engine.download(&jobs.0.wait()?)?.as_slice(), &products)?;
        expect_equal("a job", engine.download(&jobs.1.wait()?)?.as_slice(), &differences)?;
        let [a, b, c] = vectors.clone();
        let jobs = (engine.multiply_async(a.clone(), b.clone()), engine.multiply_subtract_async(a, b, c));
        expect_equal("a job in host memory", &jobs.0.wait()?, &products)?;
        expect_equal("a job in host memory", &jobs.1.wait()?, &differences)?;
    }
    Ok(())
}

fn refused<F: AcceleratedPrime>(engine: &Engine) -> Result<(), String> {
    let vectors @ [a, b, c] = &three::<F>(&mut Words::new(112), 12);
    let short = |expected, found| Error::LengthMismatch { what: "elements of a vector", expected, found };
    let mut found = a.clone();
    expect_error("a short factor", engine.multiply(&mut found[..], &b[1..]), &short(12, 11))?;
    expect_error("no factor", engine.multiply(&mut found[..], &[]), &short(12, 0))?;
    expect_error("a long factor", engine.multiply(&mut found[1..], b), &short(11, 12))?;
    let shorter = engine.multiply_subtract(&mut found[..], b, &c[..5]);
    expect_error("too little to subtract", shorter, &short(12, 5))?;
    expect_equal("what was refused", &found, a)?;

    let other = reference()?;
    let [x, y, z] = vectors.each_ref().map(|vector| uploaded(engine, vector, 2));
    let (mut x, y, z) = (x?, y?, z?);
    let foreign = uploaded(other, b, 2)?;
    let wrong = wrong_engine("matrix", engine, other);
    expect_error("another engine's", engine.multiply(&mut foreign.clone(), &y), &wrong)?;
    expect_error("another engine's factor", engine.multiply(&mut x, &foreign), &wrong)?;
    expect_error("another engine's", engine.multiply_subtract(&mut x, &y, &foreign), &wrong)?;
    let column = uploaded(engine, b, 1)?;
    expect_error("another shape", engine.multiply(&mut x, &column), &short(6, 12))?;
    let shorter = uploaded(engine, &c[..6], 1)?;
    expect_error("another shape", engine.multiply_subtract(&mut x, &y, &shorter), &short(2, 1))?;
    expect_equal("what was refused", engine.download(&x)?.as_slice(), a)?;
    engine.multiply_subtract(&mut x, &y, &z)?;
    Ok(())
}

fn budgets<F: AcceleratedPrime>(engine: &Engine) -> Result<(), String> {
    let vectors @ [a, b, c] = &three::<F>(&mut Words::new(113), 300);
    let bytes = 300 * size_of::<F>() as u64;
    for budget in BUDGETS {
        let engine = with_budget(engine, budget)?;
        check(&engine, &format!("{budget} bytes of device memory"), vectors)?;
        if engine.always_keeps_data() && (bytes..4 * bytes).contains(&budget) {
            let [x, y, z] = [a, b, c].map(|vector| uploaded(&engine, vector, 1));
            let (mut x, y, z) = (x?, y?, z?);
            if !is_one(&engine) && x.as_host().is_some() {
                // Scalars of sums, of which each of several devices would take a share: products of them go in parts.
                let mut expected = a.clone();
                reference()?.multiply_subtract(&mut expected, b, c)?;
                engine.multiply_subtract(&mut x, &y, &z)?;
                expect_equal("products in parts", engine.download(&x)?.as_slice(), &expected)?;
                continue;
            }
            let expected = Error::OverDeviceBudget { required: 4 * bytes, budget };
            expect_error("no room for a result", engine.multiply_subtract(&mut x, &y, &z), &expected)?;
            expect_equal("what was refused", engine.download(&x)?.as_slice(), a)?;
        }
    }
    Ok(())
}

/// As many as a device copies in parts that overlap.
fn large<F: AcceleratedPrime>(engine: &Engine) -> Result<(), String> {
    for len in [(1 << 17) + 1, (1 << 20) - 3] {
        let vector = |factor: u64| (0..len).map(|i| -F::from(i * factor + 1)).collect();
        check::<F>(engine, &format!("products of {len}"), &[vector(3), vector(5), vector(7)])?;
    }
    Ok(())
}

/// The values of a b - c on the coset by a root of twice the order, from values on the subgroup: six transforms and a product, none of which
/// moves data where they stay on a device.
fn quotient(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(114);
    for log_size in [0, 1, 5, 10] {
        let subgroup = <Fr as AcceleratedField>::some_domain(log_size)?;
        let shift = <Fr as AcceleratedField>::some_domain(log_size + 1)?.root();
        let transforms = [Ntt::inverse(subgroup), Ntt::forward(Domain::coset(subgroup, shift)?)];
        let vectors = three::<Fr>(&mut words, 1 << log_size);

        let mut expected = vectors.clone();
        for vector in &mut expected {
            transforms.iter().try_for_each(|ntt| reference()?.ntt(ntt, &mut vector[..]))?;
        }
        let [mut values, b, c] = expected;
        reference()?.multiply_subtract(&mut values, &b, &c)?;

        let mut kept = Vec::new();
        for vector in &vectors {
            kept.push(uploaded(engine, vector, 1)?);
        }
        let moved = || {
            let [up, down] = ["upload", "download"].map(|of| items(&engine.work(), of));
            (up, down)
        };
        let before = moved();
        for vector in &mut kept {
            transforms.iter().try_for_each(|ntt| engine.ntt(ntt, &mut *vector))?;
        }
        let [a, b, c] = &mut kept[..] else { return Err("three vectors".into()) };
        engine.multiply_subtract(a, b, c)?;
        if is_one(engine) {
            expect_equal("words moved", &[moved()], &[before])?;
        }
        expect_equal("a b - c on a coset", engine.download(a)?.as_slice(), &values)?;
    }
    Ok(())
}
