//! Row programs (`kernels/row_program.cl`): groups for rows until the device is full, and where rows are too few, groups for pieces of the program.

use super::Gpu;
use super::device::{Arg, Launch};
use super::program::{DeviceField, Name, Program as Kernels};
use super::session::{Region, Session};
use super::transforms::{bytes, bytes_mut};
use crate::backend::{AcceleratedField, Memory, Programs, ResidentPrograms};
use crate::device::DeviceKind;
use crate::error::Error;
use crate::matrix::{MatrixRef, Shape};
use crate::ntt::Order;
use crate::program::{
    Batches, MAX_ACCESSES, MAX_COORDINATES, MAX_MATRICES, Near, PART, Program, ProgramRows,
};

/// The most rows at once of programs that have slots far away: about as many as the largest devices run at once.
const ROWS: usize = 1 << 17;

/// Groups that a multiprocessor of a GPU runs at once.
const GROUPS_OF_UNIT: usize = 8;

const KERNELS: &[&str] =
    &[include_str!("../../../kernels/element.h"), include_str!("../../../kernels/row_program.cl")];

/// Parameters for a field.
const fn parameters(near: Near) -> [(&'static str, u32); 8] {
    [
        ("ELEMENT_WORDS", near.words as u32),
        ("GROUP", near.group as u32),
        ("ITEM_ROWS", near.rows as u32),
        ("MAX_ACCESSES", MAX_ACCESSES as u32),
        ("MAX_COORDINATES", MAX_COORDINATES as u32),
        ("PART", PART as u32),
        ("RING", near.ring as u32),
        ("SLOTS", near.slots as u32),
    ]
}

/// The kernels over a field.
pub(super) const fn kernels<F: AcceleratedField + DeviceField>() -> &'static Kernels {
    const {
        &Kernels {
            parameters: const { &parameters(Near::of::<F>()) },
            ..Kernels::over::<F>(const { &Name::new("row_program", F::SUFFIX) }, KERNELS)
        }
    }
}

/// How a run is shared out.
struct Plan<'a> {
    batches: &'a Batches,
    /// Groups of each piece.
    groups: usize,
}

impl Plan<'_> {
    /// Elements of slots far away.
    fn far<F>(&self) -> usize {
        self.batches.far * self.batches.pieces.len() * self.groups * Near::of::<F>().rows_of_group()
    }

    /// Elements of sums that have to be added.
    fn apart(&self, outputs: usize) -> usize {
        if self.batches.pieces.len() == 1 { 0 } else { outputs.saturating_mul(self.batches.pieces.len()) }
    }
}

impl Gpu {
    /// The pieces of a program, as many as fill the device, and their groups.
    fn plan<'a, F: AcceleratedField + DeviceField>(
        &self,
        program: &'a Program<F>,
        rows: ProgramRows,
    ) -> Plan<'a> {
        let (info, of_group) = (self.device.info(), Near::of::<F>().rows_of_group());
        let at_once = match info.kind {
            DeviceKind::Cpu => info.units,
            _ => info.units * GROUPS_OF_UNIT,
        };
        let groups = rows.count.div_ceil(of_group);
        let batches = program.batches(at_once / groups);
        let most = self.device.limits().items.min(if batches.far == 0 { usize::MAX } else { ROWS });
        Plan { batches, groups: groups.min((most / of_group / batches.pieces.len()).max(1)) }
    }

    /// [`Error::OverDeviceBudget`] for a run that would take too much memory.
    fn grant_program<F: AcceleratedField + DeviceField>(
        &self,
        program: &Program<F>,
        rows: ProgramRows,
        shapes: &[Shape],
    ) -> Result<(), Error> {
        if shapes.iter().any(|shape| shape.rows.max(shape.columns) >= 1 << 32) {
            let operation = "a row program on a matrix of 2^32 rows or more";
            return Err(Error::Unsupported { device: self.device.info().id.clone(), operation });
        }
        let inputs = shapes.iter().map(|shape| shape.rows * shape.columns).sum::<usize>();
        let outputs = rows.count.saturating_mul(program.outputs());
        let plan = self.plan(program, rows);
        let elements = inputs.saturating_add(outputs).saturating_add(plan.far::<F>() + plan.apart(outputs));
        self.grant(elements.saturating_mul(F::WORDS).saturating_add(plan.batches.len()))
    }

    /// Starts a run; its outputs are in the region that is returned.
    fn start_program<F: AcceleratedField + DeviceField>(
        &self,
        session: &mut Session<'_>,
        program: &Program<F>,
        rows: ProgramRows,
        inputs: &[(Region, Shape)],
        constants: &[F],
    ) -> Result<Region, Error> {
        let plan = self.plan(program, rows);
        let (batches, pieces) = (plan.batches, plan.batches.pieces.len());
        let log_count = rows.count.trailing_zeros();
        let accesses = program
            .code()
            .accesses
            .iter()
            .flat_map(|access| {
                let shape = inputs[access.matrix].1;
                let (of_row, of_column) = shape.steps();
                let further = (access.offset as isize as usize).wrapping_mul(rows.stride) & (rows.count - 1);
                let mask = rows.count.min(shape.rows) - 1;
                let log_rows = shape.rows.trailing_zeros();
                // What is shifted down is zero where the matrix has one row.
                let (up, down) = (log_rows.saturating_sub(log_count), (32 - log_rows).min(31));
                [access.matrix, of_row, of_column, further, mask, up as usize, down as usize]
            })
            .map(|word| word as u64);
        // All in one, since many runs are short: the code, which begins at a part, behind it the pieces and the accesses.
        let mut words = batches.words(bytemuck::cast_slice(bytes(constants)), F::WORDS);
        let behind_code = words.len() as u64;
        words.extend(batches.pieces.iter().flat_map(|piece| [piece.start as u64, piece.end as u64]));
        let behind_pieces = words.len() as u64;
        words.extend(accesses);
        let code = session.upload_new(bytemuck::cast_slice(&words))?;
        let count = rows.count * program.outputs();
        let outputs = session.allocate(count * F::WORDS)?;
        let apart = if pieces == 1 { outputs } else { session.allocate(plan.apart(count) * F::WORDS)? };
        let far = if batches.far == 0 { outputs } else { session.allocate(plan.far::<F>() * F::WORDS)? };
        let mut args = vec![
            Arg::Buffer(code, 0),
            Arg::Buffer(code, behind_code),
            Arg::Word(pieces as u64),
            Arg::Buffer(code, behind_pieces),
            Arg::Word(program.code().accesses.len() as u64),
        ];
        for number in 0..MAX_MATRICES {
            args.push(Arg::Buffer(inputs.get(number).map_or(code, |(region, _)| *region), 0));
        }
        args.extend([
            Arg::Buffer(far, 0),
            Arg::Buffer(apart, 0),
            Arg::Word(program.outputs() as u64),
            Arg::Word(log_count.into()),
            Arg::Word((rows.order == Order::BitReversed).into()),
        ]);
        for (region, shape) in inputs {
            assert!(region.words() >= shape.rows * shape.columns * F::WORDS);
        }
        // SAFETY: run_program reads the words of each piece and the accesses, of each input entries in the columns that the program names, which Program::check has compared with the shapes,
        // and in rows below its number of rows; a group of each piece writes an element in each row of each output of the piece, and in slots of its rows. sum_pieces reads these and writes the outputs.
        unsafe {
            let grid = (pieces * plan.groups, Near::of::<F>().group);
            let run = Launch::new(kernels::<F>(), "run_program", grid, args);
            if pieces == 1 {
                session.launch(&[run])?;
            } else {
                let words = [pieces, count].map(|word| Arg::Word(word as u64));
                let args =
                    [Arg::Buffer(apart, 0), Arg::Buffer(outputs, 0)].into_iter().chain(words).collect();
                let sum = Launch::new(kernels::<F>(), "sum_pieces", self.device.limits().grid(count), args);
                session.launch(&[run, sum])?;
            }
        }
        Ok(outputs)
    }
}

impl<F: AcceleratedField + DeviceField> Programs<F> for Gpu {
    fn run_program(
        &self,
        program: &Program<F>,
        rows: ProgramRows,
        inputs: &[MatrixRef<'_, F>],
        constants: &[F],
        outputs: &mut [F],
    ) -> Result<(), Error> {
        self.grant_program(program, rows, &inputs.iter().map(MatrixRef::shape).collect::<Vec<_>>())?;
        let mut session = Session::new(self)?;
        let mut regions = Vec::new();
        for input in inputs {
            regions.push((session.upload_new(bytes(input.as_slice()))?, input.shape()));
        }
        let result = self.start_program(&mut session, program, rows, &regions, constants)?;
        session.download(result, 0, bytes_mut(outputs))
    }
}

impl<F: AcceleratedField + DeviceField> ResidentPrograms<F> for Gpu {
    fn run_program(
        &self,
        program: &Program<F>,
        rows: ProgramRows,
        inputs: &[(&Memory, Shape)],
        constants: &[F],
    ) -> Result<Memory, Error> {
        self.grant_program(program, rows, &inputs.iter().map(|input| input.1).collect::<Vec<_>>())?;
        let mut session = Session::new(self)?;
        let regions: Vec<_> = inputs.iter().map(|&(memory, shape)| (session.borrow(memory), shape)).collect();
        let result = self.start_program(&mut session, program, rows, &regions, constants)?;
        session.lease(result)
    }
}
