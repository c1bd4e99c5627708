//! Combinations of columns and of rows: sums of products, term by term.

use zkaccel::field::Goldilocks;
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::{Engine, Error};

use crate::data::{NON_CANONICAL, Samples, Words};
use crate::residence::{BUDGETS, with_budget};
use crate::{Case, agree, expect_equal, expect_error, reference, wrong_engine};

macro_rules! cases {
    ($($field:path, $name:literal;)*) => {
        pub(super) const CASES: &[Case] = &[
            $(
                Case { name: concat!("combinations over ", $name, ", shapes and layouts"), run: shapes::<$field> },
                Case { name: concat!("combinations over ", $name, ", edge values"), run: edges::<$field> },
                Case { name: concat!("combinations over ", $name, ", matrices that stay, and jobs"), run: stays::<$field> },
                Case { name: concat!("combinations over ", $name, ", refused"), run: refused::<$field> },
                Case { name: concat!("combinations over ", $name, ", within any budget"), run: budgets::<$field> },
                Case { name: concat!("combinations over ", $name, ", large"), run: large::<$field> },
            )*
            Case { name: "combinations of words that are refused", run: not_canonical },
        ];
    };
}
for_every_field!($ cases);

/// The device's own answer or error for a combination.
pub(super) fn answer(engine: &Engine) -> Option<Error> {
    let one =
        Matrix::from_column(vec![Goldilocks::new(1)]).and_then(|one| engine.combine_columns(&one, &one));
    one.err()
}

const LAYOUTS: [Layout; 2] = [Layout::RowMajor, Layout::ColumnMajor];

/// A matrix, coefficients for its columns, and weights for its rows or the first of them, all in one layout each.
pub(super) struct Operands<F> {
    what: String,
    pub(super) matrix: Matrix<F>,
    pub(super) coefficients: Matrix<F>,
    pub(super) weights: Matrix<F>,
}

/// Of so many rows, columns, weights and combinations; of matrix and factors in these layouts.
pub(super) fn operands<F: Samples>(
    words: &mut Words,
    [rows, columns, weights, count]: [usize; 4],
    [layout, of_factors]: [Layout; 2],
) -> Operands<F> {
    let factors = |rows| Shape { rows, columns: count, layout: of_factors };
    let what =
        format!("{count} of {rows} x {columns}, {layout:?}, factors {of_factors:?}, {weights} weights");
    let matrix = words.matrix(Shape { rows, columns, layout });
    let (coefficients, weights) = (words.matrix(factors(columns)), words.matrix(factors(weights)));
    Operands { what, matrix, coefficients, weights }
}

/// Both operations against the reference.
fn check<F: Samples>(engine: &Engine, operands: &Operands<F>) -> Result<(), String> {
    let Operands { what, matrix, coefficients, weights } = operands;
    agree(&format!("columns combined, {what}"), engine, |engine| {
        let combined = engine.combine_columns(matrix, coefficients)?;
        let (rows, columns) = (matrix.shape().rows, coefficients.shape().columns);
        let expected = Shape { rows, columns, layout: Layout::ColumnMajor };
        assert_eq!(combined.shape(), expected);
        Ok(combined.into_vec())
    })?;
    agree(&format!("rows combined, {what}"), engine, |engine| {
        let combined = engine.combine_rows(weights, matrix)?;
        let (rows, columns) = (weights.shape().columns, matrix.shape().columns);
        let expected = Shape { rows, columns, layout: Layout::ColumnMajor };
        assert_eq!(combined.shape(), expected);
        Ok(combined.into_vec())
    })
}

/// One sum of columns of a matrix, where a kernel of devices goes through it in tiles.
pub(super) fn one_sum<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(124);
    for layouts in LAYOUTS.into_iter().flat_map(|layout| LAYOUTS.map(|factors| [layout, factors])) {
        check::<F>(engine, &operands(&mut words, [300, 40, 40, 1], layouts))?;
    }
    Ok(())
}

/// One row, one column, one combination, and around every block, tile and number of sums at a time; terms in slices, few items and many.
fn shapes<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(120);
    let shapes = [
        [1, 1, 1, 1],
        [1, 7, 1, 2],
        [7, 1, 3, 3],
        [2, 2, 2, 4],
        [3, 5, 2, 5],
        [31, 16, 31, 1],
        [32, 15, 17, 2],
        [33, 17, 33, 3],
        [128, 64, 128, 2],
        [129, 63, 100, 4],
        [300, 40, 299, 6],
        [1, 3000, 1, 2],
        [3000, 1, 2999, 1],
        [4, 2600, 4, 2],
        [2600, 2, 2600, 2],
        [257, 129, 256, 16],
    ];
    for shape in shapes {
        for layouts in LAYOUTS.into_iter().flat_map(|layout| LAYOUTS.map(|factors| [layout, factors])) {
            check::<F>(engine, &operands(&mut words, shape, layouts))?;
        }
    }
    // The obvious sums, on the engine and on the reference.
    let matrix = |entries: &[u64], rows| {
        let entries: Vec<_> = entries.iter().map(|&x| F::of_integer(x)).collect();
        let columns = entries.len() / rows;
        Matrix::from_rows(entries, rows, columns)
    };
    let (two_by_three, pairs) = (matrix(&[1, 2, 3, 4, 5, 6], 2)?, matrix(&[1, 2, 10, 20, 100, 200], 3)?);
    for engine in [engine, reference()?] {
        let found = engine.combine_columns(&two_by_three, &pairs)?;
        let expected = [321, 654, 642, 1308].map(F::of_integer);
        expect_equal("products with 1, 10, 100 and twice that", found.as_slice(), &expected)?;
        let found = engine.combine_rows(&matrix(&[1, 2, 10, 20], 2)?, &two_by_three)?;
        let expected = [41, 82, 52, 104, 63, 126].map(F::of_integer);
        expect_equal("sums by 1, 10 and twice that", found.as_slice(), &expected)?;
    }
    Ok(())
}

/// Sums as large as they can be, and every edge value times every other.
fn edges<F: Samples>(engine: &Engine) -> Result<(), String> {
    let edges = F::edges();
    let what = "edge values".into();
    let (matrix, coefficients) =
        (Matrix::from_column(edges.clone())?, Matrix::from_rows(edges.clone(), 1, edges.len())?);
    let weights = Matrix::from_column(edges.clone())?;
    let products = engine.combine_columns(&matrix, &coefficients)?;
    let expected: Vec<_> = edges.iter().flat_map(|&b| edges.iter().map(move |&a| a * b)).collect();
    expect_equal("edge values times edge values", products.as_slice(), &expected)?;
    check(engine, &Operands { what, matrix, coefficients: Matrix::from_column(vec![edges[0]])?, weights })?;
    for edge in edges {
        let all = |rows: usize, columns: usize| Matrix::from_rows(vec![edge; rows * columns], rows, columns);
        let what = format!("{edge:?} alone");
        let (matrix, coefficients, weights) = (all(9, 700)?, all(700, 4)?, all(9, 4)?);
        check(engine, &Operands { what, matrix, coefficients, weights })?;
        let what = format!("{edge:?} in columns");
        let matrix = Matrix::from_columns(vec![edge; 3 * 1100], 1100, 3)?;
        check(engine, &Operands { what, matrix, coefficients: all(3, 1)?, weights: all(1100, 3)? })?;
    }
    Ok(())
}

fn stays<F: Samples>(engine: &Engine) -> Result<(), String> {
    let (mut words, oracle) = (Words::new(121), reference()?);
    let shapes = [[1, 1, 1, 1], [64, 3, 64, 2], [500, 70, 300, 4], [5, 800, 5, 3], [2000, 2, 1999, 5]];
    for (shape, layout) in shapes.into_iter().flat_map(|shape| LAYOUTS.map(|layout| (shape, layout))) {
        for of_factors in LAYOUTS {
            let Operands { what, matrix, coefficients, weights } =
                operands::<F>(&mut words, shape, [layout, of_factors]);
            let columns = oracle.combine_columns(&matrix, &coefficients)?;
            let rows = oracle.combine_rows(&weights, &matrix)?;
            let (kept, kept_weights) = (engine.upload(&matrix)?, engine.upload(&weights)?);
            let found = engine.combine_columns(&kept, &coefficients)?;
            expect_equal(&what, &[found.shape()], &[columns.shape()])?;
            expect_equal(&what, engine.download(&found)?.as_slice(), columns.as_slice())?;
            // As many rows as there are weights.
            let first = weights.shape().rows;
            let expected: Vec<_> =
                columns.as_slice().chunks(shape[0]).flat_map(|column| &column[..first]).copied().collect();
            let found = engine.combine_columns_of(&kept, first, &coefficients)?;
            expect_equal(&what, engine.download(&found)?.as_slice(), &expected)?;
            let found = engine.combine_columns_of(&matrix, first, &coefficients)?;
            expect_equal(&what, found.as_slice(), &expected)?;
            let found = engine.combine_rows(&kept_weights, &kept)?;
            expect_equal(&what, &[found.shape()], &[rows.shape()])?;
            expect_equal(&what, found.as_slice(), rows.as_slice())?;
            let jobs = (
                engine.combine_columns_async(kept.clone(), coefficients.clone()),
                engine.combine_rows_async(kept_weights, kept.clone()),
                engine.combine_columns_async(matrix.clone(), coefficients),
                engine.combine_rows_async(weights, matrix.clone()),
            );
            expect_equal("a job", engine.download(&jobs.0.wait()?)?.as_slice(), columns.as_slice())?;
            expect_equal("a job", jobs.1.wait()?.as_slice(), rows.as_slice())?;
            expect_equal("a job in host memory", jobs.2.wait()?.as_slice(), columns.as_slice())?;
            expect_equal("a job in host memory", jobs.3.wait()?.as_slice(), rows.as_slice())?;
            // On a device matrices over prime fields have another layout, but the same entries.
            for row in [0, shape[0] - 1] {
                expect_equal("what stays", &kept.read_rows(&[row])?, &[matrix.row(row)])?;
            }
        }
    }
    Ok(())
}

fn refused<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(122);
    let Operands { matrix, coefficients, weights, .. } = operands::<F>(&mut words, [6, 4, 6, 2], LAYOUTS);
    let more = words.matrix::<F>(Shape { rows: 7, columns: 2, layout: Layout::RowMajor });
    let coefficients_missing = |found| Error::LengthMismatch {
        what: "rows of coefficients, one for each column",
        expected: 4,
        found,
    };
    let what = "rows of the matrix, at least as many as are combined";
    let rows_missing = Error::LengthMismatch { what, expected: 7, found: 6 };
    let (kept, kept_more) = (engine.upload(&matrix)?, engine.upload(&more)?);
    for other in [&weights, &more] {
        let error = coefficients_missing(other.shape().rows);
        expect_error("coefficients", engine.combine_columns(&matrix, other), &error)?;
        expect_error("coefficients", engine.combine_columns(&kept, other), &error)?;
    }
    expect_error("too many weights", engine.combine_rows(&more, &matrix), &rows_missing)?;
    expect_error("too many weights", engine.combine_rows(&kept_more, &kept), &rows_missing)?;
    expect_error("too many rows", engine.combine_columns_of(&matrix, 7, &coefficients), &rows_missing)?;
    expect_error("too many rows", engine.combine_columns_of(&kept, 7, &coefficients), &rows_missing)?;
    let none = Error::BadShape { rows: 0, columns: matrix.shape().columns, entries: 0 };
    expect_error("no rows", engine.combine_columns_of(&matrix, 0, &coefficients), &none)?;
    expect_error("no rows", engine.combine_columns_of(&kept, 0, &coefficients), &none)?;
    let other = reference()?;
    let foreign = other.upload(&weights)?;
    let wrong = wrong_engine("matrix", engine, other);
    let few = words.matrix::<F>(Shape { rows: 2, columns: 3, layout: Layout::RowMajor });
    expect_error("another engine's", engine.combine_columns(&foreign, &few), &wrong)?;
    expect_error("another engine's weights", engine.combine_rows(&foreign, &kept), &wrong)?;
    expect_error("another engine's matrix", engine.combine_rows(&kept, &foreign), &wrong)?;
    engine.combine_columns(&kept, &coefficients)?;
    Ok(())
}

fn not_canonical(engine: &Engine) -> Result<(), String> {
    for value in NON_CANONICAL {
        let mut raw = vec![3_u64; 12];
        raw[7] = value;
        let words: Vec<Goldilocks> = bytemuck::cast_slice(&raw).to_vec();
        let bad = Matrix::from_rows(words, 6, 2)?;
        let good = Matrix::from_rows(vec![Goldilocks::new(5); 12], 6, 2)?;
        let two = Matrix::from_rows(vec![Goldilocks::new(5); 12], 2, 6)?;
        let expected = Error::NotCanonical { index: 7, value };
        expect_error("a matrix", engine.combine_columns(&bad, &two), &expected)?;
        expect_error("coefficients", engine.combine_columns(&two, &bad), &expected)?;
        expect_error("coefficients", engine.combine_columns(&engine.upload(&two)?, &bad), &expected)?;
        expect_error("weights", engine.combine_rows(&bad, &good), &expected)?;
        expect_error("a matrix", engine.combine_rows(&good, &bad), &expected)?;
    }
    Ok(())
}

/// From everything at once to a row at a time; on the device, all or nothing.
fn budgets<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(123);
    for layout in LAYOUTS {
        let operands = operands::<F>(&mut words, [150, 9, 140, 3], [layout, Layout::ColumnMajor]);
        let Operands { matrix, coefficients, weights, .. } = &operands;
        for budget in BUDGETS {
            let engine = with_budget(engine, budget)?;
            check(&engine, &operands)?;
            let bytes = |elements: usize| (elements * size_of::<F>()) as u64;
            let (held, more) = (bytes(150 * 9), [bytes(9 * 3 + 150 * 3), bytes(140 * 3)]);
            if !engine.always_keeps_data() || budget < held {
                continue;
            }
            let kept = engine.upload(matrix)?;
            let refused = |result: Result<(), Error>, least: u64| match result {
                Err(Error::OverDeviceBudget { required, .. }) if required > budget && required >= least => {
                    Ok(())
                }
                Ok(()) if budget >= least => Ok(()),
                other => Err(format!("{budget} bytes for {least} or more: {other:?}")),
            };
            refused(engine.combine_columns(&kept, coefficients).map(|_| ()), held + more[0])?;
            let kept_weights = engine.upload(weights)?;
            refused(engine.combine_rows(&kept_weights, &kept).map(|_| ()), held + more[1])?;
        }
    }
    Ok(())
}

/// So many that a device has several slices of each item, and several elements of each work item.
fn large<F: Samples>(engine: &Engine) -> Result<(), String> {
    let shapes = [[(1 << 17) + 3, 2, 1 << 17, 2], [2000, 150, 1999, 2], [3, 40_000, 3, 4]];
    for (number, layout) in shapes.into_iter().flat_map(|shape| LAYOUTS.map(|layout| (shape, layout))) {
        let [rows, columns, weights, count] = number;
        let matrix = |rows: usize, columns: usize, layout| {
            let entries = (0..rows * columns).map(|i| F::ZERO - F::of_integer((i * i) as u64)).collect();
            Matrix::new(entries, Shape { rows, columns, layout })
        };
        let (coefficients, weights) =
            (matrix(columns, count, Layout::RowMajor)?, matrix(weights, count, Layout::ColumnMajor)?);
        let what = format!("{count} of {rows} x {columns}, {layout:?}");
        check(engine, &Operands { what, matrix: matrix(rows, columns, layout)?, coefficients, weights })?;
    }
    Ok(())
}
