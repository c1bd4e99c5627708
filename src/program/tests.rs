//! Programs in each of their forms, run on one row by the definition of that form: nodes as they are recorded, instructions for an accumulator, and words for GPUs.

use super::code::{Instruction, fast_slots};
use super::divide::worth;
use super::*;

use crate::field::{Goldilocks, TwoAdic};

/// Numbers below a bound, in an order that looks like none.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// What the test's input matrices have in the one row, for each column and offset.
fn entry<F: AcceleratedField>(matrix: usize, column: usize, offset: i32) -> F {
    F::of_integer(
        (1 + matrix as u64) * 1_000_003 + column as u64 * 1009 + (offset + 8) as u64 * 0x1_0000_0001,
    )
}

/// The value with an index.
fn value<F: AcceleratedField>(index: usize) -> F {
    F::of_integer(0x9e37_79b9_7f4a_7c15 >> index)
}

/// So many values that a run is given.
const VALUES: usize = 9;

/// A builder, beside the number that each of its nodes stands for.
struct Recorder<F> {
    builder: Builder<F>,
    nodes: Vec<(Node, F)>,
    outputs: Vec<F>,
}

impl<F: AcceleratedField> Recorder<F> {
    fn new() -> Self {
        let mut recorder = Self { builder: Builder::new(), nodes: Vec::new(), outputs: Vec::new() };
        let builder = &mut recorder.builder;
        for (matrix, column, offset) in [(0, 0, 0), (0, 3, 1), (1, 1, -2), (2, 0, 0), (0, 1, 0), (1, 0, 3)] {
            recorder.nodes.push((builder.column(matrix, column, offset), entry(matrix, column, offset)));
        }
        for constant in [0, 1, 5].map(F::of_integer) {
            recorder.nodes.push((builder.constant(constant), constant));
        }
        for index in [0, 2] {
            recorder.nodes.push((builder.value(index), value(index)));
        }
        recorder
    }

    /// Records an operation, by its number, on two nodes.
    fn record(&mut self, operation: usize, (a, x): (Node, F), (b, y): (Node, F)) {
        let builder = &mut self.builder;
        self.nodes.push(match operation {
            0 => (builder.add(a, b), x + y),
            1 => (builder.sub(a, b), x - y),
            2 => (builder.sub(b, a), y - x),
            3 => (builder.mul(a, b), x * y),
            4 => (builder.mul(a, a), x * x),
            5 => (builder.add(b, b), y + y),
            _ => (builder.neg(a), F::ZERO - x),
        });
    }

    /// Random operations: one node of each is recent, and the other is any.
    fn record_some(&mut self, numbers: &mut Numbers, operations: usize) {
        for _ in 0..operations {
            let all = self.nodes.len();
            let [a, b] = [all - 1 - numbers.below(3), numbers.below(all)].map(|at| self.nodes[at]);
            self.record(numbers.below(7), a, b);
        }
    }

    fn output(&mut self, (node, number): (Node, F)) {
        self.builder.output(node);
        self.outputs.push(number);
    }

    fn weighted_sum(&mut self, terms: &[((Node, F), usize)], coordinates: usize) {
        self.builder
            .weighted_sum(terms.iter().map(|&((node, _), index)| (node, index)).collect(), coordinates);
        for d in 0..coordinates {
            let terms = terms.iter().map(|&((_, number), index)| number * value(index + d));
            self.outputs.push(terms.fold(F::ZERO, |sum, term| sum + term));
        }
    }

    /// A weighted sum of so many nodes, any of them.
    fn weigh_some(&mut self, numbers: &mut Numbers, terms: usize, coordinates: usize) {
        let all = self.nodes.len();
        let terms: Vec<_> = (0..terms)
            .map(|_| (self.nodes[numbers.below(all)], numbers.below(VALUES - MAX_COORDINATES)))
            .collect();
        self.weighted_sum(&terms, coordinates);
    }

    /// The program, and its outputs.
    fn finish(self) -> (Program<F>, Vec<F>) {
        (self.builder.finish().unwrap(), self.outputs)
    }
}

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

/// The outputs by the nodes.
fn of_graph<F: AcceleratedField>(program: &Program<F>, constants: &[F]) -> Vec<F> {
    let (nodes, outputs, own) = program.graph();
    let mut numbers: Vec<F> = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let of = |node: Node| {
            assert!(node.index() < index, "a node of later ones");
            numbers[node.index()]
        };
        numbers.push(match *node {
            Expression::Column { matrix, column, offset } => entry(matrix as usize, column as usize, offset),
            Expression::Constant(index) => constants[index as usize],
            Expression::Value(index) => constants[own.len() + index as usize],
            Expression::Add(a, b) => of(a) + of(b),
            Expression::Sub(a, b) => of(a) - of(b),
            Expression::Mul(a, b) => of(a) * of(b),
        });
    }
    let mut found = Vec::new();
    for output in outputs {
        match output {
            Output::Node(node) => found.push(numbers[node.index()]),
            Output::Weighted { terms, coordinates } => {
                let mut sums = Sums([F::ZERO; MAX_COORDINATES]);
                for &(node, index) in terms {
                    sums.weigh(numbers[node.index()], &constants[own.len() + index..][..*coordinates]);
                }
                found.extend(sums.take(*coordinates));
            }
        }
    }
    found
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
    assert_eq!(of_graph(&program, &constants), expected);
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
    let (of_entries, read) = program.of_entries();
    assert_eq!(of_entries.inputs(), [6]);
    // Not those that the program had.
    let words =
        of_entries.batches(1).words(F::words(&of_entries.constants(&[F::ZERO; VALUES])), size_of::<F>() / 8);
    assert!(
        blocks(&words)
            .iter()
            .all(|(entries, _)| entries.iter().all(|entry| [0, 255].contains(&(entry & 255))))
    );
    let read: Vec<F> =
        read.iter().map(|&(Access { matrix, offset }, column)| entry(matrix, column, offset)).collect();
    let values: Vec<F> = (0..VALUES).map(value).collect();
    let rows = ProgramRows { count: 1, stride: 1, order: Order::Natural };
    let engine = crate::Engine::builder().device(crate::device::DeviceChoice::Reference).build().unwrap();
    let input = crate::matrix::Matrix::from_rows(read, 1, 6).unwrap();
    assert_eq!(engine.run_program(&of_entries, rows, &[&input], &values).unwrap().as_slice(), expected);
    // By its instructions, of which the reference knows nothing.
    assert_eq!(of_entries.code().accesses, [Access { matrix: 0, offset: 0 }]);
    let constants = of_entries.constants(&values);
    let row = input.as_slice();
    let instructions = of_entries.code().instructions.iter().map(|&instruction| match instruction.operand {
        Operand::Entry(0, column) => {
            let index = constants.len() + column;
            Instruction { operand: Operand::Constant(index), ..instruction }
        }
        Operand::Entry(..) => panic!("an entry of another access"),
        _ => instruction,
    });
    let code = Code { instructions: instructions.collect(), ..of_entries.code().clone() };
    assert_eq!(of_code(&code, &[&constants[..], row].concat(), expected.len()), expected);

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

/// The blocks of a piece: the entries that each brings, and its instructions.
fn blocks(words: &[u64]) -> Vec<(&[u64], &[u64])> {
    let mut blocks = Vec::new();
    for part in words.chunks(PART) {
        let mut at = 0;
        while at < PART && part[at] != 0 {
            let (wanted, end) = (part[at] as usize & 255, part[at] as usize >> 8);
            blocks.push((&part[at + 1..][..wanted], &part[at + 1 + wanted..end]));
            at = end;
        }
    }
    blocks
}

/// The words of a program with all but slots, one by one: what can be loaded first is.
#[test]
fn words_for_gpus() {
    let mut builder = Builder::<Goldilocks>::new();
    let (x, y, three) =
        (builder.column(0, 7, 0), builder.column(1, 2, 0), builder.constant(Goldilocks::new(3)));
    let square = builder.mul(x, x);
    let difference = builder.sub(square, y);
    let sum = builder.add(difference, three);
    builder.output(sum);
    builder.weighted_sum(vec![(sum, 0)], 1);
    let program = builder.finish().unwrap();
    let words = program.batches(1).words(&[3, 1000], 1);
    // Offsets of a place: two rows of 64 items of a word.
    let ring = |entry: u64| (16 + entry) * 1024;
    let expected = [
        2 | 3 << 8,
        7 << 8,
        1 | 2 << 8,
        16 << 8,
        6 | 16 | ring(0) << 32,
        2 | ring(1) << 16,
        1 | 64,
        1,
        3,
        8,
        0,
        7 | 8 << 16,
        1000,
        9 | 8 << 16,
        1,
    ];
    let end = 3 + 1 + 11;
    assert_eq!(words[..3], expected[..3]);
    assert_eq!(words[3], end << 8);
    assert_eq!(words[4..15], expected[4..]);
    assert!(words.len() == PART && words[15..].iter().all(|&word| word == 0));
}

/// The ring is full before a batch ends; blocks have as many instructions as there is room for, and parts as many blocks.
#[test]
fn batches_are_filled() {
    let mut builder = Builder::<Goldilocks>::new();
    let columns: Vec<_> = (0..20).map(|column| builder.column(0, column, 0)).collect();
    let mut sum = columns[0];
    for &column in &columns[1..] {
        sum = builder.add(sum, column);
    }
    builder.output(sum);
    let program = builder.finish().unwrap();
    let brought: Vec<_> =
        blocks(&program.batches(1).words(&[], 1)).iter().map(|(entries, _)| entries.len()).collect();
    assert_eq!(brought, [8, 8, 4, 0]);

    let mut builder = Builder::<Goldilocks>::new();
    let mut product = builder.column(0, 0, 0);
    for index in 0..300 {
        let value = builder.value(index);
        product = builder.mul(product, value);
    }
    builder.output(product);
    let program = builder.finish().unwrap();
    let words = program.batches(1).words(&[0; 300], 1);
    // Three words an instruction, in the first block besides what is loaded: 21 of them, and four blocks of 64 words, or three behind the block that brings the entry.
    let lengths: Vec<_> = blocks(&words).iter().map(|(_, instructions)| instructions.len()).collect();
    assert_eq!(lengths, [&[0][..], &[63; 14], &[3 * 6 + 2]].concat());
    assert_eq!(words.len(), 4 * PART);
}

/// Slots far away that were written before the last batch are brought like entries; others are taken where they lie.
#[test]
fn slots_far_away_are_brought() {
    let mut builder = Builder::<Goldilocks>::new();
    let columns: Vec<_> = (0..60).map(|column| builder.column(0, column, 0)).collect();
    let squares: Vec<_> = columns.iter().map(|&x| builder.mul(x, x)).collect();
    for order in [false, true] {
        let mut sum = columns[0];
        for at in 0..squares.len() {
            let at = if order { squares.len() - 1 - at } else { at };
            sum = builder.sub(squares[at], sum);
        }
        builder.output(sum);
    }
    let program = builder.finish().unwrap();
    let batches = program.batches(1);
    let words = batches.words(&[], 1);
    let far =
        blocks(&words).iter().flat_map(|(entries, _)| *entries).filter(|&&entry| entry & 255 == 255).count();
    assert_eq!(far, batches.far);
    assert!(far >= 40, "{far}");
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
