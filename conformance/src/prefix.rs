//! Prefix products: each is the one above it times the entry above.

use zkaccel::field::Goldilocks;
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::{Engine, Error};

use crate::data::{NON_CANONICAL, Samples, Words};
use crate::residence::{BUDGETS, with_budget};
use crate::{Case, agree, expect_equal, expect_error, is_one, reference, wrong_engine};

macro_rules! cases {
    ($($field:path, $name:literal;)*) => {
        pub(super) const CASES: &[Case] = &[
            $(
                Case { name: concat!("prefix products over ", $name, ", sizes and layouts"), run: sizes::<$field> },
                Case { name: concat!("prefix products over ", $name, ", zeros and edge values"), run: zeros::<$field> },
                Case { name: concat!("prefix products over ", $name, ", matrices that stay, and jobs"), run: stays::<$field> },
                Case { name: concat!("prefix products over ", $name, ", refused"), run: refused::<$field> },
                Case { name: concat!("prefix products over ", $name, ", within any budget"), run: budgets::<$field> },
                Case { name: concat!("prefix products over ", $name, ", large"), run: large::<$field> },
            )*
            Case { name: "prefix products of words that are refused", run: not_canonical },
        ];
    };
}
for_every_field!($ cases);

/// The device's own answer or error for a column of one entry.
pub(super) fn answer(engine: &Engine) -> Option<Error> {
    let one = Matrix::from_column(vec![Goldilocks::new(1)]);
    one.and_then(|one| engine.prefix_products(&one, &[])).err()
}

const LAYOUTS: [Layout; 2] = [Layout::RowMajor, Layout::ColumnMajor];

/// The result, its shape checked, and behind it the products of all.
fn run<F: Samples>(engine: &Engine, matrix: &Matrix<F>, first: &[F]) -> Result<Vec<F>, Error> {
    let (products, all) = engine.prefix_products(matrix, first)?;
    assert_eq!((products.shape(), all.len()), (matrix.shape(), matrix.shape().columns));
    Ok([products.into_vec(), all].concat())
}

/// With ones and with other first values.
fn check<F: Samples>(
    engine: &Engine,
    what: &str,
    matrix: &Matrix<F>,
    words: &mut Words,
) -> Result<(), String> {
    let first = words.samples(matrix.shape().columns);
    agree(&format!("{what}, from ones"), engine, |engine| run(engine, matrix, &[]))?;
    agree(&format!("{what}, from other values"), engine, |engine| run(engine, matrix, &first))
}

/// Elements without zeros, which would hide all errors below.
fn factors<F: Samples>(words: &mut Words, shape: Shape) -> Matrix<F> {
    let mut matrix = words.matrix::<F>(shape);
    matrix.as_mut_slice().iter_mut().filter(|x| **x == F::ZERO).for_each(|x| *x = F::of_integer(3));
    matrix
}

/// Around every run, group and column of a group, and a few numbers of columns around those that are multiplied in turns.
fn sizes<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(130);
    let around = |log: u32| [(1 << log) - 1, 1 << log, (1 << log) + 1];
    let tall = (1..40).chain((6..14).flat_map(around)).map(|rows| (rows, 1));
    let wide = [1, 2, 15, 16, 17, 129, 487, 489, 4100].into_iter();
    let wide = wide.flat_map(|rows| [2, 3, 7, 8, 9, 12, 24].map(|columns| (rows, columns)));
    let many = [(1, 3000), (3, 1000), (33, 130), (2, 129), (1000, 40)];
    for (rows, columns) in tall.chain(wide).chain(many) {
        for layout in LAYOUTS {
            let matrix = factors::<F>(&mut words, Shape { rows, columns, layout });
            check(engine, &format!("{rows} x {columns}, {layout:?}"), &matrix, &mut words)?;
        }
    }
    // The obvious products, on the engine and on the reference.
    let integers = |integers: &[u64]| integers.iter().map(|&x| F::of_integer(x)).collect::<Vec<_>>();
    let matrix = Matrix::from_rows(integers(&[2, 3, 5, 7, 11, 13]), 3, 2)?;
    for engine in [engine, reference()?] {
        let expected = integers(&[1, 1, 2, 3, 10, 21, 110, 273]);
        expect_equal("of 2 5 11 and 3 7 13", &run(engine, &matrix, &[])?, &expected)?;
        let expected = integers(&[4, 9, 8, 27, 40, 189, 440, 2457]);
        expect_equal("the same from 4 and 9", &run(engine, &matrix, &integers(&[4, 9]))?, &expected)?;
    }
    Ok(())
}

fn zeros<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(131);
    for rows in [1, 2, 17, 300, 5000] {
        for place in [0, rows / 2, rows - 1] {
            let mut entries = vec![F::of_integer(3); rows];
            entries[place] = F::ZERO;
            let matrix = Matrix::from_column(entries)?;
            check(engine, &format!("a zero at {place} of {rows}"), &matrix, &mut words)?;
            let found = run(engine, &matrix, &[])?;
            let behind = found.iter().position(|&product| product == F::ZERO);
            expect_equal("the first that is zero", &[behind], &[Some(place + 1)])?;
        }
    }
    let edges = F::edges();
    for edge in &edges {
        for layout in LAYOUTS {
            let matrix = Matrix::new(vec![*edge; 3 * 700], Shape { rows: 700, columns: 3, layout })?;
            check(engine, &format!("{edge:?} alone"), &matrix, &mut words)?;
        }
    }
    let others: Vec<_> = edges.iter().copied().filter(|&edge| edge != F::ZERO).collect();
    let column = others.iter().flat_map(|&x| others.iter().flat_map(move |&y| [x, y])).collect();
    check(engine, "every edge value after every other", &Matrix::from_column(column)?, &mut words)?;
    // First values are edge values, too.
    let shape = Shape { rows: 40, columns: edges.len(), layout: Layout::ColumnMajor };
    let matrix = factors::<F>(&mut words, shape);
    agree("from edge values", engine, |engine| run(engine, &matrix, &edges))
}

fn stays<F: Samples>(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(132), reference()?);
    for (rows, columns) in [(1, 1), (64, 1), (7, 3), (1000, 4), (4097, 2), (20_000, 1)] {
        for layout in LAYOUTS {
            let what = format!("{rows} x {columns}, {layout:?}");
            let matrix = factors::<F>(&mut words, Shape { rows, columns, layout });
            let first = words.samples::<F>(columns);
            let (products, all) = oracle.prefix_products(&matrix, &first)?;
            let kept = engine.upload(&matrix)?;
            let (found, ends) = engine.prefix_products(&kept, &first)?;
            expect_equal(&what, &ends, &all)?;
            expect_equal(&what, &[found.shape()], &[kept.shape()])?;
            for row in [0, rows / 2, rows - 1] {
                expect_equal(&what, &found.read_rows(&[row])?, &[products.row(row)])?;
                expect_equal("what stays", &kept.read_rows(&[row])?, &[matrix.row(row)])?;
            }
            let apart = engine.download(&found)?;
            let entries = |matrix: &Matrix<F>| -> Vec<F> { (0..rows).flat_map(|i| matrix.row(i)).collect() };
            expect_equal(&what, &entries(&apart), &entries(&products))?;
            // The lower half goes on where the upper one ends.
            if rows > 1 && layout == Layout::RowMajor {
                let (upper, lower) = matrix.as_slice().split_at(rows / 2 * columns);
                let upper = Matrix::from_rows(upper.to_vec(), rows / 2, columns)?;
                let lower = Matrix::from_rows(lower.to_vec(), rows - rows / 2, columns)?;
                let (_, middle) = engine.prefix_products(engine.upload(&upper)?, &first)?;
                let (_, end) = engine.prefix_products(engine.upload(&lower)?, &middle)?;
                expect_equal("one half after the other", &end, &all)?;
            }
            let jobs = (
                engine.prefix_products_async(kept, first.clone()),
                engine.prefix_products_async(matrix, first),
            );
            let (found, ends) = jobs.0.wait()?;
            expect_equal("a job", engine.download(&found)?.as_slice(), apart.as_slice())?;
            expect_equal("a job", &ends, &all)?;
            let (found, ends) = jobs.1.wait()?;
            expect_equal("a job in host memory", found.as_slice(), products.as_slice())?;
            expect_equal("a job in host memory", &ends, &all)?;
        }
    }
    Ok(())
}

fn refused<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(133);
    let matrix = words.matrix::<F>(Shape { rows: 6, columns: 4, layout: Layout::RowMajor });
    let kept = engine.upload(&matrix)?;
    for found in [1, 3, 5, 24] {
        let first = vec![F::ONE; found];
        let what = "first values, one for each column or none";
        let expected = Error::LengthMismatch { what, expected: 4, found };
        expect_error("first values", engine.prefix_products(&matrix, &first), &expected)?;
        expect_error("first values", engine.prefix_products(&kept, &first), &expected)?;
    }
    let other = reference()?;
    let wrong = wrong_engine("matrix", engine, other);
    let foreign = other.upload(&matrix)?;
    expect_error("another engine's", engine.prefix_products(&foreign, &[]), &wrong)?;
    let (_, all) = engine.prefix_products(&kept, &[])?;
    expect_equal("afterwards", &all, &other.prefix_products(&matrix, &[])?.1)
}

fn not_canonical(engine: &Engine) -> Result<(), String> {
    for value in NON_CANONICAL {
        let mut raw = vec![3_u64; 12];
        raw[7] = value;
        let words: Vec<Goldilocks> = bytemuck::cast_slice(&raw).to_vec();
        let good = Matrix::from_rows(vec![Goldilocks::new(5); 12], 1, 12)?;
        let kept = engine.upload(&good)?;
        let expected = Error::NotCanonical { index: 7, value };
        expect_error("first values", engine.prefix_products(&good, &words), &expected)?;
        expect_error("first values", engine.prefix_products(&kept, &words), &expected)?;
        let bad = Matrix::from_rows(words, 6, 2)?;
        expect_error("a matrix", engine.prefix_products(&bad, &[]), &expected)?;
    }
    Ok(())
}

/// From everything at once to a row at a time; on the device, all or nothing.
fn budgets<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(134);
    for (shape, layout) in
        [(300, 1), (70, 5)].into_iter().flat_map(|shape| LAYOUTS.map(|layout| (shape, layout)))
    {
        let matrix = factors::<F>(&mut words, Shape { rows: shape.0, columns: shape.1, layout });
        for budget in BUDGETS {
            let engine = with_budget(engine, budget)?;
            check(&engine, &format!("{budget} bytes of device memory"), &matrix, &mut words)?;
            let bytes = size_of_val(matrix.as_slice()) as u64;
            if !engine.always_keeps_data() || budget < bytes {
                continue;
            }
            let (kept, columns) = (engine.upload(&matrix)?, (shape.1 * size_of::<F>()) as u64);
            if !is_one(&engine) && kept.as_host().is_some() {
                // Each of several devices would do a share of sums over these scalars.
                continue;
            }
            let required = 2 * (bytes + columns);
            let found = engine.prefix_products(&kept, &[]);
            match budget < required {
                true => {
                    let expected = Error::OverDeviceBudget { required, budget };
                    expect_error("no room for a result", found, &expected)?;
                }
                false => {
                    expect_equal("what stays", &found?.1, &reference()?.prefix_products(&matrix, &[])?.1)?
                }
            }
        }
    }
    Ok(())
}

/// So many rows that a device has several levels of runs, and several elements of each work item.
fn large<F: Samples>(engine: &Engine) -> Result<(), String> {
    for (rows, columns) in [((1 << 17) + 3, 1), ((1 << 20) - 5, 1), (70_000, 5), (5000, 129)] {
        for layout in LAYOUTS {
            let entries = (0..rows * columns).map(|i| F::ZERO - F::of_integer((i * i) as u64 + 1)).collect();
            let matrix = Matrix::new(entries, Shape { rows, columns, layout })?;
            let what = format!("{rows} x {columns}, {layout:?}");
            agree(&what, engine, |engine| run(engine, &matrix, &[]))?;
        }
    }
    Ok(())
}
