//! Random programs, beside the numbers that their nodes stand for in one row.

use crate::backend::AcceleratedField;
use crate::program::{Builder, MAX_COORDINATES, Node, Program};

/// Numbers below a bound, in an order that looks like none.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// What the test's input matrices have in the one row, for each column and offset.
pub(super) fn entry<F: AcceleratedField>(matrix: usize, column: usize, offset: i32) -> F {
    F::of_integer(
        (1 + matrix as u64) * 1_000_003 + column as u64 * 1009 + (offset + 8) as u64 * 0x1_0000_0001,
    )
}

/// The value with an index.
pub(super) fn value<F: AcceleratedField>(index: usize) -> F {
    F::of_integer(0x9e37_79b9_7f4a_7c15 >> index)
}

/// So many values that a run is given.
pub(super) const VALUES: usize = 9;

/// A builder, beside the number that each of its nodes stands for.
pub(super) struct Recorder<F> {
    pub(super) builder: Builder<F>,
    pub(super) nodes: Vec<(Node, F)>,
    pub(super) outputs: Vec<F>,
}

impl<F: AcceleratedField> Recorder<F> {
    pub(super) fn new() -> Self {
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
    pub(super) fn record(&mut self, operation: usize, (a, x): (Node, F), (b, y): (Node, F)) {
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
    pub(super) fn record_some(&mut self, numbers: &mut Numbers, operations: usize) {
        for _ in 0..operations {
            let all = self.nodes.len();
            let [a, b] = [all - 1 - numbers.below(3), numbers.below(all)].map(|at| self.nodes[at]);
            self.record(numbers.below(7), a, b);
        }
    }

    pub(super) fn output(&mut self, (node, number): (Node, F)) {
        self.builder.output(node);
        self.outputs.push(number);
    }

    pub(super) fn weighted_sum(&mut self, terms: &[((Node, F), usize)], coordinates: usize) {
        self.builder
            .weighted_sum(terms.iter().map(|&((node, _), index)| (node, index)).collect(), coordinates);
        for d in 0..coordinates {
            let terms = terms.iter().map(|&((_, number), index)| number * value(index + d));
            self.outputs.push(terms.fold(F::ZERO, |sum, term| sum + term));
        }
    }

    /// A weighted sum of so many nodes, any of them.
    pub(super) fn weigh_some(&mut self, numbers: &mut Numbers, terms: usize, coordinates: usize) {
        let all = self.nodes.len();
        let terms: Vec<_> = (0..terms)
            .map(|_| (self.nodes[numbers.below(all)], numbers.below(VALUES - MAX_COORDINATES)))
            .collect();
        self.weighted_sum(&terms, coordinates);
    }

    /// The program, and its outputs.
    pub(super) fn finish(self) -> (Program<F>, Vec<F>) {
        (self.builder.finish().unwrap(), self.outputs)
    }
}
