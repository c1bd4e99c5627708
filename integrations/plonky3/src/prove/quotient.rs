//! The quotient of the constraints by the polynomial that vanishes on the trace's domain, and its division into chunks.
//!
//! # Mathematical description
//!
//! The quotient Q is known by its values on a coset of n c points, for a trace of n rows and c chunks. Chunk i is the polynomial q_i of degree
//! below n that agrees with Q on the coset of n points of which x^n = s_i: q_i = Q mod (x^n - s_i). All are made by halves: with s = s_i^(c/2) and
//! h = n c / 2, Q mod (x^h - s) is the lower half of Q's coefficients plus s times the upper half, there are two such s, and so on for either.

use p3_field::{Field, PrimeCharacteristicRing, TwoAdicField};
use p3_goldilocks::Goldilocks;
use zkaccel::field::Goldilocks as Element;
use zkaccel::ntt::{Lde, Ntt, Order, reverse_bits};
use zkaccel::program::ProgramRows;
use zkaccel::resident::{Cosets, DeviceMatrix};
use zkaccel::{Engine, Error};
use zkaccel_proofs::Memory;

use super::columns::{Columns, INVERSE_VANISHING, coset, in_parts_as, reversed, same_columns};
use super::extended::Sizes;
use super::record::Recorded;
use super::{Builder, Program};
use crate::elements::to_engine;

/// The values of the quotient, in bit-reversed order: a column for each coordinate. `values` are those of the recorded program; `others` are its further inputs.
pub(super) fn quotient(
    memory: Memory<'_>,
    recorded: &Recorded,
    columns: &Columns,
    trace: &Cosets<Element>,
    others: &[&Cosets<Element>],
    values: &[Element],
) -> Result<DeviceMatrix<Element>, Error> {
    let sizes = columns.sizes;
    let rows = ProgramRows { stride: 1 << sizes.log_chunks, ..reversed(sizes.log_quotient()) };
    let trace = trace.first_rows(rows.count)?;
    let selectors = columns.selectors_beside(&trace)?;
    let others = others.iter().map(|other| beside(memory, &trace, other, rows.count));
    let others = others.collect::<Result<Vec<_>, _>>()?;
    let inputs: Vec<_> = [&trace, &selectors].into_iter().chain(&others).collect();
    // An AIR that reads none of the last inputs does without.
    let inputs = &inputs[..recorded.program.inputs().len()];
    let constraints = memory.engine.run_program(&recorded.program, rows, inputs, values)?;
    let constraints = memory.among_narrow(memory.joined(constraints)?)?;
    let division = division(constraints.shape().columns)?;
    memory.engine.run_program(&division, rows, &[&constraints, &columns.selectors], &[])
}

/// A matrix that is read with a trace, in as many parts: its first rows, if it has more than so many.
fn beside(
    memory: Memory<'_>,
    trace: &Cosets<Element>,
    matrix: &Cosets<Element>,
    count: usize,
) -> Result<Cosets<Element>, Error> {
    let matrix = match matrix.shape().rows > count {
        true => matrix.first_rows(count)?,
        false => matrix.clone(),
    };
    match trace.parts().len() {
        1 => memory.joined(matrix).map(Into::into),
        _ => in_parts_as(trace, &matrix),
    }
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

/// The coefficients of the chunks side by side, in natural order, from the values of the quotient.
pub(super) fn chunks(
    engine: &Engine,
    mut quotient: DeviceMatrix<Element>,
    sizes: Sizes,
) -> Result<DeviceMatrix<Element>, Error> {
    let Sizes { log_rows, log_chunks, .. } = sizes;
    let (degree, log_size) = (quotient.shape().columns, sizes.log_quotient());
    let interpolation = Ntt::inverse(coset(log_size)?).with_orders(Order::BitReversed, Order::Natural);
    engine.ntt(&interpolation, &mut quotient)?;
    let mut coefficients = quotient;
    // In natural order the coefficients of a polynomial of half as many are in the first half of the rows.
    for layer in 0..log_chunks {
        let program = remainders(degree, 1 << layer)?;
        let half =
            ProgramRows { count: 1 << log_size, stride: 1 << (log_size - layer - 1), order: Order::Natural };
        let values = powers(layer, log_rows, log_chunks);
        coefficients = engine.run_program(&program, half, &[&coefficients], &values)?;
    }
    if log_chunks > 0 {
        // In bit-reversed order the rows of a shorter run are the first ones. So lie the chunks, too.
        let chunks = (0..1 << log_chunks).map(|chunk| reverse_bits(chunk, log_chunks as u32));
        let first = same_columns(chunks.flat_map(|chunk| chunk * degree..(chunk + 1) * degree))?;
        coefficients = engine.run_program(&first, reversed(log_rows), &[&coefficients], &[])?;
    }
    Ok(coefficients)
}

/// The extensions, in bit-reversed order, of polynomials from their coefficients.
pub(super) fn extension(
    engine: &Engine,
    mut coefficients: DeviceMatrix<Element>,
    sizes: Sizes,
) -> Result<DeviceMatrix<Element>, Error> {
    let from = coset(coefficients.shape().rows.ilog2() as usize)?;
    engine.ntt(&Ntt::forward(from), &mut coefficients)?;
    let lde = Lde::new(from, coset(sizes.log_extended())?)?;
    engine.lde(&lde.with_output_order(Order::BitReversed), &coefficients)
}

/// From polynomials p to their remainders modulo x^h - t and x^h - u, where p has 2 h coefficients: its lower half plus t or u times its upper half. The values are the t and u.
fn remainders(degree: usize, polynomials: usize) -> Result<Program, Error> {
    let mut builder = Builder::new();
    for remainder in 0..2 * polynomials {
        for column in (0..degree).map(|coordinate| remainder / 2 * degree + coordinate) {
            let [lower, upper] = [0, 1].map(|half| builder.column(0, column, half));
            let power = builder.value(remainder);
            let upper = builder.mul(power, upper);
            let sum = builder.add(lower, upper);
            builder.output(sum);
        }
    }
    builder.finish()
}

/// The values of that program for a layer: the remainder at index j leads to the chunks whose number's lowest bits are those of j in reversed order.
fn powers(layer: usize, log_rows: usize, log_chunks: usize) -> Vec<Element> {
    let shift = Goldilocks::GENERATOR.exp_power_of_2(log_rows);
    let root = Goldilocks::two_adic_generator(log_chunks);
    let of_chunk = |chunk: usize| (shift * root.exp_u64(chunk as u64)).exp_power_of_2(log_chunks - layer - 1);
    let bits = layer as u32 + 1;
    (0..1 << bits).map(|index| to_engine(of_chunk(reverse_bits(index, bits)))).collect()
}
