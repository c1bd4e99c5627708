//! The quotient of the constraints by the polynomial that vanishes on the trace's domain, and its division into chunks.
//!
//! # Mathematical description
//!
//! The quotient Q is known by its values on a coset of n c points, for a trace of n rows and c chunks. Chunk i is the polynomial q_i of degree
//! below n that agrees with Q on the coset of n points of which x^n = s_i: q_i = Q mod (x^n - s_i). With Q = sum over k of x^(k n) Q_k, all Q_k of
//! degree below n, that is the sum over k of s_i^k Q_k, a combination of blocks of coefficients.

use p3_field::{Field, PrimeCharacteristicRing, TwoAdicField};
use p3_goldilocks::Goldilocks;
use zkaccel::field::Goldilocks as Element;
use zkaccel::ntt::{Lde, Ntt, Order};
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};

use super::columns::{Columns, INVERSE_VANISHING, coset, reversed};
use super::extended::Sizes;
use super::program::{Builder, Program, ProgramRows, RunProgram};
use super::record::Recorded;
use crate::elements::to_engine;

/// The values of the quotient, in bit-reversed order: a column for each coordinate. `values` are those of the recorded program; `others` are its further inputs.
pub(super) fn quotient(
    engine: &Engine,
    recorded: &Recorded,
    columns: &Columns,
    trace: &DeviceMatrix<Element>,
    others: &[&DeviceMatrix<Element>],
    values: &[Element],
) -> Result<DeviceMatrix<Element>, Error> {
    let inputs = [&[trace, &columns.selectors], others].concat();
    // An AIR that reads none of the last inputs does without.
    let inputs = &inputs[..recorded.program.inputs().len()];
    let Sizes { log_rows, log_chunks, .. } = columns.sizes;
    let rows = ProgramRows { stride: 1 << log_chunks, ..reversed(log_rows + log_chunks) };
    let constraints = engine.run_program(&recorded.program, rows, inputs, values)?;
    let division = division(constraints.shape().columns)?;
    engine.run_program(&division, rows, &[&constraints, &columns.selectors], &[])
}

/// Every column times the inverse of the vanishing polynomial.
fn division(degree: usize) -> Result<Program, Error> {
    let mut builder = Builder::new();
    let inverse = builder.column(1, INVERSE_VANISHING, 0);
    for column in 0..degree {
        let dividend = builder.column(0, column, 0);
        let quotient = builder.mul(dividend, inverse);
        builder.output(quotient);
    }
    builder.finish()
}

/// The extensions of the chunks side by side, in bit-reversed order, from the values of the quotient.
pub(super) fn chunks(
    engine: &Engine,
    mut quotient: DeviceMatrix<Element>,
    Sizes { log_rows, log_chunks, log_blowup }: Sizes,
) -> Result<DeviceMatrix<Element>, Error> {
    let (degree, log_size) = (quotient.shape().columns, log_rows + log_chunks);
    let interpolation = Ntt::inverse(coset(log_size)?).with_orders(Order::BitReversed, Order::Natural);
    engine.ntt(&interpolation, &mut quotient)?;
    let mut coefficients = quotient;
    if log_chunks > 0 {
        let (remainders, powers) = remainders(degree, log_rows, log_chunks)?;
        let blocks = ProgramRows { count: 1 << log_size, stride: 1 << log_rows, order: Order::Natural };
        let all = engine.run_program(&remainders, blocks, &[&coefficients], &powers)?;
        // In bit-reversed order the rows of a shorter run are the first ones.
        coefficients =
            engine.run_program(&identity(all.shape().columns)?, reversed(log_rows), &[&all], &[])?;
    }
    let from = coset(log_rows)?;
    engine.ntt(&Ntt::forward(from), &mut coefficients)?;
    let lde = Lde::new(from, coset(log_rows + log_blowup)?)?;
    engine.lde(&lde.with_output_order(Order::BitReversed), &coefficients)
}

/// The coefficients of all chunks, of which the first n rows count, and the powers of the s_i for a run.
fn remainders(degree: usize, log_rows: usize, log_chunks: usize) -> Result<(Program, Vec<Element>), Error> {
    let chunks = 1 << log_chunks;
    let mut builder = Builder::new();
    for chunk in 0..chunks {
        for coordinate in 0..degree {
            let first = builder.column(0, coordinate, 0);
            let sum = (1..chunks).fold(first, |sum, block| {
                let power = builder.value(chunk * chunks + block);
                let coefficient = builder.column(0, coordinate, block as i32);
                let term = builder.mul(power, coefficient);
                builder.add(sum, term)
            });
            builder.output(sum);
        }
    }
    let shift = Goldilocks::GENERATOR.exp_power_of_2(log_rows);
    let roots = Goldilocks::two_adic_generator(log_chunks).powers().take(chunks);
    let powers = roots.flat_map(|root| (shift * root).powers().take(chunks)).map(to_engine);
    Ok((builder.finish()?, powers.collect()))
}

/// The same columns.
fn identity(columns: usize) -> Result<Program, Error> {
    let mut builder = Builder::new();
    for column in 0..columns {
        let entry = builder.column(0, column, 0);
        builder.output(entry);
    }
    builder.finish()
}
