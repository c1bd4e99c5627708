//! Row programs (`kernels/row_program.cl`): one launch, an item for each row until the device is full.

use super::Gpu;
use super::device::{Arg, Device, Launch};
#[cfg(feature = "bn254")]
use super::fields;
use super::program::Program as Kernels;
use super::session::{Region, Session};
use super::transforms::{bytes, bytes_mut};
use crate::backend::{AcceleratedField, Memory, Programs, ResidentPrograms};
use crate::error::Error;
use crate::field::Goldilocks;
use crate::matrix::{MatrixRef, Shape};
use crate::ntt::Order;
use crate::program::{
    Code, Instruction, MAX_ACCESSES, MAX_COORDINATES, MAX_MATRICES, Operand, Operation, Program, ProgramRows,
    fast_slots,
};

/// Work items of a group.
const GROUP: usize = 128;

/// The most items of a launch whose programs have slots in ordinary memory: about as many as the largest devices run at once.
const ITEMS: usize = 1 << 17;

/// A field with kernels for row programs.
pub trait DevicePrograms: AcceleratedField {
    /// The kernel.
    const ROW_PROGRAM: &'static Kernels;
    /// Words of an element.
    const WORDS: usize = size_of::<Self>() / size_of::<u64>();
}

const KERNELS: &[&str] =
    &[include_str!("../../../kernels/element.h"), include_str!("../../../kernels/row_program.cl")];

/// Operands that are asked for at once, of so many words: they are in registers until they are used.
const fn ahead(words: usize) -> usize {
    8 / words
}

/// Parameters for elements of so many words.
const fn parameters(words: usize, fast: usize) -> [(&'static str, u32); 5] {
    [
        ("AHEAD", ahead(words) as u32),
        ("FAST_SLOTS", fast as u32),
        ("GROUP", GROUP as u32),
        ("MAX_ACCESSES", MAX_ACCESSES as u32),
        ("MAX_COORDINATES", MAX_COORDINATES as u32),
    ]
}

static GOLDILOCKS: Kernels = Kernels {
    name: "row_program_goldilocks",
    kernels: KERNELS,
    parameters: &parameters(Goldilocks::WORDS, fast_slots::<Goldilocks>()),
    ..Kernels::EMPTY
};

impl DevicePrograms for Goldilocks {
    const ROW_PROGRAM: &'static Kernels = &GOLDILOCKS;
}

#[cfg(feature = "bn254")]
macro_rules! prime_fields {
    ($($field:path, $name:literal;)*) => {
        $(impl DevicePrograms for $field {
            const ROW_PROGRAM: &'static Kernels = {
                static PROGRAM: Kernels = Kernels {
                    name: concat!("row_program_", $name),
                    constants: fields::scalars::<$field>,
                    kernels: KERNELS,
                    parameters: &parameters(<$field>::WORDS, fast_slots::<$field>()),
                    ..Kernels::EMPTY
                };
                &PROGRAM
            };
        })*

        static PRIME_FIELDS: &[&Kernels] = &[$(<$field>::ROW_PROGRAM),*];
    };
}
#[cfg(feature = "bn254")]
crate::for_every_two_adic_field!(prime_fields);
#[cfg(not(feature = "bn254"))]
static PRIME_FIELDS: &[&Kernels] = &[];

/// The kernels of all fields.
pub(super) fn programs() -> impl Iterator<Item = &'static Kernels> {
    std::iter::once(&GOLDILOCKS).chain(PRIME_FIELDS.iter().copied())
}

/// The code in words, as the kernel's head describes them. Their number is a multiple of what is asked for at once.
fn words<F: DevicePrograms>(code: &Code) -> Vec<u64> {
    let mut words: Vec<u64> = code.instructions.iter().map(|&instruction| word(instruction)).collect();
    words.resize(words.len().next_multiple_of(ahead(F::WORDS)), 15);
    words
}

fn word(Instruction { operation, operand, to }: Instruction) -> u64 {
    let (from, access, index) = match operand {
        Operand::Slot(slot) => (16, 0, slot),
        Operand::Constant(index) => (32, 0, index),
        Operand::Entry(access, column) => (64, access, column),
        Operand::Accumulator => (0, 0, 0),
    };
    let keeps = |operation: u64| operation | if to.is_some() { 128 } else { 0 } | from;
    let number = match (operation, operand) {
        (Operation::Load, _) => keeps(0),
        (Operation::Add, Operand::Accumulator) => keeps(5),
        (Operation::Add, _) => keeps(1),
        (Operation::Sub, _) => keeps(2),
        (Operation::SubFrom, _) => keeps(3),
        (Operation::Mul, Operand::Accumulator) => keeps(6),
        (Operation::Mul, _) => keeps(4),
        (Operation::Weigh, _) => 7 | from,
        (Operation::Write, _) => 8,
        (Operation::WriteSums, _) => 9,
    };
    let to = to.map_or(0, |to| to + 1);
    number | (to as u64) << 8 | (access as u64) << 24 | (index as u64) << 32
}

/// Items of a run.
fn items<F: DevicePrograms>(program: &Program<F>, rows: ProgramRows, grid: (usize, usize)) -> usize {
    let most = if slow_slots(program) == 0 { usize::MAX } else { ITEMS };
    rows.count.next_multiple_of(GROUP).min(grid.0 * grid.1).min(most)
}

/// Slots in ordinary memory.
fn slow_slots<F: AcceleratedField>(program: &Program<F>) -> usize {
    program.code().slots.saturating_sub(fast_slots::<F>())
}

impl<D: Device> Gpu<D> {
    /// The groups of a run, and the elements of its slots in ordinary memory.
    fn groups<F: DevicePrograms>(&self, program: &Program<F>, rows: ProgramRows) -> (usize, usize) {
        let (groups, group) = self.device.limits().grid(rows.count);
        let items = items(program, rows, (groups, group)).next_multiple_of(GROUP);
        (items / GROUP, items * slow_slots(program))
    }

    /// [`Error::OverDeviceBudget`] for a run that would take too much memory.
    fn grant_program<F: DevicePrograms>(
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
        let (_, slow) = self.groups(program, rows);
        let elements = inputs.saturating_add(outputs).saturating_add(slow);
        self.grant(elements.saturating_mul(F::WORDS).saturating_add(program.instructions()))
    }

    /// Starts a run; its outputs are in the region that is returned.
    fn start_program<F: DevicePrograms>(
        &self,
        session: &mut Session<'_, D>,
        program: &Program<F>,
        rows: ProgramRows,
        inputs: &[(Region, Shape)],
        constants: &[F],
    ) -> Result<Region, Error> {
        let code = program.code();
        let instructions = words::<F>(code);
        let length = instructions.len();
        let accesses: Vec<u64> = code
            .accesses
            .iter()
            .flat_map(|access| {
                let shape = inputs[access.matrix].1;
                let (of_row, of_column) = shape.steps();
                let offset = (access.offset as isize as usize).wrapping_mul(rows.stride) & (rows.count - 1);
                [access.matrix, shape.rows.trailing_zeros() as usize, of_row, of_column, offset]
            })
            .map(|word| word as u64)
            .collect();
        let instructions = session.upload_new(bytemuck::cast_slice(&instructions))?;
        let constants = match constants {
            [] => instructions,
            constants => session.upload_new(bytes(constants))?,
        };
        let access_count = accesses.len() / 5;
        let accesses = if accesses.is_empty() {
            instructions
        } else {
            session.upload_new(bytemuck::cast_slice(&accesses))?
        };
        let (groups, slow) = self.groups(program, rows);
        let outputs = session.allocate(rows.count * program.outputs() * F::WORDS)?;
        let slow = if slow == 0 { outputs } else { session.allocate(slow * F::WORDS)? };
        let mut args = vec![
            Arg::Buffer(instructions, 0),
            Arg::Word(length as u64),
            Arg::Buffer(constants, 0),
            Arg::Buffer(accesses, 0),
            Arg::Word(access_count as u64),
        ];
        for number in 0..MAX_MATRICES {
            args.push(Arg::Buffer(inputs.get(number).map_or(instructions, |(region, _)| *region), 0));
        }
        args.extend([
            Arg::Buffer(slow, 0),
            Arg::Buffer(outputs, 0),
            Arg::Word(rows.count.trailing_zeros().into()),
            Arg::Word((rows.order == Order::BitReversed).into()),
        ]);
        for (region, shape) in inputs {
            assert!(region.words() >= shape.rows * shape.columns * F::WORDS);
        }
        // SAFETY: run_program reads as many instructions, constants and accesses as there are, of each input entries in the columns that the program names, which
        // Program::check has compared with the shapes, and in rows below its number of rows; it writes an element in each row of each output, and in slots of its items.
        let launch = unsafe { Launch::new(F::ROW_PROGRAM, "run_program", (groups, GROUP), args) };
        session.launch(&[launch])?;
        Ok(outputs)
    }
}

impl<D: Device, F: DevicePrograms> Programs<F> for Gpu<D> {
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

impl<D: Device, F: DevicePrograms> ResidentPrograms<F> for Gpu<D> {
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
