//! Programs in each of their forms, run on one row by the definition of that form: nodes as they are recorded, instructions for an accumulator, and words for GPUs.

use super::recorder::{Numbers, Recorder, VALUES, entry, value};
use super::words::blocks;
use crate::backend::AcceleratedField;
use crate::backend::reference::outputs_in_row;
use crate::matrix::Matrix;
use crate::ntt::Order;
use crate::program::code::{Instruction, fast_slots};
use crate::program::{
    Access, Batches, Builder, Code, MAX_COORDINATES, Near, Operand, Operation, PART, Program, ProgramRows,
};

/// What the sums, their number and the columns are of an instruction that writes.
struct Sums<F>([F; MAX_COORDINATES]);

impl<F: AcceleratedField> Sums<F> {
    fn weigh(&mut self, number: F, weights: &[F]) {
        for (sum, &weight) in self.0.iter_mut().zip(weights) {
            *sum = *sum + number * weight;
        }
    }

    fn take(&mut self, coordinates: usize) -> Vec<F> {
        std::mem::replace(&mut self.0, [F::ZERO; MAX_COORDINATES])[..coordinates].to_vec()
    }
}

/// The outputs by the nodes, which the reference goes through, of the program that has a column for each entry.
fn of_graph<F: AcceleratedField>((program, read): (&Program<F>, &[F]), constants: &[F]) -> Vec<F> {
    let rows = ProgramRows { count: 1, stride: 1, order: Order::Natural };
    let input = Matrix::from_rows(read.to_vec(), 1, read.len()).unwrap();
    outputs_in_row(program, rows, 0, &[input.view()], constants)
}

/// The program that has a column for each entry, and what these columns have in the one row.
fn of_entries<F: AcceleratedField>(program: &Program<F>) -> (Program<F>, Vec<F>) {
    let (program, read) = program.of_entries();
    let entry = |(Access { matrix, offset }, column)| entry(matrix, column, offset);
    (program, read.into_iter().map(entry).collect())
}

/// The outputs by the instructions. Nothing is taken from a slot that nothing was copied to.
fn of_code<F: AcceleratedField>(code: &Code, constants: &[F], outputs: usize) -> Vec<F> {
    let (mut a, mut slots, mut sums) = (None, vec![None; code.slots], Sums([F::ZERO; MAX_COORDINATES]));
    let mut found = vec![None; outputs];
    for &Instruction { operation, operand, to } in &code.instructions {
        let index = || match operand {
            Operand::Constant(index) => index,
            other => panic!("{other:?} for an index"),
        };
        let b = || match operand {
            Operand::Slot(slot) => slots[slot].expect("a slot in use"),
            Operand::Constant(index) => constants[index],
            Operand::Entry(access, column) => {
                let Access { matrix, offset } = code.accesses[access];
                entry(matrix, column, offset)
            }
            Operand::Accumulator => a.expect("a result"),
        };
        let held = || a.expect("a result");
        match operation {
            Operation::Load => a = Some(b()),
            Operation::Add => a = Some(held() + b()),
            Operation::Sub => a = Some(held() - b()),
            Operation::SubFrom => a = Some(b() - held()),
            Operation::Mul => a = Some(held() * b()),
            Operation::Weigh => sums.weigh(held(), &constants[index()..][..to.unwrap()]),
            Operation::Write => found[index()] = Some(held()),
            Operation::WriteSums => {
                for (d, sum) in sums.take(to.unwrap()).into_iter().enumerate() {
                    found[index() + d] = Some(sum);
                }
            }
        }
        if let Some(slot) = to.filter(|_| (operation as u8) < Operation::Weigh as u8) {
            slots[slot] = a;
        }
    }
    found.into_iter().map(|output| output.expect("an output that is written")).collect()
}

/// The outputs by the words, as `kernels/row_program.cl` reads them: the sums of all pieces.
fn of_words<F: AcceleratedField>(
    batches: &Batches,
    accesses: &[Access],
    constants: &[F],
    outputs: usize,
) -> Vec<F> {
    let near = Near::of::<F>();
    let words = batches.words(F::words(constants), near.words);
    assert_eq!(words.len(), batches.len());
    let element = |words: &[u64]| {
        let mut element = F::zeros(1).unwrap();
        F::words_mut(&mut element).copy_from_slice(&words[..near.words]);
        element[0]
    };
    let bytes = near.rows * near.group * size_of::<F>();
    let place = |offset: u64| {
        assert_eq!(offset as usize % bytes, 0);
        offset as usize / bytes
    };
    let mut found = vec![F::ZERO; outputs];
    let mut end = 0;
    for piece in &batches.pieces {
        assert_eq!(piece.start, end);
        end = piece.end;
        let mut a = F::ZERO;
        let mut close = vec![None; near.slots + near.ring];
        let (mut far, mut sums) = (vec![None; batches.far], Sums([F::ZERO; MAX_COORDINATES]));
        let mut written = vec![false; outputs];
        for part in words[piece.clone()].chunks(PART) {
            assert_eq!(part.len(), PART);
            let mut at = 0;
            while at < PART && part[at] != 0 {
                let (wanted, block_end) = (part[at] as usize & 255, part[at] as usize >> 8);
                assert!(wanted <= near.ring && at < block_end && block_end <= PART);
                at += 1;
                let next: Vec<F> = part[at..][..wanted]
                    .iter()
                    .map(|&word| match (word as usize & 255, word as usize >> 8) {
                        (255, slot) => far[slot].expect("a slot far away in use"),
                        (access, column) => entry(accesses[access].matrix, column, accesses[access].offset),
                    })
                    .collect();
                at += wanted;
                while at < block_end {
                    let word = part[at];
                    at += 1;
                    let of = |offset: u64| close[place(offset)].expect("a place in use");
                    if word & 16 != 0 {
                        a = of(word >> 32 & 0xffff);
                    }
                    let mut second = 0;
                    let (operation, operand) = (word & 15, word >> 16 & 0xffff);
                    let mut b = None;
                    if word & 64 != 0 {
                        second = part[at];
                        at += 1;
                        if second & 1 != 0 {
                            b = Some(element(&part[at..]));
                            at += near.words;
                        } else if second & 2 != 0 {
                            b = far[second as usize >> 8 & 0xff_ffff];
                            assert!(b.is_some(), "a slot far away that nothing was kept in");
                        }
                    }
                    let b = || b.unwrap_or_else(|| of(operand));
                    let coordinates = operand as usize / 8;
                    match operation {
                        0 => a = b(),
                        1 => a = a + b(),
                        2 => a = a - b(),
                        3 => a = b() - a,
                        4 => a = a * b(),
                        5 => a = a + a,
                        6 => a = a * a,
                        7 => {
                            let weights = part[at..][..coordinates * near.words].chunks(near.words);
                            sums.weigh(a, &weights.map(element).collect::<Vec<_>>());
                            at += coordinates * near.words;
                        }
                        8 | 9 => {
                            let column = part[at] as usize;
                            at += 1;
                            let results = if operation == 8 { vec![a] } else { sums.take(coordinates) };
                            for (d, result) in results.into_iter().enumerate() {
                                assert!(!std::mem::replace(&mut written[column + d], true));
                                found[column + d] = found[column + d] + result;
                            }
                        }
                        other => panic!("operation {other}"),
                    }
                    if word & 32 != 0 {
                        close[place(word >> 48)] = Some(a);
                    }
                    if second & 4 != 0 {
                        far[(second >> 32) as usize] = Some(a);
                    }
                }
                assert_eq!(at, block_end);
                close[near.slots..].iter_mut().zip(next).for_each(|(place, next)| *place = Some(next));
            }
        }
        assert!(written.iter().all(|&written| written));
    }
    assert_eq!(end, words.len());
    found
}

/// The program's outputs in each of its forms, in up to so many pieces, are these.
fn check<F: AcceleratedField>((program, expected): (Program<F>, Vec<F>), pieces: &[usize]) {
    let values: Vec<F> = (0..VALUES).map(value).collect();
    let constants = program.constants(&values);
    assert_eq!(program.outputs(), expected.len());
    assert_eq!(constants.len(), program.graph().2.len() + program.values());
    let (gathered, read) = of_entries(&program);
    assert_eq!(of_graph((&gathered, &read), &constants), expected);
    let code = program.code();
    assert_eq!(of_code(code, &constants, expected.len()), expected);
    assert_eq!(program.instructions(), code.instructions.len());
    for &wanted in pieces {
        let batches = program.batches(wanted);
        assert_eq!(of_words(batches, &code.accesses, &constants, expected.len()), expected, "{wanted}");
    }
}

fn random<F: AcceleratedField>() {
    let mut numbers = Numbers(1);
    for operations in [0, 1, 2, 3, 5, 8, 13, 30, 100, 400] {
        for _ in 0..if operations < 100 { 12 } else { 3 } {
            let mut recorder = Recorder::<F>::new();
            recorder.record_some(&mut numbers, operations);
            for coordinates in 1..=MAX_COORDINATES {
                let terms = numbers.below(5);
                recorder.weigh_some(&mut numbers, terms, coordinates);
                let any = recorder.nodes[numbers.below(recorder.nodes.len())];
                recorder.output(any);
            }
            let last = *recorder.nodes.last().unwrap();
            recorder.output(last);
            check(recorder.finish(), &[1, 8]);
        }
    }
}

/// Powers of an entry, used in the order in which they were made, the opposite one, and with gaps: so many are in use at once, and some are brought from far away.
fn many_at_once<F: AcceleratedField>() {
    let fast = fast_slots::<F>();
    for width in [2, fast - 1, fast, fast + 1, fast + 2, 3 * fast, 150] {
        let mut recorder = Recorder::<F>::new();
        let x = recorder.nodes[0];
        let begin = recorder.nodes.len();
        recorder.record(4, x, x);
        for _ in 1..width {
            let last = *recorder.nodes.last().unwrap();
            recorder.record(3, last, x);
        }
        let powers = begin..begin + width;
        let orders: [Vec<usize>; 3] =
            [powers.clone().collect(), powers.clone().rev().collect(), powers.step_by(3).collect()];
        for order in orders {
            let mut sum = recorder.nodes[8];
            for at in order {
                let power = recorder.nodes[at];
                recorder.record(3, sum, power);
                let product = *recorder.nodes.last().unwrap();
                recorder.record(0, product, power);
                sum = *recorder.nodes.last().unwrap();
            }
            recorder.output(sum);
        }
        let (program, expected) = recorder.finish();
        let far = program.batches(1).far;
        assert_eq!(far, program.code().slots.saturating_sub(fast));
        assert!(far > 0 || width < fast, "{width} powers");
        check((program, expected), &[1]);
    }
}

/// Weighted sums alone, which may be divided: pieces are a power of two, and none is small.
fn pieces<F: AcceleratedField>() {
    let mut numbers = Numbers(2);
    for operations in [10, 300, 1200] {
        let mut recorder = Recorder::<F>::new();
        recorder.record_some(&mut numbers, operations);
        for (coordinates, terms) in [(2, operations / 2), (1, 0), (5, 40), (3, 1)] {
            recorder.weigh_some(&mut numbers, terms, coordinates);
        }
        let (program, expected) = recorder.finish();
        let most = (program.instructions() / 256).max(1);
        for wanted in [1, 2, 3, 4, 7, 8, 40] {
            let pieces = &program.batches(wanted).pieces;
            let count = wanted.min(most).ilog2();
            assert_eq!(pieces.len(), 1 << count, "{wanted} of {most}");
            // Each has a share: of what is common each has all, and so none is much shorter than an equal share of the whole.
            let words: usize = program.batches(1).len();
            assert!(
                pieces.iter().all(|piece| piece.len() >= words / pieces.len() / 2),
                "{pieces:?} of {words}"
            );
        }
        check((program, expected), &[1, 2, 3, 8, 40]);
    }
}

/// Programs whose sums have no terms, and some of which compute nothing.
fn nothing_to_compute<F: AcceleratedField>() {
    let mut recorder = Recorder::<F>::new();
    recorder.weighted_sum(&[], 3);
    check(recorder.finish(), &[1, 4]);
    let mut recorder = Recorder::<F>::new();
    for at in [0, 6, 8, 10, 10] {
        let leaf = recorder.nodes[at];
        recorder.output(leaf);
    }
    check(recorder.finish(), &[1, 4]);
}

/// The program of entries has a column for each, and the same outputs.
fn entries<F: AcceleratedField>() {
    let mut numbers = Numbers(3);
    let mut recorder = Recorder::<F>::new();
    recorder.record_some(&mut numbers, 40);
    recorder.weigh_some(&mut numbers, 6, 2);
    let last = *recorder.nodes.last().unwrap();
    recorder.output(last);
    let (program, expected) = recorder.finish();
    program.batches(1);
    let (of_entries, read) = of_entries(&program);
    assert_eq!(of_entries.inputs(), [6]);
    // Not those that the program had.
    let words =
        of_entries.batches(1).words(F::words(&of_entries.constants(&[F::ZERO; VALUES])), size_of::<F>() / 8);
    assert!(
        blocks(&words)
            .iter()
            .all(|(entries, _)| entries.iter().all(|entry| [0, 255].contains(&(entry & 255))))
    );
    let values: Vec<F> = (0..VALUES).map(value).collect();
    let constants = of_entries.constants(&values);
    assert_eq!(of_graph((&of_entries, &read), &constants), expected);
    // By its instructions, of which the reference knows nothing.
    assert_eq!(of_entries.code().accesses, [Access { matrix: 0, offset: 0 }]);
    let instructions = of_entries.code().instructions.iter().map(|&instruction| match instruction.operand {
        Operand::Entry(0, column) => {
            let index = constants.len() + column;
            Instruction { operand: Operand::Constant(index), ..instruction }
        }
        Operand::Entry(..) => panic!("an entry of another access"),
        _ => instruction,
    });
    let code = Code { instructions: instructions.collect(), ..of_entries.code().clone() };
    assert_eq!(of_code(&code, &[&constants[..], &read].concat(), expected.len()), expected);

    // Without entries there is no input.
    let mut builder = Builder::<F>::new();
    let value = builder.value(0);
    builder.output(value);
    let (of_none, read) = builder.finish().unwrap().of_entries();
    assert!(of_none.inputs().is_empty() && read.is_empty() && of_none.code().accesses.is_empty());
}

macro_rules! over_fields {
    ($($test:ident)*) => {
        mod over_goldilocks {
            $(#[test] fn $test() { super::$test::<crate::field::Goldilocks>(); })*
        }
        #[cfg(feature = "bn254")]
        mod over_bn254 {
            $(#[test] fn $test() { super::$test::<crate::bn254::Fr>(); })*
        }
    };
}
over_fields!(random many_at_once pieces nothing_to_compute entries);
