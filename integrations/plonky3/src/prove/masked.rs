//! The chunks of the quotient with what hides them: random columns, and masks that vanish on the chunks' cosets. See [`super::masks`].

use p3_field::{Field, PrimeCharacteristicRing, TwoAdicField};
use p3_goldilocks::Goldilocks;
use zkaccel::Error;
use zkaccel::field::{Field as _, Goldilocks as Element};
use zkaccel::matrix::Matrix;
use zkaccel::ntt::{Ntt, reverse_bits};
use zkaccel::resident::DeviceMatrix;
use zkaccel_proofs::Memory;

use super::columns::{coset, in_memory, reversed};
use super::extended::Sizes;
use super::masks::{Masks, side_by_side};
use super::{Builder, Program, quotient};
use crate::elements::to_engine;

/// The extensions of masked chunks side by side, each with random columns behind it, in bit-reversed order, from the chunks' coefficients.
pub(super) fn chunks(
    memory: Memory<'_>,
    coefficients: DeviceMatrix<Element>,
    sizes: Sizes,
    masks: &Masks,
) -> Result<DeviceMatrix<Element>, Error> {
    let (engine, count, rows) = (memory.engine, 1 << sizes.log_chunks, 1 << sizes.log_rows);
    let degree = coefficients.shape().columns / count;
    let width = degree + masks.codewords;
    // Random columns by their values on the cosets of their chunks, and masks by their coefficients.
    let codewords = memory.narrow(side_by_side(&masks.columns, count, rows, masks.codewords)?)?;
    let masks = memory.narrow(side_by_side(&masks.columns, count - 1, rows, width)?)?;
    let coefficients = with_codewords(memory, coefficients, codewords, sizes)?;
    let chunks = quotient::extension(engine, coefficients, sizes)?;
    let masks = quotient::extension(engine, masks, sizes)?;
    let vanishing = memory.narrow(vanishing(sizes)?)?;
    let rows = reversed(sizes.log_extended());
    engine.run_program(&masked(count, width)?, rows, &[&chunks, &masks, &vanishing], &[])
}

/// The coefficients of chunks and of the random columns behind each, the latter from their values.
fn with_codewords(
    memory: Memory<'_>,
    chunks: DeviceMatrix<Element>,
    mut codewords: DeviceMatrix<Element>,
    sizes: Sizes,
) -> Result<DeviceMatrix<Element>, Error> {
    let (engine, count, rows) = (memory.engine, 1 << sizes.log_chunks, 1 << sizes.log_rows);
    let [degree, width] = [&chunks, &codewords].map(|matrix| matrix.shape().columns / count);
    // As if all were on the coset of the first chunk. That of chunk i is w^i times it, so that the coefficient of x^j is w^(i j) times too large.
    engine.ntt(&Ntt::inverse(coset(sizes.log_rows)?), &mut codewords)?;
    let root = Goldilocks::two_adic_generator(sizes.log_quotient()).inverse();
    let powers = memory.narrow(Matrix::from_column(root.powers().take(rows).map(to_engine).collect())?)?;
    let mut builder = Builder::new();
    let root = builder.column(2, 0, 0);
    let mut power = builder.constant(Element::ONE);
    for chunk in 0..count {
        for column in chunk * degree..(chunk + 1) * degree {
            let coefficient = builder.column(0, column, 0);
            builder.output(coefficient);
        }
        for column in chunk * width..(chunk + 1) * width {
            let coefficient = builder.column(1, column, 0);
            let coefficient = builder.mul(coefficient, power);
            builder.output(coefficient);
        }
        power = builder.mul(power, root);
    }
    engine.run_program(&builder.finish()?, in_memory(rows), &[&chunks, &codewords, &powers], &[])
}

/// For each chunk the polynomial (x / s)^n - 1 that vanishes on its coset s H, in bit-reversed order: as many rows as it has different values on the coset of extensions, after which all repeat.
fn vanishing(sizes: Sizes) -> Result<Matrix<Element>, Error> {
    let log_period = sizes.log_extended() - sizes.log_rows;
    let point = Goldilocks::two_adic_generator(log_period);
    let shift = Goldilocks::two_adic_generator(sizes.log_chunks).inverse();
    let value = |row: usize, chunk: u64| {
        let index = reverse_bits(row, log_period as u32) as u64;
        to_engine(point.exp_u64(index) * shift.exp_u64(chunk) - Goldilocks::ONE)
    };
    let chunks = 1 << sizes.log_chunks;
    let values = (0..1 << log_period).flat_map(|row| (0..chunks as u64).map(move |chunk| value(row, chunk)));
    Matrix::from_rows(values.collect(), 1 << log_period, chunks)
}

/// Chunks, so many of so many columns, plus their masks times what vanishes on their cosets. The last mask is minus the sum of the others.
fn masked(count: usize, width: usize) -> Result<Program, Error> {
    let mut builder = Builder::new();
    for chunk in 0..count {
        let vanishing = builder.column(2, chunk, 0);
        for column in 0..width {
            let value = builder.column(0, chunk * width + column, 0);
            let output = if chunk + 1 < count {
                let mask = builder.column(1, chunk * width + column, 0);
                let product = builder.mul(mask, vanishing);
                builder.add(value, product)
            } else {
                let mut mask = builder.constant(Element::ZERO);
                for other in 0..chunk {
                    let term = builder.column(1, other * width + column, 0);
                    mask = builder.add(mask, term);
                }
                let product = builder.mul(mask, vanishing);
                builder.sub(value, product)
            };
            builder.output(output);
        }
    }
    builder.finish()
}
