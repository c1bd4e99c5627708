//! Row programs: random ones on matrices of any shapes and orders; each engine gives the values of the recorded expressions in every row, or the error of
//! the reference.

use std::sync::Arc;

use zkaccel::bn254::Fr;
use zkaccel::field::Goldilocks;
use zkaccel::matrix::{BaseField, Matrix, Shape};
use zkaccel::ntt::{AcceleratedField, Order, reverse_bits};
use zkaccel::program::{Builder, MAX_COORDINATES, Node, Program, ProgramRows};
use zkaccel::{Engine, Error};

use crate::draw::Draw;
use crate::engines;

/// Binary logarithms of the numbers of rows of a run and of an input at most.
const LOG_ROWS: usize = 9;

/// Operations of a program at most.
const LONGEST: usize = 400;

pub fn run(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.flag() {
        true => over::<Goldilocks>(&mut draw),
        false => over::<Fr>(&mut draw),
    }
}

/// What a node stands for; operands are indices of others before it.
#[derive(Clone, Copy)]
enum Expression<F> {
    Column { matrix: usize, column: usize, offset: i32 },
    Constant(F),
    Value(usize),
    Add(usize, usize),
    Sub(usize, usize),
    Mul(usize, usize),
    Neg(usize),
}

/// What the result has next.
enum Output {
    Node(usize),
    Weighted { terms: Vec<(usize, usize)>, coordinates: usize },
}

/// A program beside its own record of it.
struct Recorded<F> {
    builder: Builder<F>,
    nodes: Vec<Node>,
    expressions: Vec<Expression<F>>,
    outputs: Vec<Output>,
}

impl<F: AcceleratedField> Recorded<F> {
    fn push(&mut self, expression: Expression<F>) {
        let (builder, nodes) = (&mut self.builder, &self.nodes);
        let node = match expression {
            Expression::Column { matrix, column, offset } => builder.column(matrix, column, offset),
            Expression::Constant(constant) => builder.constant(constant),
            Expression::Value(index) => builder.value(index),
            Expression::Add(a, b) => builder.add(nodes[a], nodes[b]),
            Expression::Sub(a, b) => builder.sub(nodes[a], nodes[b]),
            Expression::Mul(a, b) => builder.mul(nodes[a], nodes[b]),
            Expression::Neg(a) => builder.neg(nodes[a]),
        };
        self.nodes.push(node);
        self.expressions.push(expression);
    }

    fn output(&mut self, output: Output) {
        match &output {
            Output::Node(node) => self.builder.output(self.nodes[*node]),
            Output::Weighted { terms, coordinates } => {
                let terms = terms.iter().map(|&(node, index)| (self.nodes[node], index)).collect();
                self.builder.weighted_sum(terms, *coordinates);
            }
        }
        self.outputs.push(output);
    }

    /// Of random operations on random leaves and results.
    fn draw(draw: &mut Draw<'_>, columns: &[usize], values: usize) -> Self {
        let mut recorded =
            Self { builder: Builder::new(), nodes: Vec::new(), expressions: Vec::new(), outputs: Vec::new() };
        // No more pairs of a matrix and an offset than a program may have.
        let offsets = [0, 1, draw.below(7) as i32 - 3, draw.word() as i32];
        for (matrix, &columns) in columns.iter().enumerate() {
            for column in 0..columns {
                recorded.push(Expression::Column { matrix, column, offset: draw.pick(&offsets) });
            }
        }
        let constants: Vec<F> = draw.elements(2);
        [F::ZERO, F::ONE].into_iter().chain(constants).for_each(|c| recorded.push(Expression::Constant(c)));
        (0..values).for_each(|index| recorded.push(Expression::Value(index)));

        let most = draw.pick(&[3, 40, LONGEST]);
        let (operations, near) = (draw.below(most + 1), draw.pick(&[1, 3, 50]));
        let mut words = draw.words();
        let mut below = |bound: usize| (words.next() >> 8) as usize % bound;
        for _ in 0..operations {
            let len = recorded.nodes.len();
            let (a, b) = (len - 1 - below(len.min(near)), below(len));
            recorded.push(match below(8) {
                0 => Expression::Neg(a),
                1 => Expression::Mul(a, a),
                2 | 3 => Expression::Add(a, b),
                4 => Expression::Sub(a, b),
                5 => Expression::Sub(b, a),
                _ => Expression::Mul(a, b),
            });
        }
        let len = recorded.nodes.len();
        for _ in 0..draw.below(5) {
            let coordinates = 1 + draw.below(MAX_COORDINATES);
            let terms = match values.checked_sub(coordinates) {
                Some(indices) => (0..draw.below(40)).map(|_| (below(len), below(indices + 1))).collect(),
                None => Vec::new(),
            };
            recorded.output(Output::Weighted { terms, coordinates });
        }
        for _ in 0..draw.below(4) {
            recorded.output(Output::Node(below(len)));
        }
        if recorded.outputs.is_empty() || draw.flag() {
            recorded.output(Output::Node(len - 1));
        }
        recorded
    }

    /// The results of one row, from what the inputs have there.
    fn row(&self, values: &[F], input: &dyn Fn(usize, usize, i32) -> F) -> Vec<F> {
        let mut found: Vec<F> = Vec::with_capacity(self.expressions.len());
        for &expression in &self.expressions {
            found.push(match expression {
                Expression::Column { matrix, column, offset } => input(matrix, column, offset),
                Expression::Constant(constant) => constant,
                Expression::Value(index) => values[index],
                Expression::Add(a, b) => found[a] + found[b],
                Expression::Sub(a, b) => found[a] - found[b],
                Expression::Mul(a, b) => found[a] * found[b],
                Expression::Neg(a) => F::ZERO - found[a],
            });
        }
        let mut results = Vec::new();
        for output in &self.outputs {
            match output {
                Output::Node(node) => results.push(found[*node]),
                Output::Weighted { terms, coordinates } => results.extend((0..*coordinates).map(|d| {
                    terms.iter().fold(F::ZERO, |sum, &(node, index)| sum + found[node] * values[index + d])
                })),
            }
        }
        results
    }
}

/// The row of an input of so many rows that an offset in a row of the run is about.
fn input_row(run: ProgramRows, row: usize, offset: i32, rows: usize) -> usize {
    let natural = |i: usize, of: usize| match run.order {
        Order::Natural => i,
        Order::BitReversed => reverse_bits(i, of.ilog2()),
    };
    let further = natural(row, run.count) as i128 + i128::from(offset) * run.stride as i128;
    let index = further.rem_euclid(run.count as i128) as usize;
    let index = if rows < run.count { index % rows } else { index * (rows / run.count) };
    natural(index, rows)
}

fn over<F: AcceleratedField>(draw: &mut Draw<'_>) {
    let engine = engines::draw(draw);
    let columns: Vec<usize> = (0..1 + draw.below(3)).map(|_| 1 + draw.below(5)).collect();
    let count = draw.pick(&[0, 1, 6, 12]);
    let mut values: Vec<F> = draw.elements(count);
    let recorded = Recorded::<F>::draw(draw, &columns, values.len());
    let program = recorded.builder.clone().finish().expect("within the limits of programs");
    let log_count = draw.below(LOG_ROWS + 1);
    let mut rows = ProgramRows {
        count: 1 << log_count,
        stride: [draw.below(9), 1 << draw.below(64), draw.word() as usize][draw.below(3)],
        order: draw.pick(&[Order::Natural, Order::BitReversed]),
    };
    let mut inputs: Vec<Matrix<F>> = columns
        .iter()
        .map(|&columns| {
            let log_rows = if draw.flag() { log_count } else { draw.below(LOG_ROWS + 1) };
            let shape = Shape { rows: 1 << log_rows, columns, layout: draw.layout() };
            draw.matrix(shape)
        })
        .collect();
    let is_wrong = draw.below(24) == 23;
    if is_wrong {
        spoil(draw, &mut rows, &mut inputs, &mut values);
    }
    let form = draw.below(4);

    let found = ran(&engine, &program, rows, &inputs, &values, form);
    let what = || {
        let shapes: Vec<_> = inputs.iter().map(Matrix::shape).collect();
        let nodes = recorded.nodes.len();
        format!("{nodes} nodes, {rows:?}, inputs {shapes:?}, form {form}, on {}", engine.device().id)
    };
    match found {
        // What must stay on a device with a small budget, and a row that it has no room for.
        Err(Error::OverDeviceBudget { .. }) if engine.device().id.starts_with("opencl") => {}
        found if is_wrong => {
            let expected = ran(engines::reference(), &program, rows, &inputs, &values, form);
            assert!(found == expected, "{}: {found:?}, expected {expected:?}", what());
        }
        Err(error) => panic!("{}: {error}", what()),
        Ok(found) => {
            assert_eq!(found.len(), rows.count * program.outputs(), "{}", what());
            for row in 0..rows.count {
                let input = |matrix: usize, column, offset| {
                    let matrix: &Matrix<F> = &inputs[matrix];
                    matrix.get(input_row(rows, row, offset, matrix.shape().rows), column)
                };
                for (number, expected) in recorded.row(&values, &input).into_iter().enumerate() {
                    let found = found[number * rows.count + row];
                    assert_eq!(found, expected, "row {row} of column {number}: {}", what());
                }
            }
        }
    }
}

/// Numbers of rows, inputs, columns or values that do not fit, or words that are no elements.
fn spoil<F: AcceleratedField>(
    draw: &mut Draw<'_>,
    rows: &mut ProgramRows,
    inputs: &mut Vec<Matrix<F>>,
    values: &mut Vec<F>,
) {
    let no_elements = |draw: &mut Draw<'_>, elements: &mut [F]| {
        let words = F::words_mut(elements);
        if <F as BaseField>::MODULUS.len() == 1 && !words.is_empty() {
            words[draw.below(words.len())] = u64::MAX - u64::from(draw.byte());
        }
    };
    let which = draw.below(inputs.len());
    let shape = inputs[which].shape();
    match draw.below(7) {
        0 => rows.count = draw.near(rows.count).min(1 << LOG_ROWS),
        1 => drop(inputs.pop()),
        2 => inputs.push(inputs[which].clone()),
        3 => {
            let rows = draw.near(shape.rows).clamp(1, 1 << LOG_ROWS);
            inputs[which] = draw.matrix(Shape { rows, ..shape });
        }
        4 => {
            let columns = draw.near(shape.columns).clamp(1, 9);
            inputs[which] = draw.matrix(Shape { columns, ..shape });
        }
        5 => drop(values.pop()),
        _ if draw.flag() => no_elements(draw, values),
        _ => no_elements(draw, inputs[which].as_mut_slice()),
    }
}

/// The result of a run, column by column.
fn ran<F: AcceleratedField>(
    engine: &Engine,
    program: &Program<F>,
    rows: ProgramRows,
    inputs: &[Matrix<F>],
    values: &[F],
    form: usize,
) -> Result<Vec<F>, Error> {
    if form == 0 {
        let inputs: Vec<_> = inputs.iter().collect();
        return engine.run_program(program, rows, &inputs, values).map(Matrix::into_vec);
    }
    if form == 1 {
        let job = engine.run_program_async(Arc::new(program.clone()), rows, inputs.to_vec(), values.to_vec());
        return job.wait().map(Matrix::into_vec);
    }
    let kept = inputs.iter().map(|input| engine.upload(input)).collect::<Result<Vec<_>, _>>()?;
    let result = match form {
        2 => engine.run_program(program, rows, &kept.iter().collect::<Vec<_>>(), values)?,
        _ => engine.run_program_async(Arc::new(program.clone()), rows, kept, values.to_vec()).wait()?,
    };
    engine.download(&result).map(Matrix::into_vec)
}
