//! The columns of the composition: polynomials of the trace's degree, which are committed to.

use zkaccel::Error;
use zkaccel::field::Goldilocks as Element;
use zkaccel::ntt::{Ntt, Order, reverse_bits};
use zkaccel::resident::DeviceMatrix;
use zkaccel_proofs::Builder;

use super::domains::{Domains, natural, same_columns, subgroup};

/// The values on the trace's domain of the polynomials whose coefficients are those of the composition, as many as there are rows at a time; of each polynomial its coordinates side by side.
pub(super) fn columns(
    domains: &Domains<'_>,
    composition: DeviceMatrix<Element>,
    count: usize,
) -> Result<DeviceMatrix<Element>, Error> {
    let (engine, degree) = (domains.memory.engine, composition.shape().columns);
    let (log_rows, log_size) = (domains.log_trace, domains.log_constraints);
    let interpolation =
        Ntt::inverse(domains.coset(log_size)?).with_orders(Order::Natural, Order::BitReversed);
    // In bit-reversed order the coefficients that are to be in one row lie side by side.
    let log_chunks = log_size - log_rows;
    let coordinate = |coordinate| {
        let column = same_columns([coordinate])?;
        let mut column = engine.run_program(&column, natural(1 << log_size), &[&composition], &[])?;
        engine.ntt(&interpolation, &mut column)?;
        column.reshaped(1 << log_rows, 1 << log_chunks)
    };
    let coordinates = (0..degree).map(coordinate).collect::<Result<Vec<_>, _>>()?;
    drop(composition);
    let mut builder = Builder::new();
    for chunk in 0..count {
        for coordinate in 0..degree {
            let entry = builder.column(coordinate, reverse_bits(chunk, log_chunks), 0);
            builder.output(entry);
        }
    }
    let inputs: Vec<_> = coordinates.iter().collect();
    let mut values = engine.run_program(&builder.finish()?, natural(1 << log_rows), &inputs, &[])?;
    let evaluation = Ntt::forward(subgroup(log_rows)?).with_orders(Order::BitReversed, Order::Natural);
    engine.ntt(&evaluation, &mut values)?;
    Ok(values)
}
