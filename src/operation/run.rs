//! Runs of row programs.

use std::ops::Range;

use super::random_indices;
use crate::backend::reference::outputs_in_row;
use crate::backend::{AcceleratedField, Backend, Programs};
use crate::dispatch::{Call, Cost, Kind, Measured, Member, Operation, Untested, timed};
use crate::error::Error;
use crate::matrix::{Layout, MatrixRef, Shape};
use crate::ntt::Order;
use crate::parallel::for_each_chunk;
use crate::program::{Access, Builder, Program, ProgramRows};
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
pub(super) const fn kind<F: AcceleratedField>() -> Kind {
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
    let run = Run { program: &program, rows, inputs: &[input], constants: &constants, outputs: &mut outputs };
    timed(|| run.on(backend), work)
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
        self.on(device.backend())
    }
}

/// Elements of a column that a task gathers, and columns: those of a line of a cache.
const GATHERED: [usize; 2] = [1 << 12, 8];

impl<F: AcceleratedField> Run<'_, F> {
    /// At once, or where the device has no room for that in parts.
    fn on(self, backend: &dyn Backend) -> Result<(), Error> {
        let Self { program, rows, inputs, constants, outputs } = self;
        let programs = F::programs(backend);
        let budget = backend.resident().map(|device| device.budget()).filter(|_| rows.count > 1);
        match (programs.run_program(program, rows, inputs, constants, &mut *outputs), budget) {
            (Err(Error::OverDeviceBudget { .. } | Error::DeviceOutOfMemory { .. }), Some(budget)) => {
                Run { program, rows, inputs, constants, outputs }.in_parts(programs, budget)
            }
            (done, _) => done,
        }
    }

    /// Runs of as many rows as there is room for, of which the entries that they read are gathered.
    fn in_parts(self, programs: &dyn Programs<F>, budget: u64) -> Result<(), Error> {
        let Self { program, rows, inputs, constants, outputs } = self;
        let (program, entries) = program.of_entries();
        let (columns, slots) = (program.outputs(), program.code().slots);
        let row = (entries.len() + columns + slots) * size_of::<F>();
        let room = usize::try_from(budget / row as u64).unwrap_or(usize::MAX).max(1);
        let (mut len, mut from) = ((1 << room.ilog2()).min(rows.count / 2), 0);
        while from < rows.count {
            let gathered = gather(rows, inputs, &entries, from..from + len)?;
            let shape = Shape { rows: len, columns: entries.len(), layout: Layout::ColumnMajor };
            let input = MatrixRef::new(&gathered, shape)?;
            let part = ProgramRows { count: len, stride: 1, order: Order::Natural };
            let mut found = F::zeros(len * columns)?;
            let inputs = &[input][..program.inputs().len()];
            match programs.run_program(&program, part, inputs, constants, &mut found) {
                Err(Error::OverDeviceBudget { .. } | Error::DeviceOutOfMemory { .. }) if len > 1 => len /= 2,
                done => {
                    done?;
                    let to = outputs.chunks_exact_mut(rows.count);
                    to.zip(found.chunks_exact(len))
                        .for_each(|(to, found)| to[from..][..len].copy_from_slice(found));
                    from += len;
                }
            }
        }
        Ok(())
    }
}

/// The entries that a part of the rows reads, a column for each.
fn gather<F: AcceleratedField>(
    rows: ProgramRows,
    inputs: &[MatrixRef<'_, F>],
    entries: &[(Access, usize)],
    part: Range<usize>,
) -> Result<Vec<F>, Error> {
    let mut gathered = F::zeros(part.len() * entries.len())?;
    let [at_once, columns] = GATHERED;
    for_each_chunk(&mut gathered, columns * part.len(), |number, gathered| {
        let entries = &entries[number * columns..];
        for first in (0..part.len()).step_by(at_once) {
            for (to, &(access, column)) in gathered.chunks_exact_mut(part.len()).zip(entries) {
                let input = &inputs[access.matrix];
                for (row, to) in (part.start + first..part.end).zip(&mut to[first..]).take(at_once) {
                    *to = input.get(rows.row(row, access.offset, input.shape().rows), column);
                }
            }
        }
    });
    Ok(gathered)
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
