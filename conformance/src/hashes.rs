//! Hashing of rows.

use zkaccel::field::{Cubic, Field, Goldilocks, Quadratic};
use zkaccel::hash::{Accelerated, Blake3, Rp64_256};
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::{Engine, Error};

use crate::data::{EDGES, NON_CANONICAL, Words};
use crate::{Case, agree, expect_equal, expect_error};

macro_rules! cases {
    ($($hash:ident, $name:literal, $number:literal, $capability:literal;)*) => {
        pub(super) const CASES: &[Case] = &[
            $(Case { name: concat!("rows, ", $name), run: rows::<zkaccel::hash::$hash> },)*
            Case { name: "rows with words at or above p are refused", run: non_canonical },
        ];
    };
}
zkaccel::for_every_hash!(cases);

fn rows<H: Accelerated>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(1);
    grid::<H>(engine, &mut words, &[1, 2, 3, 31, 65, 200], &[1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 33])?;
    for columns in [1, 2, 3, 5] {
        check::<H, Quadratic>(engine, &mut words, 70, columns)?;
        check::<H, Cubic>(engine, &mut words, 70, columns)?;
    }
    // Around the chunks of a tree hash: 128 words each.
    for columns in [127, 128, 129, 255, 256, 257, 385, 897, 1025] {
        check::<H, Goldilocks>(engine, &mut words, 2, columns)?;
    }
    // Rows of one edge value, and of all.
    for edge in EDGES {
        let matrix = Matrix::from_rows(vec![Goldilocks::new(edge); 16], 2, 8)?;
        rows_agree::<H, _>(engine, &matrix)?;
    }
    let all = Matrix::from_rows(EDGES.map(Goldilocks::new).to_vec(), 1, EDGES.len())?;
    rows_agree::<H, _>(engine, &all)
}

/// Matrices of all these numbers of rows and columns.
pub(super) fn grid<H: Accelerated>(
    engine: &Engine,
    words: &mut Words,
    rows: &[usize],
    columns: &[usize],
) -> Result<(), String> {
    for &columns in columns {
        for &rows in rows {
            check::<H, Goldilocks>(engine, words, rows, columns)?;
        }
    }
    Ok(())
}

fn check<H: Accelerated, F: Field>(
    engine: &Engine,
    words: &mut Words,
    rows: usize,
    columns: usize,
) -> Result<(), String> {
    for layout in [Layout::RowMajor, Layout::ColumnMajor] {
        rows_agree::<H, F>(engine, &words.matrix(Shape { rows, columns, layout }))?;
    }
    Ok(())
}

/// `Ok` if the digests of rows are those of each row, word by word, and those of the oracle.
pub(super) fn rows_agree<H: Accelerated, F: Field>(
    engine: &Engine,
    matrix: &Matrix<F>,
) -> Result<(), String> {
    let what = format!("{} of {:?}, degree {}", H::NAME, matrix.shape(), F::DEGREE);
    let found = engine.hash_rows::<H, _>(matrix.view())?;
    let row = |i| H::hash_elements(bytemuck::cast_slice(&matrix.row(i)));
    let expected: Vec<_> = (0..matrix.shape().rows).map(row).collect();
    expect_equal(&what, &found, &expected)?;
    agree(&what, engine, |engine| engine.hash_rows::<H, _>(matrix.view()))
}

fn non_canonical(engine: &Engine) -> Result<(), String> {
    for value in NON_CANONICAL {
        let mut raw = vec![5u64; 3000 * 3];
        raw[7001] = value;
        let data: Vec<Goldilocks> = bytemuck::cast_slice(&raw).to_vec();
        let matrix = Matrix::from_rows(data, 3000, 3)?;
        let expected = Error::NotCanonical { index: 7001, value };
        expect_error("row hashes", engine.hash_rows::<Rp64_256, _>(matrix.view()), &expected)?;
        expect_error(
            "tree",
            engine.merkle_tree_of_rows::<Blake3, _>(matrix.view()),
            &Error::NotPowerOfTwo { what: "leaves of a Merkle tree", found: 3000 },
        )?;
    }
    Ok(())
}
