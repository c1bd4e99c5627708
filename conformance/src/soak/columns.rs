//! Operations on the columns of matrices over Goldilocks or BN254's scalars: transforms, inverses, combinations, row programs, prefix products
//! and lookups, of matrices in host memory or of such that stay.

use super::*;
use crate::{combinations, lookups, programs};

/// Calls a function over one of two fields, where there are two.
macro_rules! with_some_field {
    ($words:expr, $function:ident($($argument:expr),*)) => {{
        #[cfg(feature = "bn254")]
        if $words.next().is_multiple_of(2) {
            return $function::<zkaccel::bn254::Fr>($($argument),*);
        }
        $function::<Goldilocks>($($argument),*)
    }};
}

macro_rules! over_some_field {
    ($($(#[$doc:meta])* $name:ident: $function:ident;)+) => {$(
        $(#[$doc])*
        pub(super) fn $name(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
            with_some_field!(words, $function(engine, log, words))
        }
    )+};
}
over_some_field! {
    transform: transform_over;
    inverses: inverses_over;
    combinations: combinations_over;
    row_program: row_program_over;
    prefix_products: prefix_products_over;
    lookups: lookups_over;
}

/// The words of elements.
fn words_of<F: Samples>(elements: &[F]) -> Vec<u8> {
    bytes(F::words(elements))
}

fn transform_over<F: Samples>(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    let (mut matrix, ntt) = (matrix::<F>(log, words), some_transform(log, words)?);
    engine.ntt(&ntt, matrix.view_mut())?;
    Ok(words_of(matrix.as_slice()))
}

fn inverses_over<F: Samples>(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    let len = (1 << log) + words.next() as usize % 3;
    let mut elements: Vec<F> = words.samples(len);
    engine.invert(&mut elements[..])?;
    Ok(words_of(&elements))
}

/// Of columns and of rows.
fn combinations_over<F: Samples>(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    let [columns, count] = [0; 2].map(|_| 1 + words.next() as usize % 6);
    let (shape, layouts) = ([1 << log, columns, 1 << log, count], [some_layout(words), some_layout(words)]);
    let operands = combinations::operands::<F>(words, shape, layouts);
    let [of_columns, of_rows] = match words.next().is_multiple_of(2) {
        true => [
            engine.combine_columns(&operands.matrix, &operands.coefficients)?,
            engine.combine_rows(&operands.weights, &operands.matrix)?,
        ],
        false => {
            let (matrix, weights) = (engine.upload(&operands.matrix)?, engine.upload(&operands.weights)?);
            let combined = engine.combine_columns(&matrix, &operands.coefficients)?;
            [engine.download(&combined)?, engine.combine_rows(&weights, &matrix)?]
        }
    };
    Ok([of_columns, of_rows].iter().flat_map(|combined| words_of(combined.as_slice())).collect())
}

fn row_program_over<F: Samples>(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    let (length, turn) = (words.next() as usize % 40, words.next() as usize);
    let program = programs::random_program::<F>(words, length)?;
    let inputs = programs::inputs::<F>(words, [1 << log; 3], turn);
    let values: Vec<F> = words.samples(programs::VALUES);
    let order = if words.next().is_multiple_of(2) { Order::Natural } else { Order::BitReversed };
    let rows = ProgramRows { count: 1 << log, stride: 1 + words.next() as usize % 4, order };
    let outputs = match words.next().is_multiple_of(2) {
        true => engine.run_program(&program, rows, &programs::named(&program, &inputs), &values)?,
        false => {
            let kept = inputs.iter().map(|input| engine.upload(input)).collect::<Result<Vec<_>, _>>()?;
            let outputs = engine.run_program(&program, rows, &programs::named(&program, &kept), &values)?;
            engine.download(&outputs)?
        }
    };
    Ok(words_of(outputs.as_slice()))
}

fn prefix_products_over<F: Samples>(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    let matrix = matrix::<F>(log, words);
    let first: Vec<F> = words.samples(matrix.shape().columns);
    let (products, all) = match words.next().is_multiple_of(2) {
        true => engine.prefix_products(&matrix, &first)?,
        false => {
            let (products, all) = engine.prefix_products(engine.upload(&matrix)?, &first)?;
            (entries_by_rows(&engine.download(&products)?)?, all)
        }
    };
    Ok([words_of(entries_by_rows(&products)?.as_slice()), words_of(&all)].concat())
}

fn lookups_over<F: Samples>(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    let (rows, count) = (1 << log, 1 + words.next() as usize % 2);
    let [used, distinct] = [0; 2].map(|_| 1 + words.next() as usize % rows);
    let columns = lookups::lookups::<F>(words, [rows, used, distinct], count);
    let matrix = lookups::of_columns(&columns, some_layout(words))?;
    let permuted = match words.next().is_multiple_of(2) {
        true => engine.permute_lookups(&matrix, used)?,
        false => engine.download(&engine.permute_lookups(engine.upload(&matrix)?, used)?)?,
    };
    Ok(words_of(entries_by_rows(&permuted)?.as_slice()))
}

/// The same matrix with its rows one after another: on devices matrices over prime fields have a layout of their own.
fn entries_by_rows<F: Samples>(matrix: &Matrix<F>) -> Result<Matrix<F>, Error> {
    let Shape { rows, columns, .. } = matrix.shape();
    Matrix::from_rows((0..rows).flat_map(|row| matrix.row(row)).collect(), rows, columns)
}
