//! Row programs that are divided where devices have no room for one of all.

use std::ops::Range;

use zkaccel::bn254::Fr;
#[cfg(feature = "prove")]
use zkaccel::program::Node;
use zkaccel::program::{Builder, Program, ProgramRows};
use zkaccel::resident::DeviceMatrix;
use zkaccel::{Engine, Error};

/// The most matrices that a row program reads.
#[cfg(feature = "prove")]
pub(crate) const MATRICES: usize = 8;

/// Programs, each of a range of items.
pub(crate) type Programs = Vec<(Range<usize>, Program<Fr>)>;

/// Programs whose outputs, one program after another, are those of all items in their order, as [`divided_by`] has them.
#[cfg(feature = "prove")]
pub(crate) fn divided(
    items: Range<usize>,
    outputs: &impl Fn(&mut Builder<Fr>, usize) -> Vec<Node>,
) -> Result<Programs, (usize, Error)> {
    divided_by(items, &|builder, items| {
        for item in items {
            for node in outputs(builder, item) {
                builder.output(node);
            }
        }
    })
}

/// Programs of all items, each of a range of them: one if devices have room for all nodes that are in use at once, else more.
///
/// An item for which there is no room alone is an error by its index.
pub(crate) fn divided_by(
    items: Range<usize>,
    record: &impl Fn(&mut Builder<Fr>, Range<usize>),
) -> Result<Programs, (usize, Error)> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let mut builder = Builder::new();
    record(&mut builder, items.clone());
    match builder.finish() {
        Ok(program) => Ok(vec![(items, program)]),
        Err(error) if items.len() == 1 => Err((items.start, error)),
        Err(_) => {
            let middle = items.start + items.len() / 2;
            let mut programs = divided_by(items.start..middle, record)?;
            programs.extend(divided_by(middle..items.end, record)?);
            Ok(programs)
        }
    }
}

/// Runs a program on matrices of which some may be missing: these it does not read, and gets the first in their place.
pub(crate) fn run(
    engine: &Engine,
    program: &Program<Fr>,
    rows: ProgramRows,
    matrices: &[Option<&DeviceMatrix<Fr>>],
    values: &[Fr],
) -> Result<DeviceMatrix<Fr>, Error> {
    let first = matrices.iter().flatten().next().expect("a matrix or more");
    let inputs = program.inputs().iter().enumerate().map(|(index, _)| matrices[index].unwrap_or(first));
    engine.run_program(program, rows, &inputs.collect::<Vec<_>>(), values)
}
