//! Row programs: an instruction for a few dozen rows at a time, so that what it costs to read an instruction is shared by their vectors.
//!
//! The accumulator, the sums and the slots are that many elements each, over prime fields in the form in which a processor multiplies them. Entries that lie one after another are taken where they lie. Others are gathered before, each once for all instructions that read it, and
//! neighbours together: those of wide rows are far from each other.

#[cfg(feature = "bn254")]
mod primes;

use std::marker::PhantomData;

use super::Cpu;
use super::ntt::lanes::{Lanes, on_lanes};
use super::simd::{Vectorised, Vectors};
use crate::backend::{AcceleratedField, Programs};
use crate::error::Error;
use crate::field::{Goldilocks, TwoAdic};
use crate::matrix::{Layout, MatrixRef};
use crate::ntt::{Order, reverse_bits};
use crate::parallel::{for_each_chunk_with, threads};
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
        let empty = [Goldilocks::ZERO; ROWS];
        for_each_block(program, rows, inputs, (constants, outputs), empty, |mut block| {
            on_lanes!(self.simd, L, L::enter(OnLanes(&mut block)));
        });
        Ok(())
    }
}

/// Shares the rows out among threads, and runs the program on a block after the other. A thread's slots are copies of an empty one.
fn for_each_block<F: AcceleratedField, S: Copy + Send + Sync>(
    program: &Program<F>,
    rows: ProgramRows,
    inputs: &[MatrixRef<'_, F>],
    (constants, outputs): (&[F], &mut [F]),
    empty_slot: S,
    run: impl Fn(Block<'_, '_, F, S>) + Sync,
) {
    let code = program.code();
    let most = rows.count.div_ceil(8 * threads()).next_multiple_of(ROWS).min(TASK);
    // For each task its part of every output column.
    let mut tasks: Vec<Vec<&mut [F]>> = Vec::new();
    tasks.resize_with(rows.count.div_ceil(most), Vec::new);
    for column in outputs.chunks_mut(rows.count) {
        column.chunks_mut(most).zip(&mut tasks).for_each(|(part, task)| task.push(part));
    }
    let read = Read::by(code);
    let empty = |len: usize| vec![[F::ZERO; ROWS]; len];
    let make = || (vec![empty_slot; code.slots], read.iter().map(|read| empty(read.columns.len())).collect());
    for_each_chunk_with(&mut tasks, 1, make, |(slots, gathered): &mut (Vec<S>, Vec<_>), number, task| {
        let columns = &mut task[0];
        for done in (0..columns[0].len()).step_by(ROWS) {
            let first = number * most + done;
            let accesses = code.accesses.iter().zip(&read).zip(&mut *gathered);
            let entries = accesses
                .map(|((&access, read), gathered)| {
                    Entries::new((access, read), rows, inputs, first, gathered)
                })
                .collect();
            run(Block { code, constants, entries, slots, columns, done });
        }
    });
}

/// The columns that a program reads by an access.
struct Read {
    columns: Vec<usize>,
    /// For each column its index among these.
    indices: Vec<usize>,
}

impl Read {
    /// For each access of a program.
    fn by(code: &Code) -> Vec<Self> {
        let mut read: Vec<_> =
            code.accesses.iter().map(|_| Self { columns: Vec::new(), indices: Vec::new() }).collect();
        for instruction in &code.instructions {
            if let Operand::Entry(access, column) = instruction.operand {
                let indices = &mut read[access].indices;
                indices.resize(indices.len().max(column + 1), usize::MAX);
                indices[column] = 0;
            }
        }
        for Self { columns, indices } in &mut read {
            for (column, index) in indices.iter_mut().enumerate().filter(|(_, index)| **index == 0) {
                *index = columns.len();
                columns.push(column);
            }
        }
        read
    }
}

/// Rows of a line of a cache, of a column.
const LINE: usize = 8;

/// The rows of a block in an input matrix.
enum Entries<'g, 'a, F> {
    /// The entries of a column lie one after another, from this row on.
    There(MatrixRef<'a, F>, usize),
    /// Copies of the columns that are read.
    Gathered(&'g [Row<F>], &'g [usize]),
}

impl<'g, 'a, F: AcceleratedField> Entries<'g, 'a, F> {
    /// Rows past the last are rows from the first on.
    fn new(
        (access, read): (Access, &'g Read),
        run: ProgramRows,
        inputs: &[MatrixRef<'a, F>],
        first: usize,
        gathered: &'g mut Vec<Row<F>>,
    ) -> Self {
        let matrix = inputs[access.matrix];
        let shape = matrix.shape();
        let row = |i: usize| run.row((first + i) & (run.count - 1), access.offset, shape.rows);
        // In most blocks rows are equally far from each other: then the first is enough.
        let step = step(access, run, shape.rows, first);
        if step == Some(1) && (shape.layout == Layout::ColumnMajor || shape.columns == 1) {
            return Self::There(matrix, row(0));
        }
        let rows: [usize; ROWS] = match step {
            Some(step) => {
                let first = row(0);
                std::array::from_fn(|i| first + i * step)
            }
            None => std::array::from_fn(row),
        };
        let (elements, (of_row, of_column)) = (matrix.as_slice(), shape.steps());
        for from in (0..ROWS).step_by(LINE) {
            let rows = &rows[from..from + LINE];
            for (to, &column) in gathered.iter_mut().zip(&read.columns) {
                for (to, row) in to[from..from + LINE].iter_mut().zip(rows) {
                    *to = elements[row * of_row + column * of_column];
                }
            }
        }
        Self::Gathered(gathered, &read.indices)
    }

    /// The entries in a column.
    #[inline(always)]
    fn column(&self, column: usize) -> &Row<F> {
        match self {
            Self::There(matrix, row) => {
                let there = matrix.as_slice()[column * matrix.shape().rows + row..].first_chunk();
                there.expect("as many rows")
            }
            Self::Gathered(gathered, indices) => &gathered[indices[column]],
        }
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
struct Block<'r, 'a, F, S> {
    code: &'a Code,
    constants: &'a [F],
    entries: Vec<Entries<'r, 'a, F>>,
    slots: &'r mut Vec<S>,
    /// The task's part of each output column.
    columns: &'r mut [&'a mut [F]],
    /// Rows of the task that earlier blocks have done.
    done: usize,
}

/// Elements side by side, in a form of their own between the instructions of a block.
trait Side {
    type Element: AcceleratedField;

    /// The elements of a block.
    type Row: Copy;

    fn splat(element: Self::Element) -> Self::Row;
    /// Entries in this form, which may be where they lie.
    fn load<'x>(from: &'x Row<Self::Element>, space: &'x mut Self::Row) -> &'x Self::Row;
    /// Canonical elements.
    fn store(from: &Self::Row) -> Row<Self::Element>;
    fn add(to: &mut Self::Row, rhs: &Self::Row);
    fn sub(to: &mut Self::Row, rhs: &Self::Row);
    fn sub_from(to: &mut Self::Row, rhs: &Self::Row);
    fn mul(to: &mut Self::Row, rhs: &Self::Row);
    /// Adds products with an element.
    fn add_scaled(to: &mut Self::Row, rhs: &Self::Row, factor: Self::Element);
}

#[inline(always)]
fn interpret<S: Side>(block: &mut Block<'_, '_, S::Element, S::Row>) {
    let zeros = S::splat(S::Element::ZERO);
    let (mut accumulator, mut sums) = (zeros, [zeros; MAX_COORDINATES]);
    for instruction in &block.code.instructions {
        match (instruction.operation, instruction.operand, instruction.to) {
            (Operation::Weigh, Operand::Constant(from), Some(coordinates)) => {
                for (sum, &weight) in sums.iter_mut().zip(&block.constants[from..from + coordinates]) {
                    S::add_scaled(sum, &accumulator, weight);
                }
                continue;
            }
            (Operation::Write, Operand::Constant(column), _) => {
                write(block.columns, block.done, column, &S::store(&accumulator));
                continue;
            }
            (Operation::WriteSums, Operand::Constant(column), Some(coordinates)) => {
                for (d, sum) in sums[..coordinates].iter_mut().enumerate() {
                    write(block.columns, block.done, column + d, &S::store(sum));
                    *sum = zeros;
                }
                continue;
            }
            _ => {}
        }
        let mut own = zeros;
        let operand = match instruction.operand {
            Operand::Slot(slot) => &block.slots[slot],
            Operand::Entry(access, column) => S::load(block.entries[access].column(column), &mut own),
            Operand::Constant(index) => {
                own = S::splat(block.constants[index]);
                &own
            }
            Operand::Accumulator => {
                own = accumulator;
                &own
            }
        };
        match instruction.operation {
            Operation::Load => accumulator = *operand,
            Operation::Add => S::add(&mut accumulator, operand),
            Operation::Sub => S::sub(&mut accumulator, operand),
            Operation::SubFrom => S::sub_from(&mut accumulator, operand),
            Operation::Mul => S::mul(&mut accumulator, operand),
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
struct OnLanes<'b, 'r, 'a>(&'b mut Block<'r, 'a, Goldilocks, Row<Goldilocks>>);

impl<L: Lanes> Vectorised<L> for OnLanes<'_, '_, '_> {
    #[inline(always)]
    fn run(self) {
        interpret::<Words<L>>(self.0);
    }
}

/// Elements of Goldilocks as they are in memory, all canonical: vectors load and store them.
struct Words<L>(PhantomData<L>);

/// to[i] = operation(to[i], from[i]).
#[inline(always)]
fn each<L: Lanes>(to: &mut Row<Goldilocks>, from: &Row<Goldilocks>, operation: impl Fn(L, L) -> L) {
    let (to, from) = (bytemuck::cast_slice_mut(&mut to[..]), bytemuck::cast_slice(&from[..]));
    for i in (0..ROWS).step_by(L::WIDTH) {
        operation(L::load(&to[i..]), L::load(&from[i..])).store(&mut to[i..]);
    }
}

impl<L: Lanes> Side for Words<L> {
    type Element = Goldilocks;
    type Row = Row<Goldilocks>;

    #[inline(always)]
    fn splat(element: Goldilocks) -> Self::Row {
        [element; ROWS]
    }

    #[inline(always)]
    fn load<'x>(from: &'x Self::Row, _: &'x mut Self::Row) -> &'x Self::Row {
        from
    }

    #[inline(always)]
    fn store(from: &Self::Row) -> Self::Row {
        *from
    }

    #[inline(always)]
    fn add(to: &mut Self::Row, rhs: &Self::Row) {
        each::<L>(to, rhs, |a, b| a.add(b).canonical());
    }

    #[inline(always)]
    fn sub(to: &mut Self::Row, rhs: &Self::Row) {
        each::<L>(to, rhs, L::sub);
    }

    #[inline(always)]
    fn sub_from(to: &mut Self::Row, rhs: &Self::Row) {
        each::<L>(to, rhs, |a, b| b.sub(a));
    }

    #[inline(always)]
    fn mul(to: &mut Self::Row, rhs: &Self::Row) {
        each::<L>(to, rhs, L::mul);
    }

    #[inline(always)]
    fn add_scaled(to: &mut Self::Row, rhs: &Self::Row, factor: Goldilocks) {
        let factor = L::splat(factor.as_u64());
        each::<L>(to, rhs, |a, b| a.add(b.mul(factor)).canonical());
    }
}
