//! Runs of row programs.

use super::random_indices;
use crate::backend::reference::outputs_in_row;
use crate::backend::{AcceleratedField, Backend};
use crate::dispatch::{Call, Cost, Kind, Measured, Member, Operation, Untested, timed};
use crate::error::Error;
use crate::matrix::{Layout, MatrixRef, Shape};
use crate::ntt::Order;
use crate::program::{Builder, Program, ProgramRows};
use crate::work::{Activity, Size};

/// Runs a program on host data: a column of `rows.count` elements for each output.
pub(crate) struct Run<'a, F> {
    pub(crate) program: &'a Program<F>,
    pub(crate) rows: ProgramRows,
    pub(crate) inputs: &'a [MatrixRef<'a, F>],
    /// The program's, with the values of the run.
    pub(crate) constants: &'a [F],
    pub(crate) outputs: &'a mut [F],
}

/// The kind of runs. Work is instructions times rows.
const fn kind<F: AcceleratedField>() -> Kind {
    Kind { name: Activity::PROGRAM.name, variant: F::NAME, sample: sample::<F> }
}

/// A chain of operations on two columns.
fn sample<F: AcceleratedField>(backend: &dyn Backend, log: u32) -> Measured {
    let mut builder = Builder::<F>::new();
    let (a, b) = (builder.column(0, 0, 0), builder.column(0, 1, 1));
    let mut last = builder.mul(a, b);
    for _ in 0..16 {
        let sum = builder.add(last, a);
        last = builder.mul(sum, b);
    }
    builder.output(last);
    let program = builder.finish()?;
    let rows = ProgramRows { count: 1 << log, stride: 1, order: Order::Natural };
    let elements = super::powers(F::of_integer(7), 2 * rows.count);
    let shape = Shape { rows: rows.count, columns: 2, layout: Layout::ColumnMajor };
    let input = MatrixRef::new(&elements, shape)?;
    let mut outputs = vec![F::ZERO; rows.count];
    let (constants, work) = (program.constants(&[]), [work(&program, rows); 2]);
    timed(|| F::programs(backend).run_program(&program, rows, &[input], &constants, &mut outputs), work)
}

fn work<F: AcceleratedField>(program: &Program<F>, rows: ProgramRows) -> f64 {
    program.instructions() as f64 * rows.count as f64
}

impl<F: AcceleratedField> Call for Run<'_, F> {
    type Output = ();

    fn size(&self, _: &Member) -> Size {
        let bytes = self.inputs.iter().map(|input| size_of_val(input.as_slice())).sum();
        Activity::PROGRAM.of(self.rows.count, bytes, size_of_val(self.outputs))
    }

    fn run(self, device: &Member) -> Result<(), Error> {
        let Self { program, rows, inputs, constants, outputs } = self;
        F::programs(device.backend()).run_program(program, rows, inputs, constants, outputs)
    }
}

impl<F: AcceleratedField> Operation for Run<'_, F> {
    fn costs(&self) -> Vec<Cost> {
        vec![Cost { kind: kind::<F>(), work: [work(self.program, self.rows); 2] }]
    }

    /// A few rows again, node by node.
    fn tested(self, untested: &Untested<'_>) -> Result<(), Error> {
        let Self { program, rows, inputs, constants, outputs } = self;
        untested.run(Run { program, rows, inputs, constants, outputs: &mut *outputs })?;
        let passes = random_indices(rows.count).all(|row| {
            let expected = outputs_in_row(program, rows, row, inputs, constants);
            expected
                .into_iter()
                .enumerate()
                .all(|(column, output)| outputs[column * rows.count + row] == output)
        });
        untested.expect(passes, "the check of a row program")
    }
}
