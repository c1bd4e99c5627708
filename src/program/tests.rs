//! Recording, instructions, and what a program asks for; its forms and their words have files of their own.

mod forms;
mod recorder;
mod words;

use super::code::Instruction;
use super::divide::worth;
use super::*;
use crate::field::{Goldilocks, TwoAdic};

/// Equal nodes are one, and what is known when it is recorded is computed then.
#[test]
fn what_is_recorded_once() {
    let mut builder = Builder::<Goldilocks>::new();
    let (x, y, three) =
        (builder.column(0, 0, 0), builder.column(0, 1, 0), builder.constant(Goldilocks::new(3)));
    let (zero, one) = (builder.constant(Goldilocks::ZERO), builder.constant(Goldilocks::ONE));
    let constant = |builder: &mut Builder<Goldilocks>, number| builder.constant(Goldilocks::new(number));
    assert_eq!(builder.column(0, 0, 0), x);
    assert!(
        builder.column(0, 0, 1) != x && builder.column(1, 0, 0) != x && builder.value(0) != builder.value(1)
    );
    assert_eq!(builder.constant(Goldilocks::new(3)), three);
    let [sum, product] = [builder.add(x, y), builder.mul(x, y)];
    assert_eq!([builder.add(y, x), builder.mul(y, x)], [sum, product]);
    assert_ne!(builder.sub(x, y), builder.sub(y, x));
    assert_eq!([builder.add(x, zero), builder.add(zero, x), builder.sub(x, zero)], [x; 3]);
    assert_eq!([builder.mul(x, one), builder.mul(one, x)], [x; 2]);
    assert_eq!([builder.mul(x, zero), builder.mul(zero, x), builder.sub(x, x)], [zero; 3]);
    let four = constant(&mut builder, 4);
    let [added, taken, multiplied] =
        [builder.add(three, one), builder.sub(four, three), builder.mul(three, four)];
    assert_eq!([added, taken], [four, one]);
    assert_eq!(multiplied, constant(&mut builder, 12));
    // Neither is known.
    for (node, other) in [(three, x), (x, three)] {
        let all = [builder.add(node, other), builder.mul(node, other), builder.sub(node, other)];
        assert!(all.iter().all(|found| ![x, three, zero, one].contains(found)));
    }
}

/// The instructions of some programs: what the accumulator has already is not loaded, and one of two operands is loaded before the other.
#[test]
fn instructions_for_an_accumulator() {
    let instructions = |record: &dyn Fn(&mut Builder<Goldilocks>)| {
        let mut builder = Builder::new();
        record(&mut builder);
        let code = builder.finish().unwrap().code().clone();
        let of = |Instruction { operation, operand, to }| (operation, operand, to);
        (code.instructions.into_iter().map(of).collect::<Vec<_>>(), code.slots)
    };
    use Operand::{Accumulator, Constant, Entry, Slot};
    use Operation::{Add, Load, Mul, Sub, SubFrom, Weigh, Write, WriteSums};
    // (x^2 - y) + 1 of x that is an entry, twice.
    let (found, slots) = instructions(&|builder| {
        let (x, y, one) =
            (builder.column(0, 7, 0), builder.column(1, 2, 0), builder.constant(Goldilocks::ONE));
        let square = builder.mul(x, x);
        let difference = builder.sub(square, y);
        let sum = builder.add(difference, one);
        builder.output(sum);
        builder.output(sum);
    });
    let expected = [
        (Load, Entry(0, 7), None),
        (Mul, Accumulator, None),
        (Sub, Entry(1, 2), None),
        (Add, Constant(0), None),
        (Write, Constant(0), None),
        (Write, Constant(1), None),
    ];
    assert_eq!((found.as_slice(), slots), (&expected[..], 0));
    // y - x^2, weighed, and x^2 again: a node that is needed later goes to a slot.
    let (found, slots) = instructions(&|builder| {
        let (x, y) = (builder.column(0, 0, 0), builder.column(0, 1, 0));
        let square = builder.mul(x, x);
        let difference = builder.sub(y, square);
        builder.weighted_sum(vec![(difference, 0), (square, 2)], 2);
        builder.output(square);
    });
    let expected = [
        (Load, Entry(0, 0), None),
        (Mul, Accumulator, Some(0)),
        (SubFrom, Entry(0, 1), None),
        (Weigh, Constant(0), Some(2)),
        (Load, Slot(0), None),
        (Weigh, Constant(2), Some(2)),
        (WriteSums, Constant(0), Some(2)),
        (Write, Constant(2), None),
    ];
    assert_eq!((found.as_slice(), slots), (&expected[..], 1));
    // A constant or value is an operand rather than loaded; the operand that takes more slots comes first.
    let (found, slots) = instructions(&|builder| {
        let (value, x) = (builder.value(1), builder.column(0, 0, 0));
        let left = builder.sub(value, x);
        let [double, square] = [builder.add(x, x), builder.mul(x, x)];
        let right = builder.mul(double, square);
        let both = builder.sub(left, right);
        builder.output(both);
    });
    let expected = [
        (Load, Entry(0, 0), None),
        (Add, Accumulator, Some(0)),
        (Load, Entry(0, 0), None),
        (Mul, Accumulator, None),
        (Mul, Slot(0), Some(0)),
        (Load, Entry(0, 0), None),
        (SubFrom, Constant(1), None),
        (Sub, Slot(0), None),
        (Write, Constant(0), None),
    ];
    assert_eq!((found.as_slice(), slots), (&expected[..], 1));
}

/// What pieces are worth while.
#[test]
fn divided_programs() {
    let weighted = Output::Weighted { terms: Vec::new(), coordinates: 1 };
    let sums = [weighted.clone(), weighted.clone()];
    let cases = [(0, 9, 1), (255, 9, 1), (511, 9, 1), (512, 9, 2), (1023, 9, 2), (1024, 3, 2), (1024, 4, 4)];
    for (instructions, wanted, expected) in cases {
        assert_eq!(worth(&sums, instructions, wanted), expected, "{instructions} instructions");
    }
    assert_eq!([worth(&sums, 1 << 20, 1000), worth(&sums, 1 << 20, 0)], [32, 1]);
    assert_eq!(worth(&[weighted, Output::Node(Node(0))], 1 << 20, 8), 1);
}

/// Which row is read, by the definition: natural indices counted modulo the rows of the run, then those of the input.
#[test]
fn rows_that_are_read() {
    let reversed = |index: usize, rows: usize| match rows {
        1 => index,
        _ => index.reverse_bits() >> (usize::BITS - rows.ilog2()),
    };
    for count in [1, 2, 8] {
        for rows in [1, 2, 4, 8, 32] {
            for (stride, offset) in [(0, 5), (1, 0), (1, 1), (1, -1), (2, -3), (4, 1), (8, 1), (16, -2)] {
                for row in 0..count {
                    let natural = |run: usize| {
                        let index = (run as i64 + i64::from(offset) * stride as i64).rem_euclid(count as i64)
                            as usize;
                        if rows < count { index % rows } else { index * (rows / count) }
                    };
                    let run = |order| ProgramRows { count, stride, order }.row(row, offset, rows);
                    assert_eq!(run(Order::Natural), natural(row));
                    assert_eq!(run(Order::BitReversed), reversed(natural(reversed(row, count)), rows));
                }
            }
        }
    }
}

/// What a program asks for, and errors by the first thing that is missing.
#[test]
fn what_a_run_is_given() {
    let mut builder = Builder::<Goldilocks>::new();
    let (x, y, value) = (builder.column(2, 4, 0), builder.column(0, 1, 0), builder.value(3));
    builder.column(2, 1, 0);
    builder.value(1);
    [x, y, value].into_iter().for_each(|node| builder.output(node));
    let few = builder.clone().finish().unwrap();
    assert_eq!((few.inputs(), few.values(), few.outputs()), (&[2, 0, 5][..], 4, 3));
    builder.weighted_sum(vec![(x, 1), (y, 0)], 4);
    builder.weighted_sum(vec![(x, 0)], 1);
    let program = builder.finish().unwrap();
    assert_eq!((program.values(), program.outputs()), (5, 8));

    let rows = ProgramRows { count: 4, stride: 1, order: Order::Natural };
    let shape = |rows, columns| Shape { rows, columns, layout: crate::matrix::Layout::RowMajor };
    let good = [shape(4, 2), shape(1, 0), shape(8, 5)];
    program.check(rows, &good, 5).unwrap();
    program.check(rows, &[shape(4, 3), shape(1, 1), shape(8, 6)], 6).unwrap();
    let length = |what, expected, found| Err(Error::LengthMismatch { what, expected, found });
    assert_eq!(program.check(rows, &good[..2], 5), length("input matrices of a row program", 3, 2));
    assert_eq!(program.check(rows, &good, 4), length("values of a row program, at least", 5, 4));
    let too_few = [good[0], good[1], shape(8, 4)];
    assert_eq!(
        program.check(rows, &too_few, 5),
        length("columns of an input of a row program, at least", 5, 4)
    );
    let odd = [good[0], shape(3, 0), good[2]];
    let what = "rows of an input of a row program";
    assert_eq!(program.check(rows, &odd, 5), Err(Error::NotPowerOfTwo { what, found: 3 }));
    for found in [0, 6] {
        let what = "rows of a run of a row program";
        let rows = ProgramRows { count: found, ..rows };
        assert_eq!(program.check(rows, &good, 5), Err(Error::NotPowerOfTwo { what, found }));
    }
}

/// As much as devices have room for, and one more.
#[test]
fn limits_of_programs() {
    let record = |matrix: usize, offsets: i32, coordinates: usize| {
        let mut builder = Builder::<Goldilocks>::new();
        for offset in 0..offsets {
            let x = builder.column(matrix, 0, offset);
            builder.weighted_sum(vec![(x, 0)], coordinates);
        }
        builder.finish().map(|program| program.outputs())
    };
    let bad = |found: &str| Err(Error::BadProgram { found: found.into() });
    assert_eq!(record(7, 16, 5), Ok(80));
    assert_eq!(record(8, 1, 1), bad("input matrix 8, expected an index below 8"));
    assert_eq!(record(0, 17, 1), bad("17 pairs of an input matrix and an offset, expected at most 16"));
    assert_eq!(record(0, 1, 6), bad("a weighted sum of 6 coordinates, expected 1 to 5"));
    assert_eq!(record(0, 1, 0), bad("a weighted sum of 0 coordinates, expected 1 to 5"));
    assert_eq!(record(0, 0, 1), bad("no outputs, expected at least one"));
    // So many powers, of which the last is written first: all others are in use at once.
    let in_use = |width: usize| {
        let mut builder = Builder::<Goldilocks>::new();
        let mut all = vec![builder.column(0, 0, 0)];
        for _ in 0..=width {
            all.push(builder.mul(all[all.len() - 1], all[0]));
        }
        all[1..].iter().rev().for_each(|&node| builder.output(node));
        builder.finish().map(|program| program.code().slots)
    };
    assert_eq!(in_use(9), Ok(9));
    assert_eq!(in_use((1 << 16) - 1), Ok((1 << 16) - 1));
    assert_eq!(in_use(1 << 16), bad("65536 nodes in use at once, expected fewer than 2^16"));
}
