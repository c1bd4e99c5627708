//! Row programs on matrices that stay.

use super::elsewhere::InHostMemory;
use super::{DeviceMatrix, Location};
use crate::backend::AcceleratedField;
use crate::engine::Engine;
use crate::error::Error;
use crate::matrix::{Layout, Shape};
use crate::operation::make_of;
use crate::program::{Program, ProgramInput, ProgramRows};
use crate::work::Activity;

impl<F: AcceleratedField> ProgramInput for DeviceMatrix<F> {
    fn run_on(
        engine: &Engine,
        program: &Program<F>,
        rows: ProgramRows,
        inputs: &[&Self],
        values: &[F],
    ) -> Result<Self, Error> {
        inputs.iter().try_for_each(|input| engine.check_ours(input))?;
        engine.check_elements(values)?;
        let shapes: Vec<Shape> = inputs.iter().map(|input| input.shape).collect();
        program.check(rows, &shapes, values.len())?;
        // The others come to where the largest lies. With one device of its own memory what lies in the host's was put there on purpose, and stays.
        let is_one = engine.dispatcher().is_one();
        let size = |input: &&&Self| input.shape.rows * input.shape.columns;
        let place = match inputs.iter().find(|input| is_one && input.as_host().is_some()) {
            Some(kept) => Some(kept),
            None => inputs.iter().max_by_key(size),
        };
        let Some(Location::Device(first)) = place.map(|input| &input.location) else {
            let there = inputs.iter().map(|input| input.in_host_memory()).collect::<Result<Vec<_>, _>>()?;
            let views: Vec<_> = there.iter().map(InHostMemory::view).collect();
            let result = engine.run_in_host_memory(program, rows, &views, values)?;
            return Ok(DeviceMatrix::on_host(engine, result));
        };
        let stored = inputs.iter().map(|input| input.beside(first)).collect::<Result<Vec<_>, _>>()?;
        let shape = Shape { rows: rows.count, columns: program.outputs(), layout: Layout::ColumnMajor };
        let (size, constants) = (Activity::PROGRAM.of(rows.count, 0, 0), program.constants(values));
        let words = rows.count * shape.columns * size_of::<F>() / 8;
        let made = make_of(first, size, words, |device| {
            let inputs: Vec<_> =
                stored.iter().zip(&shapes).map(|(stored, &shape)| (stored.contents(), shape)).collect();
            F::resident_programs(device).run_program(program, rows, &inputs, &constants)
        });
        Ok(DeviceMatrix::on_device(engine, shape, engine.perform(made)?))
    }
}
