//! The form of a program for machines: instructions for an accumulator.
//!
//! Most results are used by the next operation and by nothing else. So an instruction combines the accumulator with one operand, and may copy the result to a slot. Nodes are computed in the
//! order in which outputs ask for them, depth first, the operand that takes more slots before the other (Sethi and Ullman 1970); each once.

use super::slots::{self, Interval};
use super::{Expression, Node, Output};
use crate::error::Error;

/// The most input matrices of a program.
pub(crate) const MAX_MATRICES: usize = 8;

/// The most different pairs of an input matrix and an offset.
pub(crate) const MAX_ACCESSES: usize = 16;

/// A row's slots in fast memory.
pub(crate) const fn fast_slots<F>() -> usize {
    // Measured for the first (docs/performance/programs.md).
    if size_of::<F>() == size_of::<u64>() { 16 } else { 256 / size_of::<F>() }
}

/// Where an instruction has its operand from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// A copy of an earlier result.
    Slot(usize),
    /// A constant, or a value of the run.
    Constant(usize),
    /// An entry of an input: the index of an [`Access`], and the column.
    Entry(usize, usize),
    /// The accumulator.
    Accumulator,
}

/// What an instruction does with the accumulator a and its operand b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Operation {
    /// b.
    Load,
    /// a + b.
    Add,
    /// a - b.
    Sub,
    /// b - a.
    SubFrom,
    /// a b.
    Mul,
    /// a stays; it is added to the sums, times as many constants, from the operand on, as there are coordinates.
    Weigh,
    /// a stays, and is an output: the operand's index is the column.
    Write,
    /// The sums, of so many coordinates, are outputs from a column on, and become zero.
    WriteSums,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) operation: Operation,
    /// For what is written a constant, whose index is the column.
    pub(crate) operand: Operand,
    /// The slot to which the new accumulator is copied. For weights and sums the number of coordinates.
    pub(crate) to: Option<usize>,
}

/// The rows of an input matrix that are read with an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Access {
    pub(crate) matrix: usize,
    pub(crate) offset: i32,
}

/// A program for machines.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) accesses: Vec<Access>,
    /// Slots, the first [`fast_slots`] of them in fast memory, and those behind them in ordinary memory.
    pub(crate) slots: usize,
}

/// What happens, in order.
#[derive(Clone, Copy)]
enum Step {
    /// A node that is neither a column nor a constant nor a value is computed.
    Compute(Node),
    /// A node is weighed with the constants from an index on.
    Weigh {
        node: Node,
        from: usize,
        coordinates: usize,
    },
    /// A node is an output column.
    Write {
        node: Node,
        column: usize,
    },
    WriteSums {
        column: usize,
        coordinates: usize,
    },
}

impl Code {
    /// The code of a program over F with so many constants, whose first accesses are those that are known.
    pub(super) fn new<F>(
        nodes: &[Expression],
        outputs: &[Output],
        constants: usize,
        known: &[Access],
    ) -> Result<Self, Error> {
        let bad = |found: String| Error::BadProgram { found };
        let mut machine = Machine { nodes, constants, accesses: known.to_vec() };
        let steps = machine.steps(outputs);
        let uses = machine.uses(&steps);
        let slots = slots::assign(&uses, fast_slots::<F>());
        let instructions = machine.instructions(&steps, &slots);
        if machine.accesses.len() > MAX_ACCESSES {
            let found = machine.accesses.len();
            return Err(bad(format!(
                "{found} pairs of an input matrix and an offset, expected at most {MAX_ACCESSES}"
            )));
        }
        let slots = slots.iter().flatten().map(|slot| slot + 1).max().unwrap_or(0);
        if slots >= 1 << 16 {
            return Err(bad(format!("{slots} nodes in use at once, expected fewer than 2^16")));
        }
        Ok(Self { instructions, accesses: machine.accesses, slots })
    }

    /// For each term of the weighted sums, in their order, the number of nodes that are computed for it and for no earlier output.
    pub(super) fn costs(nodes: &[Expression], outputs: &[Output], constants: usize) -> Vec<usize> {
        let (mut costs, mut cost) = (Vec::new(), 0);
        for step in (Machine { nodes, constants, accesses: Vec::new() }).steps(outputs) {
            cost += 1;
            if let Step::Weigh { .. } = step {
                costs.push(std::mem::take(&mut cost));
            }
        }
        costs
    }
}

/// What is known while code is made.
struct Machine<'a> {
    nodes: &'a [Expression],
    constants: usize,
    accesses: Vec<Access>,
}

impl Machine<'_> {
    /// The operands of a node that is computed.
    fn operands(&self, node: Node) -> Option<(Node, Node)> {
        match self.nodes[node.index()] {
            Expression::Add(a, b) | Expression::Sub(a, b) | Expression::Mul(a, b) => Some((a, b)),
            _ => None,
        }
    }

    /// The slots that the computation of each node takes, if each were computed alone: as many as the operand that takes more, or one more than either.
    fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.nodes.len()];
        for index in 0..self.nodes.len() {
            if let Some((a, b)) = self.operands(Node(index as u32)) {
                let (a, b): (u32, u32) = (depths[a.index()], depths[b.index()]);
                depths[index] = if a == b { a + 1 } else { a.max(b) };
            }
        }
        depths
    }

    fn steps(&self, outputs: &[Output]) -> Vec<Step> {
        let (depths, mut done) = (self.depths(), vec![false; self.nodes.len()]);
        let (mut steps, mut column) = (Vec::new(), 0);
        for output in outputs {
            match output {
                Output::Node(node) => {
                    self.compute(*node, &depths, &mut done, &mut steps);
                    steps.push(Step::Write { node: *node, column });
                }
                Output::Weighted { terms, coordinates } => {
                    for &(node, value) in terms {
                        self.compute(node, &depths, &mut done, &mut steps);
                        let from = self.constants + value;
                        steps.push(Step::Weigh { node, from, coordinates: *coordinates });
                    }
                    steps.push(Step::WriteSums { column, coordinates: *coordinates });
                }
            }
            column += output.columns();
        }
        steps
    }

    /// The steps for a node and what it is made of, without recursion, since chains may be long.
    fn compute(&self, node: Node, depths: &[u32], done: &mut [bool], steps: &mut Vec<Step>) {
        let mut stack = vec![(node, false)];
        while let Some((node, ready)) = stack.pop() {
            let Some((a, b)) = self.operands(node) else { continue };
            if done[node.index()] {
                continue;
            }
            if ready {
                done[node.index()] = true;
                steps.push(Step::Compute(node));
                continue;
            }
            stack.push((node, true));
            let (first, second) = if depths[a.index()] >= depths[b.index()] { (a, b) } else { (b, a) };
            stack.extend([(second, false), (first, false)]);
        }
    }

    /// The nodes that a step takes, in the order in which the accumulator is tried.
    fn taken(&self, step: Step) -> [Option<Node>; 2] {
        match step {
            Step::Compute(node) => {
                let (a, b) = self.operands(node).expect("a node that is computed");
                [Some(a), Some(b)]
            }
            Step::Weigh { node, .. } | Step::Write { node, .. } => [Some(node), None],
            Step::WriteSums { .. } => [None, None],
        }
    }

    /// For each node that is ever taken from a slot: the step that computes it, and the last that takes it from there.
    fn uses(&self, steps: &[Step]) -> Vec<Option<Interval>> {
        let mut intervals: Vec<Option<Interval>> = vec![None; self.nodes.len()];
        let mut computed = vec![0; self.nodes.len()];
        let mut held = None;
        for (at, &step) in steps.iter().enumerate() {
            let taken = self.taken(step);
            let by_accumulator = taken.into_iter().flatten().find(|&node| Some(node) == held);
            let others = taken.into_iter().flatten().filter(|&node| Some(node) != by_accumulator);
            for node in others.filter(|&node| self.operands(node).is_some()) {
                let first = computed[node.index()];
                intervals[node.index()] = Some(Interval { first, last: at });
            }
            match step {
                Step::Compute(node) => {
                    computed[node.index()] = at;
                    held = Some(node);
                }
                Step::Weigh { node, .. } | Step::Write { node, .. } => held = Some(node),
                Step::WriteSums { .. } => {}
            }
        }
        intervals
    }

    fn operand(&mut self, node: Node, slots: &[Option<usize>]) -> Operand {
        match self.nodes[node.index()] {
            Expression::Constant(index) => Operand::Constant(index as usize),
            Expression::Value(index) => Operand::Constant(self.constants + index as usize),
            Expression::Column { matrix, column, offset } => {
                let access = Access { matrix: matrix as usize, offset };
                let known = self.accesses.iter().position(|&known| known == access);
                let index = known.unwrap_or_else(|| {
                    self.accesses.push(access);
                    self.accesses.len() - 1
                });
                Operand::Entry(index, column as usize)
            }
            _ => Operand::Slot(slots[node.index()].expect("a slot for a node that is taken from one")),
        }
    }

    fn instructions(&mut self, steps: &[Step], slots: &[Option<usize>]) -> Vec<Instruction> {
        let mut instructions = Vec::new();
        let mut held = None;
        for &step in steps {
            let taken = self.taken(step);
            if let [Some(first), second] = taken
                && taken.into_iter().flatten().all(|node| Some(node) != held)
            {
                // Where nothing is held the node that lies in a matrix is fetched first: the other is an operand then.
                let is_entry = |node: Node| matches!(self.nodes[node.index()], Expression::Column { .. });
                let load = second.filter(|&second| is_entry(second) && !is_entry(first)).unwrap_or(first);
                let operand = self.operand(load, slots);
                instructions.push(Instruction { operation: Operation::Load, operand, to: None });
                held = Some(load);
            }
            let instruction = match step {
                Step::Compute(node) => {
                    let (a, b) = self.operands(node).expect("a node that is computed");
                    let other = if Some(a) == held { b } else { a };
                    let operation = match self.nodes[node.index()] {
                        Expression::Add(..) => Operation::Add,
                        Expression::Mul(..) => Operation::Mul,
                        _ if Some(a) == held => Operation::Sub,
                        _ => Operation::SubFrom,
                    };
                    let operand = match Some(other) == held {
                        true => Operand::Accumulator,
                        false => self.operand(other, slots),
                    };
                    held = Some(node);
                    Instruction { operation, operand, to: slots[node.index()] }
                }
                Step::Weigh { from, coordinates, .. } => Instruction {
                    operation: Operation::Weigh,
                    operand: Operand::Constant(from),
                    to: Some(coordinates),
                },
                Step::Write { column, .. } => {
                    Instruction { operation: Operation::Write, operand: Operand::Constant(column), to: None }
                }
                Step::WriteSums { column, coordinates } => Instruction {
                    operation: Operation::WriteSums,
                    operand: Operand::Constant(column),
                    to: Some(coordinates),
                },
            };
            instructions.push(instruction);
        }
        instructions
    }
}
