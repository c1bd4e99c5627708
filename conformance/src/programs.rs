//! Row programs: random ones, and every way of reading inputs.

use std::sync::Arc;

use zkaccel::field::Goldilocks;
use zkaccel::matrix::{Layout, Matrix, Shape};
use zkaccel::ntt::Order;
use zkaccel::program::{Builder, Node, Program, ProgramRows};
use zkaccel::{Engine, Error};

use crate::data::{NON_CANONICAL, Samples, Words};
use crate::residence::with_budget;
use crate::{Case, expect_equal, expect_error, is_one, reference, wrong_engine};

macro_rules! cases {
    ($($field:path, $name:literal;)*) => {
        pub(super) const CASES: &[Case] = &[
            $(
                Case { name: concat!("row programs over ", $name, ", random"), run: random::<$field> },
                Case { name: concat!("row programs over ", $name, ", rows and offsets"), run: rows::<$field> },
                Case { name: concat!("row programs over ", $name, ", many results in use at once"), run: wide::<$field> },
                Case { name: concat!("row programs over ", $name, ", sums of many terms in few rows"), run: sums::<$field> },
                Case { name: concat!("row programs over ", $name, ", edge values"), run: edges::<$field> },
                Case { name: concat!("row programs over ", $name, ", matrices that stay"), run: stays::<$field> },
                Case { name: concat!("row programs over ", $name, ", within any device budget"), run: budgets::<$field> },
            )*
            Case { name: "row programs that are refused", run: refused },
        ];
    };
}
for_every_field!($ cases);

/// The error of a device for a program that copies a row.
pub(super) fn answer(engine: &Engine) -> Option<Error> {
    let run = || {
        let mut builder = Builder::<Goldilocks>::new();
        let x = builder.column(0, 0, 0);
        builder.output(x);
        let one = Matrix::from_column(vec![Goldilocks::new(1)])?;
        engine.run_program(&builder.finish()?, ONE_BY_ONE, &[&one], &[])
    };
    run().err()
}

const ONE_BY_ONE: ProgramRows = ProgramRows { count: 1, stride: 1, order: Order::Natural };

/// The inputs of the cases: numbers of columns.
const COLUMNS: [usize; 3] = [5, 1, 3];

/// The values that the cases give to runs.
pub(super) const VALUES: usize = 12;

/// A program of random operations on random leaves and results.
pub(super) fn random_program<F: Samples>(words: &mut Words, operations: usize) -> Result<Program<F>, Error> {
    let mut builder = Builder::<F>::new();
    let mut nodes: Vec<Node> = Vec::new();
    let mut below = |bound: usize| (words.next() % bound as u64) as usize;
    for (matrix, columns) in COLUMNS.into_iter().enumerate() {
        for column in 0..columns {
            nodes.push(builder.column(matrix, column, [0, 1, -1, 3][below(4)]));
        }
    }
    nodes.extend([0, 1, 7].map(|constant| builder.constant(F::of_integer(constant))));
    nodes.extend((0..4).map(|index| builder.value(index)));
    for _ in 0..operations {
        // Most take a recent result, as expressions do.
        let near = nodes.len() - 1 - below(nodes.len().min(3));
        let (a, b) = (nodes[near], nodes[below(nodes.len())]);
        nodes.push(match below(7) {
            0 => builder.neg(a),
            1 => builder.mul(a, a),
            2 => builder.add(a, b),
            3 => builder.sub(a, b),
            4 => builder.sub(b, a),
            _ => builder.mul(a, b),
        });
    }
    for coordinates in 1..=5 {
        let terms = (0..below(6)).map(|_| (nodes[below(nodes.len())], below(VALUES - 5))).collect();
        builder.weighted_sum(terms, coordinates);
        builder.output(nodes[below(nodes.len())]);
    }
    builder.output(nodes[nodes.len() - 1]);
    builder.finish()
}

/// Inputs of so many rows each, with the layouts in turn.
pub(super) fn inputs<F: Samples>(words: &mut Words, rows: [usize; 3], turn: usize) -> Vec<Matrix<F>> {
    let layout = |number: usize| match (number + turn) % 2 {
        0 => Layout::ColumnMajor,
        _ => Layout::RowMajor,
    };
    let shape =
        |number: usize| Shape { rows: rows[number], columns: COLUMNS[number], layout: layout(number) };
    (0..COLUMNS.len()).map(|number| words.matrix(shape(number))).collect()
}

/// The inputs that a program names: perhaps not the last ones.
pub(super) fn named<'a, F: Samples, M>(program: &Program<F>, inputs: &'a [M]) -> Vec<&'a M> {
    inputs.iter().take(program.inputs().len()).collect()
}

fn check<F: Samples>(
    engine: &Engine,
    what: &str,
    program: &Program<F>,
    rows: ProgramRows,
    inputs: &[Matrix<F>],
    values: &[F],
) -> Result<(), String> {
    let inputs = named(program, inputs);
    let expected = reference()?.run_program(program, rows, &inputs, values)?;
    let found = engine.run_program(program, rows, &inputs, values)?;
    expect_equal(&format!("shape of {what}"), &[found.shape()], &[expected.shape()])?;
    expect_equal(what, found.as_slice(), expected.as_slice())
}

fn random<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(300);
    for turn in 0..24 {
        let program = random_program::<F>(&mut words, [0, 1, 2, 5, 30, 200][turn % 6])?;
        let count = 1 << (turn % 9);
        let (inputs, values) = (inputs::<F>(&mut words, [count; 3], turn), words.samples::<F>(VALUES));
        let rows = ProgramRows { count, ..ONE_BY_ONE };
        check(engine, &format!("random program {turn}"), &program, rows, &inputs, &values)?;
    }
    Ok(())
}

/// Both orders, strides beyond the rows, and inputs with fewer rows and with more.
fn rows<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(301);
    let program = random_program::<F>(&mut words, 20)?;
    let values = words.samples::<F>(VALUES);
    let counts = [1, 2, 4, 32, 64, 128, 256, 1024];
    for (turn, count) in counts.into_iter().enumerate() {
        for order in [Order::Natural, Order::BitReversed] {
            for stride in [0, 1, 2, 8, 2048] {
                let rows = [count, (count / 4).max(1), 2 * count];
                let inputs = inputs::<F>(&mut words, rows, turn);
                let rows = ProgramRows { count, stride, order };
                check(engine, &format!("{rows:?}"), &program, rows, &inputs, &values)?;
            }
        }
    }
    let count = 1 << 13;
    let inputs = inputs::<F>(&mut words, [count, 16, 4 * count], 0);
    for order in [Order::Natural, Order::BitReversed] {
        let rows = ProgramRows { count, stride: 4, order };
        check(engine, &format!("{rows:?}"), &program, rows, &inputs, &values)?;
    }
    Ok(())
}

/// More results than fast memory has slots for, each used in the order in which it was made and in the opposite one.
fn wide<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(302);
    for width in [3, 6, 7, 8, 9, 15, 16, 17, 18, 100, 700] {
        let mut builder = Builder::<F>::new();
        let x = builder.column(0, 0, 0);
        let mut powers = vec![builder.mul(x, x)];
        for _ in 1..width {
            let last = powers[powers.len() - 1];
            powers.push(builder.mul(last, x));
        }
        let sum = |builder: &mut Builder<F>, nodes: &mut dyn Iterator<Item = Node>| {
            let mut sum = builder.constant(F::ONE);
            for node in nodes {
                let product = builder.mul(sum, node);
                sum = builder.add(product, node);
            }
            builder.output(sum);
        };
        sum(&mut builder, &mut powers.iter().copied());
        sum(&mut builder, &mut powers.iter().rev().copied());
        sum(&mut builder, &mut powers.iter().step_by(3).copied());
        let program = builder.finish()?;
        let rows = ProgramRows { count: 256, ..ONE_BY_ONE };
        let input = [Matrix::from_column(words.samples::<F>(256))?];
        check(engine, &format!("{width} powers"), &program, rows, &input, &[])?;
    }
    Ok(())
}

/// Programs that devices may divide into pieces, since nothing but weighted sums comes out, one of them without terms.
fn sums<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(304);
    for (turn, operations) in [100, 1000, 9000].into_iter().enumerate() {
        let mut builder = Builder::<F>::new();
        let mut nodes: Vec<Node> = (0..4).map(|i| builder.column(0, i % 2, i as i32 / 2)).collect();
        let mut below = |bound: usize| (words.next() % bound as u64) as usize;
        for number in 0..operations {
            // Some are old ones, which several pieces compute.
            let (a, b) = (nodes[nodes.len() - 1 - below(4)], nodes[below(nodes.len())]);
            nodes.push(match number % 3 {
                0 => builder.add(a, b),
                1 => builder.sub(b, a),
                _ => builder.mul(a, b),
            });
        }
        for (coordinates, terms) in [(2, operations / 3), (1, 0), (5, 40), (3, 1)] {
            let terms = (0..terms).map(|_| (nodes[below(nodes.len())], below(VALUES - 5))).collect();
            builder.weighted_sum(terms, coordinates);
        }
        let program = builder.finish()?;
        let values = words.samples::<F>(VALUES);
        for count in [1, 2, 64, 128, 512] {
            let input = [words.matrix(Shape { rows: count, columns: 2, layout: Layout::ColumnMajor })];
            let order = if turn == 1 { Order::BitReversed } else { Order::Natural };
            let rows = ProgramRows { count, stride: 1, order };
            check(
                engine,
                &format!("{operations} operations in {count} rows"),
                &program,
                rows,
                &input,
                &values,
            )?;
        }
    }
    Ok(())
}

/// Every operation on every pair of edge values.
fn edges<F: Samples>(engine: &Engine) -> Result<(), String> {
    let edges = F::edges();
    let mut builder = Builder::<F>::new();
    let (a, b) = (builder.column(0, 0, 0), builder.column(0, 1, 0));
    for node in [builder.add(a, b), builder.sub(a, b), builder.mul(a, b), builder.neg(a), builder.add(a, a)] {
        builder.output(node);
        builder.weighted_sum(vec![(node, 0), (a, 1)], 2);
    }
    let program = builder.finish()?;
    let pairs = edges.iter().flat_map(|&a| edges.iter().flat_map(move |&b| [a, b]));
    let mut entries: Vec<F> = pairs.collect();
    let count = (entries.len() / 2).next_power_of_two();
    entries.resize(2 * count, F::ZERO);
    let input = [Matrix::from_rows(entries, count, 2)?];
    for &weight in edges.iter().step_by(edges.len() / 2) {
        let values = [weight, edges[edges.len() - 1], F::ONE];
        let rows = ProgramRows { count, ..ONE_BY_ONE };
        check(engine, &format!("edge values, weighed with {weight:?}"), &program, rows, &input, &values)?;
    }
    Ok(())
}

fn stays<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(303);
    for (turn, order) in [Order::Natural, Order::BitReversed, Order::Natural].into_iter().enumerate() {
        let program = random_program::<F>(&mut words, 40)?;
        let (count, values) = (64, words.samples::<F>(VALUES));
        let inputs = inputs::<F>(&mut words, [count, 4, 2 * count], turn);
        let rows = ProgramRows { count, stride: 2, order };
        let expected = reference()?.run_program(&program, rows, &named(&program, &inputs), &values)?;
        // Perhaps on several devices, or some on the host.
        let kept = inputs.iter().map(|input| engine.upload(input)).collect::<Result<Vec<_>, _>>()?;
        let found = engine.run_program(&program, rows, &named(&program, &kept), &values)?;
        expect_equal("shape of what stays", &[found.shape()], &[expected.shape()])?;
        let read = engine.download(&found)?;
        expect_equal("a program on what stays", read.as_slice(), expected.as_slice())?;
        let owned = named(&program, &kept).into_iter().cloned().collect();
        let again =
            engine.run_program_async(Arc::new(program.clone()), rows, owned, values.clone()).wait()?;
        let read = engine.download(&again)?;
        expect_equal("the same again", read.as_slice(), expected.as_slice())?;
        let other = reference()?;
        let expected = wrong_engine("matrix", other, engine);
        let found = other.run_program(&program, rows, &named(&program, &kept), &values);
        expect_error("another engine's", found, &expected)?;
    }
    Ok(())
}

/// From room for a whole run to room for few rows, of inputs in host memory; and for less than a row.
fn budgets<F: Samples>(engine: &Engine) -> Result<(), String> {
    let mut words = Words::new(304);
    let program = random_program::<F>(&mut words, 20)?;
    let (count, values) = (64, words.samples::<F>(VALUES));
    for budget in [1 << 20, 100_000, 40_000, 12_000] {
        let engine = with_budget(engine, budget)?;
        for (turn, order) in [Order::Natural, Order::BitReversed].into_iter().enumerate() {
            let inputs = inputs::<F>(&mut words, [count, 4, 2 * count], turn);
            let rows = ProgramRows { count, stride: 4, order };
            check(&engine, &format!("{rows:?}, {budget} bytes"), &program, rows, &inputs, &values)?;
            // The largest in host memory, and so the result; of the others perhaps some.
            let expected = reference()?.run_program(&program, rows, &named(&program, &inputs), &values)?;
            let elements = |input: &Matrix<F>| input.shape().rows * input.shape().columns;
            let largest = named(&program, &inputs).into_iter().map(elements).max();
            let kept = inputs.iter().map(|input| match engine.upload(input) {
                Ok(uploaded) if Some(elements(input)) != largest => Ok(uploaded),
                _ => engine.keep_in_host_memory(input),
            });
            let kept = kept.collect::<Result<Vec<_>, _>>()?;
            let found = engine.run_program(&program, rows, &named(&program, &kept), &values)?;
            let found = found.as_host().ok_or("a result in host memory")?;
            expect_equal("a program on what is kept", found.as_slice(), expected.as_slice())?;
        }
    }
    if engine.always_keeps_data() && is_one(engine) {
        let engine = with_budget(engine, 16)?;
        let one = Matrix::from_column(vec![F::ONE; 4])?;
        let mut builder = Builder::<F>::new();
        let x = builder.column(0, 0, 1);
        builder.output(x);
        let rows = ProgramRows { count: 4, ..ONE_BY_ONE };
        match engine.run_program(&builder.finish()?, rows, &[&one], &[]) {
            Err(Error::OverDeviceBudget { required, budget: 16 }) if required > 16 => {}
            other => return Err(format!("a row in 16 bytes: {other:?}")),
        }
    }
    Ok(())
}

fn refused(engine: &Engine) -> Result<(), String> {
    type Fp = Goldilocks;
    let mut builder = Builder::<Fp>::new();
    let (x, y) = (builder.column(0, 1, 0), builder.value(2));
    let sum = builder.add(x, y);
    let nothing = builder.clone().finish();
    let found = "no outputs, expected at least one".into();
    expect_error("a program without outputs", nothing, &Error::BadProgram { found })?;
    let mut many = builder.clone();
    many.weighted_sum(vec![(sum, 0)], 6);
    let found = "a weighted sum of 6 coordinates, expected 1 to 5".into();
    expect_error("too many coordinates", many.finish(), &Error::BadProgram { found })?;
    let mut many = builder.clone();
    let column = many.column(8, 0, 0);
    many.output(column);
    let found = "input matrix 8, expected an index below 8".into();
    expect_error("too many matrices", many.finish(), &Error::BadProgram { found })?;
    let mut many = builder.clone();
    for offset in 0..17 {
        let column = many.column(0, 0, offset);
        many.output(column);
    }
    let found = "17 pairs of an input matrix and an offset, expected at most 16".into();
    expect_error("too many offsets", many.finish(), &Error::BadProgram { found })?;

    builder.output(sum);
    let program = builder.finish()?;
    let matrix =
        |rows: usize, columns: usize| Matrix::from_rows(vec![Fp::new(5); rows * columns], rows, columns);
    let (good, values, rows) = (matrix(4, 2)?, [Fp::new(1); 3], ProgramRows { count: 4, ..ONE_BY_ONE });
    let run =
        |rows, inputs: &[&Matrix<Fp>], values: &[Fp]| engine.run_program(&program, rows, inputs, values);
    run(rows, &[&good], &values)?;
    let length = |what, expected, found| Error::LengthMismatch { what, expected, found };
    let expected = length("input matrices of a row program", 1, 2);
    expect_error("two inputs", run(rows, &[&good, &good], &values), &expected)?;
    let expected = length("columns of an input of a row program, at least", 2, 1);
    expect_error("one column", run(rows, &[&matrix(4, 1)?], &values), &expected)?;
    let expected = length("values of a row program, at least", 3, 2);
    expect_error("two values", run(rows, &[&good], &values[1..]), &expected)?;
    let three = ProgramRows { count: 3, ..ONE_BY_ONE };
    let expected = Error::NotPowerOfTwo { what: "rows of a run of a row program", found: 3 };
    expect_error("three rows", run(three, &[&good], &values), &expected)?;
    let expected = Error::NotPowerOfTwo { what: "rows of an input of a row program", found: 3 };
    expect_error("three rows of an input", run(rows, &[&matrix(3, 2)?], &values), &expected)?;
    for value in NON_CANONICAL {
        let bad: Fp = bytemuck::cast(value);
        let mut input = good.clone();
        input.as_mut_slice()[3] = bad;
        let expected = Error::NotCanonical { index: 3, value };
        expect_error("an entry at or above p", run(rows, &[&input], &values), &expected)?;
        let expected = Error::NotCanonical { index: 1, value };
        expect_error("a value at or above p", run(rows, &[&good], &[values[0], bad, values[0]]), &expected)?;
    }
    Ok(())
}
