//! Products of vectors, and of sparse matrices with vectors, over BN254's scalars, of vectors in host memory or of such that stay.

use zkaccel::bn254::Fr;
use zkaccel::matrix::BaseField;

use super::*;
use crate::sparse;

fn words_of(vector: &[Fr]) -> Vec<u8> {
    bytes(Fr::words(vector))
}

/// Both forms, with c and without.
pub(super) fn products(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    let len = (1 << log) + words.next() as usize % 3;
    let [mut a, b, c]: [Vec<Fr>; 3] = std::array::from_fn(|_| words.samples(len));
    match words.next().is_multiple_of(2) {
        true => {
            engine.multiply(&mut a, &b)?;
            engine.multiply_subtract(&mut a[..], &b, &c)?;
        }
        false => {
            let [x, y, z] = [a, b, c].map(|vector| engine.upload(Matrix::from_column(vector)?));
            let (mut x, y, z) = (x?, y?, z?);
            engine.multiply(&mut x, &y)?;
            engine.multiply_subtract(&mut x, &y, &z)?;
            a = engine.download(&x)?.into_vec();
        }
    }
    Ok(words_of(&a))
}

/// A matrix of short rows and a long one.
pub(super) fn sparse_product(engine: &Engine, log: u32, words: &mut Words) -> Result<Vec<u8>, Error> {
    let (rows, columns) = (1 << log, 1 + words.next() as usize % (2 << log));
    let long = words.next() as usize % rows;
    let matrix =
        sparse::matrix::<Fr>(words, columns, (0..rows).map(|i| if i == long { rows } else { i % 5 }))?;
    let (matrix, vector) = (engine.sparse_matrix(matrix)?, words.samples::<Fr>(columns));
    Ok(words_of(&match words.next().is_multiple_of(2) {
        true => engine.sparse_product(&matrix, vector)?,
        false => {
            let kept = engine.upload(Matrix::from_column(vector)?)?;
            engine.download(&engine.sparse_product(&matrix, &kept)?)?.into_vec()
        }
    }))
}
