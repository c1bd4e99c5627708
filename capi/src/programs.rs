//! Row programs: recorded from an array of nodes, and run on matrices that stay.

use std::any::Any;
use std::sync::Arc;

use accel::ntt::{AcceleratedField, Order};
use accel::program::{Builder, Node, Program, ProgramRows};
use accel::resident::DeviceMatrix;

use crate::arguments::{Arguments, check_flags, product};
use crate::engine::{SharedEngine, zka_engine};
use crate::fields::{Field, Words};
use crate::future::{Call, later, now, zka_future};
use crate::handles::{Handles, Kind};
use crate::matrix::{MatrixKept, make, zka_matrix};
use crate::status::{Failure, ZKA_BAD_ARGUMENT, ZKA_BAD_LENGTH, guard, zka_status};
use crate::transforms::{Making, ZKA_IN_BITREV};

/// A row program: a straight-line program that computes some outputs for every row of matrices. It belongs to no engine, never changes, and may be used by
/// any threads at once.
pub struct zka_program {
    _opaque: (),
}

/// A node of a program: how one number of each row is made. Fields that a kind does not name are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct zka_node {
    /// One of `ZKA_NODE_...`.
    pub kind: u32,
    /// An index, by the kind: of an input matrix, a constant, a value of the run, or an earlier node.
    pub a: u32,
    /// The index of a column, or of an earlier node.
    pub b: u32,
    /// How many strides further on the row is in which an entry is read, or further back if it is negative. Rows are counted modulo their number.
    pub offset: i32,
}

/// The entry in column `b` of input matrix `a`, `offset` strides further on.
pub const ZKA_NODE_COLUMN: u32 = 1;
/// Constant `a` of the program.
pub const ZKA_NODE_CONSTANT: u32 = 2;
/// Value `a` of the run, the same for all rows: a challenge, a public input.
pub const ZKA_NODE_VALUE: u32 = 3;
/// Node `a` plus node `b`.
pub const ZKA_NODE_ADD: u32 = 4;
/// Node `a` less node `b`.
pub const ZKA_NODE_SUB: u32 = 5;
/// Node `a` times node `b`.
pub const ZKA_NODE_MUL: u32 = 6;

/// Records a program over `field`, one with transforms, which is any but `ZKA_BN254_FQ`; over that it is `ZKA_UNSUPPORTED`. Free it with
/// `zka_program_free`.
///
/// A node names only nodes before it in `nodes`. `constants` are elements of the field, and `outputs` the indices of nodes: each is a column of the result, in this order.
/// There are `node_count` nodes, `constant_count` constants and `output_count` outputs, at least one; nothing of the arrays is kept. Equal
/// nodes are computed once. An index past the end is `ZKA_BAD_ARGUMENT`, with a text that names the node, and so is more than devices have room for: 8 input matrices,
/// 16 pairs of an input matrix and an offset.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_program_new(
    out: *mut *mut zka_program,
    field: u32,
    nodes: *const zka_node,
    constants: *const u64,
    outputs: *const u32,
    node_count: usize,
    constant_count: usize,
    output_count: usize,
) -> zka_status {
    guard(|| {
        let of_number = Field::of(field)?;
        // SAFETY: the caller's promise.
        let mut arguments = unsafe { Arguments::new() };
        let out = arguments.output("out", out, 1)?;
        let nodes = arguments.input("nodes", nodes, node_count)?;
        let words = product("constants", constant_count, of_number.words)?;
        let constants = arguments.input("constants", constants, words)?;
        let outputs = arguments.input("outputs", outputs, output_count)?;
        arguments.check_aliases()?;
        let program = (of_number.record)(nodes.as_slice(), constants.as_slice(), outputs.as_slice())?;
        out.write(&[PROGRAMS.insert(Arc::new(ProgramKept { program, field }))]);
        Ok(())
    })
}

/// The field of a program, the number of its input matrices and of its outputs, and the number of values that a run must be given at least.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_program_shape(
    program: *const zka_program,
    field: *mut u32,
    inputs: *mut usize,
    outputs: *mut usize,
    values: *mut usize,
) -> zka_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let mut arguments = unsafe { Arguments::new() };
        let field = arguments.output("field", field, 1)?;
        let inputs = arguments.output("inputs", inputs, 1)?;
        let outputs = arguments.output("outputs", outputs, 1)?;
        let values = arguments.output("values", values, 1)?;
        arguments.check_aliases()?;
        let kept = PROGRAMS.get(program)?;
        let [input_count, output_count, value_count] = kept.program.shape();
        field.write(&[kept.field]);
        inputs.write(&[input_count]);
        outputs.write(&[output_count]);
        values.write(&[value_count]);
        Ok(())
    })
}

/// Frees a program; NULL is nothing to free. Operations under way keep it until they are done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_program_free(program: *mut zka_program) -> zka_status {
    guard(|| PROGRAMS.free(program))
}

/// Runs a program on matrices that stay, all over its field. The result stays, too: column-major, of `rows` rows, a power of two, and a column for each output.
///
/// `inputs` are `input_count` matrices, as many as the program has, of as many columns as it reads, or more, and of a power of two of rows. One with fewer rows than the
/// run is repeated, and of one with more only every (its rows / `rows`)th is read. An offset of 1 is `stride` rows. `values` are `value_count`
/// elements, as many as the program reads, or more. Flags: `ZKA_IN_BITREV`, with which the rows of all inputs, and those of the result, are in bit-reversed order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_program_run(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    program: *const zka_program,
    inputs: *const *const zka_matrix,
    values: *const u64,
    input_count: usize,
    value_count: usize,
    rows: usize,
    stride: usize,
    flags: u32,
) -> zka_status {
    let run = Run { program, inputs, values, input_count, value_count, rows, stride, flags };
    // SAFETY: the caller's promise.
    unsafe { now(engine, |arguments, shared| ran(arguments, shared, out, run)) }
}

/// `zka_program_run`, started: `out` is the operation's until the future was waited for; `inputs` and `values` are not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zka_program_run_async(
    engine: *mut zka_engine,
    out: *mut *mut zka_matrix,
    program: *const zka_program,
    inputs: *const *const zka_matrix,
    values: *const u64,
    input_count: usize,
    value_count: usize,
    rows: usize,
    stride: usize,
    flags: u32,
    future: *mut zka_future,
) -> zka_status {
    let run = Run { program, inputs, values, input_count, value_count, rows, stride, flags };
    // SAFETY: the caller's promise.
    unsafe { later(engine, future, |arguments, shared| ran(arguments, shared, out, run)) }
}

/// The arguments of a run.
struct Run {
    program: *const zka_program,
    inputs: *const *const zka_matrix,
    values: *const u64,
    input_count: usize,
    value_count: usize,
    rows: usize,
    stride: usize,
    flags: u32,
}

/// A program over any field.
pub(crate) trait AnyProgram: Send + Sync {
    /// Input matrices, outputs and values.
    fn shape(&self) -> [usize; 3];
    /// Checks a run on matrices, with the words of values.
    fn run(&self, inputs: &[Arc<MatrixKept>], values: &[u64], rows: ProgramRows) -> Result<Making, Failure>;
}

impl<F: AcceleratedField + Words> AnyProgram for Arc<Program<F>> {
    fn shape(&self) -> [usize; 3] {
        [self.inputs().len(), self.outputs(), self.values()]
    }

    fn run(&self, inputs: &[Arc<MatrixKept>], values: &[u64], rows: ProgramRows) -> Result<Making, Failure> {
        let own = |(number, kept): (usize, &Arc<MatrixKept>)| {
            let any: &dyn Any = &*kept.matrix;
            any.downcast_ref::<DeviceMatrix<F>>().cloned().ok_or_else(|| {
                let (found, expected) = (kept.matrix.field().name, <F as Words>::NAME);
                let text = format!("input matrix {number} is over {found}, expected {expected}");
                Failure::new(ZKA_BAD_ARGUMENT, text)
            })
        };
        let inputs = inputs.iter().enumerate().map(own).collect::<Result<Vec<_>, _>>()?;
        let (program, values) = (Self::clone(self), F::elements(values)?.to_vec());
        let shapes: Vec<_> = inputs.iter().map(DeviceMatrix::shape).collect();
        program.check(rows, &shapes, values.len())?;
        Ok(Box::new(move |engine| {
            let inputs: Vec<_> = inputs.iter().collect();
            Ok(Box::new(engine.run_program(&program, rows, &inputs, &values)?))
        }))
    }
}

/// Records a program over a field: by its nodes, the words of its constants, and its outputs.
pub(crate) type Recorder = fn(&[zka_node], &[u64], &[u32]) -> Result<Box<dyn AnyProgram>, Failure>;

/// A [`Recorder`].
pub(crate) fn record<F: AcceleratedField + Words>(
    nodes: &[zka_node],
    constants: &[u64],
    outputs: &[u32],
) -> Result<Box<dyn AnyProgram>, Failure> {
    let constants = F::elements(constants)?;
    F::check_all(constants)?;
    let (mut builder, mut known) = (Builder::<F>::new(), Vec::new());
    for (number, node) in nodes.iter().enumerate() {
        let of = |index| known_node(&known, index, || format!("node {number}"));
        let (a, b) = (node.a, node.b);
        let next = match node.kind {
            ZKA_NODE_COLUMN => builder.column(a as usize, b as usize, node.offset),
            ZKA_NODE_CONSTANT => match constants.get(a as usize) {
                Some(&constant) => builder.constant(constant),
                None => {
                    let len = constants.len();
                    let text = format!("node {number} is constant {a}, expected an index below {len}");
                    return Err(Failure::new(ZKA_BAD_ARGUMENT, text));
                }
            },
            ZKA_NODE_VALUE => builder.value(a as usize),
            ZKA_NODE_ADD => builder.add(of(a)?, of(b)?),
            ZKA_NODE_SUB => builder.sub(of(a)?, of(b)?),
            ZKA_NODE_MUL => builder.mul(of(a)?, of(b)?),
            kind => {
                let text = format!("node {number} is of kind {kind}, expected one of 1 to {ZKA_NODE_MUL}");
                return Err(Failure::new(ZKA_BAD_ARGUMENT, text));
            }
        };
        let unused = match node.kind {
            ZKA_NODE_COLUMN => 0,
            ZKA_NODE_CONSTANT | ZKA_NODE_VALUE => b | node.offset as u32,
            _ => node.offset as u32,
        };
        if unused != 0 {
            let offset = node.offset;
            let text = format!(
                "fields b and offset of node {number} are {b} and {offset}, expected 0 where its kind does not name them"
            );
            return Err(Failure::new(ZKA_BAD_ARGUMENT, text));
        }
        known.push(next);
    }
    for (number, &index) in outputs.iter().enumerate() {
        builder.output(known_node(&known, index, || format!("output {number}"))?);
    }
    Ok(Box::new(Arc::new(builder.finish()?)))
}

/// The node with an index that something names.
fn known_node(known: &[Node], index: u32, what: impl Fn() -> String) -> Result<Node, Failure> {
    known.get(index as usize).copied().ok_or_else(|| {
        let text = format!("{} names node {index}, expected an index below {}", what(), known.len());
        Failure::new(ZKA_BAD_ARGUMENT, text)
    })
}

static PROGRAMS: Handles<ProgramKept> = Handles::new(Kind::Program);

/// A program, and the number of its field.
struct ProgramKept {
    program: Box<dyn AnyProgram>,
    field: u32,
}

fn ran(
    arguments: &mut Arguments,
    shared: &SharedEngine,
    out: *mut *mut zka_matrix,
    run: Run,
) -> Result<impl Call + use<>, Failure> {
    let Run { program, inputs, values, input_count, value_count, rows, stride, flags } = run;
    check_flags(flags, ZKA_IN_BITREV)?;
    let kept = PROGRAMS.get(program)?;
    // Before the array is read: it has as many handles as its length says, and the wrong number may be the length's.
    let [expected, ..] = kept.program.shape();
    if input_count != expected {
        let text = format!("{input_count} input matrices, expected {expected}, those of the program");
        return Err(Failure::new(ZKA_BAD_LENGTH, text));
    }
    let inputs = arguments.input("inputs", inputs, input_count)?;
    let words = product("values", value_count, Field::of(kept.field)?.words)?;
    let values = arguments.input("values", values, words)?;
    let matrices: Vec<_> =
        inputs.as_slice().iter().map(|&matrix| MatrixKept::find(shared, matrix)).collect::<Result<_, _>>()?;
    let order = if flags & ZKA_IN_BITREV == 0 { Order::Natural } else { Order::BitReversed };
    let rows = ProgramRows { count: rows, stride, order };
    let making = kept.program.run(&matrices, values.as_slice(), rows)?;
    make(arguments, shared, out, kept.field, making)
}
