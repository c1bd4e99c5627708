//! Permuted columns of lookups: each engine gives the order that the definition says, or the error of the reference, in every form of a matrix.

use std::collections::HashMap;

use zkaccel::bn254::Fr;
use zkaccel::field::Goldilocks;
use zkaccel::matrix::{BaseField, Layout, Matrix, Shape};
use zkaccel::ntt::AcceleratedField;
use zkaccel::{Engine, Error};

use crate::draw::Draw;
use crate::engines;

/// Rows of a matrix at most.
const LONGEST: usize = 3000;

/// Entries of a matrix at most.
const LARGEST: usize = 6000;

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.flag() {
        true => over::<Goldilocks>(&mut draw),
        false => over::<Fr>(&mut draw),
    }
}

fn over<F: AcceleratedField>(draw: &mut Draw<'_>) {
    let engine = engines::draw(draw);
    let most = draw.pick(&[4, 60, LONGEST]);
    let rows = 1 + draw.below(most);
    let lookups = 1 + draw.below((LARGEST / (2 * rows)).clamp(1, 5));
    let shape = Shape { rows, columns: 2 * lookups, layout: draw.layout() };
    let mut used = rows - draw.below(rows.min(8) + 1);
    let mut matrix = draw.matrix::<F>(shape);
    // A table of any words, and inputs from a part of it.
    let from = 1 + draw.below(used.max(1));
    let mut words = draw.words();
    for lookup in 0..lookups {
        for row in 0..used {
            let value = matrix.get(words.next() as usize % from, 2 * lookup + 1);
            set(&mut matrix, row, 2 * lookup, value);
        }
    }
    match draw.below(24) {
        23 => used = draw.near(used),
        22 => {
            // Most likely an input that the table lacks.
            let (row, column, value) = (draw.below(rows), draw.below(2 * lookups), draw.element());
            set(&mut matrix, row, column, value);
        }
        21 if <F as BaseField>::MODULUS.len() == 1 => {
            let words = F::words_mut(matrix.as_mut_slice());
            words[draw.below(words.len())] = u64::MAX - u64::from(draw.byte());
        }
        20 if rows * (2 * lookups - 1) <= LARGEST => {
            matrix = draw.matrix(Shape { columns: 2 * lookups - 1, ..shape });
        }
        _ => {}
    }
    let form = draw.below(6);

    let found = permuted(&engine, &matrix, used, form);
    let what = || format!("{used} rows of {:?}, form {form}, on {}", matrix.shape(), engine.device().id);
    match (&found, defined(&matrix, used)) {
        // What must stay on a device with a small budget.
        (Err(Error::OverDeviceBudget { .. }), _) if form > 3 => {}
        (Ok(found), Some(expected)) => {
            // What stays may have the other layout.
            assert_eq!(
                (found.shape().rows, found.shape().columns),
                (rows, expected.shape().columns),
                "{}",
                what()
            );
            let is_right =
                |row| (0..expected.shape().columns).all(|j| found.get(row, j) == expected.get(row, j));
            assert!((0..rows).all(is_right), "{}: {found:?}, expected {expected:?}", what());
        }
        (Err(error), None) => {
            let expected = permuted(engines::reference(), &matrix, used, form);
            assert_eq!(Some(error), expected.err().as_ref(), "{}", what());
        }
        (found, expected) => {
            panic!("{}: {:?}, expected an answer: {}", what(), found.as_ref().err(), expected.is_some())
        }
    }
}

fn set<F: AcceleratedField>(matrix: &mut Matrix<F>, row: usize, column: usize, value: F) {
    let Shape { rows, columns, layout } = matrix.shape();
    let at = match layout {
        Layout::RowMajor => row * columns + column,
        Layout::ColumnMajor => column * rows + row,
    };
    matrix.as_mut_slice()[at] = value;
}

/// The permuted columns by the definition; `None` for what is refused.
fn defined<F: AcceleratedField>(matrix: &Matrix<F>, used: usize) -> Option<Matrix<F>> {
    let Shape { rows, columns, .. } = matrix.shape();
    F::check_all(matrix.as_slice()).ok()?;
    if used > rows || columns % 2 == 1 {
        return None;
    }
    let mut permuted = matrix.clone();
    for input in (0..columns).step_by(2) {
        let table = input + 1;
        // For each value how many inputs have it.
        let mut counts: HashMap<Vec<u64>, usize> = HashMap::new();
        let key = |value: F| F::words(&[value]).to_vec();
        (0..used).for_each(|row| *counts.entry(key(matrix.get(row, input))).or_default() += 1);
        let (mut next, mut free, mut others) = (0, Vec::new(), Vec::new());
        for row in 0..used {
            let value = matrix.get(row, table);
            // Taken by the first row of the table that has the value.
            match counts.remove(&key(value)) {
                Some(count) => {
                    (next..next + count).for_each(|row| set(&mut permuted, row, input, value));
                    set(&mut permuted, next, table, value);
                    free.extend(next + 1..next + count);
                    next += count;
                }
                None => others.push(value),
            }
        }
        if !counts.is_empty() {
            return None;
        }
        assert_eq!(free.len(), others.len());
        free.into_iter().zip(others).for_each(|(row, value)| set(&mut permuted, row, table, value));
    }
    Some(permuted)
}

fn permuted<F: AcceleratedField>(
    engine: &Engine,
    matrix: &Matrix<F>,
    used: usize,
    form: usize,
) -> Result<Matrix<F>, Error> {
    match form {
        0 => engine.permute_lookups(matrix, used),
        1 => engine.permute_lookups(matrix.clone(), used),
        2 => engine.permute_lookups(matrix.view(), used),
        3 => engine.permute_lookups_async(matrix.clone(), used).wait(),
        4 => engine.download(&engine.permute_lookups(&engine.upload(matrix)?, used)?),
        _ => engine.download(&engine.permute_lookups_async(engine.upload(matrix)?, used).wait()?),
    }
}
