//! Products of sparse matrices with vectors over prime fields.

use zkaccel::bn254::Fr;
use zkaccel::matrix::Matrix;
use zkaccel::resident::DeviceMatrix;
use zkaccel::sparse::AcceleratedPrime;
use zkaccel::sparse::SparseMatrix;
use zkaccel::{Engine, Error};

use crate::data::Words;
use crate::residence::{BUDGETS, with_budget};
use crate::sums::{edges, scalar};
use crate::{Case, expect_equal, expect_error, from_four_threads, reference, wrong_engine};

macro_rules! cases {
    ($($field:path, $name:literal;)*) => {
        pub(super) const CASES: &[Case] = &[$(
            Case { name: concat!("sparse products over ", $name, ", sizes"), run: sizes::<$field> },
            Case { name: concat!("sparse products over ", $name, ", rows of every length"), run: rows::<$field> },
            Case { name: concat!("sparse products over ", $name, ", edge values"), run: edge_values::<$field> },
            Case { name: concat!("sparse products over ", $name, ", vectors that stay, and jobs"), run: stays::<$field> },
            Case { name: concat!("sparse products over ", $name, ", refused"), run: refused::<$field> },
            Case { name: concat!("sparse products over ", $name, ", within any budget"), run: budgets::<$field> },
            Case { name: concat!("sparse products over ", $name, ", four threads with one matrix"), run: callers::<$field> },
            Case { name: concat!("sparse products over ", $name, ", large"), run: large::<$field> },
        )*];
    };
}
zkaccel::for_every_prime_field!(cases);

/// The device's own answer or error for a product.
pub(super) fn answer(engine: &Engine) -> Option<Error> {
    let product = || -> Result<Vec<Fr>, Error> {
        let matrix = engine.sparse_matrix(SparseMatrix::from_rows(1, [[(0, Fr::from(2))]])?)?;
        engine.sparse_product(&matrix, vec![Fr::from(3)])
    };
    product().err()
}

fn vector<F: AcceleratedPrime>(words: &mut Words, len: usize) -> Vec<F> {
    (0..len).map(|_| scalar(words)).collect()
}

/// The value of an entry: 1, -1 or a small power of two most of the time.
fn value<F: AcceleratedPrime>(words: &mut Words) -> F {
    let word = words.next();
    match word % 16 {
        0..8 => F::ONE,
        8..11 => -F::ONE,
        11..14 => F::from(2 << (word >> 8 & 7)),
        _ => scalar(words),
    }
}

/// A matrix with rows of these lengths.
pub(super) fn matrix<F: AcceleratedPrime>(
    words: &mut Words,
    columns: usize,
    lengths: impl IntoIterator<Item = usize>,
) -> Result<SparseMatrix<F>, Error> {
    let entry = |words: &mut Words| (words.next() as usize % columns, value(words));
    let rows: Vec<Vec<_>> = lengths.into_iter().map(|len| (0..len).map(|_| entry(words)).collect()).collect();
    SparseMatrix::from_rows(columns, rows)
}

/// The product by its definition.
fn product<F: AcceleratedPrime>(matrix: &SparseMatrix<F>, vector: &[F]) -> Result<Vec<F>, Error> {
    let row = |row| Ok(matrix.row(row)?.map(|(column, value)| value * vector[column]).sum());
    (0..matrix.rows()).map(row).collect()
}

/// The product on an engine against the definition.
fn check<F: AcceleratedPrime>(
    engine: &Engine,
    what: &str,
    matrix: &SparseMatrix<F>,
    vector: &[F],
) -> Result<(), String> {
    let kept = engine.sparse_matrix(matrix.clone())?;
    let found = engine.sparse_product(&kept, vector)?;
    expect_equal(what, &found, &product(matrix, vector)?)
}

/// Numbers of rows and columns around powers of two, with nothing in the rows, and one to five entries.
fn sizes<F: AcceleratedPrime>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(120);
    let none = SparseMatrix::<F>::new(0, &[0], &[], &[])?;
    check(engine, "nothing", &none, &[])?;
    check(engine, "no rows", &matrix(&mut words, 5, [])?, &vector::<F>(&mut words, 5))?;
    check(engine, "no columns", &SparseMatrix::<F>::new(0, &[0, 0, 0], &[], &[])?, &[])?;
    let around = |log: u32| [(1 << log) - 1, 1 << log, (1 << log) + 1];
    for rows in (1..20).chain((5..13).flat_map(around)) {
        for columns in [1, rows, 2 * rows + 3] {
            let x = vector::<F>(&mut words, columns);
            let what = format!("{rows} rows of {columns}");
            check(engine, &format!("{what}, empty"), &matrix(&mut words, columns, vec![0; rows])?, &x)?;
            let lengths: Vec<_> = (0..rows).map(|_| 1 + words.next() as usize % 5).collect();
            check(engine, &what, &matrix(&mut words, columns, lengths)?, &x)?;
        }
    }
    Ok(())
}

/// Rows around every length at which a device cuts them, among empty and short ones; a row with all columns.
fn rows<F: AcceleratedPrime>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(121);
    let columns = 700;
    let x = vector::<F>(&mut words, columns);
    check(engine, "every length", &matrix(&mut words, columns, 0..140)?, &x)?;
    check(engine, "every length, falling", &matrix(&mut words, columns, (0..140).rev())?, &x)?;
    for len in [255, 256, 257, 1023, 1024, 1025, 8191, 8193, 33_000, 40_000] {
        for lengths in [vec![len], vec![0, 3, len, 0, 1], vec![len, 2, len, 33], vec![0, 0, len]] {
            let what = format!("rows of {lengths:?} entries");
            check(engine, &what, &matrix(&mut words, columns, lengths)?, &x)?;
        }
    }
    let all = |value: F| (0..columns).map(move |column| (column, value));
    let full = SparseMatrix::from_rows(columns, [F::ONE, -F::ONE, F::from(3)].map(all))?;
    check(engine, "rows with all columns", &full, &x)?;
    let one = SparseMatrix::from_rows(columns, (0..columns).map(|i| [(columns - 1 - i, F::ONE)]))?;
    let reversed: Vec<F> = x.iter().rev().copied().collect();
    let found = engine.sparse_product(&engine.sparse_matrix(one)?, &x)?;
    expect_equal("a permutation", &found, &reversed)
}

/// Every pair of an edge value in the matrix and one in the vector, alone, twice in a row, and all in one row.
fn edge_values<F: AcceleratedPrime>(engine: &Engine) -> Result<(), String> {
    let edges = edges::<F>();
    let count = edges.len();
    let alone = (0..count * count).map(|i| [(i / count, edges[i % count])]);
    check(engine, "each pair", &SparseMatrix::from_rows(count, alone)?, &edges)?;
    let twice = (0..count * count).map(|i| [(i / count, edges[i % count]); 2]);
    check(engine, "each pair twice", &SparseMatrix::from_rows(count, twice)?, &edges)?;
    let all = (0..count).map(|i| edges.iter().cycle().skip(i).take(count).copied().enumerate());
    check(engine, "all pairs in rows", &SparseMatrix::from_rows(count, all)?, &edges)?;
    let known = SparseMatrix::new(3, &[0, 2, 2, 5], &[0, 2, 1, 1, 0], &[1, 1, 5, 2, 0].map(F::from))?;
    let found = engine.sparse_product(&engine.sparse_matrix(known)?, &[2, 3, 4].map(F::from)[..])?;
    expect_equal("small integers", &found, &[6, 0, 21].map(F::from))
}

fn uploaded<F: AcceleratedPrime>(engine: &Engine, vector: &[F]) -> Result<DeviceMatrix<F>, Error> {
    engine.upload(Matrix::from_column(vector.to_vec())?)
}

/// Products of products, of vectors that stay; matrices that are dropped while their products are under way.
fn stays<F: AcceleratedPrime>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(122);
    for (rows, columns) in [(1, 1), (64, 100), (1000, 700), (5000, 5000)] {
        let lengths: Vec<_> = (0..rows).map(|i| if i == rows / 2 { 90 } else { i % 5 }).collect();
        let first = matrix::<F>(&mut words, columns, lengths)?;
        let second = matrix::<F>(&mut words, rows, vec![3; 50])?;
        let x = vector(&mut words, columns);
        let y = product(&first, &x)?;
        let z = product(&second, &y)?;

        let [a, b] = [first, second].map(|matrix| engine.sparse_matrix(matrix));
        let (a, b) = (a?, b?);
        let vector = uploaded(engine, &x)?;
        let found = engine.sparse_product(&a, &vector)?;
        expect_equal("a product that stays", engine.download(&found)?.as_slice(), &y)?;
        let again = engine.sparse_product(&b, found)?;
        expect_equal("a product of one that stays", engine.download(&again)?.as_slice(), &z)?;
        expect_equal("the vector", engine.download(&vector)?.as_slice(), &x)?;
        let jobs = (
            engine.sparse_product_async(&a.clone(), vector.clone()),
            engine.sparse_product_async(&a, x.clone()),
        );
        drop(a);
        expect_equal("a job", engine.download(&jobs.0.wait()?)?.as_slice(), &y)?;
        expect_equal("a job in host memory", &jobs.1.wait()?, &y)?;
        // The product is an operand like any other.
        let mut product = engine.sparse_product(&b, uploaded(engine, &y)?)?;
        engine.multiply(&mut product, &again)?;
        let squares: Vec<F> = z.iter().map(|&z| z * z).collect();
        expect_equal("products of products", engine.download(&product)?.as_slice(), &squares)?;
    }
    Ok(())
}

fn refused<F: AcceleratedPrime>(engine: &Engine) -> Result<(), String> {
    let mismatch = |what, expected, found| Error::LengthMismatch { what, expected, found };
    let new = |starts: &[usize], indices: &[u32], values: &[u64]| {
        let values: Vec<F> = values.iter().map(|&value| F::from(value)).collect();
        SparseMatrix::new(3, starts, indices, &values)
    };
    let what = "values of a sparse matrix, one an index";
    expect_error("a value too few", new(&[0, 2], &[0, 1], &[1]), &mismatch(what, 2, 1))?;
    let what = "row starts, one more than rows";
    expect_error("no row starts", new(&[], &[], &[]), &mismatch(what, 1, 0))?;
    let what = "the first row start of a sparse matrix";
    expect_error("a late first row", new(&[1, 2], &[0, 1], &[1, 1]), &mismatch(what, 0, 1))?;
    let what = "the last row start of a sparse matrix, its number of entries";
    for last in [1, 3] {
        let found = new(&[0, last], &[0, 1], &[1, 1]);
        expect_error("another number of entries", found, &mismatch(what, 2, last))?;
    }
    let unsorted = Error::UnsortedIndex { index: 1, after: 2 };
    expect_error("a row that ends early", new(&[0, 2, 1, 2], &[0, 1], &[1, 1]), &unsorted)?;
    let outside = |index| Error::IndexOutOfRange { index, len: 3 };
    expect_error("a column past the last", new(&[0, 2], &[0, 3], &[1, 1]), &outside(3))?;
    let past = |index| SparseMatrix::from_rows(3, [[(index, F::ONE)]]);
    expect_error("a column past the last", past(3), &outside(3))?;
    expect_error("a column past all", past(1 << 32), &outside(1 << 32))?;

    let good = new(&[0, 2, 2], &[0, 2], &[1, 7])?;
    expect_error("a row past the last", good.row(2).map(drop), &Error::IndexOutOfRange { index: 2, len: 2 })?;
    let kept = engine.sparse_matrix(good.clone())?;
    let x = [2, 3, 4].map(F::from);
    let what = "elements of the vector, one a column of the sparse matrix";
    expect_error("a short vector", engine.sparse_product(&kept, &x[..2]), &mismatch(what, 3, 2))?;
    let other = reference()?;
    let foreign = other.sparse_matrix(good)?;
    let expected = wrong_engine("sparse matrix", engine, other);
    expect_error("another engine's matrix", engine.sparse_product(&foreign, &x[..]), &expected)?;
    let expected = wrong_engine("matrix", engine, other);
    let stays = uploaded(other, &x)?;
    expect_error("another engine's vector", engine.sparse_product(&kept, &stays), &expected)?;
    let stays = engine.upload(Matrix::from_columns(x.repeat(2), 3, 2)?)?;
    let expected = mismatch("elements of a vector", 1, 2);
    expect_error("two columns", engine.sparse_product(&kept, &stays), &expected)?;
    let short = uploaded(engine, &x[..2])?;
    expect_error("a short vector", engine.sparse_product(&kept, &short), &mismatch(what, 3, 2))?;
    let none = engine.sparse_matrix(new(&[0], &[], &[])?)?;
    let expected = Error::BadShape { rows: 0, columns: 1, entries: 0 };
    expect_error("no rows", engine.sparse_product(&none, uploaded(engine, &x)?), &expected)
}

/// A device that has no room for a matrix makes its products in parts, of vectors that stay as well.
fn budgets<F: AcceleratedPrime>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(123);
    let lengths: Vec<_> = (0..300).map(|i| if i == 100 { 150 } else { i % 5 }).collect();
    let matrix = matrix::<F>(&mut words, 200, lengths)?;
    let x = vector(&mut words, 200);
    let expected = product(&matrix, &x)?;
    for budget in BUDGETS {
        let what = format!("{budget} bytes of device memory");
        let engine = with_budget(engine, budget)?;
        let kept = engine.sparse_matrix(matrix.clone())?;
        expect_equal(&what, &engine.sparse_product(&kept, &x)?, &expected)?;
        let Ok(x) = uploaded(&engine, &x) else { continue };
        let stays = engine.sparse_product(&kept, x);
        match stays {
            Ok(stays) => expect_equal(&what, engine.download(&stays)?.as_slice(), &expected)?,
            Err(Error::OverDeviceBudget { required, .. })
                if required == size_of_val(&expected[..]) as u64 => {}
            Err(error) => return Err(format!("{what}: {error}")),
        }
    }
    Ok(())
}

fn callers<F: AcceleratedPrime>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(124);
    let matrix = matrix::<F>(&mut words, 900, (0..1000).map(|i| i % 40))?;
    let kept = engine.sparse_matrix(matrix.clone())?;
    let vectors: Vec<_> = (0..4).map(|_| vector::<F>(&mut words, 900)).collect();
    let found = from_four_threads(|number| engine.sparse_product(&kept, &vectors[number]))?;
    for (found, x) in found.iter().zip(&vectors) {
        expect_equal("products from four threads", found, &product(&matrix, x)?)?;
    }
    Ok(())
}

/// A constraint system's: a few entries in most rows, thousands in some, and one with every column.
fn large<F: AcceleratedPrime>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(125);
    let (rows, columns) = ((1 << 17) + 1, (1 << 16) + 3);
    let length = |i: usize| match i {
        70_000 => columns,
        i if i.is_multiple_of(10_007) => 3000,
        i => i * i % 5,
    };
    let matrix = matrix::<F>(&mut words, columns, (0..rows).map(length))?;
    let x: Vec<F> = (0..columns as u64).map(|i| -F::from(i * i + 1)).collect();
    check(engine, "a large matrix", &matrix, &x)
}
