//! Row programs: an instruction for a few dozen rows at a time, so that what it costs to read an instruction is shared by their vectors.
//!
//! The accumulator, the sums and the slots are that many elements each. Entries that lie one after another are taken where they lie, others are gathered.

#[cfg(feature = "bn254")]
mod primes;

use super::Cpu;
use super::ntt::lanes::{Lanes, on_lanes};
use super::simd::{Vectorised, Vectors};
use crate::backend::{AcceleratedField, Programs};
use crate::error::Error;
use crate::field::{Goldilocks, TwoAdic};
use crate::matrix::{Layout, MatrixRef};
use crate::ntt::{Order, reverse_bits};
use crate::parallel::for_each_chunk_with;
use crate::program::{Access, Code, MAX_COORDINATES, Operand, Operation, Program, ProgramRows};

/// Rows at a time: four vectors of eight words. The slots of most programs stay in the first two caches.
const ROWS: usize = 32;

/// The most rows of a task.
const TASK: usize = 64 * ROWS;

/// Elements of neighbouring rows.
type Row<E> = [E; ROWS];

impl Programs<Goldilocks> for Cpu {
    fn run_program(
        &self,
        program: &Program<Goldilocks>,
        rows: ProgramRows,
        inputs: &[MatrixRef<'_, Goldilocks>],
        constants: &[Goldilocks],
        outputs: &mut [Goldilocks],
    ) -> Result<(), Error> {
        for_each_block(program, rows, inputs, constants, outputs, |mut block| {
            on_lanes!(self.simd, L, L::enter(OnLanes(&mut block)));
        });
        Ok(())
    }
}

/// Shares the rows out among threads, and runs the program on a block after the other.
fn for_each_block<F: AcceleratedField>(
    program: &Program<F>,
    rows: ProgramRows,
    inputs: &[MatrixRef<'_, F>],
    constants: &[F],
    outputs: &mut [F],
    run: impl Fn(Block<'_, '_, F>) + Sync,
) {
    let code = program.code();
    let most = rows.count.div_ceil(8 * rayon::current_num_threads()).next_multiple_of(ROWS).min(TASK);
    // For each task its part of every output column.
    let mut tasks: Vec<Vec<&mut [F]>> = Vec::new();
    tasks.resize_with(rows.count.div_ceil(most), Vec::new);
    for column in outputs.chunks_mut(rows.count) {
        column.chunks_mut(most).zip(&mut tasks).for_each(|(part, task)| task.push(part));
    }
    let make = || vec![[F::ZERO; ROWS]; code.slots];
    for_each_chunk_with(&mut tasks, 1, make, |slots, number, task| {
        let columns = &mut task[0];
        for done in (0..columns[0].len()).step_by(ROWS) {
            let first = number * most + done;
            let entries =
                code.accesses.iter().map(|&access| Entries::new(access, rows, inputs, first)).collect();
            run(Block { code, constants, entries, slots, columns, done });
        }
    });
}

/// The rows of a block in an input matrix.
struct Entries<'a, F> {
    matrix: MatrixRef<'a, F>,
    rows: [usize; ROWS],
    /// Whether the entries of a column lie one after another.
    adjacent: bool,
}

impl<'a, F: AcceleratedField> Entries<'a, F> {
    /// Rows past the last are rows from the first on.
    fn new(access: Access, run: ProgramRows, inputs: &[MatrixRef<'a, F>], first: usize) -> Self {
        let matrix = inputs[access.matrix];
        let shape = matrix.shape();
        let row = |i: usize| run.row((first + i) & (run.count - 1), access.offset, shape.rows);
        // In most blocks rows are equally far from each other: then the first is enough.
        let (rows, step) = match step(access, run, shape.rows, first) {
            Some(step) => {
                let first = row(0);
                (std::array::from_fn(|i| first + i * step), step)
            }
            None => (std::array::from_fn(row), 0),
        };
        let lie_apart = shape.layout == Layout::ColumnMajor || shape.columns == 1;
        Self { matrix, rows, adjacent: lie_apart && step == 1 }
    }

    /// The entries in a column, perhaps copied.
    #[inline(always)]
    fn column<'c>(&'c self, column: usize, copied: &'c mut Row<F>) -> &'c Row<F> {
        let (elements, shape) = (self.matrix.as_slice(), self.matrix.shape());
        if self.adjacent {
            let there = elements[column * shape.rows + self.rows[0]..].first_chunk();
            return there.expect("as many rows");
        }
        let (of_row, of_column) = shape.steps();
        for (copied, row) in copied.iter_mut().zip(self.rows) {
            *copied = elements[row * of_row + column * of_column];
        }
        copied
    }
}

/// How far the rows of a block in an input of so many rows are from each other, if they are equally far.
///
/// In bit-reversed order the numbers of neighbours differ in their highest bits, and the offset leaves these alone unless there is a carry.
fn step(access: Access, run: ProgramRows, rows: usize, first: usize) -> Option<usize> {
    let (further, last) = ((access.offset as isize as usize).wrapping_mul(run.stride), run.count - 1);
    if rows < run.count || run.count < ROWS {
        return None;
    }
    match run.order {
        Order::Natural => {
            ((first.wrapping_add(further) & last) + ROWS <= run.count).then_some(rows / run.count)
        }
        Order::BitReversed => {
            let lowest = reverse_bits(first, run.count.trailing_zeros());
            ((lowest.wrapping_add(further) & last) < run.count / ROWS).then_some(1)
        }
    }
}

/// Rows on which a thread runs a program.
struct Block<'r, 'a, F> {
    code: &'a Code,
    constants: &'a [F],
    entries: Vec<Entries<'a, F>>,
    slots: &'r mut Vec<Row<F>>,
    /// The task's part of each output column.
    columns: &'r mut [&'a mut [F]],
    /// Rows of the task that earlier blocks have done.
    done: usize,
}

/// Elements side by side. All are canonical.
trait Side: Copy {
    type Element: AcceleratedField;
    const WIDTH: usize;

    fn load(from: &[Self::Element]) -> Self;
    fn store(self, to: &mut [Self::Element]);
    fn add(self, rhs: Self) -> Self;
    fn sub(self, rhs: Self) -> Self;
    fn mul(self, rhs: Self) -> Self;
}

/// to[i] = operation(to[i], from[i]).
#[inline(always)]
fn each<S: Side>(to: &mut Row<S::Element>, from: &Row<S::Element>, operation: impl Fn(S, S) -> S) {
    for i in (0..ROWS).step_by(S::WIDTH) {
        operation(S::load(&to[i..]), S::load(&from[i..])).store(&mut to[i..]);
    }
}

#[inline(always)]
fn interpret<S: Side>(block: &mut Block<'_, '_, S::Element>) {
    let zeros = [S::Element::ZERO; ROWS];
    let (mut accumulator, mut copied, mut sums) = (zeros, zeros, [zeros; MAX_COORDINATES]);
    for instruction in &block.code.instructions {
        match (instruction.operation, instruction.operand, instruction.to) {
            (Operation::Weigh, Operand::Constant(from), Some(coordinates)) => {
                for (sum, &weight) in sums.iter_mut().zip(&block.constants[from..from + coordinates]) {
                    copied = [weight; ROWS];
                    each::<S>(&mut copied, &accumulator, S::mul);
                    each::<S>(sum, &copied, S::add);
                }
                continue;
            }
            (Operation::Write, Operand::Constant(column), _) => {
                write(block.columns, block.done, column, &accumulator);
                continue;
            }
            (Operation::WriteSums, Operand::Constant(column), Some(coordinates)) => {
                for (d, sum) in sums[..coordinates].iter_mut().enumerate() {
                    write(block.columns, block.done, column + d, sum);
                    *sum = zeros;
                }
                continue;
            }
            _ => {}
        }
        let own;
        let operand = match instruction.operand {
            Operand::Slot(slot) => &block.slots[slot],
            Operand::Entry(access, column) => block.entries[access].column(column, &mut copied),
            Operand::Constant(index) => {
                copied = [block.constants[index]; ROWS];
                &copied
            }
            Operand::Accumulator => {
                own = accumulator;
                &own
            }
        };
        match instruction.operation {
            Operation::Load => accumulator = *operand,
            Operation::Add => each::<S>(&mut accumulator, operand, S::add),
            Operation::Sub => each::<S>(&mut accumulator, operand, S::sub),
            Operation::SubFrom => each::<S>(&mut accumulator, operand, |a, b| b.sub(a)),
            Operation::Mul => each::<S>(&mut accumulator, operand, S::mul),
            other => unreachable!("{other:?} has been done"),
        }
        if let Some(slot) = instruction.to {
            block.slots[slot] = accumulator;
        }
    }
}

/// Copies the elements of a block to an output column, of which there may be fewer.
fn write<F: Copy>(columns: &mut [&mut [F]], done: usize, column: usize, elements: &Row<F>) {
    let to = &mut columns[column][done..];
    let count = to.len().min(ROWS);
    to[..count].copy_from_slice(&elements[..count]);
}

/// A block on vectors of a level.
struct OnLanes<'b, 'r, 'a>(&'b mut Block<'r, 'a, Goldilocks>);

impl<L: Lanes> Vectorised<L> for OnLanes<'_, '_, '_> {
    #[inline(always)]
    fn run(self) {
        interpret::<Words<L>>(self.0);
    }
}

/// Elements of Goldilocks on a vector.
#[derive(Clone, Copy)]
struct Words<L>(L);

impl<L: Lanes> Side for Words<L> {
    type Element = Goldilocks;
    const WIDTH: usize = L::WIDTH;

    #[inline(always)]
    fn load(from: &[Goldilocks]) -> Self {
        Self(L::load(bytemuck::cast_slice(from)))
    }

    #[inline(always)]
    fn store(self, to: &mut [Goldilocks]) {
        self.0.store(bytemuck::cast_slice_mut(to));
    }

    #[inline(always)]
    fn add(self, rhs: Self) -> Self {
        Self(self.0.add(rhs.0).canonical())
    }

    #[inline(always)]
    fn sub(self, rhs: Self) -> Self {
        Self(self.0.sub(rhs.0))
    }

    #[inline(always)]
    fn mul(self, rhs: Self) -> Self {
        Self(self.0.mul(rhs.0))
    }
}
